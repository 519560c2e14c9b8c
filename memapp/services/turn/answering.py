"""The model's part of a turn: predict the needed information, recall, reply, save the result.

Whatever fails on the way, the reply's row gets a final state and keeps the text written so far.
"""

import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from memapp.domain.chat import (
    MAX_MESSAGE_CHARS,
    Message,
    MessageStatus,
    Role,
    exchanges,
)
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Finished, Piece, Usage
from memapp.domain.repetition import loop_start, without_echo
from memapp.domain.text import clean
from memapp.domain.turn_events import (
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
from memapp.errors import MemappError, ModelDied, ModelError
from memapp.inference import Cancel, ChatModel, after
from memapp.language.grounding import is_held
from memapp.language.questions import wants_something
from memapp.language.recitation import without
from memapp.language.word_file import words_of
from memapp.prompts import own_remarks, predict, respond
from memapp.prompts.attempt import Attempt
from memapp.prompts.context import PromptContext
from memapp.runtime import Runtime
from memapp.services.open_turn import OpenTurn, best_effort, said_in
from memapp.services.recall import (
    QuotedAnswer,
    Retrieved,
    forgotten_limits,
    format_quotation,
    reminder,
    retrieve,
)
from memapp.services.reply import ERASED, OpenReply
from memapp.services.turn.prompt import affordable, prompt_context, reply_request
from memapp.services.turn.reply_checks import (
    denied_notes,
    echoed_message,
    recited_notes,
    recited_sentences,
)
from memapp.store import chat, checkpoints, leases, recalls

T = TypeVar("T")
ENDS = (".", "!", "?", "\n")
"""After each of these the reply is checked for a loop."""


def write_reply(runtime: Runtime, turn: OpenTurn) -> Iterator[TurnEvent]:
    """Write the reply of an open turn and save it; end with `Completed` or `Failed`."""
    reply = _ReplyWriter(runtime, turn)
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
    if error is None and unsaved is None and saved.status is MessageStatus.FAILED:
        error = MemappError(*ERASED)
    if problem := error or unsaved:
        yield Failed(saved, problem)
    else:
        yield Completed(saved)


class _ReplyWriter(OpenReply):
    """A reply that the model, or memapp, is writing."""

    def write(self) -> Iterator[TurnEvent]:
        """Generate the reply, a second time if the first repeats earlier text, and correct it."""
        runtime, turn = self.runtime, self.turn
        if turn.own_answer is not None:
            self.text = own_remarks.reworded(turn.own_answer.text, self._said())
            self.retrieved = Retrieved(turn.own_answer.hits, searches=1)
            self.waited_seconds = time.monotonic() - turn.began_at
            yield self.save_recalled()
            yield Streamed(self.text)
            return
        if runtime.chat.ready() is None:
            yield Waiting(runtime.chat.note)
        model = runtime.chat.wait(turn.cancel, runtime.settings.first_token_seconds)
        context = yield from self._prepare(model)
        attempt = Attempt(len(turn.earlier_replies))
        yield from self._stream(model, context, attempt)
        repeated = (
            respond.repeats(self.text, exchanges(turn.earlier), self._message)
            or echoed_message(self.text, self._message)
            or " ".join(self._recited())
        )
        if (repeated or self.text.strip() in turn.earlier_replies) and not turn.cancel.is_set():
            yield Restarted(repeated or self.text)
            self.text = ""
            yield from self._stream(model, context, replace(attempt, second=True))
        if not turn.cancel.is_set():
            yield from self._correct()

    def _prepare(self, model: ChatModel) -> Generator[TurnEvent, None, PromptContext]:
        """Predict the needed information and recall memories; return the context of the reply."""
        turn = self.turn
        context_of = partial(prompt_context, self.runtime, model, turn.thread, turn.earlier)
        if turn.message is None:
            context = context_of(None)
        else:
            in_prompt, about = [*turn.earlier, turn.message], turn.message.text
            context = context_of(turn.message.text)
            if turn.prefetch is not None:
                about = turn.prefetch.message  # the same as in idle time, so that the cache fits
                self.needed_info, self.has_asked = turn.prefetch.needed_info, True
                yield Predicted(self.needed_info, "prefetched", Usage())
            else:
                yield self._predict(model, context)
            look_up_notes = partial(self._look_up, model, context, about, in_prompt)
            self.retrieved = self._attempt("look_up", look_up_notes) or Retrieved()
            yield self.save_recalled()
        return replace(context, said=(*context.said, *turn.earlier_replies))

    def _correct(self) -> Iterator[TurnEvent]:
        """Remove recited and echoed sentences; replace a reply at odds with the notes; remind."""
        turn = self.turn
        rest = without(self.text, self._recited())
        rest = without_echo(rest, self._message)
        if rest != self.text.strip():
            yield Restarted(self.text)
            notes = recited_notes(self.text, self._message, self._notes)
            self.text = rest or self._quotations(notes) or self._remark()
            yield Streamed(self.text)
        elif denied := denied_notes(self.text, self._message, self._notes):
            yield Restarted(self.text)
            self.text = self._quotations(denied)
            yield Streamed(self.text)
        if turn.quoted and not self._attempt("is_held", partial(self._is_held, turn.quoted)):
            yield Restarted(self.text)
            self.turn, self.text = (
                replace(turn, own_answer=turn.quoted.answer),
                turn.quoted.answer.text,
            )
            yield Streamed(self.text)
        elif turn.message is not None:
            yield from self._attempt("remind", self._remind) or ()

    def settle(self) -> None:
        """Set the final status. Raises `ModelError` for an empty or overdue reply."""
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
        """Make call 1, which is read only up to the end of its list of needed information.

        The rest of the prediction is completed in idle time.
        """
        if self.turn.needed_info:
            self.needed_info, self.has_asked = self.turn.needed_info, True
            return Predicted(self.turn.needed_info, "kept", Usage())
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
            with self.saving() as session:
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
        """Return the memories for the reply that fit into the prompt."""
        if self.turn.quoted:
            retrieved = Retrieved(self.turn.quoted.answer.hits, searches=1)
        else:
            thread_id = self.turn.thread.id
            retrieved = retrieve(self.runtime, thread_id, about, self.needed_info, in_prompt)
        return affordable(self.runtime, model, context, retrieved)

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
                        piece = clean(text)[: MAX_MESSAGE_CHARS - len(self.text)]
                        self.text += piece
                        self.save_partial()
                        yield Streamed(piece)
                        if piece.rstrip(" ").endswith(ENDS) and self._cut():
                            self.usage = Usage(waited_seconds=self.waited_seconds)
                            break
                        if len(self.text) == MAX_MESSAGE_CHARS:  # nobody counted the tokens
                            self.usage = Usage(at_limit=True, waited_seconds=self.waited_seconds)
                            break
        self._cut()

    def _retracted(self, thought: str) -> Thinking:
        """Retract the streamed text, which was reasoning, on the screen and in the file."""
        self.text = ""
        self.thought, self.waited_seconds, self.saved_at = True, 0.0, -math.inf
        self.save_partial()
        return Thinking(thought, retracts=True)

    def _cut(self) -> bool:
        """Truncate the reply where a loop begins; return True if there is one."""
        start = loop_start(self.text)
        self.text = self.text[:start]
        return start is not None

    def _remind(self) -> list[TurnEvent]:
        """Append the limits that the reply forgets, as the person told them."""
        if not (forgotten := forgotten_limits(self.runtime, self.text, self._message)):
            return []
        paragraph = reminder(self.runtime, forgotten)
        new = [hit for hit in forgotten if hit.id not in {hit.id for hit in self.shown}]
        with self.saving() as session:
            recalls.save_recalls(session, self.turn.reply.id, new, after=len(self.shown))
        self.text, self.shown = self.text.rstrip() + paragraph, (*self.shown, *new)
        return [Streamed(paragraph), *([Found(self.shown)] if new else [])]

    def _is_held(self, quoted: QuotedAnswer) -> bool:
        """Return True if the quotations or the chat support the reply's claims about the person."""
        typed = [message.text for message in self.turn.earlier if message.role is Role.USER]
        return is_held(self.text, self._message, quoted.lines, typed, words_of(self._message))

    def _remark(self) -> str:
        """Return memapp's own remark for a reply of which nothing is left."""
        is_told = not wants_something(self._message, words_of(self._message))
        remarks = own_remarks.HEARD if is_told else own_remarks.NO_ANSWER
        return own_remarks.reworded(remarks[0], self._said())

    def _said(self) -> list[str]:
        return said_in(self.runtime.read(), self.turn.thread.id)

    @property
    def _message(self) -> str:
        return self.turn.message.text if self.turn.message else ""

    @property
    def _notes(self) -> list[Recalled]:
        """The retrieved notes in the person's own words."""
        notes = (*self.retrieved.hits, *self.retrieved.limits)
        return [note for note in notes if note.said_by != "assistant"]

    def _recited(self) -> list[str]:
        return recited_sentences(self.text, self._message, self._notes, self.turn.earlier)

    def _quotations(self, notes: Sequence[Recalled]) -> str:
        return "\n".join(format_quotation(self.runtime, note) for note in notes)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Cancel the turn when the first token, or the end, is overdue."""
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
