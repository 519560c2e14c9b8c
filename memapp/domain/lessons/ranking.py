"""The lessons that fit an error or a task, best first: the specification's score of five parts, and
what of them may be shown.

A lesson that knows the very error comes before one that knows only its shape, and that before one
that is merely alike.
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
"""Lessons that were learned in the same earlier session."""
MOST_OF_TAG = 2
MOST_UNPROVEN = 1
WITHHELD = 0.20
"""The share of matches at which a lesson that is not promoted is withheld."""
LEAST_ALIKE = 0.8
"""Likeness of shapes from which an error is taken for one of the same kind."""


class Tier(IntEnum):
    """How a lesson's trigger fits an error; a higher one comes first whatever its score."""

    ALIKE = 0
    SHAPE = 1
    EXACT = 2
    """Shape, subject and scope are the same."""


def tier(
    *, same_shape: bool, same_subject: bool, same_scope: bool, travels: bool, alike: float
) -> Tier | None:
    """Return how a trigger fits an error; None if it does not.

    `travels` says that the rule is meant for other scopes as well and names nothing of its own: any
    other stays where it was learned. `alike` is the likeness of the shapes, 0 to 1.
    """
    if not (same_scope or travels):
        return None
    if same_shape:
        return Tier.EXACT if same_subject and same_scope else Tier.SHAPE
    return Tier.ALIKE if alike >= LEAST_ALIKE else None


class LessonMatch(NamedTuple):
    """A lesson that may fit, with what is known about it and the fit."""

    lesson_id: str
    status: LessonStatus
    tool: str
    evidence_at: datetime
    """When it was last activated, or made."""
    tags: frozenset[str] = frozenset()
    session: str = ""
    """The earlier session it was learned in; empty for a person's own or an imported one."""
    tier: Tier = Tier.ALIKE
    elsewhere: bool = False
    """It was learned in another place, and has names of that place."""
    fingerprint_match: float = 0.0
    """Likeness of the shapes, 0 to 1."""
    text_similarity: float = 0.0
    """0 to 1."""
    helped: int = 0
    hurt: int = 0
    by_person: bool = False
    """The person promoted it."""
    conflicts: frozenset[str] = frozenset()
    """Lessons with the same triggers and another fix."""

    @property
    def unproven(self) -> bool:
        return self.status == "candidate"

    @property
    def strength(self) -> tuple[bool, float, datetime, str]:
        """By which a conflict is decided: the person's word, then reliability, then newer evidence."""
        return self.by_person, reliability(self.helped, self.hurt), self.evidence_at, self.lesson_id


class RankedLesson(NamedTuple):
    """A lesson to show, with its score and the five parts it is the sum of."""

    match: LessonMatch
    parts: Mapping[str, float]
    """In the order of `WEIGHTS`, weighed."""

    @property
    def score(self) -> float:
        return sum(self.parts.values())

    @property
    def why(self) -> str:
        """The five parts: `fingerprint 0.40 + tags 0.12 + text 0.08 + reliability 0.05 + recency
        0.05`.
        """
        return " + ".join(f"{name} {value:.2f}" for name, value in self.parts.items())


def rank(
    matches: Iterable[LessonMatch], tool: str, tags: Collection[str], now: datetime, most: int
) -> list[RankedLesson]:
    """Return the lessons to show, best first: live ones of the tool, one of each conflict, within
    the caps.

    At most one of them is unproven.
    """
    live = [
        match
        for match in matches
        if match.tool == tool and match.status in ("candidate", "promoted")
    ]
    ranked = [RankedLesson(match, parts(match, tags, now)) for match in winners(live)]
    ranked.sort(
        key=lambda one: (one.match.tier, not one.match.unproven, one.score, one.match.strength),
        reverse=True,
    )
    return _within_caps(ranked, most)


def parts(match: LessonMatch, tags: Collection[str], now: datetime) -> dict[str, float]:
    """Return the five weighed parts, of which the score is the sum."""
    values = {
        "fingerprint": match.fingerprint_match,
        "tags": tag_overlap(match.tags, tags),
        "text": match.text_similarity,
        "reliability": reliability(match.helped, match.hurt),
        "recency": recency(match.evidence_at, now),
    }
    return {name: weight * values[name] for name, weight in WEIGHTS.items()}


def tag_overlap(some: Collection[str], others: Collection[str]) -> float:
    """Return how many of all tags are shared, 0 to 1: the Jaccard index; 0 without any."""
    either = {*some, *others}
    return len({*some} & {*others}) / len(either) if either else 0.0


def reliability(helped: int, hurt: int) -> float:
    """Return the share of activations that helped, drawn to one half while there are few: Laplace's
    rule of succession.
    """
    return (helped + 1) / (helped + hurt + 2)


def recency(at: datetime, now: datetime) -> float:
    """Return 1 for now, and half of it for every 30 days before."""
    return math.pow(0.5, max((now - at).total_seconds(), 0.0) / 86_400 / HALF_LIFE_DAYS)


def winners(matches: Sequence[LessonMatch]) -> list[LessonMatch]:
    """Return the matches without those that lose a conflict with another of them."""
    kept: dict[str, LessonMatch] = {}
    for match in sorted(matches, key=lambda one: one.strength, reverse=True):
        if not any(
            match.lesson_id in rival.conflicts or rival.lesson_id in match.conflicts
            for rival in kept.values()
        ):
            kept[match.lesson_id] = match
    return list(kept.values())


def is_withheld(activation_id: str, share: float = WITHHELD) -> bool:
    """Draw whether a match of a lesson that is not promoted is withheld, so that there is something
    to compare with.
    """
    return crc32(activation_id.encode()) < share * 2**32


def _within_caps(ranked: Sequence[RankedLesson], most: int) -> list[RankedLesson]:
    of_session, of_tag = Counter[str](), Counter[str]()
    unproven = 0
    kept: list[RankedLesson] = []
    for other in ranked:
        match = other.match
        buckets = match.tags or {""}
        crowded = match.session and of_session[match.session] >= MOST_OF_SESSION
        if (
            crowded
            or any(of_tag[tag] >= MOST_OF_TAG for tag in buckets)
            or unproven + match.unproven > MOST_UNPROVEN
        ):
            continue
        kept.append(other)
        of_session[match.session] += 1
        of_tag.update(buckets)
        unproven += match.unproven
    return kept[:most]
