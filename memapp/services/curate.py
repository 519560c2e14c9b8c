"""What a person does with memories by hand: add, edit, pin, forget, bring back. Each change can be taken back with `undo`."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from memapp.domain.categories import NOTES, RECENT_ACTIVITY
from memapp.domain.changes import Actor, Change, Created, Pinned, Restored, Reverted, Revision, SoftDeleted, Updated
from memapp.domain.distil import tags_for
from memapp.domain.memory import MAX_MEMORY_CHARS, Kind, Memory, State
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.store import changes, memories
from memapp.store.rows import new_id

BY_HAND_IMPORTANCE = 3
MAX_TAGS = 5
TAG_CHARS = 40


def add(runtime: Runtime, text: str, tags: Sequence[str] = (), *, pinned: bool = False, category: str = "") -> Revision:
    """Remember something in the person's own words."""
    _check_category(runtime, category or NOTES)
    text = _checked(text)
    now = runtime.clock()
    memory = Memory(
        id=new_id(now),
        text=text,
        tags=_checked_tags(tags) or tuple(tags_for(text)),
        kind=Kind.SEMANTIC,
        category=category or NOTES,
        importance=BY_HAND_IMPORTANCE,
        pinned=pinned,
        state=State.LIVE,
        reason="",
        origin="person",
        sources=(),
        created_at=now,
        updated_at=now,
    )
    return _apply(runtime, Created(memory))


def edit(runtime: Runtime, memory_id: str, text: str) -> Revision:
    """Put other words in place; tags that were made from the old words are made again."""
    text = _checked(text)
    before = get(runtime, memory_id)
    derived = before.tags == tuple(tags_for(before.text))
    return _apply(runtime, Updated(memory_id, text=text, tags=tuple(tags_for(text)) if derived else None))


def pin(runtime: Runtime, memory_id: str, pinned: bool = True) -> Revision:
    return _apply(runtime, Pinned(memory_id, pinned))


def forget(runtime: Runtime, memory_id: str) -> Revision:
    """Put a memory into the trash: no search, prompt or index has it any more."""
    return _apply(runtime, SoftDeleted(memory_id, "person", purge_at(runtime)))


def restore(runtime: Runtime, memory_id: str) -> Revision:
    return _apply(runtime, Restored(memory_id))


def undo(runtime: Runtime, revision: Revision) -> Revision:
    """Take one change back."""
    return _apply(runtime, Reverted(revision.step, purge_at(runtime)))


def purge_at(runtime: Runtime) -> datetime:
    """Return when what goes to the trash now leaves it for good."""
    return runtime.clock() + timedelta(days=runtime.settings.purge_days)


def get(runtime: Runtime, memory_id: str) -> Memory:
    return memories.get_memory(runtime.database.read(), runtime.user_id, memory_id)


def list_memories(
    runtime: Runtime, *, pinned: bool | None = None, tag: str = "", since: str = "", limit: int = 200, offset: int = 0
) -> list[Memory]:
    """Return live memories, newest first; `since` is a date or time as text."""
    return memories.list_memories(
        runtime.database.read(), runtime.user_id, pinned=pinned, tag=tag, since=since, limit=limit, offset=offset
    )


def count(runtime: Runtime) -> int:
    return memories.count_live(runtime.database.read(), runtime.user_id)


def _checked(text: str) -> str:
    text = one_line(clean(text))
    if not text:
        raise UsageError("There is nothing to remember.")
    if len(text) > MAX_MEMORY_CHARS:
        raise UsageError(
            f"A memory is one or two sentences: at most {MAX_MEMORY_CHARS} characters, this has {len(text)}.",
            "Split it.",
        )
    return text


def _check_category(runtime: Runtime, category: str) -> None:
    known = [name for name in runtime.categories.categories if name != RECENT_ACTIVITY]
    if category not in known:
        raise UsageError(f"There is no category {category!r}.", f"Known: {', '.join(known)}.")


def _checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    cleaned = [shorten(one_line(clean(tag)), TAG_CHARS) for tag in tags]
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))[:MAX_TAGS]


def _apply(runtime: Runtime, change: Change) -> Revision:
    with runtime.database.write() as conn:
        return changes.apply(conn, change, Actor(runtime.user_id, "person"), runtime.clock())
