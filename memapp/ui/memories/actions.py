"""The actions on memories, from any screen. All can be undone, except erasing for good."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial

from textual.dom import DOMNode

from memapp.domain.categories import NOTES
from memapp.domain.changes import Revision
from memapp.domain.forget import Preview, Receipt
from memapp.domain.howto import parse_howto
from memapp.domain.memory import MAX_MEMORY_CHARS, Kind, Memory
from memapp.domain.text import one_line, shorten
from memapp.errors import UsageError
from memapp.services import curate, forget, howtos
from memapp.services.jobs import retention
from memapp.ui.dialogs import Choice, ConfirmErase, Form, LineQuestion, TextCard
from memapp.ui.memories.form import HowtoForm, MemoryFields, MemoryForm
from memapp.ui.messages import MemoryWanted
from memapp.ui.safe_text import copy, end_toasts, notify
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import bar, many

LABEL_CHARS = 40
REPEATED = "with all that repeats the words: predictions, requests in the inbox, earlier versions"
IN_PROFILE = "Change that with F4, tab."
FOR_GOOD = "This cannot be undone: rows, versions, index and backups are cleaned."


class MemoryActions:
    """The actions on memories; dialogs and toasts appear above `node`."""

    def __init__(self, node: DOMNode, session: AppSession) -> None:
        self._node = node
        self._session = session
        self._runtime = session.runtime

    # Writing --------------------------------------------------------------------------------------

    async def add(self, text: str, *sources: str) -> None:
        """Add a memory in the person's own words, perhaps with messages as sources."""
        revision = await asyncio.to_thread(
            partial(curate.add, self._runtime, text, sources=sources)
        )
        self._session.fresh_memory = await self._announce_added("Remembered", revision)

    async def write(self, text: str, *sources: str) -> None:
        """Let the person edit the words of a new memory; `sources` are its source messages."""
        note = f"One fact in your own words, at most {MAX_MEMORY_CHARS} characters."
        line = LineQuestion(
            "Remember",
            shorten(one_line(text), MAX_MEMORY_CHARS),
            str,
            note=note,
            length=MAX_MEMORY_CHARS,
        )
        if written := await self._node.app.push_screen_wait(line):
            await self.add(written, *sources)

    async def fill_in(self) -> str:
        """Let the person write a memory with all its parts; return its id, or None."""
        empty = MemoryFields("", (), curate.BY_HAND_IMPORTANCE, NOTES)
        form = MemoryForm(
            "A new memory",
            empty,
            self._readers(),
            lambda fields: curate.add(self._runtime, **asdict(fields)),
        )
        revision = await self._node.app.push_screen_wait(form)
        return await self._announce_added("Remembered", revision) if revision else ""

    async def edit(self, memory: Memory) -> None:
        """Let the person edit words, tags, importance and category, or title and steps."""
        if memory.kind is Kind.PROCEDURAL:
            form: Form[Revision] = HowtoForm(
                "Edit", memory.text, memory.steps, partial(howtos.edit, self._runtime, memory.id)
            )
            if (revision := await self._node.app.push_screen_wait(form)) is not None:
                self._did("Edited", memory, revision)
            return
        before = MemoryFields(memory.text, memory.tags, memory.importance, memory.category)
        text_before = memory.text

        def save(fields: MemoryFields) -> Revision | None:
            nonlocal text_before
            changed = {
                name: value
                for name, value in asdict(fields).items()
                if value != getattr(before, name)
            }
            now = curate.get(self._runtime, memory.id).text
            # Changed by another window, a command or upkeep meanwhile.
            if changed and now != text_before:
                text_before = now
                raise UsageError(
                    f"Meanwhile it became “{now}”: save again to put yours in its place."
                )
            return curate.edit(self._runtime, memory.id, **changed) if changed else None

        form = MemoryForm("Edit", before, self._readers(), save)
        if (revision := await self._node.app.push_screen_wait(form)) is not None:
            self._did("Edited", memory, revision)

    async def write_howto(self, text: str = "") -> str:
        """Save a how-to from its text, or let the person write one; return its id, or None."""
        form = HowtoForm("A new how-to", text, (), partial(howtos.add, self._runtime))
        is_whole = parse_howto(text) is not None
        written = (
            asyncio.to_thread(howtos.add, self._runtime, text)
            if is_whole
            else self._node.app.push_screen_wait(form)
        )
        revision = await written
        return await self._announce_added("Wrote down", revision) if revision else ""

    async def _announce_added(self, done: str, revision: Revision) -> str:
        """Show a toast about a new memory, and return its id."""
        self._did(
            done, await asyncio.to_thread(curate.get, self._runtime, revision.memory_id), revision
        )
        return revision.memory_id

    def _readers(self) -> dict[str, str]:
        """Return the categories, each with the agents that may read it."""
        return {
            name: curate.readers(self._runtime, name) for name in curate.categories(self._runtime)
        }

    # On one or many -------------------------------------------------------------------------------

    async def pin(self, chosen: Sequence[Memory]) -> None:
        """Pin memories; if all are pinned, unpin them."""
        pinned = not all(memory.pinned for memory in chosen)
        revision = await asyncio.to_thread(curate.pin, self._runtime, *_ids(chosen), pinned=pinned)
        self._did("Pinned" if pinned else "Unpinned", chosen, revision)

    async def tag(self, chosen: Sequence[Memory]) -> None:
        note = "Added to the present tags. Separate tags with commas."
        card = LineQuestion(
            f"Tag {_short_words(chosen)}",
            "",
            lambda tag: curate.tag(self._runtime, tag, *_ids(chosen)),
            note=note,
        )
        if (revision := await self._node.app.push_screen_wait(card)) is not None:
            self._did("Tagged", chosen, revision)

    async def weigh(self, chosen: Sequence[Memory]) -> None:
        rows = {
            str(number): f"{number}  {bar(number)}  {words}"
            for number, words in enumerate(IMPORTANCE, start=1)
        }
        card = Choice(f"How important: {_short_words(chosen)}", rows, str(chosen[0].importance))
        if number := await self._node.app.push_screen_wait(card):
            revision = await asyncio.to_thread(
                curate.rate, self._runtime, *_ids(chosen), importance=int(number)
            )
            self._did(f"Set to importance {number}", chosen, revision)

    async def categorise(self, chosen: Sequence[Memory]) -> None:
        rows = {name: f"{name} · {readers}" for name, readers in self._readers().items()}
        card = Choice(f"Category of {_short_words(chosen)}", rows, chosen[0].category)
        if name := await self._node.app.push_screen_wait(card):
            revision = await asyncio.to_thread(
                curate.rate, self._runtime, *_ids(chosen), category=name
            )
            self._did(f"Set to category {name}", chosen, revision)

    async def discard(self, chosen: Sequence[Memory]) -> None:
        self._did(
            "Trashed", chosen, await asyncio.to_thread(curate.discard, self._runtime, *_ids(chosen))
        )
        self._session.fresh_trash = chosen[0].id

    async def restore(self, chosen: Sequence[Memory]) -> None:
        restored = await asyncio.to_thread(curate.restore, self._runtime, *_ids(chosen))
        if restored.revisions:
            ids = {revision.memory_id for revision in restored.revisions}
            live = [memory for memory in chosen if memory.id in ids]
            self._did("Restored", live, restored.revisions[0])
        if restored.known:
            notify(
                self._node,
                f"{many(len(restored.known))} stayed here: memapp already remembers the same.",
                problem=True,
            )
        if restored.asked:
            stayed = f"{many(len(restored.asked))} stayed here"
            notify(self._node, f"{stayed}: this needs your yes first, in the inbox (F4).")
            self._session.memories_changed()
        if restored.barred:
            words = "this concerns your profile. Change it there (F4, tab)."
            notify(self._node, f"{many(len(restored.barred))} stayed here: {words}", problem=True)

    async def erase(self, chosen: Sequence[Memory]) -> bool:
        """Erase memories for good after the typed confirmation; return True if they were erased."""
        text = await self._warning(_short_words(chosen), _ids(chosen))
        came_from = any(memory.sources for memory in chosen)
        card = ConfirmErase(
            f"Erase {many(len(chosen))} for good?", text, may_take_messages=came_from
        )
        if (messages := await self._node.app.push_screen_wait(card)) is None:
            return False
        return await self._erase(
            partial(forget.purge, self._runtime, _ids(chosen), messages=messages)
        )

    async def empty_trash(self) -> bool:
        """Empty the trash for good after the typed confirmation; return True if it was emptied."""
        trash = await asyncio.to_thread(retention.trash, self._runtime, limit=None)
        all_of_it = f"All {many(len(trash))}" if len(trash) > 1 else "The only memory"
        text = await self._warning(f"{all_of_it} in the trash", _ids(trash))
        word = await self._node.app.push_screen_wait(ConfirmErase("Empty the trash?", text))
        return word is not None and await self._erase(partial(retention.empty, self._runtime))

    async def _warning(self, subject: str, memory_ids: Sequence[str]) -> str:
        """Return the text of the confirmation: what is erased, and what stays."""
        fields = await asyncio.to_thread(forget.said_in_profile, self._runtime, memory_ids)
        stays = (
            f"Your profile will still say {', '.join(fields)}. {IN_PROFILE}\n\n" if fields else ""
        )
        return f"{subject}, {REPEATED}.\n\n{stays}{FOR_GOOD}"

    async def forget_words(self) -> bool:
        """Erase words everywhere: the person types them, sees the count, and confirms."""
        note = (
            "Everything with these words, one after the other, is erased: "
            "memories, messages, titles, drafts, backups."
        )
        card = LineQuestion(
            "Erase words everywhere", "", self._preview, note=note, does="look for them"
        )
        await self._session.before_erasing()
        answer = await self._node.app.push_screen_wait(card)
        if answer is None:
            return False
        words, found = answer
        if not found:
            notify(self._node, "There is nothing to erase: nothing holds these words.")
            return False
        title = f"Erase “{shorten(one_line(words), LABEL_CHARS)}” everywhere for good?"
        word = await self._node.app.push_screen_wait(
            ConfirmErase(title, f"{found}.\n\nThis cannot be undone.")
        )
        return word is not None and await self._erase(
            partial(forget.forget_everywhere, self._runtime, words)
        )

    async def _erase(self, erase: Callable[[], Receipt]) -> bool:
        await show_receipt(self._node, self._session, await self._session.erase(self._node, erase))
        return True

    def _preview(self, words: str) -> tuple[str, Preview]:
        return words, forget.preview(self._runtime, words)

    def copy(self, chosen: Sequence[Memory]) -> None:
        copy(self._node, "\n".join(memory.text for memory in chosen))

    def _did(self, done: str, chosen: Memory | Sequence[Memory], revision: Revision) -> None:
        """Record a step for undo, show a toast, and refresh every screen."""
        label = f"{done} {_short_words([chosen] if isinstance(chosen, Memory) else chosen)}"
        self._session.did(self._node, label, revision.step)


