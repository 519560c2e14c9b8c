"""Consent policy: no sensitive field changes without consent, and the audit trail contains the
decision.
"""

from datetime import timedelta

import pytest

from memapp.domain.turn_events import Accepted
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.consent import decisions, pending, requests
from memapp.services.upkeep import work
from memapp.store import consents, history
from tests.builders import Clock, new_chat, only, say

pytestmark = pytest.mark.made_with(ask_in_chat=False)

STATEMENTS = {
    "preferred_name": "My name is Ana.",
    "pronouns": "My pronouns are they/them.",
    "city": "I live in Oslo.",
    "language": "Please answer me in Norwegian.",
}


@pytest.mark.parametrize("field", STATEMENTS)
def test_no_sensitive_field_changes_without_consent(runtime: Runtime, field: str) -> None:
    for _ in range(3):
        say(runtime, new_chat(runtime), STATEMENTS[field])
        list(work(runtime, None, Cancel()))
    assert decisions.profile(runtime) == {}
    assert curate.list_memories(runtime) == []
    (request,) = pending.list_pending(runtime)
    assert (request.field, request.expires_at - request.created_at) == (field, timedelta(days=7))
    decisions.approve(runtime, request.id)
    assert decisions.profile(runtime) == {field: (request.new_value,)}


def test_an_undecided_request_is_gone_after_seven_days(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), STATEMENTS["city"])
    assert isinstance(runtime.clock, Clock)
    (request,) = pending.list_pending(runtime)
    runtime.clock.now += timedelta(days=7, hours=1)
    assert (pending.list_pending(runtime), decisions.profile(runtime)) == ([], {})
    with pytest.raises(UsageError, match="over"):
        decisions.approve(runtime, request.id)
    for _ in range(3):
        assert pending.expire_due(runtime) == [], "the clock of today may be wrong"
        runtime.clock.now += timedelta(days=1)
        say(runtime, new_chat(runtime), "Good morning!")
    assert [request.id for request in pending.expire_due(runtime)] == [request.id]


def test_a_benign_field_applies_by_two_signals(runtime: Runtime) -> None:
    for known in ({}, {"goals_add": ("run further",)}):
        said = only(Accepted, say(runtime, new_chat(runtime), "I want to run further.")).message
        requests.propose(runtime, "goals_add", "run further", message_id=said.id, typed=True)
        assert decisions.profile(runtime) == known


def test_audit_trail_contains_the_decision(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), STATEMENTS["city"])
    say(runtime, new_chat(runtime), STATEMENTS["pronouns"])
    by_field = {request.field: request for request in pending.list_pending(runtime)}
    decisions.approve(runtime, by_field["city"].id)
    decisions.deny(runtime, by_field["pronouns"].id)
    undo.undo_last(runtime)
    session = runtime.read()
    entries = [
        entry
        for entry in reversed(history.list_entries(session))
        if entry.subject_id.startswith("profile:")
    ]
    assert [
        (entry.subject_id, entry.meta.get("decision", "approved"), entry.actor) for entry in entries
    ] == [
        ("profile:city", "approved", "person"),
        ("profile:pronouns", "denied", "person"),
        ("profile:pronouns", "reopened", "person"),
    ]
    decided = {
        request.field: request for request in consents.list_requests(session) if request.decided_at
    }
    assert {field: (request.state, request.decided_by) for field, request in decided.items()} == {
        "city": ("applied", "person"),
        "pronouns": ("denied", "person"),
    }
    assert all(
        entry.meta["request_id"] in (decided["city"].id, decided["pronouns"].id)
        for entry in entries
    )
