"""Facts that are alike are tidied in idle time: merged, replaced, linked, asked about or left, and nothing true is lost."""

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
from memapp.domain.turn import Accepted
from memapp.errors import UsageError
from memapp.inference import Cancel, after
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import activity, consolidate, curate, forget, jobs, tellable, undo
from memapp.services.consent import decisions, pending
from memapp.services.embed import embed
from memapp.store import changes, history
from memapp.store.access_counts import count_access
from tests.builders import Clock, fact, make_runtime, new_chat, recorded, say
from tests.store.test_changes import dump

(JOB,) = [one for one in jobs.JOBS if one.name == "consolidate"]


def says(*relations: str, text: str = "") -> Callable[[Prompt, Sampling], str | None]:
    """Return the script of a model that says so of the pairs, one after the other; `text` is for `both`."""

    def script(prompt: Prompt, sampling: Sampling) -> str | None:
        if "answers" not in (sampling.grammar or ""):
            return None
        pairs = len(prompt.turns[-1].content.splitlines())
        named = [{"pair": at + 1, "is": relations[at % len(relations)]} for at in range(pairs)]
        return json.dumps({"answers": [{**one, "text": text} if one["is"] == "both" else one for one in named]})

    return script


def learned(runtime: Runtime, *texts: str, **other: Any) -> list[str]:
    """Store facts as they are learned, one after the other, and make them findable by meaning; return their ids."""
    ids = []
    for text in texts:
        with runtime.write() as session:
            made = fact(text, session.now, **other)
            changes.apply(session, Created(made), Actor("rules"))
            ids.append(made.id)
    embed(runtime, Cancel())
    return ids


def tidy(runtime: Runtime) -> list[ConsentRequest]:
    return [one for _, one in jobs.run(runtime, Cancel(), [JOB]) if isinstance(one, ConsentRequest)]


def live(runtime: Runtime) -> set[str]:
    return {one.text for one in curate.list_memories(runtime)}


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Runtime]:
    """A store without a language model."""
    opened = make_runtime(tmp_path)
    yield opened
    opened.close()


RULES = [
    (("User has a dog.", "User has a dog named Rex."), {"User has a dog named Rex."}),
    (("User has a dog named Rex.", "User has a dog."), {"User has a dog named Rex."}),
    (("User's favourite colour is red.", "User's favorite color is blue."), {"User's favorite color is blue."}),
    (("User has two cats.", "User has three cats."), {"User has three cats."}),
    (("User keeps bees.", "I keep bees."), {"User keeps bees."}),
    (("User has a cat.", "I have a cat named Toes"), {"I have a cat named Toes"}),
    (("My sister lives in Ghent", "My sister Mira lives in Ghent"), {"My sister Mira lives in Ghent"}),
    (("User likes tea.", "User likes coffee."), None),
    (("User's sister Mia plays chess.", "User's sister Ida plays chess."), None),
    (("User eats meat on Sundays.", "User does not eat meat on Sundays in Lent."), None),
    (("User moved to Oslo in 2019.", "User moved to Oslo in 2021."), None),
]


@pytest.mark.parametrize(("told", "stays"), RULES)
def test_without_a_model_the_judge_of_new_facts_decides_and_leaves_the_rest(
    plain: Runtime, told: tuple[str, ...], stays: set[str] | None
) -> None:
    learned(plain, *told)
    before = dump(plain.database.read())
    tidy(plain)
    assert live(plain) == (stays or set(told))
    if stays:
        undo.undo_last(plain)
        assert dump(plain.database.read()) == before
        plain.clock.now += timedelta(days=20)  # type: ignore[attr-defined]
        embed(plain, Cancel())
        tidy(plain)
        assert live(plain) == set(told), "what was brought back is left alone"


