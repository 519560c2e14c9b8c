"""Chat: puts the list of chats, the conversation, the composer and the drawer together, and routes what they announce.

What happens there is in the parts of `ui.chat`.
"""

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.getters import app as the_app
from textual.screen import Screen

from memapp.domain.chat import Message, Thread
from memapp.domain.turn import Accepted
from memapp.services import chats, preferences
from memapp.ui import reading
from memapp.ui.app import MemappApp
from memapp.ui.beside import beside
from memapp.ui.chat.cards import Cards
from memapp.ui.chat.conversation import Conversation
from memapp.ui.chat.drafts import Drafts, Spans
from memapp.ui.chat.memories import MemoryDeeds
from memapp.ui.chat.sending import Sending
from memapp.ui.chat.showing import Showing, replies
from memapp.ui.chat.silence import Silence
from memapp.ui.chat.status import Status
from memapp.ui.chat.threads import Threads
from memapp.ui.chat.turn import TurnView
from memapp.ui.chat.waiting import WaitingLine
from memapp.ui.messages import Learned, LearningFailed, ModelChanged, ThreadStarted, TurnEnded, TurnMoved, TurnRefused
from memapp.ui.panels.loop import LoopDrawer
from memapp.ui.screens.find import FindScreen
from memapp.ui.session import Session
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.topbar import TopBar
from memapp.ui.widgets.transcript import Transcript


