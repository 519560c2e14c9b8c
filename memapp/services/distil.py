"""Distilling: a model that is trusted with it says memories in the person's own words in the third
person: the job `distil`.

Its sentence is an edit, which one undo takes back; what was typed stays as the first version. Each
memory is asked about once.
"""

from collections.abc import Iterator, Sequence

from memapp.domain.changes import Actor, Updated
from memapp.domain.jobs import Pace
from memapp.domain.memory import MAX_MEMORY_CHARS, Memory, State
from memapp.inference import Cancel, whole_reply
from memapp.language.asked import content
from memapp.language.held import unsaid
from memapp.language.same import keeps_facts
from memapp.language.word_file import words_of
from memapp.prompts import distil as words
from memapp.runtime import Runtime
from memapp.services import ask_first
from memapp.services.model_jobs import may_do
from memapp.services.tellable import tellable
from memapp.store import chat, memories
from memapp.store import distil as store

AT_ONCE = 20
"""Memories that one run of the job asks about."""
SHOWN = 7
"""Messages of the chat, up to the one that a memory is of."""
LEAST_SAID = 0.5
"""So many of the sentence's stems were said."""


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Ask about memories, oldest first; yield 1 for each that is said otherwise. Raises
    `ModelError`.
    """
    model = runtime.chat.ready()
    if model is None or not may_do(runtime, model, "distil"):
        return
    for memory in store.list_new(runtime.read(), AT_ONCE):
        said = _said(runtime, memory)
        text = words.parse(whole_reply(model, *words.request(memory.text, said), cancel))
        if cancel.is_set():
            return
        if _save(
            runtime,
            memory,
            text if is_grounded(text, memory.text, said) else "",
            f"model:{model.name}",
        ):
            yield 1


def waiting(runtime: Runtime) -> int:
    """Count the memories that the model that is loaded would be asked about now."""
    return (
        len(store.list_new(runtime.read(), AT_ONCE))
        if may_do(runtime, runtime.chat.ready(), "distil")
        else 0
    )


def is_grounded(text: str, memory: str, said: Sequence[str]) -> bool:
    """Return True for a sentence that keeps a memory's names, numbers and denials, and has no
    others but those that were said.
    """
    of = words_of(memory)
    if (
        len(text) > MAX_MEMORY_CHARS
        or "User" not in text
        or of.finds("others", "first_person", text)
    ):
        return False
    stems, known = (
        set(content(text, of)) - {"user"},
        {stem for text in (memory, *said) for stem in content(text, of)},
    )
    is_said = len(stems & known) >= LEAST_SAID * len(stems) > 0
    return is_said and keeps_facts(text, memory) and not unsaid(text, [memory, *said, "User"], of)


def _said(runtime: Runtime, memory: Memory) -> list[str]:
    """Return what was said in a memory's chat up to its last message, as far as it may be told."""
    session = runtime.read()
    sources = chat.get_messages(session, memory.sources)
    if not sources:
        return []
    last = max(sources, key=lambda one: one.id)
    return [
        message.text
        for message in tellable(
            session, chat.list_messages(session, last.thread_id, before=last.seq + 1, limit=SHOWN)
        )
    ]


def _save(runtime: Runtime, memory: Memory, text: str, by: str) -> bool:
    """Note that a memory was asked about, and put the sentence in its place; return whether there
    is one.
    """
    with runtime.write() as session:
        store.save_last(session, memory.id)
        there = [
            other
            for other in memories.get_memories(session, [memory.id])
            if (other.text, other.state) == (memory.text, State.LIVE)
        ]
        if not text or not there or memories.find_same(session, session.normalise(text)):
            return False
        change, actor = Updated(memory.id, text=text, origin="distilled"), Actor(by, memory.run_id)
        return ask_first.store_or_ask(runtime, session, change, actor)
