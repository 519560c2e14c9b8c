"""Recall on a real store, with the scripted embedder: texts that share words are alike."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Origin, Role
from memapp.domain.memory import OwnerKind
from memapp.inference.scripted import ScriptedEmbedder
from memapp.runtime import USER_ID, Runtime
from memapp.services import curate
from memapp.services.recall import RecallRequest, recall
from memapp.services.recall.search import recall_by_spelling, recall_keywords
from memapp.store import changes, chat, memories, vectors
from memapp.store.scope import Scope
from tests.builders import Clock, fact, make_runtime


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    made = make_runtime(tmp_path)
    made.embedding.fill(ScriptedEmbedder())
    yield made
    made.close()


def told(runtime: Runtime, *texts: str) -> list[str]:
    """Store a chat; return the ids of its messages."""
    with runtime.write() as session:
        thread = chat.create_thread(session, "Talk", "companion", runtime.clock())
        return [
            chat.add_message(
                session, thread.id, Role.USER, text, runtime.clock(), origin=Origin.TYPED
            ).id
            for text in texts
        ]


def embed(runtime: Runtime) -> None:
    embedder = runtime.embedding.ready()
    assert embedder is not None
    kinds: tuple[OwnerKind, ...] = ("memory", "message")
    for kind in kinds:
        waiting = vectors.waiting(runtime.read(), kind, embedder.model_id, 100)
        if waiting:
            with runtime.write() as session:
                vectors.save(
                    session,
                    kind,
                    embedder.model_id,
                    waiting,
                    embedder.embed([text for _, text in waiting]),
                )


def texts(runtime: Runtime, text: str, **how: object) -> list[str]:
    return [hit.text for hit in recall(runtime, RecallRequest(text, **how))]  # type: ignore[arg-type]


def test_facts_and_messages_are_found_together_each_with_its_reason(runtime: Runtime) -> None:
    curate.add(runtime, "User is allergic to peanuts.")
    told(runtime, "My sister brought a cake with peanuts.", "What a day.")
    embed(runtime)
    hits = recall(runtime, RecallRequest("Can I eat peanuts?"))
    assert {hit.kind for hit in hits} == {"memory", "message"}
    assert all("words" in hit.why for hit in hits[:2])
    assert "meaning" in hits[0].why
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_message_comes_with_who_said_it_where_and_when(runtime: Runtime) -> None:
    (id,) = told(runtime, "I was born in Ghent.")
    (hit,) = recall(runtime, RecallRequest("Ghent"))
    message = chat.get_message(runtime.read(), id)
    assert hit.id == id
    assert hit.said_by == "user"
    assert hit.thread_id == message.thread_id
    assert hit.at == message.created_at


def test_days_are_those_of_the_person(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now = datetime(2026, 1, 30, 18, tzinfo=UTC)  # ten in the morning there
    told(runtime, "I bought seeds for the garden.")
    runtime.clock.now += timedelta(hours=10)
    (hit,) = recall(runtime, RecallRequest("What did I say today about seeds?"))
    assert "then" in hit.why and f"{hit.at:%B} {hit.at.day}" == "January 30"


def test_what_told_of_a_day_that_is_over_is_found_below_what_holds(runtime: Runtime) -> None:
    now = runtime.clock()
    with runtime.write() as session:
        for text, day in (
            ("My flight to Riga is on monday.", now.date() - timedelta(5)),
            ("I like the flight to Riga.", None),
        ):
            changes.apply(session, Created(fact(text, now, valid_until=day)), Actor("rules"))
    embed(runtime)
    assert texts(runtime, "flight to Riga") == [
        "I like the flight to Riga.",
        "My flight to Riga is on monday. (until 26 Jan)",
    ]


def test_it_works_without_the_embedder(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, embedder=False)
    curate.add(runtime, "User plays the cello.")
    assert texts(runtime, "cello lessons") == ["User plays the cello."]
    runtime.close()


def test_a_broken_embedder_costs_only_the_meaning(runtime: Runtime) -> None:
    curate.add(runtime, "User plays the cello.")
    embed(runtime)
    runtime.embedding.ready().broken = True  # type: ignore[union-attr]
    (hit,) = recall(runtime, RecallRequest("cello"))
    assert "meaning" not in hit.why


def test_what_the_reader_sees_is_left_out_and_weighs_nothing(runtime: Runtime) -> None:
    told(runtime, "I moved to Ghent.")
    (asked,) = told(runtime, "Where did I move to, Ghent?")
    embed(runtime)
    before = texts(runtime, "Where did I move to, Ghent?")
    assert len(before) == 2
    assert texts(runtime, "Where did I move to, Ghent?", without=frozenset([asked])) == [
        "I moved to Ghent."
    ]


def test_one_kind_can_be_asked_for(runtime: Runtime) -> None:
    curate.add(runtime, "User likes oolong.")
    told(runtime, "Oolong again, please.")
    assert texts(runtime, "oolong", kinds=("message",)) == ["Oolong again, please."]


def test_no_more_than_asked_for_come_back(runtime: Runtime) -> None:
    for number in range(20):
        curate.add(runtime, f"User has tea number {number}.")
    assert len(recall(runtime, RecallRequest("tea", top_k=7))) == 7
    assert recall(runtime, RecallRequest("tea", top_k=0)) == []


def test_a_deleted_fact_is_not_recalled_by_words_spelling_or_meaning(runtime: Runtime) -> None:
    revision = curate.add(runtime, "User is vegetarian.")
    embed(runtime)
    assert texts(runtime, "vegetarian") == ["User is vegetarian."]
    (hit,) = recall(runtime, RecallRequest("vegatarian"))
    assert hit.why.startswith("misspelt"), "a slip of the pen finds it too"
    curate.discard(runtime, revision.memory_id)
    for query in ("vegetarian", "vegatarian", "User is vegetarian."):
        assert texts(runtime, query) == []
    curate.restore(runtime, revision.memory_id)
    assert texts(runtime, "vegetarian") == ["User is vegetarian."]


def test_a_message_is_not_told_again_below_the_fact_that_was_made_of_it(runtime: Runtime) -> None:
    (said,) = told(runtime, "well, oolong")
    revision = curate.add(runtime, "User likes oolong tea in the morning.")
    with runtime.database.write() as conn:
        conn.execute("INSERT INTO memory_sources VALUES (?, ?, 'me')", (revision.memory_id, said))
    assert texts(runtime, "oolong tea") == ["User likes oolong tea in the morning."]


def test_old_words_of_a_former_fact_do_not_stand_beside_what_holds(runtime: Runtime) -> None:
    words = ["I drink oolong in the morning.", "My sister drinks oolong too."]
    said, _ = told(runtime, *words)
    with runtime.write() as session:
        actor, now = Actor("rules"), runtime.clock()
        old = changes.apply(
            session, Created(fact("User drinks oolong.", now, sources=(said,))), actor
        ).memory_id
    curate.edit(runtime, old, "User drinks coffee.")
    assert texts(runtime, "Who drinks oolong?", kinds=("message",)) == words
    assert (
        texts(runtime, "Who drinks oolong?", kinds=("message",), scope=Scope(USER_ID)) == words[1:]
    )


def asked_for(runtime: Runtime, *keywords: str) -> list[str]:
    return [hit.text for hit in recall_keywords(runtime, keywords, Scope(runtime.user_id))]


def test_each_keyword_is_its_own_query_and_the_best_come_in_turn(runtime: Runtime) -> None:
    for text in (
        "User sleeps badly here.",
        "User sleeps long.",
        "User's dog sleeps.",
        "User has blue shoes.",
    ):
        curate.add(runtime, text)
    embed(runtime)
    assert asked_for(runtime, "blue shoes", "dog sleeps") == [
        "User has blue shoes.",
        "User's dog sleeps.",
        "User sleeps long.",
    ], "at most two of one keyword, and each fact once"
    assert asked_for(runtime, "weather") == asked_for(runtime) == []


def test_a_keyword_finds_by_tag_and_without_the_embedder_by_words(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, embedder=False)
    curate.add(runtime, "User buys at the market.", tags=("groceries",))
    curate.add(runtime, "User's dog is called Rex.")
    actual = asked_for(runtime, "grocerys", "dog name")
    assert actual == ["User buys at the market.", "User's dog is called Rex."]
    runtime.close()


def test_the_plain_rule_takes_the_most_alike_and_the_newest(runtime: Runtime) -> None:
    for text in ("User likes oolong tea.", "User has a dog.", "User likes green tea."):
        curate.add(runtime, text)
    hits = recall_by_spelling(runtime, ("tea",), Scope(runtime.user_id), 2)
    assert [hit.text for hit in hits] == ["User likes green tea.", "User likes oolong tea."]
    assert recall_by_spelling(runtime, (), Scope(runtime.user_id), 2) == []


@pytest.mark.parametrize(
    "query", ["", "   ", "\0", '" OR *', "NEAR(", "the of", "x" * 200_000, "\ud800"]
)
def test_no_query_breaks_it(runtime: Runtime, query: str) -> None:
    curate.add(runtime, "User likes oolong.")
    embed(runtime)
    found = [
        *recall(runtime, RecallRequest(query)),
        *recall_keywords(runtime, [query[:100]], Scope(runtime.user_id)),
    ]
    assert {hit.text for hit in found} <= {"User likes oolong."}
    assert texts(runtime, f"oolong {query}"[:1_000]) == ["User likes oolong."]


def test_somebody_elses_things_are_never_recalled(runtime: Runtime) -> None:
    revision = curate.add(runtime, "User likes oolong.")
    told(runtime, "I like oolong.")
    embed(runtime)
    memory = memories.get_memory(runtime.read(), revision.memory_id)
    assert memory.text == "User likes oolong."
    runtime.user_id = "somebody else"
    assert recall(runtime, RecallRequest("oolong")) == []
