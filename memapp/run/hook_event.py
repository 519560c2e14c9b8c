"""The JSON event that a coding agent writes to `memapp hook agent`: one command and its result.

Read on the standard library alone, since the agent waits for the hook.
"""

import os
import re
import shlex
from typing import Any, NamedTuple

from memapp.tools.program import here, program, project

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
    """The agent's own name of the event; the answer repeats the name."""
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
        """Return True if the expected file does not exist."""
        return bool(self.expect) and not os.path.exists(os.path.join(self.folder, self.expect))

    @property
    def place(self) -> str:
        """Return the place of open failures (`tools.markers`), apart from the person's own."""
        return f"hook {project(self.folder)}"

    @property
    def program(self) -> str:
        try:
            words = shlex.split(self.command)
        except ValueError:
            words = self.command.split()
        return program(words or [""])


def agent_step(data: Any) -> AgentStep | None:
    """Return the command of an event; None if no command ran, or the result is unknown.

    A step without a command reports the result of a session: `passed`, `score`, or both.
    """
    fields = _fields(data)
    given, response = _fields(fields.get("tool_input")), fields.get("tool_response")
    command, event = given.get("command"), _text(fields.get("hook_event_name")) or "PostToolUse"
    measured = {name: _number(fields.get(name)) for name in ("progress", "score")}
    if measured["score"] is not None and not 0 <= measured["score"] <= 1:
        measured["score"] = None
    passed = fields["passed"] if isinstance(fields.get("passed"), bool) else None
    if command is None and not given and (passed, measured["score"]) != (None, None):
        folder, session = _text(fields.get("cwd")) or here(), _text(fields.get("session_id"))
        return AgentStep("", folder, session, event, 0, "", None, measured["score"], passed)
    if (
        not isinstance(command, str)
        or not command.strip()
        or not event.lower().startswith(("post", "after"))
    ):
        return None
    if (
        given.get("run_in_background")
        or fields.get("is_interrupt")
        or _fields(response).get("interrupted")
    ):
        return None
    error = _text(fields.get("error"))
    code, output = _ended(error, event.lower().endswith("failure"), response)
    folder, command = _where(_text(fields.get("cwd")) or here(), command)
    session, expect = _text(fields.get("session_id")), _text(fields.get("expect")).replace("\0", "")
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


def _ended(error: str, is_failure: bool, response: Any) -> tuple[int, str]:
    """Return the exit code and the output of a command, in any of the agents' formats."""
    fields = {**_fields(_fields(response).get("metadata")), **_fields(response)}
    written = (
        error
        or "\n".join(
            filter(None, (_text(fields.get(name)) for name in ("stdout", "output", "stderr")))
        )
        or _text(response)
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
    """Return the folder and the command, without a leading `cd FOLDER &&`.

    A leading space of the command stays: it means that nothing may be recorded.
    """
    hidden = " " if command.startswith(" ") else ""
    while there := _GOES_THERE.match(command):
        folder = os.path.normpath(os.path.join(folder, os.path.expanduser(there[1].strip("\"'"))))
        command = command[there.end() :]
    return folder, hidden + command.strip()


def _fields(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> float | None:
    """Return a finite number; None for True, False and other values."""
    is_number = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= MOST_PROGRESS
    )
    return float(value) if is_number else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
