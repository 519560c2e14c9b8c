"""The delta header: what changed in the memory since a chat last looked, in at most three lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from memapp.domain.text import one_line

BULLETS = 3
TOLD_WITHOUT_TEXT = frozenset({"soft_deleted", "deleted"})
_SIGNS = {"created": "+", "updated": "↑", "merged": "↔", "soft_deleted": "−", "deleted": "×", "restored": "↺"}


@dataclass(frozen=True, slots=True)
class Logged:
    """One entry of the change log, with what its memory says now."""

    id: str
    revision: int
    event: str
    memory_id: str
    text: str
    """Empty if the memory is not live."""
    category: str
    importance: int
    sources: tuple[str, ...]
    """Ids of the messages it came from."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What a chat is to be told, and what counts as told with it."""

    since: int
    """The revision at which the chat last looked."""
    told: tuple[Logged, ...]
    settled: tuple[str, ...]
    """Ids of the log's entries that need not be told after this."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The header, in the format of the specification; nothing when nothing is to be told."""
        if not self.told:
            return ()
        return (f"Memory updates since rev {self.since}:", *(_bullet(one) for one in self.told))


NO_NEWS = Delta(0, (), ())


def summarise(
    logged: Sequence[Logged], since: int, in_prompt: frozenset[str] = frozenset(), quoted: frozenset[str] = frozenset()
) -> Delta:
    """Return what to tell: the most important first, the newest first among equals, at most `BULLETS`.

    Several entries of one memory become one. Nothing is told of a memory that came and went unseen, nor of a fact that stands
    in the prompt already: as one of the messages `in_prompt`, or among the memories that are `quoted`. `logged` is newest first.
    """
    by_memory: dict[str, list[Logged]] = {}
    for one in logged:
        by_memory.setdefault(one.memory_id, []).append(one)
    silent: list[Logged] = []
    worth: list[tuple[Logged, list[Logged]]] = []
    for entries in by_memory.values():
        told = None if entries[0].memory_id in quoted else _one(entries, in_prompt)
        if told is None:
            silent += entries
        else:
            worth.append((told, entries))
    worth.sort(key=lambda pair: (-pair[0].importance, -pair[0].revision))
    chosen = worth[:BULLETS]
    settled = [*silent, *(entry for _, entries in chosen for entry in entries)]
    return Delta(since, tuple(told for told, _ in chosen), tuple(entry.id for entry in settled))


def _one(entries: Sequence[Logged], in_prompt: frozenset[str]) -> Logged | None:
    """Return the one entry that tells what happened to a memory; None if there is nothing to tell. Newest first."""
    newest, oldest = entries[0], entries[-1]
    if newest.event in TOLD_WITHOUT_TEXT:
        return None if oldest.event == "created" else newest
    if not newest.text or in_prompt & set(newest.sources):
        return None
    return oldest if oldest.event == "created" else newest


def _bullet(one: Logged) -> str:
    label = f"[{one.category.replace('_', ' ').title()}] " if one.category else ""
    if one.event in TOLD_WITHOUT_TEXT:
        said = "a memory was erased" if one.event == "deleted" else "a memory went to the trash"
        return f"- {_SIGNS[one.event]}{one.event}: {label}{said}"
    importance = f" (imp={one.importance})" if one.event == "created" else ""
    return f"- {_SIGNS[one.event]}{one.event}: {label}{one_line(one.text)}{importance}"
