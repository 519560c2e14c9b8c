"""Imports the rows that need no decision: chats with their messages, relations and the like."""

from memapp.domain.foreign import Conversation
from memapp.domain.portable import Item, ThreadLine
from memapp.errors import UsageError
from memapp.services import foreign
from memapp.services.imports.work import Work
from memapp.store import chat, history, portable

PERSONA = "companion"


def take_row(work: Work, item: Item) -> None:
    """Write a line as the row that it was, unless it is here: what was changed here since stays as it is here."""
    if portable.find(work.conn, work.user_id, item) is not None:
        if isinstance(item, ThreadLine) and not item.deleted_at and history.went_with_import(work.conn, work.user_id, item.id):
            chat.set_thread_deleted(work.conn, work.user_id, item.id, None)
            _added(work, item)
        else:
            work.known += 1
        return
    missing = portable.missing_reference(work.conn, work.user_id, item)
    if missing:
        raise UsageError(f"There is no {missing}, of which this speaks.")
    if not portable.insert(work.conn, work.user_id, item):
        work.known += 1
        return
    _added(work, item)


def _added(work: Work, item: Item) -> None:
    work.added[item.type] += 1
    if isinstance(item, ThreadLine):
        work.threads.append(item.id)


def take_conversation(work: Work, one: Conversation) -> None:
    """Make a chat of a conversation of another program, unless it came in before."""
    thread = foreign.thread_of(one, PERSONA)
    is_new = portable.find(work.conn, work.user_id, thread) is None
    take_row(work, thread)
    for message in foreign.messages_of(one, thread.id) if is_new else ():
        take_row(work, message)