def test_what_is_replaced_hands_on_its_importance_and_what_is_alike_is_linked(plain: Runtime) -> None:
    red, blue, violin, viola = learned(
        plain,
        *("User's favourite colour is red.", "User's favorite color is blue."),
        *("User plays the violin in a quartet.", "User plays the viola in a quartet."),
    )
    curate.rate(plain, red, importance=5)
    with plain.write() as session:
        session.run("DELETE FROM relations")
    tidy(plain)
    assert (curate.get(plain, red).reason, curate.get(plain, blue).importance) == ("superseded", 5)
    assert [one.id for one in curate.related(plain, violin)] == [viola]
    assert consolidate.report(plain, plain.clock() - timedelta(hours=1)).startswith("merged 0, linked 1, ")
    assert {one["meta"]["tokens"] for one in recorded(plain, "consolidate")} == {0}


def test_of_what_one_message_said_nothing_is_newer_and_an_event_is_no_fact(plain: Runtime) -> None:
    thread = new_chat(plain)
    (said,) = [one.message.id for one in say(plain, thread, "Well.") if isinstance(one, Accepted) and one.message]
    told = ("User has two hens.", "User has three hens.")
    learned(plain, *told, sources=(said,))
    events = ("User swam in the lake.", "User swam in the lake in the rain.")
    learned(plain, events[0])
    learned(plain, events[1], kind=Kind.EPISODIC)
    tidy(plain)
    assert live(plain) == {*told, *events}


def test_a_few_questions_wait_at_a_time(plain: Runtime) -> None:
    for what in ("hens", "goats", "boats", "kilns", "looms"):
        for number in ("two", "three"):
            curate.add(plain, f"User has {number} {what}.")
    embed(plain, Cancel())
    assert len(tidy(plain)) == consolidate.MOST_QUESTIONS == pending.count_pending(plain)


UNSURE = ("User drives an old red Volvo.", "User has an old red Volvo.")
STAMPS = ("User collects old stamps from Asia.", "User is a collector of old stamps.")
OF_A_MODEL = [
    ("same", *UNSURE, {UNSURE[0]}),
    ("b_more", *UNSURE, {UNSURE[1]}),
    ("same", *STAMPS, {STAMPS[0]}),
    ("b_more", *STAMPS, None),
    ("same", "User ran a marathon in 3 hours.", "User finished a marathon in 4 hours.", None),
    ("same", "User sings in the church choir.", "User is not a singer in the church choir.", None),
    ("same", "User may sell the old boat.", "User is selling the old boat.", None),
    ("same", "User's brother collects old stamps.", "User is a collector of old stamps.", None),
    ("same", "User plays the violin in a quartet.", "User plays the viola in a quartet.", None),
    ("different", *UNSURE, None),
    ("not_both", *UNSURE, None),
    ("both", "User has a dog named Rex.", "User has a brown dog.", {"User has a brown dog named Rex."}),
    ("both", "User has a dog named Rex.", "User has a brown dog with a limp.", None),
    ("both", "User has a dog named Rex.", "User has a dog from Ghent.", None),
]


@pytest.mark.parametrize(("answer", "older", "newer", "stays"), OF_A_MODEL)
def test_the_word_of_a_model_counts_only_where_no_rule_speaks_against_it(
    runtime: Runtime, model: ScriptedModel, answer: str, older: str, newer: str, stays: set[str] | None
) -> None:
    model.script = says(answer, text="User has a brown dog named Rex.")
    learned(runtime, older, newer)
    before = dump(runtime.database.read())
    assert [one.field for one in tidy(runtime)] == [CONFLICT] * (answer == "not_both"), "the person is asked"
    assert live(runtime) == (stays or {older, newer})
    if stays:
        (last, *_) = history.list_entries(runtime.read(), limit=1)
        assert last.actor == "model:scripted"
        undo.undo_last(runtime)
        assert dump(runtime.database.read()) == before


