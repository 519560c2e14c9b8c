"""The delta header: what changed in the memory since a chat last looked, in at most three lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memapp.domain.consent import label
from memapp.domain.text import counted, one_line, shorten

PROFILE = "profile:"
"""The prefix for fields of the profile in the change log."""
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
    """An entry of the change log, with the current text of its memory or profile field."""

    id: str
    revision: int
    event: str
    subject_id: str
    text: str
    """Empty if the memory is not live."""
    category: str
    importance: int
    sources: tuple[str, ...]
    """Ids of the memory's source messages."""
    replaces: str = ""
    """Id of the memory that the new one superseded."""


@dataclass(frozen=True, slots=True)
class News:
    """One bullet."""

    entry: Logged
    """The entry that sums up the others."""
    entries: tuple[Logged, ...]
    """All entries that the bullet covers."""
    memories: int = 1
    """How many memories the bullet covers, those that were merged included."""


@dataclass(frozen=True, slots=True)
class Delta:
    """The news for a chat, and the log entries that count as told."""

    since: int
    """The revision at which the chat last looked."""
    news: tuple[News, ...]
    settled: tuple[str, ...]
    """Ids of the log entries that are settled with this header."""

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """Ids of the memories whose text stands in the header."""
        shown = [
            news_item.entry
            for news_item in self.news
            if news_item.entry.event not in TOLD_WITHOUT_TEXT
        ]
        return tuple(change.subject_id for change in shown if not _is_of_profile(change))

    @property
    def lines(self) -> tuple[str, ...]:
        """The header line and one bullet for each piece of news; empty without news."""
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
    """Return at most `BULLETS` pieces of news, the most important first, then the newest.

    All entries of one memory become one, together with those of the memory it superseded. A memory
    that came and went between two looks is not told, nor is a fact that is already in the prompt:
    as one of the messages `in_prompt`, or among the memories that are `quoted`. `logged` is newest
    first.
    """
    by_memory: dict[str, list[Logged]] = {}
    successors: dict[str, str] = {}
    for change in logged:
        subject_id = successors.get(change.subject_id, change.subject_id)
        by_memory.setdefault(subject_id, []).append(change)
        if change.replaces and change.replaces not in by_memory:
            successors[change.replaces] = subject_id
    silent: list[Logged] = []
    news: list[News] = []
    for entries in by_memory.values():
        summary = None if entries[0].subject_id in quoted else _one(entries, in_prompt)
        if summary is None:
            silent += entries
        else:
            news.append(
                News(
                    summary,
                    tuple(entries),
                    1 + sum(entry.event == "merged" for entry in entries),
                )
            )
    ranked = sorted(
        _together(news), key=lambda item: (-item.entry.importance, -item.entry.revision)
    )
    chosen = ranked[:BULLETS]
    settled = [*silent, *(entry for news_item in chosen for entry in news_item.entries)]
    return Delta(since, tuple(chosen), tuple(entry.id for entry in settled))


def _one(entries: Sequence[Logged], in_prompt: frozenset[str]) -> Logged | None:
    """Return the one entry that sums up a memory's entries (newest first); None without news."""
    newest, oldest = entries[0], entries[-1]
    if newest.event in TOLD_WITHOUT_TEXT:
        return None if oldest.event == "created" else newest
    if not newest.text or in_prompt & set(newest.sources):
        return None
    if newest.event == "merged":
        return newest
    if oldest.event == "created":
        return replace(newest, event="created")
    # A memory created after older entries superseded another one.
    return replace(newest, event="updated") if newest.event == "created" else newest


def _together(news: Sequence[News]) -> list[News]:
    """Combine all memories that were deleted in the same way into one bullet."""
    bullets = [
        news_item
        for news_item in news
        if news_item.entry.event not in TOLD_WITHOUT_TEXT or _is_of_profile(news_item.entry)
    ]
    for event in TOLD_WITHOUT_TEXT:
        if deleted := [
            news_item
            for news_item in news
            if news_item.entry.event == event and news_item not in bullets
        ]:
            first = max(
                (news_item.entry for news_item in deleted),
                key=lambda entry: (entry.importance, entry.revision),
            )
            category = (
                first.category
                if len({news_item.entry.category for news_item in deleted}) == 1
                else ""
            )
            entries = tuple(entry for news_item in deleted for entry in news_item.entries)
            bullets.append(News(replace(first, category=category), entries, len(deleted)))
    return bullets


def _bullet(news: News) -> str:
    entry = news.entry
    head = f"- {_SIGNS[entry.event]}{entry.event}: "
    head += f"[{entry.category.replace('_', ' ').title()}] " if entry.category else ""
    if entry.event in TOLD_WITHOUT_TEXT:
        if _is_of_profile(entry):
            return f"{head}{_field(entry)}"
        count = counted(news.memories, "memory", "memories") if news.memories > 1 else "a memory"
        verb = "was" if news.memories == 1 else "were"
        deletion = (
            f"{count} {verb} erased" if entry.event == "deleted" else f"{count} went to the trash"
        )
        return f"{head}{deletion}"
    text = f"{_field(entry)} is {entry.text}" if _is_of_profile(entry) else entry.text
    importance = f" (imp={entry.importance})" if entry.event == "created" else ""
    combined = f"Combined {news.memories} notes about: " if entry.event == "merged" else ""
    return f"{head}{combined}{shorten(one_line(text), BULLET_CHARS)}{importance}"


def _is_of_profile(entry: Logged) -> bool:
    return entry.subject_id.startswith(PROFILE)


def _field(entry: Logged) -> str:
    return label(entry.subject_id.removeprefix(PROFILE))
