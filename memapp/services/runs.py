"""The door for steps with tools: a step is recorded, a failure brings hints, a success lessons.

Every client uses it: the person's terminal, a chat, another program.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.lesson import MAX_TASK_CHARS, PAUSE, ErrorEvent, RunClient
from memapp.domain.lessons.recording import Client as Client
from memapp.domain.lessons.recording import LessonRule, ToolStep
from memapp.domain.lessons.run import Run
from memapp.domain.memory import Recalled
from memapp.errors import DiskFull
from memapp.runtime import Runtime
from memapp.services.lessons import attempts, before_run, capture, hints, judge
from memapp.services.lessons.hints import Drawn, LessonHint
from memapp.services.store_reads import reading
from memapp.store import activations, fingerprints
from memapp.store import runs as store
from memapp.store.session import Session
from memapp.tools import Tool, markers
from memapp.tools.sql import NAME as DATABASE

list_runs = reading(store.list_runs)
get_run = reading(store.get_run)
steps_of = reading(store.steps_of)
PERSON = Client()


@dataclass(frozen=True, slots=True)
class Reported:
    """The result of recording a step."""

    error: ErrorEvent | None = None
    """None if the step worked."""
    hints: tuple[LessonHint, ...] = ()
    learned: tuple[str, ...] = ()
    """Ids of new lessons."""
    still_open: tuple[str, ...] = field(default=())
    """Programs with open failures in this place."""
    unsolved: tuple[str, ...] = ()
    """Those of them with a recurring failure that was never solved."""
    is_first: bool = False
    """Nothing was recorded before."""

    @property
    def recalled(self) -> tuple[Recalled, ...]:
        """Return the hints as hits of recall."""
        return tuple(hint.recalled for hint in self.hints)


def attempt(
    runtime: Runtime, tool: Tool, action: str, client: Client = PERSON
) -> tuple[ToolAttempt, Reported]:
    """Run an action with a tool, and record the result."""
    done = tool.attempt(action)
    return done, report(runtime, tool, done, client)


def before(runtime: Runtime, tool: Tool, action: str, client: Client = PERSON) -> Drawn | None:
    """Return the lesson to show before an action, or to withhold; None if there is none."""
    if runtime.settings.lessons is not LessonRule.HINT:
        return None
    action_parts = (tool.name, tool.scope, action, client.task)
    return before_run.draw_lesson(
        runtime.read(), *action_parts, withhold=runtime.settings.lessons_compare
    )


def report(
    runtime: Runtime,
    tool: Tool,
    done: ToolAttempt,
    client: Client = PERSON,
    before: Drawn | None = None,
) -> Reported:
    """Record an attempt with a tool, unless lessons are off.

    `before` is the hint drawn before it.
    """
    return record(
        runtime, ToolStep(tool.name, tool.scope, done, tool.feedback(done), client), before=before
    )


def record(
    runtime: Runtime,
    step: ToolStep,
    drawn: Sequence[Drawn] | None = None,
    before: Drawn | None = None,
) -> Reported:
    """Record a step, unless lessons are off.

    `drawn` are the hints told after it; None draws them here.
    """
    rule = runtime.settings.lessons
    if rule is LessonRule.OFF:
        return Reported()
    clean, feedback = attempts.clean_attempt(step.done), step.feedback
    with runtime.write() as session:
        is_first = fingerprints.nothing_recorded(session)
        run = _run(session, step.tool, step.scope, step.client)
        progress = store.last_progress(session, run)
        step_id = store.add_step(session, run, clean, feedback)
        channel = feedback.channel(progress)
        if channel is None:
            # The step worked, so any progress is an advance.
            progressed = None not in (
                progress,
                feedback.progress_signal,
            )
            solving_step = (session, run, step_id, clean.action)
            solved = (
                capture.close_failures(*solving_step, progressed=progressed)
                if feedback.is_known
                else []
            )
            learned = tuple(capture.learn(session, solved))
            _evaluate(session, run, feedback, worked=True)
            (judge.after_run if feedback.ends_run else judge.after_step)(session, run.id)
            still_open, unsolved = _still_open(session, run)
            return Reported(
                learned=learned, still_open=still_open, unsolved=unsolved, is_first=is_first
            )
        error = capture.keep_failure(
            session, run, step_id, step.tool, clean, feedback, channel, progress
        )
        judge.after_step(session, run.id)
        if drawn is None:
            failure, withhold = hints.known(session, error), runtime.settings.lessons_compare
            drawn = (
                hints.draw_hints(session, failure, step.client, before, withhold=withhold)
                if rule is LessonRule.HINT
                else ()
            )
        shown = hints.note(session, error, drawn, before)
        if feedback.ends_run:
            _evaluate(session, run, feedback, worked=False)
            judge.after_run(session, run.id)
        still_open, unsolved = _still_open(session, run)
        return Reported(error, shown, still_open=still_open, unsolved=unsolved, is_first=is_first)


def _evaluate(session: Session, run: Run, feedback: Feedback, *, worked: bool) -> None:
    """End a run if an evaluator rated it; a score alone leaves the verdict to the last step."""
    if feedback.ends_run:
        store.finish(
            session,
            run.id,
            passed=worked if feedback.passed is None else feedback.passed,
            score=feedback.score,
        )


def bearing(runtime: Runtime, tool: Tool, action: str) -> list[LessonHint]:
    """Return the lessons for an action somebody thinks of, best first."""
    return before_run.bearing(runtime.read(), tool.name, tool.scope, action)


def why(runtime: Runtime, scope: str) -> tuple[ErrorEvent, tuple[LessonHint, ...]] | None:
    """Return the last failure in a place, or a recent one in a database, with its lessons.

    Withheld lessons are shown on request, and count as shown from now on. Where the file cannot be
    written, only that is left out.
    """
    session = runtime.read()
    error = store.last_failure(session, attempts.scope_hash(scope), DATABASE, session.now - PAUSE)
    if error is None:
        return None
    if not runtime.database.read_only:
        with suppress(DiskFull), runtime.write() as writing:
            activations.reveal(writing, error.step_id)
    return error, tuple(hints.find(session, hints.known(session, error)))


def current_run(runtime: Runtime, scope: str, client: Client, tool: str = "") -> Run | None:
    """Return the current run of a client in a place, if any."""
    session = runtime.read()
    return store.current_run(session, *_about(tool, scope, client), since=session.now - PAUSE)


def finish(
    runtime: Runtime, run_id: str, *, passed: bool | None, score: float | None = None
) -> Run:
    """End a run with an evaluation; None leaves a value as it was. Raises `NotFound`."""
    with runtime.write() as session:
        before = store.get_run(session, run_id)
        worked = (
            before.passed if before.passed is not None else store.last_step_worked(session, run_id)
        )
        store.finish(
            session,
            run_id,
            passed=worked if passed is None else passed,
            score=before.score if score is None else score,
        )
        judge.after_run(session, run_id)
        return store.get_run(session, run_id)


def remove(runtime: Runtime, run_ids: Sequence[str]) -> None:
    """Delete runs for good; their lessons stay."""
    with runtime.write() as session:
        store.remove(session, run_ids)
    markers.forget(str(runtime.paths.cache))


def _run(session: Session, tool: str, scope: str, client: Client) -> Run:
    """Return the current run, or begin one."""
    client_parts = _about(tool, scope, client)
    return store.current_run(session, *client_parts, since=session.now - PAUSE) or store.add_run(
        session, *client_parts
    )


def _about(tool: str, scope: str, client: Client) -> tuple[RunClient, str, str, str, str]:
    task = attempts.clean_text(client.task)[:MAX_TASK_CHARS]
    return client.kind, client.agent, tool, attempts.scope_hash(scope), task


def _still_open(session: Session, run: Run) -> Iterator[tuple[str, ...]]:
    """Yield the programs with open failures, then those with failures open for longer."""
    for since in (session.now - PAUSE, session.now):
        opened = store.open_failures(session, run.client, run.agent, run.scope, since)
        yield tuple(dict.fromkeys(failure.tool for failure in opened))
