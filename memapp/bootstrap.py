"""The composition root: reads the settings, opens the database, and chooses the model classes.

Only this module sees everything; the others are handed a `Runtime`.
"""

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memapp import paths, settings
from memapp.categories import load_categories
from memapp.domain.engine import EngineCheck
from memapp.domain.persona import Persona
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.errors import ModelError
from memapp.inference import Cancel, ChatModel, Embedder, cached_copies, gguf_file, network
from memapp.inference.bundled import bundled_embedder_path, bundled_model_path
from memapp.inference.cached_copies import content_hash
from memapp.language.normal_form import WORDING
from memapp.prompts.personas import load_personas
from memapp.run import background
from memapp.runtime import Runtime
from memapp.services import chats, forget, models
from memapp.store.connection import SQLITE
from memapp.store.opening import open_database

if TYPE_CHECKING:
    from memapp.inference.child_model import ChildModel


def start(
    *,
    home: Path | None = None,
    database: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    read_only: bool = False,
    tell: Callable[[str], object] = lambda _: None,
) -> Runtime:
    """Build a `Runtime` without loading a model; `tell` hears of every wait.

    Raises `ConfigError` or `StoreError`.
    """
    network.watch()
    places = paths.locate(home, database)
    background.wait(places.cache)
    _log_to(places.log)
    loaded = settings.load(places.config, flags)
    personas = read_personas(places)
    categories = load_categories(paths.bundled("assets", "categories.toml"), places.categories)
    opened = open_database(places.database, WORDING, read_only=read_only, tell=tell)
    runtime = Runtime(
        loaded,
        places,
        opened,
        personas,
        categories,
        _now,
        open_chat_model,
        open_embedder,
        open_reader,
    )
    if not opened.read_only:
        _tidy(runtime)
    return runtime


def _tidy(runtime: Runtime) -> None:
    """Finish the work that a kill interrupted; close the database if that fails."""
    for folder in (runtime.paths.cache, runtime.paths.config.parent):
        cached_copies.remove_leftovers(folder)
    try:
        chats.interrupt_abandoned(runtime)
        forget.finish(runtime)
    except BaseException:
        runtime.close()
        raise


def read_personas(places: paths.Paths) -> Mapping[str, Persona]:
    """Read the bundled personas and the person's own."""
    return load_personas([paths.bundled("assets", "personas"), places.personas])


def open_chat_model(runtime: Runtime, report: Callable[[str], None]) -> ChatModel:
    """Open the server or the GGUF file of the settings, or the bundled model."""
    chosen = runtime.settings
    if chosen.server:
        from memapp.inference import server_key
        from memapp.inference.server import ServerModel

        return ServerModel(
            chosen.server,
            chosen.server_model,
            allow_remote=chosen.allow_remote,
            context_tokens=chosen.context_tokens,
            answer_seconds=chosen.first_token_seconds,
            key=server_key.find(chosen.server_key_file),
        )

    return _open_file(runtime, report, unload_seconds=60 * chosen.unload_minutes)


def _open_file(
    runtime: Runtime,
    report: Callable[[str], None],
    *,
    unload_seconds: float = 0.0,
    keeps_record: bool = True,
) -> "ChildModel":
    from memapp.inference.child_model import ChildModel

    chosen, file, cache = runtime.settings, model_file(runtime), runtime.paths.cache
    return ChildModel(
        file,
        cache,
        key=_key(file, cache),
        context_tokens=chosen.context_tokens,
        gpu_layers=chosen.gpu_layers,
        repack=chosen.repack,
        unload_seconds=unload_seconds,
        keeps_record=keeps_record,
        report=report,
        set_aside=runtime.chat.fail,
    )


def check_engine(runtime: Runtime) -> EngineCheck:
    """Compute one token in a new process, even with a model that was set aside."""
    features = ""
    prompt = Prompt("", (PromptTurn("user", "Say yes."),))
    try:
        with closing(_open_file(runtime, lambda _: None, keeps_record=False)) as model:
            features = model.system_info
            for _ in model.generate(prompt, Sampling(max_tokens=1), Cancel()):
                pass
    except ModelError as error:
        return EngineCheck(_features(features), str(error))
    return EngineCheck(_features(features))


def _features(system_info: str) -> tuple[str, ...]:
    return tuple(re.findall(r"(\w+) = 1", system_info))


def _key(file: Path, cache: Path) -> str:
    """Return the hash of a model file, by which its crashes are recorded; computed once."""
    try:
        return content_hash(file, cache)
    except OSError:  # a full disk is no reason not to load the model
        return ""


def chosen_model(runtime: Runtime) -> str:
    """Name the model of `open_chat_model`. Raises `ModelError` if the file is missing."""
    if runtime.settings.server:
        return f"server {runtime.settings.server}"
    path = model_file(runtime)
    if models.chosen_model(runtime) == settings.BUNDLED:
        return f"{settings.BUNDLED}, {path.name}"
    return str(path) if runtime.settings.model else f"default, {path}"


def model_file(runtime: Runtime) -> Path:
    """Return the file of the chosen, default or bundled model. Raises `ModelError`."""
    name = models.chosen_model(runtime)
    return (
        bundled_model_path()
        if name == settings.BUNDLED
        else gguf_file.find(runtime.paths.models, name)
    )


def open_embedder(runtime: Runtime) -> Embedder:
    """Open the embedding model for search, in a process of its own."""
    from memapp.inference.embedder import ChildEmbedder, named

    chosen = runtime.settings.embedding_model
    if not chosen:
        return open_reader(runtime)
    return ChildEmbedder(named(Path(chosen), runtime.paths.cache), set_aside=runtime.embedding.fail)


def open_reader(runtime: Runtime) -> Embedder:
    """Open the bundled embedding model, in a process of its own."""
    from memapp.inference.embedder import ChildEmbedder, bundled

    return ChildEmbedder(bundled(runtime.paths.cache), set_aside=runtime.judge_embedder.fail)


def chosen_embedder(runtime: Runtime) -> str:
    """Name the model of `open_embedder` and its engine. Raises `ModelError` if files are gone."""
    from memapp.inference import minilm, model_folder

    if chosen := runtime.settings.embedding_model:
        path = Path(chosen)
        if path.is_dir():
            return f"{chosen}, {model_folder.dimension(path)} numbers, in sentence-transformers"
        dimension = gguf_file.read_embedder(path).number("embedding_length")
        return f"{chosen}, {dimension} numbers, in llama.cpp"
    bundled_embedder_path()
    return f"bundled, {minilm.NAME}, in llama.cpp"


def sqlite_version() -> tuple[int, ...]:
    """Return the version of SQLite in use."""
    return SQLITE


def _log_to(folder: Path) -> None:
    """Log to a few rotating files, never to the terminal, and never what anyone wrote."""
    # A full disk is reported where memories are saved, not on the terminal.
    logging.raiseExceptions = False
    ours = logging.getLogger("memapp")
    ours.propagate = False
    for handler in list(ours.handlers):
        ours.removeHandler(handler)
        handler.close()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / "memapp.log"
        file.touch(mode=0o600)
        if not file.is_file():
            raise FileExistsError  # a pipe without a reader would block
        ours.addHandler(
            RotatingFileHandler(
                file, maxBytes=1_000_000, backupCount=4, encoding="utf-8", delay=True
            )
        )
    except OSError:
        ours.addHandler(logging.NullHandler())  # a missing log is no reason not to chat
    ours.handlers[0].setFormatter(
        logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    ours.setLevel(logging.INFO)


def _now() -> datetime:
    return datetime.now(UTC)
