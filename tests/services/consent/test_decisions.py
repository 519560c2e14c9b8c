"""Decisions on real requests, and taking them back."""

import sqlite3
from dataclasses import replace

import pytest

from memapp.domain.changes import Actor, Created, Event
from memapp.domain.consent import FORGOTTEN, label
from memapp.errors import NeedsYes, NotFound, UsageError
from memapp.language.filters import parse_filter
from memapp.runtime import Runtime
from memapp.services import curate, forget, undo
from memapp.services.consent import decisions, past_decisions, pending
from memapp.store import changes, consents
from memapp.store.encoding import new_id
from tests.builders import erase, new_chat
from tests.services.consent.builders import approved, live, proposed, requested_fact, typed


def test_a_held_memory_is_created_by_a_yes_and_dropped_by_a_no(runtime: Runtime) -> None:
    request = proposed(runtime, memory=requested_fact(runtime))
    assert live(runtime) == []
    assert pending.memory_text(runtime, request.id) == "I live in Oslo near the harbour."
    decisions.approve(runtime, request.id)
    assert live(runtime) == ["I live in Oslo near the harbour."]
    pronouns = requested_fact(runtime, "My pronouns are she/her.")
    decisions.deny(runtime, proposed(runtime, "pronouns", "she/her", memory=pronouns).id)
    assert live(runtime) == ["I live in Oslo near the harbour."]


def test_undo_takes_an_approval_back_with_its_memory_and_it_waits_again(runtime: Runtime) -> None:
    request = proposed(runtime, memory=requested_fact(runtime))
    step = decisions.approve(runtime, request.id)
    (last, *_) = undo.undoable(runtime)
    assert (last.id, last.event) == (step, Event.PROFILE)
    undo.undo_last(runtime)
    with pytest.raises(UsageError, match="already"):
        undo.undo(runtime, step)
    assert step not in [step.id for step in undo.undoable(runtime)]
    assert (decisions.profile(runtime), live(runtime)) == ({}, [])
    (again,) = pending.list_pending(runtime)
    assert (again.id != request.id, again.new_value, again.proposer) == (True, "Oslo", "undo")
    decisions.approve(runtime, again.id)
    assert decisions.profile(runtime) == {"city": ("Oslo",)}
    assert live(runtime) == ["I live in Oslo near the harbour."]


def test_an_older_approval_is_not_taken_back_over_a_newer_one(runtime: Runtime) -> None:
    first = decisions.approve(runtime, proposed(runtime).id)
    decisions.approve(runtime, proposed(runtime, value="Bergen").id)
    with pytest.raises(UsageError, match="changed again"):
        undo.undo(runtime, first)
    assert decisions.profile(runtime) == {"city": ("Bergen",)}
    undo.undo_last(runtime)
    assert decisions.profile(runtime) == {"city": ("Oslo",)}
    undo.undo_last(runtime)
    assert decisions.profile(runtime) == {}


def test_a_denial_taken_back_waits_again_with_its_evidence(runtime: Runtime) -> None:
    message = typed(runtime, new_chat(runtime))
    decisions.deny(runtime, proposed(runtime, message_id=message.id, typed=True).id)
    undo.undo_last(runtime)
    (again,) = pending.list_pending(runtime)
    assert (again.new_value, again.evidence, again.state) == ("Oslo", (message.id,), "pending")


def test_a_denial_taken_back_asks_nothing_that_the_profile_says_by_now(runtime: Runtime) -> None:
    step = decisions.deny(runtime, proposed(runtime).id)
    decisions.set_field(runtime, "city", "Oslo")
    undo.undo(runtime, step)
    assert (decisions.profile(runtime), pending.list_pending(runtime)) == ({"city": ("Oslo",)}, [])


