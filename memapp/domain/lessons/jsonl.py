"""Rows of lessons.jsonl and memory_events.jsonl, one JSON object a line: reading and writing.

A lesson has one of two forms, the older without and the later with `memory_schema`. Unknown fields
are not read; a row that came from a file is written unchanged, but for later changes here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memapp.domain import strict_json
from memapp.domain.lessons.feedback import Channel
from memapp.domain.lessons.fingerprint import MAX_SHAPE_CHARS, MAX_SUBJECT_CHARS, Fingerprint
from memapp.domain.lessons.lesson import MAX_ACTION_CHARS, MAX_RULE_CHARS, Lesson, LessonLevel
from memapp.domain.lessons.ranking import reliability
from memapp.domain.text import clean, one_line

SCHEMA, SCHEMA_VERSION = "lesson_store_v2", 2
ARROW = " -> "
MOST_TRIGGERS = 1000
MOST_TAGS, TOOL_CHARS = 20, 200
_Words = Annotated[str, Field(max_length=100_000)]
_Name = Annotated[str, Field(max_length=1000)]


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class OwnTrigger(_Read):
    """A fingerprint as memapp writes it."""

    shape: Annotated[str, Field(max_length=MAX_SHAPE_CHARS)]
    subject: Annotated[str, Field(max_length=MAX_SUBJECT_CHARS)]
    scope: Annotated[str, Field(max_length=64)]


class OwnFields(_Read):
    """The fields that memapp adds to the format."""

    wrong: Annotated[str, Field(max_length=MAX_RULE_CHARS)]
    correct: Annotated[str, Field(max_length=MAX_RULE_CHARS)]
    level: LessonLevel
    scope: Annotated[str, Field(max_length=64)]
    triggers: Annotated[list[OwnTrigger], Field(max_length=MOST_TRIGGERS)] = []


class LessonRow(_Read):
    """A lesson in a file."""

    lesson: _Words = ""
    rule_text: _Words = ""
    task: _Words | None = ""
    domain: _Name | None = ""
    trigger_fingerprints: Annotated[list[_Words], Field(max_length=MOST_TRIGGERS)] = []
    tags: list[_Name] = []
    memapp: OwnFields | None = None

    @property
    def says(self) -> str:
        return one_line(clean(self.rule_text or self.lesson))

    @property
    def sides(self) -> tuple[str, str]:
        """Return the wrong and the correct part of the rule; empty for a rule without the two."""
        if self.memapp:
            return self.memapp.wrong, self.memapp.correct
        sides = self.says.split(ARROW)
        return (
            (sides[0].strip(), sides[1].strip())
            if len(sides) == 2 and max(map(len, sides)) <= MAX_RULE_CHARS
            else ("", "")
        )


class ErrorRow(_Read):
    """A failure in a file."""

    fingerprint: _Words
    action: Annotated[str, Field(max_length=MAX_ACTION_CHARS)] = ""
    error: _Words | None = ""
    tags: list[_Name] = []
    domain: _Name | None = ""
    session_id: _Name | None = ""
    hard_failure: bool = True
    constraint_failure: bool = False
    progress_delta: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure as stored, with its original row."""

    session_id: str
    tool: str
    action: str
    shape: str
    tags: tuple[str, ...]
    channel: Channel
    excerpt: str
    progress_delta: float | None
    seconds: float
    created_at: datetime
    said: str
    """The original row; empty for a failure on this machine."""


def read(line: str) -> LessonRow | ErrorRow:
    """Return the lesson or failure on a line. Raises `ValueError` in words for any other line."""
    row = strict_json.read(line)
    if not isinstance(row, dict) or not row.keys() & {"lesson", "rule_text", "fingerprint"}:
        raise ValueError("this is neither a lesson nor a failure")
    kind: type[LessonRow | ErrorRow] = (
        LessonRow if row.keys() & {"lesson", "rule_text"} else ErrorRow
    )
    try:
        parsed = kind.model_validate(row)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"{where} is not what it should be") from None
    if isinstance(parsed, LessonRow) and not any(map(str.isalnum, parsed.says)):
        raise ValueError("the lesson says nothing")
    return parsed


