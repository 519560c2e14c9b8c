"""Converts chats and facts of other programs into memapp's own form."""

from datetime import datetime

from memapp.domain.categories import NOTES
from memapp.domain.foreign import ForeignConversation, ForeignFact
from memapp.domain.memory import Kind, Memory
from memapp.domain.portable import MessageLine, ThreadLine
from memapp.domain.tags import tags_for
from memapp.store.encoding import derived_id, to_text

IMPORTANCE = 2


def thread_of(one: ForeignConversation, persona: str) -> ThreadLine:
    """Return the chat that a conversation becomes; the same one has the same id each time."""
    return ThreadLine(
        type="thread",
        id=derived_id(one.created_at, one.source),
        title=one.title,
        titled_by="person",
        persona=persona,
        created_at=to_text(one.created_at),
        updated_at=to_text(max(one.updated_at, *(said.at for said in one.said))),
        deleted_at=None,
    )


def messages_of(one: ForeignConversation, thread_id: str) -> list[MessageLine]:
    """Return the messages of a conversation: each reply to the message before it."""
    lines: list[MessageLine] = []
    for number, said in enumerate(one.said, start=1):
        asked = lines[-1].id if said.role == "assistant" and lines and lines[-1].role == "user" else None
        lines.append(
            MessageLine(
                type="message",
                id=derived_id(said.at, f"{one.source} {number}"),
                thread_id=thread_id,
                seq=number,
                role=said.role,
                text=said.text,
                status="complete",
                origin="import",
                pasted=[],
                unprompted=said.role == "assistant" and asked is None,
                reply_to=asked,
                active=True,
                model="",
                usage={},
                created_at=to_text(said.at),
            )
        )
    return lines


def memory_of(note: ForeignFact, memory_id: str, now: datetime) -> Memory:
    """Return the memory that a fact of another program becomes."""
    return Memory(
        id=memory_id,
        text=note.text,
        tags=note.tags or tuple(tags_for(note.text)),
        kind=Kind.SEMANTIC,
        category=NOTES,
        importance=IMPORTANCE,
        origin="import",
        created_at=note.created_at or now,
        updated_at=now,
    )
