"""Lessons recalled in a chat, for messages about doing something or about a failure.

Only promoted lessons are told. They are found by their commands and by the output of their
failures, of which no word is told.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memapp.domain.lessons.lesson import BY_PERSON, Lesson
from memapp.domain.lessons.ranking import LessonMatch, parts, winners
from memapp.domain.memory import Recalled
from memapp.domain.text import one_line
from memapp.language.computer_tasks import (
    goes_back,
    is_about_doing,
    meanings,
    named_programs,
    said_of_doing,
)
from memapp.runtime import Runtime
from memapp.store import lessons as store
from memapp.store import recalls
from memapp.store.session import Session

MOST_IN_CHAT = 3
MOST_LOOKED_AT = 500
LEAST_COVERED = 0.4
"""Share of a message's words that a lesson must have, by rarity, where no program is named."""
_WORD = re.compile(r"[a-z]{2,}")


@dataclass(frozen=True)
class _Known:
    """A lesson, and the words by which it is found."""

    lesson: Lesson
    commands: frozenset[str]
    all: frozenset[str]
    """Also those of its failures."""


def recall_lessons(runtime: Runtime, thread_id: str, text: str) -> tuple[Recalled, ...]:
    """Return the lessons for a message, best first."""
    if not is_about_doing(text):
        return ()
    session, phrase = runtime.read(), said_of_doing(text)
    subject, named = meanings(phrase), named_programs(phrase)
    just_now = recalls.of_last_command(session, thread_id) if goes_back(text) else []
    lessons = _promoted_lessons(session) if subject else {}
    if named_lessons := {
        lesson_id: entry
        for lesson_id, entry in lessons.items()
        if entry.lesson.tool.lower() in named
    }:
        lessons = named_lessons  # only lessons of the named programs
    having = Counter(word for lesson in lessons.values() for word in lesson.all)
    weights = {word: math.log((len(lessons) + 1) / (having[word] + 0.5)) for word in subject}
    covered = {
        lesson_id: _share_covered(weights, entry, is_named=bool(named_lessons))
        for lesson_id, entry in lessons.items()
    }
    fitting = winners(
        [
            _match(session, lessons[lesson_id].lesson, share)
            for lesson_id, share in covered.items()
            if share
        ]
    )
    fitting.sort(key=lambda match: (match.text_similarity, match.strength), reverse=True)
    recalled = [_recalled(lessons[match.lesson_id].lesson, match, session) for match in fitting]
    return tuple({hit.id: hit for hit in (*just_now, *recalled)}.values())[:MOST_IN_CHAT]


def _promoted_lessons(session: Session) -> dict[str, _Known]:
    lessons = store.list_lessons(session, ("promoted",), limit=MOST_LOOKED_AT)
    shapes = store.shapes_of(session, [lesson.id for lesson in lessons])
    lessons_by_id = {}
    for lesson in lessons:
        commands = _words(f"{lesson.tool} {lesson.wrong} {lesson.correct}")
        lessons_by_id[lesson.id] = _Known(
            lesson, commands, commands | _words(shapes.get(lesson.id, ""))
        )
    return lessons_by_id


def _words(text: str) -> frozenset[str]:
    return meanings(_WORD.findall(text.lower()))


def _share_covered(weights: Mapping[str, float], lesson: _Known, *, is_named: bool) -> float:
    """Return the share of a message's words in a lesson, by rarity; 0 if unrelated.

    Words only its failures wrote count half. If the message names no program, two words must match,
    one of them of a command.
    """
    shared = weights.keys() & lesson.all
    held = sum(weights[word] * (1 if word in lesson.commands else 0.5) for word in shared)
    share = held / sum(weights.values())
    if is_named:
        return share if len(shared) > 1 or len(weights) == 1 else 0.0
    return share if len(shared) > 1 and shared & lesson.commands and share >= LEAST_COVERED else 0.0


def _match(session: Session, lesson: Lesson, share: float) -> LessonMatch:
    return LessonMatch(
        lesson_id=lesson.id,
        status=lesson.status,
        tool=lesson.tool,
        text_similarity=share,
        helped=lesson.helped,
        hurt=lesson.hurt,
        evidence_at=lesson.evidence_at,
        by_person=lesson.reason == BY_PERSON,
        conflicts=frozenset(rival_id for rival_id, _, _ in store.conflicts_of(session, lesson.id)),
    )


def _recalled(lesson: Lesson, match: LessonMatch, session: Session) -> Recalled:
    score = round(sum(parts(match, (), session.now).values()), 4)
    return Recalled(
        "lesson", lesson.id, one_line(lesson.correct), "", "", lesson.updated_at, score, "words"
    )
