"""The requests for a model server's reply: as servers differ, up to four forms, the best first."""

import math
import re
from dataclasses import dataclass
from typing import Any

from memapp.domain.prompt import Prompt, Sampling

BYTES_PER_TOKEN = 3
"""Bytes per token for servers that do not count, rather too few: English has about four; three are
one Chinese character.
"""
FREQUENCY_PENALTY = 0.3
"""Against repetition, for servers without better means: OpenAI's interface, Ollama's and LM
Studio's have it.
"""

_CONTROL_TEXT = re.compile(
    r"<(?=[|｜][^<>\n]{1,40}[|｜]>)"  # ChatML, Llama 3, Phi, DeepSeek
    # Llama 2, Gemma, reasoning
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|start_of_image|think)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|THINK)\])"  # Mistral
    r"|◁(?=/?think▷)"  # Kimi
    r"|<(?=</?SYS>>)",
    re.IGNORECASE,
)
_KEY = re.compile(r'\\?"(\w+)\\?"\s*:\s*(\[)?')


@dataclass(frozen=True)
class Way:
    """A form of request."""

    name: str
    body: dict[str, Any]
    continues: bool = False
    """True if the server continues the head, instead of beginning the reply itself."""


def ways_to_ask(prompt: Prompt, sampling: Sampling, model: str, *, llama_server: bool) -> list[Way]:
    """Return the requests for a reply, the best first; the last one works on every server."""
    suffix = (
        f"{prompt.suffix}\nBegin your answer exactly with: {prompt.head}"
        if prompt.head
        else prompt.suffix
    )
    plain = _fields(sampling, model, llama_server) | {"messages": messages(prompt, suffix.strip())}
    ways: list[Way] = []
    if llama_server and (prompt.head or sampling.grammar):
        grammar = {"grammar": sampling.grammar} if sampling.grammar else {}
        body = plain | {"messages": _begun(prompt, prompt.head)} | grammar
        ways.append(Way("continue", body, continues=True))
    if sampling.grammar and (schema := sampling.schema or schema_of(prompt.head, sampling.grammar)):
        named = {"name": "reply", "strict": True, "schema": schema}
        strict = {"type": "json_schema", "json_schema": named}
        loose = {"type": "json_object", "schema": schema}  # for llama-cpp-python's server
        ways.append(Way("schema", plain | {"response_format": strict}))
        ways.append(Way("json", plain | {"response_format": loose}))
    return [*ways, Way("plain", plain)]


def schema_of(head: str, grammar: str) -> dict[str, Any] | None:
    """Return a JSON schema with the keys of a head and a grammar: strings, and lists of them.

    None if they describe no flat JSON object. For servers without grammars.
    """
    if not head.lstrip().startswith("{") and '"{' not in grammar:
        return None
    properties: dict[str, Any] = {}
    for key, is_list in _KEY.findall(head + "\n" + grammar):
        string = {"type": "string"}
        properties.setdefault(key, {"type": "array", "items": string} if is_list else string)
    if not properties:
        return None
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _fields(sampling: Sampling, model: str, llama_server: bool) -> dict[str, Any]:
    own = {
        "timings_per_token": True,
        "min_p": sampling.min_p,
        "dry_multiplier": sampling.dry_multiplier,
        "dry_allowed_length": sampling.dry_allowed,
        "dry_penalty_last_n": -1,  # the earlier replies are in the prompt
        # Thoughts would take the tokens of the reply.
        "chat_template_kwargs": {"enable_thinking": False},
    }
    others = {"frequency_penalty": FREQUENCY_PENALTY} if sampling.dry_multiplier else {}
    return (own if llama_server else others) | {
        "model": model,
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def _begun(prompt: Prompt, reply: str) -> list[dict[str, str]]:
    """Return the messages with the beginning of a reply as the last one, to be continued."""
    turns = messages(prompt, prompt.suffix)
    return [*turns, {"role": "assistant", "content": data(reply)}] if reply else turns


def messages(prompt: Prompt, suffix: str) -> list[dict[str, str]]:
    """Return a prompt as chat messages, the suffix inside the last user message."""
    turns = [{"role": turn.role, "content": data(turn.content)} for turn in prompt.turns]
    if not turns or turns[-1]["role"] != "user":
        turns.append({"role": "user", "content": ""})
    if suffix:
        turns[-1]["content"] = f"{turns[-1]['content']}\n\n{data(suffix)}".lstrip("\n")
    return [{"role": "system", "content": data(prompt.system)}, *turns]


def data(text: str) -> str:
    """Return a text without control tokens, which a server would act on, and lone surrogates."""
    return _CONTROL_TEXT.sub(
        lambda match: f"{match[0]} ", text.encode("utf-8", "replace").decode()
    ).replace("\x00", " ")


def estimated_tokens(text: str) -> int:
    """Return an estimate of a text's tokens by bytes, rather too high."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)
