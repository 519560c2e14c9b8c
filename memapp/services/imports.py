"""Bringing in what was exported: all or nothing, in one transaction, as one step that one undo takes back.

A file may be anybody's, also one that says it is memapp's own. So nothing that it holds was typed here, teaches anything or
counts as a signal, no decision about the profile comes in, and what the profile would say only waits for the person's yes.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memapp.domain.changes import Actor, Created
from memapp.domain.consent import FORGOTTEN
from memapp.domain.duplicates import normalise
from memapp.domain.foreign import Conversation, Note
from memapp.domain.history import IMPORT, Event
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.portable import (
    Held,
    Item,
    MemoryLine,
    PatchLine,
    ProfileLine,
    RecallLine,
    RelationLine,
    ThreadLine,
    as_imported,
    refusal,
)
from memapp.domain.profile import is_sensitive, same_value, stated_by
from memapp.domain.profile_values import BETWEEN, VALUE_CHARS, added_value, adds_up, has_value
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import files, foreign
from memapp.services.consent import proposals
from memapp.services.files import Form, Numbered
from memapp.services.forget import is_forgotten
from memapp.store import changes, chat, consents, history, memories, portable
from memapp.store.history import Touched
from memapp.store.rows import new_id, to_time

PERSONA = "companion"


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in, or would."""

    added: dict[str, int]
    """How many new things, by the type of their line."""
    proposals: int
    """Values for the profile, and memories that say them, that wait for a yes."""
    known: int
    """What was here already."""
    left_out: int
    """Decisions of another store, and what was erased for good."""
    step: str
    """What to name to take it back; empty when nothing came in."""
    too_many: int
    """Learned facts beyond what memapp keeps, once these are in."""

    def __str__(self) -> str:
        others = sum(count for kind, count in self.added.items() if kind not in ("memory", "thread", "message"))
        memories, chats, messages = (self.added.get(kind, 0) for kind in ("memory", "thread", "message"))
        said = f"{memories:,} memories, {chats:,} chats with {messages:,} messages"
        said += f", {others:,} others, {self.proposals:,} proposals for the profile, 0 deletes"
        said += f"; {self.known:,} are here already" if self.known else ""
        return said + (f"; {self.left_out:,} left out" if self.left_out else "")


class _OnlyLooked(Exception):
    """Raised to undo what was only to be looked at."""


@dataclass
class _Import:
    """One import under way."""

    runtime: Runtime
    conn: sqlite3.Connection
    actor: Actor
    now: datetime
    added: Counter[str] = field(default_factory=Counter)
    known: int = 0
    left_out: int = 0
    absent: set[str] = field(default_factory=set)
    """Memories of the file that did not come in."""
    threads: list[str] = field(default_factory=list)
    patches: list[str] = field(default_factory=list)
    support: dict[str, list[str]] = field(default_factory=dict)
    """The messages behind each approved proposal of the file on which no field of the profile rests so far."""


def import_file(runtime: Runtime, path: Path, form: Form = "auto", *, dry_run: bool = False) -> Imported:
    """Bring a file in, or only say what would come in. Raises `UsageError` when anything in it is not in order."""
    result: Imported | None = None
    with suppress(_OnlyLooked), runtime.database.write() as conn:
        now = runtime.clock()
        work = _Import(runtime, conn, Actor(runtime.user_id, "import", step=new_id(now)), now)
        with files.opened(path, form) as numbered:
            _take_all(work, numbered)
        result = _settled(work)
        if dry_run:
            raise _OnlyLooked
    assert result is not None
    return result


def _take_all(work: _Import, numbered: Iterable[Numbered]) -> None:
    for place, one in numbered:
        try:
            _take(work, one)
        except sqlite3.IntegrityError:
            raise refusal(place, "this does not fit what is here or what stands before it") from None
        except UsageError as error:
            raise refusal(place, error.message.rstrip(".")) from None


def _take(work: _Import, one: Item | Conversation | Note) -> None:
    match one:
        case Conversation():
            _take_conversation(work, one)
        case Note():
            _take_note(work, one)
        case MemoryLine():
            _take_memory(work, one)
        case PatchLine():
            _take_patch(work, one)
        case ProfileLine():
            _take_profile(work, one)
        case RelationLine() if {one.from_id, one.to_id} & work.absent:
            work.left_out += 1
        case RecallLine() if one.owner_id in work.absent:
            work.left_out += 1
        case _:
            _take_row(work, one)


