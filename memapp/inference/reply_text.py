"""The text of a streaming reply, up to the first stop string."""

from collections.abc import Iterator

from memapp.domain.prompt import Piece
from memapp.inference.thoughts import possible_start


class ReplyText:
    """Passes on a reply up to the first stop string, holding back a possible start of one."""

    def __init__(self, stop: tuple[str, ...]) -> None:
        self._stop = tuple(filter(None, stop))
        self._held = ""
        self.done = False
        """True after a stop string: no more text belongs to the reply."""

    def take(self, piece: Piece) -> Iterator[Piece]:
        """Take one piece of `Thoughts`."""
        if piece.retracts:
            self._held, self.done = "", False
        if piece.text:
            yield from self.feed(piece.text)
        else:
            yield piece

    def take_all(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Take the pieces of `Thoughts`; thoughts pass through."""
        for piece in pieces:
            yield from self.take(piece)

    def feed(self, text: str) -> Iterator[Piece]:
        """Take a part of the reply; yield the text that may be shown now."""
        if self.done:
            return
        self._held += text
        ends = [self._held.find(stop) for stop in self._stop if stop in self._held]
        self.done = bool(ends)
        safe = min(ends) if ends else len(self._held) - possible_start(self._held, self._stop)
        shown, self._held = self._held[:safe], self._held[safe:]
        if shown:
            yield Piece(shown)

    def end(self) -> Iterator[Piece]:
        """Yield the held back text after the end of the reply."""
        held, self._held = self._held, ""
        if held and not self.done:
            yield Piece(held)
