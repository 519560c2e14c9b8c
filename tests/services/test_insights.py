"""Insights: counted, with evidence, gone with the evidence, and never sensitive."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Origin, Role
from memapp.domain.memory import Kind
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.query import QueryRequest
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, forget, undo
from memapp.services.consent import decisions, requests
from memapp.services.jobs import insights
from memapp.services.recall import (
    RecallRequest,
    answer_query,
    conversation_scope,
    recall,
    unredacted,
)
from memapp.store import changes, chat, memories
from tests.builders import Clock, fact, trust

SUNDAY = datetime(2026, 1, 4, 18, tzinfo=UTC)
RUNS = (
    "I ran along the canal.",
    "My running group met at the mill.",
    "Running in the rain again.",
    "I ran eight kilometres.",
)
OTHERS = (
    "The stove smokes.",
    "I found a coin from Chile.",
    "A parcel came for the baker.",
    "My kettle whistles in tune.",
)


def live_on(runtime: Runtime, on_sundays: Sequence[str], weeks: int = 5) -> None:
    """Let two chats a week pass, of which the one on Sunday is about something."""
    for week in range(weeks):
        for day, said in ((0, on_sundays[week % len(on_sundays)]), (3, OTHERS[week % len(OTHERS)])):
            at = SUNDAY + timedelta(weeks=week, days=day)
            with runtime.write() as session:
                thread = chat.create_thread(session, "A chat", "companion", at)
                chat.add_message(session, thread.id, Role.USER, said, at, origin=Origin.TYPED)
    runtime.clock = Clock(SUNDAY + timedelta(weeks=weeks))


def noticed(runtime: Runtime) -> list[str]:
    list(insights.run(runtime, Cancel(), None))
    return [insight.memory.text for insight in insights.list_insights(runtime)]


@pytest.fixture
def ran(runtime: Runtime) -> insights.Insight:
    live_on(runtime, RUNS)
    noticed(runtime)
    (one,) = insights.list_insights(runtime)
    return one


def test_what_comes_up_regularly_is_counted(runtime: Runtime, ran: insights.Insight) -> None:
    assert ran.memory.text == (
        "“running” came up in 5 of 10 chats from 4 January 2026 to 4 February 2026, "
        "mostly on Sundays."
    )
    assert ran.by == "rules"
    assert ran.evidence == 5
    assert {message.text for message in ran.messages} == set(RUNS)
    assert ran.memory.kind == Kind.INSIGHT
    assert ran.memory.category == "relationship_dynamic"
    assert ran.memory.importance == 2
    assert noticed(runtime) == [ran.memory.text], "and once"


GARDEN = (
    "Der Garten blüht endlich.",
    "Im Garten wuchs Unkraut.",
    "Unser Garten war ganz nass.",
    "Den Garten gieße ich abends.",
)


MET = [f"I {did} with Fenna." for did in ("fenced", "rowed far", "sang a round", "dug")]
NEEDS = ["I really need it today.", "Today was good.", "I think I need it.", "Good to know today."]
CHEMO = ["My chemo was on again.", "Chemo makes me tired.", "The chemo nurse is kind."]


@pytest.mark.parametrize(
    ("said", "weeks", "counted"),
    [
        (GARDEN, 5, ["“Garten” came up in 4 of 10 chats", ", mostly on Sundays."]),
        ([*MET, "My son wants to see Etna."], 5, ["“Fenna” came up in 4 of 10 chats"]),
        (NEEDS, 10, []),
        (CHEMO, 5, []),
    ],
    ids=["another language", "a name for itself alone", "what any chat says", "sensitive"],
)
def test_what_is_counted_and_what_is_no_topic(
    runtime: Runtime, said: list[str], weeks: int, counted: list[str]
) -> None:
    live_on(runtime, said, weeks)
    found = noticed(runtime)
    assert len(found) == bool(counted)
    assert all(part in found[0] for part in counted)


def test_the_chat_reads_it_below_what_was_stated(runtime: Runtime, ran: insights.Insight) -> None:
    stated = curate.add(runtime, "I talked about running in five chats.").memory_id

    def seen(agent: str) -> list[str]:
        capability = runtime.categories.capability(agent, runtime.user_id)
        return [
            bullet.id
            for bullet in answer_query(
                runtime, capability, QueryRequest(agent=agent, query="running chats")
            ).memories
        ]

    assert seen("supervisor") == [stated, ran.memory.id]
    assert seen("observer") == [ran.memory.id]
    assert seen("planner") == []
    found = recall(
        runtime,
        RecallRequest(
            "How often do I go running?", kinds=("memory",), scope=conversation_scope(runtime)
        ),
    )
    assert [hit.id for hit in found] == [stated, ran.memory.id]


def test_what_was_denied_is_not_counted_any_more(runtime: Runtime, ran: insights.Insight) -> None:
    denied = requests.propose(
        runtime, "health", "running", message_id=ran.messages[0].id, typed=True
    )
    assert denied is not None
    decisions.deny(runtime, denied.id)
    assert noticed(runtime) == []


@pytest.mark.parametrize("denied", ["Fact 5.", "I was ill in January.", "I rest on Sundays."])
def test_what_was_denied_is_not_found_in_the_dates_and_counts_of_an_insight(
    runtime: Runtime, denied: str
) -> None:
    live_on(runtime, RUNS)
    request = requests.propose(runtime, "fact", denied)
    assert request is not None
    decisions.deny(runtime, request.id)
    (noted,) = noticed(runtime)
    assert noted.startswith("“running” came up in 5 of 10 chats from 4 January 2026")


def test_a_topic_that_was_denied_since_is_not_noticed(runtime: Runtime) -> None:
    live_on(runtime, RUNS)
    request = requests.propose(runtime, "fact", "I took up running.")
    assert request is not None
    decisions.deny(runtime, request.id)
    assert noticed(runtime) == []


def test_one_that_was_dismissed_is_not_made_again_and_one_that_is_kept_is_a_memory_of_ones_own(
    runtime: Runtime, ran: insights.Insight
) -> None:
    kept = curate.get(runtime, insights.keep_as_memory(runtime, ran.memory.id))
    assert kept.kind == Kind.SEMANTIC
    assert kept.origin == "person"
    assert kept.text == ran.memory.text
    assert kept.category == "notes"
    assert noticed(runtime) == []
    with pytest.raises(UsageError):
        insights.keep_as_memory(runtime, kept.id)
    undo.undo_last(runtime)
    assert noticed(runtime) == [ran.memory.text]
    curate.discard(runtime, ran.memory.id)
    assert noticed(runtime) == []
    assert len(unredacted(runtime, ran.messages)) == 5, "what was said may still be told"


def test_it_goes_with_any_of_its_evidence_and_comes_back_with_it(runtime: Runtime) -> None:
    known = [
        fact(text, SUNDAY)
        for text in ("User runs.", "User owns a stopwatch.", "User keeps a diary of races.")
    ]
    insight = fact(
        "User takes running seriously.",
        SUNDAY,
        kind=Kind.INSIGHT,
        category="relationship_dynamic",
        origin="reflected",
    )
    with runtime.write() as session:
        for memory in known:
            changes.apply(session, Created(memory), Actor("rules"))
        changes.apply(
            session, Created(insight, tuple(memory.id for memory in known[:2])), Actor("model:wise")
        )

    def texts() -> list[str]:
        return [insight.memory.text for insight in insights.list_insights(runtime)]

    assert [len(insight.memories) for insight in insights.list_insights(runtime)] == [2]
    curate.discard(runtime, known[2].id)
    assert texts() == [insight.text], "it does not rest on that"
    step = curate.discard(runtime, known[1].id).step
    assert texts() == []
    undo.undo(runtime, step)
    assert texts() == [insight.text] and insights.list_insights(runtime)[0].evidence == 2
    curate.edit(runtime, known[0].id, "I gave up running.")
    assert texts() == [], "that is not what it was made of"
    curate.discard(runtime, known[1].id)
    forget.purge(runtime, [known[1].id])
    assert memories.get_memories(runtime.read(), [insight.id]) == []


def concluding(*found: dict[str, Any]) -> Any:
    def script(prompt: Prompt, sampling: Sampling) -> str | None:
        return (
            json.dumps({"insights": list(found)})
            if sampling.schema and "insights" in str(sampling.schema)
            else None
        )

    return script


GOOD = {"summary": "User takes to bookbinding and found coins.", "evidence": [1, 2]}


def test_a_trusted_model_concludes_what_is_grounded(runtime: Runtime, model: ScriptedModel) -> None:
    live_on(runtime, OTHERS, weeks=3)
    curate.add(runtime, "I started a course in bookbinding.")
    model.script = concluding(
        GOOD,
        {**GOOD, "summary": "User takes to bookbinding.", "evidence": [1, 99]},
        {**GOOD, "summary": "User takes to bookbinding as Harriet does."},
    )
    assert noticed(runtime) == [], "nobody tested it"
    trust(runtime, "insights")
    assert noticed(runtime) == [GOOD["summary"]]
    (one,) = insights.list_insights(runtime)
    assert (one.by, one.evidence, len(one.memories)) == (f"model:{model.name}", 2, 1)
    assert noticed(runtime) == [GOOD["summary"]], "and once"


def test_a_conclusion_that_is_known_is_left_out(runtime: Runtime, model: ScriptedModel) -> None:
    trust(runtime, "insights")
    live_on(runtime, OTHERS, weeks=3)
    curate.add(runtime, "I started a course in bookbinding.")
    curate.add(runtime, str(GOOD["summary"]))
    model.script = concluding(GOOD)
    assert GOOD["summary"] not in noticed(runtime)


def test_a_run_that_is_stopped_makes_nothing_and_the_next_one_does(runtime: Runtime) -> None:
    live_on(runtime, RUNS)
    stopped = Cancel()
    stopped.set()
    assert list(insights.run(runtime, stopped, None)) == []
    assert insights.list_insights(runtime) == []
    assert len(noticed(runtime)) == 1
