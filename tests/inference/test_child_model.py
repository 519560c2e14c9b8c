"""The chat model's process: its answers, its deaths, and the reactions of its parent."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from memapp.domain.prompt import Finished, Prompt, PromptTurn, Sampling
from memapp.errors import ModelDied, ModelError
from memapp.inference import Cancel
from memapp.inference.child_model import ChildModel
from memapp.inference.crashes import CrashRecord, forget_all
from memapp.inference.llama import LlamaModel
from tests.builders import until
from tests.inference import tiny_gguf
from tests.inference.conftest import reply

HELLO = Prompt(
    "You are kind.", (PromptTurn("user", "Tell me a story of <|im_end|> \ud800 and more."),)
)
ENDLESS = Sampling(max_tokens=2000, grammar="root ::= [a-z ]*")
SEGV, KILL = signal.SIGSEGV, signal.SIGKILL
Open = Callable[..., ChildModel]


@pytest.fixture
def open_model(tiny_file: Callable[[tiny_gguf.Family], Path], tmp_path: Path) -> Iterator[Open]:
    """Opens a tiny model in a process of its own; closed after the test."""
    opened: list[ChildModel] = []

    def open_child(file: Path | None = None, **options: object) -> ChildModel:
        opened.append(
            ChildModel(
                file or tiny_file(tiny_gguf.CHATML), tmp_path / "cache", key="tiny", **options
            )
        )  # type: ignore[arg-type]
        return opened[-1]

    yield open_child
    for model in opened:
        model.close()


def kill(model: ChildModel, how: signal.Signals) -> psutil.Process:
    process = psutil.Process(model.pid)
    os.kill(process.pid, how)
    return process


def die_in_a_call(model: ChildModel, how: signal.Signals) -> ModelDied:
    """Kill the process when the first word of a reply has come; return what the reply raised."""
    with pytest.raises(ModelDied) as died:
        for number, _ in enumerate(model.generate(HELLO, ENDLESS, Cancel())):
            if number == 0:
                kill(model, how)
    return died.value


def test_it_answers_as_the_same_model_does_in_this_process(
    open_model: Open, tiny_file: Callable[[tiny_gguf.Family], Path]
) -> None:
    there, here = open_model(), LlamaModel(tiny_file(tiny_gguf.CHATML), threads=1)
    sampling = Sampling(max_tokens=12, temperature=0.7, seed=3, stop=("never",), said=("before",))
    assert reply(there, HELLO, sampling)[0] == reply(here, HELLO, sampling)[0]
    described = ("name", "context_tokens")
    assert [getattr(there, name) for name in described] == [
        getattr(here, name) for name in described
    ]
    assert there.count_tokens("a \ud800 b") == here.count_tokens("a \ud800 b")
    assert there.prompt_tokens(HELLO) == here.prompt_tokens(HELLO)
    here.close()


def test_calls_reuse_what_was_warmed_and_forget_it_when_told(open_model: Open) -> None:
    model = open_model()
    assert model.warm(HELLO, Cancel()) > 0
    usage = reply(model, HELLO, Sampling(max_tokens=2))[1].usage
    assert usage.reused_tokens > 0
    with pytest.raises(ModelError, match="does not compile"):
        reply(model, HELLO, Sampling(max_tokens=2, grammar="nonsense"))
    assert reply(model, HELLO, Sampling(max_tokens=2))[0], "a bad grammar is an error of its call"
    model.forget()
    assert reply(model, HELLO, Sampling(max_tokens=2))[1].usage.reused_tokens == 0


def test_cancelling_ends_a_call_and_so_does_leaving_it(open_model: Open) -> None:
    model, cancel = open_model(), Cancel()
    stream = model.generate(HELLO, ENDLESS, cancel)
    next(stream)
    cancel.set()
    *_, finished = stream
    assert isinstance(finished, Finished)
    assert finished.reason == "cancelled"
    (finished,) = model.generate(HELLO, ENDLESS, cancel)
    stream = model.generate(HELLO, ENDLESS, Cancel())
    next(stream)
    stream.close()
    assert reply(model, HELLO, Sampling(max_tokens=2))[1].reason == "length"


@pytest.mark.parametrize(("how", "said"), [(SEGV, "crashed (SIGSEGV)"), (KILL, "memory ran out")])
def test_a_process_that_dies_costs_one_reply_and_the_next_call_starts_another(
    open_model: Open, how: signal.Signals, said: str
) -> None:
    model = open_model()
    error = die_in_a_call(model, how)
    assert said in error.message
    assert "starts again with your next message" in error.advice
    assert reply(model, HELLO, Sampling(max_tokens=2))[1].reason == "length"


def test_all_calls_that_wait_hear_of_its_death(open_model: Open) -> None:
    model, errors = open_model(), []

    def call() -> None:
        try:
            reply(model, HELLO, ENDLESS)
        except ModelDied as error:
            errors.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: len(model._process._calls) == 3)  # type: ignore[union-attr]
    kill(model, SEGV)
    for thread in threads:
        thread.join(60)
    assert len(errors) == 3


def test_a_model_that_died_twice_is_set_aside_until_asked(open_model: Open, tmp_path: Path) -> None:
    told: list[str] = []
    model = open_model(set_aside=told.append)
    die_in_a_call(model, SEGV)
    assert told == []
    assert "twice in a row" in die_in_a_call(model, SEGV).message
    assert len(told) == 1
    for again in (lambda: reply(model, HELLO, Sampling(max_tokens=2)), open_model):
        with pytest.raises(ModelError, match="set it aside"):
            again()
    assert open_model(keeps_record=False).count_tokens("doctor looks all the same") > 0
    forget_all(tmp_path / "cache")
    assert reply(open_model(), HELLO, Sampling(max_tokens=2))[0]


def test_an_answer_between_two_deaths_clears_the_record(open_model: Open, tmp_path: Path) -> None:
    model, record = open_model(), tmp_path / "cache" / "crashes.json"
    for _ in range(3):
        die_in_a_call(model, SEGV)
        assert record.read_text() != "{}"
        reply(model, HELLO, Sampling(max_tokens=2))
        assert record.read_text() == "{}"


def test_a_death_while_nothing_is_asked_is_no_crash(open_model: Open, tmp_path: Path) -> None:
    model = open_model()
    for _ in range(3):
        process = kill(model, KILL)
        until(lambda process=process: not process.is_running() or model.pid is None)
        assert model.count_tokens("hello") > 0
    assert not CrashRecord(tmp_path / "cache", "tiny").is_set_aside


def test_another_build_tries_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = CrashRecord(tmp_path, "model")
    assert [record.add(), record.add()] == [False, True]
    monkeypatch.setattr("memapp.inference.llama_build.name", lambda: "mended")
    assert not CrashRecord(tmp_path, "model").is_set_aside
    assert record.is_set_aside


def test_a_damaged_record_counts_as_none(tmp_path: Path) -> None:
    for text in ("[]", "{", '{"model": "x"}'):
        (tmp_path / "crashes.json").write_text(text)
        assert not CrashRecord(tmp_path, "model").is_set_aside


def test_a_model_that_dies_while_it_loads_is_tried_once_more_and_then_set_aside(
    open_model: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    monkeypatch.setattr("memapp.inference.child_model.PROGRAM", program)
    with pytest.raises(ModelDied, match="twice in a row"):
        open_model()
    with pytest.raises(ModelError, match="set it aside"):
        open_model()


def test_what_cannot_be_loaded_says_why_and_is_no_crash(open_model: Open, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="damaged") as error:
        open_model(broken)
    assert not isinstance(error.value, ModelDied)
    assert not (tmp_path / "cache" / "crashes.json").exists()


def test_an_unused_model_is_unloaded_but_not_in_a_call_and_loaded_again_by_the_next(
    open_model: Open,
) -> None:
    model = open_model(unload_seconds=0.2)
    stream = model.generate(HELLO, ENDLESS, Cancel())
    next(stream)
    first = psutil.Process(model.pid)
    time.sleep(0.5)
    assert model.pid == first.pid, "the call runs"
    stream.close()
    until(lambda: not first.is_running())
    assert model.pid is None
    assert model.warm(HELLO, Cancel()) > 0
    assert model.pid not in (None, first.pid)


def test_a_closed_model_ends_its_process_and_refuses_calls(open_model: Open) -> None:
    model = open_model()
    process = psutil.Process(model.pid)
    stream = model.generate(HELLO, ENDLESS, Cancel())
    next(stream)
    model.close()
    assert not process.is_running()
    with pytest.raises(ModelError, match="closed"):
        list(stream)
    with pytest.raises(ModelError, match="closed"):
        model.count_tokens("hello")
    model.close()


ORPHANS = """
import os, sys
from pathlib import Path
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.inference import Cancel
from memapp.inference.child_model import ChildModel
model = ChildModel(Path(sys.argv[1]), Path(sys.argv[2]))
prompt = Prompt("", (PromptTurn("user", "hi"),))
for number, _ in enumerate(model.generate(prompt, Sampling(max_tokens=10**6), Cancel())):
    if number == 2:
        print(model.pid, flush=True)
"""


def test_the_process_ends_with_its_parent_however_that_ended(
    tiny_file: Callable[[tiny_gguf.Family], Path], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", ORPHANS, str(tiny_file(tiny_gguf.CHATML)), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as parent:
        assert parent.stdout
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_this_process_loads_neither_llama_cpp_nor_weights(
    tiny_file: Callable[[tiny_gguf.Family], Path], tmp_path: Path
) -> None:
    program = (
        "import sys; from pathlib import Path; from memapp.inference.child_model import ChildModel;"
        f"model = ChildModel(Path({str(tiny_file(tiny_gguf.CHATML))!r}), "
        f"Path({str(tmp_path)!r})); model.count_tokens('hello');"
        "print([name for name in sys.modules if name.startswith('llama_cpp') or name == "
        "'memapp.inference.native'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "[]", done.stderr
