"""The past, told from history: until when and since when, with the days, and only what may be told."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memapp.domain.chat import FROM_MEMORY
from memapp.domain.consent import CONFLICT
from memapp.domain.turn import Completed
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.consent import decisions, pending
from tests.builders import Clock, learn, make_runtime, new_chat, only, say


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path, ScriptedModel(parameters=135_000_000), speculate=False)
    yield opened
    opened.database.close()


def tell(runtime: Runtime, month: int, *texts: str, says_yes: bool = True) -> None:
    """Say something on the third of a month, each message learned from before the next, and answer what it asks about."""
    runtime.clock = Clock(datetime(2026, month, 3, 9, tzinfo=UTC))
    thread = new_chat(runtime)
    for text in texts:
        say(runtime, thread, text)
        learn(runtime, thread)
        for one in pending.list_pending(runtime):
            (decisions.approve if says_yes else decisions.deny)(runtime, one.id)
        learn(runtime, thread)


def own(runtime: Runtime, question: str) -> str:
    """Return what memapp answers by itself; empty where the model answered."""
    reply = only(Completed, say(runtime, new_chat(runtime), question)).reply
    return reply.text if reply.model == FROM_MEMORY else ""


def live(runtime: Runtime) -> list[str]:
    return sorted(one.text for one in curate.list_memories(runtime) if not one.is_reflected)


def test_what_was_so_is_told_with_its_days_and_what_is_so_with_the_day_it_was_told(runtime: Runtime) -> None:
    tell(runtime, 3, "I live in Ghent.", "I work at the harbour as a crane operator.", "My cat is called Minou.")
    tell(runtime, 5, "I moved to Bruges.", "I left the harbour.", "I've been learning the cello since last winter.")
    tell(runtime, 5, "My mom has a new garden.")
    runtime.clock = Clock(datetime(2026, 6, 9, 9, tzinfo=UTC))
    home = "Until 3 May: You live in Ghent (told on 3 March). Since then: You live in Bruges."
    work = "Until 3 May: You work at the harbour as a crane operator (told on 3 March)."
    for question, answer in {
        "where did I live before?": home,
        "where did i use to live": home,
        "how long did I live in Ghent?": home.replace("live in Bruges", "moved to Bruges"),
        "where did I use to work?": work,
        "what was my job before?": work,
        "since when do I work as a crane operator?": work,
        "when did I tell you that I work at the harbour?": work,
        "when did I move to Bruges?": 'You moved to Bruges. You told me on 3 May: "I moved to Bruges."',
        "how is my mom?": 'You told me on 3 May: "My mom has a new garden."',
        "how long have I been learning the cello?": "You have been learning the cello since winter 2025/26. "
        'You told me on 3 May: "I\'ve been learning the cello since last winter."',
    }.items():
        assert own(runtime, question) == answer, question
    for question in ("what was my cat called before?", "when did I live in Oslo?", "where did my sister live before?"):
        assert "Until" not in own(runtime, question), question


def test_nothing_that_waits_was_denied_or_forgotten_is_told_as_what_was_before(runtime: Runtime) -> None:
    tell(runtime, 3, "I live in Oslo.", says_yes=False)
    tell(runtime, 4, "I live in Ghent.", "I play tennis every Monday.")
    tell(runtime, 5, "I live in Bruges now.", "I stopped playing tennis.")
    assert own(runtime, "where did I live before?").startswith("Until today: You live in Ghent")
    assert "tennis" in own(runtime, "what did I play before?")
    say(runtime, new_chat(runtime), "forget that I lived in Ghent")
    decisions.take_away(runtime, "city")
    assert "Ghent" not in own(runtime, "where did I live before?")
    assert "Oslo" not in own(runtime, "did I live in Oslo once?")


def test_what_describes_a_home_goes_with_it_in_one_step_and_what_may_go_with_it_is_asked(runtime: Runtime) -> None:
    told = "I live in Ghent.", "I live in a flat above a chip shop.", "Our neighbour Bert plays the drums."
    tell(runtime, 3, *told, "I'm moving to Ely next month.")
    before = live(runtime)
    assert "User is moving to Ely in April 2026." in before
    assert decisions.profile(runtime) == {"city": ("Ghent",)}, "a sentence is no town"
    tell(runtime, 4, "I live in Ely now, near the river.")
    assert live(runtime) == ["User lives in Ely, near the river.", "User's neighbour Bert plays the drums."]
    (question,) = pending.list_pending(runtime)
    assert (question.field, question.old_value) == (CONFLICT, "User's neighbour Bert plays the drums.")
    undo.undo_last(runtime)
    assert live(runtime) == before


@pytest.mark.parametrize(
    ("new", "outdated"),
    [
        ("I work as a baker now.", {"User works nights at the hospital.", "User's boss is called Petra."}),
        ("I broke up with my boyfriend.", {"User's boyfriend is a cook."}),
        ("My sister started a new job.", set()),
        ("I have a second job on Sundays.", set()),
    ],
)
def test_what_describes_a_job_or_a_partner_is_asked_about_with_another(runtime: Runtime, new: str, outdated: set[str]) -> None:
    at_work = "I work nights at the hospital.", "My boss is called Petra.", "I work out on Mondays."
    tell(runtime, 3, *at_work, "My boyfriend is a cook.", "My business partner likes tea.")
    runtime.clock = Clock(datetime(2026, 4, 3, 9, tzinfo=UTC))
    say(runtime, new_chat(runtime), new)
    learn(runtime)
    for one in pending.list_pending(runtime):
        if one.field != CONFLICT:
            decisions.approve(runtime, one.id)
    before, questions = set(live(runtime)), [one for one in pending.list_pending(runtime) if one.field == CONFLICT]
    assert {one.old_value for one in questions} == outdated
    for one in questions:
        decisions.approve(runtime, one.id)
        assert set(live(runtime)) == before - {one.old_value}
        undo.undo_last(runtime)
        assert set(live(runtime)) == before
