"""Exports everything: as lines that `services.imports` reads back, or as Markdown to be read."""

from collections.abc import Iterator

from memapp.domain import portable
from memapp.domain.filters import ALL_LIVE, Sort
from memapp.domain.profile import FIELDS
from memapp.runtime import Runtime
from memapp.services.transfer import export_thread
from memapp.store import chat, consents, memories
from memapp.store import portable as store
from memapp.store.rows import to_text


def as_lines(runtime: Runtime) -> Iterator[str]:
    """Yield everything that the person has as JSON Lines, as it is at one moment."""
    conn = runtime.database.read()
    with store.one_moment(conn):
        header = portable.Header(
            memapp=portable.FORMAT, made_at=to_text(runtime.clock()), items=store.count_items(conn, runtime.user_id)
        )
        yield portable.write_line(header.model_dump()) + "\n"
        for values in store.items(conn, runtime.user_id):
            yield portable.write_line(values) + "\n"


def as_markdown(runtime: Runtime) -> Iterator[str]:
    """Yield what memapp knows, and all chats, for reading."""
    conn, user = runtime.database.read(), runtime.user_id
    with store.one_moment(conn):
        yield "# memapp\n"
        known = consents.read_profile(conn, user)
        if known:
            yield "\n## Profile\n\n"
            yield from (f"- {FIELDS[field].label if field in FIELDS else field}: {value}\n" for field, value in known.items())
        facts = memories.list_memories(conn, user, ALL_LIVE, Sort.OLDEST, limit=None)
        for category in sorted({fact.category for fact in facts}):
            yield f"\n## {category.capitalize() or 'Memories'}\n\n"
            for fact in facts:
                if fact.category == category:
                    yield f"- {fact.text}{' ★' if fact.pinned else ''} ({fact.created_at:%Y-%m-%d})\n"
        for thread in reversed(chat.list_threads(conn, user, limit=None)):
            yield f"\n#{export_thread(runtime, thread.id, 'md')}"
