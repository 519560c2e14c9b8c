"""The delta header: what changed in the memory since a chat last looked, in at most three lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memapp.domain.consent import label
from memapp.domain.text import counted, one_line, shorten

PROFILE = "profile:"
"""How the id of a field of the profile begins in the log."""
BULLETS = 3
BULLET_CHARS = 160
TOLD_WITHOUT_TEXT = ("soft_deleted", "deleted")
_SIGNS = {
    "created": "+",
    "updated": "↑",
    "merged": "↔",
    "soft_deleted": "−",
    "deleted": "×",
    "restored": "↺",
}


@dataclass(frozen=True, slots=True)
class Logged:
    """One entry of the change log, with what its memory, or its field of the profile, says now."""

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
    replaces: str = ""
    """Id of the memory that gave way to it when it was created."""


@dataclass(frozen=True, slots=True)
class News:
    """One bullet."""

    told: Logged
    entries: tuple[Logged, ...]
    """What need not be told after it."""
    memories: int = 1
    """That it tells of; of a merge, how many became one."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What a chat is to be told, and what counts as told with it."""

    since: int
    """The revision at which the chat last looked."""
    news: tuple[News, ...]
    settled: tuple[str, ...]
    """Ids of the log's entries that need not be told after this."""

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """Those whose words stand in the header."""
        told = [
            news_item.told
            for news_item in self.news
            if news_item.told.event not in TOLD_WITHOUT_TEXT
        ]
        return tuple(change.memory_id for change in told if not _is_of_profile(change))

    @property
    def lines(self) -> tuple[str, ...]:
        """The header, in the format of the specification; nothing when nothing is to be told."""
        if not self.news:
            return ()
        return (
            f"Memory updates since rev {self.since}:",
            *(_bullet(news_item) for news_item in self.news),
        )


NO_NEWS = Delta(0, (), ())


def summarise(
    logged: Sequence[Logged],
    since: int,
    in_prompt: frozenset[str] = frozenset(),
    quoted: frozenset[str] = frozenset(),
) -> Delta:
    """Return what to tell: the most important first, the newest first among equals, at most
    `BULLETS`.

    Several entries of one memory become one, and so do those of a memory with those of the one it
    gave way to. Nothing is told of a memory that came and went unseen, nor of a fact that stands in
    the prompt already: as one of the messages `in_prompt`, or among the memories that are `quoted`.
    `logged` is newest first.
    """
    by_memory: dict[str, list[Logged]] = {}
    successors: dict[str, str] = {}
    for change in logged:
        memory_id = successors.get(change.memory_id, change.memory_id)
        by_memory.setdefault(memory_id, []).append(change)
        if change.replaces and change.replaces not in by_memory:
            successors[change.replaces] = memory_id
    silent: list[Logged] = []
    news: list[News] = []
    for entries in by_memory.values():
        told = None if entries[0].memory_id in quoted else _one(entries, in_prompt)
        if told is None:
            silent += entries
        else:
            news.append(
                News(told, tuple(entries), 1 + sum(entry.event == "merged" for entry in entries))
            )
    chosen = sorted(_together(news), key=lambda one: (-one.told.importance, -one.told.revision))[
        :BULLETS
    ]
    settled = [*silent, *(entry for news_item in chosen for entry in news_item.entries)]
    return Delta(since, tuple(chosen), tuple(entry.id for entry in settled))


def _one(entries: Sequence[Logged], in_prompt: frozenset[str]) -> Logged | None:
    """Return the one entry that tells what happened to a memory; None if there is nothing to tell.
    Newest first.
    """
    newest, oldest = entries[0], entries[-1]
    if newest.event in TOLD_WITHOUT_TEXT:
        return None if oldest.event == "created" else newest
    if not newest.text or in_prompt & set(newest.sources):
        return None
    if newest.event == "merged":
        return newest
    if oldest.event == "created":
        return replace(newest, event="created")
    return (
        replace(newest, event="updated") if newest.event == "created" else newest
    )  # it took the place of another


def _together(news: Sequence[News]) -> list[News]:
    """Put all memories that went the same way without their words into one bullet."""
    told = [
        news_item
        for news_item in news
        if news_item.told.event not in TOLD_WITHOUT_TEXT or _is_of_profile(news_item.told)
    ]
    for event in TOLD_WITHOUT_TEXT:
        if gone := [
            news_item
            for news_item in news
            if news_item.told.event == event and news_item not in told
        ]:
            first = max(
                (news_item.told for news_item in gone),
                key=lambda one: (one.importance, one.revision),
            )
            category = (
                first.category if len({news_item.told.category for news_item in gone}) == 1 else ""
            )
            entries = tuple(entry for news_item in gone for entry in news_item.entries)
            told.append(News(replace(first, category=category), entries, len(gone)))
    return told


def _bullet(news: News) -> str:
    one = news.told
    head = f"- {_SIGNS[one.event]}{one.event}: "
    head += f"[{one.category.replace('_', ' ').title()}] " if one.category else ""
    if one.event in TOLD_WITHOUT_TEXT:
        if _is_of_profile(one):
            return f"{head}{_field(one)}"
        what = counted(news.memories, "memory", "memories") if news.memories > 1 else "a memory"
        were = "was" if news.memories == 1 else "were"
        said = f"{what} {were} erased" if one.event == "deleted" else f"{what} went to the trash"
        return f"{head}{said}"
    text = f"{_field(one)} is {one.text}" if _is_of_profile(one) else one.text
    importance = f" (imp={one.importance})" if one.event == "created" else ""
    combined = f"Combined {news.memories} notes about: " if one.event == "merged" else ""
    return f"{head}{combined}{shorten(one_line(text), BULLET_CHARS)}{importance}"


def _is_of_profile(one: Logged) -> bool:
    return one.memory_id.startswith(PROFILE)


def _field(one: Logged) -> str:
    return label(one.memory_id.removeprefix(PROFILE))
