"""Exports everything as lines that `services.imports` reads back, or as Markdown to be read; and
each memory as a note.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from memapp.domain import memory_notes, portable, strict_json
from memapp.domain.chat import Message
from memapp.domain.consent import label
from memapp.domain.filters import ALL_LIVE, Sort
from memapp.domain.history import Moment
from memapp.domain.howto import reported
from memapp.errors import UsageError
from memapp.language.history import who
from memapp.runtime import Runtime
from memapp.services import activity
from memapp.services.saves import export_thread
from memapp.store import chat, consents, memories
from memapp.store import portable as store
from memapp.store.encoding import to_text
from memapp.store.folder import filled_whole, written_whole
from memapp.store.place import noted
from memapp.store.session import Session


def as_lines(runtime: Runtime) -> Generator[str, None, None]:
    """Yield everything that the person has as JSON Lines, as it is at one moment."""
    session = runtime.read()
    with store.one_moment(session):
        header = portable.Header(
            memapp=portable.FORMAT,
            made_at=to_text(runtime.clock()),
            items=store.count_items(session),
        )
        yield strict_json.write(header.model_dump()) + "\n"
        for values in store.items(session):
            yield strict_json.write(values) + "\n"


def as_markdown(runtime: Runtime) -> Generator[str, None, None]:
    """Yield what memapp knows, and all chats, for reading."""
    session = runtime.read()
    with store.one_moment(session):
        yield "# memapp\n"
        if known := _profile(session):
            yield f"\n## Profile\n\n{known}"
        facts = memories.list_memories(session, ALL_LIVE, Sort.OLDEST, limit=None)
        for category in sorted({fact.category for fact in facts}):
            yield f"\n## {category.capitalize() or 'Memories'}\n\n"
            for fact in facts:
                if fact.category == category:
                    yield f"- {reported(fact)}{' ★' if fact.pinned else ''} ({fact.created_at:%Y-%m-%d})\n"
        for thread in reversed(chat.list_threads(session, limit=None)):
            yield f"\n#{export_thread(runtime, thread.id, 'md')}"


class Written(NamedTuple):
    """How many notes an export to a folder wrote."""

    memories: int
    chats: int
    profiles: int


def write_notes(runtime: Runtime, folder: Path) -> Written:
    """Write each live memory as a note that `services.imports` reads back, and chats and profile
    for reading, into a new folder.

    All are written, or none.
    """
    session, written = runtime.read(), Counter[str]()
    try:
        with store.one_moment(session), filled_whole(folder) as partial:
            for kind, name, text in _notes(runtime, session):
                note = partial / name
                note.parent.mkdir(mode=0o700, exist_ok=True)
                note.touch(mode=0o600)
                note.write_text(text, "utf-8")
                written[kind] += 1
    except OSError as error:
        raise UsageError(
            f"Cannot write {folder}: {error.strerror}.", "Name a new folder, or an empty one."
        ) from None
    return Written(written["memory"], written["chat"], written["profile"])


def _notes(runtime: Runtime, session: Session) -> Iterator[tuple[str, str, str]]:
    """Yield the kind of each note, its name, and its text."""
    for line in store.items(session, (portable.MemoryLine,)):
        if line["state"] == "live":
            said = [
                (_where(runtime, message), message.text)
                for message in chat.get_messages(session, line["sources"])
            ]
            told = [_told(moment) for moment in activity.timeline(runtime, line["id"])]
            yield (
                "memory",
                memory_notes.file_name(line["text"], line["id"]),
                memory_notes.write(line, said, told),
            )
    for thread in chat.list_threads(session, limit=None):
        text = memory_notes.write_for_reading(
            "chat", thread.title, export_thread(runtime, thread.id, "md")
        )
        yield "chat", f"chats/{memory_notes.file_name(thread.title, thread.id)}", text
    if known := _profile(session):
        yield "profile", "profile.md", memory_notes.write_for_reading("profile", "Profile", known)


def _profile(session: Session) -> str:
    known = consents.read_profile(session)
    return "".join(f"- {label(field)}: {'; '.join(values)}\n" for field, values in known.items())


def _where(runtime: Runtime, message: Message) -> str:
    title = chat.get_thread(runtime.read(), message.thread_id).title
    return f"{message.created_at:%Y-%m-%d %H:%M} UTC, in the chat “{title}”:"


def _told(moment: Moment) -> str:
    return f"{moment.at:%Y-%m-%d %H:%M} UTC, {moment.event.told} by {who(moment.actor)}: “{moment.version.text}”"


def write_private(runtime: Runtime, path: Path, pieces: Iterable[str]) -> None:
    """Write a file that only the person can read; never through a link; an existing file stays
    until the new one is whole.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(f"{path} is a link or no plain file.", "Name another file.")
    try:
        with (
            noted(runtime.database.path, path),
            written_whole(path) as partial,
            partial.open("w", encoding="utf-8") as file,
        ):
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from None
