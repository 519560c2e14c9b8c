"""Find anything: chats by title, messages, facts and lessons by words, while the person is still typing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memapp.domain.text import around, clean, one_line
from memapp.language.recall import query_words
from memapp.runtime import Runtime
from memapp.store import chat
from memapp.store.lessons import search_lessons
from memapp.store.scope import Scope
from memapp.store.search import search_memories, search_messages

Kind = Literal["thread", "message", "memory", "lesson"]
KINDS: tuple[Kind, ...] = ("thread", "message", "memory", "lesson")

SNIPPET_CHARS = 160
BESIDE = (32, 10)
"""So many characters of what only gives a reason, and in front of the word in it: there is little room for it."""
THREADS = LESSONS = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found: a chat, a message, a fact or a lesson."""

    kind: Kind
    id: str
    thread_id: str
    """Where to jump; empty for a fact or a lesson."""
    title: str
    """The chat's title; empty for a fact or a lesson."""
    snippet: str
    """The text around the first word that matched."""
    at: datetime
    beside: str = ""
    """What holds the words when the text itself does not: a message next to it, or the tags of a fact."""


def find(runtime: Runtime, text: str, limit: int = 30, *, kinds: Sequence[Kind] = KINDS) -> list[Hit]:
    """Return chats, facts and messages, then lessons: first those that hold a word as it is written, best first among them.

    The last word counts as unfinished.
    """
    session, user = runtime.read(), runtime.user_id
    text = clean(text)
    if not text.strip():
        return []
    words = query_words(text)
    threads = chat.list_threads(session, matching=text.strip(), limit=THREADS) if "thread" in kinds else []
    found = [Hit("thread", one.id, one.id, one.title, "", one.updated_at) for one in threads]
    candidates = [
        *(search_memories(session, Scope(user), words, unfinished=True) if "memory" in kinds else ()),
        *(search_messages(session, words, unfinished=True, commands=True) if "message" in kinds else ()),
    ]
    if not candidates and "memory" in kinds:
        candidates = search_memories(session, Scope(user), words)  # perhaps one is misspelt
    titles: dict[str, str] = {}
    for one in sorted(candidates, key=lambda candidate: (not _holds(candidate.text, words), -candidate.bm25))[:limit]:
        if one.thread_id and one.thread_id not in titles:
            titles[one.thread_id] = chat.get_thread(session, one.thread_id).title
        title = titles.get(one.thread_id, "")
        beside = "" if _holds(one.text, words) or not _holds(one.around, words) else _snippet(one.around, words, *BESIDE)
        found.append(Hit(one.kind, one.id, one.thread_id, title, _snippet(one.text, words), one.at, beside))
    lessons = search_lessons(session, words, text.casefold().split(), LESSONS) if "lesson" in kinds else []
    return [*found, *(Hit("lesson", one.id, "", "", _snippet(one.rule_text, words), one.updated_at) for one in lessons)]


def _holds(text: str, words: Sequence[str]) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in words)


def _snippet(text: str, words: Sequence[str], length: int = SNIPPET_CHARS, lead: int = SNIPPET_CHARS // 3) -> str:
    line = one_line(text)
    lowered = line.lower()
    places = [place for word in words if (place := lowered.find(word)) >= 0]
    return around(line, min(places, default=0), length, lead)
