"""The conversation on the screen: what it shows of a chat, and what keys do to the chosen message.

It is one stop for the tab key; the arrow keys go from message to message and from chip to chip.
Letters are commands on a message that is chosen; as long as none is, they are words for the
composer.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, cast

from textual import events, on
from textual.binding import Binding, BindingType
from textual.message import Message as Announcement
from textual.widgets import Markdown

from memapp.domain.chat import OWN_WORDS, Message, Origin, Role, Thread
from memapp.domain.consent import ConsentRequest
from memapp.domain.memory import Recalled
from memapp.domain.provenance import NotKept, Outcome, Taught
from memapp.domain.text import shorten
from memapp.domain.trust import Choice
from memapp.language.labels import called
from memapp.services import chats, council, not_kept
from memapp.services.consent import pending
from memapp.services.not_kept import Refusals
from memapp.ui import read_models
from memapp.ui.background import background
from memapp.ui.chat.answer_form import AnswerForm
from memapp.ui.chat.notes import value_of, with_outcomes
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.status import Status
from memapp.ui.dialogs import Question, TextCard
from memapp.ui.memories.actions import LABEL_CHARS, MemoryActions
from memapp.ui.messages import MemoryWanted, MessageWanted, ModeWanted, ThreadWanted
from memapp.ui.panels.loop import LoopDrawer
from memapp.ui.safe import copy, notify
from memapp.ui.widgets.bubbles import Answer, Note, Said, Welcome
from memapp.ui.widgets.council import CHOICES, CouncilCard
from memapp.ui.widgets.labels import matched
from memapp.ui.widgets.outcome import OutcomeNote, words_of
from memapp.ui.widgets.transcript import Transcript


class ChatTranscript(Transcript):
    """The messages of the chat that is shown: its end, the stretch around a message, earlier pages,
    or a welcome.
    """

    BINDING_GROUP_TITLE = "Conversation"
    HELP = (
        "Up and down choose a message or the line below it, left and right a memory. Enter opens the choice; w shows what "
        "was kept of a message, and why the rest was not. Letters are keys for the choice; right after escape nothing is "
        "chosen, and letters go to the composer."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,down", "choose", "Choose a message", id="transcript.choose", key_display="↑"),
        Binding("up,k", "step(-1)", "Message", show=False, id="transcript.up"),
        Binding("down,j", "step(1)", "Message", show=False, id="transcript.down"),
        Binding("left,h", "chip(-1)", "Memory", show=False, id="transcript.chip_left"),
        Binding("right,l", "chip(1)", "Memory", show=False, id="transcript.chip_right"),
        Binding("g,home", "first", "First", show=False, id="transcript.first"),
        Binding("G,end", "last", "Last", show=False, id="transcript.last"),
        Binding("enter", "open", "Open", id="transcript.open", key_display="⏎"),
        Binding("y,c", "copy", "Copy", id="transcript.copy", key_display="y"),
        Binding("e", "edit", "Edit", id="transcript.edit"),
        Binding("r", "retry", "Retry", id="transcript.retry"),
        Binding("o", "go_on", "Go on", id="transcript.go_on"),
        Binding("m", "remember", "Remember", id="transcript.remember"),
        Binding("u", "take_back", "Undo", id="transcript.take_back"),
        Binding("w", "outcome", "What was kept", id="transcript.outcome"),
        Binding("s", "council", "Council", id="transcript.council"),
        *(
            Binding(
                str(key), f"take('{choice}')", label, show=False, id=f"transcript.take_{choice}"
            )
            for key, (choice, label) in CHOICES.items()
        ),
        Binding("z", "thoughts", "Thoughts", id="transcript.thoughts"),
        Binding("t", "samples", "Sample chats", id="transcript.samples"),
        Binding("v", "colours", "Colours", id="transcript.colours"),
        Binding(
            "left_square_bracket",
            "variant(-1)",
            "Other answer",
            show=False,
            id="transcript.variant_before",
        ),
        Binding(
            "right_square_bracket",
            "variant(1)",
            "Other answer",
            show=False,
            id="transcript.variant_after",
        ),
    ]

    @dataclass
    class CharacterTyped(Announcement):
        """The person wrote or pasted something that is no key here."""

        text: str
        pasted: bool

    @dataclass
    class EditWanted(Announcement):
        message: Message

    class RetryWanted(Announcement):
        """The person wants the last message answered again."""

    @dataclass
    class CouncilWanted(Announcement):
        """The person wants a council over the answer to a message."""

        message_id: str

    class GoOnWanted(Announcement):
        """The person wants more of an answer that ended at its length limit."""

    def __init__(self, state: ChatState, status: Status, drawer: LoopDrawer) -> None:
        super().__init__()
        self._state = state
        self._runtime = state.runtime
        self._status = status
        self._drawer = drawer
        self.actions = MemoryActions(self, state.session)
        self._refusals: dict[str, Refusals] = {}
        """What was judged of the messages on the screen, by their ids, once: that takes the
        embedding model.
        """

    # What is shown of the chats -------------------------------------------------------------------

    async def show_thread(self, thread: Thread, at: Message | None = None) -> None:
        """Show the last messages of a thread, or those around `at`."""
        page, later = await asyncio.to_thread(read_models.stretch, self._runtime, thread.id, at)
        if not page.messages:
            await self.welcome()
            return
        self._refusals.clear()
        await self.show(
            await self._widgets(page.messages),
            earlier=page.more,
            later=later,
            at=at.id if at else "",
        )
        self.explain_all()
        self.show_outcomes()
        self.show_councils()

    async def show_news(self, thread: Thread) -> bool:
        """Show the end of a thread anew if it is not what is on the screen; say whether all of it
        is there now.

        Whoever reads further above stays there.
        """
        if not self.complete:
            return True
        now = (await asyncio.to_thread(chats.page, self._runtime, thread.id)).messages
        shown = [bubble.message for bubble in self.bubbles]
        written = (
            self._state.busy or self._state.turn.doing
        )  # the end of a turn may be told and not shown yet
        if written or _known(shown[-len(now) :]) == _known(now[-len(shown) :]):
            return True
        if not self.is_vertical_scroll_end:
            return False
        await self.show_thread(thread)
        return True

    @background("earlier", exclusive=True)
    async def load_earlier(self, before: int) -> None:
        if self._state.thread is not None:
            page = await asyncio.to_thread(chats.page, self._runtime, self._state.thread.id, before)
            await self.show_earlier(await self._widgets(page.messages), earlier=page.more)
            self.explain(page.messages)
            self.show_outcomes()
            self.show_councils()

    def go_to_end(self) -> None:
        self.screen.post_message(ThreadWanted(self._state.thread))

    async def welcome(self) -> None:
        words, path = await asyncio.to_thread(read_models.welcome_words, self._runtime)
        await self.show([Welcome(words, path)], earlier=False)

    @background("open")
    async def refresh_welcome(self) -> None:
        """Say what an empty chat says now: a model was loaded, or is on its way."""
        for shown in self.query(Welcome):
            shown.say(*await asyncio.to_thread(read_models.welcome_words, self._runtime))

    def bubble(self, message: Message) -> Said | Answer:
        """Return the widget of a message; the one that is being written goes on where it is."""
        if message.role is Role.USER:
            return Said(message)
        turn = self._state.turn
        running = turn.writes(message)
        answer = Answer(
            message,
            self._state.persona_name,
            streaming=running,
            text=turn.text if running else None,
            thoughts=self._state.thoughts.of(message.id),
        )
        if running and turn.loop is not None:
            answer.hits = turn.loop.hits
        return answer

    async def _widgets(self, messages: Sequence[Message]) -> list[Said | Answer | OutcomeNote]:
        """Return the messages with a quiet line for what is remembered of them or waits because of
        them.
        """
        outcomes = await asyncio.to_thread(read_models.outcomes, self._runtime, messages, {})
        return list(with_outcomes([self.bubble(message) for message in messages], outcomes))

    def explain_all(self) -> None:
        """Look up again what all answers on the screen were made from; an old result must not come
        after a newer one.
        """
        self.workers.cancel_group(self, "explain")
        self.explain(
            [
                bubble.message
                for bubble in (*self._above, *self.bubbles)
                if isinstance(bubble, Said | Answer)
            ]
        )

    @background("explain")
    async def explain(self, messages: Sequence[Message]) -> None:
        """Put below answers what they were made from."""
        replies = [message for message in messages if message.role is Role.ASSISTANT]
        found = await asyncio.to_thread(read_models.explanations, self._runtime, replies)
        if not self.is_attached:
            return  # memapp closed meanwhile
        last = self.last_answer
        for reply_id, (trace, variant) in found.items():
            answer = self.answer(reply_id)
            if answer is not None:
                answer.explain(trace.hits, variant)
            if answer is last and not self._state.turn.doing:
                self._state.turn.loop = trace
                self._drawer.show(trace)

    @background("outcomes", exclusive=True)
    async def show_outcomes(self) -> None:
        """Say below the answers what came of their messages: at once what the file tells, then what
        is still to be judged.
        """
        messages = [
            bubble.message for bubble in (*self._above, *self.bubbles) if isinstance(bubble, Said)
        ]
        if self._state.busy:
            messages = messages[:-1]  # of the one that is answered it is told in the end
        await self._look_at(messages)
        for message in reversed(messages):
            if self._state.busy or message.id in self._refusals:
                continue
            refusals = await asyncio.to_thread(not_kept.judged, self._runtime, message)
            if refusals is None:
                return  # the embedding model is still being loaded
            self._refusals[message.id] = refusals
            await self._look_at([message])

    async def _look_at(self, messages: Sequence[Message]) -> None:
        found = await asyncio.to_thread(
            read_models.outcomes, self._runtime, messages, dict(self._refusals)
        )
        if self.is_attached:  # memapp may have closed meanwhile
            for message in messages:
                self.put_outcome(message.id, found.get(message.id, Outcome()))

    @background("councils", exclusive=True)
    async def show_councils(self) -> None:
        """Show below the answers what councils said of them."""
        messages = [
            bubble.message for bubble in (*self._above, *self.bubbles) if isinstance(bubble, Said)
        ]
        found = await asyncio.to_thread(read_models.councils, self._runtime, messages)
        if self.is_attached:
            for shown in found.values():
                self.put_card(CouncilCard(shown))

    @background("waiting")
    async def hide_answered(self) -> None:
        """Hide the lines about what waits no longer, since it was answered elsewhere."""
        if notes := [item for item in self.query(Note) if item.waits]:
            left = {
                value_of(request)
                for request in await asyncio.to_thread(pending.list_pending, self._runtime)
            }
            for note in notes:
                note.display = not left.isdisjoint(note.waits)

    # What is typed --------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        letter = event.character or ""
        is_command = self._takes_letters and event.key in self.screen.active_bindings
        if event.is_printable and not letter.isspace() and not is_command:
            event.stop()
            self.post_message(self.CharacterTyped(letter, pasted=False))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.post_message(self.CharacterTyped(event.text, pasted=True))

    @property
    def _takes_letters(self) -> bool:
        """A message is chosen, or the card of the first start is there, which tells its keys."""
        return self._cursor is not None or bool(self._first_path)

    @property
    def _first_path(self) -> str:
        """Where the memory file is, while the card of the first start tells it."""
        return next((item.path for item in self.query(Welcome)), "")

    # What is done with a message ------------------------------------------------------------------

    def check_action(
        self, action: str, parameters: tuple[object, ...]
    ) -> bool | None:  # Textual's signature
        match action:
            case "choose":
                return self._cursor is None and bool(self.bubbles)
            case "go_on":
                return self._cursor is not None and self.can_go_on
            case "retry":
                return (
                    self._cursor is not None
                    and self.last_answer is not None
                    and not self.in_own_words
                )
            case "take_back":
                return (
                    self._cursor is not None
                    and self.outcome is not None
                    and self.outcome.does("undo")
                )
            case "edit" | "remember" if self._cursor is not None and self.outcome is not None:
                return self.outcome.does("edit" if action == "edit" else "keep")
            case "outcome":
                return self._cursor is not None and self.outcome_below is not None
            case "council":
                return self._cursor is not None and self._reviewed() is not None
            case "take":
                return self.council is not None and self.council.takes(cast(Choice, parameters[0]))
            case "thoughts":
                return (
                    self._cursor is not None
                    and isinstance(self.cursor, Answer)
                    and self.cursor.thoughts is not None
                )
            case "step" | "open" | "edit" | "remember" | "variant":
                return self._cursor is not None
            case "chip" | "first" | "last":
                return bool(
                    self.bubbles
                )  # beside the card of the first start their letters begin a message
            case "copy":
                return self._takes_letters
            case "samples" | "colours":
                return bool(self._first_path)
        return True

    @property
    def can_go_on(self) -> bool:
        """The last answer ended at its length limit."""
        return self.replied is not None and self.replied.cut

    def action_copy(self) -> None:
        if self.outcome is not None and self.outcome.chosen is not None:
            copy(self, words_of(self.outcome.chosen))
        elif (bubble := self.cursor) is not None:
            copy(self, bubble.text if isinstance(bubble, Answer) else bubble.message.text)
        elif self._first_path:
            copy(self, self._first_path)

    def action_edit(self) -> None:
        bubbles = self.bubbles
        if self.outcome is not None:
            self.outcome.do("edit")
            return
        if (bubble := self.cursor) is None:
            return
        before = bubbles[: bubbles.index(bubble) + 1]
        said = next(
            (bubble for bubble in reversed(before) if bubble.message.role is Role.USER), None
        )
        if said is not None:
            self.post_message(self.EditWanted(said.message))

    def action_retry(self) -> None:
        self.post_message(self.RetryWanted())

    def action_take_back(self) -> None:
        if self.outcome is not None:
            self.outcome.do("undo")

    def _reviewed(self) -> str | None:
        """Return the message over whose answer a council can be held: that of the chosen answer, or
        of a card that stopped.
        """
        if self.council is not None:
            return self.council.message_id if self.council.shown.is_open else None
        answer = self.cursor
        if (
            not isinstance(answer, Answer)
            or answer.message.origin is Origin.COMMAND
            or answer.message.model == OWN_WORDS
        ):
            return None
        return answer.message.reply_to

    def action_council(self) -> None:
        if message_id := self._reviewed():
            self.post_message(self.CouncilWanted(message_id))

    @background("deed")
    async def action_take(self, choice: Choice) -> None:
        """Take what a council put before the person, or words of their own."""
        if (card := self.council) is None:
            return
        held, label = card.shown.held, called("choices", choice)
        if choice == "edit":
            save = partial(council.decide, self._runtime, held.id, "edit")
            done = await self.app.push_screen_wait(AnswerForm(held.revision or held.draft, save))
        else:
            done = await asyncio.to_thread(council.decide, self._runtime, held.id, choice)
        if done is not None:
            self._state.session.did(self, label, done.step)
            if self._state.thread is not None:
                await self.show_thread(self._state.thread)

    def action_thoughts(self) -> None:
        """Unfold what the model thought before the chosen answer, or fold it again."""
        if isinstance(self.cursor, Answer) and self.cursor.thoughts is not None:
            self.cursor.thoughts.toggle()

    def action_go_on(self) -> None:
        self.post_message(self.GoOnWanted())

    async def action_samples(self) -> None:
        await self.run_action("app.samples")

    async def action_colours(self) -> None:
        await self.run_action("app.colours")

    def action_remember(self) -> None:
        if self.outcome is not None:
            self.outcome.do("keep")
        elif (bubble := self.cursor) is not None:
            self.write_memory(bubble.message.text, bubble.message.id)

    @background("deed")
    async def write_memory(self, text: str, *sources: str) -> None:
        await self.actions.write(text, *sources)

    @background("variant", exclusive=True)
    async def action_variant(self, step: int) -> None:
        """Make the answer before or after the chosen one the one that counts."""
        answer = self.cursor
        if isinstance(answer, Answer) and answer.message.unprompted:
            answer = (
                self.replied
            )  # what was said unasked has no other forms; the answer above it may have some
        if not isinstance(answer, Answer):
            return
        reply = answer.message
        variants = await asyncio.to_thread(chats.variants, self._runtime, reply)
        at = (
            next((number for number, message in enumerate(variants) if message.id == reply.id), 0)
            + step
        )
        if not 0 <= at < len(variants) or self._state.turn.doing:
            return
        last = self.replied
        if last is None or last.message.id != reply.id or not self.complete:
            self._status.say("Only the last answer can be switched: what follows was said to it.")
            return
        await asyncio.to_thread(chats.choose_variant, self._runtime, variants[at])
        await self.cut_from(reply.id)
        await self.put_back(self.bubble(replace(variants[at], active=True)))
        self.explain([variants[at]])
        self.show_outcomes()

    # What is done about what came of one ----------------------------------------------------------

    @on(OutcomeNote.Wanted)
    @background("deed")
    async def _about(self, event: OutcomeNote.Wanted) -> None:
        match event.deed, event.item:
            case "edit", Taught(memory=memory):
                await self.actions.edit(memory)
            case "undo", Taught(step=step):
                await self.run_action(f"app.undo({step!r})")
            case "keep", NotKept() as one:
                said, step = await asyncio.to_thread(
                    not_kept.keep_anyway, self._runtime, event.note.message_id, one
                )
                if step:
                    self._state.session.did(
                        self, f"Remembered “{shorten(words_of(one), LABEL_CHARS)}”", step
                    )
                else:
                    notify(self, said, problem=True)
            case "open", Taught(memory=memory):
                self.app.post_message(MemoryWanted(memory.id))
            case "open", ConsentRequest():
                self.app.post_message(ModeWanted("inbox", "requests"))

    # What opens above it --------------------------------------------------------------------------

    def action_open(self) -> None:
        match self.stop:
            case OutcomeNote() as note:
                note.act()
            case Answer(chosen=Recalled() as hit):
                self.open_hit(hit)
            case Answer() | Said() as bubble:
                self._open_message(bubble.message)

    @background("card", exclusive=True)
    async def open_hit(self, hit: Recalled) -> None:
        why = f"Used for this answer: it {matched(hit.why)}."
        if hit.kind == "memory":
            self.app.post_message(MemoryWanted(hit.id, why))
        elif hit.kind == "lesson":
            self.app.post_message(ModeWanted("learned", hit.id))
        else:
            message = await asyncio.to_thread(chats.get_message, self._runtime, hit.id)
            await self._read(
                "You said" if hit.said_by == "user" else "An earlier answer",
                message,
                why,
                jump="go there",
            )

    @background("card", exclusive=True)
    async def _open_message(self, message: Message) -> None:
        await self._read("You" if message.role is Role.USER else self._state.persona_name, message)

    async def _read(self, title: str, message: Message, note: str = "", *, jump: str = "") -> None:
        """Show a whole message, and do what the person then wants."""
        wanted = await self.app.push_screen_wait(
            TextCard(title, message.text, note=note, jump=jump)
        )
        if wanted == "copy":
            copy(self, message.text)
        elif wanted == "jump":
            self.app.post_message(MessageWanted(message.id))

    @on(Markdown.LinkClicked)
    @background("card", exclusive=True)
    async def _follow(self, event: Markdown.LinkClicked) -> None:
        """Show where a link leads; it is opened only on a word of the person, and only if it is a
        web address.
        """
        web = event.href.startswith(("http://", "https://"))
        note = (
            "This leaves memapp: your browser will open it."
            if web
            else "memapp opens only web addresses."
        )
        question = Question(
            "Open this link?",
            f"{shorten(event.href, 500)}\n\n{note}",
            "open it" if web else "close",
            "close",
        )
        if await self.app.push_screen_wait(question) and web:
            self.app.open_url(event.href)


def _known(messages: Sequence[Message]) -> list[tuple[str, str, str]]:
    """Return what a screen shows of messages."""
    return [(message.id, message.status, message.text) for message in messages]
