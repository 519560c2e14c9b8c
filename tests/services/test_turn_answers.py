"""A yes or no to the app's own question about a consent request."""

from contextlib import closing
from pathlib import Path

import pytest

from memapp.domain.chat import BY_MEMAPP
from memapp.domain.turn_events import Accepted, Asked, Completed, Failed, RevertedAnswers
from memapp.errors import UsageError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget
from memapp.services.consent import decisions, pending
from memapp.services.turn import resend_turn, retry_turn
from tests.builders import chat_of, learn, make_runtime, new_chat, only, say


def known(runtime: Runtime) -> list[str]:
    return [memory.text for memory in curate.list_memories(runtime)]


@pytest.mark.parametrize(("answer", "known"), [("yes", {"city": ("Oslo",)}), ("no", {})])
def test_it_is_answered_by_the_app_in_its_own_words(
    runtime: Runtime, model: ScriptedModel, answer: str, known: dict[str, tuple[str]]
) -> None:
    thread = new_chat(runtime)
    only(Asked, say(runtime, thread, "I live in Oslo."))
    calls = len(model.seen)
    reply = only(Completed, say(runtime, thread, answer)).reply
    assert decisions.profile(runtime) == known
    assert (reply.model, len(model.seen)) == (BY_MEMAPP, calls)
    with pytest.raises(UsageError):
        list(retry_turn(runtime, reply.id))


@pytest.mark.parametrize(
    "answers",
    [
        ("yes", "no", "yes"),
        ("no", "yes", "yes, please"),
        ("yes", "What a day.", "no"),
        ("no, I live in Bergen", "yes"),
    ],
)
def test_an_answer_that_is_edited_is_read_anew(runtime: Runtime, answers: tuple[str, ...]) -> None:
    thread = new_chat(runtime)
    only(Asked, say(runtime, thread, "I live in Oslo."))
    happened = say(runtime, thread, answers[0])
    for answer in answers[1:]:
        happened = list(resend_turn(runtime, only(Accepted, happened).message.id, answer))
        yes = answer.startswith("yes")
        assert (decisions.profile(runtime), known(runtime)) == (
            ({"city": ("Oslo",)}, ["I live in Oslo."]) if yes else ({}, [])
        )
        assert [request.new_value for request in pending.list_pending(runtime)] == (
            ["Oslo"] if answer == "What a day." else []
        )
        assert (only(Completed, happened).reply.model == BY_MEMAPP) is (answer != "What a day.")


@pytest.mark.parametrize("is_pinned", [True, False])
def test_an_edited_answer_leaves_what_was_changed_since(runtime: Runtime, is_pinned: bool) -> None:
    thread = new_chat(runtime)
    only(Asked, say(runtime, thread, "I live in Oslo."))
    message = only(Accepted, say(runtime, thread, "yes")).message
    if is_pinned:
        curate.pin(runtime, *(memory.id for memory in curate.list_memories(runtime)))
    else:
        decisions.set_field(runtime, "city", "Bergen")
    before = (decisions.profile(runtime), known(runtime))
    edited = list(resend_turn(runtime, message.id, "no"))
    assert only(RevertedAnswers, edited) == RevertedAnswers((), ("Approved Home “Oslo”",))
    assert (
        only(Accepted, edited).message.text == chats.page(runtime, thread).messages[-2].text == "no"
    )
    assert (decisions.profile(runtime), known(runtime)) == before
    assert pending.list_pending(runtime) == []


