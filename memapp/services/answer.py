"""The model's part of a turn: predict what is needed, recall it, reply, and save how it ended.

Whatever fails on the way, the reply's row gets a final state and keeps the text written so far.
"""

import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from memapp.domain.chat import FROM_MEMORY, MAX_MESSAGE_CHARS, OWN_WORDS, Message, MessageStatus, Role, exchanges
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.delta import NO_NEWS, Delta
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Finished, Piece, Usage
from memapp.domain.text import clean, one_line, shorten
from memapp.domain.turn import Completed, Failed, Found, Predicted, Restarted, Streamed, Thinking, TurnEvent, Waiting
from memapp.errors import DiskFull, MemappError, ModelError, StoreError
from memapp.inference import Cancel, ChatModel, after
from memapp.language.english.expectation import writable
from memapp.language.english.life_domains import serves
from memapp.language.language_of import is_foreign
from memapp.prompts import own_remarks, predict, quotes, respond
from memapp.prompts.context import PromptContext
from memapp.prompts.respond import Attempt
from memapp.runtime import Runtime
from memapp.services.life_domains import kept_out
from memapp.services.open_turn import OpenTurn, said_in
from memapp.services.prompt_form import current_key, fall_back, prompt_form
from memapp.services.query import conversation_scope
from memapp.services.retrieved import Retrieved, look_up, news, shown
from memapp.services.turn_prompt import affordable, prompt_context, reply_request
from memapp.store import chat, checkpoints, delta, events, expectations, leases, recalls
from memapp.store.access_counts import count_access
from memapp.store.session import Session

SAVE_PARTIAL_SECONDS = 2.0
TITLE_CHARS = 48
ERASED = ("Something was erased for good while this was written.", "Try again.")
ENDS = (".", "!", "?", "\n")
"""After these it is looked whether a reply goes round in circles."""
SENTENCE_END = re.compile(r"(?<=[^\d\s][.!?])(?=\s)|(?<=\n)")


def answer(runtime: Runtime, turn: OpenTurn) -> Iterator[TurnEvent]:
    """Write the reply of an open turn; ends with `Completed` or `Failed`."""
    reply = _Reply(runtime, turn)
    error: MemappError | None = None
    try:
        with reply.watched(), leases.renewed(runtime.write, chat.answering(turn.thread.id), runtime.database.owner):
            yield from reply.write()
        reply.settle()
    except MemappError as reason:
        reply.status, error = MessageStatus.FAILED, reason
    except GeneratorExit:  # the watcher stopped iterating
        reply.status = MessageStatus.STOPPED
        raise
    finally:
        saved, unsaved = reply.save()
    if problem := error or unsaved or (MemappError(*ERASED) if saved.status is MessageStatus.FAILED else None):
        yield Failed(saved, problem)
    else:
        yield Completed(saved, reply.expects)


