"""The model's part of a turn: predict what is needed, recall it, reply, and save how it ended.

Whatever fails on the way, the reply's row gets a final state and keeps the text written so far.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TypeVar

from memapp.domain.chat import (
    FROM_MEMORY,
    MAX_MESSAGE_CHARS,
    OWN_WORDS,
    Message,
    MessageStatus,
    Role,
    exchanges,
)
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Finished, Piece, Usage
from memapp.domain.repetition import loop_start, without_echo
from memapp.domain.text import clean, one_line, shorten
from memapp.domain.turn import (
    Completed,
    Failed,
    Found,
    Predicted,
    Restarted,
    Streamed,
    Thinking,
    TurnEvent,
    Waiting,
)
from memapp.errors import DiskFull, MemappError, ModelDied, ModelError, StoreError
from memapp.inference import Cancel, ChatModel, after
from memapp.language.asked import asked_about, content
from memapp.language.held import is_held
from memapp.language.recited import misquoted, recited, without
from memapp.language.word_file import words_of
from memapp.prompts import own_remarks, predict, respond
from memapp.prompts.attempt import Attempt
from memapp.prompts.context import PromptContext
from memapp.runtime import Runtime
from memapp.services.limits import forgotten_limits, reminder
from memapp.services.open_turn import OpenTurn, best_effort, said_in
from memapp.services.query import conversation_scope
from memapp.services.quotations import Quoted, quotation
from memapp.services.retrieved import Retrieved, look_up, shown
from memapp.services.turn_prompt import affordable, prompt_context, reply_request
from memapp.store import chat, checkpoints, delta, events, expectations, leases, recalls
from memapp.store.access_counts import count_access
from memapp.store.session import Session

T = TypeVar("T")
SAVE_PARTIAL_SECONDS = 2.0
TITLE_CHARS = 48
ERASED = ("Something was erased for good while this was written.", "Try again.")
ENDS = (".", "!", "?", "\n")
"""After these it is looked whether a reply goes round in circles."""


def answer(runtime: Runtime, turn: OpenTurn) -> Iterator[TurnEvent]:
    """Write the reply of an open turn; ends with `Completed` or `Failed`."""
    reply = _Reply(runtime, turn)
    error: MemappError | None = None
    try:
        with (
            reply.watched(),
            leases.renewed(runtime.write, chat.answering(turn.thread.id), runtime.database.owner),
        ):
            yield from reply.write()
        reply.settle()
    except ModelDied as reason:
        reply.status, error = MessageStatus.INTERRUPTED, reason
    except MemappError as reason:
        reply.status, error = MessageStatus.FAILED, reason
    except GeneratorExit:  # the watcher stopped iterating
        reply.status = MessageStatus.STOPPED
        raise
    finally:
        saved, unsaved = reply.save()
    if (
        problem := error
        or unsaved
        or (MemappError(*ERASED) if saved.status is MessageStatus.FAILED else None)
    ):
        yield Failed(saved, problem)
    else:
        yield Completed(saved)


@dataclass
class _Reply:
    """A reply that is being written, and what it has so far."""

    runtime: Runtime
    turn: OpenTurn
    text: str = ""
    needed_info: tuple[str, ...] = ()
    has_asked: bool = False
    """Call 1 has said what is needed, now or in idle time; that may be nothing."""
    retrieved: Retrieved = field(default_factory=Retrieved)
    shown: tuple[Recalled, ...] = ()
    """What the prompt says of the memory."""
    predict_usage: Usage = field(default_factory=Usage)
    usage: Usage = field(default_factory=Usage)
    status: MessageStatus = MessageStatus.FAILED
    """Stays so unless the reply ends better."""
    thought: bool = False
    """Whether the model thought before it spoke."""
    waited_seconds: float = 0.0
    saved_at: float = field(default_factory=time.monotonic)
    overdue: str = ""
    """Why the watchdog stopped the turn."""

    def write(self) -> Iterator[TurnEvent]:
        """Make the model's calls, and the reply once more if it says again what was said."""
        runtime, turn = self.runtime, self.turn
        if turn.known is not None:
            self.text = own_remarks.reworded(turn.known.text, self._said())
            self.retrieved = Retrieved(turn.known.hits, searches=1)
            self.waited_seconds = time.monotonic() - turn.began_at
            yield self._found()
            yield Streamed(self.text)
            return
        if runtime.chat.ready() is None:
            yield Waiting(runtime.chat.note)
        model = runtime.chat.wait(turn.cancel, runtime.settings.first_token_seconds)
        context_of = partial(prompt_context, runtime, model, turn.thread, turn.earlier)
        if turn.message is None:
            context = context_of(None)
        else:
            in_prompt, about = [*turn.earlier, turn.message], turn.message.text
            if turn.prefetch is not None:
                about = turn.prefetch.message  # the same as in idle time, so that the cache fits
            context = context_of(turn.message.text)
            if turn.prefetch is not None:
                self.needed_info, self.has_asked = turn.prefetch.needed_info, True
                yield Predicted(self.needed_info, "prefetched", Usage())
            else:
                yield self._predict(model, context)
            self.retrieved = (
                self._attempt("look_up", partial(self._look_up, model, context, about, in_prompt))
                or Retrieved()
            )
            yield self._found()
        context = replace(context, said=(*context.said, *turn.others))
        attempt = Attempt(len(turn.others))
        yield from self._stream(model, context, attempt)
        message = turn.message.text if turn.message else ""
        repeated = (
            respond.repeats(self.text, exchanges(turn.earlier), message)
            or self._echoed
            or " ".join(self._recited)
        )
        if (repeated or self.text.strip() in turn.others) and not turn.cancel.is_set():
            yield Restarted(repeated or self.text)
            self.text = ""
            attempt = replace(attempt, second=True)
            yield from self._stream(model, context, attempt)
        if turn.cancel.is_set():
            return
        if echoed := self._echoed:
            yield Restarted(echoed)
            self.text = without_echo(self.text, echoed) or own_remarks.reworded(
                own_remarks.NO_ANSWER[0], self._said()
            )
            yield Streamed(self.text)
        elif said := self._recited:
            yield Restarted(" ".join(said))
            none = own_remarks.reworded(own_remarks.NO_ANSWER[0], self._said())
            self.text = without(self.text, said) or self._told_again() or none
            yield Streamed(self.text)
        elif denied := self._denied:
            yield Restarted(self.text)
            self.text = "\n".join(quotation(self.runtime, hit) for hit in denied)
            yield Streamed(self.text)
        if turn.quoted and not self._attempt("is_held", partial(self._is_held, turn.quoted)):
            yield Restarted(self.text)
            self.turn, self.text = replace(turn, known=turn.quoted.told), turn.quoted.told.text
            yield Streamed(self.text)
        elif turn.message is not None:
            yield from self._attempt("remind", self._remind) or ()

    def settle(self) -> None:
        """Say how the reply ended. Raises `ModelError` for none."""
        if self.overdue:
            raise ModelError(self.overdue, "Try again, or choose a smaller model.")
        if self.turn.cancel.is_set():
            self.status = MessageStatus.STOPPED
            return
        if not self.text.strip() and self.thought:
            raise ModelError(
                "The model only thought, and said nothing.",
                "Set a larger `reply_tokens`, or choose a model that answers at once.",
            )
        if not self.text.strip():
            raise ModelError("The model wrote nothing.", "Try again.")
        self.status = MessageStatus.COMPLETE

    def _predict(self, model: ChatModel, context: PromptContext) -> Predicted:
        """Call 1. It is read only until its list of needed information is closed; the rest is
        completed in idle time.
        """
        if self.turn.kept:
            self.needed_info, self.has_asked = self.turn.kept, True
            return Predicted(self.turn.kept, "kept", Usage())
        prompt, sampling = predict.request(context)
        text, enough = "", Cancel()
        with (
            self.turn.cancel.heard_by(enough.set),
            closing(model.generate(prompt, sampling, enough)) as stream,
        ):
            for part in stream:
                if isinstance(part, Finished):
                    self.predict_usage = part.usage
                elif not enough.is_set():
                    text = part.joined_to(text)
                    if predict.read_enough(text):
                        enough.set()
        self.needed_info = predict.parse(text)
        self.has_asked = bool(self.needed_info) or predict.needs_nothing(text)
        if self.has_asked:
            with self._saving() as session:
                checkpoints.advance(
                    session, self.turn.thread.id, lambda at: at.predicted(self.needed_info)
                )
            return Predicted(self.needed_info, "model", self.predict_usage)
        return Predicted(predict.keywords(context.message or ""), "keywords", self.predict_usage)

    def _attempt(self, op: str, step: Callable[[], T]) -> T | None:
        return best_effort(self.runtime, self.turn.thread.id, op, step)

    def _look_up(
        self, model: ChatModel, context: PromptContext, about: str, in_prompt: list[Message]
    ) -> Retrieved:
        """Return what is known for the reply, as far as its prompt says it and has room for it."""
        if self.turn.quoted:
            found = Retrieved(self.turn.quoted.told.hits, searches=1)
        else:
            found = look_up(self.runtime, self.turn.thread.id, about, self.needed_info, in_prompt)
        return affordable(self.runtime, model, context, found)

    def _stream(
        self, model: ChatModel, context: PromptContext, attempt: Attempt
    ) -> Iterator[TurnEvent]:
        prompt, sampling = reply_request(self.runtime, context, self.retrieved, attempt)
        with closing(model.generate(prompt, sampling, self.turn.cancel)) as stream:
            for part in stream:
                match part:
                    case Finished(reason=reason, usage=usage):
                        self.usage = replace(
                            usage, at_limit=reason == "length", waited_seconds=self.waited_seconds
                        )
                    case Piece(retracts=True, thought=thought):
                        yield self._retracted(clean(thought))
                    case Piece(text="", thought=thought):
                        self.thought = True
                        yield Thinking(clean(thought))
                    case Piece(text=text):
                        self.waited_seconds = (
                            self.waited_seconds or time.monotonic() - self.turn.began_at
                        )
                        said = clean(text)[: MAX_MESSAGE_CHARS - len(self.text)]
                        self.text += said
                        self._save_partial()
                        yield Streamed(said)
                        if said.rstrip(" ").endswith(ENDS) and self._cut():
                            self.usage = Usage(waited_seconds=self.waited_seconds)
                            break
                        if len(self.text) == MAX_MESSAGE_CHARS:  # nothing counted what that cost
                            self.usage = Usage(at_limit=True, waited_seconds=self.waited_seconds)
                            break
        self._cut()

    def _retracted(self, thought: str) -> Thinking:
        """Take back what was streamed, since it was a thought, also out of what is saved of the
        reply.
        """
        self.text = ""
        self.thought, self.waited_seconds, self.saved_at = True, 0.0, -math.inf
        self._save_partial()
        return Thinking(thought, retracts=True)

    def _cut(self) -> bool:
        """Cut a reply where it goes round in circles, and return True if it ends there."""
        start = loop_start(self.text)
        self.text = self.text[:start]
        return start is not None

    def _remind(self) -> list[TurnEvent]:
        """Put below a reply that forgets a limit of the person what they told of it."""
        message = self.turn.message.text if self.turn.message else ""
        if not (forgotten := forgotten_limits(self.runtime, self.text, message)):
            return []
        told = reminder(self.runtime, forgotten)
        new = [hit for hit in forgotten if hit.id not in {hit.id for hit in self.shown}]
        with self._saving() as session:
            recalls.save_recalls(session, self.turn.reply.id, new, after=len(self.shown))
        self.text, self.shown = self.text.rstrip() + told, (*self.shown, *new)
        return [Streamed(told), *([Found(self.shown)] if new else [])]

    def _is_held(self, quoted: Quoted) -> bool:
        """Return True for a reply that says of the person what the quotations say, or what was said
        in the chat.
        """
        message = self.turn.message.text if self.turn.message else ""
        chat_said = [message.text for message in self.turn.earlier if message.role is Role.USER]
        return is_held(self.text, message, quoted.lines, chat_said, words_of(message))

    def _said(self) -> list[str]:
        return said_in(self.runtime.read(), self.turn.thread.id)

    @property
    def _echoed(self) -> str:
        """The message, if the reply says it again."""
        message = self.turn.message.text if self.turn.message else ""
        return message if without_echo(self.text, message) != self.text else ""

    @property
    def _recited(self) -> list[str]:
        """What the model says as the person, in the words of their notes or of the message, and
        what it only seems to quote.
        """
        message, notes = (
            self.turn.message.text if self.turn.message else "",
            [respond.words(hit) for hit in self._told],
        )
        said = [
            *notes,
            *(message.text for message in self.turn.earlier if message.role is Role.USER),
            message,
        ]
        return [*misquoted(self.text, said), *recited(self.text, notes, message, words_of(message))]

    @property
    def _told(self) -> list[Recalled]:
        """The notes that hold the person's own words."""
        return [
            hit
            for hit in (*self.retrieved.hits, *self.retrieved.limits)
            if hit.said_by != "assistant"
        ]

    @property
    def _denied(self) -> list[Recalled]:
        """The notes with all that the message asks about, where the reply says that it was not
        told.
        """
        message = self.turn.message.text if self.turn.message else ""
        words = words_of(message)
        if not asked_about(message, words) or not words_of(self.text).finds(
            "questions", "unknown", self.text
        ):
            return []
        subject = set(content(message, words))
        return [hit for hit in self._told if subject and subject <= set(content(hit.text, words))]

    def _told_again(self) -> str:
        """Return, as quotations, the notes that a reply recites."""
        message = self.turn.message.text if self.turn.message else ""
        words = words_of(message)
        hits = [
            hit for hit in self._told if recited(self.text, [respond.words(hit)], message, words)
        ]
        return "\n".join(quotation(self.runtime, hit) for hit in hits)

    def _found(self) -> Found:
        """Save what stands in the prompt before the reply begins: what is left of it after a kill
        was written from that.
        """
        best = max(self.retrieved.hits, key=lambda hit: hit.score, default=None)
        sim, category = (best.score, best.category or None) if best else (None, None)
        self.shown = shown(self.runtime, self.retrieved)
        with self._saving() as session:
            recalls.save_recalls(session, self.turn.reply.id, self.shown)
            for _ in range(self.retrieved.searches):
                events.add_event(
                    session,
                    "hotpath",
                    "search",
                    "ok",
                    thread_id=self.turn.thread.id,
                    category=category,
                    sim=sim,
                )
            revision = delta.revision(session)
            checkpoints.advance(
                session,
                self.turn.thread.id,
                lambda at: at.recalled([hit.id for hit in self.shown], revision),
            )
        return Found(self.shown)

    @contextmanager
    def _saving(self) -> Iterator[Session]:
        """Write what the turn has so far, unless the words that it may hold were erased meanwhile."""
        with self.runtime.write() as session:
            if self.runtime.database.erasures != self.turn.erasures:
                raise MemappError(*ERASED)
            yield session

    def _save_partial(self) -> None:
        if time.monotonic() - self.saved_at >= SAVE_PARTIAL_SECONDS:
            self.saved_at = time.monotonic()
            with (
                suppress(DiskFull),
                self._saving() as session,
            ):  # the person reads on; the end tells
                chat.save_partial(session, self.turn.reply.id, self.text)
                checkpoints.advance(session, self.turn.thread.id, Checkpoint.replying)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Give a turn up when its first token, or its end, is overdue."""
        first, whole = self.runtime.settings.first_token_seconds, self.runtime.settings.turn_seconds

        def give_up(reason: str) -> None:
            self.overdue = reason
            self.turn.cancel.set()

        def give_up_unless_begun() -> None:
            if not (self.waited_seconds or self.thought):
                give_up(f"No answer began within {first} seconds.")

        too_long = partial(give_up, f"The answer did not end within {whole} seconds.")
        with after(first, give_up_unless_begun), after(whole, too_long):
            yield

    def save(self) -> tuple[Message, StoreError | None]:
        """End the reply in the file. If that fails, as on a full disk, return why with what is on
        the screen.

        When something was erased for good meanwhile, it is only that the reply failed: all the rest
        may hold the words.
        """
        reply = self.turn.reply
        try:
            with self.runtime.write() as session:
                erased = self.runtime.database.erasures != self.turn.erasures
                kept = _Reply(self.runtime, self.turn) if erased else self
                kept._finish(session, is_whole=not erased)
        except StoreError as error:
            return replace(
                reply, text=self.text.strip(), status=MessageStatus.FAILED, usage=self.usage
            ), error
        return replace(
            reply, text=kept.text.strip(), status=kept.status, usage=kept.usage, model=kept._by
        ), None

    @property
    def _by(self) -> str:
        """Who wrote the reply."""
        if self.turn.known is None:
            return self.turn.reply.model
        return OWN_WORDS if self.turn.known.is_own_word else FROM_MEMORY

    def _finish(self, session: Session, *, is_whole: bool) -> None:
        """The second commit: the reply, what is expected next, which memories were of use, and what
        it cost.
        """
        thread_id, reply, message = self.turn.thread.id, self.turn.reply, self.turn.message
        chat.finish_message(session, reply.id, self.text.strip(), self.status, self.usage, self._by)
        count_access(
            session,
            [
                hit.id
                for hit in (*self.retrieved.hits, *self.retrieved.limits)
                if hit.kind == "memory"
            ],
        )
        if self.status not in (MessageStatus.FAILED, MessageStatus.INTERRUPTED):
            delta.settle(
                session, conversation_scope(self.runtime), thread_id, self.retrieved.delta.settled
            )
        if self.has_asked:
            expectations.save_prediction(
                session, thread_id, reply.id, "predictor", "", self.needed_info
            )
        if (
            message
            and is_whole
            and not any(message.role is Role.USER for message in self.turn.earlier)
        ):
            chat.rename_thread(
                session, thread_id, shorten(one_line(message.text), TITLE_CHARS), "app"
            )
        self._note(session)
        checkpoints.advance(session, self.turn.thread.id, Checkpoint.settled)
        leases.release(session, chat.answering(thread_id), self.runtime.database.owner)

    def _note(self, session: Session) -> None:
        note = partial(events.add_event, session, thread_id=self.turn.thread.id)
        if self.turn.message and not (self.has_asked or self.turn.known):
            note("context", "predict", "skipped")
        meta = {
            "status": self.status,
            "recalled": len(self.retrieved.hits),
            "recalled_on_demand": int(self.retrieved.on_demand),
            "call_1": asdict(self.predict_usage),
            "call_2": asdict(self.usage),
        }
        has_failed = self.status in (MessageStatus.FAILED, MessageStatus.INTERRUPTED)
        note("hotpath", "respond", "error" if has_failed else "ok", meta=meta)
