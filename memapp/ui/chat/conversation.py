"""The middle of Chat: the conversation, the drawer, the line of news and the composer, and what its messages ask for."""

from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.containers import Vertical
from textual.getters import app as the_app
from textual.widgets import Markdown

from memapp.errors import MemappError, UsageError
from memapp.ui.app import MemappApp
from memapp.ui.beside import beside
from memapp.ui.chat.editor import edited
from memapp.ui.panels.loop import LoopDrawer
from memapp.ui.safe import copy
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen


class Conversation(Vertical):
    """What is said, and where the person writes."""

    app = the_app(MemappApp)

    def __init__(self, chat: "ChatScreen") -> None:
        super().__init__(id="conversation")
        self._chat = chat

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield LoopDrawer()
        yield StatusLine()
        yield Composer(id="composer")

    @on(Composer.Sent)
    @work(group="send", exclusive=True)
    async def _sent(self, event: Composer.Sent) -> None:
        try:
            await self._chat.sending.send(event.text, event.pasted)
        except MemappError as error:
            self._chat.say(str(error), problem=True)

    @on(Composer.PageWanted)
    def _page_wanted(self, event: Composer.PageWanted) -> None:
        transcript = self._chat.transcript
        if event.step < 0:
            transcript.scroll_page_up(animate=False)
        else:
            transcript.scroll_page_down(animate=False)

    @on(Transcript.Written)
    def _written(self, event: Transcript.Written) -> None:
        """What is written while the conversation has the focus is meant for the composer."""
        composer = self._chat.composer
        self.screen.set_focus(composer)
        if event.pasted:
            composer.paste(event.text)
        else:
            composer.insert(event.text)

    @on(Composer.Hesitated)
    def _hesitated(self, event: Composer.Hesitated) -> None:
        self._chat.silence.begin()
        thread = self._chat.thread
        if thread is not None and not event.text.startswith("/"):
            self._chat.talk.warm(thread.id, event.text)

    @on(Composer.Paused)
    def _paused(self) -> None:
        self._chat.status.typed_on()
        self._chat.save_draft()

    @on(Composer.EditorWanted)
    def _write_elsewhere(self) -> None:
        """Let the person write the message in the editor that EDITOR names; memapp waits."""
        composer = self._chat.composer
        try:
            with self.app.suspend():
                text = edited(composer.text)
        except SuspendNotSupported:
            self._chat.say("Another editor cannot be opened from here.", problem=True)
        except UsageError as error:
            self._chat.say(str(error), problem=True)
        else:
            if text != composer.text:
                composer.rewrite(text)

    @on(Transcript.EarlierWanted)
    @beside("earlier", exclusive=True)
    async def _load_earlier(self, event: Transcript.EarlierWanted) -> None:
        if self._chat.thread is not None:
            await self._chat.showing.earlier(self._chat.thread, event.before)

    @on(Transcript.EndWanted)
    def _go_to_end(self) -> None:
        self._chat.open_thread(self._chat.thread)

    @on(Composer.UndoWanted)
    def _undo_wanted(self) -> None:
        self.app.action_undo()

    @on(Composer.NothingUndone)
    def _nothing_undone(self) -> None:
        self._chat.say("Nothing to undo in these words. ctrl+z in an empty composer takes back what was done.")

    @on(Transcript.HitOpened)
    @beside("card", exclusive=True)
    async def _open_hit(self, event: Transcript.HitOpened) -> None:
        await self._chat.cards.open_hit(event.hit)

    @on(Transcript.MessageOpened)
    @beside("card", exclusive=True)
    async def _open_message(self, event: Transcript.MessageOpened) -> None:
        await self._chat.cards.open_message(event.message)

    @on(Transcript.MemoryOpened)
    @beside("card", exclusive=True)
    async def _open_memory(self, event: Transcript.MemoryOpened) -> None:
        await self._chat.memories.show(event.memory_id)

    @on(Transcript.CopyWanted)
    def _copy_wanted(self, event: Transcript.CopyWanted) -> None:
        copy(self, event.text)

    @on(Transcript.EditWanted)
    def _edit_wanted(self, event: Transcript.EditWanted) -> None:
        self._chat.sending.edit(event.message)

    @on(Transcript.RetryWanted)
    def _retry_wanted(self) -> None:
        self._chat.action_retry()

    @on(Transcript.GoOnWanted)
    def _go_on_wanted(self) -> None:
        self._chat.sending.go_on()

    @on(Transcript.RememberWanted)
    def _remember_wanted(self, event: Transcript.RememberWanted) -> None:
        self._chat.write_memory(event.message.text, event.message.id)

    @on(Transcript.VariantWanted)
    @beside("variant", exclusive=True)
    async def _switch_variant(self, event: Transcript.VariantWanted) -> None:
        await self._chat.turn.switch_variant(event.message, event.step)

    @on(Markdown.LinkClicked)
    @beside("card", exclusive=True)
    async def _link_clicked(self, event: Markdown.LinkClicked) -> None:
        await self._chat.cards.follow(event.href)
