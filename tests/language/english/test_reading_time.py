"""Reading a message takes time in proportion to its length, whatever odd text it is."""

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time

import pytest

from memapp.language.english import memory_question
from memapp.language.english.asked_sentence import checks
from memapp.language.english.authorship import TYPED_CHARS
from memapp.language.english.beyond import read_beyond
from memapp.language.english.memory_request import read_request
from memapp.language.english.profile import stated
from memapp.language.english.profile_hints import unknown_in
from memapp.language.english.statements import read as read_statements
from memapp.prompts.quotes import asks_about_person

FOUR_TIMES = 8.0
"""Four times the text may take so many times as long; where every place is compared with every other, it takes sixteen times."""
ODD = [
    ("see below", "\n", "x"),
    ("hi", "\n ", "x"),
    ("hi", "now\n", "x"),
    ("", "> a\n", "x"),
    ("", "a:\n", "x"),
    ("I love ", ",", ""),
    ("I love ", ", ", ""),
    ("I love ", "a", ""),
    ("I love ", "-", ""),
    ("I love ", "a, b and ", "c"),
    ("I like ", "and ", "tea"),
    ("", "a. ", "x"),
    ("", "'a ", "x"),
    ("", '"', "x"),
    ("", "`", "x"),
    ("", "«", "x"),
    ("", "www.", "x"),
    ("my email is ", "a.", "x"),
    ("my number is ", "1 ", "x"),
    ("I live in ", "a town in ", "x"),
    ("", "I am ", "x"),
    ("", "I'm Bob and ", "x"),
    ("", "my goal is to ", "x"),
    ("User ", "really ", "X"),
    ("I am ", "an ", "x"),
    ("", "wait, ", "."),
    ("", "and so but ", "x"),
    ("", "no ", "x"),
    ("", "so ", "x"),
    ("is it true that ", "so ", "x"),
    ("", "...", "x"),
    ("when is ", "the ", "?"),
]
READERS = [
    stated,
    read_statements,
    partial(unknown_in, profile={}),
    memory_question.read,
    checks,
    read_request,
    read_beyond,
    asks_about_person,
]


@pytest.mark.slow
@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("opening", "run", "end"), ODD)
def test_four_times_the_text_takes_no_more_than_some_times_as_long(
    read: Callable[[str], object], opening: str, run: str, end: str
) -> None:
    short, long = (f"{opening}{run * (chars // len(run))}"[: chars - 1] + end for chars in (TYPED_CHARS // 4, TYPED_CHARS))
    read(short)  # compiles what is compiled once
    most = FOUR_TIMES * (min(_times(read, short)) + 0.005)  # below that the clock says little
    assert any(seconds < most for seconds in _times(read, long))


def test_a_list_of_forty_things_is_read_at_once() -> None:
    assert not asks_about_person("milk, eggs, " * 20 + "and tea."), "that took longer than anybody waits"


def _times(read: Callable[[str], object], text: str) -> Iterator[float]:
    """Yield how long each of some runs takes, of which the shortest counts: others compute at the same time."""
    for _ in range(3):
        begun = process_time()
        read(text)
        yield process_time() - begun
