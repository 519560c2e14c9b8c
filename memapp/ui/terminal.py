"""The terminal's input: all that is pasted comes as one cleaned paste, whatever stands in it.

Textual 8.2.8, which is pinned exactly, takes an escape character inside a bracketed paste for the
begin of a key: it issues what it does not know as keys (`XTermParser.parse`,
`reissue_sequence_as_keys`), so that a pasted text could press enter, quit, or count as typed. Here
its parser never sees what is pasted. It also ends with the first byte that is not UTF-8
(`LinuxDriver.run_input_thread`). Both are to be read again when Textual is raised.
"""

import os
import selectors
import time
from codecs import getincrementaldecoder
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from typing import Any, TextIO

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from memapp.domain.text import clean

READ_BYTES = 65536
POLL_SECONDS = 0.1
ALT_ENTER = "\x1b\r"
"""What tmux and others send for alt+enter. Textual would read it as enter, which sends an
unfinished message.
"""
SILENCE_SECONDS = 3.0
"""After so long without anything new, a paste is taken for complete: its end was lost."""


class PasteParser(XTermParser):
    """Keys, mouse and reports as Textual reads them; a paste is taken out before."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._before = ""
        """The last characters outside a paste: the begin of one may come in two reads."""
        self._pasted: str | None = None
        """What came of a paste so far; None outside one."""
        self._fed_at = 0.0

    def feed(self, data: str) -> Iterator[Message]:
        """Yield what the data says. An empty text is the end of all data."""
        self._fed_at = time.monotonic()
        if not data:
            yield from super().feed(data)
        while data:
            if self._pasted is None:
                data = yield from self._outside(data)
            else:
                data = yield from self._inside(data)

    def tick(self) -> Iterable[Message]:
        """Yield what is known only because nothing follows."""
        yield from super().tick()
        if self._pasted is not None and time.monotonic() - self._fed_at >= SILENCE_SECONDS:
            yield self._paste(self._pasted)

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if sequence == ALT_ENTER:
            return [events.Key("alt+enter", None)]
        return super()._sequence_to_key_events(sequence, alt)

    def _outside(self, data: str) -> Generator[Message, None, str]:
        """Pass on what stands before a paste; return what follows its begin."""
        seen = self._before + data
        begin = seen.find(BRACKETED_PASTE_START)
        if begin < 0:
            self._before = seen[1 - len(BRACKETED_PASTE_START) :]
            yield from super().feed(data)
            return ""
        # The escape is passed on, so that one that was pressed just before counts; then Textual
        # forgets that it began a sequence.
        before = seen[len(self._before) : begin + 1]
        if before:
            yield from super().feed(before)
        self._gen = self.parse(self._tokens.append)
        self._awaiting, self._timeout_time = next(self._gen), None
        self._before, self._pasted = "", ""
        return seen[begin + len(BRACKETED_PASTE_START) :]

    def _inside(self, data: str) -> Generator[Message, None, str]:
        """Keep what is pasted; return what follows its end."""
        assert self._pasted is not None
        since = max(
            0, len(self._pasted) + 1 - len(BRACKETED_PASTE_END)
        )  # an end may come in two reads
        pasted = self._pasted = self._pasted + data
        end = _end(pasted, since)
        if end < 0:
            return ""
        yield self._paste(pasted[:end])
        return pasted[end + len(BRACKETED_PASTE_END) :]

    def _paste(self, text: str) -> events.Paste:
        self._pasted = None
        return events.Paste(clean(text))


def _end(text: str, since: int) -> int:
    """Return where the paste ends, -1 if it goes on. A terminal should take an end out of what it
    pastes; not every one does.

    So of several ends that came at once, without a new begin between them, the last is the true
    one.
    """
    first = text.find(BRACKETED_PASTE_END, since)
    if first < 0:
        return -1
    another = text.find(BRACKETED_PASTE_START, first)
    return text.rfind(BRACKETED_PASTE_END, 0, another if another >= 0 else len(text))


class Outlet:
    """Where the screen is written. A terminal that is gone takes nothing and says nothing.

    Textual's thread ends with the first write that fails; what the app writes then waits for it,
    and the app with it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()


class Terminal(LinuxDriver):
    """Textual's own driver for Linux and macOS, with the parser above; bytes that are no UTF-8
    become replacement characters.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._file: Any = Outlet(self._file)

    def run_input_thread(self) -> None:
        """Read until the app ends."""
        parser = PasteParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with (
            selectors.SelectSelector() as selector
        ):  # the one that can wait for a terminal everywhere
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(POLL_SECONDS):
                    if not (data := os.read(self.fileno, READ_BYTES)):
                        break  # the terminal is gone
                    if text := decode(data):
                        self._process(parser.feed(text))
                self._process(parser.tick())
        try:
            self._process(parser.feed(""))
        except (EOFError, ParseError):
            return

    def _process(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)
