"""Imports of lessons and failures, all of a file or nothing.

Anybody may have written the file, so nothing in it is evidence. A lesson starts as a candidate
without support, and programs are not told of it. Rows are kept, without secrets, to be exported
again.
"""

import json
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memapp.domain import strict_json
from memapp.domain.changes import Actor, LessonAdded
from memapp.domain.lessons.failure_tags import OTHER_TAGS
from memapp.domain.lessons.feedback import Channel, Feedback, ToolAttempt
from memapp.domain.lessons.fingerprint import READ_CHARS, Fingerprint, fingerprint, words
from memapp.domain.lessons.jsonl import TOOL_CHARS, ErrorRow, LessonRow, own_tags, read
from memapp.domain.lessons.lesson import MAX_EXCERPT_CHARS, MAX_RULE_CHARS, MAX_TASK_CHARS, Lesson
from memapp.domain.lessons.run import Run
from memapp.domain.portable import NOTHING_IMPORTED, refusal
from memapp.domain.text import counted
from memapp.errors import UsageError
from memapp.language.failures import staying_words, tag_patterns
from memapp.language.secrets import without_secrets
from memapp.runtime import Runtime
from memapp.services.imports.files import cut_lines
from memapp.services.lessons.attempts import clean_text, scope_hash
from memapp.store import changes, fingerprints, lesson_rows, runs
from memapp.store import lessons as store
from memapp.store.encoding import new_id
from memapp.store.session import Session
from memapp.tools.program import program

ELSEWHERE = "imported"
"""Place of rows that name none, and tool of rows without a command."""


@dataclass
class ImportedLessons:
    """The result of importing a file."""

    lessons: int = 0
    failures: int = 0
    known: int = 0
    refused: int = 0
    """Lessons that the person had put into the trash."""

    def __str__(self) -> str:
        came = [counted(self.lessons, "lesson"), counted(self.failures, "failure")]
        were = [f"{self.known} known before"] * bool(self.known) + [
            f"{self.refused} in the trash"
        ] * bool(self.refused)
        return ", ".join([*came, *were])


@dataclass(frozen=True)
class _Work:
    session: Session
    actor: Actor
    known_errors: set[str]
    runs: dict[str, Run] = field(default_factory=dict)
    came: ImportedLessons = field(default_factory=ImportedLessons)


def import_lessons(runtime: Runtime, path: Path) -> ImportedLessons:
    """Import a file of lessons or failures; raise `UsageError` with the line of anything else."""
    with runtime.write() as session:
        known_errors = {failure.said for failure in lesson_rows.failures(session)}
        work = _Work(session, runtime.actor(name="import"), known_errors)
        try:
            with path.open("rb") as file:
                for number, line in enumerate(cut_lines(file), start=1):
                    _take(work, f"Line {number}", line.removeprefix(BOM_UTF8).strip())
        except OSError as error:
            raise UsageError(f"Cannot read {path}: {error.strerror}.", NOTHING_IMPORTED) from None
    return work.came


