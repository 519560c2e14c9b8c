"""The text of a reply while it streams, up to the first string that ends it."""

from collections.abc import Iterator

from memapp.domain.prompt import Piece
from memapp.inference.thoughts import possible_start


class ReplyText:
    """Passes a reply on as far as its first stop string, holding back whatever may be the start of
    one.
    """

    def __init__(self, stop: tuple[str, ...]) -> None:
        self._stop = tuple(filter(None, stop))
        self._held = ""
        self.done = False
        """A stop string was met: nothing that comes now belongs to the reply."""

    def take(self, piece: Piece) -> Iterator[Piece]:
        """Take one piece of `Thoughts`."""
        if piece.retracts:
            self._held, self.done = "", False
        if piece.text:
            yield from self.feed(piece.text)
        else:
            yield piece

    def take_all(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Take the pieces of `Thoughts`: thoughts go through, and belong to no part of the reply."""
        for piece in pieces:
            yield from self.take(piece)

    def feed(self, text: str) -> Iterator[Piece]:
        """Take a part of the reply; yield what may be shown now."""
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
        """Yield what was held back, when the reply has ended by itself."""
        held, self._held = self._held, ""
        if held and not self.done:
            yield Piece(held)
