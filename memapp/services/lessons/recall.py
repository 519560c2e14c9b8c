"""Lessons recalled in a chat: for a message that asks how something is done, or tells that it
failed, and for no other.

Only what was promoted is told. A lesson is found by its commands and by what its failures wrote, of
which no word is told.
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
from memapp.language.doing import goes_back, is_about_doing, meanings, named_programs, said_of_doing
from memapp.runtime import Runtime
from memapp.store import lessons as store
from memapp.store import recalls
from memapp.store.session import Session

MOST_IN_CHAT = 3
MOST_LOOKED_AT = 500
LEAST_COVERED = 0.4
"""Of what a message says that names no program, so much has to be in a lesson, its rare words
counting more.
"""
_WORD = re.compile(r"[a-z]{2,}")


@dataclass(frozen=True)
class _Known:
    """A lesson, and the words by which it is found."""

    lesson: Lesson
    commands: frozenset[str]
    all: frozenset[str]
    """Those of its failures too."""


def recall_lessons(runtime: Runtime, thread_id: str, text: str) -> tuple[Recalled, ...]:
    """Return the lessons that bear on a message, best first."""
    if not is_about_doing(text):
        return ()
    session, said = runtime.read(), said_of_doing(text)
    asked, named = meanings(said), named_programs(said)
    just_now = recalls.of_last_command(session, thread_id) if goes_back(text) else []
    known = _all_known(session) if asked else {}
    if about := {id: item for id, item in known.items() if item.lesson.tool.lower() in named}:
        known = about  # the program must agree
    having = Counter(word for value in known.values() for word in value.all)
    weights = {word: math.log((len(known) + 1) / (having[word] + 0.5)) for word in asked}
    covered = {id: _covered(weights, item, is_named=bool(about)) for id, item in known.items()}
    fitting = winners(
        [_match(session, known[id].lesson, share) for id, share in covered.items() if share]
    )
    fitting.sort(key=lambda one: (one.text_similarity, one.strength), reverse=True)
    found = [_recalled(known[match.lesson_id].lesson, match, session) for match in fitting]
    return tuple({hit.id: hit for hit in (*just_now, *found)}.values())[:MOST_IN_CHAT]


def _all_known(session: Session) -> dict[str, _Known]:
    lessons = store.list_lessons(session, ("promoted",), limit=MOST_LOOKED_AT)
    shapes = store.shapes_of(session, [lesson.id for lesson in lessons])
    known = {}
    for lesson in lessons:
        commands = _words(f"{lesson.tool} {lesson.wrong} {lesson.correct}")
        known[lesson.id] = _Known(lesson, commands, commands | _words(shapes.get(lesson.id, "")))
    return known


def _words(text: str) -> frozenset[str]:
    return meanings(_WORD.findall(text.lower()))


def _covered(weights: Mapping[str, float], one: _Known, *, is_named: bool) -> float:
    """Return how much of what a message says is in a lesson, 0 to 1, by the rarity of its words; 0
    if it may not be about it.

    What only its failures wrote counts half. Where the message names no program, two words are
    needed, one of the command.
    """
    shared = weights.keys() & one.all
    held = sum(weights[word] * (1 if word in one.commands else 0.5) for word in shared)
    share = held / sum(weights.values())
    if is_named:
        return share if len(shared) > 1 or len(weights) == 1 else 0.0
    return share if len(shared) > 1 and shared & one.commands and share >= LEAST_COVERED else 0.0


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
        conflicts=frozenset(other for other, _, _ in store.conflicts_of(session, lesson.id)),
    )


def _recalled(lesson: Lesson, match: LessonMatch, session: Session) -> Recalled:
    score = round(sum(parts(match, (), session.now).values()), 4)
    return Recalled(
        "lesson", lesson.id, one_line(lesson.correct), "", "", lesson.updated_at, score, "words"
    )
