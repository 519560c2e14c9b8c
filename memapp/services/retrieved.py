"""Collects what a reply may rely on: recalled memories, memory changes that the chat has not been told yet, and what was
prefetched in idle time for the message that is expected next.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memapp.domain.chat import OWN_WORDS, Message, MessageStatus, Role
from memapp.domain.delta import NO_NEWS, Delta
from memapp.domain.duplicates import duplicate_of
from memapp.domain.memory import Recalled
from memapp.domain.prediction import Prediction
from memapp.prompts import quotes
from memapp.runtime import Runtime
from memapp.services.query import always, changed, conversation_scope, find
from memapp.services.recall import RecallRequest
from memapp.store import chat, checkpoints, expectations, memories


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Recalled memories and unseen changes for one reply."""

    hits: tuple[Recalled, ...] = ()
    delta: Delta = NO_NEWS
    """What leads the block of the hits."""
    searches: int = 0
    """A second one, with more words, was made if the first found nothing; none for small talk."""

    @property
    def on_demand(self) -> bool:
        return self.searches > 1


@dataclass(frozen=True, slots=True)
class Prefetched:
    """What the first model call said in idle time for the expected message, which saves it when that comes."""

    expected: str
    needed_info: tuple[str, ...]


def expectation(runtime: Runtime, messages: list[Message]) -> Prediction | None:
    """Return what the model's last reply expects next, if nothing but memapp's own words followed it."""
    last = next((one for one in reversed(messages) if one.model != OWN_WORDS), None)
    if last is None or last.role is not Role.ASSISTANT or last.status in (MessageStatus.INTERRUPTED, MessageStatus.GENERATING):
        return None
    found = expectations.prediction_for(runtime.read(), last.id, "responder")
    return found if found and found.text else None


def prefetched(runtime: Runtime, thread_id: str, expected: Prediction | None) -> Prefetched | None:
    """Return the first call made in idle time for the expected message, if there was one."""
    done = checkpoints.load(runtime.read(), thread_id).prefetch
    if expected is None or done is None or done.prediction_id != expected.id:
        return None
    return Prefetched(expected.text, done.needed_info)


def look_up(runtime: Runtime, thread_id: str, text: str, needed_info: Sequence[str], in_prompt: Sequence[Message]) -> Retrieved:
    """Look up what a message needs, and once more with more words where a question about the person finds nothing.

    To such a question also come the changes that the chat has not been told yet and, as far as there is room, what is recalled
    whatever is asked. Such facts stand in no other prompt: a small model cannot but speak of them (`benchmarks.distraction`).
    To an inner voice one speaks of its case, in which nothing private belongs that does not match in words.
    """
    if quotes.is_small_talk(text):
        return Retrieved()
    seen = frozenset(one.id for one in in_prompt)
    limit = runtime.settings.prompt_memories
    own_case = _is_inner_voice(runtime, thread_id)
    about_person = quotes.asks_about_person(text) and not own_case
    hits = quotes.choose(text, _recall(runtime, text, needed_info, seen), limit, own_case=own_case)
    on_demand = not hits and limit > 0 and about_person
    if on_demand:
        found = _recall(runtime, " ".join([text, *needed_info, *_last_said(in_prompt, text)]), (), seen)
        hits = quotes.choose(text, found, limit, least=quotes.ON_DEMAND_SCORE)
    if about_person and len(hits) < limit:
        texts = [hit.text for hit in hits]
        others = [one for one in always(runtime, conversation_scope(runtime), limit) if not duplicate_of(one.text, texts)]
        hits = (*hits, *others)[:limit]
    return Retrieved(hits, _changed(runtime, thread_id, seen, hits) if about_person else NO_NEWS, 1 + on_demand)


def news(runtime: Runtime, thread_id: str, text: str, in_prompt: Sequence[Message]) -> Delta:
    """Return the changes to tell before a message that looks something up and does not ask about the person."""
    if quotes.is_small_talk(text) or quotes.asks_about_person(text) or _is_inner_voice(runtime, thread_id):
        return NO_NEWS
    return _changed(runtime, thread_id, frozenset(one.id for one in in_prompt), ())


def shown(runtime: Runtime, retrieved: Retrieved, injected_updates: Delta) -> tuple[Recalled, ...]:
    """Return all that a prompt says of the memory: the hits, then the memories of which it tells that they changed."""
    hits = frozenset(hit.id for hit in retrieved.hits)
    ids = [one for delta in (retrieved.delta, injected_updates) for one in delta.memory_ids if one not in hits]
    found = memories.get_memories(runtime.read(), ids)
    return (*retrieved.hits, *(Recalled.of(one, 0.0, "news", one.updated_at) for one in found))


def _changed(runtime: Runtime, thread_id: str, in_prompt: frozenset[str], hits: Sequence[Recalled]) -> Delta:
    """Return unseen memory changes for this chat; what a hit says already counts as told."""
    return changed(runtime, conversation_scope(runtime), thread_id, in_prompt, [hit.id for hit in hits])


def _is_inner_voice(runtime: Runtime, thread_id: str) -> bool:
    thread = chat.get_thread(runtime.read(), thread_id)
    return runtime.persona(thread.persona).mode == "inner_voice"


def _recall(runtime: Runtime, text: str, needed_info: Sequence[str], without: frozenset[str]) -> list[Recalled]:
    top_k, scope = runtime.settings.top_k, conversation_scope(runtime)
    return find(runtime, RecallRequest(text, tuple(needed_info), top_k, without, scope=scope))


def _last_said(in_prompt: Sequence[Message], text: str) -> list[str]:
    """Return what the person said before, which a short question may refer to."""
    said = [one.text for one in in_prompt if one.role is Role.USER and one.text != text]
    return said[-1:]
