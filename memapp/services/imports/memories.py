"""Memories and profile values of a file, each pending until the person approves.

Anybody could have written the file, so nothing in it is known before. A memory from the trash goes
into the trash. The request of a memory says all that the memory says.
"""

from collections.abc import Iterable
from dataclasses import replace

from memapp.domain.categories import NOTES
from memapp.domain.changes import Change, Created, Pinned, Updated
from memapp.domain.chat import Thread
from memapp.domain.consent import BESIDE_PROFILE, CHAT, CONFLICT, FACT, FORGOTTEN, HOWTO
from memapp.domain.foreign.items import ForeignFact
from memapp.domain.memory import MAX_MEMORY_CHARS, Kind, Memory, State
from memapp.domain.memory_notes import MemoryNote
from memapp.domain.portable import MemoryLine, ProfileLine, RequestLine, RequestMemory
from memapp.domain.profile import VALUE_CHARS, Hint, has_value, is_sensitive, same_value
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.language.grammar import sentences
from memapp.language.normal_form import normalise
from memapp.language.profile import says_more, says_value
from memapp.language.sensitive import unknown_in, values_in
from memapp.language.sentence import tells_secret
from memapp.services import curate
from memapp.services.consent import pending
from memapp.services.forget import is_forgotten
from memapp.services.imports.running_import import Work
from memapp.store import access_counts, changes, chat, consents, memories, portable
from memapp.store.records import read

FOREIGN_IMPORTANCE = 2
DECIDED, SECRET = "decision made elsewhere", "secret"


def take_memory(work: Work, line: MemoryLine) -> None:
    """Import a memory of memapp: pending if live, else as it is."""
    existing = portable.find(work.session, line)
    if existing is not None and line.state == "live" and existing["text"] != line.text:
        work.reworded += 1
        return
    if existing is not None and (line.state != "live" or existing["reason"] != "undone"):
        work.known += 1
        return
    memory = _memory(work, line)
    if not work.absent.issuperset(set(line.sources).difference(memory.sources)):
        raise UsageError("A source of this memory is missing.")
    if memory.state is State.LIVE or _has_secret(memory) or is_forgotten(work.runtime, memory.text):
        work.absent.add(line.id)
        _propose_memory(work, memory)
        return
    work.came.add(changes.apply(work.session, Created(memory), work.actor).memory_id)
    work.added["memory"] += 1
    if line.used:
        access_counts.insert_used(work.session, line.id, line.used)


def take_note(work: Work, note: MemoryNote) -> None:
    """Import a memory from a note; edited fields apply at once, edited words are pending."""
    line = note.line
    existing = memories.get_memories(work.session, [line.id])
    if not note.is_edited or not existing or existing[0].state is not State.LIVE:
        take_memory(work, line)
        return
    memory, categories = existing[0], curate.categories(work.runtime)
    category = (
        line.category
        if line.category in categories and memory.kind is not Kind.PROCEDURAL
        else memory.category
    )
    fields = Updated(
        memory.id, tags=tuple(line.tags), importance=line.importance, category=category
    )
    is_changed = (memory.tags, memory.importance, memory.category) != (
        fields.tags,
        fields.importance,
        fields.category,
    )
    changes_of_fields: list[Change] = [fields] if is_changed else []
    if line.pinned is not memory.pinned:
        changes_of_fields.append(Pinned(memory.id, line.pinned))
    for change in changes_of_fields:
        changes.apply(work.session, change, work.actor)
    work.edited += bool(changes_of_fields)
    if (line.text, tuple(line.steps)) != (memory.text, memory.steps):
        edited = replace(memory, text=line.text, steps=tuple(line.steps), origin="import")
        _propose_memory(work, edited, instead_of=memory.text)
    elif not changes_of_fields:
        work.known += 1


def take_fact(work: Work, fact: ForeignFact) -> None:
    """Propose a fact of another program, a long passage sentence by sentence."""
    for text in [fact.text] if len(fact.text) <= MAX_MEMORY_CHARS else sentences(fact.text):
        if len(text) > MAX_MEMORY_CHARS:
            work.left_out[f"sentence longer than {MAX_MEMORY_CHARS} characters"] += 1
            continue
        memory = Memory(
            id=work.session.new_id(),
            text=text,
            tags=fact.tags,
            kind=Kind.SEMANTIC,
            category=NOTES,
            importance=FOREIGN_IMPORTANCE,
            origin="import",
            created_at=fact.created_at or work.session.now,
            updated_at=work.session.now,
        )
        _propose_memory(work, memory)


