"""Models: which model answers, which others there are, and whether they fit into this machine's memory."""

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from memapp.services import models
from memapp.services.models import ModelChoice
from memapp.ui import read_models
from memapp.ui.background import background
from memapp.ui.safe import joined, notify, row
from memapp.ui.screens.mode import ModeScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.explained import Explained, ExplainedRows, columns
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.labels import size
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.topbar import TopBar

LOADING_SECONDS = 0.3
SIGNS = {"fits": "✓ fits", "tight": "~ tight", "too big": "✗ too big", "unusable": "✗ unusable"}


class ModelRows(ExplainedRows[ModelChoice]):
    """The models there are, and those that could be had."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Use", id="models.use", key_display="⏎")]

    def key(self, item: ModelChoice) -> str:
        return str(item.path or item.name)

    def draw(self, item: ModelChoice, width: int) -> Content:  # noqa: ARG002  # what does not fit is cut
        weight = size(item.bytes) if item.bytes else "missing"
        where = "" if item.path or item.name == models.BUNDLED else "not here yet"
        sign = "●" if item.current else ""
        return columns(sign, row(item.name, 34), 36, f"{weight:>8}   {SIGNS[item.fit]:10}", (where, "$text-muted"))

    def explain(self, item: ModelChoice) -> Content:
        place = str(item.path) if item.path else ""
        licence = f"Licence: {item.licence}" if item.licence else ""
        speed = f"About {item.speed:.0f} tokens a second on this machine." if item.speed and item.bytes else ""
        text = "\n".join(part for part in (item.note, speed, licence, place) if part)
        return joined((item.name, "bold $primary"), "\n", text)


class ModelsScreen(ModeScreen):
    """A list of models, and what is known of the chosen one."""

    MODE = "models"
    AUTO_FOCUS = "#models"
    BINDING_GROUP_TITLE = "Models"
    HELP = "Enter makes a model the one that answers, now and at later starts."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "reload", "Load again", id="models.reload"),
        Binding("escape", "chat", "Chat", id="models.leave"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.models = Explained(ModelRows(id="models"))

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Static(id="model-state", markup=False)
        yield self.models
        yield KeyLine()

    def look_again(self) -> None:
        self.refresh_models()
        self._follow_loading()

    @background("models", exclusive=True)
    async def refresh_models(self) -> None:
        """Look again which models there are."""
        choices = await asyncio.to_thread(models.list_models, self.runtime)
        rows = self.models.rows
        answering = next((rows.key(one) for one in choices if one.current), "")
        rows.show(choices, at=None if rows.current else answering)
        self._show_state()

    @work(exclusive=True, group="loading")
    async def _follow_loading(self) -> None:
        """Say how far a model is that loads; a change of its state is announced."""
        while self.is_current and self.session.talk.loading:
            await asyncio.sleep(LOADING_SECONDS)
            self._show_state()

    def _show_state(self) -> None:
        chat, embedding = self.runtime.chat, self.runtime.embedding
        words = {"off": "No model is loaded.", "loading": "◐ ", "ready": "● Answering with ", "failed": "✗ "}[chat.state]
        meaning = {
            "off": "Search by meaning: off.",
            "loading": "Search by meaning: loading…",
            "ready": f"Search by meaning: on, with {embedding.note.partition('@')[0]}.",
            "failed": f"Search by meaning: not available; words still work. {embedding.note}",
        }[embedding.state]
        own = f"Your own: put a .gguf file into {self.runtime.paths.models}, or name a local server under Settings (F9)."
        what = words + (chat.note if chat.state != "off" else "")
        state = joined((what, "bold"), "\n", (f"{meaning}\n{own}", "$text-muted"))
        self.query_one("#model-state", Static).update(state)
        self.query_one(TopBar).say(read_models.network(self.runtime))

    @on(RowList.Opened)
    def _use_chosen(self) -> None:
        """Make the chosen model the one that answers."""
        chosen = self.models.rows.current
        if chosen is None:
            return
        if chosen.path is None and chosen.name != models.BUNDLED:
            notify(self, chosen.note or "This model is not on this machine.", title="Not here yet")
        elif chosen.fit == "unusable":
            notify(self, chosen.note, title="Not usable", problem=True)
        elif chosen.fit == "too big":
            notify(self, f"{chosen.name} needs more memory than is free now.", title="Too big", problem=True)
        else:
            self._use(chosen.name)

    @background("use", exclusive=True)
    async def _use(self, name: str) -> None:
        if to_know := await asyncio.to_thread(models.use_model, self.runtime, name):
            notify(self, to_know, title="A file from elsewhere")
        self.action_reload()

    def action_reload(self) -> None:
        """Load the chosen model again."""
        self.session.talk.load_models()
