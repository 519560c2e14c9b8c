"""Imports all of a file or nothing: one transaction, one step of the history, taken back by one undo."""

from collections.abc import Iterable
from pathlib import Path

from memapp.domain.changes import Event
from memapp.domain.foreign import ForeignConversation, ForeignFact
from memapp.domain.history import IMPORT
from memapp.domain.portable import Item, MemoryLine, ProfileLine, RequestLine, refusal
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.imports import files
from memapp.services.imports.files import Form, Numbered
from memapp.services.imports.memories import ask_about_chat, take_memory, take_note, take_profile, take_request
from memapp.services.imports.plain_rows import take_conversation, take_row
from memapp.services.imports.work import Imported, Work, named
from memapp.store import chat, history
from memapp.store.history import Touched
from memapp.store.session import Rejected


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
            take_conversation(work, one)
        case ForeignFact():
            take_note(work, one)
        case MemoryLine():
            take_memory(work, one)
        case RequestLine():
            take_request(work, one)
        case ProfileLine():
            take_profile(work, one)
        case _:
            take_row(work, one)


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
        history.record(work.session, work.actor, work.step, touched, work.session.now)
    return work.result()
