"""What a message asks of the memory is read in whatever phrasing, and nothing that only speaks of remembering is."""

import json
from pathlib import Path

import pytest

from benchmarks.requests import alike
from memapp.domain.memory_request import MemoryRequest
from memapp.language.english import memory_request
from memapp.language.english.memory_request import chosen_in
from tests.builders import Reader

MADE_UP = Path(__file__).parents[3] / "benchmarks" / "made_up" / "requests"
LEAST_READ = 58 / 60


def read_request(text: str) -> MemoryRequest | None:
    """Read a message as a turn does, by its wording and its likeness."""
    return memory_request.read_request(text) or memory_request.by_likeness(text, Reader().embed([text])[0])


def requests(name: str, *, are_some: bool) -> list[dict[str, str]]:
    lines = (MADE_UP / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [one for one in map(json.loads, lines) if (one["i"] != "none") == are_some]


def is_read(one: dict[str, str]) -> bool:
    found = read_request(one["t"])
    return found is not None and (found.kind, _bare(found.content)) == (one["i"], _bare(one["c"]))


def _bare(text: str) -> str:
    return text.strip(" .,!?").casefold()


def test_the_requests_kept_for_the_test_are_all_read() -> None:
    assert [one["t"] for one in requests("test", are_some=True) if not is_read(one)] == []


@pytest.mark.parametrize("kind", ["remember", "forget", "off", "wrong", "know", "since"])
def test_nearly_all_of_each_kind_are_read(kind: str) -> None:
    of_kind = [one for one in requests("dev", are_some=True) if one["i"] == kind]
    assert sum(map(is_read, of_kind)) / len(of_kind) >= LEAST_READ


@pytest.mark.parametrize("name", ["dev", "test"])
def test_no_look_alike_is_taken_for_a_request(name: str) -> None:
    assert [one["t"] for one in requests(name, are_some=False) if read_request(one["t"])] == []


def test_most_that_nobody_had_seen_are_known_for_what_they_are_and_hardly_anything_else_is() -> None:
    found = [(one, read_request(one["t"])) for one in map(json.loads, (MADE_UP / "held.jsonl").read_text("utf-8").splitlines())]
    right = [read is not None and alike(read.kind, one["i"], one["c"]) for one, read in found if one["i"] != "none"]
    taken = [read is not None for one, read in found if one["i"] == "none"]
    assert sum(right) / len(right) >= 0.7
    assert sum(taken) / len(taken) <= 0.04


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("I'd rather you no longer knew about the piano", "forget", "the piano"),
        ("please don't hold the piano in memory any longer", "forget", "the piano"),
        ("no wait, bring it back", "undo", ""),
        ("can you remind me what I told you about Jonas?", "know", "Jonas"),
    ],
)
def test_what_has_no_plain_form_is_known_by_its_likeness_and_is_not_sure(text: str, kind: str, content: str) -> None:
    found = read_request(text)
    assert memory_request.read_request(text) is None
    assert found is not None
    assert (found.kind, found.content, found.is_sure) == (kind, content, False)


@pytest.mark.parametrize(
    ("text", "kind", "content", "is_all"),
    [
        ("I hate olives, remember that. ideas for dinner?", "remember", "I hate olives", False),
        ("Off the record: I can't stand Dana. How do I survive the offsite?", "off", "I can't stand Dana", False),
        ("this stays between us and not in your memory: i applied for a job", "off", "i applied for a job", True),
        ("please forget what i said about the piano", "forget", "the piano", True),
        ("forget everything you know about me", "forget", "everything", True),
        ("remember that", "remember", "", True),
        ("the piano tuner comes at two, dont let me forget", "remember", "the piano tuner comes at two", True),
        ("keep in mind that I'm vegan, what can I bake?", "remember", "I'm vegan", False),
        ("Hi! what do you know about me? Thanks", "know", "", True),
        ("what do you have on the dentist", "know", "the dentist", True),
        ("undo that please", "undo", "", True),
        ("pls dont keep that thing about getting up", "forget", "getting up", True),
        ("why do I sneeze, don't keep that thing about the dog", "forget", "the dog", False),
        ("can u note down that the vet is open till 7", "remember", "the vet is open till 7", True),
    ],
)
def test_a_request_has_its_content_and_says_whether_it_is_all(text: str, kind: str, content: str, is_all: bool) -> None:
    found = read_request(text)
    assert found is not None
    assert (found.kind, found.content, found.is_all) == (kind, content, is_all)


def test_its_own_words_are_told_from_its_content() -> None:
    text = "My locker is number 12 - plese rember that!"
    found = read_request(text)
    assert found is not None
    assert (text[found.start : found.end], found.content) == (" - plese rember that!", "My locker is number 12")


@pytest.mark.parametrize(
    ("text", "teaches"), [("that's wrong, I live in Oslo", True), ("it's not true any more that I row", False)]
)
def test_only_what_is_stated_instead_may_be_learned(text: str, teaches: bool) -> None:
    found = read_request(text)
    assert found is not None
    assert found.teaches is teaches


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", (1,)),
        ("the second one", (2,)),
        ("1 and 3 please", (1, 3)),
        ("forget the last one", (3,)),
        ("all of them", (1, 2, 3)),
        ("none", ()),
        ("never mind", ()),
        ("4", None),
        ("what is 2 + 2?", None),
        ("I have two dogs", None),
    ],
)
def test_a_number_chooses_from_a_list(text: str, numbers: tuple[int, ...] | None) -> None:
    assert chosen_in(text, 3) == numbers
