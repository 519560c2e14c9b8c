"""The job `distil`: a trusted model rewords memories as plain sentences in the third person.

The sentence is an edit that one undo reverts; the typed words stay as the first version. Each
memory is asked about once.
"""

from collections.abc import Iterator, Sequence

from memapp.domain.changes import Actor, Updated
from memapp.domain.jobs import Pace
from memapp.domain.memory import MAX_MEMORY_CHARS, Memory, State
from memapp.inference import Cancel, whole_reply
from memapp.language.grounding import unsaid
from memapp.language.questions import content
from memapp.language.same_content import keeps_facts
from memapp.language.word_file import words_of
from memapp.prompts import third_person as prompts
from memapp.runtime import Runtime
from memapp.services import write_gate
from memapp.services.models import is_trusted_with
from memapp.services.recall import redact
from memapp.store import chat, memories
from memapp.store import distillation as store

AT_ONCE = 20
"""The number of memories per run."""
SHOWN = 7
"""The number of messages shown, up to the memory's last source."""
LEAST_SAID = 0.5
"""The least share of the sentence's stems that must occur in the sources."""


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Reword memories, oldest first; yield 1 for each new sentence. Raises `ModelError`."""
    model = runtime.chat.ready()
    if model is None or not is_trusted_with(runtime, model, "distil"):
        return
    for memory in store.list_new(runtime.read(), AT_ONCE):
        messages = _said(runtime, memory)
        request = prompts.request(memory.text, messages)
        text = prompts.parse(whole_reply(model, *request, cancel))
        if cancel.is_set():
            return
        sentence = text if is_grounded(text, memory.text, messages) else ""
        if _save(runtime, memory, sentence, f"model:{model.name}"):
            yield 1


def waiting(runtime: Runtime) -> int:
    """Count the memories that the loaded model would reword now."""
    return (
        len(store.list_new(runtime.read(), AT_ONCE))
        if is_trusted_with(runtime, runtime.chat.ready(), "distil")
        else 0
    )


def is_grounded(text: str, memory: str, said: Sequence[str]) -> bool:
    """Return True if a sentence keeps a memory's names, numbers and negations and adds none."""
    words = words_of(memory)
    if len(text) > MAX_MEMORY_CHARS or "User" not in text:
        return False
    if words.finds("others", "first_person", text):
        return False
    stems = set(content(text, words)) - {"user"}
    said_stems = {stem for source in (memory, *said) for stem in content(source, words)}
    if not len(stems & said_stems) >= LEAST_SAID * len(stems) > 0:
        return False
    return keeps_facts(text, memory) and not unsaid(text, [memory, *said, "User"], words)


def _said(runtime: Runtime, memory: Memory) -> list[str]:
    """Return the messages up to a memory's last source, without pending or denied ones."""
    session = runtime.read()
    sources = chat.get_messages(session, memory.sources)
    if not sources:
        return []
    last = max(sources, key=lambda message: message.id)
    messages = chat.list_messages(session, last.thread_id, before=last.seq + 1, limit=SHOWN)
    return [message.text for message in redact(session, messages)]


def _save(runtime: Runtime, memory: Memory, text: str, by: str) -> bool:
    """Mark a memory as asked about, and save the sentence, if any; return True if saved."""
    with runtime.write() as session:
        store.save_last(session, memory.id)
        is_unchanged = any(
            (stored.text, stored.state) == (memory.text, State.LIVE)
            for stored in memories.get_memories(session, [memory.id])
        )
        if not text or not is_unchanged or memories.find_same(session, session.normalise(text)):
            return False
        change, actor = Updated(memory.id, text=text, origin="distilled"), Actor(by, memory.run_id)
        return write_gate.store_or_ask(runtime, session, change, actor)