def take_request(work: Work, line: RequestLine) -> None:
    """Import a pending request with a new week to decide; skip decisions made elsewhere."""
    evidence = [support.message_id for support in line.evidence]
    if portable.find(work.session, line) is not None:
        work.known += 1
    elif line.state == "applied" and line.field not in BESIDE_PROFILE:
        work.support[line.id] = evidence
    elif line.state in ("pending", "approved") and line.field not in (CHAT, CONFLICT):
        value = line.new_value
        # A pending memory has no history.
        memory = replace(_memory(work, line.memory), reason="") if line.memory else None
        says_all = memory is not None and _says_all(line.field, value, memory.text)
        _propose_value(work, line.field, value, memory if says_all else None, evidence)
        if memory and not says_all:
            _propose_memory(work, memory)
    else:
        work.left_out[DECIDED] += 1


def take_profile(work: Work, line: ProfileLine) -> None:
    _propose_value(work, line.field, line.value, None, work.support.pop(line.request_id, []))


def ask_about_chat(work: Work, thread: Thread) -> None:
    """Ask whether messages of an imported chat may be quoted in other chats."""
    request = pending.add(work.session, CHAT, "", thread.title, "import", file_id=work.file())
    consents.add_chat(work.session, request.id, thread.id)
    work.chats += 1


def _propose_memory(work: Work, memory: Memory, instead_of: str = "") -> None:
    """Propose a memory unless known: as the profile value it states, else by its words."""
    if _has_secret(memory):
        work.left_out[SECRET] += 1
    elif memory.state is not State.LIVE:
        work.left_out["memory that was erased here"] += 1
    elif memories.find_same(work.session, normalise(memory.text)) not in (
        None,
        memory.id if instead_of else None,
    ):
        work.known += 1
    elif is_forgotten(work.runtime, memory.text):
        _propose_value(work, FORGOTTEN, memory.text, memory)
    else:
        values = [
            hint
            for hint in unknown_in(memory.text, work.profile)
            if _says_all(hint.field, hint.value, memory.text)
        ]
        whole = Hint(HOWTO if memory.steps else FACT, memory.text)
        hint = whole if instead_of else next(iter(values), whole)
        _propose_value(work, hint.field, hint.value, memory, memory.sources, instead_of)


def _has_secret(memory: Memory) -> bool:
    return any(map(tells_secret, (memory.text, *memory.steps, *memory.tags)))


def _says_all(field: str, value: str, text: str) -> bool:
    """Return True if a yes to a value is a yes to everything a memory says."""
    is_statement = (
        len(values_in(text)) == 1 and says_value(text, field, value) and not says_more(text)
    )
    return is_sensitive(field) and (is_statement or same_value(field, text, value))


def _memory(work: Work, line: MemoryLine | RequestMemory) -> Memory:
    """Return the memory of a line, with the sources that exist here."""
    sources = chat.still_there(work.session, line.sources)
    row = {"updated_at": line.created_at, **line.model_dump(), "sources": sources}
    return Memory(**read(row, Memory))


def _propose_value(
    work: Work,
    field: str,
    value: str,
    memory: Memory | None,
    evidence: Iterable[str] = (),
    instead_of: str = "",
) -> None:
    """Propose a value unless the profile has it, or the same is pending or was denied lately."""
    value = one_line(clean(value))[:VALUE_CHARS]
    text, same = normalise(memory.text) if memory else "", work.same(field, value)
    if same in work.asked and memory and work.asked[same] not in (text, None):
        work.left_out["memory that another question is about"] += 1
    elif same in work.asked or has_value(field, work.profile.get(field, ()), value):
        work.known += 0 if same in work.asked_here else 1
    else:
        request = pending.add(work.session, field, instead_of, value, "import", memory, work.file())
        for message_id in chat.still_there(work.session, evidence):
            consents.add_evidence(work.session, request.id, message_id, typed=False)
        work.asked[same] = text
        work.asked_here.add(same)
        work.facts += 1
