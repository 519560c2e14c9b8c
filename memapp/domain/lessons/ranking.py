"""The ranking of lessons for an error or a task, by a score of five parts.

A lesson for the exact error comes before one for its shape, and that before a similar one.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple
from zlib import crc32

from memapp.domain.lessons.lesson import LessonStatus

WEIGHTS: Mapping[str, float] = {
    "fingerprint": 0.40,
    "tags": 0.25,
    "text": 0.20,
    "reliability": 0.10,
    "recency": 0.05,
}
HALF_LIFE_DAYS = 30.0
MOST_BEFORE_RUN, MOST_ON_ERROR = 5, 3
MOST_OF_SESSION = 2
"""The most lessons learned in one earlier session."""
MOST_OF_TAG = 2
MOST_UNPROVEN = 1
WITHHELD = 0.20
"""The share of matches in which an unpromoted lesson is withheld."""
LEAST_ALIKE = 0.8
"""Likeness of shapes from which two errors are of one kind."""


class Tier(IntEnum):
    """How a trigger fits an error; a higher tier comes first whatever the score."""

    ALIKE = 0
    SHAPE = 1
    EXACT = 2
    """Shape, subject and scope match."""


def tier(
    *, same_shape: bool, same_subject: bool, same_scope: bool, travels: bool, alike: float
) -> Tier | None:
    """Return how a trigger fits an error; None if it does not.

    A rule that `travels` is meant for other scopes too, and contains no local name. `alike` is the
    likeness of the shapes, 0 to 1.
    """
    if not (same_scope or travels):
        return None
    if same_shape:
        return Tier.EXACT if same_subject and same_scope else Tier.SHAPE
    return Tier.ALIKE if alike >= LEAST_ALIKE else None


class LessonMatch(NamedTuple):
    """A lesson that may fit, with the facts for ranking."""

    lesson_id: str
    status: LessonStatus
    tool: str
    evidence_at: datetime
    """When the lesson was last activated, or created."""
    tags: frozenset[str] = frozenset()
    session: str = ""
    """The session in which it was learned; empty for the person's own or an imported lesson."""
    tier: Tier = Tier.ALIKE
    elsewhere: bool = False
    """True for a lesson of another place, with names of that place."""
    fingerprint_match: float = 0.0
    """Likeness of the shapes, 0 to 1."""
    text_similarity: float = 0.0
    """0 to 1."""
    helped: int = 0
    hurt: int = 0
    by_person: bool = False
    """True if the person promoted the lesson."""
    conflicts: frozenset[str] = frozenset()
    """Ids of lessons with the same triggers and another fix."""

    @property
    def unproven(self) -> bool:
        return self.status == "candidate"

    @property
    def strength(self) -> tuple[bool, float, datetime, str]:
        """Return the key that decides conflicts: the person's word, reliability, newer evidence."""
        return self.by_person, reliability(self.helped, self.hurt), self.evidence_at, self.lesson_id


class RankedLesson(NamedTuple):
    """A lesson to show, with the weighed parts of its score."""

    match: LessonMatch
    parts: Mapping[str, float]
    """The weighed parts, in the order of `WEIGHTS`."""

    @property
    def score(self) -> float:
        return sum(self.parts.values())

    @property
    def why(self) -> str:
        """Return the five parts in words: `fingerprint 0.40 + tags 0.12 + ... + recency 0.05`."""
        return " + ".join(f"{name} {value:.2f}" for name, value in self.parts.items())


def rank(
    matches: Iterable[LessonMatch], tool: str, tags: Collection[str], now: datetime, most: int
) -> list[RankedLesson]:
    """Return the lessons to show, best first.

    Only live lessons of the tool are shown, one of each conflict, at most one unproven, within the
    caps.
    """
    live = [
        match
        for match in matches
        if match.tool == tool and match.status in ("candidate", "promoted")
    ]
    ranked = [RankedLesson(match, parts(match, tags, now)) for match in winners(live)]
    ranked.sort(
        key=lambda lesson: (
            lesson.match.tier,
            not lesson.match.unproven,
            lesson.score,
            lesson.match.strength,
        ),
        reverse=True,
    )
    return _within_caps(ranked, most)


def parts(match: LessonMatch, tags: Collection[str], now: datetime) -> dict[str, float]:
    """Return the five weighed parts of the score."""
    values = {
        "fingerprint": match.fingerprint_match,
        "tags": tag_overlap(match.tags, tags),
        "text": match.text_similarity,
        "reliability": reliability(match.helped, match.hurt),
        "recency": recency(match.evidence_at, now),
    }
    return {name: weight * values[name] for name, weight in WEIGHTS.items()}


def tag_overlap(some: Collection[str], others: Collection[str]) -> float:
    """Return the Jaccard index of two sets of tags; 0 for empty sets."""
    either = {*some, *others}
    return len({*some} & {*others}) / len(either) if either else 0.0


def reliability(helped: int, hurt: int) -> float:
    """Return the share of activations that helped, by Laplace's rule of succession."""
    return (helped + 1) / (helped + hurt + 2)


def recency(at: datetime, now: datetime) -> float:
    """Return the recency of a time: 1 for now, halved for every 30 days before."""
    return math.pow(0.5, max((now - at).total_seconds(), 0.0) / 86_400 / HALF_LIFE_DAYS)


def winners(matches: Sequence[LessonMatch]) -> list[LessonMatch]:
    """Return the matches without those that lose a conflict with another match."""
    kept: dict[str, LessonMatch] = {}
    for match in sorted(matches, key=lambda match: match.strength, reverse=True):
        if not any(
            match.lesson_id in rival.conflicts or rival.lesson_id in match.conflicts
            for rival in kept.values()
        ):
            kept[match.lesson_id] = match
    return list(kept.values())


def is_withheld(activation_id: str, share: float = WITHHELD) -> bool:
    """Return True for a share of activations, drawn by id, to be withheld for comparison."""
    return crc32(activation_id.encode()) < share * 2**32


def _within_caps(ranked: Sequence[RankedLesson], most: int) -> list[RankedLesson]:
    of_session, of_tag = Counter[str](), Counter[str]()
    unproven = 0
    kept: list[RankedLesson] = []
    for lesson in ranked:
        match = lesson.match
        buckets = match.tags or {""}
        crowded = match.session and of_session[match.session] >= MOST_OF_SESSION
        if (
            crowded
            or any(of_tag[tag] >= MOST_OF_TAG for tag in buckets)
            or unproven + match.unproven > MOST_UNPROVEN
        ):
            continue
        kept.append(lesson)
        of_session[match.session] += 1
        of_tag.update(buckets)
        unproven += match.unproven
    return kept[:most]
