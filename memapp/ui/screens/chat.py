"""The Chat screen: the list of chats beside the conversation.

The parts are in `ui.chat`; this module routes their messages.
"""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from memapp.domain import commands
from memapp.domain.chat import Message, Thread
from memapp.domain.text import shorten
from memapp.domain.turn_events import Accepted
from memapp.services import chats, models
from memapp.services.models import downloads
from memapp.ui import read_models
from memapp.ui.background import background
from memapp.ui.chat.composer import ChatComposer
from memapp.ui.chat.conversation import Conversation
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.threads import Threads
from memapp.ui.chat.transcript import ChatTranscript
from memapp.ui.dialogs import Question
from memapp.ui.messages import (
    FileChanged,
    MemoryWanted,
    MessageWanted,
    ModelChanged,
    ModeWanted,
    ThreadStarted,
    ThreadWanted,
    TurnEnded,
    TurnMoved,
)
from memapp.ui.pasted_spans import Writing
from memapp.ui.screens.find import FindScreen
from memapp.ui.screens.styled_screen import StyledScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.topbar import TopBar

ON_MESSAGES = (
    ("Copy a message", "The chosen or the last one (y)", "copy"),
    ("Edit and send again", "The chosen or the last one (e)", "edit"),
    ("Remember a message", "The chosen or the last one (m)", "remember"),
    (
        "What was kept of a message",
        "And why the rest was not; the chosen or the last one (w)",
        "outcome",
    ),
    ("A second opinion", "A council over the chosen or the last answer (s)", "council"),
    ("Open a message or memory", "The chosen or the last one (enter)", "open"),
    ("Go to the first message shown", "The beginning of what is on the screen (g)", "first"),
    ("Go to the end", "The last message of this chat (G)", "last"),
)


