"""Idle work between turns: complete the prediction, run due jobs, prepare the next turn.

`work` runs on a background thread after each reply and stops within milliseconds when cancelled,
since the next message goes first. Unfinished work stays pending in the file until the next time.
"""

import logging
from collections.abc import Iterator
from functools import partial

from memapp.domain.chat import BY_MEMAPP, Message, MessageStatus, Role, Thread
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.consent import ConsentRequest
from memapp.domain.expectation import may_become
from memapp.domain.prediction import Prefetched
from memapp.domain.turn_events import Remembered, Retracted
from memapp.errors import ModelError
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.expectation import writable
from memapp.prompts import predict
from memapp.prompts.context import PromptContext
from memapp.runtime import Runtime
from memapp.services import jobs
from memapp.services.open_turn import open_thread
from memapp.services.recall import Retrieved, idle_prefetch, prediction_after, retrieve
from memapp.services.turn import prompt_context, reply_request
from memapp.store import checkpoints, expectations

log = logging.getLogger(__name__)

ENDS = (".", "!", "?", "…")
"""After these characters, a message that is being typed may be complete."""
AT_LAST_SECONDS = 4.0
"""How long a command begins more work before it ends; an import may leave minutes of it."""


def work(
    runtime: Runtime, thread_id: str | None, cancel: Cancel
) -> Iterator[Remembered | Retracted | ConsentRequest]:
    """Run the due jobs; yield new memories, requests and retractions.

    With a thread, also prepare its next turn. Jobs of another process are left alone.
    """
    model = runtime.chat.ready()
    try:
        if model and thread_id:
            _complete_prediction(runtime, model, thread_id, cancel)
            _predict_next(runtime, model, thread_id, cancel)
        yield from _events(
            jobs.run_due(
                runtime, cancel, jobs.AFTER_A_REPLY, None if thread_id else AT_LAST_SECONDS
            )
        )
        if model and thread_id and not cancel.is_set():
            if runtime.settings.speculate:
                _prefetch(runtime, model, thread_id, cancel)
            warm(runtime, thread_id, "", cancel)
        yield from _events(jobs.run_due(runtime, cancel, jobs.NOW_AND_THEN))
        if model and thread_id:
            warm(runtime, thread_id, "", cancel)  # with the results of the jobs
    except ModelError as error:
        log.warning("upkeep stopped: %s", type(error).__name__)


def _events(done: Iterator[jobs.Done]) -> Iterator[Remembered | Retracted | ConsentRequest]:
    """Yield the events the person is told of."""
    return (event for event in done if not isinstance(event, int))


def warm(runtime: Runtime, thread_id: str, typed: str, cancel: Cancel) -> int:
    """Prefill the coming turn with the text typed so far; return the tokens computed."""
    model = runtime.chat.ready()
    if model is None or cancel.is_set():
        return 0
    thread, messages = open_thread(runtime, thread_id)
    prefetch = idle_prefetch(runtime, thread_id, prediction_after(runtime, messages))
    message, retrieved = typed, Retrieved()
    if prefetch and may_become(typed, prefetch.message):
        message = prefetch.message
        retrieved = retrieve(runtime, thread_id, message, prefetch.needed_info, messages)
    coming = prompt_context(runtime, model, thread, messages, typed)
    computed = _prefill(runtime, model, coming, retrieved, cancel)
    if runtime.settings.speculate and message == typed and typed.rstrip().endswith(ENDS):
        computed += _look_ahead(runtime, model, thread_id, coming, messages, cancel)
    return computed


def warm_new_chat(runtime: Runtime, persona: str, typed: str, cancel: Cancel) -> int:
    """Prefill the first turn of a new chat with the text typed so far; return the token count."""
    model = runtime.chat.ready()
    if model is None or cancel.is_set():
        return 0
    thread = Thread("", "", persona, runtime.clock(), runtime.clock())
    coming = prompt_context(runtime, model, thread, [], typed)
    return _prefill(runtime, model, coming, Retrieved(), cancel)


def _prefill(
    runtime: Runtime, model: ChatModel, coming: PromptContext, retrieved: Retrieved, cancel: Cancel
) -> int:
    """Prefill both calls of a turn; return the tokens computed."""
    computed = model.warm(predict.request(coming)[0], cancel, open_end=True)
    reply_prompt = reply_request(runtime, coming, retrieved)[0]
    return (
        computed if cancel.is_set() else computed + model.warm(reply_prompt, cancel, open_end=True)
    )


