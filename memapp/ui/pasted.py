"""Which parts of an edited text were pasted: pasted words never teach memapp anything about the person."""

from collections.abc import Sequence


class PastedSpans:
    """Spans of a text that were pasted, kept right while the text is edited."""

    def __init__(self, spans: Sequence[tuple[int, int]] = ()) -> None:
        self._spans = sorted((start, end) for start, end in spans if end > start)

    def __bool__(self) -> bool:
        return bool(self._spans)

    def replace(self, start: int, end: int, inserted: int, *, pasted: bool) -> None:
        """Follow an edit that puts `inserted` characters in place of those from `start` to `end`."""
        moved = inserted - (end - start)
        kept: list[tuple[int, int]] = [(start, start + inserted)] if pasted and inserted else []
        for first, last in self._spans:
            if first < start:
                kept.append((first, min(last, start)))
            if last > end:
                kept.append((max(first, end) + moved, last + moved))
        self._spans = _merged(kept)

    def cover(self, length: int) -> None:
        """Take the whole text for pasted: its parts can no longer be told apart."""
        self._spans = [(0, length)] if length else []

    def within(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the spans, cut to the length of the text."""
        return tuple((start, min(end, len(text))) for start, end in self._spans if start < len(text))


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
