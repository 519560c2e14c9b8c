"""Imports all of a file or nothing: one transaction, one step of the history, taken back by one undo.

Rows that need no decision, such as chats with their messages, come in only with the chat or the memory that they belong to. So
what is here already stays as it is, and an undo, which takes back chats and memories, takes back all of it.
"""

from collections.abc import Iterable
from pathlib import Path

from memapp.domain.changes import Event
from memapp.domain.foreign import ForeignConversation, ForeignFact
from memapp.domain.history import IMPORT
from memapp.domain.portable import (
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
from memapp.runtime import Runtime
from memapp.services.imports import files
from memapp.services.imports.files import Form, Numbered
from memapp.services.imports.memories import ask_about_chat, take_memory, take_note, take_profile, take_request
from memapp.services.imports.work import Imported, Work, named
from memapp.store import chat, history, portable
from memapp.store.encoding import derived_id, to_text
from memapp.store.history import Touched
from memapp.store.session import Rejected

PERSONA = "companion"


def import_file(runtime: Runtime, path: Path, form: Form = "auto", *, dry_run: bool = False) -> Imported:
    """Bring a file in, or only say what would come in. Raises `UsageError` when anything in it is not in order."""
    with runtime.rehearse() if dry_run else runtime.write() as session:
        work = Work(runtime=runtime, session=session, actor=runtime.actor(name="import"), name=named(path))
        with files.opened(path, form) as numbered:
            _take_all(work, numbered)
        return _settled(work)


def _take_all(work: Work, numbered: Iterable[Numbered]) -> None:
    for place, one in numbered:
        try:
            _take(work, one)
        except Rejected:
            raise refusal(place, "this does not fit what is here or what stands before it") from None
        except UsageError as error:
            raise refusal(place, error.message.rstrip(".")) from None


def _take(work: Work, one: Item | ForeignConversation | ForeignFact) -> None:
    match one:
        case ForeignConversation():
            _take_conversation(work, one)
        case ForeignFact():
            take_note(work, one)
        case MemoryLine():
            take_memory(work, one)
        case RequestLine():
            take_request(work, one)
        case ProfileLine():
            take_profile(work, one)
        case _:
            _take_row(work, one)


def _take_row(work: Work, row: Row) -> None:
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


def _take_conversation(work: Work, one: ForeignConversation) -> None:
    """Make a chat of a conversation of another program, unless it came in before or nothing was said."""
    if not one.said:
        work.left_out += 1
        return
    thread = _thread_of(one)
    is_new = portable.find(work.session, thread) is None
    _take_row(work, thread)
    for message in _messages_of(one, thread.id) if is_new else ():
        _take_row(work, message)


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


def _settled(work: Work) -> Imported:
    """Finish: what depends on several lines, and the entry of the history by which all of it is taken back."""
    for thread_id in work.thread_ids:
        chat.refresh_contexts(work.session, thread_id)
        if (thread := chat.get_thread(work.session, thread_id)).deleted_at is None:
            ask_about_chat(work, thread)
    work.left_out += len(work.support)
    if work.added or work.file_id:
        work.step = work.actor.step
        meta = {"threads": work.thread_ids, "file_id": work.file_id, "facts": work.facts}
        touched = Touched(Event.ADD, f"{IMPORT}{work.step}", None, None, meta=meta)
        history.record(work.session, work.actor, work.step, touched)
    return work.result()