def _look_ahead(
    runtime: Runtime,
    model: ChatModel,
    thread_id: str,
    coming: PromptContext,
    messages: list[Message],
    cancel: Cancel,
) -> int:
    """Run call 1 for a message that may be complete, and prefill its reply.

    Returns the tokens computed for the reply. Sent unchanged, the message is answered like an
    expected one.
    """
    erasures, typed = runtime.database.erasures, coming.message or ""
    needed_info = _call_1(model, coming, cancel)
    if needed_info is None:
        return 0
    runtime.typed = thread_id, erasures, Prefetched(typed, needed_info)
    retrieved = retrieve(runtime, thread_id, typed, needed_info, messages)
    return model.warm(reply_request(runtime, coming, retrieved)[0], cancel, open_end=True)


def _complete_prediction(
    runtime: Runtime, model: ChatModel, thread_id: str, cancel: Cancel
) -> None:
    """Let the model finish the prediction, which call 1 stopped before."""
    erasures = runtime.database.erasures
    thread, messages = open_thread(runtime, thread_id)
    written = [
        message
        for message in messages
        if message.role is Role.ASSISTANT and message.model != BY_MEMAPP
    ]
    reply = next(
        (message for message in reversed(written) if message.status is MessageStatus.COMPLETE), None
    )
    if reply is None or reply.reply_to is None:
        return
    begun = expectations.prediction_for(runtime.read(), reply.id, "predictor")
    message = next((message for message in messages if message.id == reply.reply_to), None)
    if begun is None or begun.text or message is None:
        return
    context = prompt_context(
        runtime,
        model,
        thread,
        [earlier for earlier in messages if earlier.seq < message.seq],
        message.text,
    )
    prompt, sampling = predict.finish_request(context, begun.needed_info)
    expects = writable(
        predict.parse_prediction(whole_reply(model, prompt, sampling, cancel)),
        [reply.text, message.text],
    )
    if not expects or cancel.is_set():
        return
    with runtime.write() as session:
        if runtime.database.erasures == erasures:
            expectations.save_prediction(
                session, thread_id, reply.id, "predictor", expects, begun.needed_info
            )
            checkpoints.advance(session, thread_id, lambda at: at.with_prediction(expects))


def _predict_next(runtime: Runtime, model: ChatModel, thread_id: str, cancel: Cancel) -> None:
    """Let the model predict what follows on a reply without call 1, such as one from memory."""
    erasures = runtime.database.erasures
    thread, messages = open_thread(runtime, thread_id)
    reply = messages[-1] if messages else None
    message = next(
        (message for message in messages if reply and message.id == reply.reply_to), None
    )
    if (
        reply is None
        or message is None
        or reply.status is not MessageStatus.COMPLETE
        or reply.model == BY_MEMAPP
    ):
        return
    if expectations.expected_after(runtime.read(), reply.id):
        return
    context = prompt_context(
        runtime,
        model,
        thread,
        [earlier for earlier in messages if earlier.seq < message.seq],
        message.text,
    )
    prompt, sampling = predict.prediction_request(context, reply.text)
    expects = writable(
        predict.parse_prediction(whole_reply(model, prompt, sampling, cancel)),
        [reply.text, message.text],
    )
    if not expects or cancel.is_set():
        return
    with runtime.write() as session:
        if runtime.database.erasures == erasures:
            expectations.save_prediction(session, thread_id, reply.id, "responder", expects, ())
            checkpoints.advance(session, thread_id, lambda at: at.with_prediction(expects))


def _prefetch(runtime: Runtime, model: ChatModel, thread_id: str, cancel: Cancel) -> None:
    """Run call 1 for the expected message, which saves it in the turn if the guess is right."""
    erasures = runtime.database.erasures
    thread, messages = open_thread(runtime, thread_id)
    expected = prediction_after(runtime, messages)
    if expected is None:
        return
    needed_info = _call_1(
        model, prompt_context(runtime, model, thread, messages, expected.text), cancel
    )
    if needed_info is None:
        return
    with runtime.write() as session:
        if runtime.database.erasures == erasures:
            with_prefetch = partial(
                Checkpoint.with_prefetch, prediction_id=expected.id, needed_info=needed_info
            )
            checkpoints.advance(session, thread_id, with_prefetch)


def _call_1(model: ChatModel, context: PromptContext, cancel: Cancel) -> tuple[str, ...] | None:
    """Return the needed information of a message; None for a cancelled or unclear reply."""
    prompt, sampling = predict.request(context)
    text = whole_reply(model, prompt, sampling, cancel, predict.read_enough)
    needed_info = predict.parse(text)
    is_said = not cancel.is_set() and (needed_info or predict.needs_nothing(text))
    return needed_info if is_said else None
