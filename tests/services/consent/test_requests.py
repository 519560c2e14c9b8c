"""Some values are proposed, some are not, and some apply by themselves."""

import sqlite3

import pytest

from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import undo
from memapp.services.consent import decisions, pending, requests
from memapp.store import chat
from tests.builders import new_chat
from tests.services.consent.builders import later, proposed, typed


def test_the_same_statement_adds_evidence_and_no_second_request(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    one, two = typed(runtime, thread), typed(runtime, thread)
    first = proposed(runtime, message_id=one.id, typed=True)
    again = proposed(runtime, value=" oslo ", message_id=two.id, typed=True)
    once_more = proposed(runtime, message_id=two.id, typed=True)
    assert (again.id, once_more.evidence) == (first.id, tuple(sorted([one.id, two.id])))


@pytest.mark.parametrize(
    ("field", "value", "again"),
    [
        ("pronouns", "They / Them", "they/them"),
        ("city", "Straße 7 [x]*?", "STRASSE  7 [X]*?"),
        ("city", "STRASSE", "Straße."),
        ("city", "Ｏslo", "oslo"),
        ("city", "Łódź", "łÓDŹ"),
        ("contact", "a " * 138 + "b", "A " * 138 + "b."),
    ],
)
def test_a_value_that_waits_is_known_again_in_another_spelling(
    runtime: Runtime, field: str, value: str, again: str
) -> None:
    proposed(runtime, "contact", "a " * 139)
    first = proposed(runtime, field, value)
    assert proposed(runtime, field, again).id == first.id
    assert proposed(runtime, field, "Bergen").id != first.id


def test_what_the_profile_says_is_not_proposed_again(runtime: Runtime) -> None:
    decisions.approve(runtime, proposed(runtime).id)
    assert requests.propose(runtime, "city", "OSLO") is None


def test_what_was_denied_is_not_proposed_again_for_a_week(runtime: Runtime) -> None:
    decisions.deny(runtime, proposed(runtime).id)
    assert requests.propose(runtime, "city", "Oslo") is None
    assert proposed(runtime, value="Bergen").new_value == "Bergen"
    later(runtime, days=8)
    assert proposed(runtime).state == "pending"


def test_a_denial_taken_back_or_from_a_clock_ahead_keeps_nothing_away(runtime: Runtime) -> None:
    undo.undo(runtime, decisions.deny(runtime, proposed(runtime).id))
    decisions.approve(runtime, pending.list_pending(runtime)[0].id)
    decisions.set_field(runtime, "city", "Bergen")
    later(runtime, days=3650)
    decisions.deny(runtime, proposed(runtime, "health", "asthma").id)
    later(runtime, days=-3650)
    actual = [proposed(runtime).new_value, proposed(runtime, "health", "asthma").new_value]
    assert actual == ["Oslo", "asthma"]


def test_a_field_that_does_not_exist_is_refused(runtime: Runtime) -> None:
    with pytest.raises(UsageError, match="no profile field 'shoe_size'"):
        requests.propose(runtime, "shoe_size", "42")


def test_another_broken_rule_of_the_store_is_not_called_a_missing_field(runtime: Runtime) -> None:
    with pytest.raises(sqlite3.IntegrityError), runtime.write() as session:
        pending.add(session, "city", "", "x" * 281, "person", None)


def test_two_typed_messages_apply_a_benign_field(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    one, two = typed(runtime, thread), typed(runtime, thread)
    proposed(runtime, "tone", "short", message_id=one.id, typed=True)
    proposed(runtime, "tone", "short", message_id=one.id, typed=True)
    assert decisions.profile(runtime) == {}, "the same message counts once"
    decisions.set_field(runtime, "tone", much := "x" * 280)
    applied = proposed(runtime, "tone", "short", message_id=two.id, typed=True)
    assert (applied.state, applied.decided_by) == ("applied", "signals")
    assert decisions.profile(runtime) == {"tone": ("short", much)}


def test_signals_that_were_not_typed_or_no_longer_stand_count_for_nothing(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    one, two, three = (typed(runtime, thread) for _ in range(3))
    proposed(runtime, "tone", "short", message_id=one.id, typed=True)
    proposed(runtime, "tone", "short", message_id=two.id, typed=False)
    with runtime.write() as session:
        chat.set_active(session, [one.id], active=False)
    assert proposed(runtime, "tone", "short", message_id=three.id, typed=True).state == "pending"


def test_no_number_of_signals_applies_a_sensitive_field(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for _ in range(5):
        request = proposed(
            runtime, "health", "asthma", message_id=typed(runtime, thread).id, typed=True
        )
    assert (request.state, decisions.profile(runtime)) == ("pending", {})


def test_a_reopened_benign_request_does_not_apply_by_itself(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for _ in range(2):
        proposed(runtime, "tone", "short", message_id=typed(runtime, thread).id, typed=True)
    undo.undo_last(runtime)
    assert (
        proposed(runtime, "tone", "short", message_id=typed(runtime, thread).id, typed=True).state
        == "pending"
    )
    assert decisions.profile(runtime) == {}


@pytest.mark.parametrize(
    "goal",
    ["come out as gay", "get sober", "beat my depression", "get a divorce", "pay off my debts"],
)
def test_a_goal_that_tells_something_sensitive_waits_for_a_yes(runtime: Runtime, goal: str) -> None:
    thread = new_chat(runtime)
    for _ in range(3):
        request = proposed(
            runtime, "goals_add", goal, message_id=typed(runtime, thread).id, typed=True
        )
    assert (request.state, decisions.profile(runtime)) == ("pending", {})


def test_a_message_that_is_read_again_brings_back_nothing_decided(runtime: Runtime) -> None:
    message = typed(runtime, new_chat(runtime))
    decisions.edit_then_approve(
        runtime, proposed(runtime, message_id=message.id, typed=True).id, "Bergen"
    )
    assert requests.propose(runtime, "city", "Oslo", message_id=message.id, typed=True) is None
    assert decisions.profile(runtime) == {"city": ("Bergen",)}
