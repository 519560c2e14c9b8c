"""`memapp hook agent`: reads a coding agent's event about a command, and answers with a hint.

The agent runs the hook after each command and may take a failing hook for a verdict on the command,
so the hook always succeeds. The rest of memapp is loaded only after a failure, or while one is
open.
"""

import json
import os
import sys
from contextlib import suppress

from memapp.run.hook_event import agent_step
from memapp.tools.markers import is_open

MOST_BYTES = 2_000_000


def main(options: dict[str, str]) -> int:
    """Answer the event on standard input with a hint, if there is one; return 0."""
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
        data = stdin.read(MOST_BYTES + 1)
    return data.decode("utf-8", "replace") if len(data) <= MOST_BYTES else ""


def _answer(options: dict[str, str], text: str) -> str:
    step = agent_step(json.loads(text)) if text.strip() else None
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
    from memapp.run import hints

    hint = hints.tell_agent(options, step)
    output = {"hookEventName": step.event, "additionalContext": hint}
    return json.dumps({"hookSpecificOutput": output}) if hint else ""
