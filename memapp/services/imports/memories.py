"""Imports memories: stores new ones, skips known ones, and holds sensitive ones until the person agrees."""

from dataclasses import replace

from memapp.domain.changes import Created, Restored
from memapp.domain.duplicates import normalise
from memapp.domain.foreign import ForeignFact
from memapp.domain.memory import Memory, State
from memapp.domain.portable import MemoryLine
from memapp.errors import UsageError
from memapp.services.forget import is_forgotten
from memapp.services.imports import foreign
from memapp.services.imports.lines import live_memory
from memapp.services.imports.questions import ask_again, asks
from memapp.services.imports.work import Work
from memapp.store import access_counts, changes, chat, memories, portable
from memapp.store.encoding import new_id, to_time


def take_memory(work: Work, line: MemoryLine) -> None:
    """Bring in a memory of memapp with all that is known of it."""
    there = portable.find(work.session, line)
    if there is not None and line.state == "live" and there["text"] != line.text:
        work.reworded += 1
        return
    if there is not None and (line.state != "live" or there["reason"] != "undone"):
        work.known += 1
        return
    sources = chat.still_there(work.session, line.sources)
    memory = replace(_memory(line), sources=tuple(sources))
    if not _may_come_in(work, memory):
        work.absent.add(line.id)
        return
    if not work.absent.issuperset(set(line.sources).difference(sources)):
        raise UsageError("A message that this memory came from is not there.")
    if there is not None:  # it went when the import that brought it was taken back
        _apply(work, Restored(line.id))
        return
    _apply(work, Created(memory))
    if line.used:
        access_counts.insert_used(work.session, line.id, line.used)


def take_note(work: Work, note: ForeignFact) -> None:
    """Remember a fact of another program."""
    memory = foreign.memory_of(note, new_id(work.now), work.now)
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
            ask_again(work, memory)
        else:
            work.left_out += 1
        return False
    return not (is_live and asks(work, memory))


def _apply(work: Work, change: Created | Restored) -> None:
    work.came.add(changes.apply(work.session, change, work.actor, work.now).memory_id)
    work.added["memory"] += 1


def _memory(line: MemoryLine) -> Memory:
    return replace(
        live_memory(line),
        state=State(line.state),
        reason=line.reason,
        merged_into=line.merged_into,
        purge_at=to_time(line.purge_at) if line.purge_at else None,
        updated_at=to_time(line.updated_at),
    )
