"""The question in the chat: its request, and the effect of a yes."""

import sqlite3
from dataclasses import replace

import pytest

from memapp.domain.chat import Origin, Role
from memapp.domain.consent import FORGOTTEN, ConsentRequest
from memapp.domain.profile import FIELDS
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import undo
from memapp.services.consent import decisions, pending, questions
from memapp.store import chat, consents
from tests.builders import new_chat
from tests.services.consent.builders import later, live, proposed, requested_fact, typed


def brought_in(runtime: Runtime, text: str) -> ConsentRequest:
    return proposed(
        runtime, "city", "Berlin", memory=requested_fact(runtime, text), proposer="import"
    )


def test_a_yes_in_the_chat_never_creates_a_memory_that_an_import_brought(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    imported = brought_in(runtime, "I have HIV.")
    own = proposed(runtime, "city", "Berlin", message_id=typed(runtime, thread).id, typed=True)
    assert own.id != imported.id
    assert own.proposer == "rules"
    assert pending.memory_text(runtime, own.id) == ""
    assert pending.get(runtime, imported.id).state == "withdrawn", "one value is asked about once"
    question = questions.ask(runtime, own.id, thread)
    assert questions.read_answer(runtime, question, typed(runtime, thread, "yes")) is True
    assert (decisions.profile(runtime), live(runtime)) == ({"city": ("Berlin",)}, [])


def test_what_an_import_brought_or_an_undo_reopened_is_not_asked_about(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    message = typed(runtime, thread)
    imported = brought_in(runtime, "I have HIV.")
    with runtime.write() as session:
        consents.add_evidence(session, imported.id, message.id, typed=False)
        chat.add_message(
            session, thread, Role.ASSISTANT, "Hello.", runtime.clock(), origin=Origin.MODEL
        )
    assert questions.ask_about(runtime, message) is None
    with pytest.raises(UsageError, match="chat"):
        questions.ask(runtime, imported.id, thread)
    decisions.deny(runtime, imported.id)
    undo.undo_last(runtime)
    (again,) = pending.list_pending(runtime)
    with pytest.raises(UsageError, match="chat"):
        questions.ask(runtime, again.id, thread)


@pytest.mark.parametrize(
    ("field", "value", "text", "asked"),
    [
        ("city", "Oslo", "I live in Oslo.", "Shall I remember your city: Oslo? (yes / no)"),
        ("preferred_name", "Ana", "hi, my name is Ana",
         "Shall I remember your name: Ana, in the words “hi, my name is Ana”? (yes / no)"),
        (
            *("city", "Oslo", "I live in Oslo and I have HIV."),
            (
                "Shall I remember your city: Oslo, in the words “I live in Oslo and I have HIV.”? "
                "(yes / no)"
            ),
        ),
        ("health", "I have asthma.", "I have asthma.",
         "Shall I remember “I have asthma.”? (yes / no)"),
        ("fact", "j'ai de l'asthme", "j'ai de l'asthme",
         "Shall I remember “j'ai de l'asthme”? (yes / no)"),
        (FORGOTTEN, "I had a cat.", "I had a cat.", "Shall I remember “I had a cat.”? (yes / no)"),
        ("health", "diabetes", "", "Shall I remember your health: diabetes? (yes / no)"),
        ("contact", "ana@x.org", "", "Shall I remember your contact: ana@x.org? (yes / no)"),
    ],
)  # fmt: skip
def test_a_question_shows_the_sentence_that_a_yes_would_keep(
    runtime: Runtime, field: str, value: str, text: str, asked: str
) -> None:
    request = proposed(
        runtime, field, value, memory=requested_fact(runtime, text) if text else None
    )
    assert questions.ask(runtime, request.id, new_chat(runtime)).text == asked


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_has_words_for_its_question(runtime: Runtime, field: str) -> None:
    request = proposed(runtime, field, "this value")
    assert "this value" in questions.ask(runtime, request.id, new_chat(runtime)).text


def test_a_question_about_one_more_value_names_that_and_hears_it_again(runtime: Runtime) -> None:
    decisions.set_field(runtime, "health", "asthma")
    thread = new_chat(runtime)
    question = questions.ask(runtime, proposed(runtime, "health", "diabetes").id, thread)
    assert question.text == "Shall I remember your health: diabetes? (yes / no)"
    assert (
        questions.read_answer(runtime, question, typed(runtime, thread, "Yes, diabetes.")) is True
    )
    assert decisions.profile(runtime) == {"health": ("asthma", "diabetes")}


def test_one_more_value_is_asked_about_however_much_a_field_says(runtime: Runtime) -> None:
    decisions.set_field(runtime, "health", much := "x" * 280)
    message = typed(runtime, new_chat(runtime), "I have gout.")
    proposed(runtime, "health", "gout", message_id=message.id, typed=True)
    with runtime.write() as session:
        said, now = (message.thread_id, Role.ASSISTANT, "Good."), runtime.clock()
        chat.add_message(session, *said, now, origin=Origin.MODEL, reply_to=message.id)
    question = questions.ask_about(runtime, message)
    assert question
    assert (
        questions.read_answer(runtime, question, typed(runtime, message.thread_id, "yes")) is True
    )
    assert decisions.profile(runtime) == {"health": ("gout", much)}


def test_a_yes_after_other_words_is_none_to_the_schema(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    request = proposed(runtime)
    questions.ask(runtime, request.id, thread)
    for words in ("What a day.", "yes"):
        typed(runtime, thread, words)
    with (
        pytest.raises(sqlite3.IntegrityError, match="nobody said yes"),
        runtime.decide() as session,
    ):
        consents.decide(session, request.id, "approved", "chat")


@pytest.mark.parametrize("answer", ["yes, but call it Gent", "What a day."])
def test_a_question_that_was_passed_over_waits_once_told(runtime: Runtime, answer: str) -> None:
    thread = new_chat(runtime)
    request = proposed(runtime, "city", "Ghent")
    question = questions.ask(runtime, request.id, thread)
    assert questions.asked_last(runtime, thread) == request.id
    message = typed(runtime, thread, answer)
    assert questions.read_answer(runtime, question, message) is None
    assert questions.passed_over(runtime, message) == pending.get(runtime, request.id)
    assert questions.asked_last(runtime, thread) == ""
    assert questions.passed_over(runtime, typed(runtime, thread, "yes")) is None, "told once"


def test_a_question_from_a_clock_ahead_hears_its_answer_and_knows(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    later(runtime, days=300)
    question = questions.ask(runtime, proposed(runtime).id, thread)
    later(runtime, days=-300)
    pending.restart_deadlines(runtime)
    assert questions.read_answer(runtime, question, typed(runtime, thread, "yes"))
    answer = questions.answered_by(runtime, question)
    assert answer and answer.step == undo.undo_last(runtime).id
    assert questions.answered_by(runtime, question) is None


@pytest.mark.parametrize(
    "end", ["withdrawn", "withdrawn by a yes in another chat", "applied", "expired"]
)
def test_an_answer_to_a_question_that_is_over_is_known_as_none(runtime: Runtime, end: str) -> None:
    thread, request = new_chat(runtime), proposed(runtime, "city", "Ghent")
    question = questions.ask(runtime, request.id, thread)
    if end == "expired":
        later(runtime, days=8)
    elif "another chat" in end:
        rival, other = proposed(runtime, "city", "Bergen"), new_chat(runtime)
        asked = questions.ask(runtime, rival.id, other)
        assert questions.read_answer(runtime, asked, typed(runtime, other, "yes"))
    else:
        decisions.set_field(runtime, "city", "ghent") if end == "withdrawn" else decisions.approve(
            runtime, request.id
        )
    message = typed(runtime, thread, "Yes, please!")
    assert questions.read_answer(runtime, question, message) is None
    ended = questions.passed_over(runtime, message)
    assert ended is not None
    assert (ended.id, ended.state) == (request.id, end.split()[0])
    assert questions.passed_over(runtime, replace(message, text="What a day.")) is None


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_a_question_that_was_answered_was_not_passed_over(runtime: Runtime, answer: str) -> None:
    thread = new_chat(runtime)
    question = questions.ask(runtime, proposed(runtime).id, thread)
    message = typed(runtime, thread, answer)
    questions.read_answer(runtime, question, message)
    assert questions.passed_over(runtime, message) is None
