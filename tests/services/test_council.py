"""Councils over an answer: speakers, record, the person's choice, and kills."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Role
from memapp.domain.council import Round
from memapp.domain.model_jobs import REVIEWS
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn_events import CouncilSat
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.language.history import in_words
from memapp.language.review import BY_RULES, Material, objections
from memapp.runtime import Runtime
from memapp.services import council, global_search, rubric, undo
from memapp.services import trust as services_trust
from memapp.store import changes, chat, checkpoints, leases
from tests.builders import chat_of, fact, make_runtime, new_chat, trust

QUESTION = "Any ideas for a rainy Sunday?"
DRAFT = "As you live in Bruges, a museum there is a good idea. Take an umbrella with you."
REVISED = "As you live in Ghent, a museum there is a good idea. Take an umbrella with you."
OBJECTION = (
    '{"verdict": "flawed", "quote": "Take an umbrella", "objection": "It does not say which one."}'
)


def speak(prompt: Prompt, sampling: Sampling) -> str | None:
    if "You review an answer" in prompt.system:
        return OBJECTION if "the question answered" in prompt.system else '{"verdict": "sound"}'
    if "You correct an answer" in prompt.system:
        return REVISED
    return None if sampling.grammar else DRAFT


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    opened = opening(tmp_path)
    yield opened
    opened.close()


def opening(home: Path) -> Runtime:
    runtime = make_runtime(home, ScriptedModel(speak))
    if not services_trust.list_agents(runtime):
        with runtime.write() as session:
            changes.apply(
                session,
                Created(fact("I live in Ghent.", runtime.clock(), category="notes")),
                Actor("rules"),
            )
    return runtime


def asked(runtime: Runtime) -> str:
    """Ask the question in a new chat; return the message."""
    return chat.list_messages(runtime.read(), chat_of(runtime, QUESTION))[0].id


def hold(runtime: Runtime, message_id: str) -> Round:
    list(council.hold(runtime, message_id, cancel=Cancel()))
    return council.of_messages(runtime, [message_id])[message_id]


def shown(runtime: Runtime, held: Round) -> list[str]:
    return [
        message.text for message in chat.variants(runtime.read(), held.message_id) if message.active
    ]


def test_rules_alone_object_and_the_model_revises(runtime: Runtime) -> None:
    message_id, model = asked(runtime), runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    before = len(model.seen)
    events = list(council.hold(runtime, message_id, cancel=Cancel()))
    sat = [event for event in events if isinstance(event, CouncilSat)]
    assert [item.calls for item in sat] == [1] * len(sat), (
        "known before the first, and the same to the end"
    )
    assert len(model.seen) - before == 1, "only the revision: no model was admitted as a reviewer"
    held = sat[-1].round
    (one,) = held.dissents
    assert one.agent == "reviewer:Consistency"
    assert one.quote == "As you live in Bruges, a museum there is a good idea."
    assert "I live in Ghent." in one.text
    assert one.incorporated
    assert one.impact is None
    assert 0 < one.depth <= 2
    assert held.revision == REVISED and held.draft == DRAFT
    reviewers = [
        agent for agent in services_trust.list_agents(runtime) if agent.name.startswith("reviewer:")
    ]
    assert {reviewer.name for reviewer in reviewers} == {f"reviewer:{name}" for name in BY_RULES}
    assert {(reviewer.rounds, reviewer.primary_role) for reviewer in reviewers} == {(1, "reviewer")}
    assert checkpoints.load(runtime.read(), held.thread_id).council is None
    found = {
        (item.kind, item.id)
        for text in ("live in Ghent", "review of")
        for item in global_search.find(runtime, text)
    }
    assert found >= {("council", message_id), ("agent", "reviewer:Consistency")}


def test_admitted_models_review_apart_by_each_criterion_and_advocate(runtime: Runtime) -> None:
    trust(runtime, *REVIEWS)
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    events = list(council.ask(runtime, new_chat(runtime), QUESTION))
    sat = [event for event in events if isinstance(event, CouncilSat)]
    names = [criterion.name for criterion in rubric.list_criteria(runtime)]
    reviews = [prompt for prompt in model.seen if "You review an answer" in prompt.system]
    assert (
        sat[0].calls
        == 1 + len(names) + 1
        == 1 + len(reviews) + sum("You correct" in prompt.system for prompt in model.seen)
    )
    assert sum("Speak against the answer" in review.system for review in reviews) == 1
    told = [review.turns[-1].content for review in reviews]
    assert not any("objections" in item or "umbrella“" in item for item in told), (
        "nobody hears of the others"
    )
    held = sat[-1].round
    assert {dissent.citations for dissent in held.dissents} == {("Consistency",), ("Completeness",)}
    actual = [dissent.citations[0] for dissent in council.ranked(runtime, held)]
    assert actual == ["Consistency", "Completeness"], "by weight"


def test_the_person_takes_one_of_four_and_one_step_takes_it_back(runtime: Runtime) -> None:
    for choice, text, stands in (
        ("revision", "", [REVISED]),
        ("draft", "", [DRAFT]),
        ("edit", "Stay in bed.", ["Stay in bed."]),
        ("none", "", []),
    ):
        held = hold(runtime, asked(runtime))
        step = council.decide(runtime, held.id, choice, text).step  # type: ignore[arg-type]
        assert shown(runtime, held) == stands
        decided = council.of_messages(runtime, [held.message_id])[held.message_id]
        assert (decided.choice, decided.dissents[0].impact) == (choice, choice != "draft")
        with pytest.raises(UsageError, match="decided this already"):
            council.decide(runtime, held.id, "draft")
        found = undo.undoable_step(runtime, step)
        assert (found and "council" in in_words(found)) or choice == "none"
        undo.undo(runtime, step)
        assert shown(runtime, held) == [DRAFT]
        assert council.of_messages(runtime, [held.message_id])[held.message_id].reverted_at
    overrides = services_trust.list_overrides(runtime, "council")
    assert [(override.kind, override.outcome(runtime.clock())) for override in overrides] == [
        ("choose", "regretted")
    ] * 3
    assert overrides[1].criteria == ("Consistency",), (
        "an override names the criteria of the objections that it took over"
    )


def test_no_model_no_objection_and_no_answer(tmp_path: Path) -> None:
    runtime = opening(tmp_path)
    message_id = asked(runtime)
    runtime.chat.empty()
    held = hold(runtime, message_id)
    assert held.revision == "You told me today: “I live in Ghent.” Take an umbrella with you.", (
        "the rules put it right"
    )
    with runtime.write() as session:
        unanswered = chat.add_message(session, held.thread_id, Role.USER, "Hello?", session.now)
    with pytest.raises(UsageError, match="no answer to review"):
        list(council.hold(runtime, unanswered.id, cancel=Cancel()))
    runtime.close()


def test_a_council_that_was_stopped_goes_on_where_it_was(runtime: Runtime) -> None:
    trust(runtime, *REVIEWS)
    whole = hold(runtime, asked(runtime))
    message_id, model = asked(runtime), runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    before = len(model.seen)
    for _ in range(20):
        watched = council.hold(runtime, message_id, cancel=Cancel())
        next(watched)
        next(watched, None)  # one reviewer has spoken, or the revision is there
        watched.close()
        held = council.of_messages(runtime, [message_id])[message_id]
        if not council.is_open(runtime, held):
            break
    assert len(model.seen) - before == 7, "nobody was asked twice"
    actual = (held.revision, {dissent.text for dissent in held.dissents})
    assert actual == (whole.revision, {dissent.text for dissent in whole.dissents})


KILLED = """
import os, signal, sys
from pathlib import Path
from memapp.domain.model_jobs import REVIEWS
from memapp.inference import Cancel
from memapp.services import council
from tests.builders import trust
from tests.services.test_council import opening
home, message_id, last = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
runtime = opening(home)
trust(runtime, *REVIEWS)
for number, _ in enumerate(council.hold(runtime, message_id, cancel=Cancel())):
    if number == last:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_kill_at_any_step_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = opening(tmp_path)
    trust(runtime, *REVIEWS)
    message_id = asked(runtime)
    steps = sum(
        isinstance(event, CouncilSat)
        for event in council.hold(runtime, message_id, cancel=Cancel())
    )
    for step in range(steps - 1):  # with the last it is over
        message_id = asked(runtime)
        runtime.close()
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path), message_id, str(step)], check=False
        )
        assert killed.returncode == -signal.SIGKILL
        runtime = opening(tmp_path)
        monkeypatch.setattr(leases, "LEASE_SECONDS", 0.0)  # that of the dead one ends by itself
        model = runtime.chat.ready()
        assert isinstance(model, ScriptedModel)
        held = hold(runtime, message_id)
        monkeypatch.undo()
        assert held.revision == REVISED and len(held.dissents) == 2
        assert len(services_trust.record(runtime.read(), "reviewer:Accuracy").name)
        assert len(model.seen) <= 7 - step // 2, "who had spoken was not asked again"
    runtime.close()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("3 x 14 = 44 in all.", "3 x 14 is 42."),
        ("That is 1,200 + 300 / 2 = 1,350.", None),
        ("10 / 3 = 3.33 each.", None),
        ("7 / 0 = 1, they say.", None),
    ],
)
def test_sums_are_done_again(answer: str, found: str | None) -> None:
    assert [
        objection.text for objection in objections(Material("How much is it?", answer, {}))
    ] == ([found] if found else [])


def test_what_waits_unanswered_and_what_was_said_before() -> None:
    two = Material(
        "How long does rice keep, and can I freeze it?", "Rice keeps for a day in a closed box.", {}
    )
    assert [objection.quote for objection in objections(two)] == ["can I freeze it?"]
    again = Material(
        "And now?",
        "Cut the stems under water first.",
        {},
        (),
        ("Cut the stems under water first.",),
    )
    assert [objection.criterion for objection in objections(again)] == ["Brevity"]


def test_hostile_words_of_a_reviewer_are_no_objection() -> None:
    from memapp.prompts import council as prompts

    for text in (
        "",
        "null",
        "[]",
        '{"verdict": "flawed"}',
        json.dumps({"verdict": "flawed", "quote": 3, "objection": None}),
    ):
        assert prompts.parse(text, "Accuracy", "What?", "An answer.") is None
    invented = json.dumps({"verdict": "flawed", "quote": "never said", "objection": "It is wrong."})
    assert prompts.parse(invented, "Accuracy", "What?", "An answer.") is None
