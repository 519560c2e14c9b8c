"""What follows on something that was done outside memapp and failed, or that may be what an earlier failure was meant to be.

Somebody waits for it: it opens the file and nothing else, no model, no persona, no prompt.
"""

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from memapp import crash, light_run, paths, settings
from memapp.categories import load_categories
from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.recording import FIRST, is_left_out
from memapp.domain.text import clean
from memapp.errors import MemappError, ModelError
from memapp.language.english.duplicates import ENGLISH
from memapp.light_hook import AgentStep
from memapp.light_run import CommandLine
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.runs import Client, Reported
from memapp.store.database import open_database
from memapp.tools import Tool
from memapp.tools.program import program
from memapp.tools.shell import Shell, as_attempt
from memapp.tools.terminal import NOT_FOUND, Ran

WHY = " · memapp why"
MOST_KNOWN = 50
"""Commands of one place that are told of before they are run."""
Options = Mapping[str, str]
"""What says where the memory is: `home` and `db`."""


@dataclass(frozen=True)
class Attempted:
    """Something that was done with a tool."""

    tool: Tool
    done: ToolAttempt
    place: str
    """Where a failure waits for what works: `light_run.marker`."""
    folder: Path
    client: Client
    command: str = ""
    """What `light_run.is_known` knows it by."""
    told: str = ""
    """The lesson that was shown before it."""


def tell_before(wanted: CommandLine) -> str:
    """Say what works in place of a command that failed here when it was run last; return the lesson that says so, if any."""
    with suppress(Exception), _opened(_path(wanted.options, "home"), _path(wanted.options, "db")) as runtime:
        tool, action = _shell(wanted), shlex.join(wanted.argv)
        left_out = is_left_out(runtime.settings.lessons_not_of, action, tool.name, str(tool.folder))
        if not left_out and (hint := runs.before(runtime, tool, action)) is not None:
            _say(f"memapp: {hint.in_advance}{WHY}")
            return hint.lesson.id
    return ""


def tell(wanted: CommandLine, ran: Ran, told: str = "") -> None:
    """Record a command, and say what is known of its failure unless that was said before it."""
    tool = _shell(wanted)
    done, client = as_attempt(shlex.join(wanted.argv), ran), Client(task=wanted.options.get("task", ""))
    command = light_run.sign("\0".join(wanted.argv))
    tell_person(wanted.options, Attempted(tool, done, light_run.here(), tool.folder, client, command, told), WHY)


def _shell(wanted: CommandLine) -> Shell:
    return Shell(program(wanted.argv), Path(light_run.here()), _path(wanted.options, "expect"))


def tell_person(options: Options, step: Attempted, more: str = "") -> None:
    """Record a step, and say below it what is known of its failure, and where there is more."""
    reported = record(options, step)
    if reported and reported.hints and reported.hints[0].lesson.id != step.told:
        _say(f"memapp: {reported.hints[0].in_a_line}{more}")


def tell_agent(options: Options, step: AgentStep) -> str:
    """Record a command of a coding agent; return what it is told of its failure, if anything."""
    folder, task = Path(step.folder), f"session {step.session}" if step.session else ""
    tool = Shell(step.program, folder)
    done = as_attempt(step.command, Ran(step.code, step.output, 0.0))
    reported = record(options, Attempted(tool, done, step.place, folder, Client("hook", task=task)))
    return f"memapp: {reported.hints[0].in_a_line}" if reported and reported.hints else ""


def record(options: Options, step: Attempted) -> Reported | None:
    """Record a step. Whatever goes wrong here, the step went its own way: then it is said, and None is returned."""
    try:
        return _record(options, step)
    except UnicodeError:
        _say("memapp: nothing was recorded: a name in it is no UTF-8")
    except (MemappError, OSError) as error:
        _say(f"memapp: nothing was recorded: {error}")
    except Exception as error:
        log = paths.locate(_path(options, "home")).log
        _say(crash.three_lines(error, crash.write_crash_file(error, log, datetime.now(UTC))))
    return None


def _record(options: Options, step: Attempted) -> Reported | None:
    with _opened(_path(options, "home"), _path(options, "db")) as runtime:
        if is_left_out(runtime.settings.lessons_not_of, step.done.action, step.tool.name, str(step.folder)):
            return None
        reported = runs.report(runtime, step.tool, step.done, step.client, step.told)
    _mark(options, step, reported)
    if reported.is_first:
        _say(FIRST)
    return reported


def _mark(options: Options, step: Attempted, reported: Reported) -> None:
    """Leave a marker of the failures that are open in a place, or take it away."""
    signs = [light_run.sign(one) for one in reported.still_open]
    slip = [light_run.ANY] if signs and step.done.exit_code == NOT_FOUND else []
    _write(Path(light_run.marker(options, step.place)), [*signs, *slip])
    if step.command:
        path = Path(light_run.marker(options, step.place, "known"))
        others = [one for one in path.read_text("utf-8").split() if one != step.command] if path.exists() else []
        is_known = any(one.lesson.status == "promoted" for one in reported.hints)
        _write(path, [*others, *([step.command] if is_known else [])][-MOST_KNOWN:])


def _write(path: Path, signs: Sequence[str]) -> None:
    with suppress(OSError):
        if not signs:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text("\n".join(signs), "utf-8")


@contextmanager
def _opened(home: Path | None, database: Path | None) -> Iterator[Runtime]:
    """Open the file for a moment; `bootstrap` does more. Raises `ConfigError` or `StoreError`."""
    places = paths.locate(home, database)
    loaded = settings.load(places.config)
    categories = load_categories(paths.bundled("assets", "categories.toml"), places.categories)
    file = open_database(places.database, ENGLISH)
    runtime = Runtime(loaded, places, file, {}, categories, lambda: datetime.now(UTC), _no_model, _no_model)
    try:
        yield runtime
    finally:
        runtime.close()


def _no_model(*_: object) -> NoReturn:
    raise ModelError("No model is loaded for this.")


def _path(options: Options, option: str) -> Path | None:
    return Path(options[option]) if option in options else None


def _say(text: str) -> None:
    if sys.stderr:  # where there is none, `print` would take standard output
        with suppress(OSError):
            print(clean(text), file=sys.stderr)
