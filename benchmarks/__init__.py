"""What memapp promises about speed, memory and quality, measured: `python -m benchmarks.NAME`, each
one table from one run.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memapp.inference import ChatModel
    from memapp.inference.embedder import ChildEmbedder

MISSED = 3
"""How a benchmark leaves that missed a bound. One that crashes leaves with 1, as Python does, and
bad options with 2.
"""
MADE_UP = Path(__file__).parent / "made_up"
"""What a benchmark uses when there is no data, in the same form."""


def bundled_embedder() -> "ChildEmbedder":
    """Open the bundled embedding model in the form that the app made or will use."""
    from memapp import paths
    from memapp.inference.embedder import ChildEmbedder, bundled

    return ChildEmbedder(bundled(paths.locate().cache))


def chat_model_options() -> ArgumentParser:
    """Return a parent parser with the options that choose the chat model:
    `ArgumentParser(parents=[chat_model_options()])`.
    """
    options = ArgumentParser(add_help=False)
    chosen = options.add_mutually_exclusive_group()
    names = "a GGUF file, one in the models folder, `default` or `bundled`"
    chosen.add_argument("--model", default="", metavar="NAME|FILE", help=names)
    chosen.add_argument("--server", default="", metavar="URL", help="an OpenAI-compatible server")
    return options


def chat_model_file(options: Namespace) -> Path:
    """Return the file of the chosen model, the bundled one by default. Raises `ModelError`."""
    from memapp import paths
    from memapp.errors import ModelError
    from memapp.inference import gguf_file
    from memapp.inference.bundled import bundled_model_path
    from memapp.services.models import default_model_file

    places = paths.locate()
    match options.model:
        case "" | "bundled":
            return bundled_model_path()
        case "default":
            if (file := default_model_file(places)) is None:
                raise ModelError(
                    "The default model is not here.", "Get it: memapp models get --default"
                )
            return file
        case name:
            return gguf_file.find(places.models, name)


def chat_model_flags(options: Namespace) -> dict[str, str]:
    """Return the settings that make memapp use the chosen model. Raises `ModelError`."""
    return (
        {"server": options.server} if options.server else {"model": str(chat_model_file(options))}
    )


def prepared_file(file: Path) -> Path:
    """Return a model's file in the form that the app loads. Raises `ModelError`."""
    from memapp import paths
    from memapp.inference.quantise import prepare

    return prepare(file, paths.locate().cache, lambda _: None)


def open_chat_model(options: Namespace) -> "ChatModel":
    """Open the chosen chat model in this process. Raises `ModelError`."""
    from memapp import paths
    from memapp.inference.cached_copies import content_hash
    from memapp.inference.llama import LlamaModel
    from memapp.inference.server import ServerModel

    if options.server:
        return ServerModel(options.server)
    file = chat_model_file(options)
    return LlamaModel(prepared_file(file), key=content_hash(file, paths.locate().cache))