def test_many_pairs_are_asked_about_in_one_prompt_once_in_two_weeks(runtime: Runtime, model: ScriptedModel) -> None:
    model.script = says("related")
    learned(runtime, *(f"User knows {name} of the pottery class." for name in ("Ida", "Leo", "Mia", "Tom", "Eva")))
    tidy(runtime)
    assert len(model.seen) == 1 and len(model.seen[0].turns[0].content.splitlines()) == 10
    report = consolidate.report(runtime, runtime.clock() - timedelta(days=1))
    assert report in ("merged 0, linked 0, left 10", "merged 0, linked 4, left 6") or report.startswith("merged 0, linked ")
    assert activity.tidied(runtime).pairs == 10
    clock = runtime.clock
    assert isinstance(clock, Clock)
    clock.now += timedelta(days=2)
    tidy(runtime)
    assert len(model.seen) == 1
    clock.now += timedelta(days=13)
    curate.rate(runtime, *(one.id for one in curate.list_memories(runtime)), importance=3)
    tidy(runtime)
    assert len(model.seen) == 2


def test_a_model_that_fails_or_costs_too_much_loses_no_pair(
    runtime: Runtime, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(runtime, *UNSURE, "User has a dog.", "User has a dog named Rex.")
    model.misbehave("crash")
    tidy(runtime)
    assert live(runtime) == {*UNSURE, "User has a dog named Rex."}
    model.script = says("same")
    with monkeypatch.context() as poor:
        poor.setattr(consolidate, "TOKENS_PER_DAY", 100)
        tidy(runtime)
    assert len(model.seen) == 1, "nothing was asked"
    tidy(runtime)
    assert UNSURE[1] not in live(runtime)
    assert 100 < sum(one["meta"]["tokens"] for one in recorded(runtime, "consolidate")) < consolidate.TOKENS_PER_DAY


def test_an_old_store_is_gone_through_bit_by_bit_and_then_only_what_matters(
    plain: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = plain.clock() - timedelta(days=400)
    told = [f"User has {number} {what}." for number in (2, 3) for what in ("hens", "goats", "boats", "kilns", "looms")]
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
    assert live(plain) == {one for one in told if " 3 " in one}
    assert looked_at[-1] == 0, "what is neither recent nor important nor used is not looked at again"
    (one, *_) = curate.list_memories(plain)
    with plain.write() as session:
        count_access(session, [one.id])
    assert JOB.waiting(plain) == 0, "it is used most, but both of its pairs are old"
    curate.rate(plain, one.id, importance=4)
    assert JOB.waiting(plain) > 0


BY_HAND = ("User has two cats.", "User has three cats.")


def test_of_what_contradicts_by_hand_or_of_the_profile_the_person_is_asked_once(plain: Runtime) -> None:
    for text in (*BY_HAND, "User is Catholic.", "User is a Buddhist.", "User was born on 3 May 1990."):
        curate.add(plain, text)
    learned(plain, "User's birthday is 4 June 1991.")
    before = live(plain)
    asked = tidy(plain)
    assert {(one.old_value, one.new_value) for one in asked} == {
        BY_HAND,
        ("User is Catholic.", "User is a Buddhist."),
        ("User was born on 3 May 1990.", "User's birthday is 4 June 1991."),
    }
    assert live(plain) == before and {one.field for one in pending.list_pending(plain)} == {CONFLICT}
    assert consolidate.report(plain, plain.clock() - timedelta(hours=1)).endswith("asked about 3")
    decisions.deny(plain, *(one.id for one in asked))
    plain.clock.now += timedelta(days=30)  # type: ignore[attr-defined]
    assert tidy(plain) == [] and live(plain) == before
    with plain.rehearse() as session:
        assert tellable.without_words_of_withheld(session, list(before)) == list(before), "both are known, and may be told"


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        (lambda runtime, one: decisions.approve(runtime, one), {BY_HAND[1]}),
        (lambda runtime, one: decisions.deny(runtime, one), set(BY_HAND)),
        (lambda runtime, one: decisions.edit_then_approve(runtime, one, BY_HAND[0]), {BY_HAND[0]}),
        (lambda runtime, one: decisions.edit_then_approve(runtime, one, "I have five cats."), {"I have five cats."}),
    ],
)
def test_each_answer_to_a_contradiction_is_carried_out_and_taken_back(
    plain: Runtime, answer: Callable[[Runtime, str], str], stays: set[str]
) -> None:
    for text in BY_HAND:
        curate.add(plain, text)
    embed(plain, Cancel())
    (asked,) = tidy(plain)
    before = dump(plain.database.read())
    step = answer(plain, asked.id)
    assert live(plain) == stays and pending.count_pending(plain) == 0
    undo.undo(plain, step)
    assert dump(plain.database.read()) == before
    assert [(one.old_value, one.new_value) for one in pending.list_pending(plain)] == [BY_HAND]


