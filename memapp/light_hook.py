"""The quick way of `memapp hook agent`: what a coding agent tells of a command that it ran is read
on the standard library alone.

The agent runs this after each of its commands and may take a failure of it for a verdict on the
command, so it ends well whatever comes in. Like `light_run`, it loads memapp itself only after a
failure, or where one is open.
"""

import json
import os
import re
import shlex
import sys
from contextlib import suppress
from typing import Any, NamedTuple

from memapp import light_run
from memapp.tools.markers import is_open
from memapp.tools.program import program, project

MOST_BYTES = 2_000_000
ERROR_CHARS = 16_000
MOST_PROGRESS, MOST_CODE = 1e15, 255
_GOES_THERE = re.compile(r"""\s*cd\s+((?:"[^"]*"|'[^']*'|[^\s;&|"'])+)\s*(?:&&|;)\s*""")
_EXIT_CODE = re.compile(
    r"[^\n]{0,80}?\b(?:exit|status)(?: code)?:? (\d{1,3})\b[^\n]*\n?", re.IGNORECASE
)
_CODES = ("exit_code", "exitCode", "returncode")


class AgentStep(NamedTuple):
    """A command that an agent ran."""

    command: str
    folder: str
    session: str
    event: str
    """The agent's own name for what happened; the answer goes by it."""
    code: int
    output: str
    progress: float | None = None
    score: float | None = None
    passed: bool | None = None
    expect: str = ""

    @property
    def is_measured(self) -> bool:
        return (self.progress, self.score, self.passed) != (None, None, None)

    @property
    def is_missing(self) -> bool:
        """Return True if the file that is expected is not there."""
        return bool(self.expect) and not os.path.exists(os.path.join(self.folder, self.expect))

    @property
    def place(self) -> str:
        """Return where a failure of an agent waits for what works; one of the person's waits
        elsewhere.
        """
        return f"hook {project(self.folder)}"

    @property
    def program(self) -> str:
        try:
            words = shlex.split(self.command)
        except ValueError:
            words = self.command.split()
        return program(words or [""])


def read(arguments: list[str]) -> dict[str, str] | None:
    """Return the options of a command line if it is `hook agent`, else None."""
    options: dict[str, str] = {}
    rest = light_run.take_options(arguments, light_run.OPTIONS_BEFORE, options)
    return options if rest == ["hook", "agent"] else None


def main(options: dict[str, str]) -> int:
    """Read what an agent tells on standard input, and answer with a hint if there is one; return 0."""
    try:
        answer = _answer(options, _input())
        if answer:
            os.write(1, answer.encode())
    except Exception as error:
        with suppress(Exception):
            print(f"memapp: nothing was recorded: {type(error).__name__}", file=sys.stderr)
    return 0


def _input() -> str:
    with open(0, "rb", closefd=False) as stdin:
        told = stdin.read(MOST_BYTES + 1)
    return told.decode("utf-8", "replace") if len(told) <= MOST_BYTES else ""


def _answer(options: dict[str, str], told: str) -> str:
    step = agent_step(json.loads(told)) if told.strip() else None
    if step is None:
        return ""
    if not (
        step.code
        or step.is_measured
        or step.is_missing
        or is_open(step.program, options, step.place)
    ):
        return ""
    os.umask(0o077)
    from memapp import after_run

    hint = after_run.tell_agent(options, step)
    said = {"hookEventName": step.event, "additionalContext": hint}
    return json.dumps({"hookSpecificOutput": said}) if hint else ""


def agent_step(told: Any) -> AgentStep | None:
    """Return the command that an agent tells of; None if it ran none, or nobody knows how it ended.

    A step without a command says how a session went: `passed`, `score`, or both.
    """
    told = _fields(told)
    given, came = _fields(told.get("tool_input")), told.get("tool_response")
    command, event = given.get("command"), _text(told.get("hook_event_name")) or "PostToolUse"
    measured = {name: _number(told.get(name)) for name in ("progress", "score")}
    if measured["score"] is not None and not 0 <= measured["score"] <= 1:
        measured["score"] = None
    passed = told["passed"] if isinstance(told.get("passed"), bool) else None
    if command is None and not given and (passed, measured["score"]) != (None, None):
        folder, session = _text(told.get("cwd")) or light_run.here(), _text(told.get("session_id"))
        return AgentStep("", folder, session, event, 0, "", None, measured["score"], passed)
    if (
        not isinstance(command, str)
        or not command.strip()
        or not event.lower().startswith(("post", "after"))
    ):
        return None
    if (
        given.get("run_in_background")
        or told.get("is_interrupt")
        or _fields(came).get("interrupted")
    ):
        return None
    error = _text(told.get("error"))
    code, output = _ended(error, event.lower().endswith("failure"), came)
    folder, command = _where(_text(told.get("cwd")) or light_run.here(), command)
    session, expect = _text(told.get("session_id")), _text(told.get("expect")).replace("\0", "")
    return AgentStep(
        command,
        folder,
        session,
        event,
        code,
        output[-ERROR_CHARS:],
        measured["progress"],
        measured["score"],
        passed,
        expect,
    )


def _ended(error: str, is_failure: bool, came: Any) -> tuple[int, str]:
    """Return the exit code of a command, and what it wrote, out of the ways in which agents tell
    them.
    """
    fields = {**_fields(_fields(came).get("metadata")), **_fields(came)}
    written = (
        error
        or "\n".join(
            filter(None, (_text(fields.get(name)) for name in ("stdout", "output", "stderr")))
        )
        or _text(came)
    )
    code = next((fields[name] for name in _CODES if isinstance(fields.get(name), int)), None)
    if code is None:
        named = _EXIT_CODE.match(error)
        written = written[named.end() :] if named else written
        code = (
            int(named[1])
            if named
            else int(is_failure or bool(error) or fields.get("is_error") is True)
        )
    return min(abs(int(code)), MOST_CODE) or int(is_failure), written


def _where(folder: str, command: str) -> tuple[str, str]:
    """Return where a command is run, and it without the way there: agents begin many with `cd
    FOLDER &&`.

    A space at its beginning stays: it says that nothing of it is to be kept.
    """
    hidden = " " if command.startswith(" ") else ""
    while there := _GOES_THERE.match(command):
        folder = os.path.normpath(os.path.join(folder, os.path.expanduser(there[1].strip("\"'"))))
        command = command[there.end() :]
    return folder, hidden + command.strip()


def _fields(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> float | None:
    """Return a finite number; True and False are none."""
    is_one = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= MOST_PROGRESS
    )
    return float(value) if is_one else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
