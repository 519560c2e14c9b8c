"""Find anything: chats by title, messages, facts, lessons, agents and councils by words, while the
person is still typing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from memapp.domain.text import around, clean, one_line
from memapp.language.history import called_agent
from memapp.language.recall import query_words
from memapp.runtime import Runtime
from memapp.store import chat
from memapp.store.agents import find_dissents
from memapp.store.lessons import search_lessons
from memapp.store.scope import Scope
from memapp.store.search import search_memories, search_messages
from memapp.store.trust import list_names

Kind = Literal["thread", "message", "memory", "lesson", "agent", "council"]
KINDS: tuple[Kind, ...] = get_args(Kind)

SNIPPET_CHARS = 160
BESIDE = (32, 10)
"""So many characters of what only gives a reason, and in front of the word in it: there is little
room for it.
"""
THREADS = LESSONS = AGENTS = COUNCILS = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found: a chat, a message, a fact, a lesson, an agent, or an objection of a council."""

    kind: Kind
    id: str
    thread_id: str
    """Where to jump; empty for what is in no chat."""
    title: str
    """The chat's title; empty for what is in no chat."""
    snippet: str
    """The text around the first word that matched."""
    at: datetime
    beside: str = ""
    """What holds the words when the text itself does not: a message next to it, or the tags of a
    fact.
    """


def find(
    runtime: Runtime, text: str, limit: int = 30, *, kinds: Sequence[Kind] = KINDS
) -> list[Hit]:
    """Return chats, facts and messages, then lessons, agents and what councils said.

    First among the former those that hold a word as it is written, best first. The last word counts
    as unfinished.
    """
    session, user = runtime.read(), runtime.user_id
    text = clean(text)
    if not text.strip():
        return []
    words = query_words(text)
    threads = (
        chat.list_threads(session, matching=text.strip(), limit=THREADS)
        if "thread" in kinds
        else []
    )
    found = [
        Hit("thread", thread.id, thread.id, thread.title, "", thread.updated_at)
        for thread in threads
    ]
    candidates = [
        *(
            search_memories(session, Scope(user), words, unfinished=True)
            if "memory" in kinds
            else ()
        ),
        *(
            search_messages(session, words, unfinished=True, commands=True)
            if "message" in kinds
            else ()
        ),
    ]
    if not candidates and "memory" in kinds:
        candidates = search_memories(session, Scope(user), words)  # perhaps one is misspelt
    titles: dict[str, str] = {}
    for item in sorted(
        candidates, key=lambda candidate: (not _holds(candidate.text, words), -candidate.bm25)
    )[:limit]:
        if item.thread_id and item.thread_id not in titles:
            titles[item.thread_id] = chat.get_thread(session, item.thread_id).title
        title = titles.get(item.thread_id, "")
        beside = (
            ""
            if _holds(item.text, words) or not _holds(item.around, words)
            else _snippet(item.around, words, *BESIDE)
        )
        found.append(
            Hit(
                item.kind,
                item.id,
                item.thread_id,
                title,
                _snippet(item.text, words),
                item.at,
                beside,
            )
        )
    lessons = (
        search_lessons(session, words, text.casefold().split(), LESSONS)
        if "lesson" in kinds
        else []
    )
    found += [
        Hit("lesson", lesson.id, "", "", _snippet(lesson.rule_text, words), lesson.updated_at)
        for lesson in lessons
    ]
    named = list_names(session) if "agent" in kinds else []
    agents = [
        name
        for name in named
        if text.strip().casefold() in f"{name} {called_agent(name)}".casefold()
    ][:AGENTS]
    found += [Hit("agent", agent, "", "", called_agent(agent), session.now) for agent in agents]
    said = find_dissents(session, text.strip(), COUNCILS) if "council" in kinds else []
    return [
        *found,
        *(
            Hit(
                "council",
                dissent.message_id,
                "",
                "",
                _snippet(dissent.text, words),
                dissent.created_at,
            )
            for dissent in said
        ),
    ]


def _holds(text: str, words: Sequence[str]) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in words)


def _snippet(
    text: str, words: Sequence[str], length: int = SNIPPET_CHARS, lead: int = SNIPPET_CHARS // 3
) -> str:
    line = one_line(text)
    lowered = line.lower()
    places = [place for word in words if (place := lowered.find(word)) >= 0]
    return around(line, min(places, default=0), length, lead)