def test_a_question_goes_with_what_it_is_about(plain: Runtime) -> None:
    ids = [curate.add(plain, text).memory_id for text in BY_HAND]
    embed(plain, Cancel())
    (asked,) = tidy(plain)
    gone = curate.discard(plain, ids[0])
    assert (pending.list_pending(plain), pending.count_pending(plain)) == ([], 0)
    with pytest.raises(UsageError, match="no longer"):
        decisions.approve(plain, asked.id)
    assert live(plain) == {BY_HAND[1]}, "a yes to an old question takes nothing else away"
    undo.undo(plain, gone.step)
    assert pending.list_pending(plain) == [asked]
    curate.discard(plain, ids[0])
    forget.purge(plain, ids[:1])
    rows = plain.database.read().execute("SELECT * FROM consent_requests").fetchall()
    assert rows == [], "nor does it keep the words of what was erased"
    again = curate.add(plain, BY_HAND[0]).memory_id
    embed(plain, Cancel())
    assert tidy(plain)
    curate.edit(plain, again, "User keeps bees.")
    assert tidy(plain) == [] and pending.count_pending(plain) == 0


def test_what_is_pinned_or_by_hand_gives_way_to_nothing_learned(plain: Runtime) -> None:
    curate.add(plain, "User has a dog.")
    curate.add(plain, "I prefer oolong tea.")
    learned(plain, "User has a dog named Rex.", "User prefers oolong tea.", "User grows small tomatoes.")
    learned(plain, "User grows tomatoes.", pinned=True)
    tidy(plain)
    assert live(plain) == {
        "User has a dog.",
        "User has a dog named Rex.",
        "I prefer oolong tea.",
        "User grows small tomatoes.",
        "User grows tomatoes.",
    }


def test_what_changes_while_the_model_answers_is_left_as_it_is(runtime: Runtime, model: ScriptedModel) -> None:
    one, _ = learned(runtime, *UNSURE)

    def edit_meanwhile(prompt: Prompt, sampling: Sampling) -> str | None:
        curate.edit(runtime, one, "User keeps bees.")
        return says("same")(prompt, sampling)

    model.script = edit_meanwhile
    tidy(runtime)
    assert live(runtime) == {"User keeps bees.", UNSURE[1]}
    assert activity.tidied(runtime).pairs == 0


def test_it_stops_at_once_for_a_message_and_goes_on_where_it_was(runtime: Runtime, model: ScriptedModel) -> None:
    told = [f"User has {number} {what}." for what in ("hens", "goats", "boats") for number in (2, 3)]
    learned(runtime, *told, *UNSURE)
    cancel = Cancel()
    for _ in jobs.run(runtime, cancel, [JOB]):
        cancel.set()
    assert len(live(runtime)) == len(told) + 1, "one pair was done"
    model.misbehave("hang")
    hung = Cancel()
    with after(0.2, hung.set):
        list(jobs.run(runtime, hung, [JOB]))
    assert len(live(runtime)) == len(told) - 1, "those that no model is asked about were done, and jobs.run came to its end"
    assert jobs.is_due(runtime, JOB)
    model.script = says("same")
    tidy(runtime)
    assert live(runtime) == {*told[1::2], UNSURE[0]}
    assert not jobs.is_due(runtime, JOB)
