"""Imports of a file, all or nothing: one transaction, one step of the history, one undo.

Rows that need no decision, such as chats and messages, are imported only with the chat or memory
they belong to. So existing entries stay as they are, and an undo, which removes chats and memories,
removes all of the import.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from memapp.domain.changes import Event
from memapp.domain.foreign.items import (
    ForeignConversation,
    ForeignFact,
    ForeignMessage,
    Found,
    Unread,
)
from memapp.domain.history import IMPORT
from memapp.domain.memory_notes import MemoryNote
from memapp.domain.portable import (
    MAX_ITEMS,
    Item,
    MemoryLine,
    MessageLine,
    PredictionLine,
    ProfileLine,
    RecallLine,
    RelationLine,
    RequestLine,
    Row,
    ThreadLine,
    refusal,
)
from memapp.errors import UsageError
from memapp.language.secrets import without_secrets
from memapp.runtime import Runtime
from memapp.services.imports import files
from memapp.services.imports.conversations import as_lines, put_together
from memapp.services.imports.documents import TOO_MANY, Numbered, read_all
from memapp.services.imports.memories import (
    DECIDED,
    ask_about_chat,
    take_fact,
    take_memory,
    take_note,
    take_profile,
    take_request,
)
from memapp.services.imports.running_import import Imported, Work, named
from memapp.store import chat, history, portable
from memapp.store.history import Touched
from memapp.store.session import Rejected

ADDED_SINCE = "entry of a chat that is here already"


def import_file(runtime: Runtime, path: Path, *, dry_run: bool = False) -> Imported:
    """Import a file or folder, or rehearse the import; raise `UsageError` for any invalid entry."""
    with runtime.rehearse() if dry_run else runtime.write() as session:
        written = (
            datetime.fromtimestamp(path.stat().st_mtime, UTC)
            if path.is_file() or path.is_dir()
            else session.now
        )
        work = Work(
            runtime=runtime,
            session=session,
            actor=runtime.actor(name="import"),
            name=named(path),
            beside=min(written, session.now),
        )
        with files.opened(path) as documents:
            _take_all(work, put_together(read_all(documents)))
        return _finish(work)


def _take_all(work: Work, numbered: Iterable[Numbered]) -> None:
    messages = 0
    for place, item in numbered:
        messages += len(item.said) if isinstance(item, ForeignConversation) else 1
        if messages > MAX_ITEMS:
            raise refusal(place, TOO_MANY)
        try:
            _take(work, item)
        except Rejected:
            raise refusal(
                place, "this contradicts an earlier line or an entry that is here"
            ) from None
        except UsageError as error:
            raise refusal(place, error.message.rstrip(".")) from None


def _take(work: Work, item: Item | Found | MemoryNote) -> None:
    match item:
        case ForeignConversation():
            _take_conversation(work, item)
        case ForeignFact():
            take_fact(work, item)
        case Unread():
            work.left_out[item.kind] += item.count
        case MemoryNote():
            take_note(work, item)
        case MemoryLine():
            take_memory(work, item)
        case RequestLine():
            take_request(work, item)
        case ProfileLine():
            take_profile(work, item)
        case ForeignMessage():
            raise UsageError("This message belongs to no conversation.")
        case _:
            _take_row(work, item)


def _take_row(work: Work, row: Row) -> None:
    """Insert a line as its row, without secrets, unless known or part of an existing chat."""
    if portable.find(work.session, row) is not None:
        if (
            isinstance(row, ThreadLine)
            and not row.deleted_at
            and history.went_with_import(work.session, row.id)
        ):
            chat.set_thread_deleted(work.session, row.id, None)
            _count_row(work, row)
        else:
            work.known += 1
        return
    missing = portable.missing_reference(work.session, row)
    if missing and missing not in work.absent:
        raise UsageError(f"There is no {missing}, to which this refers.")
    if missing or not _belongs_to_import(work, row):
        # Links of a pending memory are not counted: they are found anew.
        if not isinstance(row, RelationLine | RecallLine):
            work.left_out[ADDED_SINCE] += 1
        if isinstance(row, MessageLine | PredictionLine):
            work.absent.add(row.id)
    elif portable.insert(work.session, safe := _without_secrets(row)):
        _count_row(work, safe)
        work.hidden += safe is not row
    else:
        work.known += 1


def _without_secrets(row: Row) -> Row:
    """Return the row of a chat or message without secrets, unchanged if it has none."""
    match row:
        case ThreadLine() if (title := without_secrets(row.title)) != row.title:
            return row.model_copy(update={"title": title})
        case MessageLine() if (text := without_secrets(row.text)) != row.text:
            return row.model_copy(
                update={"text": text, "pasted": [[0, len(text)]] if row.pasted else []}
            )
        case _:
            return row


def _belongs_to_import(work: Work, row: Row) -> bool:
    match row:
        case ThreadLine():
            return True
        case RelationLine():
            return not work.came.isdisjoint((row.from_id, row.to_id))
        case RecallLine():
            return row.message_id in work.came and row.owner_id not in work.absent
        case _:
            return row.thread_id in work.came


def _count_row(work: Work, row: Row) -> None:
    work.added[row.type] += 1
    if isinstance(row, ThreadLine | MessageLine):
        work.came.add(row.id)
    if isinstance(row, ThreadLine):
        work.thread_ids.append(row.id)


def _take_conversation(work: Work, conversation: ForeignConversation) -> None:
    """Import a conversation of another program as a chat, unless known or empty."""
    if not conversation.said:
        work.left_out["conversation without words"] += 1
        return
    thread, messages = as_lines(conversation, work.beside)
    work.beside = conversation.updated_at or conversation.created_at or work.beside
    is_new = portable.find(work.session, thread) is None
    _take_row(work, thread)
    if is_new:
        for message in messages:
            _take_row(work, message)
        work.estimated += sum(message.time_estimated for message in messages)
    elif added := len(messages) - len(
        chat.still_there(work.session, [message.id for message in messages])
    ):
        work.left_out[ADDED_SINCE] += added


def _finish(work: Work) -> Imported:
    """Finish an import: refresh the chats, and record the entry by which it is undone."""
    for thread_id in work.thread_ids:
        chat.refresh_contexts(work.session, thread_id)
        if (thread := chat.get_thread(work.session, thread_id)).deleted_at is None:
            ask_about_chat(work, thread)
    if work.support:
        work.left_out[DECIDED] += len(work.support)
    if work.added or work.file_id or work.edited:
        work.step = work.actor.step
        meta = {"threads": work.thread_ids, "file_id": work.file_id, "facts": work.facts}
        touched = Touched(Event.ADD, f"{IMPORT}{work.step}", None, None, meta=meta)
        history.record(work.session, work.actor, work.step, touched)
    return work.result()
