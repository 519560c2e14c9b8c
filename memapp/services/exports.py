"""Exports: JSON Lines that `services.imports` reads back, Markdown, and a folder of notes."""

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
from memapp.services.chat_files import export_thread
from memapp.store import chat, memories
from memapp.store import portable as store
from memapp.store.encoding import to_text
from memapp.store.file_copies import noted
from memapp.store.folder import filled_whole, written_whole
from memapp.store.profile import read_profile
from memapp.store.session import Session


def as_lines(runtime: Runtime) -> Generator[str, None, None]:
    """Yield all data as JSON Lines, from one snapshot."""
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
    """Yield profile, memories and chats as Markdown for reading."""
    session = runtime.read()
    with store.one_moment(session):
        yield "# memapp\n"
        if profile := _profile(session):
            yield f"\n## Profile\n\n{profile}"
        facts = memories.list_memories(session, ALL_LIVE, Sort.OLDEST, limit=None)
        for category in sorted({fact.category for fact in facts}):
            yield f"\n## {category.capitalize() or 'Memories'}\n\n"
            for fact in facts:
                if fact.category == category:
                    star = " ★" if fact.pinned else ""
                    yield f"- {reported(fact)}{star} ({fact.created_at:%Y-%m-%d})\n"
        for thread in reversed(chat.list_threads(session, limit=None)):
            yield f"\n#{export_thread(runtime, thread.id, 'md')}"


class Written(NamedTuple):
    """The numbers of notes that an export to a folder wrote."""

    memories: int
    chats: int
    profiles: int


def write_notes(runtime: Runtime, folder: Path) -> Written:
    """Write live memories as notes that `services.imports` reads back, into a new folder.

    Chats and the profile are written for reading. All notes are written, or none.
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
    """Yield the kind, the name and the text of each note."""
    for line in store.items(session, (portable.MemoryLine,)):
        if line["state"] == "live":
            sources = [
                (_where(runtime, message), message.text)
                for message in chat.get_messages(session, line["sources"])
            ]
            versions = [_version(moment) for moment in activity.timeline(runtime, line["id"])]
            name = memory_notes.file_name(line["text"], line["id"])
            yield "memory", name, memory_notes.write(line, sources, versions)
    for thread in chat.list_threads(session, limit=None):
        exported = export_thread(runtime, thread.id, "md")
        text = memory_notes.write_for_reading("chat", thread.title, exported)
        yield "chat", f"chats/{memory_notes.file_name(thread.title, thread.id)}", text
    if profile := _profile(session):
        yield "profile", "profile.md", memory_notes.write_for_reading("profile", "Profile", profile)


def _profile(session: Session) -> str:
    profile = read_profile(session)
    return "".join(f"- {label(field)}: {'; '.join(values)}\n" for field, values in profile.items())


def _where(runtime: Runtime, message: Message) -> str:
    title = chat.get_thread(runtime.read(), message.thread_id).title
    return f"{message.created_at:%Y-%m-%d %H:%M} UTC, in the chat “{title}”:"


def _version(moment: Moment) -> str:
    when, event = f"{moment.at:%Y-%m-%d %H:%M} UTC", moment.event.verb
    return f"{when}, {event} by {who(moment.actor)}: “{moment.version.text}”"


def write_private(runtime: Runtime, path: Path, pieces: Iterable[str]) -> None:
    """Write a file that only the person can read, never through a link.

    An existing file is replaced when the new one is complete.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(f"{path} is a link or not a plain file.", "Name another file.")
    try:
        with (
            noted(runtime.database.path, path),
            written_whole(path) as partial,
            partial.open("w", encoding="utf-8") as file,
        ):
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from None
