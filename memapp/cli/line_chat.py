"""A chat line by line, for pipes and screen readers; nothing moves on the screen."""

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from memapp.cli.ask import answer, learn, load
from memapp.cli.output import opened, say
from memapp.domain import commands
from memapp.domain.chat import valid_message
from memapp.domain.commands import Command
from memapp.domain.howto import in_full
from memapp.domain.text import clean
from memapp.domain.turn_events import TurnEvent
from memapp.errors import MemappError, UsageError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import chats, curate, howtos, undo
from memapp.services.models import downloads
from memapp.services.turn import turns

IN_THE_APP = {
    "run": "memapp run -- COMMAND",
    "sql": "memapp sql FILE QUERY",
    "import": "memapp import PATH",
    "council": "memapp council",
}
"""Commands that ask for a key or show a card, and what does the same outside a chat."""
MULTI, END = "/multi", "/end"
HELP = (
    f"/help lists the commands, {MULTI} begins a message of several lines that {END} ends, "
    "ctrl+c stops an answer."
)


def line_by_line(options: dict[str, Any], question: str = "") -> None:
    """Chat until /quit or the end of standard input; with a `question`, send only that."""
    with opened(options) as runtime:
        load(runtime)
        talk = _Talk(runtime, is_terminal=sys.stdin.isatty() and not question)
        if question:
            talk.send(question)
        else:
            talk.run()


class _Talk:
    """The running chat.

    A person at a terminal is asked for each line and sees errors; a pipe ends at the first error.
    """

    def __init__(self, runtime: Runtime, *, is_terminal: bool) -> None:
        self._runtime = runtime
        self._is_terminal = is_terminal
        self._thread_id = ""
        self._persona = runtime.settings.persona

    def run(self) -> None:
        if self._is_terminal:
            say(f"memapp. {HELP}")
            if offered := downloads.offer(self._runtime):
                say(
                    "This small model cannot hold a conversation; "
                    f"memapp models get --default gets one that can: {offered}."
                )
        while (written := self._written()) is not None:
            try:
                command = commands.parse(written)
                if command is not None and command.name == "quit":
                    return
                if command is not None:
                    self._carry_out(command)
                elif written:
                    self.send(commands.unescaped(written))
            except MemappError as error:
                if not self._is_terminal:
                    raise
                say(f"{error.title}: {error}")

    def send(self, text: str) -> None:
        """Send a message, write its answer, and learn from it."""
        valid_message(text)
        self._write_answer(turns.take_turn, text)
        with self._stopped_by_ctrl_c() as cancel:
            learn(self._runtime, cancel)

    def _write_answer(self, take: Callable[..., Iterable[TurnEvent]], *texts: str) -> None:
        with self._stopped_by_ctrl_c() as cancel:
            thread_id = self._begun()
            self._label(self._runtime.persona(self._persona).name)
            answer(self._runtime, take(self._runtime, thread_id, *texts, cancel=cancel))

    def _carry_out(self, command: Command) -> None:
        runtime = self._runtime
        match command.name:
            case "remember":
                memory = curate.get(runtime, curate.add(runtime, command.text).memory_id)
                say(f"Remembered: {memory.text}")
            case "howto":
                memory = curate.get(runtime, howtos.add(runtime, command.text).memory_id)
                say(f"Written down: {in_full(memory)}")
            case "forget" | "know":
                self.send(f"/{command.name} {command.text}".strip())
            case "undo":
                step = undo.undo_last(runtime)
                say(f"Undone: {undo.describe(runtime, step)}")
            case "evidence":
                chats.add_context_card(runtime, self._begun(), command.text)
                say("Evidence added.")
            case "remark":
                self._write_answer(turns.remark)
            case "persona":
                self._choose_persona(command.text)
            case "new":
                self._thread_id = ""
                say("A new chat.")
            case "help":
                for name, (form, what) in commands.COMMANDS.items():
                    if name not in IN_THE_APP:
                        say(f"{form:18} {what}")
                say(HELP)
                say(f"Outside this chat: {', '.join(IN_THE_APP.values())}.")
            case name:
                raise UsageError(
                    f"/{name} works only in the app.", f"Outside it: {IN_THE_APP[name]}."
                )

    def _choose_persona(self, name: str) -> None:
        self._thread_id, self._persona = "", self._runtime.persona_called(name)
        say(f"A new chat with {self._runtime.persona(self._persona).name}.")

    def _begun(self) -> str:
        self._thread_id = self._thread_id or chats.new_thread(self._runtime, self._persona).id
        return self._thread_id

    def _written(self) -> str | None:
        """Return the next message or command, '' for an empty line, None at the end."""
        self._label("You")
        line = sys.stdin.readline()
        if line.strip() != MULTI:
            return line.strip() if line else None
        lines: list[str] = []
        while (line := sys.stdin.readline()) and line.strip() != END:
            lines.append(line.rstrip("\n"))
        return "\n".join(lines)

    def _label(self, name: str) -> None:
        """Write the speaker's name, for a person at a terminal."""
        if self._is_terminal:
            click.echo(f"{clean(name)}: ", nl=False, err=True)

    @contextmanager
    def _stopped_by_ctrl_c(self) -> Iterator[Cancel]:
        """Let the first ctrl+c stop the work, and the second one the program."""
        cancel, pressed = Cancel(), False

        def stop(_: int, __: object) -> None:
            nonlocal pressed
            if pressed:
                raise KeyboardInterrupt
            pressed = True
            # On a thread: the interrupted code may hold the lock of `cancel`.
            threading.Thread(target=cancel.set, daemon=True).start()

        if not self._is_terminal:
            yield cancel
            return
        before = signal.signal(signal.SIGINT, stop)
        try:
            yield cancel
        finally:
            signal.signal(signal.SIGINT, before)
