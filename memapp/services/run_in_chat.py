"""Commands run in a chat: the command is a message of the person, the output its reply.

The step is recorded like any other (`services.runs`), so a failure brings up its lessons. Neither
message teaches anything or enters a prompt: the words are a program's. A command excluded from
recording is shown, but nothing of it is stored.
"""

import os
import re
import shlex
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from memapp.domain.chat import Message, MessageStatus, Origin, Role
from memapp.domain.commands import Command
from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.lesson import MAX_ACTION_CHARS
from memapp.domain.lessons.recording import FIRST, is_left_out
from memapp.domain.prompt import Usage
from memapp.domain.text import clean, one_line, shorten
from memapp.domain.turn_events import Accepted, Completed, Found, Streamed, TurnEvent
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.paths import expanded
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons.attempts import clean_text
from memapp.services.lessons.hints import Drawn
from memapp.services.open_turn import raise_if_answered_elsewhere
from memapp.services.reply import ERASED, TITLE_CHARS
from memapp.services.runs import Client, Reported
from memapp.store import chat, leases, recalls
from memapp.store.encoding import new_id
from memapp.store.lent_database import LentDatabase, lent
from memapp.tools import Tool
from memapp.tools.program import program
from memapp.tools.shell import Shell, command_line, needs_shell
from memapp.tools.sql import Sql, as_attempt
from memapp.tools.terminal import Kept

SECONDS = 3600.0
"""Longest run of a command: the person watches, and can stop it."""
STREAMED_BYTES = 4096
"""Output that is shown as it comes; the rest follows at the end."""
MOST_ROWS, CELL_CHARS = 100, 60
CHAT = Client("chat")
_REWRITTEN = re.compile(r"[^\n]*\r(?!\n)")
_FILE_AND_QUERY = re.compile(r"""(?:"([^"]+)"|'([^']+)'|(\S+))\s+(.+)""", re.DOTALL)
Writing = Generator[bytes, None, ToolAttempt]
"""Output of a tool as it comes, and its attempt at the end."""


@dataclass(frozen=True)
class _Job:
    """A command to be run."""

    tool: Tool
    action: str
    folder: Path
    begin: Callable[[Cancel], Writing]


@dataclass
class _Outcome:
    """The outcome of a command so far."""

    began: float = field(default_factory=time.monotonic)
    before: Drawn | None = None
    """The hint that was drawn before it ran."""
    output: Kept = field(default_factory=Kept)
    done: ToolAttempt | None = None
    """None if it was stopped."""
    reported: Reported = field(default_factory=Reported)

    @property
    def text(self) -> str:
        """The output of the command, how it ended, and the lesson for a failure."""
        hint_before = self.before.hint if self.before and self.before.shown else None
        before = [f"memapp: {hint_before.in_advance}"] if hint_before else []
        wrote = clean(_REWRITTEN.sub("", self.output.marked())).strip("\n")
        ending = f"exit {self.done.exit_code}" if self.done else "stopped"
        hints = [
            f"memapp: {hint.in_a_line}"
            for hint in self.reported.hints[:1]
            if not hint_before or hint.lesson.id != hint_before.lesson.id
        ]
        first = [FIRST] if self.reported.is_first else []
        seconds = time.monotonic() - self.began
        return clean_text(
            "\n".join(
                [*before, *filter(None, [wrote]), f"{ending} · {seconds:.1f} s", *hints, *first]
            )
        )


def run(
    runtime: Runtime, thread_id: str, command: Command, *, cancel: Cancel
) -> Iterator[TurnEvent]:
    """Run a command and stream its output.

    Raises `UsageError` for a command that cannot start; nothing is saved then.
    """
    erasures, written = runtime.database.erasures, command.text.strip()
    if len(written) > MAX_ACTION_CHARS:
        raise UsageError(
            f"This command is too long ({len(written):,} characters).",
            f"The limit is {MAX_ACTION_CHARS:,}.",
        )
    with (_query if command.name == "sql" else _command)(written) as job:
        is_kept = not is_left_out(
            runtime.settings.lessons_not_of, command.text, job.tool.name, str(job.folder)
        )
        message, reply = (_add_messages if is_kept else _unsaved_messages)(
            runtime, thread_id, f"/{command.name} {written}"
        )
        outcome = _Outcome()
        try:
            yield Accepted(message, reply)
            if is_kept:
                with leases.renewed(
                    runtime.write, chat.answering(thread_id), runtime.database.owner
                ):
                    yield from _recorded(runtime, job, outcome, cancel)
            else:
                yield from _streamed(job, outcome, cancel)
        finally:
            status = MessageStatus.COMPLETE if outcome.done else MessageStatus.STOPPED
            reply = replace(reply, text=outcome.text, status=status)
            if is_kept:
                reply = _finish(runtime, reply, outcome.reported, erasures)
    yield Found(outcome.reported.recalled)
    yield Completed(reply)


