"""The search as the person types: chats, messages, memories, lessons, agents and councils."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from memapp.domain.ranking import Candidate
from memapp.domain.text import around, clean, one_line
from memapp.language.history import called_agent
from memapp.language.query_words import query_words
from memapp.runtime import Runtime
from memapp.store import chat
from memapp.store.agents import find_dissents
from memapp.store.lessons import search_lessons
from memapp.store.scope import Scope
from memapp.store.search import search_memories, search_messages
from memapp.store.session import Session
from memapp.store.trust import list_names

Kind = Literal["thread", "message", "memory", "lesson", "agent", "council"]
KINDS: tuple[Kind, ...] = get_args(Kind)

SNIPPET_CHARS = 160
BESIDE = (32, 10)
"""The length of `beside`, and of its text before the matching word: there is little room."""
THREADS = LESSONS = AGENTS = COUNCILS = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A search hit: a chat, message, memory, lesson, agent or objection of a council."""

    kind: Kind
    id: str
    thread_id: str
    """The chat to jump to; empty for a hit outside any chat."""
    title: str
    """The chat's title; empty for a hit outside any chat."""
    snippet: str
    """The text around the first word that matched."""
    at: datetime
    beside: str = ""
    """Where the match is, if not in the text: a message next to the hit, or a memory's tags."""


def find(
    runtime: Runtime, text: str, limit: int = 30, *, kinds: Sequence[Kind] = KINDS
) -> list[Hit]:
    """Return chats, memories and messages, then lessons, agents and objections of councils.

    Memories and messages with a word exactly as typed come first, best first. The last word counts
    as unfinished.
    """
    session, text = runtime.read(), clean(text)
    if not text.strip():
        return []
    words = query_words(text)
    hits: list[Hit] = []
    if "thread" in kinds:
        threads = chat.list_threads(session, matching=text.strip(), limit=THREADS)
        hits += [
            Hit("thread", thread.id, thread.id, thread.title, "", thread.updated_at)
            for thread in threads
        ]
    hits += _memories_and_messages(runtime, words, limit, kinds)
    if "lesson" in kinds:
        lessons = search_lessons(session, words, text.casefold().split(), LESSONS)
        hits += [
            Hit("lesson", lesson.id, "", "", _snippet(lesson.rule_text, words), lesson.updated_at)
            for lesson in lessons
        ]
    if "agent" in kinds:
        hits += _agents(session, text.strip().casefold())
    if "council" in kinds:
        dissents = find_dissents(session, text.strip(), COUNCILS)
        hits += [
            Hit(
                "council",
                dissent.message_id,
                "",
                "",
                _snippet(dissent.text, words),
                dissent.created_at,
            )
            for dissent in dissents
        ]
    return hits


def _memories_and_messages(
    runtime: Runtime, words: Sequence[str], limit: int, kinds: Sequence[Kind]
) -> list[Hit]:
    session, scope = runtime.read(), Scope(runtime.user_id)
    candidates: list[Candidate] = []
    if "memory" in kinds:
        candidates += search_memories(session, scope, words, unfinished=True)
    if "message" in kinds:
        candidates += search_messages(session, words, unfinished=True, commands=True)
    if not candidates and "memory" in kinds:
        candidates = search_memories(session, scope, words)  # perhaps a word is misspelt
    candidates.sort(key=lambda candidate: (not _holds(candidate.text, words), -candidate.bm25))
    titles: dict[str, str] = {"": ""}
    hits = []
    for candidate in candidates[:limit]:
        thread_id = candidate.thread_id
        if thread_id not in titles:
            titles[thread_id] = chat.get_thread(session, thread_id).title
        beside = ""
        if not _holds(candidate.text, words) and _holds(candidate.around, words):
            beside = _snippet(candidate.around, words, *BESIDE)
        snippet, title = _snippet(candidate.text, words), titles[thread_id]
        hits.append(
            Hit(candidate.kind, candidate.id, thread_id, title, snippet, candidate.at, beside)
        )
    return hits


def _agents(session: Session, text: str) -> list[Hit]:
    names = [
        name for name in list_names(session) if text in f"{name} {called_agent(name)}".casefold()
    ]
    return [Hit("agent", name, "", "", called_agent(name), session.now) for name in names[:AGENTS]]


def _holds(text: str, words: Sequence[str]) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in words)


def _snippet(
    text: str, words: Sequence[str], length: int = SNIPPET_CHARS, lead: int = SNIPPET_CHARS // 3
) -> str:
    line = one_line(text)
    lowered = line.lower()
    starts = [place for word in words if (place := lowered.find(word)) >= 0]
    return around(line, min(starts, default=0), length, lead)
