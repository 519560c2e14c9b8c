"""Each message is read once in a turn and in the idle time after it, however many questions are put to it."""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.services import chats, upkeep
from tests.builders import make_runtime, say

MESSAGE = (
    "I have a sister called {sister} and she lives in Oslo. I am allergic to nuts. On Sundays I play chess. Do you like chess?"
)
READERS = {
    "own_text",
    "own_words",
    "unwrap",
    "_own_sentences",
    "_statements",
    "_told_in",
    "stated",
    "_left_out",
    "plain",
    "fact_of",
    "read_correction",
}


@pytest.mark.parametrize(("sister", "before"), [("Anna", ()), ("Jeanne", ("My brother Rolf lives in Turin.",))])
def test_no_reader_runs_twice_over_the_same_words(tmp_path: Path, sister: str, before: tuple[str, ...]) -> None:
    message = MESSAGE.format(sister=sister)
    runtime = make_runtime(tmp_path, ScriptedModel())
    thread = chats.new_thread(runtime).id
    for text in before:
        say(runtime, thread, text)
    ran: Counter[tuple[str, str, str]] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name in READERS and "/language/english/" in code.co_filename:
            said = frame.f_locals[code.co_varnames[0]]
            if isinstance(said, str | list | tuple):
                ran[code.co_filename, code.co_name, said if isinstance(said, str) else " ".join(said)] += 1

    sys.setprofile(count)
    try:
        say(runtime, thread, message)
        list(upkeep.work(runtime, thread, Cancel()))
    finally:
        sys.setprofile(None)
    of_message = {key: times for key, times in ran.items() if key[2] in message}
    assert {key: times for key, times in of_message.items() if times > 1} == {}
    assert {"own_text", "unwrap", "stated", "plain"} <= {name for _, name, _ in of_message}
