"""Memories that are alike are tidied in idle time: merged, linked, asked about or left, and nothing
true is lost.
"""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memapp.domain.changes import Actor, Created
from memapp.domain.consent import CONFLICT, ConsentRequest
from memapp.domain.memory import Kind
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn_events import Accepted
from memapp.errors import UsageError
from memapp.inference import Cancel, after
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import activity, curate, forget, jobs, undo
from memapp.services.consent import decisions, pending
from memapp.services.embed import embed
from memapp.services.jobs import consolidate
from memapp.services.recall import redaction
from memapp.store import changes, history
from memapp.store.access_counts import count_access
from tests.builders import Clock, fact, make_runtime, new_chat, only, recorded, say, trust
from tests.store.test_changes import dump

(JOB,) = [job for job in jobs.JOBS if job.name == "consolidate"]


def says(*relations: str) -> Callable[[Prompt, Sampling], str | None]:
    """Return the script of a model that says so of the pairs, one after the other."""

    def script(prompt: Prompt, sampling: Sampling) -> str | None:
        if "answers" not in (sampling.grammar or ""):
            return None
        pairs = len(prompt.turns[-1].content.splitlines())
        named = [{"pair": at + 1, "is": relations[at % len(relations)]} for at in range(pairs)]
        return json.dumps({"answers": named})

    return script


def learned(runtime: Runtime, *texts: str, **other: Any) -> list[str]:
    """Store facts as they are learned, one after the other, and make them findable by meaning;
    return their ids.
    """
    ids = []
    for text in texts:
        with runtime.write() as session:
            made = fact(text, session.now, **other)
            changes.apply(session, Created(made), Actor("rules"))
            ids.append(made.id)
    embed(runtime, Cancel())
    return ids


def tidy(runtime: Runtime) -> list[ConsentRequest]:
    return [
        event
        for _, event in jobs.run(runtime, Cancel(), [JOB])
        if isinstance(event, ConsentRequest)
    ]


