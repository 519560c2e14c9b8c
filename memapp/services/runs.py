"""The one door for what is done with tools: each step is recorded with its feedback; a failure brings back what is known of it,
and a success may teach how an earlier failure is put right.

Every client goes through it: the person's terminal, a chat, another program.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.lesson import MAX_ACTION_CHARS, MAX_TASK_CHARS, PAUSE, ErrorEvent, Run, RunClient
from memapp.domain.lessons.recording import LessonRule
from memapp.domain.memory import Recalled
from memapp.runtime import Runtime
from memapp.services.lessons import capture, hints, judge
from memapp.services.lessons.hints import LessonHint
from memapp.services.reads import reading
from memapp.store import runs as store
from memapp.store.session import Session
from memapp.tools import Tool

list_runs = reading(store.list_runs)
get_run = reading(store.get_run)
steps_of = reading(store.steps_of)


LATELY = timedelta(days=30)
"""A failure longer ago is told of when it happens again, and not before."""


@dataclass(frozen=True, slots=True)
class Client:
    """Who works with a tool, and at what."""

    kind: RunClient = "person"
    agent: str = ""
    """The name of another program."""
    task: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """What became of a step that was recorded."""

    error: ErrorEvent | None = None
    """None if the step worked."""
    hints: tuple[LessonHint, ...] = ()
    learned: tuple[str, ...] = ()
    """Ids of new lessons."""
    still_open: tuple[str, ...] = field(default=())
    """The programs whose failures in this place wait for what works."""
    is_first: bool = False
    """Nothing was recorded before."""

    @property
    def recalled(self) -> tuple[Recalled, ...]:
        """Return the hints as hits of recall."""
        return tuple(one.recalled for one in self.hints)


def attempt(runtime: Runtime, tool: Tool, action: str, client: Client = Client()) -> tuple[ToolAttempt, Reported]:
    """Carry out an action with a tool and record how it went."""
    done = tool.attempt(action)
    return done, report(runtime, tool, done, client)


def before(runtime: Runtime, tool: Tool, action: str) -> LessonHint | None:
    """Return what a trusted lesson says works in place of something that failed here when it was done last."""
    if runtime.settings.lessons is not LessonRule.HINT:
        return None
    session = runtime.read()
    about = (tool.name, capture.scope_hash(tool.scope), capture.clean_text(action)[:MAX_ACTION_CHARS])
    failed = store.failed_last(session, *about, since=session.now - LATELY)
    return hints.trusted(session, failed) if failed else None


def report(runtime: Runtime, tool: Tool, done: ToolAttempt, client: Client = Client(), told: str = "") -> Reported:
    """Record what was done with a tool; nothing, if lessons are off. `told` is the lesson that was shown before it."""
    rule = runtime.settings.lessons
    if rule is LessonRule.OFF:
        return Reported()
    feedback, clean = tool.feedback(done), capture.clean_attempt(done)
    with runtime.write() as session:
        is_first = not store.list_runs(session, 1)
        run = _run(session, tool, client)
        before = store.last_progress(session, run)
        step_id = store.add_step(session, run, clean, feedback, session.now)
        channel = feedback.channel(before)
        if channel is None:
            progressed = None not in (before, feedback.progress_signal)  # it worked: nearer than before
            about = (session, run, step_id, clean.action)
            solved = capture.close_failures(*about, progressed=progressed) if feedback.is_known else []
            learned = tuple(capture.learn(session, solved))
            judge.after_step(session, run.id)
            return Reported(learned=learned, still_open=_still_open(session, run), is_first=is_first)
        error = capture.keep_failure(session, run, step_id, tool.name, clean, feedback, channel, before)
        judge.after_step(session, run.id)
        found = hints.find(session, error) if rule is LessonRule.HINT else []
        if client.kind not in ("person", "chat"):  # a program gets no word from elsewhere
            found = [one for one in found if one.lesson.worked or one.lesson.origin == "person"]
        shown = hints.show(session, error, found, withhold=runtime.settings.lessons_compare, told=told)
        return Reported(error, tuple(shown), still_open=_still_open(session, run), is_first=is_first)


def why(runtime: Runtime, scope: str) -> tuple[ErrorEvent, tuple[LessonHint, ...]] | None:
    """Return what failed last in a place, with the lessons for it."""
    session = runtime.read()
    error = store.last_failure(session, capture.scope_hash(scope))
    return (error, tuple(hints.find(session, error))) if error else None


def finish(runtime: Runtime, tool: Tool, client: Client, *, passed: bool, score: float | None = None) -> None:
    """End the run that goes on with what a deterministic evaluator says of it; `score` is 0 to 1."""
    with runtime.write() as session:
        run = _run(session, tool, client)
        store.finish(session, run.id, passed=passed, score=score)
        judge.after_step(session, run.id)


def remove(runtime: Runtime, run_ids: Sequence[str]) -> None:
    """Delete runs for good; the lessons that were learned there stay."""
    with runtime.write() as session:
        store.remove(session, run_ids)


def _run(session: Session, tool: Tool, client: Client) -> Run:
    """Return the run that goes on, or begin one."""
    task, scope = capture.clean_text(client.task)[:MAX_TASK_CHARS], capture.scope_hash(tool.scope)
    about = (client.kind, client.agent, tool.name, scope, task)
    return store.current_run(session, *about, since=session.now - PAUSE) or store.add_run(session, *about, now=session.now)


def _still_open(session: Session, run: Run) -> tuple[str, ...]:
    opened = store.open_failures(session, run.client, run.agent, run.scope, session.now - PAUSE)
    return tuple(dict.fromkeys(one.tool for one in opened))
