"""Proposals of other programs: each waits for the person, who alone decides."""

from datetime import timedelta
from typing import NamedTuple

from memapp.domain.consent import FACT, FORGOTTEN, REQUEST_DAYS, ConsentRequest
from memapp.domain.memory import Kind, Memory
from memapp.errors import NotFound, Refused
from memapp.language.normal_form import normalise
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.store import consents
from memapp.store.forget import erasing
from memapp.store.session import Session


class Proposed(NamedTuple):
    """A memory that an agent proposes."""

    text: str
    quote: str
    category: str
    instead_of: str = ""


def propose(runtime: Runtime, agent: str, said: Proposed, most: int) -> ConsentRequest:
    """Add a consent request of an agent; return the pending one if it proposed the same before.

    Requests of others play no part, so that an agent learns nothing of their outcome. Raises
    `Refused` for a proposal the person denied lately, and while `most` are pending.
    """
    with runtime.write() as session:
        open_requests = _pending_of_agent(session, agent)
        if same := next(
            (
                request
                for request in open_requests
                if (request.new_value, request.old_value) == (said.text, said.instead_of)
            ),
            None,
        ):
            return same
        since = session.now - timedelta(days=REQUEST_DAYS)
        denied = consents.list_requests(session, state="denied", proposer=agent)
        lately = [
            request for request in denied if request.decided_at and request.decided_at > since
        ]
        if any(normalise(request.new_value) == normalise(said.text) for request in lately):
            raise Refused("The person denied this lately.", "Do not propose it again.")
        if len(open_requests) >= most:
            raise Refused(
                f"{len(open_requests)} proposals of this agent are pending, which is the limit.",
                "The person decides in memapp.",
            )
        memory = Memory(
            id=session.new_id(),
            text=said.text,
            tags=(),
            kind=Kind.SEMANTIC,
            category=said.category,
            importance=2,
            origin="agent",
            created_at=session.now,
            updated_at=session.now,
        )
        field = FORGOTTEN if erasing.is_forgotten(session, said.text) else FACT
        return pending.add(
            session, field, said.instead_of, said.text, agent, memory, quote=said.quote
        )


def withdraw(runtime: Runtime, agent: str, request_id: str) -> None:
    """Withdraw an agent's own proposal; raise `NotFound` if none is pending under the id."""
    with runtime.decide() as session:
        request = next(
            (request for request in _pending_of_agent(session, agent) if request.id == request_id),
            None,
        )
        if request is None:
            raise NotFound(
                "This agent has no pending proposal with this id.",
                "Only the person changes memories.",
            )
        pending.end(session, request, "withdrawn", "agent", runtime.actor(name=agent))


def _pending_of_agent(session: Session, agent: str) -> list[ConsentRequest]:
    requests = consents.list_requests(session, state="pending", proposer=agent)
    return [request for request in requests if pending.is_open(session, request)]
