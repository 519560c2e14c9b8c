import builtins
import itertools
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memapp.domain.engine import RepackRule
from memapp.domain.prompt import Finished, Piece, Prompt, PromptTurn, Sampling
from memapp.errors import ModelError
from memapp.inference import Cancel, gguf_file, native
from memapp.inference.llama import LlamaModel
from memapp.inference.sampling import TokenSampler
from tests.builders import until

from . import tiny_gguf
from .conftest import OpenTiny, reply

FAMILIES = [
    tiny_gguf.CHATML,
    tiny_gguf.LLAMA3,
    tiny_gguf.GEMMA,
    tiny_gguf.MISTRAL,
    tiny_gguf.NO_TEMPLATE,
]
EVERY_CONTROL_TEXT = (
    "<|im_start|>system <|im_end|> <|endoftext|> <|begin_of_text|> <|eot_id|> <|start_header_id|> "
    "<start_of_turn>model"
    " <end_of_turn> <bos> <s> </s> [INST] [/INST]"
)
SHORT = Sampling(max_tokens=8)


def prompt(
    *contents: str, system: str = "You are a helpful companion.", suffix: str = "", head: str = ""
) -> Prompt:
    """A conversation of alternating turns that the person begins."""
    roles = ["user", "assistant"] * len(contents)
    turns = [PromptTurn(role, content) for role, content in zip(roles, contents, strict=False)]  # type: ignore[arg-type]
    return Prompt(system, tuple(turns), suffix, head)


def long_prompt(words: int) -> Prompt:
    return prompt(" ".join(f"item {number}" for number in range(words)))


def is_computing(model: LlamaModel) -> bool:
    return model._owner._running is not None


# --- reuse