def test_an_edited_value_is_applied_and_the_proposed_one_withdrawn(runtime: Runtime) -> None:
    request = proposed(runtime, memory=requested_fact(runtime))
    step = decisions.edit_then_approve(runtime, request.id, "Bergen")
    assert (decisions.profile(runtime), live(runtime)) == ({"city": ("Bergen",)}, [])
    assert consents.get_request(runtime.read(), request.id).state == "withdrawn"
    undo.undo(runtime, step)
    assert decisions.profile(runtime) == {}
    assert [
        (request.new_value, pending.memory_text(runtime, request.id))
        for request in pending.list_pending(runtime)
    ] == [("Oslo", "I live in Oslo near the harbour.")]


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_persons_own_spelling_stands_with_what_waited(runtime: Runtime, by_hand: bool) -> None:
    message = typed(runtime, new_chat(runtime))
    request = proposed(
        runtime,
        "preferred_name",
        "Mckay",
        message_id=message.id,
        memory=requested_fact(runtime, "My name is Mckay."),
    )
    if by_hand:
        step = decisions.set_field(runtime, "preferred_name", "McKay")
    else:
        step = decisions.edit_then_approve(runtime, request.id, "McKay")
    assert decisions.profile(runtime) == {"preferred_name": ("McKay",)}
    assert live(runtime) == ["My name is Mckay."]
    applied = consents.list_requests(runtime.read(), state="applied")
    assert [request.evidence for request in applied] == [(message.id,)]
    assert pending.list_pending(runtime) == []
    undo.undo(runtime, step)
    assert (decisions.profile(runtime), live(runtime)) == ({}, [])
    assert [(request.new_value, request.evidence) for request in pending.list_pending(runtime)] == [
        ("Mckay", (message.id,))
    ]


def test_a_request_without_a_value_is_approved_by_editing_only(runtime: Runtime) -> None:
    request = proposed(runtime, "preferred_name", "")
    with pytest.raises(UsageError, match="no value"):
        decisions.approve(runtime, request.id)
    decisions.edit_then_approve(runtime, request.id, "Ana")
    assert decisions.profile(runtime) == {"preferred_name": ("Ana",)}


def test_what_was_decided_is_not_decided_again(runtime: Runtime) -> None:
    request = proposed(runtime)
    decisions.deny(runtime, request.id)
    for again in (decisions.approve, decisions.deny, decisions.snooze):
        with pytest.raises(UsageError, match="decided already"):
            again(runtime, request.id)
    with pytest.raises(NotFound):
        decisions.approve(runtime, "nobody")


def test_the_person_writes_their_profile_and_undo_gives_the_old_one_back(runtime: Runtime) -> None:
    decisions.set_field(runtime, "city", "Oslo")
    decisions.set_field(runtime, "city", "Bergen")
    decisions.clear_field(runtime, "city")
    assert decisions.profile(runtime) == {}
    for expected in ({"city": ("Bergen",)}, {"city": ("Oslo",)}, {}):
        undo.undo_last(runtime)
        assert decisions.profile(runtime) == expected
    assert pending.list_pending(runtime) == [], "what the person wrote is no request"
    for field, value in (("city", ""), ("shoe_size", "42"), (FORGOTTEN, "x"), ("city", "x" * 281)):
        with pytest.raises(UsageError):
            decisions.set_field(runtime, field, value)


def test_what_the_person_writes_is_not_asked_about_any_more(runtime: Runtime) -> None:
    proposed(runtime, memory=requested_fact(runtime, "I live in Oslo."))
    proposed(runtime, "health", "asthma")
    decisions.set_field(runtime, "city", "Oslo")
    assert live(runtime) == ["I live in Oslo."], "that was a yes"
    decisions.set_field(runtime, "health", "Asthma")
    assert pending.list_pending(runtime) == []
    for _ in range(2):
        undo.undo_last(runtime)
    assert (decisions.profile(runtime), live(runtime)) == ({}, [])
    actual = {(request.field, request.new_value) for request in pending.list_pending(runtime)}
    assert actual == {("city", "Oslo"), ("health", "asthma")}


def test_what_the_person_writes_brings_in_no_memory_of_an_import(runtime: Runtime) -> None:
    proposed(runtime, memory=requested_fact(runtime), proposer="import")
    decisions.set_field(runtime, "city", "Oslo")
    assert (pending.list_pending(runtime), live(runtime)) == ([], [])


