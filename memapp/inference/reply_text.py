"""The text of a reply while it streams: the reader's words without thoughts, where they end, and the one line after the tail."""

import re
from collections.abc import Iterator

from memapp.domain.prompt import Piece

THOUGHTS = "<think>", "</think>"
"""Between these, models that were trained to think first do so."""
TAIL_LINE = r'root ::= " "? [^ \x00-\x1F\x7F] [^\x00-\x1F\x7F]* "\n"?'
"""The grammar of a tail's line: small models like to end the turn, or the line, before they have said anything."""
_SENTENCE_END = re.compile(r"""(?<!\b[^\W_])(?<!\b\d\d)(?<!\b(?:Mr|Ms|Dr|St|vs))(?<!\bMrs)[.!?…]+["'”’»)*\]]*(?=\s)""")
"""Not the dot of `1.`, `e.g.` or `Dr.`; with the white space behind it, that is clear."""
_SENTENCE_WORDS = 3
"""Fewer words are no sentence that counts: "Oh!"."""


class Aloud:
    """Leaves out what a model writes down of its thoughts before it speaks: `<think>...</think>` at the very beginning."""

    def __init__(self) -> None:
        self._held = ""
        self._settled = False

    def feed(self, text: str) -> str:
        """Take a part of the reply; return what of it is said aloud, as far as that is clear."""
        if self._settled:
            return text
        self._held += text
        begun = self._held.lstrip()
        if begun.startswith(THOUGHTS[0]):
            spoken = begun.partition(THOUGHTS[1])[2].lstrip()
        else:
            spoken = "" if THOUGHTS[0].startswith(begun) else self._held
        if spoken:
            self._settled, self._held = True, ""
        return spoken

    @property
    def thinks(self) -> bool:
        """Whether what came so far is thought."""
        return self._held.lstrip().startswith(THOUGHTS[0])

    def rest(self) -> str:
        """What is still held back when the reply has ended, unless it was thought."""
        return "" if self.thinks else self._held


class _UntilStop:
    """Passes text on as far as the first stop string, holding back whatever may be the start of one."""

    def __init__(self, stop: tuple[str, ...]) -> None:
        self._stop = tuple(filter(None, stop))
        self.held = ""
        self.stopped_at = ""
        """The stop string that was met; what followed it is held."""

    def feed(self, text: str) -> str:
        self.held += text
        found = [(self.held.find(stop), stop) for stop in self._stop if stop in self.held]
        if found:
            at, self.stopped_at = min(found)
            shown, self.held = self.held[:at], self.held[at + len(self.stopped_at) :]
            return shown
        safe = len(self.held) - self._possible_start()
        shown, self.held = self.held[:safe], self.held[safe:]
        return shown

    def _possible_start(self) -> int:
        """Length of the longest end of the held text that begins a stop string."""
        longest = max((len(text) for text in self._stop), default=1) - 1
        for size in range(min(longest, len(self.held)), 0, -1):
            end = self.held[-size:]
            if any(text.startswith(end) for text in self._stop):
                return size
        return 0


class ReplyText:
    """Parts a reply into the reader's words and the line after the tail; each ends at a stop string.

    The words also end with so many `sentences`; 0 sets no limit.
    """

    def __init__(self, stop: tuple[str, ...], tail: str = "", sentences: int = 0) -> None:
        self._stop = stop
        self._sentences = sentences
        self._said = ""
        self._is_enough = False
        self._mark = tail.strip()
        self._aloud = Aloud()
        self._part = _UntilStop((*stop, self._mark))
        self.in_tail = False
        """The reader's words are over."""
        self._line_begun = False

    @property
    def done(self) -> bool:
        """Whether nothing that comes now belongs to this part of the reply."""
        return bool(self._part.stopped_at) or (self._is_enough and not self.in_tail)

    def feed(self, text: str) -> Iterator[Piece]:
        """Take a part of the reply; yield what may be shown now, with an empty piece while the model thinks."""
        if self.done:
            return
        if self.in_tail and not self._line_begun:
            text = text.lstrip()
            self._line_begun = bool(text)
        shown = self._part.feed(self._aloud.feed(text))
        if self._sentences and not self.in_tail:
            shown = self._within_sentences(shown)
        if shown or self._aloud.thinks:
            yield Piece(shown, tail=self.in_tail)
        if self.done and not self.in_tail and self._part.stopped_at == self._mark:
            following = self._part.held
            self.begin_tail()
            yield from self.feed(following)

    def _within_sentences(self, shown: str) -> str:
        """Return what of the newest words belongs to the sentences that are wanted."""
        begin = len(self._said)
        self._said += shown
        count = start = 0
        for found in _SENTENCE_END.finditer(self._said):
            count += len(self._said[start : found.end()].split()) >= _SENTENCE_WORDS
            start = found.end()
            if count == self._sentences:
                self._is_enough = True
                return self._said[begin:start]
        return shown

    def begin_tail(self) -> None:
        """Take what comes now as the line after the tail."""
        self.in_tail = True
        self._part = _UntilStop(("\n", *self._stop))

    def end(self) -> Iterator[Piece]:
        """Yield what was held back, when this part of the reply has ended by itself."""
        held, self._part.held = self._part.held, ""
        if not self.done and (rest := held + self._aloud.rest()):
            yield Piece(rest, tail=self.in_tail)
