"""Proposals, decisions and taking them back, on a real store."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memapp.domain.chat import Message, Origin, Role
from memapp.domain.consent import Patch
from memapp.domain.history import Event
from memapp.errors import NotFound, UsageError
from memapp.runtime import Runtime
from memapp.services import consent, curate, undo
from memapp.services.consent import FORGOTTEN
from memapp.store import chat, consents
from tests.builders import Clock, make_runtime, new_chat


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path, embedder=False)
    yield opened
    opened.close()


def typed(runtime: Runtime, thread: str, text: str = "words") -> Message:
    with runtime.database.write() as conn:
        return chat.add_message(conn, runtime.user_id, thread, Role.USER, text, runtime.clock(), origin=Origin.TYPED)


def proposed(runtime: Runtime, field: str = "city", value: str = "Oslo", **more: object) -> Patch:
    patch = consent.propose(runtime, field, value, **more)  # type: ignore[arg-type]
    assert patch is not None
    return patch


def later(runtime: Runtime, **time: int) -> None:
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(**time)


def held_fact(runtime: Runtime, text: str = "User lives in Oslo near the harbour.") -> object:
    """A memory that is not in the store, as it comes out of distilling."""
    memory = curate.get(runtime, curate.add(runtime, text).memory_id)
    undo.undo_last(runtime)
    return replace(memory, origin="distilled")


def live(runtime: Runtime) -> list[str]:
    return [memory.text for memory in curate.list_memories(runtime)]


def test_a_proposal_changes_nothing_until_it_is_approved(runtime: Runtime) -> None:
    patch = proposed(runtime)
    assert consent.profile(runtime) == {}
    assert (consent.count_waiting(runtime), [one.id for one in consent.waiting(runtime)]) == (1, [patch.id])
    consent.approve(runtime, patch.id)
    assert consent.profile(runtime) == {"city": "Oslo"}
    assert consent.count_waiting(runtime) == 0
    decided = consents.get_patch(runtime.database.read(), runtime.user_id, patch.id)
    assert (decided.state, decided.decided_by) == ("applied", "person")


def test_the_same_statement_adds_evidence_and_no_second_proposal(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    one, two = typed(runtime, thread), typed(runtime, thread)
    first = proposed(runtime, message_id=one.id, typed=True)
    again = proposed(runtime, value=" oslo ", message_id=two.id, typed=True)
    once_more = proposed(runtime, message_id=two.id, typed=True)
    assert (again.id, once_more.evidence) == (first.id, tuple(sorted([one.id, two.id])))


def test_what_the_profile_says_is_not_proposed_again(runtime: Runtime) -> None:
    consent.approve(runtime, proposed(runtime).id)
    assert consent.propose(runtime, "city", "OSLO") is None


def test_what_was_denied_is_not_proposed_again_for_a_week(runtime: Runtime) -> None:
    consent.deny(runtime, proposed(runtime).id)
    assert consent.propose(runtime, "city", "Oslo") is None
    assert proposed(runtime, value="Bergen").new_value == "Bergen"
    later(runtime, days=8)
    assert proposed(runtime).state == "pending"


def test_a_field_that_does_not_exist_is_refused(runtime: Runtime) -> None:
    with pytest.raises(UsageError, match="no profile field 'shoe_size'"):
        consent.propose(runtime, "shoe_size", "42")


def test_two_typed_messages_apply_a_benign_field(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    one, two = typed(runtime, thread), typed(runtime, thread)
    proposed(runtime, "tone", "short", message_id=one.id, typed=True)
    proposed(runtime, "tone", "short", message_id=one.id, typed=True)
    assert consent.profile(runtime) == {}, "the same message counts once"
    applied = proposed(runtime, "tone", "short", message_id=two.id, typed=True)
    assert (applied.state, applied.decided_by) == ("applied", "signals")
    assert consent.profile(runtime) == {"tone": "short"}


def test_signals_that_were_not_typed_or_no_longer_stand_count_for_nothing(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    one, two, three = (typed(runtime, thread) for _ in range(3))
    proposed(runtime, "tone", "short", message_id=one.id, typed=True)
    proposed(runtime, "tone", "short", message_id=two.id, typed=False)
    with runtime.database.write() as conn:
        chat.set_active(conn, [one.id], active=False)
    assert proposed(runtime, "tone", "short", message_id=three.id, typed=True).state == "pending"


def test_no_number_of_signals_applies_a_sensitive_field(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for _ in range(5):
        patch = proposed(runtime, "health", "asthma", message_id=typed(runtime, thread).id, typed=True)
    assert (patch.state, consent.profile(runtime)) == ("pending", {})


def test_a_held_memory_is_created_by_a_yes_and_dropped_by_a_no(runtime: Runtime) -> None:
    patch = proposed(runtime, held=held_fact(runtime))
    assert (live(runtime), consent.held_text(runtime, patch.id)) == ([], "User lives in Oslo near the harbour.")
    consent.approve(runtime, patch.id)
    assert live(runtime) == ["User lives in Oslo near the harbour."]
    consent.deny(runtime, proposed(runtime, "pronouns", "she/her", held=held_fact(runtime, "User's pronouns are she/her.")).id)
    assert live(runtime) == ["User lives in Oslo near the harbour."]


def test_an_approval_is_one_step_and_undo_takes_profile_and_memory_back_and_lets_it_wait_again(runtime: Runtime) -> None:
    patch = proposed(runtime, held=held_fact(runtime))
    step = consent.approve(runtime, patch.id)
    (last, *_) = undo.undoable(runtime)
    assert (last.id, last.entries, last.event) == (step, 2, Event.PROFILE)
    undo.undo_last(runtime)
    assert (consent.profile(runtime), live(runtime)) == ({}, [])
    (again,) = consent.waiting(runtime)
    assert (again.id != patch.id, again.new_value, again.proposer) == (True, "Oslo", "undo")
    consent.approve(runtime, again.id)
    assert (consent.profile(runtime), live(runtime)) == ({"city": "Oslo"}, ["User lives in Oslo near the harbour."])


def test_what_was_taken_back_cannot_be_taken_back_twice(runtime: Runtime) -> None:
    step = consent.approve(runtime, proposed(runtime).id)
    undo.undo(runtime, step)
    with pytest.raises(UsageError, match="already"):
        undo.undo(runtime, step)
    assert step not in [one.id for one in undo.undoable(runtime)]


def test_an_older_approval_is_not_taken_back_over_a_newer_one(runtime: Runtime) -> None:
    first = consent.approve(runtime, proposed(runtime).id)
    consent.approve(runtime, proposed(runtime, value="Bergen").id)
    with pytest.raises(UsageError, match="changed again"):
        undo.undo(runtime, first)
    assert consent.profile(runtime) == {"city": "Bergen"}
    undo.undo_last(runtime)
    assert consent.profile(runtime) == {"city": "Oslo"}
    undo.undo_last(runtime)
    assert consent.profile(runtime) == {}


def test_a_denial_taken_back_waits_again_with_its_evidence(runtime: Runtime) -> None:
    message = typed(runtime, new_chat(runtime))
    consent.deny(runtime, proposed(runtime, message_id=message.id, typed=True).id)
    undo.undo_last(runtime)
    (again,) = consent.waiting(runtime)
    assert (again.new_value, again.evidence, again.state) == ("Oslo", (message.id,), "pending")


def test_a_reopened_benign_proposal_does_not_apply_by_itself(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for _ in range(2):
        proposed(runtime, "tone", "short", message_id=typed(runtime, thread).id, typed=True)
    undo.undo_last(runtime)
    assert proposed(runtime, "tone", "short", message_id=typed(runtime, thread).id, typed=True).state == "pending"
    assert consent.profile(runtime) == {}


def test_snoozing_hides_for_a_while_and_undo_shows_again(runtime: Runtime) -> None:
    patch = proposed(runtime)
    consent.snooze(runtime, patch.id)
    assert consent.waiting(runtime) == []
    undo.undo_last(runtime)
    assert [one.id for one in consent.waiting(runtime)] == [patch.id]
    consent.snooze(runtime, patch.id)
    later(runtime, hours=25)
    assert consent.count_waiting(runtime) == 1


def test_an_edited_value_is_applied_and_the_proposed_one_withdrawn(runtime: Runtime) -> None:
    patch = proposed(runtime, held=held_fact(runtime))
    step = consent.edit_then_approve(runtime, patch.id, "Bergen")
    assert (consent.profile(runtime), live(runtime)) == ({"city": "Bergen"}, [])
    assert consents.get_patch(runtime.database.read(), runtime.user_id, patch.id).state == "withdrawn"
    undo.undo(runtime, step)
    assert consent.profile(runtime) == {}
    assert [(one.new_value, consent.held_text(runtime, one.id)) for one in consent.waiting(runtime)] == [
        ("Oslo", "User lives in Oslo near the harbour.")
    ]


def test_a_request_without_a_value_is_approved_by_editing_only(runtime: Runtime) -> None:
    patch = proposed(runtime, "preferred_name", "")
    with pytest.raises(UsageError, match="no value"):
        consent.approve(runtime, patch.id)
    consent.edit_then_approve(runtime, patch.id, "Ana")
    assert consent.profile(runtime) == {"preferred_name": "Ana"}


def test_a_field_with_several_values_grows(runtime: Runtime) -> None:
    one, other = proposed(runtime, "health", "asthma"), proposed(runtime, "health", "hay fever")
    consent.approve(runtime, one.id)
    (shown,) = consent.waiting(runtime)
    assert (shown.id, shown.old_value, shown.new_value) == (other.id, "asthma", "asthma; hay fever")
    consent.approve(runtime, other.id)
    assert consent.profile(runtime) == {"health": "asthma; hay fever"}
    assert consent.propose(runtime, "health", "Asthma") is None
    undo.undo_last(runtime)
    assert consent.profile(runtime) == {"health": "asthma"}


def test_a_proposal_expires_after_seven_days_and_cannot_be_approved_then(runtime: Runtime) -> None:
    patch = proposed(runtime)
    later(runtime, days=6)
    assert (consent.expire_due(runtime), consent.count_waiting(runtime)) == ([], 1)
    later(runtime, days=1, hours=1)
    with pytest.raises(UsageError, match="time to decide"):
        consent.approve(runtime, patch.id)
    assert [one.id for one in consent.expire_due(runtime)] == [patch.id]
    assert consents.get_patch(runtime.database.read(), runtime.user_id, patch.id).decided_by == "clock"
    assert consent.profile(runtime) == {}


def test_what_was_decided_is_not_decided_again(runtime: Runtime) -> None:
    patch = proposed(runtime)
    consent.deny(runtime, patch.id)
    for again in (consent.approve, consent.deny, consent.snooze):
        with pytest.raises(UsageError, match="decided already"):
            again(runtime, patch.id)
    with pytest.raises(NotFound):
        consent.approve(runtime, "nobody")


def test_the_person_writes_their_own_profile_and_undo_gives_the_old_value_back(runtime: Runtime) -> None:
    consent.set_field(runtime, "city", "Oslo")
    consent.set_field(runtime, "city", "Bergen")
    consent.set_field(runtime, "city", "")
    assert consent.profile(runtime) == {}
    for expected in ({"city": "Bergen"}, {"city": "Oslo"}, {}):
        undo.undo_last(runtime)
        assert consent.profile(runtime) == expected
    assert consent.waiting(runtime) == [], "what the person wrote is no proposal"
    for field, value in (("city", ""), ("shoe_size", "42"), (FORGOTTEN, "x"), ("city", "x" * 281)):
        with pytest.raises(UsageError):
            consent.set_field(runtime, field, value)


def test_a_fact_that_was_erased_before_is_remembered_by_a_yes_only(runtime: Runtime) -> None:
    fact = held_fact(runtime, "User had a cat called Luna.")
    patch = proposed(runtime, FORGOTTEN, "User had a cat called Luna.", held=fact)
    assert live(runtime) == []
    step = consent.approve(runtime, patch.id)
    assert (live(runtime), consent.profile(runtime)) == (["User had a cat called Luna."], {})
    undo.undo(runtime, step)
    assert (live(runtime), consent.count_waiting(runtime)) == ([], 1)


def test_decisions_stand_in_the_history_without_what_they_were_about(runtime: Runtime) -> None:
    consent.deny(runtime, proposed(runtime).id)
    row = runtime.database.read().execute("SELECT * FROM history WHERE event = 'PROFILE'").fetchone()
    assert (row["memory_id"], row["actor"]) == ("profile:city", "person")
    assert "denied" in row["meta"]
    assert "Oslo" not in "".join(map(str, tuple(row)))


def test_what_waits_with_a_proposal_and_what_was_asked_belong_to_one_person(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    patch = proposed(runtime, held=held_fact(runtime))
    question = consent.ask(runtime, patch.id, thread)
    conn, me = runtime.database.read(), runtime.user_id
    for user, text, asked, since in ((me, True, question.id, 0), ("somebody else", False, "", None)):
        assert (consents.held(conn, user, patch.id) is not None) is text
        assert consents.question_of(conn, user, patch.id) == asked
        assert consents.messages_since_question(conn, user, thread) == since


def brought_in(runtime: Runtime, text: str) -> Patch:
    return proposed(runtime, "city", "Berlin", held=held_fact(runtime, text), proposer="import")


def test_a_yes_in_the_chat_never_creates_a_memory_that_an_import_brought(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    imported = brought_in(runtime, "User has HIV.")
    own = proposed(runtime, "city", "Berlin", message_id=typed(runtime, thread).id, typed=True)
    assert (own.id != imported.id, own.proposer, consent.held_text(runtime, own.id)) == (True, "worker", "")
    assert consent.get(runtime, imported.id).state == "withdrawn", "one value is asked about once"
    question = consent.ask(runtime, own.id, thread)
    assert consent.hear(runtime, question, typed(runtime, thread, "yes")) is True
    assert (consent.profile(runtime), live(runtime)) == ({"city": "Berlin"}, [])


def test_what_an_import_brought_or_an_undo_reopened_is_not_asked_about_in_a_chat(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    message = typed(runtime, thread)
    imported = brought_in(runtime, "User has HIV.")
    with runtime.database.write() as conn:
        consents.add_evidence(conn, imported.id, message.id, typed=False)
        chat.add_message(conn, runtime.user_id, thread, Role.ASSISTANT, "Hello.", runtime.clock(), origin=Origin.MODEL)
    assert consent.ask_about(runtime, message) is None
    with pytest.raises(UsageError, match="chat"):
        consent.ask(runtime, imported.id, thread)
    consent.deny(runtime, imported.id)
    undo.undo_last(runtime)
    (again,) = consent.waiting(runtime)
    with pytest.raises(UsageError, match="chat"):
        consent.ask(runtime, again.id, thread)


@pytest.mark.parametrize(
    ("field", "value", "text", "asked"),
    [
        ("city", "Oslo", "User lives in Oslo.", "Shall I remember that you live in Oslo? (yes / no)"),
        ("preferred_name", "Ana", "User's name is Ana.", "Shall I remember that your name is Ana? (yes / no)"),
        (
            *("city", "Oslo", "User lives in Oslo near the harbour."),
            'Shall I remember that you live in Oslo, in the words "User lives in Oslo near the harbour."? (yes / no)',
        ),
        (
            *("health", "asthma", "User has asthma since the flood."),
            'Shall I remember about you - health: asthma, in the words "User has asthma since the flood."? (yes / no)',
        ),
        (
            *(FORGOTTEN, "User had a cat.", "User had a cat."),
            "Shall I remember about you - what you had me forget: User had a cat.? (yes / no)",
        ),
    ],
)
def test_a_question_shows_the_sentence_that_a_yes_would_keep(
    runtime: Runtime, field: str, value: str, text: str, asked: str
) -> None:
    patch = proposed(runtime, field, value, held=held_fact(runtime, text))
    assert consent.ask(runtime, patch.id, new_chat(runtime)).text == asked
