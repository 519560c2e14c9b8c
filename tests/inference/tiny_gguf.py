"""Makes tiny GGUF models with random weights: right for templates, tokens and cache behaviour,
meaningless as text.

The chat templates are shortened from those the model families publish: what they write and what
they refuse is kept.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import gguf
import numpy as np

from tests.builders import word_list

WIDTH, HEADS, HIDDEN, LAYERS = 32, 2, 64, 2
HEAD_SIZE = WIDTH // HEADS
CONTEXT = 2048
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6


@dataclass(frozen=True)
class Family:
    """What tells one model family from another in its file."""

    name: str
    template: str | None
    control: tuple[str, ...]
    bos: str
    eos: str
    tokenizer: Literal["bpe", "spm"] = "bpe"
    pre: str = "smollm"
    space_prefix: bool = False
    user_defined: tuple[str, ...] = ()
    architecture: Literal["llama", "gemma3", "lfm2"] = "llama"
    adds_bos: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)


CHATML = Family(
    "chatml",
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful assistant<|im_end|>\n' }}{% endif %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n"
    "' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    ("<|im_start|>", "<|im_end|>"),
    bos="<|im_start|>",
    eos="<|im_end|>",
)
POOLED = replace(CHATML, name="pooled", template=None, metadata={"llama.pooling_type": 3})
"""A model that makes embeddings, of the last token."""
LLAMA3 = Family(
    "llama3",
    "{{- bos_token }}{%- if not date_string is defined %}{%- set date_string = strftime_now('%d "
    "%b %Y') %}{%- endif %}"
    "{%- if messages[0]['role'] == 'system' %}{%- set system_message = messages[0]['content'] | "
    "trim %}"
    "{%- set messages = messages[1:] %}{%- else %}{%- set system_message = '' %}{%- endif %}"
    "{{- '<|start_header_id|>system<|end_header_id|>\n\nToday Date: ' + date_string + '\n\n"
    "' + system_message + '<|eot_id|>' }}"
    "{%- for message in messages %}{{- '<|start_header_id|>' + message['role'] + "
    "'<|end_header_id|>\n\n' }}"
    "{{- message['content'] | trim + '<|eot_id|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n"
    "' }}{%- endif %}",
    tuple(
        word_list(
            "<|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|>"
        )
    ),
    bos="<|begin_of_text|>",
    eos="<|eot_id|>",
    pre="llama-bpe",
    adds_bos=True,
)
GEMMA = Family(
    "gemma",
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not "
    "supported') }}{% endif %}"
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') "
    "}}{% endif %}"
    "{% if message['role'] == 'assistant' %}{% set role = 'model' %}{% else %}{% set role = "
    "message['role'] %}{% endif %}"
    "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n"
    "' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}",
    ("<bos>", "<eos>", "<end_of_turn>"),
    bos="<bos>",
    eos="<eos>",
    tokenizer="spm",
    user_defined=("<start_of_turn>",),
    architecture="gemma3",
    adds_bos=True,
)
MISTRAL = Family(
    "mistral",
    "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != "
    "(loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') "
    "}}{% endif %}"
    "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}"
    "{% elif message['role'] == 'assistant' %}{{ message['content'] + eos_token }}"
    "{% else %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}{% "
    "endfor %}",
    ("<s>", "</s>"),
    bos="<s>",
    eos="</s>",
    tokenizer="spm",
    space_prefix=True,
    adds_bos=True,
)
GPT_OSS = Family(
    "gpt-oss",
    "{{- '<|start|>system<|message|>Current date: ' + strftime_now('%Y-%m-%d') + '\n\n"
    "# Channels: analysis, final.<|end|>' }}"
    "{%- if messages[0].role == 'system' %}{%- set instructions = messages[0].content %}{%- set "
    "messages = messages[1:] %}"
    "{{- '<|start|>developer<|message|># Instructions\n\n"
    "' + instructions + '<|end|>' }}{%- endif %}"
    "{%- for message in messages %}{%- if message.role == 'assistant' %}"
    "{{- '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|end|>' }}"
    "{%- else %}{{- '<|start|>user<|message|>' + message.content + '<|end|>' }}{%- endif %}{%- "
    "endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start|>assistant' }}{%- endif %}",
    ("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>"),
    bos="<|start|>",
    eos="<|return|>",
)
MAGISTRAL = Family(
    "magistral",
    MISTRAL.template,
    ("<s>", "</s>", "[INST]", "[/INST]", "[THINK]", "[/THINK]"),
    bos="<s>",
    eos="</s>",
    adds_bos=True,
)
NO_TEMPLATE = Family("no-template", None, ("<s>", "</s>"), bos="<s>", eos="</s>", adds_bos=True)
BROKEN_TEMPLATE = Family("broken-template", "{% for %}", ("<s>", "</s>"), bos="<s>", eos="</s>")
HYBRID = Family(
    "hybrid", CHATML.template, CHATML.control, bos=CHATML.bos, eos=CHATML.eos, architecture="lfm2"
)


def write_in_parts(path: Path, family: Family, tensors: int = 8) -> list[Path]:
    """Write a model of the family into several files, each with so many tensors; return them."""
    write(path, family, tensors)
    return sorted(path.parent.glob(f"{path.stem}-*-of-*.gguf"))


def write(path: Path, family: Family, tensors_of_a_file: int = 0) -> Path:
    """Write a model file of the family."""
    writer = gguf.GGUFWriter(path, family.architecture, split_max_tensors=tensors_of_a_file)
    tokens, types, merges = _vocabulary(family)
    _describe(writer, family)
    writer.add_tokenizer_model("gpt2" if family.tokenizer == "bpe" else "llama")
    if family.tokenizer == "bpe":
        writer.add_tokenizer_pre(family.pre)
        writer.add_token_merges(merges)
    else:
        writer.add_add_space_prefix(family.space_prefix)
        writer.add_token_scores([-float(number) for number in range(len(tokens))])
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_bos_token_id(tokens.index(family.bos))
    writer.add_eos_token_id(tokens.index(family.eos))
    writer.add_add_bos_token(family.adds_bos)
    if family.template is not None:
        writer.add_chat_template(family.template)
    for name, shape in _tensors(family, len(tokens)).items():
        random = np.random.default_rng(sum(name.encode()))
        values = np.ones(shape) if name.endswith("norm.weight") else random.normal(0, 0.3, shape)
        writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _describe(writer: gguf.GGUFWriter, family: Family) -> None:
    writer.add_name(family.name)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    for key, number in family.metadata.items():
        writer.add_uint32(key, number)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_head_count_kv([0, HEADS] if family.architecture == "lfm2" else HEADS)
    if family.architecture == "gemma3":
        writer.add_sliding_window(32)
        writer.add_key_length(HEAD_SIZE)
        writer.add_value_length(HEAD_SIZE)
    if family.architecture == "lfm2":
        writer.add_shortconv_l_cache(3)


def _vocabulary(family: Family) -> tuple[list[str], list[int], list[str]]:
    """Tokens with their types: control tokens, all bytes, and some merged pieces."""
    special = [*family.control, *family.user_defined]
    types = [CONTROL] * len(family.control) + [USER_DEFINED] * len(family.user_defined)
    if family.tokenizer == "spm":
        bytes_ = [f"<0x{number:02X}>" for number in range(256)]
        words = [
            "▁", *map(chr, range(33, 127)), "▁t", "▁a", "he", "▁the", "▁hello", "el", "hel", "hell",
            "hello",
        ]  # fmt: skip
        return (
            ["<unk>", *special, *bytes_, *words],
            [UNKNOWN, *types, *[BYTE] * 256, *[NORMAL] * len(words)],
            [],
        )
    letters = list(_printable_bytes().values())
    merges = ["t h", "th e", "Ġ the", "h e", "l l", "he ll", "hell o"]
    words = [merge.replace(" ", "") for merge in merges]
    return [*special, *letters, *words], [*types, *[NORMAL] * (len(letters) + len(words))], merges


def _printable_bytes() -> dict[int, str]:
    """The characters that byte-level tokenizers use for bytes (GPT-2)."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [number for number in range(256) if number not in plain]
    return {number: chr(number) for number in plain} | {
        number: chr(256 + at) for at, number in enumerate(others)
    }


