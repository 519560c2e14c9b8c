"""Hints for a command outside the app: before a known failure, and after a failure.

The command waits for its hint, so only what finds hints is loaded, and the database is only read.
`record` writes later, in the background.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from memapp import paths
from memapp.domain.lessons.recording import (
    FIRST,
    Client,
    LessonRule,
    LessonSettings,
    ToolStep,
    is_left_out,
)
from memapp.run import background, lesson_settings
from memapp.run.arguments import CommandLine
from memapp.run.attempt import Attempted, Options, path_in
from memapp.run.hook_event import AgentStep
from memapp.run.notices import in_words, say, say_lost
from memapp.services.lessons import hints
from memapp.services.lessons.hints import Drawn as Drawn
from memapp.services.lessons.hints import LessonHint
from memapp.store import fingerprints
from memapp.store.connection import open_briefly
from memapp.store.session import USER_ID, Session
from memapp.tools import markers
from memapp.tools.program import here, program
from memapp.tools.result import NOT_FOUND, Ran
from memapp.tools.shell import Shell, as_attempt, command_line

WHY = " · memapp why"


def tell_before(command: CommandLine) -> Drawn | None:
    """Show a hint before a command that is about to fail; return the lesson, shown or withheld."""
    with suppress(Exception):
        places = paths.locate(path_in(command.options, "home"), path_in(command.options, "db"))
        chosen, tool = lesson_settings.load(places.config), _shell(command)
        action = command_line(command.argv)
        if chosen.lessons is not LessonRule.HINT or is_left_out(
            chosen.lessons_not_of, action, tool.name, str(tool.folder)
        ):
            return None
        background.wait(places.cache)
        # Here, since a hint after a failure does not need the module.
        from memapp.services.lessons import before_run

        with open_briefly(places.database) as connection:
            about = (tool.name, tool.scope, action, command.options.get("task", ""))
            session = Session(connection, USER_ID) if connection else None
            drawn = (
                before_run.draw_lesson(session, *about, withhold=chosen.lessons_compare)
                if session
                else None
            )
        if drawn and drawn.shown:
            say(f"memapp: {drawn.hint.in_advance}{WHY}")
        return drawn
    return None


def tell(command: CommandLine, ran: Ran, before: Drawn | None = None) -> None:
    """Record a command; after a failure, show a hint that was not shown before."""
    tool = _measured(_shell(command), command.options)
    step = _step(
        tool, command_line(command.argv), ran, Client(task=command.options.get("task", ""))
    )
    if step.feedback.constraint_failure:
        say(f"memapp: {command.options['expect']} is not there")
    begin = "\n" if ran.output and not ran.output.endswith("\n") else ""
    tell_person(command.options, Attempted(step, tool.scope, str(tool.folder), before), WHY, begin)


def _shell(command: CommandLine) -> Shell:
    return Shell(program(command.argv), Path(here()), path_in(command.options, "expect"))


def _measured(tool: Shell, options: Options) -> Shell:
    """Return the tool with its progress and score; report a source without a number."""
    if {"progress", "score"}.isdisjoint(options):
        return tool
    from memapp.tools.measurement import measured

    progress, score = (
        measured(options[name], tool.folder) if name in options else None
        for name in ("progress", "score")
    )
    if progress is None and "progress" in options:
        say(f"memapp: {options['progress']} gives no progress")
    if "score" in options and (score is None or not 0 <= score <= 1):
        say(f"memapp: {options['score']} gives no score from 0 to 1")
        score = None
    return tool._replace(progress=progress, score=score)


def tell_person(options: Options, attempt: Attempted, more: str = "", begin: str = "") -> None:
    """Record a step; after a failure, show a hint on a line of its own."""
    shown, before = _hints(options, attempt), attempt.before
    is_repeated = shown and before and before.shown and before.hint.lesson.id == shown[0].lesson.id
    if shown and not is_repeated:
        say(f"{begin}memapp: {shown[0].in_a_line}{more}")


def tell_agent(options: Options, step: AgentStep) -> str:
    """Record a command of a coding agent; return the hint for its failure, or nothing."""
    client = Client("hook", task=f"session {step.session}" if step.session else "")
    if not step.command:
        _finish(options, step, client)
        return ""
    expect = Path(step.expect) if step.expect else None
    tool = Shell(
        step.program,
        Path(step.folder),
        expect,
        progress=step.progress,
        score=step.score,
        passed=step.passed,
    )
    tool_step = _step(tool, step.command, Ran(step.code, step.output, 0.0), client)
    shown = _hints(options, Attempted(tool_step, step.place, step.folder))
    return f"memapp: {shown[0].in_a_line}" if shown else ""


def _finish(options: Options, step: AgentStep, client: Client) -> None:
    """Record the result of a session's run."""
    from memapp.run import record

    places = paths.locate(path_in(options, "home"), path_in(options, "db"))
    scope = Shell("", Path(step.folder)).scope
    if places.database.exists():
        background.wait(places.cache)
        finish = partial(record.finish, options, scope, client, step.passed, step.score)
        background.do(places.cache, finish)


def _step(tool: Shell, action: str, ran: Ran, client: Client) -> ToolStep:
    done = as_attempt(action, ran)
    return ToolStep(tool.name, tool.scope, done, tool.feedback(done), client)


def _hints(options: Options, attempt: Attempted) -> Sequence[LessonHint]:
    """Return the hints for a step. An error is shown and never raised: the step is over."""
    try:
        return _look_up(options, attempt)
    except Exception as error:
        say(in_words(options, error))
    return ()


def _look_up(options: Options, attempt: Attempted) -> Sequence[LessonHint]:
    places, step = paths.locate(path_in(options, "home"), path_in(options, "db")), attempt.step
    chosen = lesson_settings.load(places.config)
    if chosen.lessons is LessonRule.OFF or is_left_out(
        chosen.lessons_not_of, step.done.action, step.tool, attempt.folder
    ):
        return ()
    background.wait(places.cache)
    say_lost(places.cache)
    drawn = _drawn(places.database, attempt, chosen)
    if step.feedback.channel():
        slip = [markers.ANY] if step.done.exit_code == NOT_FOUND else []
        markers.mark(options, attempt.place, [step.tool], slip, more=True)
    background.do(places.cache, partial(_record, options, attempt, drawn))
    return [draw.hint for draw in drawn if draw.shown]


def _drawn(database: Path, attempt: Attempted, chosen: LessonSettings) -> Sequence[Drawn]:
    """Return the hints for a failed step, withheld ones too."""
    step, withhold = attempt.step, chosen.lessons_compare
    with open_briefly(database) as connection:
        session = Session(connection, USER_ID) if connection else None
        if not session or fingerprints.nothing_recorded(session):
            say(FIRST)
        failure = (
            hints.failure_of(session, step)
            if session and chosen.lessons is LessonRule.HINT
            else None
        )
        return (
            hints.draw_hints(session, failure, step.client, attempt.before, withhold=withhold)
            if session and failure
            else ()
        )


def _record(options: Options, attempt: Attempted, drawn: Sequence[Drawn]) -> None:
    from memapp.run import record

    record.record(options, attempt, drawn)
