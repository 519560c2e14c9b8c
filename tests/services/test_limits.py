"""Allergies and diets: their place in a prompt, and the notice below a reply that forgets one."""

from pathlib import Path

import pytest

from memapp.domain.turn_events import Completed, Found, Streamed
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.consent import decisions
from memapp.services.recall import retrieve, without_reminder
from memapp.store import chat, consents
from tests.builders import learn, make_runtime, new_chat, only, say

ALLERGIC = "i'm allergic to walnuts"
TOLD = "\n\nYou told me today: “i'm allergic to walnuts”."


def limits(runtime: Runtime, text: str, *needed: str) -> list[str]:
    return [hit.text for hit in retrieve(runtime, new_chat(runtime), text, needed, []).limits]


def reply_to(runtime: Runtime, model: ScriptedModel, text: str, reply: str) -> str:
    model.enqueue(reply)
    said: str = only(Completed, say(runtime, new_chat(runtime), text)).reply.text
    return said


def test_limits_come_with_what_asks_for_something_not_for_the_person(runtime: Runtime) -> None:
    curate.add(runtime, ALLERGIC)
    curate.add(runtime, "My sister Ilse is a potter.")
    for asked in ("Recommend a cake for Sunday.", "What could we bake on Sunday?"):
        assert limits(runtime, asked, "diet") == [ALLERGIC], asked
    assert limits(runtime, "I slept badly again.", "sleep") == [], "somebody only tells something"
    assert limits(runtime, "Why is the sky blue?") == [], "call 1 says that nothing is needed"
    assert limits(runtime, "What am I allergic to?", "allergies") == []


def test_a_question_that_points_back_at_food_gets_the_limits(runtime: Runtime) -> None:
    curate.add(runtime, ALLERGIC)
    thread = new_chat(runtime)
    say(runtime, thread, "What goes into a good cake?")
    before = chat.list_messages(runtime.read(), thread)
    assert [
        hit.text for hit in retrieve(runtime, thread, "Is that ok for me?", (), before).limits
    ] == [ALLERGIC]
    assert not retrieve(runtime, thread, "Convert 350 Fahrenheit.", (), before).limits


def test_a_limit_is_told_after_message_and_answer(runtime: Runtime, model: ScriptedModel) -> None:
    curate.add(runtime, ALLERGIC)
    model.enqueue("A lemon cake!", needed_info=["diet"])
    happened = say(runtime, new_chat(runtime), "Recommend a cake for Sunday.")
    assert model.seen[-1].suffix == f'[mind: "{ALLERGIC}"]'
    assert [hit.text for hit in only(Found, happened).hits] == [ALLERGIC]
    assert only(Completed, happened).reply.text == "A lemon cake!"


def test_below_a_reply_that_names_what_is_forbidden_stands_what_was_told(
    runtime: Runtime, model: ScriptedModel
) -> None:
    added = curate.add(runtime, ALLERGIC)
    thread = new_chat(runtime)
    model.enqueue("A carrot cake with walnuts.", needed_info=[])
    happened = say(runtime, thread, "Which cake goes with coffee?")
    reply = only(Completed, happened).reply
    assert reply.text == f"A carrot cake with walnuts.{TOLD}"
    assert "".join(event.text for event in happened if isinstance(event, Streamed)) == reply.text
    assert [hit.id for hit in chats.trace(runtime, reply).hits] == [added.memory_id]
    say(runtime, thread, "And how long does it take?")
    shown = [turn.content for turn in model.seen[-1].turns]
    assert "A carrot cake with walnuts." in shown
    assert TOLD not in str(shown), "the model never said that"


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Which cake goes with coffee?", "A carrot cake without walnuts."),
        ("Which cake goes with coffee?", "You are allergic to walnuts, so take a lemon cake."),
        ("My sister baked her walnut bread today.", "Walnut bread, how lovely of her!"),
    ],
)
def test_a_reply_that_heeds_a_limit_or_only_speaks_of_what_was_told_stands_alone(
    runtime: Runtime, model: ScriptedModel, message: str, reply: str
) -> None:
    curate.add(runtime, ALLERGIC)
    assert reply_to(runtime, model, message, reply) == reply


def test_what_only_waits_for_a_yes_or_was_denied_is_never_named_so(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, model := ScriptedModel())
    thread = new_chat(runtime)
    say(runtime, thread, "I'm severely allergic to walnuts, I was in hospital with it last year.")
    learn(runtime, thread)
    (waiting,) = consents.list_pending(runtime.read())
    asked, reply = "Which cake goes with coffee?", "A carrot cake with walnuts."
    assert reply_to(runtime, model, asked, reply) == reply
    assert limits(runtime, "Recommend a cake for Sunday.", "diet") == []
    decisions.deny(runtime, waiting.id)
    assert reply_to(runtime, model, asked, reply) == reply
    runtime.close()


def test_a_reminder_is_cut_and_nothing_else() -> None:
    assert without_reminder(f"A cake.{TOLD}") == "A cake."
    assert without_reminder("You told me today: “I like tea”") == "You told me today: “I like tea”"