def _settled(work: _Import) -> Imported:
    """Finish: what depends on several lines, and the entry of the history by which all of it is taken back."""
    for thread_id in work.threads:
        chat.refresh_contexts(work.conn, thread_id)
    step = work.actor.step if work.added or work.patches else ""
    if step:
        meta = {"threads": work.threads, "patches": work.patches, "memories": work.added["memory"]}
        touched = Touched(Event.ADD, f"{IMPORT}{step}", None, None, meta=meta)
        history.record(work.conn, work.actor, step, touched, work.now)
    too_many = memories.overflow(work.conn, work.runtime.user_id, work.runtime.settings.max_facts)
    return Imported(dict(work.added), len(work.patches), work.known, work.left_out + len(work.support), step, too_many)


# Lines of memapp -------------------------------------------------------------------------------------------------------


def _take_row(work: _Import, item: Item) -> None:
    if _is_there(work, item):
        return
    missing = portable.missing_reference(work.conn, work.runtime.user_id, item)
    if missing:
        raise UsageError(f"There is no {missing}, of which this speaks.")
    if not portable.insert(work.conn, work.runtime.user_id, as_imported(item)):
        work.known += 1
        return
    work.added[item.type] += 1
    if isinstance(item, ThreadLine):
        work.threads.append(item.id)


def _is_there(work: _Import, item: Item) -> bool:
    """Tell whether the same is here already. Raises `UsageError` if something else has its id."""
    there = portable.find(work.conn, work.runtime.user_id, item)
    if there is None:
        return False
    passing = {"used"}  # how often a memory was recalled goes on here
    wanted = [one.model_dump(exclude=passing) for one in (item, as_imported(item))]
    if {name: value for name, value in there.items() if name not in passing} not in wanted:
        raise UsageError(f"Something else is here under the id of this {item.type}.")
    work.known += 1
    return True


def _take_memory(work: _Import, line: MemoryLine) -> None:
    if _is_there(work, line):
        return
    user, is_live = work.runtime.user_id, line.state == "live"
    memory = _memory(line)
    if is_live and memories.find_same(work.conn, user, normalise(line.text)) is not None:
        work.known += 1
        work.absent.add(line.id)
    elif is_forgotten(work.runtime, line.text):
        work.absent.add(line.id)
        _ask_again(work, memory) if is_live else _leave_out(work)
    elif is_live and _waits(work, memory):
        work.absent.add(line.id)
    else:
        if len(portable.existing(work.conn, user, line.sources)) < len(line.sources):
            raise UsageError("A message that this memory came from is not there.")
        changes.apply(work.conn, Created(memory), work.actor, work.now)
        if line.used:
            portable.insert_used(work.conn, line.id, line.used)
        work.added["memory"] += 1


def _waits(work: _Import, memory: Memory) -> bool:
    """Hold a memory that states something sensitive which the profile does not say: anybody could have written the file."""
    profile = consents.read_profile(work.conn, work.runtime.user_id)
    unknown = [
        one
        for one in stated_by(memory.text)
        if is_sensitive(one.field) and not has_value(one.field, profile.get(one.field, ""), one.value)
    ]
    for one in unknown:
        _propose(work, one.field, one.value, memory if len(unknown) == 1 else None, memory.sources)
    return bool(unknown)


def _ask_again(work: _Import, memory: Memory) -> None:
    """Put before the person what they once erased for good."""
    _propose(work, FORGOTTEN, memory.text, memory)


def _leave_out(work: _Import) -> None:
    work.left_out += 1


