"""Pasted spans of an edited text: memapp learns nothing about the person from them."""

from dataclasses import dataclass

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Writing:
    """The text of a person, with its pasted spans."""

    text: str = ""
    pasted: Spans = ()


class PastedSpans:
    """The pasted spans of a text, updated with each edit."""

    def __init__(self, spans: Spans = ()) -> None:
        self._spans = sorted((start, end) for start, end in spans if end > start)

    def __bool__(self) -> bool:
        return bool(self._spans)

    def replace(self, start: int, end: int, inserted: int) -> None:
        """Update the spans after `inserted` characters replaced those from `start` to `end`."""
        moved = inserted - (end - start)
        spans: list[tuple[int, int]] = []
        for first, last in self._spans:
            if first < start:
                spans.append((first, min(last, start)))
            if last > end:
                spans.append((max(first, end) + moved, last + moved))
        self._spans = _merged(spans)

    def add(self, start: int, end: int) -> None:
        """Mark the text from `start` to `end` as pasted."""
        self._spans = _merged([*self._spans, (start, end)] if end > start else self._spans)

    def within(self, text: str) -> Spans:
        """Return the spans, cut to the length of the text."""
        return tuple(
            (start, min(end, len(text))) for start, end in self._spans if start < len(text)
        )


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