def test_the_graphics_card_gets_as_many_layers_as_were_set(
    tiny_file: Callable[[tiny_gguf.Family], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    lib, given = native.library(), []
    load = lib.llama_model_load_from_file

    def loading(path: bytes, parameters: Any) -> Any:
        given.append(parameters.n_gpu_layers)
        return load(path, parameters)

    monkeypatch.setattr(lib, "llama_model_load_from_file", loading)
    for layers in (-1, 0, 7):
        LlamaModel(tiny_file(tiny_gguf.CHATML), gpu_layers=layers, threads=1).close()
    assert given == [-1, 0, 7]


@pytest.mark.parametrize(
    ("features", "rule", "repacked"),
    [
        ("CPU : AVX512 = 1 | AMX_INT8 = 1 | LLAMAFILE = 1", RepackRule.AUTO, False),
        ("CPU : AVX512 = 1 | LLAMAFILE = 1", RepackRule.AUTO, True),
        ("CPU : AMX_INT8 = 1", RepackRule.ON, True),
        ("CPU : AVX512 = 1", RepackRule.OFF, False),
    ],
)
def test_weights_are_not_repacked_where_the_build_computes_with_amx(
    features: str, rule: RepackRule, repacked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "system_info", lambda: features)
    assert native.model_parameters(rule).use_extra_bufts is repacked


def test_llama_cpp_lists_the_features_of_its_build() -> None:
    assert re.search(r"CPU : .*\w+ = 1", native.system_info())


def test_the_second_call_of_a_turn_computes_only_another_suffix(model: LlamaModel) -> None:
    turn = prompt("I like long walks.", "That is nice.", "What should I do on Sunday?")
    first_call = replace(turn, suffix="PREDICT")
    second_call = replace(turn, suffix="Facts:\n- User likes walks.\nREPLY")
    first = reply(model, first_call, SHORT)[1].usage
    second = reply(model, second_call, SHORT)[1].usage
    assert first.prefill_tokens + first.reused_tokens == model.prompt_tokens(first_call)
    assert second.prefill_tokens + second.reused_tokens == model.prompt_tokens(second_call)
    end_of_turn = (
        6  # <|im_end|>, a line end, <|im_start|>, the two tokens of "assistant", a line end
    )
    actual = second.prefill_tokens
    assert actual == model.count_tokens("Facts:\n- User likes walks.\nREPLY") + end_of_turn


def test_the_same_call_again_gives_the_same_words_and_computes_one_token(model: LlamaModel) -> None:
    turn = replace(prompt("Name a river in France."), suffix="ANSWER")
    before = reply(model, turn, SHORT)
    again = reply(model, turn, SHORT)
    assert again[0] == before[0]
    assert again[1].usage.prefill_tokens == 1


def test_the_next_turn_computes_only_the_message_after_warming(model: LlamaModel) -> None:
    question = prompt("What is the capital of France?")
    text = reply(model, question, Sampling(max_tokens=24))[0]
    after = Prompt(question.system, (*question.turns, PromptTurn("assistant", text)))
    assert model.warm(after, Cancel()) > 0
    assert model.warm(after, Cancel()) == 0
    following = Prompt(question.system, (*after.turns, PromptTurn("user", "And of Italy?")))
    usage = reply(model, following, SHORT)[1].usage
    assert usage.prefill_tokens <= model.count_tokens("And of Italy?") + 8


def test_a_half_typed_message_is_warmed_without_its_last_tokens(model: LlamaModel) -> None:
    model.warm(
        prompt("Tell me about the history of the city of Paris", "Gladly.", "Where do"),
        Cancel(),
        open_end=True,
    )
    usage = reply(
        model,
        prompt(
            "Tell me about the history of the city of Paris",
            "Gladly.",
            "Where does the river flow?",
        ),
        SHORT,
    )[1].usage
    assert usage.prefill_tokens <= model.count_tokens(" does the river flow?") + 8


def test_a_message_is_warmed_as_sent_when_it_is_known_what_stands_behind(model: LlamaModel) -> None:
    begun = replace(prompt("Where do I"), suffix="Facts:\n- User lives in Oslo.\nREPLY")
    whole = replace(prompt("Where do I live?"), suffix=begun.suffix)
    for typed in (begun, whole):
        model.warm(typed, Cancel(), open_end=True)
    assert reply(model, whole, SHORT)[1].usage.prefill_tokens == 1


@pytest.mark.parametrize(
    "family", [tiny_gguf.CHATML, tiny_gguf.HYBRID], ids=lambda family: family.name
)
def test_a_call_of_no_chat_leaves_the_trunk(open_tiny: OpenTiny, family: tiny_gguf.Family) -> None:
    model, alone = open_tiny(family), open_tiny(family)
    begun = prompt("I like long walks.")
    job = prompt("How are these facts related?", system="You compare facts.")
    said = reply(alone, job, SHORT)[0]
    trunk = model.warm(begun, Cancel())
    for _ in range(3):
        told, finished = reply(model, replace(job, slot="scratch"), SHORT)
        assert (told, finished.usage.reused_tokens) == (said, 0)
        assert model.warm(begun, Cancel()) == 0
    answered = reply(model, begun, SHORT)
    alone.forget()
    assert answered[0] == reply(alone, begun, SHORT)[0]
    assert answered[1].usage.reused_tokens == trunk


def test_a_call_of_no_conversation_takes_a_trunks_place_without_room(
    open_tiny: OpenTiny,
) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    begun = long_prompt(10)
    while model.prompt_tokens(begun) < model.context_tokens * 2 // 3:
        begun = long_prompt(len(begun.turns[0].content.split()))
    model.warm(begun, Cancel())
    told = reply(model, replace(begun, system="You sum up.", slot="scratch"), SHORT)
    assert told[1].reason in ("end", "length")
    assert model.warm(begun, Cancel()) > 0


# --- slots


def test_a_look_up_and_the_chat_keep_their_trunks_side_by_side(model: LlamaModel) -> None:
    chat = prompt("I like long walks.", "That is nice.", "What should I do on Sunday?")
    look_up = replace(
        prompt("What should I do on Sunday?", system="Name what to look up."),
        slot="look-up",
        head='{"needed":',
    )
    reply(model, chat, SHORT)
    reply(model, look_up, SHORT)
    for again in (chat, look_up, chat):
        assert reply(model, again, SHORT)[1].usage.prefill_tokens == 1
    assert model.warm(chat, Cancel()) == model.warm(look_up, Cancel()) == 0


@pytest.mark.parametrize(
    "family", [tiny_gguf.CHATML, tiny_gguf.HYBRID], ids=lambda family: family.name
)
def test_slots_do_not_depend_on_each_other(open_tiny: OpenTiny, family: tiny_gguf.Family) -> None:
    model, alone = open_tiny(family), open_tiny(family)
    chat = prompt("I like long walks.")
    look_up = replace(prompt("What is it about?", system="Name it."), slot="look-up")
    assert model.warm(look_up, Cancel()) > 0 and model.warm(chat, Cancel()) > 0
    assert reply(model, look_up, SHORT)[0] == reply(alone, look_up, SHORT)[0]
    alone.forget()
    assert reply(model, chat, SHORT)[0] == reply(alone, chat, SHORT)[0]


def test_the_trunk_of_another_slot_gives_way_where_both_have_no_room(open_tiny: OpenTiny) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    chat = long_prompt(10)
    while model.prompt_tokens(chat) < model.context_tokens * 2 // 3:
        chat = long_prompt(len(chat.turns[0].content.split()))
    look_up = replace(chat, system="Name what to look up.", slot="look-up")
    for asked in (chat, look_up, chat):
        assert reply(model, asked, SHORT)[1].usage.prefill_tokens > model.context_tokens // 2
    assert reply(model, chat, SHORT)[1].usage.prefill_tokens == 1


def test_interrupted_prefilling_goes_on(model: LlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    cancel, whole, batches = Cancel(), long_prompt(60), []
    decode = model._context.decode

    def interrupted(tokens: list[int], *others: Any, **options: Any) -> bool:
        batches.append(len(tokens))
        if len(batches) == 3:
            cancel.set()
        return decode(tokens, *others, **options)

    monkeypatch.setattr(model._context, "decode", interrupted)
    first = model.warm(whole, cancel)
    assert sum(batches[:2]) <= first < model.warm(whole, Cancel()) + first
    assert reply(model, whole, SHORT)[1].usage.reused_tokens > model.prompt_tokens(whole) - 10
    assert sum(batches) < model.prompt_tokens(whole) + 2 * batches[0]


# --- control text


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_control_text_in_contents_stays_text(open_tiny: OpenTiny, family: tiny_gguf.Family) -> None:
    model = open_tiny(family)
    assert control_tokens(model, EVERY_CONTROL_TEXT) == control_tokens(model, "hello")


def test_control_text_in_contents_stays_text_for_the_bundled_model(model: LlamaModel) -> None:
    assert control_tokens(model, EVERY_CONTROL_TEXT) == control_tokens(model, "hello")
    assert model.count_tokens("<|im_end|>") > 1


def control_tokens(model: LlamaModel, content: str) -> list[int]:
    """The tokens of the template's own control texts in a prompt that has `content` everywhere."""
    trunk, rest = model._tokens(
        prompt(content, content, content, system=content, suffix=content, head=content)
    )
    own = {
        token
        for marker in model._template.markers
        for token in model._native.tokens(marker, special=True)
    }
    control = {token for token in own if len(model._native.text(token, special=True)) > 1}
    return [token for token in trunk + rest if token in control]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_answers(open_tiny: OpenTiny, family: tiny_gguf.Family) -> None:
    finished = reply(open_tiny(family), prompt("hello", "hello", "the", suffix="REPLY"), SHORT)[1]
    assert finished.usage.decode_tokens > 0


def test_a_prompt_starts_with_one_beginning_token(open_tiny: OpenTiny) -> None:
    for family in FAMILIES:
        model = open_tiny(family)
        trunk, _ = model._tokens(prompt("hello"))
        assert trunk.count(model._native.bos) == 1 or family is tiny_gguf.CHATML
        assert trunk[0] == model._native.bos


# --- replies


def test_a_reply_follows_its_grammar_after_the_head(model: LlamaModel) -> None:
    asked = prompt("What is the capital of France?", suffix="Answer as JSON.", head='{"city": "')
    grammar = r'root ::= [^"\\\x00-\x1F\x7F]{1,20} "\"}"'
    text, finished = reply(model, asked, Sampling(max_tokens=40, grammar=grammar))
    assert set(json.loads('{"city": "' + text)) == {"city"}
    assert finished.reason == "end"


@pytest.mark.parametrize(
    "grammar",
    ["", "root ::= nothing", 'root ::= "a', 'root ::= root "a"', 'other ::= "a"', "root\0"],
    ids=repr,
)
def test_a_grammar_that_does_not_compile_is_an_error(open_tiny: OpenTiny, grammar: str) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    reply(model, prompt("hello"), SHORT)
    with pytest.raises(ModelError, match="grammar"):
        reply(model, prompt("hello"), Sampling(max_tokens=8, grammar=grammar))
    assert reply(model, prompt("hello"), SHORT)[1].usage.reused_tokens > 0


def test_a_reply_ends_before_a_stop_string(open_tiny: OpenTiny) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    sampling = Sampling(
        max_tokens=40, grammar='root ::= "hello the STOP rest"', stop=("STOP", "nothing")
    )
    assert reply(model, prompt("hello"), sampling)[::2][0] == "hello the "


def test_greedy_replies_repeat_and_seeds_decide_the_others(open_tiny: OpenTiny) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    free = Sampling(max_tokens=20, temperature=1.0, seed=1)
    assert reply(model, prompt("hello"), SHORT)[0] == reply(model, prompt("hello"), SHORT)[0]
    assert reply(model, prompt("hello"), free)[0] == reply(model, prompt("hello"), free)[0]
    actual = reply(model, prompt("hello"), free)[0]
    assert actual != reply(model, prompt("hello"), replace(free, seed=2))[0]


def test_a_turn_nobody_asked_for_can_be_written(open_tiny: OpenTiny) -> None:
    model = open_tiny(tiny_gguf.GEMMA)
    asked = replace(prompt("hello", "hello back"), suffix="Say something unasked.")
    assert reply(model, asked, SHORT)[1].usage.decode_tokens > 0


# --- stopping


def test_cancelling_in_prefill_leaves_the_model_usable(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel, decode = Cancel(), model._context.decode

    def cancelled(*given: Any, **more: Any) -> bool:
        cancel.set()
        return decode(*given, **more)

    monkeypatch.setattr(model._context, "decode", cancelled)
    items = list(model.generate(long_prompt(600), SHORT, cancel))
    assert [event.reason for event in items if isinstance(event, Finished)] == ["cancelled"]
    assert len(items) == 1
    question = prompt("What is the capital of France?", system="You are a helpful AI assistant.")
    assert "Paris" in reply(model, question, Sampling(max_tokens=16))[0]


@pytest.mark.parametrize("steps", [5, 12])
@pytest.mark.parametrize("idle", [True, False], ids=["idle", "urgent"])
def test_what_was_half_computed_is_not_used(open_tiny: OpenTiny, idle: bool, steps: int) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    asked = prompt("hello the first one " * 40)
    stop_at_step(model, steps)
    assert (
        model.warm(asked, Cancel()) if idle else reply(model, asked, SHORT)[1].usage.prefill_tokens
    ) == 0
    stop_at_step(model, None)
    text, finished = reply(model, asked, SHORT)
    assert finished.usage.reused_tokens == 0
    assert text == reply(open_tiny(tiny_gguf.CHATML), asked, SHORT)[0]


def stop_at_step(model: LlamaModel, step: int | None) -> None:
    """Have the next computation aborted at a step of its graph, or none."""
    lib, context = model._native.lib, model._context
    left = iter(range(step)) if step is not None else itertools.repeat(0)
    context._callback = lib.ggml_abort_callback(lambda data: next(left, None) is None)
    lib.llama_set_abort_callback(context._handle, context._callback, None)


def test_a_call_that_was_cancelled_before_it_began_costs_nothing(open_tiny: OpenTiny) -> None:
    cancel = Cancel()
    cancel.set()
    model = open_tiny(tiny_gguf.CHATML)
    assert [event.reason for event in model.generate(prompt("hello"), SHORT, cancel)] == [
        "cancelled"
    ]  # type: ignore[union-attr]
    assert model.warm(prompt("hello"), cancel) == 0


def test_one_flag_for_both_calls_of_a_turn_stops_only_what_runs(open_tiny: OpenTiny) -> None:
    model, cancel = open_tiny(tiny_gguf.CHATML), Cancel()
    list(model.generate(prompt("hello"), SHORT, cancel))
    cancel.set()
    assert reply(model, prompt("hello"), SHORT)[1].reason != "cancelled"


def test_closing_the_iterator_ends_it(open_tiny: OpenTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    model, picks = open_tiny(tiny_gguf.CHATML), []
    original = TokenSampler.pick
    monkeypatch.setattr(TokenSampler, "pick", lambda *given: picks.append(1) or original(*given))
    endless = Sampling(max_tokens=1800, grammar='root ::= "hello"{1800,1800}')
    stream = model.generate(prompt("hello"), endless, Cancel())
    assert isinstance(next(stream), Piece)
    stream.close()
    reply(model, prompt("hello"), Sampling(max_tokens=1))
    assert len(picks) < 1800


def test_a_turn_interrupts_idle_work(model: LlamaModel) -> None:
    computed: list[int] = []
    asked = long_prompt(600)
    idle = [
        threading.Thread(target=lambda: computed.append(model.warm(asked, Cancel())))
        for _ in range(2)
    ]
    for thread in idle:
        thread.start()
    until(lambda: is_computing(model) and len(model._owner._waiting) == 1)
    finished = reply(model, prompt("Hello!"), SHORT)[1]
    for thread in idle:
        thread.join()
    assert finished.reason != "cancelled"
    assert sorted(computed)[0] == 0, "the second one never began"
    assert sorted(computed)[1] < model.prompt_tokens(asked) - 10


def test_callers_from_many_threads_are_served_one_after_the_other(open_tiny: OpenTiny) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    questions = [f"hello {number}" for number in range(12)]
    expected = {question: reply(model, prompt(question), SHORT)[0] for question in questions}
    seen: dict[str, str] = {}
    threads = [
        threading.Thread(
            target=lambda question=question: seen.update(
                {question: reply(model, prompt(question), SHORT)[0]}
            )
        )
        for question in questions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == expected


def test_every_call_after_close_is_an_error(tiny_file: Callable[[tiny_gguf.Family], Path]) -> None:
    model = LlamaModel(tiny_file(tiny_gguf.CHATML))
    model.close()
    model.close()
    for use in (
        lambda: model.generate(prompt("hello"), SHORT, Cancel()),
        lambda: model.warm(prompt("hello"), Cancel()),
        lambda: model.count_tokens("hello"),
        lambda: model.prompt_tokens(prompt("hello")),
    ):
        with pytest.raises(ModelError, match="closed"):
            use()


def test_closing_the_model_ends_a_reply(tiny_file: Callable[[tiny_gguf.Family], Path]) -> None:
    model = LlamaModel(tiny_file(tiny_gguf.CHATML))
    stream = model.generate(
        prompt("hello"), Sampling(max_tokens=1800, grammar='root ::= "hello"{1800,1800}'), Cancel()
    )
    next(stream)
    model.close()
    assert [event.reason for event in stream if isinstance(event, Finished)] == ["cancelled"]


# --- files and limits


def test_a_conversation_that_does_not_fit_is_an_error(open_tiny: OpenTiny) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    with pytest.raises(ModelError, match=r"too long .* of 2,048 tokens"):
        reply(model, prompt("x" * 3000), SHORT)
    assert model.warm(prompt("x" * 3000), Cancel()) == 0
    assert reply(model, prompt("hello"), SHORT)[1].usage.decode_tokens > 0


def test_a_reply_ends_where_the_context_does(open_tiny: OpenTiny) -> None:
    model = open_tiny(tiny_gguf.CHATML)
    asked = prompt("x" * 1900)
    endless = Sampling(max_tokens=1000, grammar="root ::= [a-z]+")
    finished = reply(model, asked, endless)[1]
    assert finished.reason == "length"
    assert finished.usage.decode_tokens == model.context_tokens - model.prompt_tokens(asked)


def test_a_model_too_big_for_the_free_memory_is_refused(
    tiny_file: Callable[[tiny_gguf.Family], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_file, "free_memory", lambda: 100_000_000)
    with pytest.raises(ModelError, match=r"needs about 0\.2 GB of memory, and 0\.1 GB are free"):
        LlamaModel(tiny_file(tiny_gguf.CHATML))


def test_a_cut_file_is_told(tiny_file: Callable[[tiny_gguf.Family], Path], tmp_path: Path) -> None:
    whole = tiny_file(tiny_gguf.CHATML).read_bytes()
    for size in (len(whole) - 10, len(whole) // 2, 2000, 30):
        (tmp_path / "cut.gguf").write_bytes(whole[:size])
        with pytest.raises(ModelError, match="cut short"):
            LlamaModel(tmp_path / "cut.gguf")


def test_the_terminal_stays_clean(
    tiny_file: Callable[[tiny_gguf.Family], Path], tmp_path: Path
) -> None:
    (tmp_path / "broken.gguf").write_bytes(
        tiny_file(tiny_gguf.CHATML).read_bytes().replace(b"llama", b"lamma")
    )
    program = f"""
from pathlib import Path
from types import ModuleType
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.errors import ModelError
from memapp.inference import Cancel
from memapp.inference.llama import LlamaModel
try:
    LlamaModel(Path({str(tmp_path / "broken.gguf")!r}))
except ModelError:
    pass
model = LlamaModel(Path({str(tiny_file(tiny_gguf.CHATML))!r}))
list(model.generate(Prompt("", (PromptTurn("user", "hello"),)), Sampling(max_tokens=4), Cancel()))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (run.stdout, run.stderr) == ("", "")


@pytest.mark.parametrize("error", [ModuleNotFoundError, OSError, RuntimeError])
def test_a_library_that_is_missing_or_broken_is_told(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def broken(name: str, *rest: object) -> ModuleType:
        if name.startswith("llama_cpp"):
            raise error("libgomp.so.1")
        return whole(name, *rest)

    whole = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", broken)
    with pytest.raises(ModelError, match=r"llama\.cpp cannot be loaded"):
        native.library.__wrapped__()