def own_tags(tags: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the tags that memapp knows."""
    return tuple(dict.fromkeys(tag for tag in tags if tag in known))[:MOST_TAGS]


def write_lesson(
    lesson: Lesson,
    triggers: Sequence[Fingerprint],
    against: Sequence[str],
    lost: int,
    runs: Sequence[str],
) -> str:
    """Return the row of a lesson learned here."""
    moments = {name: getattr(lesson, f"{name}_at").isoformat() for name in ("created", "updated")}
    row = {
        "session_id": runs[0] if runs else "",
        "task_id": "",
        "task": lesson.task,
        "category": "negative",
        "lesson": lesson.rule_text,
        "evidence_steps": [],
        "eval_passed": None,
        "eval_score": None,
        "skill_refs_used": [],
        "timestamp": moments["created"],
        "memory_schema": SCHEMA,
        "memory_schema_version": SCHEMA_VERSION,
        "lesson_id": lesson.id,
        "status": lesson.status,
        "rule_text": lesson.rule_text,
        "normalized_rule": " ".join(lesson.rule_text.lower().split()),
        "trigger_fingerprints": [fingerprint.shape for fingerprint in triggers],
        "tags": list(lesson.tags),
        "domain": lesson.tool,
        "reason_code": "",
        "gap_type": "",
        "gap_signature": "",
        "action_template": lesson.correct,
        "expected_evidence": "",
        "source_session_ids": list(runs),
        "reliability": reliability(lesson.helped, lesson.hurt),
        "retrieval_count": lesson.retrieved,
        "helpful_count": lesson.helped,
        "harmful_count": lesson.hurt,
        "utility_history": [] if lesson.utility is None else [lesson.utility],
        "major_regressions": 0,
        "contradiction_losses": lost,
        "conflict_lesson_ids": list(against),
        "archived_reason": lesson.reason if lesson.status == "archived" else "",
        "created_at": moments["created"],
        "updated_at": moments["updated"],
        "memapp": {
            **{name: getattr(lesson, name) for name in ("wrong", "correct", "level", "scope")},
            "triggers": [
                {
                    "shape": fingerprint.shape,
                    "subject": fingerprint.subject,
                    "scope": fingerprint.scope,
                }
                for fingerprint in triggers
            ],
        },
    }
    return strict_json.write(row)


def rewrite_lesson(line: str, lesson: Lesson) -> str:
    """Return the original row of a lesson with the changes since; the same row without changes."""
    row = json.loads(line)
    now = dict(row)
    if "status" in row:
        now["status"] = lesson.status
    if lesson.rule_text != read(line).says[:MAX_RULE_CHARS]:  # type: ignore[union-attr]
        now |= {name: lesson.rule_text for name in ("lesson", "rule_text") if name in row}
    if lesson.retrieved:
        seen = {
            "retrieval_count": lesson.retrieved,
            "helpful_count": lesson.helped,
            "harmful_count": lesson.hurt,
        }
        now |= {name: _number(row.get(name)) + count for name, count in seen.items() if name in row}
        now |= (
            {"reliability": reliability(lesson.helped, lesson.hurt)} if "reliability" in row else {}
        )
    return line if now == row else strict_json.write(now)


def write_error(failure: Failure) -> str:
    """Return the row of a failure on this machine."""
    row = {
        "session_id": failure.session_id,
        "timestamp": failure.created_at.isoformat(),
        "domain": failure.tool,
        "fingerprint": failure.shape,
        "tags": list(failure.tags),
        "action": failure.action,
        "error": failure.excerpt,
        "hard_failure": failure.channel == "hard_failure",
        "constraint_failure": failure.channel == "constraint_failure",
        "progress_delta": failure.progress_delta,
        "seconds": failure.seconds,
    }
    return strict_json.write(row)


def skill(promoted: Mapping[str, Sequence[Lesson]]) -> str:
    """Return the promoted lessons of each tool as one skill for a coding agent."""
    tools = one_line(", ".join(promoted)) or "nothing yet"
    lines = [
        "---",
        "name: what-works-here",
        f"description: What failed before with {tools}, and what worked instead.",
        "---",
        "",
        "# What works here",
    ]
    for tool, lessons in promoted.items():
        lines += ["", f"## {one_line(clean(tool))}", ""]
        lines += [
            f"- Not {_code(lesson.wrong)}, but {_code(lesson.correct)}: "
            f"helped {lesson.helped}, hurt {lesson.hurt}."
            for lesson in lessons
        ]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    """Return a text as a code span in Markdown, whatever backquotes it has."""
    text = one_line(clean(text))
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
