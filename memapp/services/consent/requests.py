"""Proposing profile values, each once; a benign value typed twice applies without a yes."""

from datetime import timedelta

from memapp.domain.changes import is_foreign, is_memapp
from memapp.domain.consent import REQUEST_DAYS, ConsentRequest, corroborated
from memapp.domain.memory import Memory
from memapp.domain.profile import VALUE_CHARS, has_value
from memapp.domain.text import clean, one_line
from memapp.language.consent import proposes
from memapp.language.sensitive import may_apply_by_itself
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.services.trust import is_blocked, leave
from memapp.store import consents, events
from memapp.store.session import Session


def propose(
    runtime: Runtime,
    field: str,
    value: str,
    *,
    message_id: str = "",
    typed: bool = False,
    memory: Memory | None = None,
    proposer: str = "rules",
    old: str = "",
) -> ConsentRequest | None:
    """Propose a value of a field in place of `old`, with a memory held until approval.

    A repeated proposal only adds its message as evidence, also to a request denied within the last
    week. A value of the profile, or one this message proposed and the person decided, is not
    proposed again. A benign value applies by itself when two typed messages say it and it reveals
    nothing sensitive. A value said here replaces the same proposal of an import or another program.
    Returns the request; None if there is nothing to decide.
    """
    value = one_line(clean(value))[:VALUE_CHARS]
    with runtime.write() as session:
        actor = runtime.actor(name="profile")
        if is_blocked(session, proposer) or (
            value and has_value(field, pending.current(session, field), value)
        ):
            return None
        same = pending.pending_for(session, field, value)
        brought = [
            request
            for request in same
            if is_foreign(request.proposer) and request.proposer != proposer
        ]
        request = next((request for request in same if request not in brought), None)
        if request is None:
            if denied := _denied_lately(session, field, value):
                if message_id:  # withholds the value in this message, too
                    consents.add_evidence(session, denied.id, message_id, typed=False)
                return None
            if _was_decided(session, field, value, message_id):
                return None
            pending.end_all(runtime, [request.id for request in brought], actor, "signals")
            request = pending.add(session, field, old, value, proposer, memory)
            meta = {"field": field, "request_id": request.id}
            events.add_event(session, "worker", "propose", "ok", category="profile", meta=meta)
        if message_id:
            consents.add_evidence(session, request.id, message_id, typed=typed)
        signals = consents.signals(session, request.id)
        by_itself = is_memapp(request.proposer) and value and may_apply_by_itself(field, value)
        if by_itself and corroborated(signals) and leave(session, request.proposer) == "write":
            with runtime.decide() as deciding:
                decisions.carry_out(deciding, runtime, request, "signals", actor)
        return consents.get_request(session, request.id)


def _denied_lately(session: Session, field: str, value: str) -> ConsentRequest | None:
    denied = consents.list_requests(session, state="denied", field=field)
    lately = [
        request
        for request in denied
        if request.decided_at
        and abs(session.now - request.decided_at) < timedelta(days=REQUEST_DAYS)
    ]
    return next(
        (
            request
            for request in lately
            if proposes(request, value) and not _was_reopened(session, request)
        ),
        None,
    )


def _was_reopened(session: Session, request: ConsentRequest) -> bool:
    return any(
        entry.meta.get("decision") == "reopened"
        for entry in consents.entries_about(session, request)
    )


def _was_decided(session: Session, field: str, value: str, message_id: str) -> bool:
    """Return True if this message was read before and its request was decided."""
    requests = (
        consents.list_requests(session, field=field, message_id=message_id) if message_id else []
    )
    return any(request.state != "pending" and proposes(request, value) for request in requests)
