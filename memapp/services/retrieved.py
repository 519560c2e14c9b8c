"""Collects what a reply may rely on: recalled memories, memory changes that the chat has not been told yet, and what was
prefetched in idle time for the message that is expected next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from memapp.domain.chat import OWN_WORDS, Message, MessageStatus, Role
from memapp.domain.delta import NO_NEWS, Delta
from memapp.domain.memory import Recalled
from memapp.domain.prediction import Prediction, Prefetched
from memapp.domain.ranking import RetrievalRule
from memapp.prompts import quotes
from memapp.runtime import Runtime
from memapp.services.lessons.recall import recall_lessons
from memapp.services.life_domains import Bearing, bearing_on
from memapp.services.prompt_form import current_form, expected_after, most_memories
from memapp.services.query import always, changed, conversation_scope, find
from memapp.services.recall import RecallRequest, needed, plainly_needed
from memapp.services.tellable import without_words_of_withheld
from memapp.store import chat, checkpoints, memories


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Recalled memories and unseen changes for one reply."""

    hits: tuple[Recalled, ...] = ()
    delta: Delta = NO_NEWS
    """What leads the block of the hits."""
    searches: int = 0
    """A second one, with more words, was made if the first found nothing; none for small talk."""
    lessons: tuple[Recalled, ...] = ()
    """What worked when something was done that the message is about."""

    @property
    def on_demand(self) -> bool:
        return self.searches > 1


def expectation(runtime: Runtime, messages: list[Message]) -> Prediction | None:
    """Return what the model's last reply expects next, if nothing but memapp's own words followed it.

    One made of what waits for a yes or was denied is not used.
    """
    last = next((one for one in reversed(messages) if one.model != OWN_WORDS), None)
    if last is None or last.role is not Role.ASSISTANT or last.status in (MessageStatus.INTERRUPTED, MessageStatus.GENERATING):
        return None
    found = expected_after(runtime, last.id)
    return found if found and without_words_of_withheld(runtime.read(), [found.text]) else None


def prefetched(runtime: Runtime, thread_id: str, expected: Prediction | None) -> Prefetched | None:
    """Return the first call made in idle time for the expected message, if there was one."""
    done = checkpoints.load(runtime.read(), thread_id).prefetch
    if expected is None or done is None or done.prediction_id != expected.id:
        return None
    return Prefetched(expected.text, done.needed_info)


def take_typed(runtime: Runtime, thread_id: str, text: str) -> Prefetched | None:
    """Take the first call made while a message was typed, if it is sent as it was then and nothing was erased since."""
    typed, runtime.typed = runtime.typed, None
    if typed is None or typed[:2] != (thread_id, runtime.database.erasures):
        return None
    return typed[2] if typed[2].message == text else None


def look_up(runtime: Runtime, thread_id: str, text: str, needed_info: Sequence[str], in_prompt: Sequence[Message]) -> Retrieved:
    """Look up what a message needs, and once more with more words where a question about the person finds nothing.

    What the message finds keeps its places; what `needed_info` asks for takes those that are free, so that a bad guess of a
    model costs nothing that was found. A model that gets the full form of prompt guesses well: unless the message asks about the
    person, all that it found but the best gives way.
    To such a question also come the changes that the chat has not been told yet and, as far as there is room, what is recalled
    whatever is asked. Such facts stand in no other prompt: a small model cannot but speak of them (`benchmarks.distraction`).
    To an inner voice one speaks of its case, in which nothing private belongs that does not match in words.
    """
    own_case = _is_inner_voice(runtime, thread_id)
    lessons = () if own_case else recall_lessons(runtime, thread_id, text)
    if quotes.is_small_talk(text):
        return Retrieved(lessons=lessons)
    needed_info = without_words_of_withheld(runtime.read(), needed_info, text)
    seen = frozenset(one.id for one in in_prompt)
    limit = most_memories(runtime)
    if runtime.settings.retrieval_rule is RetrievalRule.FUZZY:
        facts = plainly_needed(runtime, needed_info, conversation_scope(runtime), limit)
        return Retrieved(tuple(facts), searches=1, lessons=lessons)
    about_person = quotes.asks_about_person(text) and not own_case
    found = _recall(runtime, text, seen)
    bearing = Bearing() if own_case else bearing_on(runtime, text, found, conversation_scope(runtime))
    limit = max(limit, min(len(bearing.vital), runtime.settings.top_k)) if limit else 0
    chosen = quotes.choose(text, found, limit, own_case=own_case) if bearing.fitting is None else bearing.fitting
    asked_for = [] if own_case else needed(runtime, needed_info, conversation_scope(runtime))
    trusted = asked_for if current_form(runtime) == "full" and not about_person else []
    hits = quotes.fill(text, (), (*bearing.vital, *chosen[:1], *trusted, *chosen[1:]), limit)
    on_demand = not hits and limit > 0 and about_person and not quotes.asks_advice(text)
    if on_demand:
        more = _last_said(in_prompt, text)
        again = _recall(runtime, " ".join([text, *more]), seen) if more else found
        choose = partial(quotes.choose, text, again, limit, least=quotes.ON_DEMAND_SCORE)
        hits = choose() or choose(least_cosine=-1.0)  # that shares a word and nothing else is better than nothing
    hits = quotes.fill(text, hits, (*asked_for, *bearing.circumstances), limit)
    if about_person and not quotes.asks_advice(text):
        hits = quotes.fill(text, hits, always(runtime, conversation_scope(runtime), limit), limit)
    delta = _changed(runtime, thread_id, seen, hits) if about_person else NO_NEWS
    return Retrieved(hits, delta, 1 + on_demand, lessons)


def news(runtime: Runtime, thread_id: str, text: str, in_prompt: Sequence[Message]) -> Delta:
    """Return the changes to tell before a message that looks something up and does not ask about the person."""
    if quotes.is_small_talk(text) or quotes.asks_about_person(text) or _is_inner_voice(runtime, thread_id):
        return NO_NEWS
    return _changed(runtime, thread_id, frozenset(one.id for one in in_prompt), ())


def shown(runtime: Runtime, retrieved: Retrieved, injected_updates: Delta) -> tuple[Recalled, ...]:
    """Return all that a prompt says of the memory: the hits, the memories of which it tells that they changed, the lessons."""
    hits = frozenset(hit.id for hit in retrieved.hits)
    ids = [one for delta in (retrieved.delta, injected_updates) for one in delta.memory_ids if one not in hits]
    found = memories.get_memories(runtime.read(), ids)
    return (*retrieved.hits, *(Recalled.of(one, 0.0, "news", one.updated_at) for one in found), *retrieved.lessons)


def _changed(runtime: Runtime, thread_id: str, in_prompt: frozenset[str], hits: Sequence[Recalled]) -> Delta:
    """Return unseen memory changes for this chat; what a hit says already counts as told."""
    return changed(runtime, conversation_scope(runtime), thread_id, in_prompt, [hit.id for hit in hits])


def _is_inner_voice(runtime: Runtime, thread_id: str) -> bool:
    thread = chat.get_thread(runtime.read(), thread_id)
    return runtime.persona_in(thread).is_inner_voice


def _recall(runtime: Runtime, text: str, without: frozenset[str]) -> list[Recalled]:
    return find(runtime, RecallRequest(text, runtime.settings.top_k, without, scope=conversation_scope(runtime)))


def _last_said(in_prompt: Sequence[Message], text: str) -> list[str]:
    """Return what the person said before, which a short question may refer to."""
    said = [one.text for one in in_prompt if one.role is Role.USER and one.text != text]
    return said[-1:]
