"""Models: which model answers, which others there are, and whether they fit into this machine's memory."""

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from memapp.runtime import Runtime
from memapp.services import models
from memapp.services.models import ModelChoice
from memapp.ui import reading
from memapp.ui.modes import MODES
from memapp.ui.safe import joined, notify, row
from memapp.ui.told import told
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.topbar import TopBar
from memapp.ui.widgets.words import size

STATE_SECONDS = 0.3
SIGNS = {"fits": "✓ fits", "tight": "~ tight", "too big": "✗ too big"}


class ModelList(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Use", id="models.use", key_display="⏎"),
        Binding("j", "cursor_down", "Down", show=False, id="models.down"),
        Binding("k", "cursor_up", "Up", show=False, id="models.up"),
    ]


class ModelsScreen(Screen[None]):
    """A list of models, and what is known of the chosen one."""

    AUTO_FOCUS = "#models"
    BINDING_GROUP_TITLE = "Models"
    HELP = "Enter makes a model the one that answers, now and at later starts."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "reload", "Load again", id="models.reload"),
        Binding("escape", "leave", "Chat", id="models.leave"),
    ]

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self.runtime = runtime
        self._choices: list[ModelChoice] = []

    def compose(self) -> ComposeResult:
        yield TopBar(MODES, "models")
        yield Static(id="model-state", markup=False)
        with Vertical(id="models-body"):
            yield ModelList(id="models", markup=False, compact=True)
            yield Static(id="model-note", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        self.set_interval(STATE_SECONDS, self._show_state)
        self.refresh_models()

    def on_screen_resume(self) -> None:
        self.refresh_models()

    @work(exclusive=True, group="models")
    @told
    async def refresh_models(self) -> None:
        """Look again which models there are."""
        self._choices = await asyncio.to_thread(models.list_models, self.runtime)
        listed = self.query_one(OptionList)
        at = listed.highlighted
        listed.set_options([Option(_row(one), id=str(number)) for number, one in enumerate(self._choices)])
        current = next((number for number, one in enumerate(self._choices) if one.current), 0)
        listed.highlighted = at if at is not None and at < len(self._choices) else current
        self._show_state()

    def _show_state(self) -> None:
        chat, embedding = self.runtime.chat, self.runtime.embedding
        words = {"off": "No model is loaded.", "loading": "◐ ", "ready": "● Answering with ", "failed": "✗ "}[chat.state]
        meaning = {
            "off": "Search by meaning: off.",
            "loading": "Search by meaning: loading…",
            "ready": "Search by meaning: on.",
            "failed": "Search by meaning: not available; words still work.",
        }[embedding.state]
        own = f"Your own: put a .gguf file into {self.runtime.paths.models}, or name a local server under Settings (F9)."
        what = words + (chat.note if chat.state != "off" else "")
        state = joined((what, "bold"), "\n", (f"{meaning}\n{own}", "$text-muted"))
        self.query_one("#model-state", Static).update(state)
        self.query_one(TopBar).say(reading.network(self.runtime))

    @on(OptionList.OptionHighlighted)
    def _show_note(self) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        place = str(chosen.path) if chosen.path else ""
        licence = f"Licence: {chosen.licence}" if chosen.licence else ""
        text = "\n".join(part for part in (chosen.note, licence, place) if part)
        self.query_one("#model-note", Static).update(joined((chosen.name, "bold $primary"), "\n", text))

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_use()

    def action_use(self) -> None:
        """Make the chosen model the one that answers."""
        chosen = self._chosen()
        if chosen is None:
            return
        if chosen.path is None and chosen.name != models.BUNDLED:
            notify(self, chosen.note or "This model is not on this machine.", title="Not here yet")
        elif chosen.fit == "too big":
            notify(self, f"{chosen.name} needs more memory than is free now.", title="Too big", problem=True)
        else:
            self._use(chosen.name)

    @work(group="use", exclusive=True)
    @told
    async def _use(self, name: str) -> None:
        await asyncio.to_thread(models.use_model, self.runtime, name)
        self.action_reload()

    def action_reload(self) -> None:
        """Load the chosen model again."""
        self.app.talk.load_models()  # type: ignore[attr-defined]

    def action_leave(self) -> None:
        self.app.call_later(self.app.action_mode, "chat")  # type: ignore[attr-defined]

    def _chosen(self) -> ModelChoice | None:
        at = self.query_one(OptionList).highlighted
        return self._choices[at] if at is not None and at < len(self._choices) else None


def _row(choice: ModelChoice) -> Content:
    sign = "● " if choice.current else "  "
    name = row(choice.name, 34)
    here = "" if choice.path or choice.name == models.BUNDLED else "not here yet"
    space = " " * max(1, 36 - name.cell_length)
    weight = size(choice.bytes) if choice.bytes else "missing"
    return joined((sign, "$primary"), name, space, f"{weight:>8}   {SIGNS[choice.fit]:10}", (here, "$text-muted"))
