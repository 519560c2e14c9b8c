"""The input of the terminal: every paste arrives as one cleaned paste, whatever its content.

Textual 8.2.8, which is pinned exactly, takes an escape character inside a bracketed paste for the
start of a key, and issues the rest as keys (`XTermParser.parse`, `reissue_sequence_as_keys`): a
pasted text could press enter, quit, or count as typed. Here the parser never sees a paste. Textual
also stops at the first byte that is not UTF-8 (`LinuxDriver.run_input_thread`). Check both when
Textual is raised.
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
"""The bytes of alt+enter in tmux and others; Textual would read enter, and send the message."""
SILENCE_SECONDS = 3.0
"""The silence after which a paste is complete, because its end was lost."""


class PasteParser(XTermParser):
    """Textual's parser for keys, mouse and reports; pastes are taken out before."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._before = ""
        """The last characters outside a paste: the start of a paste may be split over two reads."""
        self._pasted: str | None = None
        """The text of a paste so far; None outside a paste."""
        self._fed_at = 0.0

    def feed(self, data: str) -> Iterator[Message]:
        """Yield the events of some input; an empty text is the end of the input."""
        self._fed_at = time.monotonic()
        if not data:
            yield from super().feed(data)
        while data:
            if self._pasted is None:
                data = yield from self._outside(data)
            else:
                data = yield from self._inside(data)

    def tick(self) -> Iterable[Message]:
        """Yield the events that are complete because no input follows."""
        yield from super().tick()
        if self._pasted is not None and time.monotonic() - self._fed_at >= SILENCE_SECONDS:
            yield self._paste(self._pasted)

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if sequence == ALT_ENTER:
            return [events.Key("alt+enter", None)]
        return super()._sequence_to_key_events(sequence, alt)

    def _outside(self, data: str) -> Generator[Message, None, str]:
        """Parse the input before a paste; return the rest after its start."""
        seen = self._before + data
        begin = seen.find(BRACKETED_PASTE_START)
        if begin < 0:
            self._before = seen[1 - len(BRACKETED_PASTE_START) :]
            yield from super().feed(data)
            return ""
        # The parser gets the escape, so that one pressed just before counts; then it forgets that
        # a sequence began.
        before = seen[len(self._before) : begin + 1]
        if before:
            yield from super().feed(before)
        self._gen = self.parse(self._tokens.append)
        self._awaiting, self._timeout_time = next(self._gen), None
        self._before, self._pasted = "", ""
        return seen[begin + len(BRACKETED_PASTE_START) :]

    def _inside(self, data: str) -> Generator[Message, None, str]:
        """Collect a paste; return the rest after its end."""
        assert self._pasted is not None
        # An end may be split over two reads.
        since = max(0, len(self._pasted) + 1 - len(BRACKETED_PASTE_END))
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
    """Return the position of the end of the paste, -1 if there is none.

    A terminal should remove end markers from a paste; not every one does. So of several that arrive
    at once, without a new start between them, the last is the real one.
    """
    first = text.find(BRACKETED_PASTE_END, since)
    if first < 0:
        return -1
    another = text.find(BRACKETED_PASTE_START, first)
    return text.rfind(BRACKETED_PASTE_END, 0, another if another >= 0 else len(text))


class Outlet:
    """The output of the screen; a terminal that is gone takes nothing and raises nothing.

    Textual's writer thread ends with the first failed write, and the app would wait for it for
    ever.
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
    """Textual's driver for Linux and macOS with the parser above; invalid UTF-8 is replaced."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._file: Any = Outlet(self._file)

    def run_input_thread(self) -> None:
        """Read until the app ends."""
        parser = PasteParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        # The only selector that can wait for a terminal on every platform.
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(POLL_SECONDS):
                    if not (data := os.read(self.fileno, READ_BYTES)):
                        break  # The terminal is gone.
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
