"""Find anything while typing: chats, memories, messages, lessons, agents and councils."""

import asyncio
from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memapp.domain.text import one_line, shorten
from memapp.errors import MemappError
from memapp.runtime import Runtime
from memapp.services import chats, curate, global_search
from memapp.services.global_search import Hit
from memapp.ui.safe_text import joined, marked, plain, row
from memapp.ui.widgets.labels import moment

DEBOUNCE_SECONDS = 0.06
RECENT = 8
SNIPPET_CHARS = 160
SHORT_CHARS = 36
BESIDE_CHARS = 60
BESIDE = {"memory": "tagged", "message": "beside"}
TITLES = {
    "memory": "Memories",
    "message": "Messages",
    "thread": "Chats",
    "lesson": "Lessons",
    "agent": "Agents",
    "council": "Councils",
}


class FindScreen(ModalScreen[Hit | None]):
    """A search field and grouped hits; enter returns the chosen hit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="find.close"),
        Binding("down,ctrl+n", "step(1)", "Next", show=False, priority=True, id="find.down"),
        Binding("up,ctrl+p", "step(-1)", "Previous", show=False, priority=True, id="find.up"),
    ]

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self._runtime = runtime
        self._field = Input(
            placeholder="Search chats, messages, memories, lessons, agents", id="find-text"
        )
        self._hits: dict[str, Hit] = {}
        """The hits by the ids of their rows."""
        self._shown: str | None = None
        """The search text of the hits on the screen."""
        self._chosen_early = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="card", id="find"):
            yield Static(joined(("Find anything", "bold $primary")), markup=False)
            yield self._field
            yield OptionList(id="find-hits", markup=False, compact=True)
            yield Static(plain("⏎ open   ↑↓ choose   esc close"), markup=False, classes="keys")

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        self._search()

    @on(Input.Changed)
    @work(exclusive=True, group="hits")
    async def _search(self) -> None:
        """Search on a thread; further typing cancels this, so that late hits are discarded."""
        text = self._field.value
        await asyncio.sleep(DEBOUNCE_SECONDS if text else 0)
        hits, problem = list[Hit](), ""
        try:
            hits = await asyncio.to_thread(_found, self._runtime, text)
        except MemappError as error:
            problem = str(error)
        if not self.query(OptionList):
            return  # The person left meanwhile.
        if problem:
            self._show_nothing(problem)
        else:
            self._show(text, hits)

    def _show(self, text: str, hits: Sequence[Hit]) -> None:
        words, options = text.split(), list[Option]()
        self._hits = {
            f"{hit.kind}:{hit.id}": hit for kind in TITLES for hit in hits if hit.kind == kind
        }
        for kind, group in groupby(self._hits.items(), lambda entry: entry[1].kind):
            heading = TITLES[kind] if words else f"Latest {TITLES[kind].lower()}"
            options.append(Option(plain(heading, "bold $text-muted"), disabled=True))
            options += [Option(self._row(hit, words), id=key) for key, hit in group]
        if options:
            results = self.query_one(OptionList)
            results.set_options(options)
            results.highlighted = 1
        else:
            self._show_nothing(
                "Nothing has these words." if words else "Nothing is remembered yet."
            )
        self._shown = text
        if self._chosen_early:
            self._chosen()

    def _show_nothing(self, why: str) -> None:
        self._hits = {}
        self.query_one(OptionList).set_options([Option(plain(why, "$text-muted"), disabled=True)])

    def _row(self, hit: Hit, words: Sequence[str]) -> Content:
        when = (f"  {moment(hit.at, self._runtime.clock()):>11}  ", "$text-muted")
        snippet = hit.snippet if hit.kind == "memory" else hit.snippet or hit.title
        text = marked(shorten(one_line(snippet), SNIPPET_CHARS), words, "bold $accent underline")
        where = (
            joined(("  in ", "$text-muted"), row(hit.title, 40, "$text-muted"))
            if hit.kind == "message"
            else ""
        )
        if not hit.beside:
            return joined(when, text, where)
        beside = marked(
            shorten(one_line(hit.beside), BESIDE_CHARS), words, "bold $accent underline"
        )
        return joined(
            when,
            row(text.plain, SHORT_CHARS),
            (f"  {BESIDE[hit.kind]}: ", "$text-muted"),
            beside,
            where,
        )

    def action_step(self, step: int) -> None:
        results = self.query_one(OptionList)
        if step > 0:
            results.action_cursor_down()
        else:
            results.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(Input.Submitted)
    def _chosen(self) -> None:
        """Return the chosen hit; if enter was faster than the search, the first new hit."""
        self._chosen_early = self._shown != self._field.value
        if self._chosen_early:
            return
        option = self.query_one(OptionList).highlighted_option
        if option is not None and option.id:
            self.dismiss(self._hits[option.id])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._hits[event.option.id or ""])


def _found(runtime: Runtime, text: str) -> list[Hit]:
    """Return the hits for a text; without a text, the newest."""
    if text.strip():
        return global_search.find(runtime, text, 30)
    facts = [
        Hit("memory", memory.id, "", "", memory.text, memory.created_at)
        for memory in curate.list_memories(runtime, limit=RECENT)
    ]
    threads = [
        Hit("thread", thread.id, thread.id, thread.title, "", thread.updated_at)
        for thread in chats.list_threads(runtime, limit=RECENT)
    ]
    return [*facts, *threads]
