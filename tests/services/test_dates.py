"""Dates in what is learned: the message's day is the evidence, and another day makes another fact."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memapp.domain.turn import Accepted, Completed, Retracted
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.consent import pending
from memapp.services.turn import resend_turn
from memapp.store import chat
from tests.builders import Clock, learn, make_runtime, new_chat, only, say

MONDAY = datetime(2026, 11, 23, 8, 15, tzinfo=UTC)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path, ScriptedModel(parameters=135_000_000), speculate=False)
    opened.clock = Clock(MONDAY)
    yield opened
    opened.database.close()


def tell(runtime: Runtime, *texts: str, thread: str = "") -> None:
    thread = thread or new_chat(runtime)
    for text in texts:
        say(runtime, thread, text)
        learn(runtime, thread)


def live(runtime: Runtime) -> list[str]:
    return sorted(memory.text for memory in curate.list_memories(runtime) if not memory.is_reflected)


def test_a_fact_gains_the_date_that_its_words_mean_on_the_day_they_were_said(runtime: Runtime) -> None:
    tell(runtime, "I have a driving test next friday", "I start a new job at the museum next month", "I swim on fridays")
    assert live(runtime) == [
        "User has a driving test on Friday 4 December 2026.",
        "User starts a new job at the museum in December 2026.",
        "User swims on fridays.",
    ]


def test_what_is_asked_to_be_remembered_gains_its_date(runtime: Runtime) -> None:
    tell(runtime, "remember that my exam is next tuesday")
    assert live(runtime) == ["User's exam is on Tuesday 1 December 2026."]


def test_what_waits_for_a_yes_gains_its_date(runtime: Runtime) -> None:
    tell(runtime, "I have surgery on my knee next thursday")
    (waits,) = pending.list_pending(runtime)
    memory = pending.brought_by(runtime.read(), waits)
    assert memory is not None
    assert memory.text == "User has surgery on User's knee on Thursday 3 December 2026."


def test_the_same_words_in_another_week_are_another_fact_and_the_same_day_is_not(runtime: Runtime) -> None:
    tell(runtime, "I have a driving test on friday", "I have a driving test this friday")
    runtime.clock = Clock(MONDAY + timedelta(7))
    tell(runtime, "I have a driving test on friday")
    assert live(runtime) == [
        "User has a driving test on Friday 27 November 2026.",
        "User has a driving test on Friday 4 December 2026.",
    ]


@pytest.mark.parametrize(
    ("said", "corrected", "known"),
    [
        ("my exam is on friday", "no, it's on Wednesday", "User's exam is on Wednesday 25 November 2026."),
        ("my exam is next friday", "no, it's on Wednesday", "User's exam is on Wednesday 2 December 2026."),
        ("my exam is next friday", "no, it's tomorrow", "User's exam is on Tuesday 24 November 2026."),
        ("I have a driving test on friday", "no, it's next tuesday", "User has a driving test on Tuesday 1 December 2026."),
        ("I'm flying to Lisbon on the 14th", "no, the 15th", "User is flying to Lisbon on Tuesday 15 December 2026."),
        ("I have two concerts next tuesday", "no, three", "User has three concerts on Tuesday 1 December 2026."),
    ],
)
def test_a_corrected_day_takes_the_place_of_the_whole_date(runtime: Runtime, said: str, corrected: str, known: str) -> None:
    tell(runtime, said, corrected)
    assert live(runtime) == [known]


def test_a_year_that_is_over_is_no_count(runtime: Runtime) -> None:
    tell(runtime, "I walk about six kilometres a day.", "well that was last year")
    assert not [one for one in live(runtime) if "2025" in one]


def test_a_dated_fact_stays_as_long_as_a_message_of_its_day_says_it(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    tell(runtime, "I have a driving test next friday", thread=thread)
    message = chat.list_messages(runtime.read(), thread)[0]
    happened = list(resend_turn(runtime, message.id, "Help! I have a driving test next friday"))
    assert not [one for one in happened if isinstance(one, Retracted)]
    learn(runtime, thread)
    happened = list(resend_turn(runtime, only(Accepted, happened).message.id, "I have a driving test next thursday"))
    assert only(Retracted, happened).texts == ("User has a driving test on Friday 4 December 2026.",)


@pytest.mark.parametrize("question", ["when is my driving test?", "what day is my driving test", "when do I have the test?"])
def test_when_it_is_is_answered_with_the_date(runtime: Runtime, question: str) -> None:
    tell(runtime, "I have a driving test next friday")
    reply = only(Completed, say(runtime, new_chat(runtime), question)).reply
    assert "Friday 4 December 2026" in reply.text


def test_a_time_in_a_question_is_seen_from_the_day_of_the_question(runtime: Runtime) -> None:
    tell(runtime, "I have a driving test next friday", "I want to learn Italian next year")
    runtime.clock = Clock(MONDAY + timedelta(10))
    assert "driving test" in only(Completed, say(runtime, new_chat(runtime), "what do I have tomorrow?")).reply.text
    assert "learn Italian" in only(Completed, say(runtime, new_chat(runtime), "what are my plans for next year?")).reply.text


def test_a_quote_that_answers_when_says_which_day_it_means(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "pff, the plumber comes next friday")
    runtime.clock = Clock(MONDAY + timedelta(4))
    reply = only(Completed, say(runtime, new_chat(runtime), "when does the plumber come?")).reply
    assert reply.text == 'You told me on 23 November: "pff, the plumber comes next friday" (Friday 4 December 2026)'
