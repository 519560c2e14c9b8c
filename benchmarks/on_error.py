"""Does an error retrieve the needed lesson, and no other?

The recorded errors are the lessons: each is taken out in turn, and the others are ranked for it.
Asked is whether one of its class comes first, or among the first three, where errors with the very
same output do not count. The ranking is the score of `domain.lessons.ranking`; in place of a
look-up's demand that the program be the same it has a bonus for that, so that it can be compared
with rankings that know no programs. What is shown is then measured with all the demands of a
look-up.

python -m benchmarks.on_error [--data ../shared/data] [--show]
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rapidfuzz.fuzz import ratio

from benchmarks import MISSED
from memapp.domain.lessons.failure_tags import tags_of
from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.fingerprint import fingerprint, words
from memapp.domain.lessons.ranking import LEAST_ALIKE, LessonMatch, parts
from memapp.domain.lessons.similarity import Rarity, same_use, shape_likeness
from memapp.language.failures import staying_words, tag_patterns
from memapp.tools.program import program

FIRST, AMONG_THREE = 0.82, 0.88
WRONGLY_SHOWN, RIGHTLY_SHOWN = 0.08, 0.70
SAME_PROGRAM = 0.20
NOW = datetime(2026, 1, 31, tzinfo=UTC)


@dataclass(frozen=True)
class Failed:
    """One recorded error."""

    kind: str
    tool: str
    command: str
    output: str
    shape: str
    subject: str
    tags: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="not used: it takes seconds")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", action="store_true", help="print what was shown wrongly")
    options = parser.parse_args()
    folder = options.data / "thefuck_traces" / "dev"
    if not folder.exists():
        print("skipped: there are no recorded errors")
        return 0
    errors = [_failed(error, error["error_class"]) for error in _read(folder / "errors.jsonl")]
    others = [
        _failed(error, error["not_error_class"]) for error in _read(folder / "not_this_error.jsonl")
    ]
    missed = _ranked(errors) + _shown(errors, others, show=options.show)
    return MISSED if missed else 0


def _read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _failed(row: dict[str, Any], kind: str) -> Failed:
    command, output = row["command"], row["output"]
    tool = program([*words(command)] or [""])
    found = fingerprint(tool, "", ToolAttempt(command, output, 1, reason="exit 1"), staying_words())
    tags = tags_of(
        ToolAttempt("", output), tag_patterns(), "hard_failure", Feedback(hard_failure=True), None
    )
    return Failed(kind, tool, command, output, found.shape, found.subject, tags)


class Scores:
    """The score of lessons for errors; what nobody has used yet is equally reliable
    and recent.
    """

    def __init__(self, errors: Sequence[Failed]) -> None:
        self.shapes, self.actions = (
            Rarity([failed.shape for failed in errors]),
            Rarity([failed.command for failed in errors]),
        )

    def alike(self, one: Failed, other: Failed) -> float:
        return shape_likeness(one.shape, other.shape, self.shapes)

    def score(self, one: Failed, other: Failed) -> float:
        text = self.actions.likeness(one.command, other.command)
        match = LessonMatch(
            lesson_id="",
            status="promoted",
            tool=other.tool,
            tags=frozenset(other.tags),
            fingerprint_match=self.alike(one, other),
            text_similarity=text,
            evidence_at=NOW,
        )
        return sum(parts(match, one.tags, NOW).values())


def _ranked(errors: Sequence[Failed]) -> int:
    """Print how often a lesson of the right class comes first, beside the plain likeness of the
    outputs.
    """
    scores = Scores(errors)
    ways: dict[str, Callable[[Failed, Failed], float]] = {
        "letters of the output": lambda one, other: ratio(one.output, other.output),
        "the score": lambda one, other: (
            scores.score(one, other) + SAME_PROGRAM * (one.tool == other.tool)
        ),
    }
    print(f"{'ranked by':<24}{'errors':>8}{'first':>8}{'of 3':>8}")
    for name, way in ways.items():
        hits = []
        for failed in errors:
            among = [other for other in errors if other.output != failed.output]
            if any(other.kind == failed.kind for other in among):
                kinds = [
                    other.kind
                    for other in sorted(among, key=lambda other: way(failed, other), reverse=True)[
                        :3
                    ]
                ]
                hits.append((kinds[0] == failed.kind, failed.kind in kinds))
        first, three = (sum(column) / len(hits) for column in zip(*hits, strict=True))
        is_missed = name == "the score" and (first < FIRST or three < AMONG_THREE)
        print(
            f"{name:<24}{len(hits):>8}{first:>8.3f}{three:>8.3f}{'  missed' if is_missed else ''}"
        )
    return is_missed


def _shown(errors: Sequence[Failed], others: Sequence[Failed], *, show: bool) -> int:
    """Print how many errors bring a lesson of their class, and how many look-alikes one of a class
    that they are not of.
    """
    scores = Scores(errors)

    def best(one: Failed) -> Failed | None:
        fitting = [
            other
            for other in errors
            if other is not one
            and other.tool == one.tool
            and same_use(one.tool, one.command, one.subject, other.command, other.subject)
            and scores.alike(one, other) >= LEAST_ALIKE
        ]
        return max(
            fitting,
            key=lambda other: (other.shape == one.shape, scores.score(one, other)),
            default=None,
        )

    asked = [failed for failed in errors if sum(other.kind == failed.kind for other in errors) > 1]
    shown = [(failed, found) for failed in asked if (found := best(failed))]
    right = sum(failed.kind == found.kind for failed, found in shown)
    wrong = [
        (failed, found)
        for failed in others
        if (found := best(failed)) and found.kind == failed.kind
    ]
    rightly, wrongly = right / len(asked), len(wrong) / len(others)
    missed = rightly < RIGHTLY_SHOWN or wrongly > WRONGLY_SHOWN
    print(
        f"shown: the right class to {rightly:.3f} of {len(asked)} errors, "
        f"{right / len(shown):.3f} of those shown anything"
    )
    print(
        f"shown: the wrong class to {wrongly:.3f} of {len(others)} "
        f"look-alikes{'  missed' if missed else ''}"
    )
    for failed, found in wrong if show else ():
        print(
            f"    {failed.command!r} {failed.output[:80]!r}\n"
            f"      got {found.kind}: {found.command!r}"
        )
    return missed


if __name__ == "__main__":
    sys.exit(main())