@dataclass
class _Reply:
    """A reply that is being written, and what it has so far."""

    runtime: Runtime
    turn: OpenTurn
    text: str = ""
    aside: str = ""
    """What was cut of it."""
    held: str = ""
    """What came of a sentence that may have to be left out."""
    kept_out: frozenset[str] = frozenset()
    """Foods that are not to be given to the person: no sentence offers them."""
    expects: str = ""
    needed_info: tuple[str, ...] = ()
    has_asked: bool = False
    """Call 1 has said what is needed, now or in idle time; that may be nothing."""
    is_broken: bool = False
    """In the full form it said nothing that can be read."""
    retrieved: Retrieved = field(default_factory=Retrieved)
    injected_updates: Delta = NO_NEWS
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
        if self._is_beyond(model):
            self.text = own_remarks.reworded(own_remarks.ENGLISH_ALONE[0], self._said())
            yield Streamed(self.text)
            return
        context_of = partial(prompt_context, runtime, model, turn.thread, turn.earlier)
        if turn.message is None:
            context = context_of(None)
        else:
            in_prompt, about = [*turn.earlier, turn.message], turn.message.text
            if turn.prefetch is not None and not quotes.is_small_talk(about):  # the expected message may have been about more
                about = turn.prefetch.message  # the same as in idle time, so that the cache fits
            injected_updates = news(runtime, turn.thread.id, about, in_prompt)
            context = context_of(turn.message.text, injected_updates.lines)
            self.injected_updates = injected_updates if context.injected_updates else NO_NEWS
            if turn.prefetch is not None:
                self.needed_info, self.has_asked = turn.prefetch.needed_info, True
                yield Predicted(self.needed_info, "prefetched", Usage())
            else:
                yield self._predict(model, context)
            found = look_up(runtime, turn.thread.id, about, self.needed_info, in_prompt)
            found = replace(found, hits=respond.in_prompt(context, found.hits))
            self.retrieved = affordable(runtime, model, context, found)
            yield self._found()
        context = replace(context, said=(*context.said, *turn.others))
        self.kept_out = kept_out(runtime, context.message or "", self.retrieved.hits)
        attempt = Attempt(len(turn.others))
        yield from self._stream(model, context, attempt)
        repeated = respond.repeats(self.text, exchanges(turn.earlier), turn.message.text if turn.message else None)
        needs_another = turn.message is None or respond.needs_another(turn.message.text, context.said)
        is_worthless = self._is_all_aside and needs_another
        if (repeated or is_worthless or self.text.strip() in turn.others) and not turn.cancel.is_set():
            yield Restarted(repeated or self.text)
            self.text = self.expects = self.aside = self.held = ""
            attempt = replace(attempt, second=True)
            yield from self._stream(model, context, attempt)
        if self._is_all_aside and not turn.cancel.is_set():
            self.text = own_remarks.at_a_loss(turn.message.text if turn.message else "", self._said(), self.aside)

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
        """Call 1. It is read only until its list of needed information is closed; the rest is completed in idle time."""
        if self.turn.kept:
            self.needed_info, self.has_asked = self.turn.kept, True
            return Predicted(self.turn.kept, "kept", Usage())
        prompt, sampling = predict.request(context)
        text, enough = "", Cancel()
        with self.turn.cancel.heard_by(enough.set), closing(model.generate(prompt, sampling, enough)) as stream:
            for part in stream:
                if isinstance(part, Finished):
                    self.predict_usage = part.usage
                elif not enough.is_set():
                    text += part.text
                    if predict.read_enough(text, context.form):
                        enough.set()
        self.needed_info = predict.parse(text, context.form)
        self.has_asked = bool(self.needed_info) or predict.needs_nothing(text, context.form)
        if self.has_asked:
            with self._saving() as session:
                checkpoints.advance(session, self.turn.thread.id, lambda at: at.predicted(self.needed_info))
            return Predicted(self.needed_info, "model", self.predict_usage)
        self.is_broken = context.form == "full" and not self.turn.cancel.is_set()
        return Predicted(predict.keywords(context.message or ""), "keywords", self.predict_usage)

    def _stream(self, model: ChatModel, context: PromptContext, attempt: Attempt) -> Iterator[TurnEvent]:
        prompt, sampling = reply_request(self.runtime, context, self.retrieved, attempt)
        tail = ""
        with closing(model.generate(prompt, sampling, self.turn.cancel)) as stream:
            for part in stream:
                match part:
                    case Finished(reason=reason, usage=usage):
                        self.usage = replace(usage, at_limit=reason == "length", waited_seconds=self.waited_seconds)
                    case Piece(text=text, tail=True):
                        tail += text
                    case Piece(text=""):
                        if not self.thought:
                            self.thought = True
                            yield Thinking()
                    case Piece(text=text):
                        self.waited_seconds = self.waited_seconds or time.monotonic() - self.turn.began_at
                        said = self._offered(clean(text))[: MAX_MESSAGE_CHARS - len(self.text)]
                        self.text += said
                        self._save_partial()
                        yield Streamed(said)
                        if said.rstrip(" ").endswith(ENDS) and self._cut(context):
                            self.usage, self.held = Usage(waited_seconds=self.waited_seconds), ""
                            break
                        if len(self.text) == MAX_MESSAGE_CHARS:  # nothing counted what that cost
                            self.usage = Usage(at_limit=True, waited_seconds=self.waited_seconds)
                            break
        if last := self._offered("", is_end=True)[: MAX_MESSAGE_CHARS - len(self.text)]:
            self.text += last
            yield Streamed(last)
        self._cut(context)
        message = self.turn.message.text if self.turn.message else ""
        self.expects = writable(respond.parse_prediction(clean(tail)), [self.text, message])

    def _offered(self, text: str, *, is_end: bool = False) -> str:
        """Return of what came what may be shown; where there is a food to leave out, only whole sentences can tell."""
        if not self.kept_out:
            return text
        *whole, self.held = SENTENCE_END.split(self.held + text)
        if is_end:
            whole, self.held = [*whole, self.held], ""
        self.aside += "".join(one for one in whole if serves(one, self.kept_out))
        return "".join(one for one in whole if not serves(one, self.kept_out))

    def _cut(self, context: PromptContext) -> bool:
        """Cut what a reply should not say, and say whether it ends there. If it begins with that, it may still come."""
        start = respond.cut_at(context, self.retrieved.hits, self.text)
        self.aside += "" if start is None else self.text[start:]
        self.text = self.text[:start]
        return start is not None and bool(self.text.strip())

    def _is_beyond(self, model: ChatModel) -> bool:
        """Say whether the model cannot read the message, since it was made for English; who tries again hears what it says."""
        is_english_alone = model.languages == ("en",) and prompt_form(self.runtime, model) == "simple"
        message = self.turn.message
        return is_english_alone and message is not None and not self.turn.others and is_foreign(message.text)

    def _said(self) -> list[str]:
        return said_in(self.runtime.read(), self.turn.thread.id)

    @property
    def _is_all_aside(self) -> bool:
        return bool(self.aside) and not self.text.strip()

    def _found(self) -> Found:
        """Save what stands in the prompt before the reply begins: what is left of it after a kill was written from that."""
        best = max(self.retrieved.hits, key=lambda hit: hit.score, default=None)
        sim, category = (best.score, best.category or None) if best else (None, None)
        self.shown = shown(self.runtime, self.retrieved, self.injected_updates)
        with self._saving() as session:
            recalls.save_recalls(session, self.turn.reply.id, self.shown)
            for _ in range(self.retrieved.searches):
                events.add_event(session, "hotpath", "search", "ok", thread_id=self.turn.thread.id, category=category, sim=sim)
            revision = delta.revision(session)
            checkpoints.advance(session, self.turn.thread.id, lambda at: at.recalled([hit.id for hit in self.shown], revision))
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
            with suppress(DiskFull), self._saving() as session:  # the person reads on; the end tells
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
        """End the reply in the file. If that fails, as on a full disk, return why with what is on the screen.

        When something was erased for good meanwhile, it is only that the reply failed: all the rest may hold the words.
        """
        reply = self.turn.reply
        try:
            with self.runtime.write() as session:
                erased = self.runtime.database.erasures != self.turn.erasures
                kept = _Reply(self.runtime, self.turn) if erased else self
                kept._finish(session, is_whole=not erased)
        except StoreError as error:
            return replace(reply, text=self.text.strip(), status=MessageStatus.FAILED, usage=self.usage), error
        return replace(reply, text=kept.text.strip(), status=kept.status, usage=kept.usage, model=kept._by), None

    @property
    def _by(self) -> str:
        """Who wrote the reply."""
        if self.turn.known is None:
            return self.turn.reply.model
        return OWN_WORDS if self.turn.known.is_own_word else FROM_MEMORY

    def _finish(self, session: Session, *, is_whole: bool) -> None:
        """The second commit: the reply, what is expected next, which memories were of use, and what it cost."""
        thread_id, reply, message = self.turn.thread.id, self.turn.reply, self.turn.message
        chat.finish_message(session, reply.id, self.text.strip(), self.status, self.usage, self._by)
        count_access(session, [hit.id for hit in self.retrieved.hits if hit.kind == "memory"])
        if self.status is not MessageStatus.FAILED:
            settled = (*self.retrieved.delta.settled, *self.injected_updates.settled)
            delta.settle(session, conversation_scope(self.runtime), thread_id, settled)
        if self.expects:
            expectations.save_prediction(session, thread_id, reply.id, "responder", self.expects, ())
        if self.has_asked:
            expectations.save_prediction(session, thread_id, reply.id, "predictor", "", self.needed_info)
        if message and is_whole and not any(one.role is Role.USER for one in self.turn.earlier):
            chat.rename_thread(session, thread_id, shorten(one_line(message.text), TITLE_CHARS), "app")
        self._note(session)
        checkpoints.advance(session, self.turn.thread.id, lambda at: at.settled(self.expects))
        leases.release(session, chat.answering(thread_id), self.runtime.database.owner)

    def _note(self, session: Session) -> None:
        note = partial(events.add_event, session, thread_id=self.turn.thread.id)
        if self.turn.message and not (self.has_asked or self.turn.known):
            note("context", "predict", "skipped")
        meta = {
            "model": current_key(self.runtime),
            "broken": int(self.is_broken),
            "status": self.status,
            "recalled": len(self.retrieved.hits),
            "recalled_on_demand": int(self.retrieved.on_demand),
            "call_1": asdict(self.predict_usage),
            "call_2": asdict(self.usage),
        }
        note("hotpath", "respond", "error" if self.status is MessageStatus.FAILED else "ok", meta=meta)
        if self.is_broken:
            fall_back(self.runtime, session)
