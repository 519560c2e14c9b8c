"""The model's part of a turn: predict what is needed, recall it, reply, and save how it ended.

Whatever fails on the way, the reply's row gets a final state and keeps the text written so far.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from memapp.domain.chat import MAX_MESSAGE_CHARS, Message, MessageStatus, Role, Thread, exchanges
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.delta import NO_NEWS, Delta
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Finished, Piece, Prompt, Sampling, Usage
from memapp.domain.text import clean, one_line, shorten
from memapp.domain.turn import Completed, Failed, Found, Predicted, Restarted, Streamed, Thinking, TurnEvent, Waiting
from memapp.errors import DiskFull, MemappError, ModelError, StoreError
from memapp.inference import Cancel, ChatModel
from memapp.prompts import budget, predict, quotes, respond
from memapp.prompts import remark as remarks
from memapp.prompts.context import PromptContext, profile_line, with_injected_updates
from memapp.prompts.history import recent
from memapp.prompts.respond import FIRST, Attempt
from memapp.runtime import Runtime
from memapp.services.consent import decisions
from memapp.services.query import conversation_scope
from memapp.services.retrieved import Prefetched, Retrieved, look_up, news, shown
from memapp.store import chat, checkpoints, delta, events, expectations, leases, recalls
from memapp.store.access_counts import count_access
from memapp.store.session import Session

SAVE_PARTIAL_SECONDS = 2.0
TITLE_CHARS = 48


@dataclass(frozen=True)
class OpenTurn:
    """A turn whose message is saved and whose reply is to be written."""

    thread: Thread
    earlier: list[Message]
    """The last messages before `message`, oldest first."""
    message: Message | None
    """None for an unprompted remark."""
    reply: Message
    cancel: Cancel
    erasures: int
    """Of the database, before any of this was read."""
    prefetch: Prefetched | None = None
    """What was done in idle time, when the message was expected."""
    kept: tuple[str, ...] = ()
    """The needed information from call 1, if memapp was killed later in this turn."""
    others: tuple[str, ...] = ()
    """Earlier replies to the same message: a retry must not be one of them."""
    began_at: float = field(default_factory=time.monotonic)
    """When the person had sent it, as `time.monotonic` has it."""


@dataclass
class _Reply:
    """What the reply has so far."""

    text: str = ""
    expects: str = ""
    needed_info: tuple[str, ...] = ()
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


def open_thread(runtime: Runtime, thread_id: str, *, before: int | None = None) -> tuple[Thread, list[Message]]:
    """Return a thread and as many of its last messages (before sequence number `before`) as a prompt can hold."""
    session = runtime.read()
    thread = chat.get_thread(session, thread_id)
    limit = 2 * runtime.settings.history_exchanges + 8
    return thread, chat.list_messages(session, thread.id, before=before, limit=limit)


def prompt_context(
    runtime: Runtime,
    model: ChatModel,
    thread: Thread,
    earlier: list[Message],
    text: str | None,
    injected_updates: tuple[str, ...] = (),
) -> PromptContext:
    """Return what the prompts of a turn are made of, cut to the budget."""
    persona = runtime.persona_in(thread)
    cards = chat.list_context_cards(runtime.read(), thread.id)
    pairs = exchanges(earlier)
    total = max(len(pairs), earlier[-1].seq // 2) if earlier else 0  # `earlier` is only the end of a long chat
    kept = recent(pairs, runtime.settings.history_exchanges, total)
    return budget.fit(
        PromptContext(
            persona, (*persona.evidence, *cards), kept, text, profile_line(decisions.profile(runtime)), injected_updates
        ),
        lambda one: _reply_request(runtime, one, Retrieved()),
        _limit(runtime, model),
        model.prompt_tokens,
    )


def _limit(runtime: Runtime, model: ChatModel) -> int:
    return min(runtime.settings.budget_tokens, model.context_tokens)


def answer(runtime: Runtime, turn: OpenTurn) -> Iterator[TurnEvent]:
    """Write the reply of an open turn; ends with `Completed` or `Failed`."""
    so_far = _Reply()
    error: MemappError | None = None
    try:
        with (
            _watchdog(runtime, turn, so_far),
            leases.renewed(runtime.write, chat.answering(turn.thread.id), runtime.database.owner),
        ):
            yield from _calls(runtime, turn, so_far)
        _settle(turn, so_far)
    except MemappError as reason:
        so_far.status, error = MessageStatus.FAILED, reason
    except GeneratorExit:  # the watcher stopped iterating
        so_far.status = MessageStatus.STOPPED
        raise
    finally:
        saved, unsaved = _save(runtime, turn, so_far)
    if problem := error or unsaved or (_erased_meanwhile() if saved.status is MessageStatus.FAILED else None):
        yield Failed(saved, problem)
    else:
        yield Completed(saved, so_far.expects)


def _erased_meanwhile() -> MemappError:
    return MemappError("Something was erased for good while this was written.", "Try again.")


@contextmanager
def _saving(runtime: Runtime, turn: OpenTurn) -> Iterator[Session]:
    """Write what the turn has so far, unless the words that it may hold were erased meanwhile."""
    with runtime.write() as session:
        if runtime.database.erasures != turn.erasures:
            raise _erased_meanwhile()
        yield session


def _settle(turn: OpenTurn, so_far: _Reply) -> None:
    if so_far.overdue:
        raise ModelError(so_far.overdue, "Try again, or choose a smaller model.")
    if turn.cancel.is_set():
        so_far.status = MessageStatus.STOPPED
        return
    if not so_far.text.strip() and so_far.thought:
        raise ModelError(
            "The model only thought, and said nothing.", "Set a larger `reply_tokens`, or choose a model that answers at once."
        )
    if not so_far.text.strip():
        raise ModelError("The model wrote nothing.", "Try again.")
    so_far.status = MessageStatus.COMPLETE


def _calls(runtime: Runtime, turn: OpenTurn, so_far: _Reply) -> Iterator[TurnEvent]:
    if runtime.chat.ready() is None:
        yield Waiting(runtime.chat.note)
    model = runtime.chat.wait(turn.cancel, runtime.settings.first_token_seconds)
    context_of = partial(prompt_context, runtime, model, turn.thread, turn.earlier)
    in_suffix = Retrieved()
    if turn.message is None:
        context = context_of(None)
    elif turn.prefetch is not None:
        so_far.needed_info = turn.prefetch.needed_info
        yield Predicted(turn.prefetch.needed_info, "prefetched", Usage())
        in_prompt, injected_updates = [*turn.earlier, turn.message], NO_NEWS
        if not quotes.is_small_talk(turn.message.text):  # the expected message may have been about more
            expected = turn.prefetch.expected  # the same as in idle time, so that the cache fits
            so_far.retrieved = look_up(runtime, turn.thread.id, expected, turn.prefetch.needed_info, in_prompt)
            injected_updates = news(runtime, turn.thread.id, expected, in_prompt)
        context = context_of(
            respond.with_facts(turn.message.text, so_far.retrieved.hits, so_far.retrieved.delta.lines), injected_updates.lines
        )
        so_far.injected_updates = injected_updates if context.injected_updates else NO_NEWS
        yield _found(runtime, turn, so_far)
    else:
        in_prompt = [*turn.earlier, turn.message]
        injected_updates = news(runtime, turn.thread.id, turn.message.text, in_prompt)
        context = context_of(turn.message.text, injected_updates.lines)
        so_far.injected_updates = injected_updates if context.injected_updates else NO_NEWS
        yield _predict(runtime, model, context, turn, so_far)
        found = look_up(runtime, turn.thread.id, turn.message.text, so_far.needed_info, in_prompt)
        so_far.retrieved = in_suffix = _affordable(runtime, model, context, found)
        yield _found(runtime, turn, so_far)
    attempt = Attempt(len(turn.others))
    yield from _stream_reply(runtime, model, context, turn, so_far, in_suffix, attempt)
    said = with_injected_updates(replace(context, history=tuple(exchanges(turn.earlier))))
    repeated = respond.repeats(so_far.text, said, turn.message.text if turn.message else None)
    if (repeated or so_far.text.strip() in turn.others) and not turn.cancel.is_set():
        yield Restarted(repeated or so_far.text)
        so_far.text = so_far.expects = ""
        attempt = replace(attempt, second=True, avoid=repeated or "")
        in_suffix = _affordable(runtime, model, context, in_suffix, attempt)
        yield from _stream_reply(runtime, model, context, turn, so_far, in_suffix, attempt)


def _predict(runtime: Runtime, model: ChatModel, context: PromptContext, turn: OpenTurn, so_far: _Reply) -> Predicted:
    """Call 1. It is read only until its list of needed information is closed; the rest is completed in idle time."""
    if turn.kept:
        so_far.needed_info = turn.kept
        return Predicted(turn.kept, "kept", Usage())
    prompt, sampling = predict.request(context)
    text, enough = "", Cancel()
    with turn.cancel.heard_by(enough.set), closing(model.generate(prompt, sampling, enough)) as stream:
        for part in stream:
            if isinstance(part, Finished):
                so_far.predict_usage = part.usage
            elif not enough.is_set():
                text += part.text
                if predict.read_enough(text):
                    enough.set()
    so_far.needed_info = predict.parse(text)
    if so_far.needed_info:
        with _saving(runtime, turn) as session:
            checkpoints.advance(session, turn.thread.id, lambda at: at.predicted(so_far.needed_info))
        return Predicted(so_far.needed_info, "model", so_far.predict_usage)
    return Predicted(predict.keywords(context.message or ""), "keywords", so_far.predict_usage)


def _affordable(
    runtime: Runtime, model: ChatModel, context: PromptContext, found: Retrieved, attempt: Attempt = FIRST
) -> Retrieved:
    """Drop the news, which can wait, and then the weakest hits, until the request stays within its budget."""
    if found.delta.news and not budget.fits(
        _reply_request(runtime, context, found, attempt), _limit(runtime, model), model.prompt_tokens
    ):
        found = replace(found, delta=NO_NEWS)
    hits = budget.fit_hits(
        found.hits,
        lambda some: _reply_request(runtime, context, replace(found, hits=tuple(some)), attempt),
        _limit(runtime, model),
        model.prompt_tokens,
    )
    return replace(found, hits=hits)


def _stream_reply(
    runtime: Runtime,
    model: ChatModel,
    context: PromptContext,
    turn: OpenTurn,
    so_far: _Reply,
    in_suffix: Retrieved,
    attempt: Attempt,
) -> Iterator[TurnEvent]:
    """Call 2."""
    prompt, sampling = _reply_request(runtime, context, in_suffix, attempt)
    tail = ""
    with closing(model.generate(prompt, sampling, turn.cancel)) as stream:
        for part in stream:
            match part:
                case Finished():
                    at_limit = part.reason == "length"
                    so_far.usage = replace(part.usage, at_limit=at_limit, waited_seconds=so_far.waited_seconds)
                case Piece(text=text, tail=True):
                    tail += text
                case Piece(text=""):
                    if not so_far.thought:
                        so_far.thought = True
                        yield Thinking()
                case Piece(text=text):
                    so_far.waited_seconds = so_far.waited_seconds or time.monotonic() - turn.began_at
                    said = clean(text)[: MAX_MESSAGE_CHARS - len(so_far.text)]
                    so_far.text += said
                    _save_partial(runtime, turn, so_far)
                    yield Streamed(said)
                    if len(so_far.text) == MAX_MESSAGE_CHARS:  # nothing counted what that cost
                        so_far.usage = Usage(at_limit=True, waited_seconds=so_far.waited_seconds)
                        break
    so_far.expects = respond.parse_prediction(clean(tail))


def _reply_request(
    runtime: Runtime, context: PromptContext, retrieved: Retrieved, attempt: Attempt = FIRST
) -> tuple[Prompt, Sampling]:
    if context.message is None:
        return remarks.request(context, attempt)
    return respond.request(
        context,
        retrieved.hits,
        updates=retrieved.delta.lines,
        attempt=attempt,
        reply_tokens=context.persona.reply_tokens or runtime.settings.reply_tokens,
        temperature=runtime.settings.temperature,
    )


def _save_partial(runtime: Runtime, turn: OpenTurn, so_far: _Reply) -> None:
    if time.monotonic() - so_far.saved_at >= SAVE_PARTIAL_SECONDS:
        so_far.saved_at = time.monotonic()
        with suppress(DiskFull), _saving(runtime, turn) as session:  # the person reads on; the end tells
            chat.save_partial(session, turn.reply.id, so_far.text)
            checkpoints.advance(session, turn.thread.id, Checkpoint.replying)


def _found(runtime: Runtime, turn: OpenTurn, so_far: _Reply) -> Found:
    """Save what stands in the prompt before the reply begins: what is left of it after a kill was written from that."""
    best = max(so_far.retrieved.hits, key=lambda hit: hit.score, default=None)
    sim, category = (best.score, best.category or None) if best else (None, None)
    note = partial(events.add_event, thread_id=turn.thread.id, category=category, sim=sim)
    so_far.shown = shown(runtime, so_far.retrieved, so_far.injected_updates)
    with _saving(runtime, turn) as session:
        recalls.save_recalls(session, turn.reply.id, so_far.shown)
        for _ in range(so_far.retrieved.searches):
            note(session, "hotpath", "search", "ok")
        revision = delta.revision(session)
        checkpoints.advance(session, turn.thread.id, lambda at: at.recalled([hit.id for hit in so_far.shown], revision))
    return Found(so_far.shown)


@contextmanager
def _watchdog(runtime: Runtime, turn: OpenTurn, so_far: _Reply) -> Iterator[None]:
    """Give a turn up when its first token, or its end, is overdue."""
    first, whole = runtime.settings.first_token_seconds, runtime.settings.turn_seconds

    def give_up(reason: str, *, unless_begun: bool) -> None:
        if not (unless_begun and (so_far.waited_seconds or so_far.thought)):
            so_far.overdue = reason
            turn.cancel.set()

    timers = [
        threading.Timer(first, give_up, [f"No answer began within {first} seconds."], {"unless_begun": True}),
        threading.Timer(whole, give_up, [f"The answer did not end within {whole} seconds."], {"unless_begun": False}),
    ]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()


def _save(runtime: Runtime, turn: OpenTurn, so_far: _Reply) -> tuple[Message, StoreError | None]:
    """End the reply in the file. If that fails, as on a full disk, return why with what is on the screen."""
    try:
        return _finish(runtime, turn, so_far), None
    except StoreError as error:
        return replace(turn.reply, text=so_far.text.strip(), status=MessageStatus.FAILED, usage=so_far.usage), error


def _finish(runtime: Runtime, turn: OpenTurn, so_far: _Reply) -> Message:
    """The second commit: the reply, what is expected next, which memories were of use, and what it cost.

    When something was erased for good meanwhile, it is only that the reply failed: all the rest may hold the words.
    """
    thread_id, reply = turn.thread.id, turn.reply
    with runtime.write() as session:
        erased = runtime.database.erasures != turn.erasures
        so_far = _Reply() if erased else so_far
        text = so_far.text.strip()
        chat.finish_message(session, reply.id, text, so_far.status, so_far.usage)
        count_access(session, [hit.id for hit in so_far.retrieved.hits if hit.kind == "memory"], session.now)
        if so_far.status is not MessageStatus.FAILED:
            settled = (*so_far.retrieved.delta.settled, *so_far.injected_updates.settled)
            delta.settle(session, conversation_scope(runtime), thread_id, settled)
        if so_far.expects:
            expectations.save_prediction(session, thread_id, reply.id, "responder", so_far.expects, (), session.now)
        if so_far.needed_info:
            expectations.save_prediction(session, thread_id, reply.id, "predictor", "", so_far.needed_info, session.now)
        if turn.message and not erased and not any(one.role is Role.USER for one in turn.earlier):
            chat.rename_thread(session, thread_id, shorten(one_line(turn.message.text), TITLE_CHARS), "app")
        _note_answer(session, turn, so_far)
        checkpoints.advance(session, turn.thread.id, lambda at: at.settled(so_far.expects))
        leases.release(session, chat.answering(thread_id), runtime.database.owner)
    return replace(reply, text=text, status=so_far.status, usage=so_far.usage)


def _note_answer(session: Session, turn: OpenTurn, so_far: _Reply) -> None:
    note = partial(events.add_event, session, thread_id=turn.thread.id)
    if turn.message and turn.prefetch is None and not so_far.needed_info:
        note("context", "predict", "skipped")
    meta = {
        "status": so_far.status,
        "recalled": len(so_far.retrieved.hits),
        "recalled_on_demand": int(so_far.retrieved.on_demand),
        "call_1": asdict(so_far.predict_usage),
        "call_2": asdict(so_far.usage),
    }
    note("hotpath", "respond", "error" if so_far.status is MessageStatus.FAILED else "ok", meta=meta)
