"""Learns from the messages that wait for it, one by one: the job `learn`."""

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from memapp.domain.consent import ConsentRequest
from memapp.domain.jobs import Pace
from memapp.domain.prediction import Surprise
from memapp.domain.turn import Retracted
from memapp.errors import MemappError, ModelError, StoreError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.merge import Written
from memapp.services.remember import learn
from memapp.services.turn import best_effort, compare
from memapp.store import chat, events, expectations

log = logging.getLogger(__name__)

MOST_PASSES = 10
"""So often a long message is read for the facts that it still holds, a few at a time."""
MOST_TRIES = 3
"""On so many different days the model may fail on a message: a server that is away for an evening is no fault of the message."""


def waiting(runtime: Runtime) -> int:
    """Count the messages that nothing was learned from yet."""
    return expectations.count_surprises(runtime.read(), "pending")


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[Written | Retracted | ConsentRequest]:
    """Learn from each surprise by itself: one that fails does not keep the others from being learned."""
    session, model = runtime.read(), runtime.chat.ready()
    if outdated := expectations.outdated_surprises(session):
        _settle(runtime, outdated, "nothing")
    for expected, message_id in expectations.uncompared(session):  # a kill, or an error, was in the way
        if cancel.is_set():
            return
        message = chat.get_message(session, message_id)
        best_effort(runtime, message, "classify", partial(compare, runtime, expected, message))
    for surprise in expectations.pending_surprises(session):
        if cancel.is_set():
            return
        asked = pending.list_pending(runtime)
        try:
            for _ in range(MOST_PASSES):
                yield from learn(runtime, surprise, model, cancel)
                if cancel.is_set() or surprise.id not in {one.id for one in expectations.pending_surprises(session)}:
                    break
                if runtime.embedding.ready() is None:
                    break  # it waits until the embedding model is there
        except ModelError as error:
            log.warning("a surprise waits for the model: %s", type(error).__name__)
            _count_try(runtime, surprise)
        except StoreError:
            raise  # the file has the problem, not this surprise
        except MemappError as error:
            log.warning("nothing could be learned from a surprise: %s", type(error).__name__)
            _settle(runtime, [surprise.id], "failed")
        except Exception:
            _settle(runtime, [surprise.id], "failed")  # a bug: it must not come first again, before all that was said since
            raise
        yield from (one for one in pending.list_pending(runtime) if one not in asked)


def _count_try(runtime: Runtime, surprise: Surprise) -> None:
    """Let what failed wait behind the rest, and set it aside when it has failed on several days."""
    with runtime.write() as session:
        tries = expectations.count_try(session, surprise.id)
        if tries < MOST_TRIES:
            return
        expectations.settle_surprise(session, surprise.id, "failed")
        meta = {"tries": tries}
        events.add_event(session, "worker", "distil", "error", thread_id=surprise.thread_id, meta=meta)


def _settle(runtime: Runtime, surprise_ids: Sequence[str], state: Literal["nothing", "failed"]) -> None:
    with runtime.write() as session:
        for surprise_id in surprise_ids:
            expectations.settle_surprise(session, surprise_id, state)