def live(runtime: Runtime) -> set[str]:
    return {memory.text for memory in curate.list_memories(runtime)}


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Runtime]:
    """A store without a language model."""
    opened = make_runtime(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def trusted(runtime: Runtime) -> Runtime:
    """A store with a model that passed the test."""
    trust(runtime, "same fact")
    return runtime


SAME = [
    ("I keep two hens named Ada and Grace.", "i really keep two hens, named Ada and Grace!"),
    ("Ich spiele die Tuba im Stadtorchester.", "ich spiele Tuba im Stadtorchester"),
    ("Mi café favorito está en la plaza.", "mi cafe favorito esta en la plaza"),
]
OTHER = [
    ("I have a dog.", "I have a dog named Rex."),
    ("I have two cats.", "I have three cats."),
    ("My sister Mia plays chess.", "My sister Ida plays chess."),
    ("I eat meat on Sundays.", "I don't eat meat on Sundays."),
    ("I live in a small flat in Leeds.", "I used to live in a small flat in Leeds."),
    ("I moved from Berlin to Hamburg.", "I moved from Hamburg to Berlin."),
    ("I am a vegetarian.", "I was a vegetarian."),
    ("My favourite colour is red.", "My favourite colour is blue."),
]


@pytest.mark.parametrize("told", SAME)
def test_of_the_same_words_the_older_stays_sourced(plain: Runtime, told: tuple[str, str]) -> None:
    thread = new_chat(plain)
    said = [only(Accepted, say(plain, thread, text)).message.id for text in ("Well.", "Oh.")]
    older, newer = (
        learned(plain, text, origin="said", sources=(source,))[0]
        for text, source in zip(told, said, strict=True)
    )
    before = dump(plain.database.read())
    tidy(plain)
    assert live(plain) == {told[0]}
    assert curate.get(plain, older).sources == tuple(said)
    assert curate.get(plain, newer).merged_into == older
    undo.undo_last(plain)
    assert dump(plain.database.read()) == before
    plain.clock.now += timedelta(days=20)  # type: ignore[attr-defined]
    embed(plain, Cancel())
    tidy(plain)
    assert live(plain) == set(told), "what was brought back is left alone"


@pytest.mark.parametrize("told", OTHER)
def test_what_differs_in_a_word_stays_beside_it(plain: Runtime, told: tuple[str, str]) -> None:
    learned(plain, *told, origin="said")
    tidy(plain)
    assert live(plain) == set(told)


def test_what_is_alike_is_linked(plain: Runtime) -> None:
    violin, viola = learned(
        plain, "I play the violin in a quartet.", "I play the viola in a quartet."
    )
    with plain.write() as session:
        session.run("DELETE FROM relations")
    tidy(plain)
    assert [relation.id for relation in curate.related(plain, violin)] == [viola]
    actual = consolidate.report(plain, plain.clock() - timedelta(hours=1))
    assert actual == "merged 0, linked 1, left 0"
    assert {event["meta"]["tokens"] for event in recorded(plain, "consolidate")} == {0}


def test_an_event_is_no_fact(plain: Runtime) -> None:
    learned(plain, SAME[0][0])
    learned(plain, SAME[0][1], kind=Kind.EPISODIC)
    tidy(plain)
    assert live(plain) == set(SAME[0])


UNSURE = ("I drive an old red Volvo.", "I have an old red Volvo.")
OF_A_MODEL = [
    ("same", *UNSURE, {UNSURE[0]}),
    ("b_more", *UNSURE, {UNSURE[1]}),
    ("same", "I ran a marathon in 3 hours.", "I finished a marathon in 4 hours.", None),
    ("same", "I sing in the church choir.", "I don't sing in the church choir.", None),
    (
        "same",
        "My sister Mia plays chess on Sundays.",
        "My sister Ida plays chess on Sundays.",
        None,
    ),
    ("a_more", "I have a brown dog.", "I have a brown dog named Rex.", None),
    ("different", *UNSURE, None),
    ("not_both", *UNSURE, None),
]


def test_a_few_questions_wait_at_a_time(trusted: Runtime, model: ScriptedModel) -> None:
    model.script = says("not_both")
    learned(
        trusted,
        *(
            f"I have {number} old {what}."
            for what in ("hens", "goats", "kilns")
            for number in ("two", "three", "four")
        ),
    )
    assert len(tidy(trusted)) == consolidate.MOST_QUESTIONS == pending.count_pending(trusted)


@pytest.mark.parametrize(("answer", "older", "newer", "stays"), OF_A_MODEL)
def test_the_word_of_a_model_counts_only_where_no_name_number_or_denial_is_lost(
    trusted: Runtime,
    model: ScriptedModel,
    answer: str,
    older: str,
    newer: str,
    stays: set[str] | None,
) -> None:
    model.script = says(answer)
    learned(trusted, older, newer)
    before = dump(trusted.database.read())
    assert [request.field for request in tidy(trusted)] == [CONFLICT] * (answer == "not_both"), (
        "the person is asked"
    )
    assert live(trusted) == (stays or {older, newer})
    if stays:
        (last, *_) = history.list_entries(trusted.read(), limit=1)
        assert last.actor == "model:scripted"
        undo.undo_last(trusted)
        assert dump(trusted.database.read()) == before


def test_a_model_that_nobody_tested_is_not_asked(runtime: Runtime, model: ScriptedModel) -> None:
    model.script = says("same")
    learned(runtime, *UNSURE)
    tidy(runtime)
    assert live(runtime) == set(UNSURE) and model.seen == []


def test_many_pairs_are_one_prompt_in_two_weeks(trusted: Runtime, model: ScriptedModel) -> None:
    model.script = says("related")
    learned(trusted, *(f"I have {number} old hens." for number in range(2, 7)))
    tidy(trusted)
    assert len(model.seen) == 1 and len(model.seen[0].turns[0].content.splitlines()) == 10
    assert activity.tidied(trusted).pairs == 10
    clock = trusted.clock
    assert isinstance(clock, Clock)
    clock.now += timedelta(days=2)
    tidy(trusted)
    assert len(model.seen) == 1
    clock.now += timedelta(days=13)
    curate.rate(trusted, *(memory.id for memory in curate.list_memories(trusted)), importance=3)
    tidy(trusted)
    assert len(model.seen) == 2


def test_a_model_that_fails_or_costs_too_much_loses_no_pair(
    trusted: Runtime, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(trusted, *UNSURE, *SAME[0])
    model.misbehave("crash")
    tidy(trusted)
    assert live(trusted) == {*UNSURE, SAME[0][0]}
    model.script = says("same")
    with monkeypatch.context() as poor:
        poor.setattr(consolidate, "TOKENS_PER_DAY", 100)
        tidy(trusted)
    assert len(model.seen) == 1, "nothing was asked"
    tidy(trusted)
    assert UNSURE[1] not in live(trusted)
    assert (
        100
        < sum(event["meta"]["tokens"] for event in recorded(trusted, "consolidate"))
        < consolidate.TOKENS_PER_DAY
    )


def test_an_old_store_is_tidied_bit_by_bit(plain: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = plain.clock() - timedelta(days=400)
    told = [f"I{only} have {number} old hens." for only in ("", " just") for number in (2, 3, 4)]
    learned(plain, *told, created_at=long_ago, updated_at=long_ago)
    monkeypatch.setattr(consolidate, "PAIRS_PER_DAY", 4)
    monkeypatch.setattr(consolidate, "CANDIDATES", 3)
    assert JOB.waiting(plain) <= 4
    clock, looked_at = plain.clock, []
    assert isinstance(clock, Clock)
    for _ in range(40):
        tidy(plain)
        looked_at.append(consolidate.tidied(plain, clock() - timedelta(hours=1)).pairs)
        clock.now += timedelta(days=1)
    assert max(looked_at) <= 4
    assert live(plain) == set(told[:3])
    assert looked_at[-1] == 0, (
        "what is neither recent nor important nor used is not looked at again"
    )
    (one, *_) = curate.list_memories(plain)
    clock.now += timedelta(days=90)
    with plain.write() as session:
        count_access(session, [one.id])
    assert JOB.waiting(plain) == 0, "it is used most, but its pairs are old"
    curate.rate(plain, one.id, importance=4)
    assert JOB.waiting(plain) > 0


BY_HAND = ("I have two cats.", "I have three cats.")


@pytest.fixture
def asked(trusted: Runtime, model: ScriptedModel) -> ConsentRequest:
    """The question about two memories by hand that a model says cannot both be true."""
    model.script = says("not_both")
    for text in BY_HAND:
        curate.add(trusted, text)
    embed(trusted, Cancel())
    (request,) = tidy(trusted)
    return request


def test_of_what_cannot_both_be_true_one_asks_once(trusted: Runtime, asked: ConsentRequest) -> None:
    assert (asked.field, asked.old_value, asked.new_value) == (CONFLICT, *BY_HAND)
    assert live(trusted) == set(BY_HAND)
    assert consolidate.report(trusted, trusted.clock() - timedelta(hours=1)).endswith(
        "asked about 1"
    )
    decisions.deny(trusted, asked.id)
    trusted.clock.now += timedelta(days=30)  # type: ignore[attr-defined]
    assert tidy(trusted) == [] and live(trusted) == set(BY_HAND)
    with trusted.rehearse() as session:
        assert redaction.drop_withheld(session, list(BY_HAND)) == list(BY_HAND), (
            "both are known, and may be told"
        )


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        (lambda trusted, one: decisions.approve(trusted, one), {BY_HAND[1]}),
        (lambda trusted, one: decisions.deny(trusted, one), set(BY_HAND)),
        (lambda trusted, one: decisions.edit_then_approve(trusted, one, BY_HAND[0]), {BY_HAND[0]}),
        (
            lambda trusted, one: decisions.edit_then_approve(trusted, one, "I have five cats."),
            {"I have five cats."},
        ),
    ],
)
def test_each_answer_to_a_contradiction_is_carried_out_and_taken_back(
    trusted: Runtime, asked: ConsentRequest, answer: Callable[[Runtime, str], str], stays: set[str]
) -> None:
    before = dump(trusted.database.read())
    step = answer(trusted, asked.id)
    assert live(trusted) == stays and pending.count_pending(trusted) == 0
    undo.undo(trusted, step)
    assert dump(trusted.database.read()) == before
    assert [
        (request.old_value, request.new_value) for request in pending.list_pending(trusted)
    ] == [BY_HAND]


def test_a_question_goes_with_what_it_is_about(trusted: Runtime, asked: ConsentRequest) -> None:
    (id,) = [memory.id for memory in curate.list_memories(trusted) if memory.text == BY_HAND[0]]
    gone = curate.discard(trusted, id)
    assert (pending.list_pending(trusted), pending.count_pending(trusted)) == ([], 0)
    with pytest.raises(UsageError, match="no longer"):
        decisions.approve(trusted, asked.id)
    assert live(trusted) == {BY_HAND[1]}, "a yes to an old question takes nothing else away"
    undo.undo(trusted, gone.step)
    assert pending.list_pending(trusted) == [asked]
    curate.discard(trusted, id)
    forget.purge(trusted, [id])
    rows = trusted.database.read().execute("SELECT * FROM consent_requests").fetchall()
    assert rows == [], "nor does it keep the words of what was erased"
    again = curate.add(trusted, BY_HAND[0]).memory_id
    embed(trusted, Cancel())
    assert tidy(trusted)
    curate.edit(trusted, again, "I keep bees.")
    assert tidy(trusted) == [] and pending.count_pending(trusted) == 0


def test_what_is_pinned_or_by_hand_gives_way_to_nothing_learned(plain: Runtime) -> None:
    curate.add(plain, "I prefer oolong tea.")
    learned(plain, "I grow small tomatoes.", pinned=True)
    learned(plain, "I really prefer oolong tea.", "I just grow small tomatoes.")
    learned(plain, "I keep goats in the orchard.")
    curate.add(plain, "I just keep goats in the orchard.")
    embed(plain, Cancel())
    tidy(plain)
    by_hand = {
        memory.text
        for memory in curate.list_memories(plain)
        if memory.origin == "person" or memory.pinned
    }
    assert (
        live(plain)
        == by_hand
        == {"I prefer oolong tea.", "I grow small tomatoes.", "I just keep goats in the orchard."}
    )


def test_what_changes_while_it_answers_is_left(trusted: Runtime, model: ScriptedModel) -> None:
    one, _ = learned(trusted, *UNSURE)

    def edit_meanwhile(prompt: Prompt, sampling: Sampling) -> str | None:
        curate.edit(trusted, one, "I keep bees.")
        return says("same")(prompt, sampling)

    model.script = edit_meanwhile
    tidy(trusted)
    assert live(trusted) == {"I keep bees.", UNSURE[1]}
    assert activity.tidied(trusted).pairs == 0


def test_it_stops_for_a_message_and_goes_on_there(trusted: Runtime, model: ScriptedModel) -> None:
    told = [f"I{only} have {number} old hens." for number in (2, 3, 4) for only in ("", " just")]
    learned(trusted, *told, *UNSURE)
    cancel = Cancel()
    for _ in jobs.run(trusted, cancel, [JOB]):
        cancel.set()
    assert len(live(trusted)) == len(told) + 1, "one pair was done"
    model.misbehave("hang")
    hung = Cancel()
    with after(0.2, hung.set):
        list(jobs.run(trusted, hung, [JOB]))
    assert len(live(trusted)) == len(told) - 1, (
        "those that no model is asked about were done, and jobs.run came to its end"
    )
    assert jobs.is_due(trusted, JOB)
    model.script = says("same")
    tidy(trusted)
    assert live(trusted) == {*told[::2], UNSURE[0]}
    assert not jobs.is_due(trusted, JOB)