def _take(work: _Work, place: str, line: bytes) -> None:
    if not line:
        return
    try:
        row, row_text = read(line.decode()), _without_secrets(line.decode())
    except ValueError as error:
        raise refusal(
            place, "this is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        ) from None
    if isinstance(row, LessonRow):
        _take_lesson(work, row, row_text)
    elif row_text in work.known_errors:
        work.came.known += 1
    else:
        _take_error(work, row, row_text)
        work.known_errors.add(row_text)


def _take_lesson(work: _Work, row: LessonRow, row_text: str) -> None:
    lesson = _lesson(work.session, row)
    normal = work.session.normalise(lesson.rule_text)
    known_lesson = store.same_rule(work.session, normal, lesson.tool, lesson.scope)
    if known_lesson is None and store.refused_rule(work.session, normal, lesson.tool):
        work.came.refused += 1
        return
    if known_lesson is None:
        changes.apply(work.session, LessonAdded(lesson), work.actor)
        work.came.lessons += 1
    else:
        work.came.known += 1
    # A lesson learned here has a row of its own.
    if known_lesson is None or known_lesson.origin == "import":
        lesson_rows.add_lesson_row(
            work.session, known_lesson.id if known_lesson else lesson.id, row_text
        )


def _lesson(session: Session, row: LessonRow) -> Lesson:
    wrong, correct = map(clean_text, row.sides)
    exported, tool, now = row.memapp, _tool(row.domain, wrong), session.now
    scope = exported.scope if exported else scope_hash(ELSEWHERE)
    tags = _tags(row.tags)
    triggers = (
        [
            Fingerprint(tool, trigger.shape, trigger.subject, trigger.scope)
            for trigger in exported.triggers
        ]
        if exported
        else [_fingerprint(tool, scope, fingerprint) for fingerprint in row.trigger_fingerprints]
    )
    return Lesson(
        id=new_id(now),
        rule_text=clean_text(row.says)[:MAX_RULE_CHARS],
        wrong=wrong[:MAX_RULE_CHARS],
        correct=correct[:MAX_RULE_CHARS],
        level=exported.level if exported else "domain",
        tool=tool,
        scope=scope,
        task=clean_text(row.task or "")[:MAX_TASK_CHARS],
        origin="import",
        triggers=tuple(
            fingerprints.keep_fingerprint(session, fingerprint, tags) for fingerprint in triggers
        ),
        tags=tags,
        created_at=now,
        updated_at=now,
        evidence_at=now,
        worked=0,
    )


def _take_error(work: _Work, row: ErrorRow, row_text: str) -> None:
    session, action = work.session, clean_text(row.action)
    tool = _tool(row.domain, action)
    attempt = ToolAttempt(action, exit_code=1)
    feedback = Feedback(row.hard_failure, row.constraint_failure)
    step_id = runs.add_step(
        session, _run(work, row.session_id or ELSEWHERE, tool), attempt, feedback
    )
    failure_fingerprint = _fingerprint(tool, scope_hash(ELSEWHERE), row.fingerprint, action)
    fingerprint_id = fingerprints.keep_fingerprint(session, failure_fingerprint, _tags(row.tags))
    channel: Channel = feedback.channel() or "no_progress"
    excerpt = clean_text(row.error or "")[-MAX_EXCERPT_CHARS:]
    runs.add_error(session, step_id, fingerprint_id, channel, excerpt, row.progress_delta)
    lesson_rows.add_error_row(session, step_id, row_text)
    work.came.failures += 1


def _run(work: _Work, session_id: str, tool: str) -> Run:
    if session_id not in work.runs:
        task = clean_text(session_id)[:MAX_TASK_CHARS]
        work.runs[session_id] = runs.add_run(
            work.session, "import", "", tool, scope_hash(ELSEWHERE), task
        )
    return work.runs[session_id]


def _fingerprint(tool: str, scope: str, text: str, action: str = "") -> Fingerprint:
    return fingerprint(
        tool, scope, ToolAttempt(action, clean_text(text[:READ_CHARS])), staying_words()
    )


def _tool(domain: str | None, action: str) -> str:
    """Return the tool a row names, else the program of its command."""
    return clean_text(domain or program([*words(action)] or [ELSEWHERE]))[:TOOL_CHARS]


def _tags(tags: list[str]) -> tuple[str, ...]:
    return own_tags(tags, (*tag_patterns(), *OTHER_TAGS))


def _without_secrets(line: str) -> str:
    """Return a row without secrets, unchanged if it has none."""
    row = json.loads(line)
    cleaned = _cleaned(row)
    return line if cleaned == row else strict_json.write(cleaned)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value, in_command=True)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return (
        {_cleaned(name): _cleaned(item) for name, item in value.items()}
        if isinstance(value, dict)
        else value
    )