class ChatScreen(Screen[None]):
    """The main screen."""

    app = the_app(MemappApp)

    AUTO_FOCUS = "Composer"
    BINDING_GROUP_TITLE = "Chat"
    HELP = "Write below and press enter. Escape goes to the conversation, and back."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", id="chat.stop"),
        Binding("escape", "back", "Conversation", show=False, id="chat.back"),
        Binding("ctrl+n", "new", "New", id="chat.new"),
        Binding("ctrl+r", "retry", "Retry", id="chat.retry"),
        Binding("ctrl+t", "drawer", "Loop", id="chat.drawer"),
        Binding("ctrl+b", "threads", "Chats", id="chat.threads"),
    ]

    def __init__(self, session: Session, *, question: tuple[str, Spans] = ("", ()), typed: tuple[str, Spans] = ("", ())) -> None:
        super().__init__()
        self.session = session
        session.before_erasing, session.after_erasing = self.settle_draft, self.show_again
        self.runtime = runtime = session.runtime
        self.talk = session.talk
        self.thread: Thread | None = None
        """The chat on the screen; None until a new one has its first message."""
        self.persona_id = runtime.settings.persona
        """Who answers in the chat on the screen."""
        self._question = question
        self._typed = typed
        self.turn = TurnView(self)
        self.sending = Sending(self)
        self.showing = Showing(self)
        self._settled = ""
        """What stood in the composer when something began to be erased."""
        self.status = Status(self)
        self.cards = Cards(self)
        self.silence = Silence(self)
        self.drafts = Drafts(self)
        self.memories = MemoryDeeds(self)
        self.waiting = WaitingLine(self)
        self._accepted: Accepted | None = None
        """The message whose turn began last, until it is known what it states and decides."""
        self.threads = Threads(self)

    def compose(self) -> ComposeResult:
        yield TopBar(self.session, "chat")
        with Horizontal(id="body"):
            yield self.threads
            yield Conversation(self)
        yield KeyLine()

    def on_mount(self) -> None:
        self.composer.fill(*self._typed)
        self.query_one(TopBar).say(reading.network(self.runtime))
        self.session.changed.subscribe(self, self._memories_changed)
        self.session.taken_back.subscribe(self, self._taken_back)
        self._start()

    @property
    def composer(self) -> Composer:
        return self.query_one(Composer)

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @property
    def is_filled(self) -> bool:
        """What the last key began is done, as far as it is quick; the next key waits for that."""
        return not any(one.group in ("open", "find", "send", "deed", "undo") and not one.is_finished for one in self.app.workers)

    @property
    def persona_name(self) -> str:
        return self.runtime.persona(self.persona_id).name

    @property
    def busy(self) -> bool:
        """A turn is running, or a message is on its way to one."""
        return self.talk.busy or self.drafts.held

    @property
    def can_answer(self) -> bool:
        """There is a model, or one is on its way."""
        return self.runtime.chat.state in ("ready", "loading")

    def list_threads(self) -> None:
        """Bring the list of chats up to date."""
        self.threads.list()

    def _memories_changed(self, _: None) -> None:
        self._look_at_what_waits()
        if not self.busy:
            self.explain(replies([one.message for one in self.transcript.bubbles]))

    def _taken_back(self, step: str) -> None:
        self.transcript.took_back(step)
        self.threads.brought_back(step)
        self.chats_changed()

    @beside("threads", exclusive=True)
    async def chats_changed(self) -> None:
        """Bring the list of chats up to date after some went or came back, and leave one that is deleted now."""
        self.list_threads()
        thread = self.thread
        if thread is None:
            return
        now = await asyncio.to_thread(chats.get_thread, self.runtime, thread.id)
        if now.deleted_at is not None and self.thread is thread:
            self.open_thread(None)

    # Opening a chat --------------------------------------------------------------------------------------------------

    @beside("open")
    async def _start(self) -> None:
        """Show the chat that was open last, or send the question that memapp was started with."""
        question, pasted = self._question
        last = None if question else await asyncio.to_thread(reading.last_thread, self.runtime)
        await self._show_thread(last)
        self.list_threads()
        self.composer.prompts = await asyncio.to_thread(chats.typed_prompts, self.runtime)
        if question:
            await self.sending.send(question, pasted)

    async def settle_draft(self) -> None:
        """Save what is being typed before something is erased: it is looked through too."""
        self.sending.leave_editing()
        self._settled = self.composer.text
        await self.drafts.save()

    async def show_again(self) -> None:
        """Show what the file holds since something was erased: words that are gone stay nowhere here, to be saved again."""
        typed_since = self.composer.text.removeprefix(self._settled)
        self.composer.clear_text()
        self.composer.prompts = await asyncio.to_thread(chats.typed_prompts, self.runtime)
        await self._show_thread(await asyncio.to_thread(reading.last_thread, self.runtime), persona=self.persona_id)
        self.composer.move_cursor(self.composer.document.end)
        self.composer.insert(typed_since)
        self.list_threads()

    @beside("open", exclusive=True)
    async def open_thread(self, thread: Thread | None, at: Message | None = None, *, persona: str = "") -> None:
        """Show a chat, or an empty one in which `persona` answers; `at` is the message to show it at."""
        self.sending.leave_editing()
        await self.drafts.leave()
        await self._show_thread(thread, at, persona)
        self.list_threads()
        self.threads.leave()
        self.remove_class("-threads")
        (self.transcript if at else self.composer).focus()
        await asyncio.to_thread(chats.remember_choice, self.runtime, "thread", thread.id if thread else "")

    async def _show_thread(self, thread: Thread | None, at: Message | None = None, persona: str = "") -> None:
        self.say("")  # what was said about another chat stays there
        self.thread = thread
        self.persona_id = thread.persona if thread else persona or self.runtime.settings.persona
        await self.drafts.load()
        if thread is None:
            await self.showing.welcome()
        else:
            await self.showing.messages(thread, at)
        self.show_status()
        self.refresh_bindings()
        self._rest()

    @beside("explain", exclusive=True)
    async def explain(self, answers: list[Message]) -> None:
        """Put the chips below the answers."""
        await self.turn.explain(answers)

    @beside("explain")
    async def explain_more(self, answers: list[Message]) -> None:
        """Put the chips below answers that were not there yet."""
        await self.turn.explain(answers)

    # Sending, and the running turn -----------------------------------------------------------------------------------

    @beside("deed")
    async def new_chat_with(self, persona: str) -> None:
        """Start a chat with another persona."""
        await self.sending.new_chat_with(persona)

    async def on_thread_started(self, event: ThreadStarted) -> None:
        if self.thread is None:
            self.thread = event.thread
            await asyncio.to_thread(chats.remember_choice, self.runtime, "thread", event.thread.id)
            await asyncio.to_thread(chats.save_draft, self.runtime, "", "")
            self.list_threads()

    async def on_turn_moved(self, event: TurnMoved) -> None:
        await self.turn.follow(event)
        if isinstance(event.event, Accepted):
            self._accepted = event.event
        elif self._accepted is not None:  # by now it was looked at what the message states and decides
            accepted, self._accepted = self._accepted, None
            await self.waiting.accepted(accepted)
        if self.drafts.held:
            self.drafts.held = False
            self.save_draft()
            self.list_threads()
            self.refresh_bindings()
        self.show_status()

    async def on_turn_refused(self, event: TurnRefused) -> None:
        """Nothing may be lost: a message that was not saved goes back into the composer."""
        self.drafts.held = False
        if event.unsent is not None:
            self.sending.take_back(event.unsent)
        await self.turn.refused(event.error)
        self.say(f"{event.error.title}: {event.error}", problem=True)

    def on_turn_ended(self, event: TurnEnded) -> None:
        if event.turn != self.talk.turns:
            return  # enter was quicker, and what is known now is of the next turn
        self.turn.ended()
        self.list_threads()
        self.refresh_bindings()
        self.status.turn_ended()
        self.talk.rest(event.thread_id)
        self.silence.begin()
        self._say_what_waits()

    @beside("waiting")
    async def _say_what_waits(self) -> None:
        await self.waiting.ended()

    @beside("waiting")
    async def _look_at_what_waits(self) -> None:
        await self.waiting.look_again()

    async def on_learned(self, event: Learned) -> None:
        await self.memories.learned(event.written, shown=self.thread is not None and self.thread.id == event.thread_id)

    def on_learning_failed(self, _: LearningFailed) -> None:
        self.say("Learning from your messages failed; memapp doctor says more.")

    def on_model_changed(self, _: ModelChanged) -> None:
        self.query_one(TopBar).say(reading.network(self.runtime))
        self.show_status()
        self._rest()

    def _rest(self) -> None:
        if not self.busy and self.thread is not None:
            self.talk.rest(self.thread.id)

    def say(self, words: str, *, problem: bool = False) -> None:
        """Say one line above the composer until something else happens."""
        self.status.say(words, problem=problem)

    def show_status(self) -> None:
        """Say what is going on, and what the composer is for."""
        self.status.show()

    # Keys ------------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        match action:
            case "stop":
                return self.talk.busy
            case "retry":
                answered = self.is_mounted and self.transcript.last_answer is not None
                return answered and not self.transcript.in_own_words and not self.busy
        return True

    def action_stop(self) -> None:
        """Stop the answer; what there is of it is kept."""
        self.talk.stop()
        self.turn.stop()
        self.say("")
        self.show_status()

    def action_back(self) -> None:
        """Leave what is open, else go between the composer and the conversation."""
        self.threads.leave()
        if self.sending.editing is not None:
            self.sending.leave_editing()
        elif self.has_class("-threads"):
            self.remove_class("-threads")
            self.composer.focus()
        elif self.focused is self.composer:
            self.say("")
            self.transcript.focus()
        else:
            self.composer.focus()

    def action_new(self) -> None:
        """Begin a new chat; it is saved with its first message."""
        self.open_thread(None)

    def action_retry(self) -> None:
        """Answer the last message again; the old answer stays as a variant."""
        self.sending.retry()

    def action_drawer(self) -> None:
        """Show or hide the loop at work."""
        if self.query_one(LoopDrawer).has_focus:
            self.composer.focus()
        self.toggle_class("-loop")
        self.turn.show_loop()

    def action_threads(self) -> None:
        """Show the list of chats and go there; hide it when already there."""
        if self.has_class("-narrow"):
            self.toggle_class("-threads")
        elif self.has_class("-no-threads") or self.threads.has_focus_within:
            self.toggle_class("-no-threads")
        hidden = self.has_class("-no-threads") if self.has_class("-wide") else not self.has_class("-threads")
        if hidden:
            self.threads.leave()
            self.composer.focus()
        else:
            self.threads.enter()

    @beside("find", exclusive=True)
    async def find(self, text: str = "") -> None:
        """Find anything, from wherever the person is, and go there."""
        hit = await self.app.push_screen_wait(FindScreen(self.runtime, text))
        if hit is not None:
            if self.app.current_mode != "chat":
                await self.app.switch_mode("chat")
            await self.cards.go_to(hit)

    async def go_to_message(self, message_id: str) -> None:
        """Show a message in its chat."""
        await self.cards.go_to_message(message_id)

    # Undo, drafts, choices -------------------------------------------------------------------------------------------

    @beside("deed")
    async def write_memory(self, text: str, *sources: str) -> None:
        """Let the person put something into the words to be remembered."""
        await self.memories.write(text, *sources)

    @beside("draft")
    async def save_draft(self) -> None:
        """Keep what is being typed."""
        await self.drafts.save()

    @beside("deed")
    async def keep_setting(self, name: str, value: str) -> None:
        """Keep a setting that was chosen on the screen."""
        await asyncio.to_thread(preferences.set_preference, self.runtime, name, value)
