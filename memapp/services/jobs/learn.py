"""The job `learn`: learning from the messages in the queue, one by one."""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from memapp.domain.chat import MessageStatus, Origin
from memapp.domain.consent import ConsentRequest
from memapp.domain.jobs import Pace
from memapp.domain.learning_queue import QueuedMessage
from memapp.domain.turn_events import Remembered, Retracted
from memapp.errors import MemappError, ModelError, StoreError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import learning
from memapp.services.consent import pending
from memapp.services.expectation_check import compare
from memapp.services.memory_requests import requests
from memapp.services.open_turn import best_effort, is_answered_elsewhere, open_thread
from memapp.services.recall import prediction_after
from memapp.services.turn import confirm_answer
from memapp.store import chat, events, learning_queue

log = logging.getLogger(__name__)

UNFINISHED = (MessageStatus.GENERATING, MessageStatus.INTERRUPTED)
MOST_TRIES = 3
"""The days of failures after which a message is given up: one evening without a server is none."""


def waiting(runtime: Runtime) -> int:
    """Count the messages that are still to be learned from."""
    return learning_queue.count(runtime.read(), "pending")


def problem(runtime: Runtime) -> str:
    """Return in words why learning has stopped, if the embedding model is missing; else empty."""
    stopped = runtime.judge_embedder.state == "failed" and waiting(runtime)
    return (
        f"Nothing is learned now, your messages wait. {runtime.judge_embedder.note}"
        if stopped
        else ""
    )


def run(
    runtime: Runtime, cancel: Cancel, _last: Pace | None
) -> Iterator[Remembered | Retracted | ConsentRequest | int]:
    """Learn from each message by itself, so that a failed one does not stop the others.

    Yields 0 after each message, where the job may stop.
    """
    if outdated := learning_queue.list_outdated(runtime.read()):
        _settle(runtime, outdated, "nothing")
    for queued in learning_queue.list_pending(runtime.read()):
        if cancel.is_set():
            return
        asked_before = pending.list_pending(runtime)
        try:
            yield from _learn(runtime, queued)
        except ModelError as error:
            log.warning("a message waits for the model: %s", type(error).__name__)
            _count_try(runtime, queued)
        except StoreError:
            raise  # a problem of the file, not of this message
        except MemappError as error:
            log.warning("nothing could be learned from a message: %s", type(error).__name__)
            _settle(runtime, [queued.id], "failed")
        except Exception:
            # A bug: the message must not come first again, before all later messages.
            _settle(runtime, [queued.id], "failed")
            raise
        yield from (
            request for request in pending.list_pending(runtime) if request not in asked_before
        )
        yield 0


def _learn(runtime: Runtime, queued: QueuedMessage) -> Iterator[Remembered | Retracted]:
    _catch_up(runtime, queued)
    if learning_queue.is_pending(runtime.read(), queued.message_id):
        yield from learning.learn(runtime, queued)


def _catch_up(runtime: Runtime, queued: QueuedMessage) -> None:
    """Read a message that a kill or a bug kept from the comparison in its turn.

    A yes or no in the message is carried out unless somebody retried the turn, and a message kept
    out of memory teaches nothing.
    """
    session = runtime.read()
    message = chat.get_message(session, queued.message_id)
    if queued.expected or message.origin is not Origin.TYPED:
        return
    earlier = open_thread(runtime, message.thread_id, before=message.seq)[1]
    *_, reply = [None, *chat.variants(session, message.id)]
    attempt = partial(best_effort, runtime, message.thread_id)
    if (
        reply is not None
        and reply.status in UNFINISHED
        and not is_answered_elsewhere(runtime, session, message.thread_id)
    ):
        attempt("read_answer", partial(confirm_answer, runtime, message, reply, earlier))
        attempt("retract", partial(learning.retract_withdrawn, runtime, message, earlier))
    requests.read_message(runtime, message, earlier)
    if expected := prediction_after(runtime, earlier):
        attempt("classify", partial(compare, runtime, expected, message))


def _count_try(runtime: Runtime, queued: QueuedMessage) -> None:
    """Move a failed message behind the rest; give up after failures on several days."""
    with runtime.write() as session:
        tries = learning_queue.count_try(session, queued.id)
        if tries < MOST_TRIES:
            return
        learning_queue.settle(session, queued.id, "failed")
        meta = {"tries": tries}
        events.add_event(
            session, "worker", "distil", "error", thread_id=queued.thread_id, meta=meta
        )


def _settle(
    runtime: Runtime, queued_ids: Sequence[str], state: Literal["nothing", "failed"]
) -> None:
    with runtime.write() as session:
        for queued_id in queued_ids:
            learning_queue.settle(session, queued_id, state)
