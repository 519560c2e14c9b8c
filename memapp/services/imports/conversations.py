"""Conversations of other programs as chats: their pieces put together, and a time for each message,
whatever the export says.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from memapp.domain.foreign.found import ForeignConversation, joined
from memapp.domain.portable import MessageLine, ThreadLine
from memapp.services.imports.documents import Numbered
from memapp.store.encoding import derived_id, to_text

PERSONA = "companion"
UNTITLED = "Imported chat"
NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands in the id, and nowhere else, of what has no time of its own: so the same always has the
same id.
"""


def put_together(found: Iterable[Numbered]) -> Iterator[Numbered]:
    """Yield what was found, the pieces of each conversation as one; what stands between the pieces
    comes before it.
    """
    place, pieces = "", list[ForeignConversation]()
    for here, item in found:
        if not isinstance(item, ForeignConversation):
            yield here, item
            continue
        if pieces and item.source != pieces[0].source:
            yield place, _one(pieces)
            pieces = []
        place = place if pieces else here
        pieces.append(item)
    if pieces:
        yield place, _one(pieces)


def _one(pieces: list[ForeignConversation]) -> ForeignConversation:
    """Return one conversation; of several pieces the messages are in the order of their times, if
    all have one.
    """
    if len(pieces) == 1:
        return pieces[0]
    said = [message for piece in pieces for message in piece.said]
    times = [message.at for message in said if message.at]
    ordered = (
        sorted(said, key=lambda message: message.at or NO_TIME) if len(times) == len(said) else said
    )
    return replace(
        pieces[0],
        title=next((piece.title for piece in pieces if piece.title), ""),
        created_at=next((piece.created_at for piece in pieces if piece.created_at), None),
        updated_at=max((piece.updated_at for piece in pieces if piece.updated_at), default=None),
        said=tuple(ordered),
    )


def as_lines(one: ForeignConversation, beside: datetime) -> tuple[ThreadLine, list[MessageLine]]:
    """Return the chat that a conversation becomes, and its messages, each reply to the one before.

    A message without a time has that of a neighbour: of the one before, else of the conversation,
    else of the next one, else of what stands beside the conversation. The same conversation has the
    same ids each time.
    """
    said = list(joined(one.said))
    begun = next(
        time
        for time in (one.created_at, *(message.at for message in said), one.updated_at, beside)
        if time
    )
    thread_id, at, lines = (
        derived_id(one.created_at or NO_TIME, one.source),
        begun,
        list[MessageLine](),
    )
    for number, message in enumerate(said, start=1):
        at = message.at or at
        asked = (
            lines[-1].id
            if message.role == "assistant" and lines and lines[-1].role == "user"
            else None
        )
        lines.append(
            MessageLine(
                type="message",
                id=derived_id(message.at or NO_TIME, f"{one.source} {number}"),
                thread_id=thread_id,
                seq=number,
                role=message.role,
                text=message.text,
                status="complete",
                origin="import",
                pasted=[],
                unprompted=message.role == "assistant" and asked is None,
                reply_to=asked,
                active=True,
                model="",
                usage={},
                created_at=to_text(at),
                time_estimated=message.at is None,
            )
        )
    thread = ThreadLine(
        type="thread",
        id=thread_id,
        title=one.title or UNTITLED,
        titled_by="person",
        persona=PERSONA,
        created_at=to_text(begun),
        updated_at=max(
            to_text(one.updated_at or begun), *(line.created_at for line in lines), to_text(begun)
        ),
        deleted_at=None,
    )
    return thread, lines
