"""Loading the models in the background, and listing the ones there are."""

import logging

from memapp.errors import MemappError
from memapp.runtime import Runtime

log = logging.getLogger(__name__)


def load_chat_model(runtime: Runtime) -> None:
    """Load the language model that the settings name; slow. `runtime.chat` tells how it went; nothing is raised."""
    runtime.chat.empty()
    runtime.chat.loading("Loading the model…")
    try:
        model = runtime.open_chat_model(runtime, runtime.chat.loading)
    except MemappError as error:
        log.warning("the chat model did not load: %s", type(error).__name__)
        runtime.chat.fail(str(error))
        return
    runtime.chat.fill(model, model.name)


def load_embedder(runtime: Runtime) -> None:
    """Load the embedding model; slow. `runtime.embedding` tells how it went; nothing is raised."""
    runtime.embedding.loading("Loading the embedding model…")
    try:
        embedder = runtime.open_embedder(runtime)
        embedder.embed(["ready"])
    except MemappError as error:
        log.warning("the embedder did not load: %s", type(error).__name__)
        runtime.embedding.fail(str(error))
        return
    runtime.embedding.fill(embedder, embedder.model_id)
