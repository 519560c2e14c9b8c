"""Tools for tables of numbers, each with words of its own: a tool of somebody else's, which has
nothing but the Protocol.

A program has one line a step, as `keep region is north`. Every tool can do the same; which word it
wants for what is drawn by a seed, so what is learned about one misleads about another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt

WORDS: Mapping[str, Sequence[str]] = {
    "load": ("load", "open", "read", "import", "use", "fetch"),
    "keep": ("where", "filter", "keep", "select", "only", "restrict"),
    "group": ("group", "aggregate", "tally", "bundle", "pivot", "summarise"),
    "sort": ("sort", "order", "rank", "arrange", "sequence", "line-up"),
    "join": ("join", "merge", "match", "link", "combine", "attach"),
    "show": ("show", "print", "list", "display", "give", "output"),
    "equals": ("=", "==", "eq", "is", "equals", ":="),
    "total": ("sum", "total", "SUM", "add", "plus", "Sum"),
    "falling": ("desc", "down", "descending", "reverse", "falling", "-1"),
    "above": (">", "gt", "above", "over", "more", "beyond"),
}
"""The words that a tool may want, by meaning; those that come to mind first stand first."""
LINES: Mapping[str, Sequence[str]] = {
    "load": ("load", "*"),
    "keep": ("keep", "*", "equals", "*"),
    "above": ("keep", "*", "above", "*"),
    "group": ("group", "*", "total", "*"),
    "sort": ("sort", "*", "falling"),
    "join": ("join", "*", "*"),
    "show": ("show", "*"),
}
"""What a line is made of: meanings, and names (`*`)."""
NAMES = (
    "region",
    "city",
    "product",
    "year",
    "client",
    "team",
    "colour",
    "branch",
    "item",
    "shop",
    "month",
    "kind",
)
COMPLAINTS: Mapping[str, str] = {
    "equals": "bad comparison '{word}' after '{before}'",
    "above": "bad comparison '{word}' after '{before}'",
    "total": "no function '{word}' for column '{after}'",
    "falling": "syntax error near '{word}': direction expected",
}
UNKNOWN = "unknown command '{word}'"


@dataclass(frozen=True)
class Line:
    """A line of a program, by meaning."""

    meanings: Sequence[str]
    names: Sequence[str]

    def written(self, words: Mapping[str, str]) -> str:
        names = iter(self.names)
        return " ".join(
            next(names) if meaning == "*" else words[meaning] for meaning in self.meanings
        )


def dialect(seed: int, name: str) -> dict[str, str]:
    """Return the words that a tool wants."""
    random = Random(f"{name} {seed}")
    return {meaning: random.choice(words) for meaning, words in WORDS.items()}


def program(kinds: Sequence[str], random: Random) -> list[Line]:
    """Return a program with names of its own."""
    return [Line(LINES[kind], random.sample(NAMES, LINES[kind].count("*"))) for kind in kinds]


class GridTool:
    """A tool that carries out one program, line by line."""

    def __init__(self, name: str, words: Mapping[str, str], lines: Sequence[Line]) -> None:
        self.name = self.scope = name
        self.lines = lines
        self._words, self._done = words, 0

    def attempt(self, action: str) -> ToolAttempt:
        complaint = self._complaint(self.lines[self._done], action.split())
        self._done += not complaint
        return ToolAttempt(action, complaint, 1 if complaint else 0, seconds=1.0)

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        return Feedback(
            hard_failure=bool(attempt.exit_code),
            progress_signal=float(self._done),
            efficiency_signal=Efficiency(attempt.seconds),
        )

    @property
    def done(self) -> float:
        """The share of the program that is carried out."""
        return self._done / len(self.lines)

    def _complaint(self, line: Line, words: Sequence[str]) -> str:
        for place, (meaning, word) in enumerate(zip(line.meanings, words, strict=True)):
            if meaning != "*" and word != self._words[meaning]:
                after = words[place + 1] if place + 1 < len(words) else ""
                return COMPLAINTS.get(meaning, UNKNOWN).format(
                    word=word, before=words[place - 1], after=after
                )
        return ""
