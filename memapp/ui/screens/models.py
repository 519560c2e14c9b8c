"""Models: the model that answers, the others, and if they fit into memory."""

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from memapp.domain.text import percent
from memapp.services import models
from memapp.services.models import ModelChoice, downloads
from memapp.ui.background import background
from memapp.ui.dialogs import Question
from memapp.ui.safe_text import joined, notify, row
from memapp.ui.screens.mode import ModeScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.explained_list import Explained, ExplainedRows, columns
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.labels import size
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.worker_threads import Talk

LOADING_SECONDS = 0.3
SIGNS = {"fits": "✓ fits", "tight": "~ tight", "too big": "✗ too big", "unusable": "✗ unusable"}


class ModelRows(ExplainedRows[ModelChoice]):
    """The installed models, and those that can be downloaded."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Use or download", id="models.use", key_display="⏎"),
    ]

    def __init__(self, talk: Talk) -> None:
        super().__init__(id="models")
        self._talk = talk

    def key(self, item: ModelChoice) -> str:
        return item.name

    def draw(
        self,
        item: ModelChoice,
        width: int,  # noqa: ARG002 - what does not fit is cut
    ) -> Content:
        weight = size(item.bytes) if item.bytes else "missing"
        sign = "●" if item.current else ""
        weight_and_fit = f"{weight:>8}   {SIGNS[item.fit]:12}"
        return columns(
            sign, row(item.name, 30), 32, weight_and_fit, (self._where(item), "$text-muted")
        )

    def _where(self, item: ModelChoice) -> str:
        """Return the progress of a download, or the program that owns the file."""
        if self._arriving(item):
            return self._arriving(item)
        if item.remote:
            return f"{percent(item.arrived, item.bytes)} here" if item.arrived else "not here yet"
        return item.kept_by if item.kept_by not in (models.MEMAPP, models.YOU) else ""

    def explain(self, item: ModelChoice) -> Content:
        place = str(item.path) if item.path else ""
        licence = f"Licence: {item.licence}" if item.licence else ""
        needs = f"Needs {size(item.needed)} of memory." if item.needed else ""
        speed = (
            f"About {item.speed:.0f} tokens a second on this machine."
            if item.speed and item.bytes
            else ""
        )
        getting = (
            f"Enter downloads it from {item.remote.host}, after a question." if item.remote else ""
        )
        if self._arriving(item):
            getting = "It is being downloaded; enter stops that."
        sentences = " ".join(part for part in (item.note, needs, speed) if part)
        text = "\n".join(part for part in (sentences, item.jobs, licence, getting, place) if part)
        return joined((item.name, "bold $primary"), "\n", text)

    def _arriving(self, item: ModelChoice) -> str:
        download = self._talk.downloading
        return f"↓ {download}" if download and download.name == item.name else ""


class ModelsScreen(ModeScreen):
    """A list of models, and the detail of the chosen one."""

    MODE = "models"
    AUTO_FOCUS = "#models"
    BINDING_GROUP_TITLE = "Models"
    HELP = (
        "Enter chooses the model that answers, or the embedding model that searches, "
        "now and at later starts. A model that is not here yet is downloaded, after a question; "
        "memapp connects to no other machine that you did not name. Models of Ollama, LM Studio, "
        "llama.cpp and Hugging Face are used where they are; d deletes only what memapp "
        "downloaded."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d,delete", "remove", "Delete", id="models.remove", key_display="d"),
        Binding("R", "reload", "Reload", id="models.reload"),
        Binding("escape", "chat", "Back", show=False, id="models.leave"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.models = Explained(ModelRows(session.talk))
        self._machine = ""
        self._answering = ""
        """The name of the answering model in the list."""

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
        choices = await asyncio.to_thread(models.list_models, self.runtime)
        self._machine = await asyncio.to_thread(models.describe_machine, self.runtime)
        rows = self.models.rows
        self._answering = next(
            (rows.key(choice) for choice in choices if choice.current and not choice.embeds), ""
        )
        rows.show(choices, at=None if rows.current else self._answering)
        self._show_state()

    @background("loading", exclusive=True)
    async def _follow_loading(self) -> None:
        """Show the progress of loading and downloading; other messages announce the end."""
        while self.is_current and (self.session.talk.loading or self.session.talk.downloading):
            await asyncio.sleep(LOADING_SECONDS)
            self.models.rows.redraw()
            self._show_state()

    def _show_state(self) -> None:
        chat, embedding = self.runtime.chat, self.runtime.embedding
        words = {
            "off": "No model is loaded.",
            "loading": "◐ ",
            "ready": "● Answering with ",
            "failed": "✗ ",
        }[chat.state]
        meaning = {
            "off": "Search by meaning: off.",
            "loading": "Search by meaning: loading…",
            "ready": f"Search by meaning: on, with {embedding.note.partition('@')[0]}.",
            "failed": f"Search by meaning: not available; words still work. {embedding.note}",
        }[embedding.state]
        own = (
            f"A model of your own: put a .gguf file into {self.runtime.paths.models}, "
            "or name a local server under Settings (F9)."
        )
        # The row of the model has its file, so the name inside the file would only repeat it.
        answering = chat.state == "ready" and self._answering
        what = words + (answering or chat.note if chat.state != "off" else "")
        more = "\n".join(text for text in (meaning, self._machine, own) if text)
        state = joined((what, "bold"), "\n", (more, "$text-muted"))
        self.query_one("#model-state", Static).update(state)
        self.show_network()

    @on(RowList.Opened)
    def _use_chosen(self) -> None:
        """Answer with the chosen model from now on."""
        chosen = self.models.rows.current
        if chosen is None:
            return
        if chosen.remote is not None:
            self._get(chosen)
        elif chosen.fit == "unusable":
            notify(self, chosen.note, title="Not usable", problem=True)
        elif chosen.fit == "too big":
            notify(
                self,
                f"{chosen.name} needs more memory than is free now.",
                title="Too big",
                problem=True,
            )
        else:
            self._use(chosen)

    @background("use", exclusive=True)
    async def _use(self, chosen: ModelChoice) -> None:
        if chosen.embeds:
            if chosen.current:
                return
            terms = await asyncio.to_thread(models.search_notice, self.runtime, chosen)
            question = Question(f"Search with {chosen.name}?", terms, "search with it", "do not")
            if not await self.app.push_screen_wait(question):
                return
        if to_know := await asyncio.to_thread(models.use_model, self.runtime, chosen.name):
            notify(self, to_know, title="A file from elsewhere")
        self.action_reload()

    @background("get", exclusive=True)
    async def _get(self, chosen: ModelChoice) -> None:
        """Download a model if the person agrees, or stop its download."""
        talk = self.session.talk
        if talk.downloading is None:
            terms = downloads.terms(chosen, self.runtime.settings.download_proxy)
            question = Question(f"Download {chosen.name}?", terms, "download it", "do not")
            if await self.app.push_screen_wait(question):
                talk.download(chosen)
        elif talk.downloading.name == chosen.name:
            question = Question(
                f"Stop downloading {chosen.name}?",
                "What has arrived is kept for later.",
                "stop",
                "go on",
            )
            if await self.app.push_screen_wait(question):
                talk.downloading.cancel.set()
        else:
            notify(self, f"First {talk.downloading.name}: one model at a time.")
        self.look_again()

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        if action != "remove":
            return True
        model, download = self.models.rows.current, self.session.talk.downloading
        return (
            model is not None
            and downloads.is_ours(model)
            and not (download and download.name == model.name)
        )

    @on(RowList.Moved)
    def _offer_keys(self) -> None:
        self.refresh_bindings()

    @background("remove", exclusive=True)
    async def action_remove(self) -> None:
        """Remove the chosen model if memapp downloaded it."""
        if (chosen := self.models.rows.current) is None:
            return
        files = await asyncio.to_thread(downloads.files_of, self.runtime, chosen.name)
        question = Question(
            f"Delete {chosen.name}?", "\n".join(map(str, files)), "delete it", "keep it"
        )
        if await self.app.push_screen_wait(question):
            removed = await asyncio.to_thread(downloads.remove_model, self.runtime, chosen.name)
            notify(self, f"{chosen.name} was deleted: {size(removed)}.")
        self.look_again()

    def action_reload(self) -> None:
        self.session.talk.load_models()