def _take_patch(work: _Import, line: PatchLine) -> None:
    """Let what waited wait here, with a week of its own. What was decided elsewhere was decided there."""
    evidence = [one.message_id for one in line.evidence]
    there = portable.find(work.conn, work.runtime.user_id, line)
    if there is not None:
        if (there["field"], there["new_value"]) != (line.field, line.new_value):
            raise UsageError("Something else is here under the id of this patch.")
        work.known += 1
    elif line.state == "applied":
        work.support[line.id] = evidence
    elif line.state in ("pending", "approved"):
        value = added_value(line.field, line.old_value, line.new_value)
        held = _held(work, line.held) if line.held else None
        goes_along = held is not None and _says_just(held.text, line.field, value)
        _propose(work, line.field, value, held if goes_along else None, evidence)
        if held and not goes_along:
            _take_apart(work, held)
    else:
        work.left_out += 1


def _says_just(text: str, field: str, value: str) -> bool:
    """Tell whether a memory states what a proposal does, so that the yes to one is a yes to the other."""
    if field == FORGOTTEN:
        return same_value(field, text, value)
    said = stated_by(text)
    return len(said) == 1 and said[0].field == field and same_value(field, said[0].value, value)


def _take_apart(work: _Import, held: Memory) -> None:
    """Ask about a memory by itself that came with a proposal of something else; leave it out if it states nothing to ask."""
    if is_forgotten(work.runtime, held.text):
        _ask_again(work, held)
    elif not _waits(work, held):
        _leave_out(work)


def _take_profile(work: _Import, line: ProfileLine) -> None:
    evidence = work.support.pop(line.patch_id, [])
    for value in line.value.split(BETWEEN) if adds_up(line.field) else [line.value]:
        if value:
            _propose(work, line.field, value, None, evidence)


def _propose(work: _Import, field: str, value: str, held: Memory | None, evidence: Iterable[str] = ()) -> None:
    patch = proposals.propose(work.runtime, field, value[:VALUE_CHARS], held=held, proposer="import")
    if patch is None:
        work.known += 1
        return
    for message_id in portable.existing(work.conn, work.runtime.user_id, list(evidence)):
        consents.add_evidence(work.conn, patch.id, message_id, typed=False)
    if patch.id in work.patches or patch.created_at < work.now:
        work.known += 1
    else:
        work.patches.append(patch.id)


def _memory(line: MemoryLine) -> Memory:
    return Memory(
        id=line.id,
        text=line.text,
        tags=tuple(line.tags),
        kind=Kind(line.kind),
        category=line.category,
        importance=line.importance,
        pinned=line.pinned,
        state=State(line.state),
        reason=line.reason,
        origin=line.origin,
        sources=tuple(line.sources),
        created_at=to_time(line.created_at),
        updated_at=to_time(line.updated_at),
        purge_at=to_time(line.purge_at) if line.purge_at else None,
        merged_into=line.merged_into,
        agent_id=line.agent_id,
        run_id=line.run_id,
    )


def _held(work: _Import, held: Held) -> Memory:
    return Memory(
        id=held.id,
        text=held.text,
        tags=tuple(held.tags),
        kind=Kind(held.kind),
        category=held.category,
        importance=held.importance,
        pinned=held.pinned,
        state=State.LIVE,
        reason="",
        origin=held.origin,
        sources=tuple(portable.existing(work.conn, work.runtime.user_id, held.sources)),
        created_at=to_time(held.created_at),
        updated_at=to_time(held.created_at),
        agent_id=held.agent_id,
        run_id=held.run_id,
    )


# What other programs wrote ---------------------------------------------------------------------------------------------


def _take_conversation(work: _Import, one: Conversation) -> None:
    """Make a chat of a conversation, unless it came in before."""
    thread = foreign.thread_of(one, PERSONA)
    if portable.find(work.conn, work.runtime.user_id, thread) is not None:
        work.known += 1
        return
    _take_row(work, thread)
    for message in foreign.messages_of(one, thread.id):
        _take_row(work, message)


def _take_note(work: _Import, note: Note) -> None:
    """Remember a fact of another program; one that states something sensitive waits for the person's yes."""
    memory = foreign.memory_of(note, new_id(work.now), work.now)
    if memories.find_same(work.conn, work.runtime.user_id, normalise(note.text)) is not None:
        work.known += 1
        return
    if is_forgotten(work.runtime, note.text):
        _ask_again(work, memory)
        return
    if _waits(work, memory):
        return
    changes.apply(work.conn, Created(memory), work.actor, work.now)
    work.added["memory"] += 1
