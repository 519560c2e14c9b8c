"""Loading models in the background, with the result in their slots."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memapp.errors import MemappError
from memapp.inference import Embedder
from memapp.runtime import ModelSlot, Runtime

log = logging.getLogger(__name__)


def load_chat_model(runtime: Runtime, *, wanted: Callable[[], bool] = lambda: True) -> None:
    """Load the configured chat model, slowly; `runtime.chat` reports the result.

    A model that is no longer `wanted` once loaded is closed, and `runtime.chat` stays loading:
    another model follows. Raises only for a bug.
    """
    runtime.chat.empty()
    runtime.chat.loading("Loading the model…")
    with _reporting_errors(runtime.chat, "chat model"):
        model = runtime.open_chat_model(runtime, runtime.chat.loading)
        if wanted():
            runtime.chat.fill(model, model.name)
        else:
            model.close()


def load_embedder(runtime: Runtime) -> None:
    """Load the configured embedding model, slowly; `runtime.embedding` reports the result.

    The one that reads messages comes first, in a process of its own if another one searches. Raises
    only for a bug.
    """
    if runtime.judge_embedder is runtime.embedding:
        runtime.apart.empty()
    elif runtime.apart.ready() is None:
        _open_embedder(runtime.apart, runtime.open_reader, runtime)
    _open_embedder(runtime.embedding, runtime.open_embedder, runtime)


def _open_embedder(
    slot: ModelSlot[Embedder], opened: Callable[[Runtime], Embedder], runtime: Runtime
) -> None:
    before = slot.ready()
    slot.loading("Loading the embedding model…")
    if before is not None:
        before.close()
    with _reporting_errors(slot, "embedding model"):
        embedder = opened(runtime)
        try:
            embedder.embed(["ready"])
        except BaseException:
            embedder.close()
            raise
        slot.fill(embedder, embedder.model_id)


@contextmanager
def _reporting_errors(slot: ModelSlot[Any], what: str) -> Iterator[None]:
    """Report an error of loading to the slot of the model: nobody may wait for ever."""
    try:
        yield
    except MemappError as error:
        log.warning("the %s did not load: %s", what, type(error).__name__)
        slot.fail(str(error))
    except Exception as error:
        slot.fail(f"A bug in memapp ({type(error).__name__}) kept the {what} from loading.")
        raise