def test_answers_leave_with_the_words_that_they_were_about(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    first = only(Accepted, say(runtime, thread, "I live in Oslo.")).message
    for answer in ("no, I live in Bergen", "yes"):
        say(runtime, thread, answer)
    assert decisions.profile(runtime) == {"city": ("Bergen",)}
    assert known(runtime) == ["no, I live in Bergen"]
    edited = list(resend_turn(runtime, first.id, "I have a dog."))
    assert only(RevertedAnswers, edited) == RevertedAnswers(
        ("Approved Home “Bergen”", "Denied Home “Oslo”"), ()
    )
    assert decisions.profile(runtime) == {}
    assert known(runtime) == []
    assert pending.list_pending(runtime) == []


def test_an_edited_answer_keeps_what_it_decided_where_words_are_erased(runtime: Runtime) -> None:
    for words in ("I live in Oslo with Kari.", "I live in Bergen."):
        thread = new_chat(runtime)
        only(Asked, say(runtime, thread, words))
        message = only(Accepted, say(runtime, thread, "yes")).message
    forget.forget_everywhere(runtime, "Kari")
    assert only(RevertedAnswers, resend_turn(runtime, message.id, "no")) == RevertedAnswers(
        (), ("Changed Home",)
    )
    assert decisions.profile(runtime) == {"city": ("Bergen",)}
    assert known(runtime) == ["I live in Bergen."]


def test_what_is_said_in_other_words_is_asked_about_in_place_of_the_first(runtime: Runtime) -> None:
    happened = say(runtime, new_chat(runtime), "I live in Bergn.")
    edited = list(resend_turn(runtime, only(Accepted, happened).message.id, "I live in Bergen."))
    assert only(Asked, edited).question.text == only(Asked, happened).question.text.replace(
        "Bergn", "Bergen"
    )


def test_it_stands_below_a_retried_answer_and_hears(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    happened = say(runtime, thread, "I live in Oslo.")
    question = only(Asked, happened).question
    model.enqueue("Oslo is a fine town.")
    retried = list(retry_turn(runtime, only(Completed, happened).reply.id))
    shown = chats.page(runtime, thread).messages
    actual = [message.text for message in shown]
    assert actual == ["I live in Oslo.", "Oslo is a fine town.", question.text]
    assert only(Asked, retried).question == shown[-1]
    say(runtime, thread, "yes")
    assert decisions.profile(runtime) == {"city": ("Oslo",)}


def test_a_retried_answer_with_no_question_has_none(runtime: Runtime, model: ScriptedModel) -> None:
    happened = say(runtime, new_chat(runtime), "What should I cook tonight?")
    assert not [
        event
        for event in retry_turn(runtime, only(Completed, happened).reply.id)
        if isinstance(event, Asked)
    ]


def test_the_question_follows_the_first_answer(runtime: Runtime, model: ScriptedModel) -> None:
    model.misbehave("crash")
    failed = only(Failed, say(runtime, new_chat(runtime), "I live in Oslo."))
    asked = only(Asked, retry_turn(runtime, failed.reply.id))
    assert "your city: Oslo" in asked.question.text


def test_no_model_reads_what_the_app_asked_or_heard(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    question = only(Asked, say(runtime, thread, "I live in Oslo.")).question
    say(runtime, thread, "yes")
    say(runtime, thread, "What should I cook tonight?")
    read = "\n".join(turn.content for turn in model.seen[-1].turns)
    assert "I live in Oslo." in read
    assert question.text not in read
    assert "yes" not in read.splitlines()
    assert "Noted." not in read


def test_anything_else_is_answered_and_it_waits(runtime: Runtime, model: ScriptedModel) -> None:
    thread = chat_of(runtime, "I live in Oslo.")
    calls = len(model.seen)
    say(runtime, thread, "What should I cook tonight?")
    assert len(model.seen) > calls
    assert pending.count_pending(runtime) == 1


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("answer", ["yes", "No."])
def test_a_yes_beside_what_was_only_shown_as_pending_reaches_no_model(
    tmp_path: Path, answer: str, *, asks: bool
) -> None:
    model = ScriptedModel(lambda *_: "I hear you." if len(model.seen) % 2 else "All right.")
    with closing(make_runtime(tmp_path, model, ask_in_chat=asks)) as runtime:
        thread = chat_of(runtime, "I live in Oslo.")
        if asks:
            say(runtime, thread, "yes")  # from here on memapp does not ask for some turns
        say(runtime, thread, "I have asthma.")
        learn(runtime, thread)
        calls = len(model.seen)
        happened = say(runtime, thread, answer)
        reply = only(Completed, happened).reply
        assert (reply.model, len(model.seen)) == (BY_MEMAPP, calls)
        assert "waits" in reply.text
        assert [event.question.text for event in happened if isinstance(event, Asked)] == (
            ["Shall I remember “I have asthma.”? (yes / no)"] if asks else []
        )
        assert "I have asthma." in [request.new_value for request in pending.list_pending(runtime)]


@pytest.mark.parametrize("answer", ["No, I live in Bergen", "No! I live in Bergen."])
def test_a_no_with_another_value_asks_about_that_instead(runtime: Runtime, answer: str) -> None:
    thread = new_chat(runtime)
    only(Asked, say(runtime, thread, "I live in Oslo."))
    asked = only(Asked, say(runtime, thread, answer))
    assert [(request.field, request.new_value) for request in pending.list_pending(runtime)] == [
        ("city", "Bergen")
    ]
    assert asked.question.text == "Shall I remember your city: Bergen? (yes / no)"
    assert decisions.profile(runtime) == {}
    say(runtime, thread, "yes")
    assert decisions.profile(runtime) == {"city": ("Bergen",)}


def test_after_a_plain_no_nothing_else_is_asked(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    only(Asked, say(runtime, thread, "I live in Oslo. I have asthma."))
    assert Asked not in {type(event) for event in say(runtime, thread, "no")}
