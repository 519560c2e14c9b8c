"""The keys of the transcript in Chat, and the actions on the chosen message.

The tab key stops here once; the arrow keys move between messages and chips. Letters are commands
while a message is chosen; otherwise they go to the composer.
"""

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, cast

from textual import events, on
from textual.binding import Binding, BindingType
from textual.message import Message as Announcement
from textual.widgets import Markdown

from memapp.domain.chat import BY_MEMAPP, Message, Origin, Role
from memapp.domain.consent import ConsentRequest
from memapp.domain.memory import Recalled
from memapp.domain.provenance import NotKept, Taught
from memapp.domain.text import shorten
from memapp.domain.trust import Choice
from memapp.language.labels import called
from memapp.services import chats, council
from memapp.services.memory_requests import refused_sentences
from memapp.ui.background import background
from memapp.ui.chat.answer_form import AnswerForm
from memapp.ui.chat.thread_transcript import ThreadTranscript
from memapp.ui.dialogs import Question, TextCard
from memapp.ui.memories.actions import LABEL_CHARS
from memapp.ui.messages import MemoryWanted, MessageWanted, ModeWanted
from memapp.ui.safe_text import copy, notify
from memapp.ui.widgets.bubbles import Answer, Said, Welcome
from memapp.ui.widgets.council import CHOICES
from memapp.ui.widgets.labels import matched
from memapp.ui.widgets.outcome import OutcomeNote, words_of

NOTHING_TO_UNDO = "There is nothing to undo here. ctrl+z undoes the last change anywhere."
UNDO_WHICH = "More than one thing was kept of this message: w shows them, u undoes the chosen one."


class ChatTranscript(ThreadTranscript):
    """The transcript, with keys and actions for the chosen message."""

    BINDING_GROUP_TITLE = "Conversation"
    HELP = (
        "Up and down choose a message or the line below it, left and right a memory. "
        "Enter opens the choice; w shows what was kept of a message, and why the rest was not. "
        "Letters are keys for the choice; right after escape nothing is chosen, "
        "and letters go to the composer."
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
        Binding("u", "undo_step", "Undo", id="transcript.undo_step"),
        # Else the key would reach the app, and undo the last change anywhere.
        Binding("u", "undo_nothing", "Undo", show=False, id="transcript.undo_nothing"),
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
        """The person typed or pasted text that is not a key of the transcript."""

        text: str
        pasted: bool

    @dataclass
    class EditWanted(Announcement):
        message: Message

    class RetryWanted(Announcement):
        """The person wants another answer to the last message."""

    @dataclass
    class CouncilWanted(Announcement):
        """The person wants a council over the answer to a message."""

        message_id: str

    class GoOnWanted(Announcement):
        """The person wants the rest of a truncated answer."""

    # Typed characters -----------------------------------------------------------------------------

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
        """True if letters are keys: a message is chosen, or the first welcome shows keys."""
        return self._cursor is not None or bool(self._first_path)

    @property
    def _first_path(self) -> str:
        """The path of the memory file, while the welcome of the first start shows it."""
        return next((welcome.path for welcome in self.query(Welcome)), "")

    # Actions on a message -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
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
            case "undo_step" | "undo_nothing":
                return self._cursor is not None and (len(self._steps) == 1) == (
                    action == "undo_step"
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
                # Without messages, these letters begin a message.
                return bool(self.bubbles)
            case "copy":
                return self._takes_letters
            case "samples" | "colours":
                return bool(self._first_path)
        return True

    @property
    def can_go_on(self) -> bool:
        """True if the last answer was truncated at its length limit."""
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
        own_message = next(
            (bubble for bubble in reversed(before) if bubble.message.role is Role.USER), None
        )
        if own_message is not None:
            self.post_message(self.EditWanted(own_message.message))

    def action_retry(self) -> None:
        self.post_message(self.RetryWanted())

    @property
    def _steps(self) -> list[str]:
        """The steps to undo of the chosen line, or of the chosen message."""
        note = self.outcome_below
        if note is None:
            return []
        items = [note.chosen] if note is self.outcome and note.chosen else note.outcome.learned
        steps = (item.step for item in items if isinstance(item, Taught))
        return list(dict.fromkeys(filter(None, steps)))

    async def action_undo_step(self) -> None:
        await self.run_action(f"app.undo({self._steps[0]!r})")

    def action_undo_nothing(self) -> None:
        notify(self, UNDO_WHICH if self._steps else NOTHING_TO_UNDO)

    def _reviewed(self) -> str | None:
        """Return the message whose answer a council can review, or whose council can continue."""
        if self.council is not None:
            return self.council.message_id if self.council.shown.is_open else None
        answer = self.cursor
        if (
            not isinstance(answer, Answer)
            or answer.message.origin is Origin.COMMAND
            or answer.message.model == BY_MEMAPP
        ):
            return None
        return answer.message.reply_to

    def action_council(self) -> None:
        if message_id := self._reviewed():
            self.post_message(self.CouncilWanted(message_id))

    @background("deed")
    async def action_take(self, choice: Choice) -> None:
        """Choose the draft, the revision or an own answer after a council."""
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
        """Unfold or fold the thoughts of the chosen answer."""
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
        """Choose the previous or next variant of the answer."""
        answer = self.cursor
        if isinstance(answer, Answer) and answer.message.unprompted:
            # An unprompted message has no variants; the answer above may have some.
            answer = self.replied
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
            self._status.say("Only the last answer can be switched: later messages answer this.")
            return
        await asyncio.to_thread(chats.choose_variant, self._runtime, variants[at])
        await self.cut_from(reply.id)
        await self.put_back(self.bubble(replace(variants[at], active=True)))
        self.explain([variants[at]])
        self.show_outcomes()

    # Actions on an outcome ------------------------------------------------------------------------

    @on(OutcomeNote.Wanted)
    @background("deed")
    async def _about(self, event: OutcomeNote.Wanted) -> None:
        match event.deed, event.item:
            case "edit", Taught(memory=memory):
                await self.actions.edit(memory)
            case "undo", Taught(step=step):
                await self.run_action(f"app.undo({step!r})")
            case "keep", NotKept() as statement:
                words, step = await asyncio.to_thread(
                    refused_sentences.keep_anyway, self._runtime, event.note.message_id, statement
                )
                if step:
                    self._state.session.did(
                        self, f"Remembered “{shorten(statement.said, LABEL_CHARS)}”", step
                    )
                else:
                    notify(self, words, problem=True)
            case "open", Taught(memory=memory):
                self.app.post_message(MemoryWanted(memory.id))
            case "open", ConsentRequest():
                self.app.post_message(ModeWanted("inbox", "requests"))

    # Dialogs above the transcript -----------------------------------------------------------------

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
        """Show a whole message, then copy or open the message if the person wants."""
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
        """Show the target of a link; open a web address if the person agrees."""
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
