"""Collects what a reply may rely on: recalled memories, and memory changes that the chat has not been told yet."""

from collections.abc import Sequence
from dataclasses import dataclass

from memapp.domain.chat import Message, Role
from memapp.domain.delta import NO_NEWS, Delta, summarise
from memapp.domain.duplicates import duplicate_of
from memapp.domain.memory import Recalled
from memapp.prompts import quotes
from memapp.runtime import Runtime
from memapp.services.query import always, conversation_scope, find
from memapp.services.recall import RecallRequest
from memapp.store import chat, delta


@dataclass(frozen=True, slots=True)
class Evidence:
    """Recalled memories and unseen changes for one reply."""

    hits: tuple[Recalled, ...] = ()
    delta: Delta = NO_NEWS
    searches: int = 0
    """A second one, with more words, was made if the first found nothing; none for small talk."""
    about_person: bool = False
    """The message asks about the one who wrote it."""

    @property
    def again(self) -> bool:
        return self.searches > 1

    @property
    def updates(self) -> tuple[str, ...]:
        """The delta's lines where the question may be about them: they lead the block of what was found."""
        return self.delta.lines if self.about_person else ()

    @property
    def told(self) -> tuple[str, ...]:
        """The delta's lines anywhere else: told before the message, for a small model speaks of what stands beside it."""
        return () if self.about_person else self.delta.lines


def look_up(runtime: Runtime, thread_id: str, text: str, needed_info: Sequence[str], in_prompt: Sequence[Message]) -> Evidence:
    """Look up what a message needs, and once more with more words where a question about the person finds nothing.

    To such a question also comes, as far as there is room, what is recalled whatever is asked; a small model cannot but speak of
    it (`benchmarks.distraction`), so it stands in no other prompt. To an inner voice one speaks of its case, in which nothing
    private belongs that does not match in words.
    """
    if quotes.is_small_talk(text):
        return Evidence()
    seen = frozenset(one.id for one in in_prompt)
    limit = runtime.settings.prompt_memories
    thread = chat.get_thread(runtime.database.read(), runtime.user_id, thread_id)
    own_case = runtime.persona(thread.persona).mode == "inner_voice"
    asks = quotes.asks_about_person(text)
    about_person = asks and not own_case
    hits = quotes.choose(text, _recall(runtime, text, needed_info, seen), limit, own_case=own_case)
    again = not hits and limit > 0 and about_person
    if again:
        wider = _recall(runtime, " ".join([text, *needed_info, *_last_said(in_prompt, text)]), (), seen)
        hits = quotes.choose(text, wider, limit, least=quotes.WIDER_SCORE)
    if about_person and len(hits) < limit:
        told = [hit.text for hit in hits]
        others = [one for one in always(runtime, conversation_scope(runtime), limit) if not duplicate_of(one.text, told)]
        hits = (*hits, *others)[:limit]
    news = changed(runtime, thread_id, seen, hits) if asks or not own_case else NO_NEWS
    return Evidence(hits, news, 1 + again, asks)


def changed(runtime: Runtime, thread_id: str, in_prompt: frozenset[str], hits: Sequence[Recalled]) -> Delta:
    """Return unseen memory changes for this chat; what a hit says already counts as told."""
    conn = runtime.database.read()
    since = delta.revision(conn, runtime.user_id, thread_id)
    logged = delta.untold(conn, conversation_scope(runtime), thread_id)
    return summarise(logged, since, in_prompt, frozenset(hit.id for hit in hits))


def _recall(runtime: Runtime, text: str, needed_info: Sequence[str], without: frozenset[str]) -> list[Recalled]:
    return find(
        runtime,
        RecallRequest(
            text,
            needed_info=tuple(needed_info),
            top_k=runtime.settings.top_k,
            without=without,
            scope=conversation_scope(runtime),
        ),
    )


def _last_said(in_prompt: Sequence[Message], text: str) -> list[str]:
    """Return what the person said before, which a short question may refer to."""
    said = [one.text for one in in_prompt if one.role is Role.USER and one.text != text]
    return said[-1:]
