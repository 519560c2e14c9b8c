"""Curation by hand: add, edit, pin, discard and restore memories. `undo` reverts each change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memapp.domain.categories import NOTES, PROCEDURAL, RECENT_ACTIVITY, SUPERVISOR
from memapp.domain.changes import (
    Actor,
    Change,
    Created,
    Pinned,
    Restored,
    Revision,
    SoftDeleted,
    Updated,
)
from memapp.domain.filters import MemoryFilter
from memapp.domain.howto import MAX_STEP_CHARS, MAX_STEPS
from memapp.domain.memory import MAX_MEMORY_CHARS, MAX_TAG_CHARS, MAX_TAGS, Kind, Memory, State
from memapp.domain.ranking import words_of
from memapp.domain.text import clean, nearest, one_line, shorten
from memapp.errors import UsageError
from memapp.language.filters import parse_filter
from memapp.language.normal_form import normalise
from memapp.language.sentence import may_tell_secret, names_secret, tells_secret
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.services.store_reads import reading
from memapp.store import changes, memories, relations
from memapp.store.encoding import new_id

BY_HAND_IMPORTANCE = 3
SPELT_AMONG, NEARLY_THE_SAME = 2_000, 75
"""The number of memories searched for a misspelt word, and the least likeness, of 100."""
SECRET = (
    "I do not keep passwords, keys, PINs or card numbers: nothing of it is in memory."
    " Without it I keep the rest."
)
MAY_BE_SECRET = "This may be a password, a key, a PIN or a card number, which I do not keep."
DOUBTED = f"{MAY_BE_SECRET} If it is not, send it again and I will keep it."

get = reading(memories.get_memory)
get_many = reading(memories.get_memories)
list_memories = reading(memories.list_memories)
count = reading(memories.count_memories)
related = reading(relations.related)


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """The result of a restore from the trash."""

    revisions: tuple[Revision, ...]
    """All of one step, undone together."""
    known: tuple[str, ...]
    """Ids left in the trash, since a live memory says the same."""
    asked: tuple[str, ...]
    """Ids left in the trash whose statements about the person need a yes: a request is pending."""
    barred: tuple[str, ...]
    """Ids left in the trash that touch a sensitive field without a value to ask about."""


def add(
    runtime: Runtime,
    text: str,
    tags: Sequence[str] = (),
    *,
    pinned: bool = False,
    category: str = "",
    importance: int = BY_HAND_IMPORTANCE,
    sources: Sequence[str] = (),
    steps: Sequence[str] = (),
) -> Revision:
    """Add a memory in the person's own words; `sources` are message ids.

    With steps the memory is a how-to, whose title is the text.
    """
    _check(runtime, category or NOTES, importance)
    text, steps = _confirmed_text(runtime, text), _valid_steps(steps)
    now = runtime.clock()
    memory = Memory(
        id=new_id(now),
        text=text,
        tags=_valid_tags(tags),
        kind=Kind.PROCEDURAL if steps else Kind.SEMANTIC,
        category=PROCEDURAL if steps else category or NOTES,
        importance=importance,
        pinned=pinned,
        origin="person",
        sources=tuple(sources),
        steps=steps,
        created_at=now,
        updated_at=now,
    )
    return _apply(runtime, Created(memory))


def edit(
    runtime: Runtime,
    memory_id: str,
    text: str | None = None,
    *,
    tags: Sequence[str] | None = None,
    importance: int | None = None,
    category: str | None = None,
    steps: Sequence[str] | None = None,
) -> Revision:
    """Change words, tags, importance, category or steps; None leaves a part as it is."""
    before = get(runtime, memory_id)
    _check(runtime, category, importance)
    _check_kinds([before], category, steps)
    if text is not None:
        text = _confirmed_text(runtime, text)
    valid_tags = None if tags is None else _valid_tags(tags)
    valid_steps = None if steps is None else _valid_steps(steps)
    insight_ids = []
    if text not in (None, before.text):  # insights were made of the earlier words
        insight_ids = relations.resting_on(runtime.read(), [memory_id])
    ended = (SoftDeleted(id, "superseded", runtime.purge_at()) for id in insight_ids)
    change = Updated(memory_id, text, valid_tags, importance, category, valid_steps)
    return _apply(runtime, change, *ended)


def pin(runtime: Runtime, *memory_ids: str, pinned: bool = True) -> Revision:
    """Pin memories, so that they are always kept, or unpin them.

    Raises `UsageError` for memories in the trash.
    """
    return _apply(runtime, *(Pinned(memory_id, pinned) for memory_id in memory_ids))


def tag(runtime: Runtime, tag: str, *memory_ids: str) -> Revision:
    """Add a tag, or several separated by commas, to memories."""
    added = _valid_tags([tag])
    if not added:
        raise UsageError("A tag needs a name.")
    tagged = [get(runtime, memory_id) for memory_id in memory_ids]
    return _apply(
        runtime,
        *(Updated(memory.id, tags=_valid_tags([*memory.tags, *added])) for memory in tagged),
    )


def rate(
    runtime: Runtime, *memory_ids: str, importance: int | None = None, category: str | None = None
) -> Revision:
    """Set the importance of memories, from 1 to 5, or their category."""
    _check(runtime, category, importance)
    _check_kinds(get_many(runtime, memory_ids), category)
    return _apply(
        runtime,
        *(Updated(memory_id, importance=importance, category=category) for memory_id in memory_ids),
    )


def categories(runtime: Runtime) -> list[str]:
    """Return the categories a memory can be given; how-tos have one of their own."""
    return [
        name for name in runtime.categories.categories if name not in (RECENT_ACTIVITY, PROCEDURAL)
    ]


def readers(runtime: Runtime, category: str) -> str:
    """Return in words who reads the memories of a category: many are for agents alone."""
    agents = runtime.categories.readers(category)
    if SUPERVISOR in agents:
        return "Chats see it."
    return (
        f"No chat sees it, only agents: {', '.join(agents)}."
        if agents
        else "No chat and no agent sees it."
    )


def undefined_categories(runtime: Runtime) -> list[str]:
    """Return the categories in use without a definition: no chat and no agent sees them."""
    return sorted(memories.categories_in_use(runtime.read()) - set(runtime.categories.categories))


def discard(runtime: Runtime, *memory_ids: str) -> Revision:
    """Move memories to the trash, out of every search, prompt and index.

    Of several, some may be in the trash already. Profile values that only these memories hold are
    removed with them, and come back with the step.
    """
    actor = runtime.actor()
    live = [memory for memory in get_many(runtime, memory_ids) if memory.state is State.LIVE]
    ids = [memory.id for memory in live] if len(memory_ids) > 1 else []
    deletions = [SoftDeleted(id, "person", runtime.purge_at()) for id in ids or memory_ids]
    with runtime.write():
        revision = _apply(runtime, *deletions, actor=actor)
        decisions.remove_values_of_trashed(runtime, live, actor)
    return revision


def restore(runtime: Runtime, *memory_ids: str) -> BroughtBack:
    """Restore memories from the trash in one step.

    A memory stays in the trash if a live memory says the same. So does one that needs the person's
    yes, unless handwritten: a consent request is created.
    """
    actor = runtime.actor()
    revisions: list[Revision] = []
    known: list[str] = []
    asked: list[str] = []
    barred: list[str] = []
    with runtime.write() as session:
        chosen = [memories.get_memory(session, memory_id) for memory_id in memory_ids]
        in_trash = [memory for memory in chosen if memory.state is not State.LIVE]
        if not in_trash:
            raise UsageError("This memory is not in the trash.")
        for memory in in_trash:
            if (
                unknown := []
                if memory.origin == "person"
                else pending.unapproved_hints(session, memory)
            ):
                pending.hold_for_approval(session, memory, unknown)
                (asked if any(hint.value for hint in unknown) else barred).append(memory.id)
            elif memories.find_same(session, normalise(memory.text)):
                known.append(memory.id)
            else:
                revisions.append(changes.apply(session, Restored(memory.id), actor))
    return BroughtBack(tuple(revisions), tuple(known), tuple(asked), tuple(barred))


def read_filter(runtime: Runtime, typed: str) -> MemoryFilter:
    """Parse a typed search; complete an unknown category if only one begins with it.

    Else the filter has no category, and `problems` names the known ones.
    """
    wanted, defined = parse_filter(typed), categories(runtime)
    if not wanted.category or wanted.category in defined:
        return wanted
    near = [name for name in defined if name.startswith(wanted.category)] or defined
    more = f" and {len(near) - 3} more" if len(near) > 3 else ""
    problem = f"category: is one of {', '.join(near[:3])}{more}"
    category = near[0] if len(near) == 1 else ""
    return replace(wanted, category=category, problems=(*wanted.problems, problem))


def respelt(runtime: Runtime, wanted: MemoryFilter) -> MemoryFilter:
    """Return a filter with each word of no memory replaced by the nearest word in use."""
    session, state = runtime.read(), wanted.state
    unknown = {
        word
        for word in wanted.words
        if not memories.list_memories(session, MemoryFilter(state, (word,)), limit=1)
    }
    among = (
        memories.list_memories(session, MemoryFilter(state), limit=SPELT_AMONG) if unknown else []
    )
    vocabulary = {
        word for memory in among for word in words_of(" ".join((memory.text, *memory.tags)))
    }
    corrections = {
        word: near for word in unknown if (near := nearest(word, vocabulary, NEARLY_THE_SAME))
    }
    words = tuple(corrections.get(word, word) for word in wanted.words)
    notice = (f"read as: {' '.join(words)}",) if corrections else ()
    return replace(wanted, words=words, problems=(*wanted.problems, *notice))


def is_doubted(runtime: Runtime, text: str) -> bool:
    """Return True for a text that may hold a secret, unless the person just repeated the text."""
    is_new = may_tell_secret(text) and text != runtime.doubted
    runtime.doubted = text
    return is_new


def _confirmed_text(runtime: Runtime, text: str) -> str:
    """Return the valid text. Raises `UsageError`, once, for a text that may hold a secret."""
    text = valid_text(text)
    if is_doubted(runtime, text):
        raise UsageError(DOUBTED)
    return text


def valid_text(text: str) -> str:
    """Return the cleaned text. Raises `UsageError` for an empty, secret or overlong one."""
    text = one_line(clean(text))
    if not text:
        raise UsageError("There is nothing to remember.")
    if names_secret(text):
        raise UsageError(SECRET)
    if len(text) > MAX_MEMORY_CHARS:
        raise UsageError(
            f"A memory is one or two sentences: at most {MAX_MEMORY_CHARS} characters,"
            f" this has {len(text)}.",
            "Split it.",
        )
    return text


def _check(runtime: Runtime, category: str | None, importance: int | None) -> None:
    known = categories(runtime)
    if category is not None and category not in known:
        raise UsageError(f"There is no category {category!r}.", f"Known: {', '.join(known)}.")
    if importance is not None and not 1 <= importance <= 5:
        raise UsageError("Importance is a number from 1 to 5.")


def _valid_tags(tags: Sequence[str]) -> tuple[str, ...]:
    # Split at commas, as the form writes and reads tags: else the next edit would split them.
    cleaned = [
        shorten(one_line(clean(part)).strip(), MAX_TAG_CHARS)
        for tag in tags
        for part in tag.split(",")
    ]
    first = {tag.casefold(): tag for tag in reversed(cleaned) if tag}  # the first spelling wins
    if len(first) > MAX_TAGS:
        raise UsageError(f"At most {MAX_TAGS} tags.")
    if any(map(tells_secret, cleaned)):
        raise UsageError(SECRET)
    return tuple(dict.fromkeys(first[tag.casefold()] for tag in cleaned if tag))


def _valid_steps(steps: Sequence[str]) -> tuple[str, ...]:
    cleaned = tuple(text for step in steps if (text := one_line(clean(step))))
    if len(cleaned) > MAX_STEPS:
        raise UsageError(
            f"A how-to has at most {MAX_STEPS} steps, this has {len(cleaned)}.",
            "Split it into two.",
        )
    if too_long := next(
        (number for number, text in enumerate(cleaned, start=1) if len(text) > MAX_STEP_CHARS), 0
    ):
        raise UsageError(
            f"A step has at most {MAX_STEP_CHARS} characters; step {too_long} has more.",
            "Split it.",
        )
    if any(map(tells_secret, cleaned)):
        raise UsageError(SECRET)
    return cleaned


def _check_kinds(
    changed: Sequence[Memory], category: str | None, steps: Sequence[str] | None = None
) -> None:
    """Raise `UsageError` where a how-to would become a fact, or the other way round."""
    for memory in changed:
        if memory.kind is Kind.PROCEDURAL and category is not None:
            raise UsageError(
                "A how-to keeps its category: agents that may read how-tos find it there."
            )
        if steps is not None and bool(steps) is not (memory.kind is Kind.PROCEDURAL):
            raise UsageError(
                "A how-to has at least one step." if memory.steps else "Only a how-to has steps."
            )


def _apply(runtime: Runtime, *steps: Change, actor: Actor | None = None) -> Revision:
    """Apply changes in one step, all or none; skip those without effect."""
    if not steps:
        raise UsageError("Nothing is selected.")
    actual = [step for step in steps if not _is_without_effect(runtime, step)]
    if not actual:
        raise UsageError("Nothing changes: it is so already.")
    actor = actor or runtime.actor()
    with runtime.write() as session:
        first, *_ = [changes.apply(session, change, actor) for change in actual]
    return first


def _is_without_effect(runtime: Runtime, change: Change) -> bool:
    """Return True if a change would leave its memory as it is."""
    match change:
        case Pinned(memory_id=memory_id, pinned=pinned):
            return get(runtime, memory_id).pinned is pinned
        case Updated(memory_id=memory_id):
            memory = get(runtime, memory_id)
            parts = ("text", "tags", "importance", "category", "steps")
            return all(getattr(change, part) in (None, getattr(memory, part)) for part in parts)
        case _:
            return False
