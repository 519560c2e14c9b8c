"""Conversations of other programs as chats: pieces joined, and a time for each message."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memapp.domain.foreign.items import ForeignConversation, ForeignMessage, joined
from memapp.domain.portable import MessageLine, ThreadLine
from memapp.services.imports.documents import Numbered
from memapp.store.encoding import derived_id, to_text

PERSONA = "companion"
UNTITLED = "Imported chat"
NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""Used only in ids, for messages without a time, so that equal imports get equal ids."""


def put_together(numbered: Iterable[Numbered]) -> Iterator[Numbered]:
    """Yield items with the pieces of each conversation joined, and items between them first."""
    place, pieces = "", list[ForeignConversation]()
    for item_place, item in numbered:
        if not isinstance(item, ForeignConversation):
            yield item_place, item
            continue
        if pieces and item.source != pieces[0].source:
            yield place, _join(pieces)
            pieces = []
        place = place if pieces else item_place
        pieces.append(item)
    if pieces:
        yield place, _join(pieces)


def _join(pieces: list[ForeignConversation]) -> ForeignConversation:
    """Join the pieces of a conversation, by the times of its messages if all have one."""
    if len(pieces) == 1:
        return pieces[0]
    messages = [message for piece in pieces for message in piece.said]
    times = [message.at for message in messages if message.at]
    ordered = (
        sorted(messages, key=lambda message: message.at or NO_TIME)
        if len(times) == len(messages)
        else messages
    )
    return replace(
        pieces[0],
        title=next((piece.title for piece in pieces if piece.title), ""),
        created_at=next((piece.created_at for piece in pieces if piece.created_at), None),
        updated_at=max((piece.updated_at for piece in pieces if piece.updated_at), default=None),
        said=tuple(ordered),
    )


def as_lines(
    conversation: ForeignConversation, beside: datetime
) -> tuple[ThreadLine, list[MessageLine]]:
    """Return the chat of a conversation and its messages, each reply linked to its message.

    A message without a time has that of a neighbour: the message before, else the conversation,
    else the next message, else `beside`. The same conversation has the same ids each time.
    """
    messages = list(joined(conversation.said))
    begun = next(
        time
        for time in (
            conversation.created_at,
            *(message.at for message in messages),
            conversation.updated_at,
            beside,
        )
        if time
    )
    thread_id = derived_id(conversation.created_at or NO_TIME, conversation.source)
    at, lines = begun, list[MessageLine]()
    for number, message in enumerate(messages, start=1):
        at = message.at or at
        line_id = derived_id(message.at or NO_TIME, f"{conversation.source} {number}")
        lines.append(_line(message, line_id, thread_id, number, at, lines))
    thread = ThreadLine(
        type="thread",
        id=thread_id,
        title=conversation.title or UNTITLED,
        titled_by="person",
        persona=PERSONA,
        created_at=to_text(begun),
        updated_at=max(
            to_text(conversation.updated_at or begun),
            *(line.created_at for line in lines),
            to_text(begun),
        ),
        deleted_at=None,
    )
    return thread, lines


def _line(
    message: ForeignMessage,
    line_id: str,
    thread_id: str,
    number: int,
    at: datetime,
    before: Sequence[MessageLine],
) -> MessageLine:
    is_reply = message.role == "assistant"
    question_id = before[-1].id if is_reply and before and before[-1].role == "user" else None
    return MessageLine(
        type="message",
        id=line_id,
        thread_id=thread_id,
        seq=number,
        role=message.role,
        text=message.text,
        status="complete",
        origin="import",
        pasted=[],
        unprompted=is_reply and question_id is None,
        reply_to=question_id,
        active=True,
        model="",
        usage={},
        created_at=to_text(at),
        time_estimated=message.at is None,
    )
