"""The rows of a file that need no decision: chats with their messages, of memapp or of another program, relations and the like.

A row comes in only with the chat or the memory that it belongs to. So what is here already stays as it is, and an undo, which
takes back chats and memories, takes back all of it.
"""

from memapp.domain.foreign import ForeignConversation
from memapp.domain.portable import MessageLine, PredictionLine, RecallLine, RelationLine, Row, ThreadLine
from memapp.errors import UsageError
from memapp.services.imports.work import Work
from memapp.store import chat, history, portable
from memapp.store.encoding import derived_id, to_text

PERSONA = "companion"


def take_row(work: Work, row: Row) -> None:
    """Write a line as the row that it was, unless it is here, or belongs to what was here before."""
    if portable.find(work.session, row) is not None:
        if isinstance(row, ThreadLine) and not row.deleted_at and history.went_with_import(work.session, row.id):
            chat.set_thread_deleted(work.session, row.id, None)
            _added(work, row)
        else:
            work.known += 1
        return
    missing = portable.missing_reference(work.session, row)
    if missing and missing not in work.absent:
        raise UsageError(f"There is no {missing}, of which this speaks.")
    if missing or not _comes_along(work, row):
        work.left_out += not isinstance(row, RelationLine | RecallLine)  # of a memory that waits; what is related is found anew
        if isinstance(row, MessageLine | PredictionLine):
            work.absent.add(row.id)
    elif portable.insert(work.session, row):
        _added(work, row)
    else:
        work.known += 1


def _comes_along(work: Work, row: Row) -> bool:
    match row:
        case ThreadLine():
            return True
        case RelationLine():
            return not work.came.isdisjoint((row.from_id, row.to_id))
        case RecallLine():
            return row.message_id in work.came and row.owner_id not in work.absent
        case _:
            return row.thread_id in work.came


def _added(work: Work, row: Row) -> None:
    work.added[row.type] += 1
    if isinstance(row, ThreadLine | MessageLine):
        work.came.add(row.id)
    if isinstance(row, ThreadLine):
        work.thread_ids.append(row.id)


def take_conversation(work: Work, one: ForeignConversation) -> None:
    """Make a chat of a conversation of another program, unless it came in before or nothing was said."""
    if not one.said:
        work.left_out += 1
        return
    thread = _thread_of(one)
    is_new = portable.find(work.session, thread) is None
    take_row(work, thread)
    for message in _messages_of(one, thread.id) if is_new else ():
        take_row(work, message)


def _thread_of(one: ForeignConversation) -> ThreadLine:
    """Return the chat that a conversation becomes; the same one has the same id each time."""
    return ThreadLine(
        type="thread",
        id=derived_id(one.created_at, one.source),
        title=one.title,
        titled_by="person",
        persona=PERSONA,
        created_at=to_text(one.created_at),
        updated_at=to_text(max(one.updated_at, *(said.at for said in one.said))),
        deleted_at=None,
    )


def _messages_of(one: ForeignConversation, thread_id: str) -> list[MessageLine]:
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