def test_an_undo_settles_what_it_makes_known(runtime: Runtime) -> None:
    decisions.set_field(runtime, "city", "Oslo")
    decisions.clear_field(runtime, "city")
    proposed(runtime)
    undo.undo_last(runtime)
    assert (decisions.profile(runtime), pending.list_pending(runtime)) == ({"city": ("Oslo",)}, [])
    assert [undo.describe(runtime, step) for step in undo.undoable(runtime)] == [
        "Set Home to “Oslo”"
    ]


def test_what_the_profile_no_longer_says_is_no_memory_and_undo_mends_it(runtime: Runtime) -> None:
    approved(runtime, "city", "Oslo", "I live in Oslo.")
    kept = [
        "I like the harbour of Oslo.",
        "I live in Oslo and keep the spare key under the blue pot.",
    ]
    for text in kept:
        added = curate.add(runtime, text).memory_id
    curate.pin(runtime, added)
    step = approved(runtime, "city", "Bergen", "I live in Bergen.")
    assert past_decisions.describe(runtime, step) == "Approved Home “Bergen” and trashed 1 memory"
    assert set(live(runtime)) == {*kept, "I live in Bergen."}
    undo.undo(runtime, step)
    assert set(live(runtime)) == {*kept, "I live in Oslo."}
    step = decisions.clear_field(runtime, "city")
    assert sorted(live(runtime)) == kept
    undo.undo(runtime, step)
    assert (decisions.profile(runtime), len(live(runtime))) == ({"city": ("Oslo",)}, 3)


def test_what_comes_with_a_yes_and_is_known_by_then_is_not_kept_twice(runtime: Runtime) -> None:
    there = requested_fact(runtime, "I live in Trondheim.")
    request = proposed(runtime, value="Trondheim", memory=there)
    curate.add(runtime, "I live in Trondheim.")
    step = decisions.approve(runtime, request.id)
    assert live(runtime) == ["I live in Trondheim."]
    undo.undo(runtime, step)
    assert live(runtime) == []


def test_a_yes_to_an_older_request_retires_what_the_profile_says_now(runtime: Runtime) -> None:
    bergen = requested_fact(runtime, "I live in Bergen.")
    moved = proposed(runtime, value="Bergen", memory=bergen, proposer="import")
    approved(runtime, "city", "Oslo", "I live in Oslo.")
    decisions.approve(runtime, moved.id)
    assert decisions.profile(runtime) == {"city": ("Bergen",)}
    assert live(runtime) == ["I live in Bergen."]


def test_a_memory_no_longer_true_goes_however_many_newer_ones_name_it(runtime: Runtime) -> None:
    approved(runtime, "city", "Oslo", "I live in Oslo.")
    bus = requested_fact(runtime, "A bus goes to Oslo.")
    worker = Actor("rules")
    now = runtime.clock()
    with runtime.write() as session:
        for number in range(201):
            changes.apply(
                session,
                Created(replace(bus, id=new_id(now), text=f"Bus number {number} goes to Oslo.")),
                worker,
            )
    decisions.approve(runtime, proposed(runtime, value="Bergen").id)
    assert "I live in Oslo." not in [
        memory.text for memory in curate.list_memories(runtime, parse_filter("live"))
    ]


def test_one_of_several_values_taken_away_takes_its_memory_along(runtime: Runtime) -> None:
    for value in ("diabetes", "asthma"):
        approved(runtime, "health", value, f"I have {value}.")
    step = decisions.clear_field(runtime, "health", "Diabetes")
    assert decisions.profile(runtime) == {"health": ("asthma",)}
    assert live(runtime) == ["I have asthma."]
    assert (
        past_decisions.describe(runtime, step) == "Took away Health “diabetes” and trashed 1 memory"
    )
    undo.undo(runtime, step)
    assert decisions.profile(runtime) == {"health": ("asthma", "diabetes")}
    assert len(live(runtime)) == 2


