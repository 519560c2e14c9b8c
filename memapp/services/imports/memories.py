"""The memories and consent requests of a file: what is known is skipped, and what needs a yes becomes a request.

No memory hides behind a question of something else: it waits with the requests that say what it says, and comes with the last
yes to them (`consent.pending`), or not at all.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from memapp.domain.categories import NOTES
from memapp.domain.changes import Created, Restored
from memapp.domain.consent import FORGOTTEN
from memapp.domain.foreign import ForeignFact
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.portable import MemoryLine, ProfileLine, RequestLine, RequestMemory
from memapp.domain.profile import VALUE_CHARS, is_sensitive, same_value
from memapp.errors import UsageError
from memapp.language.english.duplicates import normalise
from memapp.language.english.profile_hints import as_value, unknown_in
from memapp.language.english.tags import tags_for
from memapp.services.consent import requests
from memapp.services.forget import is_forgotten
from memapp.services.imports.work import Work
from memapp.store import access_counts, changes, chat, consents, memories, portable
from memapp.store.encoding import new_id
from memapp.store.records import read

FOREIGN_IMPORTANCE = 2


def take_memory(work: Work, line: MemoryLine) -> None:
    """Bring in a memory of memapp with all that is known of it."""
    there = portable.find(work.session, line)
    if there is not None and line.state == "live" and there["text"] != line.text:
        work.reworded += 1
        return
    if there is not None and (line.state != "live" or there["reason"] != "undone"):
        work.known += 1
        return
    memory = _memory(work, line)
    if not _may_come_in(work, memory):
        work.absent.add(line.id)
        return
    if not work.absent.issuperset(set(line.sources).difference(memory.sources)):
        raise UsageError("A message that this memory came from is not there.")
    if there is not None:  # it went when the import that brought it was taken back
        _apply(work, Restored(line.id))
        return
    _apply(work, Created(memory))
    if line.used:
        access_counts.insert_used(work.session, line.id, line.used)


def take_note(work: Work, note: ForeignFact) -> None:
    """Remember a fact of another program."""
    memory = Memory(
        id=new_id(work.session.now),
        text=note.text,
        tags=note.tags or tuple(tags_for(note.text)),
        kind=Kind.SEMANTIC,
        category=NOTES,
        importance=FOREIGN_IMPORTANCE,
        origin="import",
        created_at=note.created_at or work.session.now,
        updated_at=work.session.now,
    )
    if _may_come_in(work, memory):
        _apply(work, Created(memory))


def _may_come_in(work: Work, memory: Memory) -> bool:
    """Tell whether a memory is new and asks for no yes; else count it, or put it before the person."""
    is_live = memory.state is State.LIVE
    if is_live and memories.find_same(work.session, normalise(memory.text)) is not None:
        work.known += 1
        return False
    if is_forgotten(work.runtime, memory.text):
        if is_live:
            _propose(work, FORGOTTEN, memory.text, memory)
        else:
            work.left_out += 1
        return False
    return not (is_live and _asks(work, memory))


def _apply(work: Work, change: Created | Restored) -> None:
    work.came.add(changes.apply(work.session, change, work.actor, work.session.now).memory_id)
    work.added["memory"] += 1


def take_request(work: Work, line: RequestLine) -> None:
    """Let what waited wait here, with a week of its own. What was decided elsewhere was decided there."""
    evidence = [one.message_id for one in line.evidence]
    if portable.find(work.session, line) is not None:
        work.known += 1
    elif line.state == "applied":
        work.support[line.id] = evidence
    elif line.state in ("pending", "approved"):
        value = line.new_value
        memory = replace(_memory(work, line.memory), reason="") if line.memory else None  # nothing has happened to it yet
        said = _said_by(line.field, value, memory.text) if memory else "none"
        _propose(work, line.field, value, memory if said != "none" else None, evidence)
        if memory and said != "all":
            _take_apart(work, memory)
    else:
        work.left_out += 1


def take_profile(work: Work, line: ProfileLine) -> None:
    """Propose what a profile says."""
    _propose(work, line.field, line.value, None, work.support.pop(line.request_id, []))


def _asks(work: Work, memory: Memory) -> bool:
    """Hold a memory that says something sensitive which the profile does not: anybody could have written the file."""
    unknown = unknown_in(memory.text, consents.read_profile(work.session))
    for one in unknown:
        if one.value:
            _propose(work, one.field, one.value, memory, memory.sources)
        else:
            work.left_out += 1  # it may be about the field, but there is nothing to ask
    return bool(unknown)


def _said_by(field: str, value: str, text: str) -> Literal["all", "part", "none"]:
    """Tell how much a consent request says of what is sensitive in a memory; with all, a yes to one is a yes to the other."""
    if is_sensitive(field) and same_value(field, text if field == FORGOTTEN else as_value(text), value):
        return "all"
    states = unknown_in(text, {})
    if not any(one.field == field and same_value(field, one.value, value) for one in states):
        return "none"
    return "all" if len(states) == 1 else "part"


def _take_apart(work: Work, memory: Memory) -> None:
    """Ask about a memory by itself that says something else than its consent request; leave it out if it says nothing to ask."""
    if is_forgotten(work.runtime, memory.text):
        _propose(work, FORGOTTEN, memory.text, memory)
    elif not _asks(work, memory):
        work.left_out += 1


def _memory(work: Work, line: MemoryLine | RequestMemory) -> Memory:
    """Return the memory of a line, with those of its messages that are there."""
    there = chat.still_there(work.session, line.sources)
    return Memory(**read({"updated_at": line.created_at, **line.model_dump(), "sources": there}, Memory))


def _propose(work: Work, field: str, value: str, memory: Memory | None, evidence: Iterable[str] = ()) -> None:
    request = requests.propose(work.runtime, field, value[:VALUE_CHARS], memory=memory, proposer="import")
    if request is None:
        work.known += 1
        return
    for message_id in chat.still_there(work.session, evidence):
        consents.add_evidence(work.session, request.id, message_id, typed=False)
    waiting = consents.memory_of(work.session, request.id)
    if memory and (waiting is None or waiting.text != memory.text):
        work.left_out += 1  # the same is asked about already, with another memory or none
    elif request.created_at < work.session.now:
        work.known += 1
    elif request.id not in work.request_ids:
        work.request_ids.append(request.id)
        work.requests += 1