def _tensors(family: Family, vocabulary: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes (rows first) of the weights."""
    square, one = (WIDTH, WIDTH), (WIDTH,)
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (vocabulary, WIDTH)}
    shapes["token_embd_norm.weight" if family.architecture == "lfm2" else "output_norm.weight"] = (
        one
    )
    for number in range(LAYERS):
        layer = {
            "attn_norm": one,
            "ffn_norm": one,
            "ffn_gate": (HIDDEN, WIDTH),
            "ffn_up": (HIDDEN, WIDTH),
        }
        layer["ffn_down"] = (WIDTH, HIDDEN)
        if family.architecture == "lfm2" and number == 0:
            layer |= {
                "shortconv.conv": (WIDTH, 3),
                "shortconv.in_proj": (3 * WIDTH, WIDTH),
                "shortconv.out_proj": square,
            }
        else:
            layer |= {"attn_q": square, "attn_k": square, "attn_v": square, "attn_output": square}
            if family.architecture != "llama":
                layer |= {"attn_q_norm": (HEAD_SIZE,), "attn_k_norm": (HEAD_SIZE,)}
        if family.architecture == "gemma3":
            layer |= {"post_attention_norm": one, "post_ffw_norm": one}
        shapes |= {f"blk.{number}.{name}.weight": shape for name, shape in layer.items()}
    return shapes
