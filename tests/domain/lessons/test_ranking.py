"""The order of lessons and what of them is shown; the scores were calculated by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from memapp.domain.lessons.conflicts import Fix, always_loses, are_in_conflict
from memapp.domain.lessons.ranking import (
    LessonMatch,
    RankedLesson,
    Tier,
    parts,
    rank,
    recency,
    tag_overlap,
    tier,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LESSON = LessonMatch(lesson_id="a", status="promoted", tool="git", evidence_at=NOW)


def lesson(lesson_id: str, **more: object) -> LessonMatch:
    return LESSON._replace(lesson_id=lesson_id, **more)  # type: ignore[arg-type]


def shown(*matches: LessonMatch, most: int = 9) -> list[str]:
    return [ranked.match.lesson_id for ranked in rank(matches, "git", ["missing"], NOW, most)]


@pytest.mark.parametrize(
    ("fingerprint", "tags", "error_tags", "text", "helped", "hurt", "days", "expected"),
    [
        (1.0, "x", "x", 1.0, 0, 0, 0, 0.40 + 0.25 + 0.20 + 0.05 + 0.05),
        (0.0, "", "", 0.0, 0, 0, 0, 0.10),
        (0.0, "", "", 0.0, 0, 0, 30, 0.075),
        (0.0, "", "", 0.0, 0, 0, 60, 0.0625),
        (0.0, "", "", 0.0, 0, 0, -5, 0.10),  # a clock that went back
        (0.5, "", "", 0.0, 0, 0, 0, 0.30),
        (0.8, "", "", 0.25, 0, 0, 0, 0.47),
        (1.0, "", "", 0.0, 0, 0, 0, 0.50),
        (0.0, "x", "x y", 0.0, 0, 0, 0, 0.225),
        (0.0, "x y", "y z", 0.0, 0, 0, 0, 0.10 + 0.25 / 3),
        (0.0, "x", "y", 0.0, 0, 0, 0, 0.10),
        (0.0, "x", "", 0.0, 0, 0, 0, 0.10),
        (0.0, "", "", 1.0, 0, 0, 0, 0.30),
        (0.0, "", "", 0.0, 1, 0, 0, 0.10 * 2 / 3 + 0.05),
        (0.0, "", "", 0.0, 0, 1, 0, 0.10 / 3 + 0.05),
        (0.0, "", "", 0.0, 8, 0, 0, 0.14),
        (0.0, "", "", 0.0, 0, 8, 0, 0.06),
        (0.9, "x y z", "x y", 0.3, 3, 1, 15,
         0.36 + 0.25 * 2 / 3 + 0.06 + 0.10 * 4 / 6 + 0.05 * 0.5**0.5),
        (0.123, "x", "x", 0.456, 2, 7, 90, 0.0492 + 0.25 + 0.0912 + 0.10 * 3 / 11 + 0.00625),
        (0.7, "w x y z", "z", 0.0, 1, 1, 45, 0.28 + 0.0625 + 0.05 + 0.05 * 0.5**1.5),
    ],
)  # fmt: skip
def test_the_score(
    fingerprint: float,
    tags: str,
    error_tags: str,
    text: float,
    helped: int,
    hurt: int,
    days: int,
    expected: float,
) -> None:
    match = LessonMatch(
        lesson_id="a",
        status="promoted",
        tool="git",
        tags=frozenset(tags.split()),
        fingerprint_match=fingerprint,
        text_similarity=text,
        helped=helped,
        hurt=hurt,
        evidence_at=NOW - timedelta(days=days),
    )
    ranked = RankedLesson(match, parts(match, error_tags.split(), NOW))
    assert ranked.score == pytest.approx(expected, abs=1e-9)
    assert list(ranked.parts) == ["fingerprint", "tags", "text", "reliability", "recency"]


def test_the_parts_are_said_in_words() -> None:
    match = lesson(
        "a", fingerprint_match=1.0, tags=frozenset({"missing", "x"}), text_similarity=0.4
    )
    (ranked,) = rank([match], "git", ["missing"], NOW, 3)
    assert (
        ranked.why == "fingerprint 0.40 + tags 0.12 + text 0.08 + reliability 0.05 + recency 0.05"
    )
    assert tag_overlap([], []) == 0
    assert recency(NOW - timedelta(days=30), NOW) == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(
    ("same_shape", "same_subject", "same_scope", "travels", "alike", "expected"),
    [
        (True, True, True, False, 1.0, Tier.EXACT),
        (True, False, True, False, 1.0, Tier.SHAPE),
        (True, True, False, True, 1.0, Tier.SHAPE),
        (True, True, False, False, 1.0, None),  # what was learned elsewhere stays there
        (False, True, True, False, 0.8, Tier.ALIKE),
        (False, False, False, True, 0.8, Tier.ALIKE),
        (False, True, True, True, 0.7999, None),
    ],
)
def test_how_a_trigger_fits(
    same_shape: bool,
    same_subject: bool,
    same_scope: bool,
    travels: bool,
    alike: float,
    expected: Tier | None,
) -> None:
    fits = tier(
        same_shape=same_shape,
        same_subject=same_subject,
        same_scope=same_scope,
        travels=travels,
        alike=alike,
    )
    assert fits is expected


def test_the_exact_error_comes_first_then_its_shape_then_the_score_and_unproven_ones_last() -> None:
    alike = lesson("alike", text_similarity=1.0, fingerprint_match=0.95)
    best = lesson("best", fingerprint_match=1.0)
    shape, exact = lesson("shape", tier=Tier.SHAPE), lesson("exact", tier=Tier.EXACT, hurt=2)
    unproven = lesson("unproven", tier=Tier.SHAPE, status="candidate", helped=9)
    spread = [
        match._replace(tags=frozenset({match.lesson_id}))
        for match in (alike, unproven, best, shape, exact)
    ]
    assert shown(*spread) == ["exact", "shape", "unproven", "alike", "best"]
    assert shown(*spread, most=2) == ["exact", "shape"]


def test_what_is_never_shown() -> None:
    gone = [lesson(status, status=status, tier=Tier.EXACT) for status in ("suppressed", "archived")]
    assert shown(*gone, lesson("other tool", tool="npm", tier=Tier.EXACT), LESSON) == ["a"]


def test_the_caps() -> None:
    tags = [frozenset({str(number)}) for number in range(6)]
    same_session = [lesson(name, session="s", tags=tags[place]) for place, name in enumerate("abc")]
    by_hand = [lesson(name, tags=tags[place]) for place, name in enumerate("abc")]
    assert len(shown(*same_session)) == 2
    assert len(shown(*by_hand)) == 3, "lessons of no session share none"
    assert len(shown(*(lesson(name, tags=frozenset({"x", name})) for name in "abc"))) == 2
    assert len(shown(*(lesson(name) for name in "abc"))) == 2, (
        "without a tag they are of one kind too"
    )
    unproven = [
        lesson(name, status="candidate", tags=tags[place], helped=place)
        for place, name in enumerate("abc")
    ]
    assert shown(*unproven) == ["c"]


@pytest.mark.parametrize(
    ("one", "other", "wins"),
    [
        ({"helped": 3}, {"helped": 1}, "one"),
        ({"hurt": 1}, {}, "other"),
        ({}, {"evidence_at": NOW - timedelta(days=1)}, "one"),
        ({"evidence_at": NOW - timedelta(days=1)}, {}, "other"),
        (
            {"helped": 5, "hurt": 0},
            {"helped": 50, "hurt": 9, "evidence_at": NOW + timedelta(days=9)},
            "one",
        ),
        ({"hurt": 4, "by_person": True}, {"helped": 9}, "one"),
        ({"helped": 9, "status": "suppressed"}, {}, "other"),  # who is out wins nothing
        ({"tier": Tier.EXACT}, {"helped": 1}, "other"),
    ],
)
def test_of_two_in_conflict_the_more_reliable_is_shown_then_the_newer(
    one: dict[str, object], other: dict[str, object], wins: str
) -> None:
    here, there = lesson("one", **one), lesson("other", **other)
    for first, second in (
        (here._replace(conflicts=frozenset({"other"})), there),
        (here, there._replace(conflicts=frozenset({"one"}))),
    ):
        assert shown(first, second) == shown(second, first) == [wins]


def test_a_lesson_is_not_lost_to_one_that_lost_itself() -> None:
    strong, middle, weak = lesson("strong", helped=9), lesson("middle", helped=3), lesson("weak")
    chained = [strong, middle._replace(conflicts=frozenset({"strong", "weak"})), weak]
    assert shown(*chained) == ["strong", "weak"]


@pytest.mark.parametrize(
    ("triggers", "wrong", "correct", "in_conflict"),
    [
        ("f2 f3", "git psuh", "git pull", True),
        ("f2", "git psuh origin", "git pull  origin", True),
        ("f2", "git psuh origin", "git push  origin", False),  # the same, for another place
        ("f3", "git psuh", "git pull", False),  # another error
        ("f2", "git psoh", "git pull", False),  # another mistake
        ("f2", "git psuh", "git push --force", True),
        ("f2", "git", "git pull", False),
        ("f2", "git psuh -x", "git pull -y", True),  # more words taken out, others added
        ("f2", "git psuh -x", "git psuh -y", False),  # another word of the same command
    ],
)
def test_a_conflict_is_another_fix_of_the_same_mistake(
    triggers: str, wrong: str, correct: str, in_conflict: bool
) -> None:
    one, other = Fix.of("git psuh", "git push"), Fix.of(wrong, correct)
    assert are_in_conflict(["f1", "f2"], one, triggers.split(), other) is in_conflict
    assert are_in_conflict(triggers.split(), other, ["f1", "f2"], one) is in_conflict


@pytest.mark.parametrize(
    ("wins", "losses", "is_lost"),
    [
        (0, 0, False), (0, 2, False), (0, 3, True), (3, 0, False), (1, 3, True), (2, 5, False),
        (2, 6, True), (3, 3, False),
    ],
)  # fmt: skip
def test_who_loses_three_of_four_loses_consistently(wins: int, losses: int, is_lost: bool) -> None:
    assert always_loses(wins, losses) is is_lost
