"""What comes in as it is: chats with their messages, relations, and whatever else asks nothing of the person."""

from memapp.domain.foreign import Conversation
from memapp.domain.portable import Item, ThreadLine, as_imported
from memapp.errors import UsageError
from memapp.services import foreign
from memapp.services.imports.work import Work
from memapp.store import portable

PERSONA = "companion"


def take_row(work: Work, item: Item) -> None:
    """Write a line as the row that it was, unless it is here."""
    if is_there(work, item):
        return
    missing = portable.missing_reference(work.conn, work.user_id, item)
    if missing:
        raise UsageError(f"There is no {missing}, of which this speaks.")
    if not portable.insert(work.conn, work.user_id, as_imported(item)):
        work.known += 1
        return
    work.added[item.type] += 1
    if isinstance(item, ThreadLine):
        work.threads.append(item.id)


def is_there(work: Work, item: Item) -> bool:
    """Tell whether the same is here already, and count it then. Raises `UsageError` if something else has its id."""
    there = portable.find(work.conn, work.user_id, item)
    if there is None:
        return False
    passing = {"used"}  # how often a memory was recalled goes on here
    wanted = [one.model_dump(exclude=passing) for one in (item, as_imported(item))]
    if {name: value for name, value in there.items() if name not in passing} not in wanted:
        raise UsageError(f"Something else is here under the id of this {item.type}.")
    work.known += 1
    return True


def take_conversation(work: Work, one: Conversation) -> None:
    """Make a chat of a conversation of another program, unless it came in before."""
    thread = foreign.thread_of(one, PERSONA)
    if portable.find(work.conn, work.user_id, thread) is not None:
        work.known += 1
        return
    take_row(work, thread)
    for message in foreign.messages_of(one, thread.id):
        take_row(work, message)