async def show_receipt(node: DOMNode, session: AppSession, receipt: Receipt) -> None:
    """Show the receipt of an erasure; other memories with the same words can be erased next."""
    session.memories_changed()
    end_toasts(node.app)  # An older toast may quote the erased memory.
    text = str(receipt) + (f" {IN_PROFILE}" if receipt.in_profile else "")
    counts, _, more = text.partition(". ")
    shown = counts.replace(", ", "\n") + (f".\n\n{more}" if more else "")
    card = TextCard(
        "✓ Receipt" if receipt.is_proof else "Receipt",
        shown,
        jump="go there" if receipt.also_in else "",
    )
    wanted = await node.app.push_screen_wait(card)
    if wanted == "jump":
        node.app.post_message(MemoryWanted(receipt.also_in[0]))
    elif wanted == "copy":
        copy(node, text)


IMPORTANCE = ("hardly matters", "a detail", "worth knowing", "important", "vital")


def _ids(chosen: Sequence[Memory]) -> list[str]:
    return [memory.id for memory in chosen]


def _short_words(chosen: Sequence[Memory]) -> str:
    """Return the chosen memories in words short enough for a title."""
    return (
        f"“{shorten(one_line(chosen[0].text), LABEL_CHARS)}”"
        if len(chosen) == 1
        else many(len(chosen))
    )
