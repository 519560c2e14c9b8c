"""Real models: the bundled one in its fast form, and tiny ones of the template families."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memapp.domain.prompt import Finished, Piece, Prompt, Sampling
from memapp.inference import Cancel, ChatModel
from memapp.inference.bundled import bundled_model_path
from memapp.inference.llama import LlamaModel
from memapp.inference.quantise import prepare

from . import model_server, tiny_gguf
from .model_server import Server

OpenTiny = Callable[[tiny_gguf.Family], LlamaModel]
OpenFile = Callable[[Path], LlamaModel]


@pytest.fixture(scope="session")
def model() -> Iterator[LlamaModel]:
    """The bundled chat model, converted once."""
    cache = Path(tempfile.gettempdir()) / "memapp-tests"
    opened = LlamaModel(prepare(bundled_model_path(), cache, lambda text: None))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def tiny_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tiny_gguf.Family], Path]:
    """The model file of a family; made once."""
    folder = tmp_path_factory.mktemp("tiny")

    def path(family: tiny_gguf.Family) -> Path:
        file = folder / f"{family.name}.gguf"
        return file if file.exists() else tiny_gguf.write(file, family)

    return path


@pytest.fixture
def open_file() -> Iterator[OpenFile]:
    """Opens the model in a file; closed after the test."""
    opened: list[LlamaModel] = []

    def open_model(path: Path) -> LlamaModel:
        opened.append(LlamaModel(path, threads=1))
        return opened[-1]

    yield open_model
    for model in opened:
        model.close()


@pytest.fixture
def open_tiny(tiny_file: Callable[[tiny_gguf.Family], Path], open_file: OpenFile) -> OpenTiny:
    """Opens the tiny model of a family; closed after the test."""
    return lambda family: open_file(tiny_file(family))


def reply(model: ChatModel, prompt: Prompt, sampling: Sampling) -> tuple[str, Finished]:
    """Read a whole reply: its text, and how it finished."""
    *pieces, finished = model.generate(prompt, sampling, Cancel())
    assert isinstance(finished, Finished)
    return "".join(piece.text for piece in pieces if isinstance(piece, Piece)), finished


@pytest.fixture
def server() -> Iterator[Server]:
    with model_server.running() as running:
        yield running
