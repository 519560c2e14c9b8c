"""Chat: puts the list of chats, the conversation, the composer and the drawer together, and routes what they announce.

What the running turn does to the screen is in `screens.turn_view`; what is done with memories, in `ui.memories`.
"""

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Footer, Markdown

from memapp import paths
from memapp.domain.chat import Message, Role, Thread
from memapp.domain.text import shorten
from memapp.errors import MemappError, UsageError
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.services.browse import Hit
from memapp.ui import commands, reading
from memapp.ui.announce import Learned, ModelChanged, ThreadStarted, TurnEnded, TurnMoved, TurnRefused
from memapp.ui.memories import MemoryDeeds
from memapp.ui.modes import MODES
from memapp.ui.panels.loop import LoopDrawer
from memapp.ui.panels.threads import ThreadPane
from memapp.ui.safe import notify
from memapp.ui.screens.detail import Line, Question, TextCard, Wanted
from memapp.ui.screens.find import FindScreen
from memapp.ui.screens.turn_view import TurnView
from memapp.ui.talk import Talk
from memapp.ui.told import told
from memapp.ui.undo import UndoStack
from memapp.ui.widgets.composer import Composer, prompt_hint
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.topbar import TopBar
from memapp.ui.widgets.transcript import Transcript, welcome

Spans = tuple[tuple[int, int], ...]

THREADS_SHOWN = 200
STATUS_SECONDS = 0.3


