"""What follows on something that was done outside memapp and failed, or that may be what an earlier
failure was meant to be.

Somebody waits for the hint, so here nothing is loaded but what finds it, and the file is only read.
What was done is recorded afterwards (`record_run`), and nobody waits for that.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from memapp import later, lesson_settings, light_run, paths
from memapp.domain.lessons.recording import (
    FIRST,
    Client,
    LessonRule,
    LessonSettings,
    ToolStep,
    is_left_out,
)
from memapp.domain.text import clean
from memapp.errors import MemappError
from memapp.light_hook import AgentStep
from memapp.light_run import CommandLine
from memapp.services.lessons import hints
from memapp.services.lessons.hints import Drawn as Drawn
from memapp.services.lessons.hints import LessonHint
from memapp.store import fingerprints
from memapp.store.connection import open_briefly
from memapp.store.session import USER_ID, Session
from memapp.tools import markers
from memapp.tools.ended import NOT_FOUND, Ran
from memapp.tools.program import program
from memapp.tools.shell import Shell, as_attempt, command_line

WHY = " · memapp why"
Options = Mapping[str, str]
"""What says where the memory is: `home` and `db`."""


class Attempted(NamedTuple):
    """Something that was done with a tool."""

    step: ToolStep
    place: str
    """Where a failure waits for what works: `tools.markers`."""
    folder: str
    before: Drawn | None = None
    """The hint that was drawn before it."""


def tell_before(wanted: CommandLine) -> Drawn | None:
    """Say what works in place of a command that is about to fail; return the lesson that says so,
    or that is withheld.
    """
    with suppress(Exception):
        places = paths.locate(path_in(wanted.options, "home"), path_in(wanted.options, "db"))
        chosen, tool, action = (
            lesson_settings.load(places.config),
            _shell(wanted),
            command_line(wanted.argv),
        )
        if chosen.lessons is not LessonRule.HINT or is_left_out(
            chosen.lessons_not_of, action, tool.name, str(tool.folder)
        ):
            return None
        later.wait(places.cache)
        from memapp.services.lessons import (
            before_run,
        )  # a hint after a failure waits for none of it

        with open_briefly(places.database) as connection:
            about = (tool.name, tool.scope, action, wanted.options.get("task", ""))
            drawn = (
                before_run.told(
                    Session(connection, USER_ID), *about, withhold=chosen.lessons_compare
                )
                if connection
                else None
            )
        if drawn and drawn.shown:
            say(f"memapp: {drawn.hint.in_advance}{WHY}")
        return drawn
    return None


def tell(wanted: CommandLine, ran: Ran, before: Drawn | None = None) -> None:
    """Record a command, and say what is known of its failure unless that was said before it."""
    tool = _measured(_shell(wanted), wanted.options)
    step = _step(tool, command_line(wanted.argv), ran, Client(task=wanted.options.get("task", "")))
    if step.feedback.constraint_failure:
        say(f"memapp: {wanted.options['expect']} is not there")
    begin = "\n" if ran.output and not ran.output.endswith("\n") else ""
    tell_person(wanted.options, Attempted(step, tool.scope, str(tool.folder), before), WHY, begin)


def _shell(wanted: CommandLine) -> Shell:
    return Shell(program(wanted.argv), Path(light_run.here()), path_in(wanted.options, "expect"))


def _measured(tool: Shell, options: Options) -> Shell:
    """Return a tool with the progress and the score that were asked for; say so where there is
    none.
    """
    if {"progress", "score"}.isdisjoint(options):
        return tool
    from memapp.tools.measured import measured

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


def tell_person(options: Options, did: Attempted, more: str = "", begin: str = "") -> None:
    """Record a step, and say below it what is known of its failure, on a line of its own, and where
    there is more.
    """
    shown = _told(options, did)
    if shown and not (
        did.before and did.before.shown and did.before.hint.lesson.id == shown[0].lesson.id
    ):
        say(f"{begin}memapp: {shown[0].in_a_line}{more}")


def tell_agent(options: Options, step: AgentStep) -> str:
    """Record a command of a coding agent; return what it is told of its failure, if anything."""
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
    did = _step(tool, step.command, Ran(step.code, step.output, 0.0), client)
    shown = _told(options, Attempted(did, step.place, step.folder))
    return f"memapp: {shown[0].in_a_line}" if shown else ""


def _finish(options: Options, step: AgentStep, client: Client) -> None:
    """Record what is said of the run of a session."""
    from memapp import record_run

    places, scope = (
        paths.locate(path_in(options, "home"), path_in(options, "db")),
        Shell("", Path(step.folder)).scope,
    )
    if places.database.exists():
        later.wait(places.cache)
        later.do(
            places.cache,
            partial(record_run.finish, options, scope, client, step.passed, step.score),
        )


def _step(tool: Shell, action: str, ran: Ran, client: Client) -> ToolStep:
    done = as_attempt(action, ran)
    return ToolStep(tool.name, tool.scope, done, tool.feedback(done), client)


def _told(options: Options, did: Attempted) -> Sequence[LessonHint]:
    """Return the hints for a step. Whatever goes wrong here, the step went its own way: then it is
    said, and there are none.
    """
    try:
        return _look_up(options, did)
    except Exception as error:
        say(in_words(options, error))
    return ()


def _look_up(options: Options, did: Attempted) -> Sequence[LessonHint]:
    places, step = paths.locate(path_in(options, "home"), path_in(options, "db")), did.step
    chosen = lesson_settings.load(places.config)
    if chosen.lessons is LessonRule.OFF or is_left_out(
        chosen.lessons_not_of, step.done.action, step.tool, did.folder
    ):
        return ()
    later.wait(places.cache)
    _say_what_was_lost(places.cache)
    drawn = _drawn(places.database, did, chosen)
    if step.feedback.channel():
        slip = [markers.ANY] if step.done.exit_code == NOT_FOUND else []
        markers.mark(options, did.place, [step.tool], slip, more=True)
    later.do(places.cache, partial(_record, options, did, drawn))
    return [other.hint for other in drawn if other.shown]


def _drawn(database: Path, did: Attempted, chosen: LessonSettings) -> Sequence[Drawn]:
    """Return the hints for a step if it failed, those that are withheld too."""
    step, withhold = did.step, chosen.lessons_compare
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
            hints.told(session, failure, step.client, did.before, withhold=withhold)
            if session and failure
            else ()
        )


def _record(options: Options, did: Attempted, drawn: Sequence[Drawn]) -> None:
    from memapp import record_run

    record_run.record(options, did, drawn)


def lost(cache: Path) -> Path:
    """Return the file that says why something was not recorded, for the next time that somebody is
    there to be told.
    """
    return cache / "not-recorded.txt"


def _say_what_was_lost(cache: Path) -> None:
    if lost(cache).is_file():
        say(lost(cache).read_text("utf-8"))
        lost(cache).unlink()


def in_words(options: Options, error: Exception) -> str:
    """Say why nothing was recorded; of a bug, where it happened."""
    if isinstance(error, UnicodeError):
        return "memapp: nothing was recorded: a name in it is no UTF-8"
    if isinstance(error, (MemappError, OSError)):
        return f"memapp: nothing was recorded: {error}"
    from memapp import crash

    log = paths.locate(path_in(options, "home")).log
    return crash.three_lines(error, crash.write_crash_file(error, log, datetime.now(UTC)))


def path_in(options: Options, option: str) -> Path | None:
    """Return the path that an option names."""
    return Path(options[option]) if option in options else None


def say(text: str) -> None:
    """Tell the person something."""
    if sys.stderr:  # where there is none, `print` would take standard output
        with suppress(OSError):
            print(clean(text), file=sys.stderr)