def test_a_memory_in_the_trash_takes_along_what_only_it_told_the_profile(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for field, value, fact in (
        ("relationship", "girlfriend Lena", "My girlfriend is Lena."),
        ("city", "Oslo", "I live in Oslo."),
    ):
        message = typed(runtime, thread)
        memory = replace(requested_fact(runtime, fact), sources=(message.id,))
        decisions.approve(
            runtime,
            proposed(runtime, field, value, message_id=message.id, typed=True, memory=memory).id,
        )
    decisions.set_field(runtime, "relationship", "son Ole")
    by_hand = [
        curate.add(runtime, fact).memory_id
        for fact in ("My son is Ole.", "I live in Oslo near the harbour.")
    ]
    before, memories = decisions.profile(runtime), curate.list_memories(runtime)
    of_lena, of_oslo = (
        next(memory.id for memory in memories if memory.text == text)
        for text in ("My girlfriend is Lena.", "I live in Oslo.")
    )
    step = curate.discard(runtime, of_lena, by_hand[0], of_oslo).step
    assert decisions.profile(runtime) == {"city": ("Oslo",), "relationship": ("son Ole",)}, (
        "another memory, or the person, said it"
    )
    undo.undo(runtime, step)
    assert (decisions.profile(runtime), len(live(runtime))) == (before, 4)
    curate.discard(runtime, of_oslo, by_hand[1])
    assert "city" not in decisions.profile(runtime)


def test_one_of_several_values_written_anew_leaves_the_others_until_undo(runtime: Runtime) -> None:
    for value in ("asthma", "migrane", "gout"):
        decisions.set_field(runtime, "health", value)
    decisions.approve(runtime, proposed(runtime, "health", "allergic to dust; pollen").id)
    decisions.set_field(runtime, "health", "migraine", "migrane")
    every = ("allergic to dust; pollen", "asthma", "gout", "migraine")
    assert decisions.profile(runtime) == {"health": every}, "what the person said is one value"
    for value, old in (
        ("Asthma", ""),
        ("gout", "asthma"),
        ("migraine", "migraine"),
        ("cough", "migrane"),
    ):
        with pytest.raises(UsageError, match=r"says that already|changed again"):
            decisions.set_field(runtime, "health", value, old)
    with pytest.raises(UsageError, match="says that already"):
        decisions.edit_then_approve(runtime, proposed(runtime, "health", "cough").id, "gout")
    with pytest.raises(UsageError, match="does not say that"):
        decisions.clear_field(runtime, "health", "pollen")
    assert decisions.profile(runtime) == {"health": every}
    undo.undo_last(runtime)
    assert decisions.profile(runtime) == {
        "health": ("allergic to dust; pollen", "asthma", "gout", "migrane")
    }


def test_a_field_with_several_values_is_cleared_and_restored_as_one(runtime: Runtime) -> None:
    for value in ("asthma", "gout"):
        decisions.set_field(runtime, "health", value)
    step = decisions.clear_field(runtime, "health")
    assert decisions.profile(runtime) == {}
    assert past_decisions.describe(runtime, step) == "Took away Health “asthma” and 1 more"
    undo.undo(runtime, step)
    assert decisions.profile(runtime) == {"health": ("asthma", "gout")}
    actual = [undo.describe(runtime, step) for step in undo.undoable(runtime)]
    assert actual == ["Set Health to “gout”", "Set Health to “asthma”"]


def test_one_of_several_values_is_taken_back_whatever_came_beside_since(runtime: Runtime) -> None:
    first, gone = (decisions.set_field(runtime, "health", value) for value in ("asthma", "gout"))
    gone = decisions.clear_field(runtime, "health", "gout")
    decisions.set_field(runtime, "health", "cough")
    undo.undo(runtime, first)
    undo.undo(runtime, gone)
    assert decisions.profile(runtime) == {"health": ("cough", "gout")}


def test_a_fact_that_was_erased_before_is_remembered_by_a_yes_only(runtime: Runtime) -> None:
    text = "I had a cat called Luna."
    erase(runtime, curate.add(runtime, text).memory_id)
    request = proposed(
        runtime, FORGOTTEN, text, memory=replace(requested_fact(runtime, "I like tea."), text=text)
    )
    assert live(runtime) == []
    assert proposed(runtime, FORGOTTEN, "I had the cat called Luna.").id == request.id, (
        "the same in other words"
    )
    step = decisions.approve(runtime, request.id)
    assert live(runtime) == [text]
    assert decisions.profile(runtime) == {}
    assert forget.is_forgotten(runtime, text) is False
    undo.undo(runtime, step)
    assert live(runtime) == []
    assert pending.count_pending(runtime) == 1
    assert forget.is_forgotten(runtime, text) is True


def test_an_undo_puts_back_only_what_the_profile_said_despite_the_history(runtime: Runtime) -> None:
    decisions.set_field(runtime, "city", "Bergen")
    waits = proposed(runtime, value="Mordor")
    forged = """INSERT INTO history (id, user_id, step, memory_id, event, actor, meta, ts)
                SELECT 'forged', user_id, 'forged', memory_id, 'PROFILE', 'person',
                    json_set(meta, '$.before', ?), ts
                FROM history"""
    with (
        pytest.raises(sqlite3.IntegrityError, match="says what was decided"),
        runtime.database.write() as conn,
    ):
        conn.execute(forged, (waits.id,))
    writer = runtime.database._writer
    assert writer is not None
    writer.set_authorizer(None)
    writer.execute("DROP TRIGGER history_tells_what_was_decided")
    writer.execute(forged, (waits.id,))
    with pytest.raises(UsageError, match="nothing to undo"):
        undo.undo_last(runtime)
    assert decisions.profile(runtime) == {"city": ("Bergen",)}


def test_decisions_stand_in_the_history_without_what_they_were_about(runtime: Runtime) -> None:
    decisions.deny(runtime, proposed(runtime).id)
    row = (
        runtime.database.read().execute("SELECT * FROM history WHERE event = 'PROFILE'").fetchone()
    )
    assert (row["memory_id"], row["actor"]) == ("profile:city", "person")
    assert "denied" in row["meta"]
    assert "Oslo" not in "".join(map(str, tuple(row)))


def test_a_yes_withdraws_the_other_values_that_wait_until_it_is_undone(runtime: Runtime) -> None:
    leipzig, dresden, hamburg = (
        proposed(runtime, "city", value) for value in ("Leipzig", "Dresden", "Hamburg")
    )
    imported = proposed(runtime, "city", "Berlin", proposer="import")
    illness = proposed(runtime, "health", "asthma")
    step = decisions.approve(runtime, dresden.id)
    assert {request.id for request in pending.list_pending(runtime)} == {imported.id, illness.id}
    actual = [pending.get(runtime, request.id).state for request in (leipzig, hamburg)]
    assert actual == ["withdrawn", "withdrawn"]
    undo.undo(runtime, step)
    assert decisions.profile(runtime) == {}
    waits = [request.new_value for request in pending.list_pending(runtime)]
    assert waits[0] == "Dresden", "what was decided last is the newest"
    assert sorted(waits) == ["Berlin", "Dresden", "Hamburg", "Leipzig", "asthma"]
    (again,) = (
        request for request in pending.list_pending(runtime) if request.new_value == "Leipzig"
    )
    decisions.approve(runtime, again.id)
    actual = sorted(request.new_value for request in pending.list_pending(runtime))
    assert actual == ["Berlin", "asthma"]


def test_several_values_of_a_field_that_holds_them_wait_side_by_side(runtime: Runtime) -> None:
    asthma, _ = proposed(runtime, "health", "asthma"), proposed(runtime, "health", "hay fever")
    decisions.approve(runtime, asthma.id)
    assert [request.new_value for request in pending.list_pending(runtime)] == ["hay fever"]


@pytest.mark.parametrize("decide", ["approve", "deny", "set_field"])
def test_what_was_erased_is_no_step_and_hides_no_older_one(runtime: Runtime, decide: str) -> None:
    tea = curate.add(runtime, "I like tea.").step
    if decide == "set_field":
        step = decisions.set_field(runtime, "city", "Oslo")
    else:
        step = getattr(decisions, decide)(
            runtime, proposed(runtime, memory=requested_fact(runtime)).id
        )
    forget.forget_everywhere(runtime, "oslo")
    assert [step.id for step in undo.undoable(runtime)] == [tea]
    with pytest.raises(UsageError, match=r"to undo|undone"):
        undo.undo(runtime, step)
    assert undo.describe(runtime, undo.undo_last(runtime)) == "Remembered “I like tea.”"
    assert (live(runtime), decisions.profile(runtime)) == ([], {})


@pytest.mark.parametrize(
    ("field", "values", "gone", "left"),
    [
        ("city", ("Oslo", "Bergen", "Trondheim"), "Bergen", []),
        ("health", ("asthma", "epilepsy", "migraine"), "epilepsy",
         ["Approved Health “migraine”", "Approved Health “asthma”"]),
        ("health", ("asthma", "gout", "epilepsy"), "epilepsy",
         ["Approved Health “gout”", "Approved Health “asthma”"]),
    ],
)  # fmt: skip
def test_a_value_that_was_erased_does_not_stand_in_the_way_back(
    runtime: Runtime, field: str, values: tuple[str, ...], gone: str, left: list[str]
) -> None:
    curate.add(runtime, "I like tea.")
    first, *_ = [decisions.approve(runtime, proposed(runtime, field, value).id) for value in values]
    forget.forget_everywhere(runtime, gone)
    actual = [undo.describe(runtime, step) for step in undo.undoable(runtime)]
    assert actual == [*left, "Remembered “I like tea.”"]
    assert past_decisions.describe(runtime, first) == f"Approved {label(field)} “{values[0]}”"
    if not left:
        with pytest.raises(UsageError, match="nothing to undo"):
            undo.undo(runtime, first)
    for _ in left:
        undo.undo_last(runtime)
    assert (field in decisions.profile(runtime)) is (not left)


def test_a_step_of_which_a_part_was_erased_everywhere_gives_the_rest_back(runtime: Runtime) -> None:
    bergen, oslo = proposed(runtime, value="Bergen"), proposed(runtime)
    step = decisions.approve(runtime, oslo.id)
    assert pending.get(runtime, bergen.id).state == "withdrawn"
    forget.forget_everywhere(runtime, "bergen")
    assert past_decisions.describe(runtime, step) == "Approved Home “Oslo”"
    undo.undo(runtime, step)
    assert decisions.profile(runtime) == {}
    assert [request.new_value for request in pending.list_pending(runtime)] == ["Oslo"]


def test_an_older_step_undone_makes_nothing_known_that_needs_a_yes_by_now(runtime: Runtime) -> None:
    approved(runtime, "city", "Oslo", "I live in Oslo.")
    (oslo,) = curate.list_memories(runtime)
    thrown = curate.discard(runtime, oslo.id)
    decisions.clear_field(runtime, "city")
    with pytest.raises(NeedsYes, match="stays in the trash"):
        undo.undo(runtime, thrown.step)
    assert (live(runtime), decisions.profile(runtime)) == ([], {})
    assert thrown.step not in [step.id for step in undo.undoable(runtime)]
    (asked,) = pending.list_pending(runtime)
    assert pending.memory_text(runtime, asked.id) == "I live in Oslo."
    decisions.approve(runtime, asked.id)
    assert [memory.id for memory in curate.list_memories(runtime)] == [oslo.id]


def test_what_was_put_off_is_woken_all_at_once(runtime: Runtime) -> None:
    requests = [proposed(runtime, "city"), proposed(runtime, "health", "asthma")]
    steps = [decisions.snooze(runtime, request.id) for request in requests]
    assert [request.id for request in pending.list_snoozed(runtime)] == [
        request.id for request in requests
    ]
    assert sorted(past_decisions.wake_snoozed(runtime)) == sorted(steps)
    assert (pending.list_snoozed(runtime), len(pending.list_pending(runtime))) == ([], 2)
    decisions.approve(runtime, requests[1].id)
    step = decisions.snooze(runtime, proposed(runtime, "health", "migraine").id)
    forget.forget_everywhere(runtime, "asthma")
    assert past_decisions.wake_snoozed(runtime) == [step]
    assert pending.list_snoozed(runtime) == [], "forgetting left it alone"
