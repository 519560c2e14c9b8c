"""A model's thoughts, separated from its streaming reply, in the forms of public models.

Tags surround thoughts at the very beginning; some replies only have the closing tag, as the opening
one was in the prompt. gpt-oss writes messages to channels, of which `final` is the reply. Thoughts
that a server sends in a separate field need none of this.
"""

import re
from collections.abc import Iterator

from memapp.domain.prompt import Piece

CLOSING = {f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought", "reasoning")} | {
    "[THINK]": "[/THINK]",  # Mistral
    "◁think▷": "◁/think▷",  # Kimi
}
"""The tags around thoughts."""
OPENING = {closing: opening for opening, closing in CLOSING.items()}
START, CHANNEL, MESSAGE, END = "<|start|>", "<|channel|>", "<|message|>", "<|end|>"
"""gpt-oss: `<|start|>assistant<|channel|>analysis<|message|>...<|end|>`."""
MARKS = (*CLOSING, *OPENING, START, CHANNEL, MESSAGE, END)
"""Marks around thoughts, in some vocabularies control tokens without text."""
BARE = re.compile(r"\s*analysis(?=[^\W\d_a-z])")
BARE_END = "assistantfinal"
"""The remains of channels from servers that drop control tokens: no sentence has a capital letter
right behind `analysis`.
"""


class Thoughts:
    """Splits a reply into thoughts and text, wherever its tokens end.

    `begun` means that the reply may begin with a thought whose opening tag was in the prompt. Text
    then counts as a thought until a closing tag, and as the reply if none comes.
    """

    def __init__(self, *, begun: bool = False) -> None:
        self._begun = begun
        self._ends: tuple[str, ...] = (*OPENING, *CLOSING) if begun else ()
        """The marks that end the thought; empty outside of one."""
        self._header: list[str] = []
        """The role and the channel of a message, while they are read."""
        self._held = ""
        self._thought = self._said = ""
        self._opened = self._has_channels = False
        self.unopened = False
        """True after a thought without an opening tag."""
        self.over = False
        """True after the model ended its message."""

    def feed(self, text: str) -> Iterator[Piece]:
        """Take a part of the reply; yield the pieces that are clear by now."""
        self._held += text
        if self._is_silent and not self._opened and (bare := BARE.match(self._held)):
            self._held, self._ends, self._opened = self._held[bare.end() :], (BARE_END,), True
        while not self.over and (next_mark := self._next_mark()):
            at, mark = next_mark
            before, self._held = self._held[:at], self._held[at + len(mark) :]
            if before.strip() or not self._is_silent:
                yield from self._pass(before)
            yield from self._meet(mark)
        clear = len(self._held) - possible_start(self._held, self._marks)
        if not self._is_silent or (self._held[:clear].strip() and not self._may_be_bare()):
            passed, self._held = self._held[:clear], self._held[clear:]
            yield from self._pass(passed)

    def end(self, *, is_whole: bool = True) -> Iterator[Piece]:
        """Yield the held back text after the reply; a truncated one may have ended in a thought."""
        held, self._held = self._held, ""
        yield from self._pass(held)
        if self._begun and is_whole:
            yield from self._say(self._thought.lstrip())

    @property
    def _is_silent(self) -> bool:
        """Return True before any text, outside of a thought."""
        return not (self._said or self._ends or self._header)

    @property
    def _marks(self) -> tuple[str, ...]:
        return (CHANNEL, MESSAGE) if self._header else self._ends or MARKS

    def _may_be_bare(self) -> bool:
        """Return True while the held back text may become a bare channel."""
        return not self._opened and "analysis".startswith(self._held.lstrip())

    def _next_mark(self) -> tuple[int, str] | None:
        return min(
            ((self._held.find(mark), mark) for mark in self._marks if mark in self._held),
            default=None,
        )

    def _pass(self, text: str) -> Iterator[Piece]:
        """Yield a text without marks as a thought or text; between messages it is neither."""
        if self._header:
            self._header[-1] += text
        elif self._ends and text:
            self._thought += text
            yield Piece("", thought=text)
        elif not self._ends and not self.over:
            yield from self._say(text)

    def _say(self, text: str) -> Iterator[Piece]:
        text = text.lstrip() if self._opened and not self._said else text
        self._said += text
        if text:
            yield Piece(text)

    def _meet(self, mark: str) -> Iterator[Piece]:
        """Begin or end a thought at a mark; other marks are text."""
        if self._header:
            self._meet_in_header(mark)
        elif self._ends and mark in CLOSING:
            if self._thought.strip():
                yield from self._pass(mark)
            else:  # the opening tag came after all
                self._begun, self._ends = False, (CLOSING[mark],)
        elif self._ends:
            self.unopened, self._begun, self._ends, self._opened = self._begun, False, (), True
            self._begin_header(mark)
        elif mark in CLOSING and self._is_silent:
            self._ends, self._opened = (CLOSING[mark],), True
        elif mark in (START, CHANNEL) and (self._is_silent or self._has_channels):
            self._begin_header(mark)
        elif mark == END and self._has_channels:
            self.over = bool(self._said)
        elif mark in OPENING and self._is_silent:
            self.unopened, self._opened = not self._opened, True
        elif mark in OPENING and self._is_unopened(mark):
            thought, self._said = self._said, ""
            self.unopened = self._opened = True
            yield Piece("", thought=thought, retracts=True)
        else:
            yield from self._say(mark)

    def _is_unopened(self, closing: str) -> bool:
        """Return True for a closing tag of a thought without an opening tag, not just mentioned."""
        return (
            not self._opened
            and OPENING[closing] not in self._said
            and self._said.count("`") % 2 == 0
        )

    def _begin_header(self, mark: str) -> None:
        if mark in (START, CHANNEL):
            self._has_channels = self._opened = True
            self._header = [""] if mark == START else ["assistant", ""]

    def _meet_in_header(self, mark: str) -> None:
        if mark == CHANNEL:
            self._header.append("")
            return
        (role, *channel), self._header = self._header, []
        self.over = role.strip() != "assistant"
        if channel and channel[-1].split()[:1] != ["final"]:
            self._ends = (END, START, CHANNEL)


def possible_start(text: str, marks: tuple[str, ...]) -> int:
    """Return the length of the longest end of a text that begins a mark."""
    longest = max(map(len, marks), default=1) - 1
    for size in range(min(longest, len(text)), 0, -1):
        if any(mark.startswith(text[-size:]) for mark in marks):
            return size
    return 0
