"""The middle of Chat: the conversation, the drawer, the line of news and the composer, and what their messages ask for."""

import asyncio
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Markdown

from memapp.domain.chat import Message, Thread
from memapp.domain.text import clean
from memapp.domain.turn import Accepted, Retracted
from memapp.errors import MemappError, UsageError
from memapp.services import chats
from memapp.ui import read_models
from memapp.ui.background import background
from memapp.ui.chat.cards import Cards
from memapp.ui.chat.drafts import Drafts
from memapp.ui.chat.memories import MemoryNotes
from memapp.ui.chat.requests import RequestsLine
from memapp.ui.chat.sending import Sending
from memapp.ui.chat.showing import AnswersShown, Showing, replies
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.status import Status
from memapp.ui.chat.turn import TurnView
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.messages import Learned, LearningFailed, ThreadStarted, ThreadWanted, TurnEnded, TurnMoved, TurnRefused
from memapp.ui.panels.loop import LoopDrawer
from memapp.ui.safe import copy
from memapp.ui.widgets.commands import CommandList
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.transcript import Transcript

MINUTE_SECONDS = 60.0
FALLBACK_EDITOR = "vi"


class Conversation(Vertical):
    """What is said, and where the person writes."""

    def __init__(self, state: ChatState) -> None:
        super().__init__(id="conversation")
        self.state = state
        self.transcript, self.drawer = Transcript(), LoopDrawer()
        self._line, self._commands = StatusLine(), CommandList()
        self.composer = Composer(self._commands)
        self.status = Status(state, self._line, self.composer)
        self.drafts = Drafts(state, self.composer)
        self.memories = MemoryNotes(state.session, self.transcript)
        self.actions = MemoryActions(self.transcript, state.session)
        self.cards = Cards(state, self.transcript)
        self.sending = Sending(state, self.composer, self.transcript, self.drafts, self.status, self.actions)
        self.showing = Showing(state, self.transcript)
        self.turn = TurnView(state, self.transcript, self.drawer, self.showing, self.status)
        self._waiting = RequestsLine(state, self.transcript)
        self._accepted: Accepted | None = None
        """The message whose turn began last, until it is known what it states and decides."""
        self._settled = ""
        """What stood in the composer when something began to be erased."""
        self._silence: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.drawer
        yield self._line
        yield self._commands
        yield self.composer

    def on_mount(self) -> None:
        self.state.session.changed.subscribe(self, lambda _: self._memories_changed())
        self.state.session.taken_back.subscribe(self, self.transcript.took_back)

    # Which chat is shown ---------------------------------------------------------------------------------------------

    async def leave(self) -> None:
        """Keep what is being typed, before another chat is shown."""
        self.sending.leave_editing()
        await self.drafts.leave()

    async def show(self, thread: Thread | None, at: Message | None = None, persona: str = "") -> None:
        """Show a chat, or an empty one in which `persona` answers; `at` is the message to show it at."""
        state = self.state
        self.status.say("")  # what was said about another chat stays there
        state.thread = thread
        state.persona_id = thread.persona if thread else persona or state.runtime.settings.persona
        await self.drafts.load()
        if thread is None:
            await self.showing.welcome()
            self.turn.clear_loop()
        else:
            await self.showing.messages(thread, at)
        self.status.show()
        self.rest()

    async def settle(self) -> None:
        """Save what is being typed before something is erased: it is looked through too."""
        self.sending.leave_editing()
        kept = await asyncio.to_thread(chats.keeps_drafts, self.state.runtime)
        self._settled = self.composer.text if kept else ""
        await self.drafts.save()

    async def show_again(self) -> None:
        """Show what the file holds since something was erased: words that are gone stay nowhere here, to be saved again."""
        typed_since = self.composer.text.removeprefix(self._settled)
        self.composer.clear_text()
        await self.recall_prompts()
        await self.show(await asyncio.to_thread(read_models.last_thread, self.state.runtime), persona=self.state.persona_id)
        self.composer.move_cursor(self.composer.document.end)
        self.composer.insert(typed_since)

    async def show_news(self, thread: Thread) -> None:
        """Show what another process wrote in a chat; whoever reads further above is only told."""
        if not await self.showing.news(thread):
            self.status.say("Another memapp wrote in this chat; you see it when you open the chat again.")

    async def recall_prompts(self) -> None:
        """Let the composer bring back what the person typed before."""
        self.composer.prompts = await asyncio.to_thread(chats.typed_prompts, self.state.runtime)

    def _memories_changed(self) -> None:
        self._look_at_what_waits()
        if not self.state.busy:
            self.post_message(AnswersShown(replies([one.message for one in self.transcript.bubbles]), all=True))

    # The running turn ------------------------------------------------------------------------------------------------

    async def on_thread_started(self, event: ThreadStarted) -> None:
        """Show the new chat, here and not in the screen, which may be behind: the first message comes next and belongs to it."""
        if self.state.thread is None:
            await self.state.begin(event.thread)

    async def on_turn_moved(self, event: TurnMoved) -> None:
        await self.turn.follow(event)
        if isinstance(event.event, Retracted):
            self.memories.retracted(event.event.texts, event.event.step, shown=self.state.thread_id == event.thread_id)
        if isinstance(event.event, Accepted):
            self._accepted = event.event
        elif self._accepted is not None:  # by now it was looked at what the message states and decides
            accepted, self._accepted = self._accepted, None
            await self._waiting.accepted(accepted)
        if self.state.held:
            self.state.held = False
            self.save_draft()
        self.status.show()

    async def on_turn_refused(self, event: TurnRefused) -> None:
        """Nothing may be lost: a message that was not saved goes back into the composer."""
        self.state.held = False
        if event.unsent is not None:
            self.sending.take_back(event.unsent)
        await self.turn.refused(event.error)
        self.status.say(f"{event.error.title}: {event.error}", problem=True)

    def on_turn_ended(self, event: TurnEnded) -> None:
        if event.turn != self.state.talk.turns:
            return  # enter was quicker, and what is known now is of the next turn
        self.turn.ended()
        self.status.turn_ended()
        self.state.talk.rest(event.thread_id)
        self.begin_silence()
        self._say_what_waits()

    def rest(self) -> None:
        """Let the time between two turns be used."""
        if not self.state.busy and self.state.thread is not None:
            self.state.talk.rest(self.state.thread.id)

    async def on_learned(self, event: Learned) -> None:
        await self.memories.learned(event.written, shown=self.state.thread_id == event.thread_id != "")

    def on_learning_failed(self, _: LearningFailed) -> None:
        self.status.say("Learning from your messages failed; memapp doctor says more.")

    def begin_silence(self) -> None:
        """Begin to wait for a silence, after which the persona may say something unasked, if the person set that."""
        if self._silence is not None:
            self._silence.stop()
        minutes = self.state.runtime.settings.remark_after_minutes
        self._silence = self.set_timer(minutes * MINUTE_SECONDS, self.end_silence) if minutes else None

    def end_silence(self) -> None:
        """Let the persona say something, once a silence and never into what is being written."""
        thread, last = self.state.thread, self.transcript.last_answer
        quiet = not self.state.busy and self.state.can_answer and not self.composer.text
        if quiet and thread is not None and thread.deleted_at is None and last is not None and not last.message.unprompted:
            self.state.talk.remark(thread)

    @background("waiting")
    async def _say_what_waits(self) -> None:
        await self._waiting.ended()

    @background("waiting")
    async def _look_at_what_waits(self) -> None:
        await self._waiting.look_again()

    @on(AnswersShown)
    def _answers_shown(self, event: AnswersShown) -> None:
        if event.all:
            self.workers.cancel_group(self, "explain")  # an old result must not come after a newer one
        self._explain(event.answers)

    @background("explain")
    async def _explain(self, answers: list[Message]) -> None:
        """Put below answers what they were made from."""
        await self.turn.explain(answers)

    # The composer ----------------------------------------------------------------------------------------------------

    @on(Composer.Sent)
    @work(group="send", exclusive=True)
    async def _sent(self, event: Composer.Sent) -> None:
        try:
            await self.sending.send(event.text, event.pasted)
        except MemappError as error:
            self.status.say(str(error), problem=True)

    @on(CommandList.OptionSelected)
    def _command_chosen(self, event: CommandList.OptionSelected) -> None:
        self.composer.take(event.option.id or "")

    @on(Composer.ScrollWanted)
    def _scroll_wanted(self, event: Composer.ScrollWanted) -> None:
        if event.step < 0:
            self.transcript.scroll_page_up(animate=False)
        else:
            self.transcript.scroll_page_down(animate=False)

    @on(Composer.Hesitated)
    def _hesitated(self, event: Composer.Hesitated) -> None:
        self.begin_silence()
        if self.state.thread is not None and not event.text.startswith("/"):
            self.state.talk.warm(self.state.thread.id, event.text)

    @on(Composer.Paused)
    def _paused(self) -> None:
        self.status.typed_on()
        self.save_draft()

    @background("draft")
    async def save_draft(self) -> None:
        """Keep what is being typed."""
        await self.drafts.save()

    @on(Composer.EditorWanted)
    def _write_elsewhere(self) -> None:
        """Let the person write the message in the editor that EDITOR names; memapp waits."""
        try:
            with self.app.suspend():
                text = _edited(self.composer.text)
        except SuspendNotSupported:
            self.status.say("Another editor cannot be opened from here.", problem=True)
        except UsageError as error:
            self.status.say(str(error), problem=True)
        else:
            if text != self.composer.text:
                self.composer.rewrite(text)

    @on(Composer.NothingUndone)
    def _nothing_undone(self) -> None:
        self.status.say("Nothing to undo in these words. ctrl+z in an empty composer takes back what was done.")

    # What is said ----------------------------------------------------------------------------------------------------

    @on(Transcript.CharacterTyped)
    def _written(self, event: Transcript.CharacterTyped) -> None:
        """What is written while the conversation has the focus is meant for the composer."""
        self.screen.set_focus(self.composer)
        if event.pasted:
            self.composer.paste(event.text)
        else:
            self.composer.insert(event.text)

    @on(Transcript.EarlierWanted)
    @background("earlier", exclusive=True)
    async def _load_earlier(self, event: Transcript.EarlierWanted) -> None:
        if self.state.thread is not None:
            await self.showing.earlier(self.state.thread, event.before)

    @on(Transcript.EndWanted)
    def _go_to_end(self) -> None:
        self.screen.post_message(ThreadWanted(self.state.thread))

    @on(Transcript.HitOpened)
    @background("card", exclusive=True)
    async def _open_hit(self, event: Transcript.HitOpened) -> None:
        await self.cards.open_hit(event.hit)

    @on(Transcript.MessageOpened)
    @background("card", exclusive=True)
    async def _open_message(self, event: Transcript.MessageOpened) -> None:
        await self.cards.open_message(event.message)

    @on(Markdown.LinkClicked)
    @background("card", exclusive=True)
    async def _link_clicked(self, event: Markdown.LinkClicked) -> None:
        await self.cards.follow(event.href)

    @on(Transcript.CopyWanted)
    def _copy_wanted(self, event: Transcript.CopyWanted) -> None:
        copy(self, event.text)

    @on(Transcript.EditWanted)
    def _edit_wanted(self, event: Transcript.EditWanted) -> None:
        self.sending.edit(event.message)

    @on(Transcript.RetryWanted)
    def _retry_wanted(self) -> None:
        self.sending.retry()

    @on(Transcript.GoOnWanted)
    def _go_on_wanted(self) -> None:
        self.sending.go_on()

    @on(Transcript.RememberWanted)
    def _remember_wanted(self, event: Transcript.RememberWanted) -> None:
        self.write_memory(event.message.text, event.message.id)

    @background("deed")
    async def write_memory(self, text: str, *sources: str) -> None:
        """Let the person put something into the words to be remembered."""
        await self.actions.write(text, *sources)

    @on(Transcript.VariantWanted)
    @background("variant", exclusive=True)
    async def _switch_variant(self, event: Transcript.VariantWanted) -> None:
        await self.turn.switch_variant(event.message, event.step)


def _edited(text: str) -> str:
    """Return the text as the person's editor left it. Raises `UsageError` if the editor cannot be started or fails."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK_EDITOR
    with tempfile.TemporaryDirectory(prefix="memapp-") as folder:  # readable by the person only, like the file in it
        path = Path(folder) / "message.md"
        path.touch(mode=0o600)
        path.write_text(text, "utf-8")
        try:
            ended = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
        except (OSError, ValueError):
            raise UsageError(f"The editor {command!r} cannot be started.", "Name another one in EDITOR.") from None
        if ended:
            raise UsageError(f"The editor ended with an error ({ended}).", "Your message is as it was.")
        return clean(path.read_text("utf-8", errors="replace")).removesuffix("\n")