class ChatScreen(Screen[None]):
    """The main screen."""

    CSS_PATH = paths.bundled("assets", "chat.tcss")
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

    talk: Talk

    def __init__(self, runtime: Runtime, *, question: str = "", banner: str = "") -> None:
        super().__init__()
        self.runtime = runtime
        self.thread: Thread | None = None
        """The chat on the screen; None until a new one has its first message."""
        self.persona_id = runtime.settings.persona
        """Who answers in the chat on the screen."""
        self.typed: tuple[str, Spans] = ("", ())
        """What was typed before this screen was there."""
        self.editing: Message | None = None
        """An earlier message that the composer holds, to be sent in other words."""
        self._put_aside: tuple[str, Spans] = ("", ())
        self.undone = UndoStack()
        self._question = question
        self._banner = banner
        self._search = ""
        self._drafts = asyncio.Lock()
        self._sending = False
        self._said = ""
        self.turn = TurnView(self)
        self.memories = MemoryDeeds(self)

    def compose(self) -> ComposeResult:
        yield TopBar(MODES, "chat", banner=self._banner)
        with Horizontal(id="body"):
            yield ThreadPane()
            with Vertical(id="conversation"):
                yield Transcript()
                yield LoopDrawer()
                yield StatusLine()
                yield Composer(id="composer")
        yield Footer()

    def on_mount(self) -> None:
        self.composer.fill(*self.typed)
        self.query_one(TopBar).say(reading.network(self.runtime))
        self.set_interval(STATUS_SECONDS, self.show_status)
        self._start()

    @property
    def composer(self) -> Composer:
        return self.query_one(Composer)

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @property
    def persona_name(self) -> str:
        return self.runtime.persona(self.persona_id).name

    # Opening a chat --------------------------------------------------------------------------------------------------

    @work(group="open")
    @told
    async def _start(self) -> None:
        """Show the chat that was open last, or send the question that memapp was started with."""
        self.composer.prompts = await asyncio.to_thread(chats.typed_prompts, self.runtime)
        last = None if self._question else await asyncio.to_thread(reading.last_thread, self.runtime)
        await self._show_thread(last)
        self.show_threads()
        if self._question:
            self._send(self._question, ())

    def open_thread(self, thread: Thread | None, *, at: Message | None = None) -> None:
        """Show a chat, or an empty one; `at` is the message to show it at."""
        self._open(thread, at)

    @work(exclusive=True, group="open")
    @told
    async def _open(self, thread: Thread | None, at: Message | None) -> None:
        await self._save_draft(self.composer.text, self.composer.pasted)
        self._leave_editing()
        self.composer.clear_text()
        await self._show_thread(thread, at)
        self.show_threads()
        self.remove_class("-threads")
        self.composer.focus()
        await asyncio.to_thread(chats.remember_choice, self.runtime, "thread", thread.id if thread else "")

    async def _show_thread(self, thread: Thread | None, at: Message | None = None) -> None:
        self.thread = thread
        self.persona_id = thread.persona if thread else self.runtime.settings.persona
        if thread is None:
            await self.transcript.show([welcome(await asyncio.to_thread(reading.welcome_words, self.runtime))], earlier=False)
        else:
            await self.show_messages(thread, at)
        if not self.composer.text:
            text, pasted = await asyncio.to_thread(reading.draft, self.runtime, thread.id if thread else "")
            if not self.composer.text:
                self.composer.fill(text, pasted)
        self.show_status()
        self.refresh_bindings()
        self._rest()

    async def show_messages(self, thread: Thread, at: Message | None = None) -> None:
        """Show the last messages of a thread, or those around `at`."""
        stretch = await asyncio.to_thread(reading.stretch, self.runtime, thread.id, at)
        if not stretch.messages:
            words = await asyncio.to_thread(reading.welcome_words, self.runtime)
            await self.transcript.show([welcome(words)], earlier=False)
            return
        bubbles = self.turn.bubbles(stretch.messages)
        await self.transcript.show(bubbles, earlier=stretch.earlier, later=stretch.later, at=at.id if at else "")
        self._explain([one for one in stretch.messages if one.role is Role.ASSISTANT])

    @work(group="explain", exclusive=True)
    @told
    async def _explain(self, replies: list[Message]) -> None:
        """Put the chips below the answers, the newest first."""
        for reply in reversed(replies):
            await self.turn.explain(reply)

    def explain_again(self) -> None:
        """Bring the chips up to date after a memory changed."""
        if not self.talk.busy:
            self._explain([one.message for one in self.transcript.bubbles if one.message.role is Role.ASSISTANT])

    @on(Transcript.EarlierWanted)
    @work(group="earlier", exclusive=True)
    @told
    async def _load_earlier(self, event: Transcript.EarlierWanted) -> None:
        if self.thread is None:
            return
        page = await asyncio.to_thread(chats.page, self.runtime, self.thread.id, event.before)
        await self.transcript.show_earlier(self.turn.bubbles(page.messages), earlier=page.more)
        self._explain([one for one in page.messages if one.role is Role.ASSISTANT])

    @on(Transcript.EndWanted)
    def _go_to_end(self) -> None:
        self.open_thread(self.thread)

    # The list of chats -----------------------------------------------------------------------------------------------

    def show_threads(self, count: int = THREADS_SHOWN) -> None:
        """Bring the list of chats up to date."""
        self._list_threads(self._search, count)

    @work(exclusive=True, group="threads")
    @told
    async def _list_threads(self, search: str, count: int) -> None:
        found = await asyncio.to_thread(partial(chats.list_threads, self.runtime, search, limit=count + 1))
        current = self.thread.id if self.thread else ""
        self.query_one(ThreadPane).show(found[:count], current, self.runtime.clock(), more=len(found) > count)

    @on(ThreadPane.SearchChanged)
    def _search_threads(self, event: ThreadPane.SearchChanged) -> None:
        self._search = event.text
        self.show_threads()

    @on(ThreadPane.MoreWanted)
    def _more_threads(self, event: ThreadPane.MoreWanted) -> None:
        self.show_threads(event.shown + THREADS_SHOWN)

    @on(ThreadPane.Chosen)
    def _thread_chosen(self, event: ThreadPane.Chosen) -> None:
        self.open_thread(event.thread)

    @on(ThreadPane.RenameWanted)
    def _rename_chosen(self, event: ThreadPane.RenameWanted) -> None:
        self._rename(event.thread)

    @work(group="thread-deed")
    @told
    async def _rename(self, thread: Thread) -> None:
        title = await self.app.push_screen_wait(Line("Rename this chat", thread.title))
        if title is None or title == thread.title:
            return
        await asyncio.to_thread(chats.rename_thread, self.runtime, thread.id, title)
        self.undone.push(f"Renamed “{shorten(thread.title, 40)}”", lambda r: chats.rename_thread(r, thread.id, thread.title))
        self.show_threads()

    @on(ThreadPane.DeleteWanted)
    def _delete_chosen(self, event: ThreadPane.DeleteWanted) -> None:
        self._delete(event.thread)

    @work(group="thread-deed")
    @told
    async def _delete(self, thread: Thread) -> None:
        """Take a chat out of the list; it can be brought back, so nobody is asked."""
        if self.turn.thread_id == thread.id and self.talk.busy:
            self.talk.stop()
        await asyncio.to_thread(chats.delete_thread, self.runtime, thread.id)
        label = f"Deleted “{shorten(thread.title, 40)}”"
        self.undone.push(label, lambda runtime: chats.restore_thread(runtime, thread.id))
        notify(self, f"{label}. ctrl+z brings it back.")
        if self.thread is not None and self.thread.id == thread.id:
            self.open_thread(None)
        self.show_threads()

    # Sending ---------------------------------------------------------------------------------------------------------

    @on(Composer.Sent)
    def _sent(self, event: Composer.Sent) -> None:
        self._send(event.text, event.pasted)

    def _send(self, text: str, pasted: Spans) -> None:
        if not text.strip():
            return
        try:
            command = commands.parse(text.strip())
            if command is not None:
                self._carry_out(command)
            elif self.talk.busy or self._sending:
                self.say("Still answering. Enter sends this afterwards, esc stops the answer.")
            elif not self.can_answer:
                self._offer_to_remember(text)
            else:
                self._submit(commands.unescaped(text), pasted if not text.startswith("//") else ((0, len(text)),))
        except MemappError as error:
            self.say(str(error), problem=True)

    def _submit(self, text: str, pasted: Spans) -> None:
        self._sending = True
        self.composer.clear_text()
        self.composer.prompts = [text, *(one for one in self.composer.prompts if one != text)]
        if self.editing is not None:
            message, self.editing = self.editing, None
            self.turn.replaces = message.id
            self.talk.resend(message, text)
        else:
            self.talk.send(self.thread, text, pasted, self.persona_id)
        self.show_status()
        self.refresh_bindings()

    def _carry_out(self, command: commands.Command) -> None:
        if command.name in ("evidence", "remark") and self.thread is None:
            raise UsageError("There is no chat yet.", "Send a first message.")
        if command.name == "remark" and self.talk.busy:
            raise UsageError("Still answering.")
        self.composer.clear_text()
        match command.name:
            case "help":
                text = "\n".join(f"{form:18} {what}" for form, what in commands.COMMANDS.values())
                self.app.push_screen(TextCard("Commands", text, note="Begin with // to send a message that starts with a slash."))
            case "remember":
                self.memories.add(command.text)
            case "evidence":
                self._add_evidence(command.text)
            case "remark" if self.thread is not None:
                self.talk.remark(self.thread)
            case "persona":
                self._new_with_persona(command.text)
        self._forget_draft()

    @work(group="thread-deed")
    @told
    async def _add_evidence(self, text: str) -> None:
        if self.thread is not None:
            await asyncio.to_thread(chats.add_evidence, self.runtime, self.thread.id, text)
            self.transcript.note(f"Evidence added: {shorten(text, 200)}")

    @work(group="thread-deed")
    @told
    async def _new_with_persona(self, name: str) -> None:
        """Start a chat with the persona of this id or name."""
        known = {key: one.name for key, one in self.runtime.personas.items()}
        found = next((key for key, shown in known.items() if name.lower() in (key, shown.lower())), None)
        if found is None:
            raise UsageError(f"There is no persona {name!r}.", f"There are: {', '.join(sorted(known))}.")
        thread = await asyncio.to_thread(chats.new_thread, self.runtime, found)
        self.open_thread(thread)

    @work(group="offer", exclusive=True)
    @told
    async def _offer_to_remember(self, text: str) -> None:
        why = self.runtime.chat.note or "No model is loaded."
        question = Question(
            "No model to answer",
            f"{shorten(why, 300)}\n\nSave what you wrote as a memory instead?",
            "save as a memory",
            "keep writing",
        )
        if await self.app.push_screen_wait(question):
            await self.memories.add_now(text)
            self.composer.clear_text()
            self._forget_draft()

    @property
    def can_answer(self) -> bool:
        """There is a model, or one is on its way."""
        return self.runtime.chat.state in ("ready", "loading")

    # The running turn ------------------------------------------------------------------------------------------------

    async def on_thread_started(self, event: ThreadStarted) -> None:
        if self.thread is None:
            self.thread = event.thread
            await asyncio.to_thread(chats.remember_choice, self.runtime, "thread", event.thread.id)
            await asyncio.to_thread(chats.save_draft, self.runtime, "", "")

    async def on_turn_moved(self, event: TurnMoved) -> None:
        await self.turn.follow(event)
        if self._sending:
            self._sending = False
            self._save_draft_soon()
            self.show_threads()
        self.show_status()

    async def on_turn_refused(self, event: TurnRefused) -> None:
        """Nothing may be lost: a message that was not saved goes back into the composer."""
        self._sending = False
        if event.unsent is not None:
            later = self.composer.text
            self.composer.fill(event.unsent.text + (f"\n{later}" if later else ""), event.unsent.pasted)
            self.turn.replaces = ""
        await self.turn.refused(event.error)
        self.say(f"{event.error.title}: {event.error}", problem=True)

    def on_turn_ended(self, event: TurnEnded) -> None:
        self.turn.ended()
        self.show_threads()
        self.refresh_bindings()
        self.show_status()
        self.talk.rest(event.thread_id)

    async def on_learned(self, event: Learned) -> None:
        await self.memories.learned(event.memory, shown=self.thread is not None and self.thread.id == event.thread_id)

    def on_model_changed(self, _: ModelChanged) -> None:
        self.query_one(TopBar).say(reading.network(self.runtime))
        self.show_status()
        self._rest()

    def _rest(self) -> None:
        if not self.talk.busy and self.thread is not None:
            self.talk.rest(self.thread.id)

    def action_stop(self) -> None:
        """Stop the answer; what there is of it is kept."""
        self.talk.stop()
        self.say("Stopping…")

    def say(self, words: str, *, problem: bool = False) -> None:
        """Say one line above the composer until something else happens."""
        self._said = words
        self.query_one(StatusLine).say(words, problem=problem)

    def show_status(self) -> None:
        """Say what is going on, and what the composer is for."""
        chat = self.runtime.chat
        self.composer.hint(prompt_hint(model=chat.state, persona=self.persona_name))
        words = self.turn.doing() or (chat.note if chat.state in ("loading", "failed") else "")
        if self.editing is not None:
            words = "Writing an earlier message anew: enter sends it in place of the old one, esc leaves it."
        if words or not self._said:
            self.query_one(StatusLine).say(words, problem=chat.state == "failed" and not self.turn.doing())

    # Keys ------------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        match action:
            case "stop":
                return self.talk.busy
            case "retry":
                return self.is_mounted and self.transcript.last_answer is not None and not self.talk.busy
        return True

    def action_back(self) -> None:
        """Leave what is open, else go between the composer and the conversation."""
        if self.editing is not None:
            self._leave_editing()
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
        answer = self.transcript.last_answer
        if answer is None or self.talk.busy:
            return
        if answer.message.reply_to is None:
            self.say("A remark cannot be answered again; /remark makes another.")
        elif not self.can_answer:
            self.say("There is no model to answer. F8 chooses one.", problem=True)
        elif not self.transcript.complete:
            self.say("Go to the end of this chat first (G).")
        else:
            self.turn.replaces = answer.message.id
            self.talk.retry(answer.message)
            self.refresh_bindings()

    def action_drawer(self) -> None:
        """Show or hide the loop at work."""
        self.toggle_class("-loop")
        self.turn.show_loop()

    def action_threads(self) -> None:
        """Show or hide the list of chats, and go there."""
        if self.has_class("-narrow"):
            self.toggle_class("-threads")
            shown = self.has_class("-threads")
        elif self.has_class("-no-threads") or self.query_one(ThreadPane).has_focus_within:
            self.toggle_class("-no-threads")
            shown = not self.has_class("-no-threads")
        else:
            shown = True
        if shown:
            self.query_one(ThreadPane).enter()
        else:
            self.composer.focus()

    @work(group="find", exclusive=True)
    @told
    async def find(self, text: str = "") -> None:
        """Find anything and go there."""
        hit = await self.app.push_screen_wait(FindScreen(self.runtime, text))
        if hit is not None:
            await self.go_to(hit)

    async def go_to(self, hit: Hit) -> None:
        """Show what was found."""
        if hit.kind == "memory":
            await self.memories.show(hit.id)
        else:
            thread = await asyncio.to_thread(chats.get_thread, self.runtime, hit.thread_id)
            at = await asyncio.to_thread(chats.get_message, self.runtime, hit.id) if hit.kind == "message" else None
            self.open_thread(thread, at=at)

    async def go_to_message(self, message_id: str) -> None:
        """Show a message in its chat."""
        message = await asyncio.to_thread(chats.get_message, self.runtime, message_id)
        self.open_thread(await asyncio.to_thread(chats.get_thread, self.runtime, message.thread_id), at=message)

    # What the conversation announces ---------------------------------------------------------------------------------

    @on(Transcript.HitOpened)
    @work(group="card", exclusive=True)
    @told
    async def _open_hit(self, event: Transcript.HitOpened) -> None:
        hit = event.hit
        if hit.kind == "memory":
            await self.memories.show(hit.id, f"score {hit.score:.2f}: {hit.why}")
            return
        who = "You said" if hit.said_by == "user" else "An earlier answer"
        message = await asyncio.to_thread(chats.get_message, self.runtime, hit.id)
        card = TextCard(who, message.text, note=f"score {hit.score:.2f}: {hit.why}", can_jump=True)
        await self._after_card(await self.app.push_screen_wait(card), message)

    @on(Transcript.MessageOpened)
    @work(group="card", exclusive=True)
    @told
    async def _open_message(self, event: Transcript.MessageOpened) -> None:
        title = "You" if event.message.role is Role.USER else self.persona_name
        await self._after_card(await self.app.push_screen_wait(TextCard(title, event.message.text)), event.message)

    async def _after_card(self, wanted: Wanted | None, message: Message) -> None:
        if wanted is not None and wanted.deed == "copy":
            self._copy(message.text)
        elif wanted is not None:
            await self.go_to_message(message.id)

    @on(Transcript.CopyWanted)
    def _copy_wanted(self, event: Transcript.CopyWanted) -> None:
        self._copy(event.text)

    def _copy(self, text: str) -> None:
        self.app.copy_to_clipboard(text)
        notify(self, "Copied.")

    @on(Transcript.EditWanted)
    def _edit(self, event: Transcript.EditWanted) -> None:
        if self.talk.busy:
            self.say("Still answering. Esc stops it.")
            return
        if self.editing is None:
            self._put_aside = (self.composer.text, self.composer.pasted)
        self.editing = event.message
        self.composer.fill(event.message.text, event.message.pasted)
        self.composer.focus()
        self.show_status()

    def _leave_editing(self) -> None:
        if self.editing is not None:
            self.editing = None
            self.composer.fill(*self._put_aside)
            self.say("")

    @on(Transcript.RetryWanted)
    def _retry_wanted(self) -> None:
        self.action_retry()

    @on(Transcript.RememberWanted)
    def _remember_wanted(self, event: Transcript.RememberWanted) -> None:
        self.memories.write(event.text)

    @on(Transcript.VariantWanted)
    @work(group="variant", exclusive=True)
    @told
    async def _switch_variant(self, event: Transcript.VariantWanted) -> None:
        await self.turn.switch_variant(event.message, event.step)

    @on(Transcript.UndoWanted)
    @on(Composer.UndoWanted)
    def undo_last(self) -> None:
        """Take the last thing back."""
        self._undo()

    @work(group="undo")
    @told
    async def _undo(self) -> None:
        done = self.undone.pop()
        if done is None:
            self.say("Nothing to undo.")
            return
        await asyncio.to_thread(done.back, self.runtime)
        notify(self, f"Undone: {done.label}")
        self.show_threads()
        self.explain_again()

    @on(Markdown.LinkClicked)
    @work(group="card", exclusive=True)
    @told
    async def _link(self, event: Markdown.LinkClicked) -> None:
        """Show where a link leads; it is opened only on a word of the person, and only if it is a web address."""
        web = event.href.startswith(("http://", "https://"))
        note = "This leaves memapp: your browser will open it." if web else "memapp opens only web addresses."
        question = Question("Open this link?", f"{shorten(event.href, 500)}\n\n{note}", "open it" if web else "close", "close")
        if await self.app.push_screen_wait(question) and web:
            self.app.open_url(event.href)

    # Drafts and choices ----------------------------------------------------------------------------------------------

    @on(Composer.Hesitated)
    def _hesitated(self, event: Composer.Hesitated) -> None:
        if self.thread is not None and not event.text.startswith("/"):
            self.talk.warm(self.thread.id, event.text)

    @on(Composer.Paused)
    def _paused(self) -> None:
        self.say("")
        self._save_draft_soon()

    @work(group="draft")
    @told
    async def _save_draft_soon(self) -> None:
        await self._save_draft(self.composer.text, self.composer.pasted)

    async def _save_draft(self, text: str, pasted: Spans) -> None:
        """Keep what is being typed; not while a message is on its way, whose turn settles the draft itself."""
        if self._sending or self.editing is not None:
            return
        async with self._drafts:
            await asyncio.to_thread(reading.save_draft, self.runtime, self.thread.id if self.thread else "", text, pasted)

    def _forget_draft(self) -> None:
        self._save_draft_soon()

    def save_draft_now(self) -> None:
        """Keep what is being typed before the app ends."""
        text, pasted = self._put_aside if self.editing is not None else (self.composer.text, self.composer.pasted)
        try:
            reading.save_draft(self.runtime, self.thread.id if self.thread else "", text, pasted)
        except MemappError:
            return  # leaving must not fail; the last pause was saved

    @work(group="choice")
    @told
    async def keep_choice(self, name: str, value: object) -> None:
        """Remember a choice made on the screen."""
        await asyncio.to_thread(chats.remember_choice, self.runtime, name, value)

    # The palette -----------------------------------------------------------------------------------------------------

    def commands(self) -> Iterable[SystemCommand]:
        """Everything that can be done here, for the palette."""
        yield SystemCommand("New chat", "ctrl+n", self.action_new)
        yield SystemCommand("Show or hide the chats", "ctrl+b", self.action_threads)
        yield SystemCommand("Show or hide the loop", "What memapp expected, needed and found (ctrl+t)", self.action_drawer)
        for key, persona in self.runtime.personas.items():
            yield SystemCommand(
                f"New chat with {shorten(persona.name, 40)}", f"/persona {key}", partial(self._new_with_persona, key)
            )
        yield SystemCommand("Remember something", "Write a memory by hand (/remember)", partial(self.memories.write, ""))
        if self.talk.busy:
            yield SystemCommand("Stop the answer", "Keeps what there is (esc)", self.action_stop)
        elif self.transcript.last_answer is not None:
            yield SystemCommand("Answer again", "Keeps the old answer as a variant (ctrl+r)", self.action_retry)
        for label, key, action in CONVERSATION_DEEDS:
            if self.transcript.bubbles:
                yield SystemCommand(
                    label, f"On the chosen or the last message ({key})", getattr(self.transcript, f"action_{action}")
                )
        if self.thread is not None:
            yield SystemCommand("Rename this chat", "e in the list of chats", partial(self._rename, self.thread))
            yield SystemCommand("Delete this chat", "ctrl+z brings it back", partial(self._delete, self.thread))


CONVERSATION_DEEDS = (
    ("Copy a message", "y", "copy"),
    ("Edit and send again", "e", "edit"),
    ("Remember a message", "m", "remember"),
    ("Open a message or memory", "enter", "open"),
    ("Load the first messages shown", "g", "first"),
    ("Go to the end", "G", "last"),
)