def _recorded(
    runtime: Runtime, job: _Job, outcome: _Outcome, cancel: Cancel
) -> Iterator[TurnEvent]:
    """Run a command, with a hint before and a report after."""
    outcome.before = before = runs.before(runtime, job.tool, job.action)
    if before and before.shown:
        yield Streamed(f"memapp: {before.hint.in_advance}\n")
    yield from _streamed(job, outcome, cancel)
    if outcome.done:
        outcome.reported = runs.report(runtime, job.tool, outcome.done, CHAT, before)


def _streamed(job: _Job, outcome: _Outcome, cancel: Cancel) -> Iterator[TurnEvent]:
    """Run a command and yield its output as it comes."""
    output = outcome.output
    with closing(job.begin(cancel)) as running:
        while not cancel.is_set():
            try:
                data = next(running)
            except StopIteration as ended:
                outcome.done = None if cancel.is_set() else ended.value
                return
            room = STREAMED_BYTES - output.size
            output.add(data)
            if data and room > 0:
                yield Streamed(data[:room].decode("utf-8", "replace"))


# What is run --------------------------------------------------------------------------------------


@contextmanager
def _command(written: str) -> Iterator[_Job]:
    if needs_shell(written):
        raise UsageError(
            "A command is a program and its arguments: no shell reads it.",
            "If it needs one: /run sh -c '…'",
        )
    try:
        argv = [
            str(expanded(word)) if word.startswith("~/") else word for word in shlex.split(written)
        ]
    except ValueError:
        raise UsageError("A quotation mark is not closed.") from None
    shell, action = Shell(program(argv), Path.cwd(), seconds=SECONDS), command_line(argv)
    yield _Job(shell, action, shell.folder, lambda _: shell.carry_out(action))


@contextmanager
def _query(written: str) -> Iterator[_Job]:
    read = _FILE_AND_QUERY.fullmatch(written)
    if read is None:
        raise UsageError("Write /sql FILE QUERY.")
    *names, query = read.groups()
    path = Path(os.path.realpath(expanded(next(filter(None, names)))))
    with lent(path) as database:
        yield _Job(
            Sql(database), query, path.parent, lambda cancel: _query_output(database, query, cancel)
        )


def _query_output(database: LentDatabase, query: str, cancel: Cancel) -> Writing:
    table = database.ask(query, MOST_ROWS, stop=cancel.is_set)
    lines = [[_cell(cell) for cell in line] for line in (table.columns, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    yield "\n".join(
        [table.error] if table.error else [*rows, *(["…"] if table.is_cut else [])]
    ).encode()
    return as_attempt(query, table)


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    return shorten(
        one_line(clean(f"x'{value.hex()}'" if isinstance(value, bytes) else str(value))), CELL_CHARS
    )


# What is kept -------------------------------------------------------------------------------------


def _add_messages(runtime: Runtime, thread_id: str, said: str) -> tuple[Message, Message]:
    """Add the command to the chat, with the empty row of its output."""
    text = clean_text(clean(said))
    with runtime.write() as session:
        raise_if_answered_elsewhere(runtime, session, thread_id)
        leases.take(session, chat.answering(thread_id), runtime.database.owner)
        if not chat.list_messages(session, thread_id, limit=1, commands=True):
            chat.rename_thread(session, thread_id, shorten(one_line(text), TITLE_CHARS), "app")
        chat.save_draft(session, thread_id, "")
        message = chat.add_message(
            session, thread_id, Role.USER, text, session.now, origin=Origin.COMMAND
        )
        add_reply = partial(
            chat.add_message,
            session,
            thread_id,
            Role.ASSISTANT,
            "",
            session.now,
            origin=Origin.COMMAND,
        )
        return message, add_reply(status=MessageStatus.GENERATING, reply_to=message.id)


def _unsaved_messages(runtime: Runtime, thread_id: str, said: str) -> tuple[Message, Message]:
    """Return the messages of a command for the screen, without storing them."""
    now = runtime.clock()
    status_and_time = (MessageStatus.COMPLETE, Origin.COMMAND, now)
    return (
        Message(new_id(now), thread_id, 0, Role.USER, clean(said), *status_and_time),
        Message(new_id(now), thread_id, 0, Role.ASSISTANT, "", *status_and_time),
    )


def _finish(runtime: Runtime, reply: Message, reported: Reported, erasures: int) -> Message:
    """Save the output of a command, unless words it may hold were erased meanwhile."""
    if runtime.database.erasures != erasures:
        reply = replace(reply, text=ERASED[0])
    with runtime.write() as session:
        chat.finish_message(session, reply.id, reply.text, reply.status, Usage(), "")
        recalls.save_recalls(session, reply.id, reported.recalled)
        leases.release(session, chat.answering(reply.thread_id), runtime.database.owner)
    return reply
