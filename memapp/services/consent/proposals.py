"""What other programs propose to remember: it waits for the person, who alone decides."""

from datetime import timedelta
from typing import NamedTuple

from memapp.domain.consent import FACT, FORGOTTEN, REQUEST_DAYS, ConsentRequest
from memapp.domain.memory import Kind, Memory
from memapp.errors import NotFound, Refused
from memapp.language.wording import normalise
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.store import consents
from memapp.store.forget import erasing
from memapp.store.session import Session


class Proposed(NamedTuple):
    """What an agent proposes."""

    text: str
    quote: str
    category: str
    instead_of: str = ""


def propose(runtime: Runtime, agent: str, said: Proposed, most: int) -> ConsentRequest:
    """Queue a consent request of an agent's own, whatever others asked about: it must learn nothing
    from how that went.

    The same again is the request that waits. Raises `Refused` for what the person said no to
    lately, and where `most` wait.
    """
    with runtime.write() as session:
        waits = _waiting(session, agent)
        if same := next(
            (
                request
                for request in waits
                if (request.new_value, request.old_value) == (said.text, said.instead_of)
            ),
            None,
        ):
            return same
        since, denied = (
            session.now - timedelta(days=REQUEST_DAYS),
            consents.list_requests(session, state="denied", proposer=agent),
        )
        lately = [
            request for request in denied if request.decided_at and request.decided_at > since
        ]
        if any(normalise(request.new_value) == normalise(said.text) for request in lately):
            raise Refused("The person said no to this lately.", "Do not propose it again.")
        if len(waits) >= most:
            raise Refused(
                f"{len(waits)} proposals of this agent wait already, and no more may.",
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
    """Take back what an agent proposed itself. Raises `NotFound` if nothing of the kind waits."""
    with runtime.decide() as session:
        request = next(
            (request for request in _waiting(session, agent) if request.id == request_id), None
        )
        if request is None:
            raise NotFound(
                "Nothing that this agent proposed waits under this id.",
                "What is remembered the person changes.",
            )
        pending.end(session, request, "withdrawn", "agent", runtime.actor(name=agent))


def _waiting(session: Session, agent: str) -> list[ConsentRequest]:
    found = consents.list_requests(session, state="pending", proposer=agent)
    return [request for request in found if pending.is_open(session, request)]