class ChatScreen(StyledScreen):
    AUTO_FOCUS = "Composer"
    BINDING_GROUP_TITLE = "Chat"
    HELP = (
        "Write below and press enter. "
        "Escape goes to the conversation, and back; there the arrow keys choose a message."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", id="chat.stop"),
        Binding("escape", "back", "Conversation", show=False, id="chat.back"),
        Binding("ctrl+n", "new", "New", id="chat.new"),
        Binding("ctrl+r", "retry", "Retry", id="chat.retry"),
        Binding(
            "ctrl+o", "get_default", "Get the default model", show=False, id="chat.get_default"
        ),
        Binding("ctrl+t", "drawer", "Loop", id="chat.drawer"),
        Binding("ctrl+b", "threads", "Chats", id="chat.threads"),
        Binding("tab", "into_drawer", "Loop", show=False, id="chat.into_drawer"),
        Binding("tab", "app.focus_next", "Next", show=False, id="chat.next"),
    ]

    def __init__(
        self, session: AppSession, *, question: Callable[[], Writing], typed: Callable[[], Writing]
    ) -> None:
        super().__init__()
        self.session = session
        self.state = ChatState(session)
        self.threads = Threads(self.state)
        self.conversation = Conversation(self.state)
        session.before_erasing, session.after_erasing = self.conversation.settle, self._show_again
        # Read late: keys may arrive while the memory opens.
        self._question, self._typed = question, typed
        self._erased_elsewhere = False
        """Another process erased something while a turn was running."""
        self._one_erasure = asyncio.Lock()

    def compose(self) -> ComposeResult:
        yield TopBar(self.session, "chat")
        with Horizontal(id="body"):
            yield self.threads
            yield self.conversation
        yield KeyLine()

    def on_mount(self) -> None:
        self.composer.fill(self._typed())
        self._show_network()
        self.session.step_undone.subscribe(self, self._show_step_undone)
        self.session.badged.subscribe(self, lambda _: self._show_network())
        self._start()

    @property
    def composer(self) -> ChatComposer:
        return self.conversation.composer

    @property
    def transcript(self) -> ChatTranscript:
        return self.conversation.transcript

    def _show_network(self) -> None:
        network = read_models.network(self.session.runtime, self.session.shared)
        self.query_one(TopBar).say(network)

    # The open chat --------------------------------------------------------------------------------

    @background("open")
    async def _start(self) -> None:
        """Show the chat that was open last, or send the question from the command line."""
        question = self._question()
        last = None
        if not question.text:
            last = await asyncio.to_thread(read_models.last_thread, self.session.runtime)
        await self.conversation.show(last)
        self.threads.list()
        await self.composer.recall_prompts()
        if not await asyncio.to_thread(chats.keeps_drafts, self.session.runtime):
            self.conversation.status.say("Two windows are open: the other one keeps the drafts.")
        if last is not None and read_models.offer(self.session.runtime):
            self.conversation.status.say(f"{read_models.SMALL}: {read_models.KEY}.")
        if commands.runs_something(question.text):
            # A command from outside runs only after the person has seen it here.
            self.composer.fill(question)
        elif question.text:
            await self.conversation.send(question)

    def on_thread_wanted(self, event: ThreadWanted) -> None:
        event.stop()
        self.open_thread(event.thread, event.at, persona=event.persona, stay=event.stay)

    @background("open", exclusive=True)
    async def open_thread(
        self,
        thread: Thread | None,
        at: Message | None = None,
        *,
        persona: str = "",
        stay: bool = False,
    ) -> None:
        """Show a thread at the message `at`, or an empty chat in which `persona` answers."""
        await self.composer.leave()
        await self.conversation.show(thread, at, persona)
        self.refresh_bindings()
        self.threads.list()
        if not stay:
            self.threads.leave()
            self.remove_class("-threads")
            (self.transcript if at else self.composer).focus()
        await asyncio.to_thread(
            chats.remember_choice, self.session.runtime, "thread", thread.id if thread else ""
        )

    async def _show_again(self) -> None:
        await self.conversation.show_again()
        self.threads.list()

    def _show_step_undone(self, step: str) -> None:
        self.threads.brought_back(step)
        self._chats_changed()

    @background("threads", exclusive=True)
    async def _chats_changed(self) -> None:
        """Update the list of chats; leave a deleted chat, and show new messages of the open one."""
        self.threads.list()
        thread = self.state.thread
        if thread is None:
            return
        present = await asyncio.to_thread(read_models.thread_there, self.session.runtime, thread.id)
        if self.state.thread is not thread:
            return
        if present is None:
            self.open_thread(None)
        elif not (self.state.busy or self.state.editing or await self.transcript.show_news(thread)):
            self.conversation.status.say(
                "Another memapp wrote in this chat; you see it when you open the chat again."
            )

    @background("file")
    async def on_file_changed(self, event: FileChanged) -> None:
        """Show the changes of another process, and its erasures once no turn is running."""
        self._erased_elsewhere |= event.erased
        if not self._erased_elsewhere:
            self._chats_changed()
        elif not self.state.busy:
            async with self._one_erasure:  # A second one would save the composer while it is empty.
                self._erased_elsewhere = False
                await self.conversation.settle()
                await self._show_again()

    # Events of the turn, after the conversation ---------------------------------------------------

    def on_thread_started(self, _: ThreadStarted) -> None:
        self.threads.list()

    def on_turn_moved(self, event: TurnMoved) -> None:
        if isinstance(event.event, Accepted):
            self.threads.list()
            self.refresh_bindings()

    def on_turn_ended(self, _: TurnEnded) -> None:
        self.threads.list()
        self.refresh_bindings()
        if self._erased_elsewhere:
            self.on_file_changed(FileChanged(erased=True))

    def on_model_changed(self, _: ModelChanged) -> None:
        self._show_network()
        self.conversation.status.look()
        self.conversation.rest()
        self.conversation.transcript.show_outcomes()
        self.conversation.transcript.refresh_welcome()
        if self.session.runtime.chat.state == "ready":
            self._show_template_remark()

    @background("template", exclusive=True)
    async def _show_template_remark(self) -> None:
        """Show a remark about a model with another prompt format than its own."""
        if remark := await asyncio.to_thread(models.template_remark, self.session.runtime):
            self.conversation.status.say(remark)

    # Keys and the palette -------------------------------------------------------------------------

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        match action:
            case "stop":
                return self.session.talk.busy
            case "retry":
                answered = self.is_mounted and self.transcript.last_answer is not None
                return answered and not self.transcript.in_own_words and not self.state.busy
            case "get_default":
                return bool(read_models.offer(self.session.runtime))
            case "into_drawer":
                return self.has_class("-loop") and self.focused is self.composer
        return True

    def action_stop(self) -> None:
        """Stop the answer and keep its text."""
        self.session.talk.stop()
        self.state.turn.stopped = True  # The turn ends as soon as the model returns.
        self.conversation.status.say("")
        self.conversation.status.look()

    def action_back(self) -> None:
        """Close what is open; else go from the composer to the conversation, or back."""
        self.threads.leave()
        if self.state.editing is not None:
            self.composer.leave_editing()
        elif self.has_class("-threads"):
            self.remove_class("-threads")
            self.composer.focus()
        elif self.focused is self.composer:
            self.conversation.status.say("")
            self.transcript.glance()
        else:
            self.composer.focus()

    def action_new(self) -> None:
        """Begin a new chat; it is saved with its first message."""
        self.open_thread(None)

    def action_retry(self) -> None:
        """Answer the last message again; the old answer stays as a variant."""
        self.conversation.retry()

    @background("deed")
    async def action_get_default(self) -> None:
        """Download the default model in the background, if the person agrees."""
        runtime = self.session.runtime
        chosen = await asyncio.to_thread(downloads.find_default, runtime)
        terms = downloads.terms(chosen, runtime.settings.download_proxy)
        if await self.app.push_screen_wait(
            Question(f"Get {chosen.name}?", terms, "get it", "not now")
        ):
            self.session.talk.download(chosen)
            self.conversation.status.look()

    def action_drawer(self) -> None:
        if self.conversation.drawer.has_focus:
            self.composer.focus()
        self.toggle_class("-loop")
        self.conversation.turn.show_loop()

    def action_into_drawer(self) -> None:
        self.conversation.drawer.focus()

    def action_threads(self) -> None:
        """Show the list of chats and focus it; hide it if it has the focus."""
        if self.has_class("-narrow"):
            self.toggle_class("-threads")
        elif self.has_class("-no-threads") or self.threads.has_focus_within:
            self.toggle_class("-no-threads")
        is_wide = self.has_class("-wide")
        if self.has_class("-no-threads") if is_wide else not self.has_class("-threads"):
            self.threads.leave()
            self.composer.focus()
        else:
            self.threads.enter()

    @background("find", exclusive=True)
    async def find(self) -> None:
        """Find anything, from any screen, and go there."""
        if (hit := await self.app.push_screen_wait(FindScreen(self.session.runtime))) is None:
            return
        match hit.kind:
            case "memory":
                self.app.post_message(MemoryWanted(hit.id))
            case "message" | "council":
                self.app.post_message(MessageWanted(hit.id))
            case "thread":
                thread = await asyncio.to_thread(
                    chats.get_thread, self.session.runtime, hit.thread_id
                )
                self.app.post_message(ThreadWanted(thread))
            case "lesson":
                self.app.post_message(ModeWanted("learned", hit.id))
            case "agent":
                self.app.post_message(ModeWanted("activity", "agents"))

    def commands(self) -> Iterable[SystemCommand]:
        """Yield the entries of the palette: every action with a key, and some without."""
        yield SystemCommand("New chat", "ctrl+n", self.action_new)
        yield SystemCommand("Show or hide the chats", "ctrl+b", self.action_threads)
        about = "What memapp expected, needed and found (ctrl+t)"
        yield SystemCommand("Show or hide the loop", about, self.action_drawer)
        for key, persona in self.session.runtime.personas.items():
            label = f"New chat with {shorten(persona.name, 40)}"
            begin = partial(self.open_thread, None, persona=key)
            yield SystemCommand(label, f"/persona {key}", begin)
        write = partial(self.transcript.write_memory, "")
        yield SystemCommand("Remember something", "Write a memory by hand (/remember)", write)
        if offered := read_models.offer(self.session.runtime):
            label, about = "Get a model that can hold a conversation", f"{offered} (ctrl+o)"
            yield SystemCommand(label, about, self.action_get_default)
        about = "In the program that EDITOR names (ctrl+g)"
        yield SystemCommand("Write in your editor", about, self.composer.action_editor)
        yield from self._commands_on_messages()
        if self.state.thread is not None:
            yield from self._commands_on_thread(self.state.thread)
        yield SystemCommand("Deleted chats", "Restore one", self.threads.bring_back)

    def _commands_on_messages(self) -> Iterable[SystemCommand]:
        transcript = self.transcript
        if self.state.busy:
            yield SystemCommand("Stop the answer", "Keeps what there is (esc)", self.action_stop)
        elif transcript.last_answer is not None:
            if not transcript.in_own_words:
                about = "Keeps the old answer as a variant (ctrl+r)"
                yield SystemCommand("Answer again", about, self.action_retry)
            if transcript.can_go_on:
                about = "It ended at its length limit (o)"
                yield SystemCommand("Continue the last answer", about, self.conversation.go_on)
        if transcript.bubbles:
            for label, about, action in ON_MESSAGES:
                yield SystemCommand(label, about, getattr(transcript, f"action_{action}"))

    def _commands_on_thread(self, thread: Thread) -> Iterable[SystemCommand]:
        rename, delete, erase = (
            partial(action, thread)
            for action in (self.threads.rename, self.threads.delete, self.threads.erase)
        )
        yield SystemCommand("Rename this chat", "e in the list of chats", rename)
        yield SystemCommand("Delete this chat", "ctrl+z restores it", delete)
        if not self.state.busy:
            yield SystemCommand("Erase this chat for good", "Asks you to type a word", erase)
