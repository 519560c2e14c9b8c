"""The models: loading them in the background, listing the ones there are, choosing one."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from memapp.domain.text import counted, did_you_mean
from memapp.errors import MemappError, ModelError, UsageError
from memapp.inference import Embedder, build, crashes, gguf_file, other_programs, templates
from memapp.inference.download import RemoteFile, parts
from memapp.inference.other_programs import KeptFile
from memapp.inference.prepared import KEY_CHARS, known_hash
from memapp.paths import Paths, expanded
from memapp.runtime import ModelSlot, Runtime
from memapp.services import embed, model_jobs, preferences
from memapp.services.manifest import (
    Recommended,
    bundled_embedder,
    bundled_model,
    default_model,
    recommended,
)
from memapp.settings import BUNDLED, Settings
from memapp.store import chat

log = logging.getLogger(__name__)

MEMAPP, YOU = "memapp", "you"
UNREAD_BYTES = 300_000_000
"""Memory that a model needs beside its weights, assumed while there is no file to read it from."""

Fit = Literal["fits", "tight", "too big", "unusable"]
"""Whether a model has room in the memory; unusable is a file that is missing or damaged, as the
note says.
"""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that could be used: on this machine already, or recommended."""

    name: str
    path: Path | None
    """None for a recommendation that is not here yet, and for the bundled model."""
    bytes: int
    needed: int
    """Memory that it takes while it is loaded."""
    licence: str
    note: str
    fit: Fit
    current: bool
    speed: float | None = None
    """Tokens a second on this machine; None while no model has answered here."""
    kept_by: str = ""
    """Whose file it is: `MEMAPP` downloaded it, `YOU` put it there, or another program; empty for
    what is in no file here.
    """
    remote: RemoteFile | None = None
    """Where it can be downloaded, for a recommendation that is not here yet."""
    arrived: int = 0
    """How much of it was downloaded before that was interrupted."""
    jobs: str = ""
    """What it is trusted with, as a sentence; empty for what is not here."""
    embeds: bool = False
    """It makes embeddings, by which the search finds what means the same, and does not chat."""


def load_chat_model(runtime: Runtime, *, wanted: Callable[[], bool] = lambda: True) -> None:
    """Load the language model that the settings name; slow. `runtime.chat` tells how it went; only
    a bug is raised.

    One that is not `wanted` any more when it is there is closed, and `runtime.chat` goes on
    loading: another will follow.
    """
    runtime.chat.empty()
    runtime.chat.loading("Loading the model…")
    with _telling(runtime.chat, "chat model"):
        model = runtime.open_chat_model(runtime, runtime.chat.loading)
        if wanted():
            runtime.chat.fill(model, model.name)
        else:
            model.close()


def load_embedder(runtime: Runtime) -> None:
    """Load the embedding model that the settings name; slow. `runtime.embedding` tells how it went;
    only a bug is raised.

    The one that reads comes first, in a process of its own where another one searches.
    """
    if runtime.reading is runtime.embedding:
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
    with _telling(slot, "embedding model"):
        embedder = opened(runtime)
        try:
            embedder.embed(["ready"])
        except BaseException:
            embedder.close()
            raise
        slot.fill(embedder, embedder.model_id)


@contextmanager
def _telling(slot: ModelSlot[Any], what: str) -> Iterator[None]:
    """Let a slot say what went wrong while its model loaded: nobody may wait for it for ever."""
    try:
        yield
    except MemappError as error:
        log.warning("the %s did not load: %s", what, type(error).__name__)
        slot.fail(str(error))
    except Exception as error:
        slot.fail(f"A bug in memapp ({type(error).__name__}) kept the {what} from loading.")
        raise


def list_models(runtime: Runtime) -> list[ModelChoice]:
    """Return the bundled model, the files memapp downloaded, the person's own, those of other
    programs, and good ones to get.
    """
    current = chosen_name(runtime) if not runtime.settings.server else None
    known = {entry.file: entry for entry in recommended() if entry.file}
    choices = [_choice(runtime, BUNDLED, bundled_model(), is_current=current == BUNDLED)]
    names = {BUNDLED}
    for kept in _kept_files(runtime):
        entry = known.get(kept.path.name)
        name = entry.name if entry and kept.program == MEMAPP else kept.name
        short = (kept.path.name, kept.path.stem, kept.name) if kept.program == YOU else ()
        is_current = current in (*short, str(kept.path))
        name = _free(name, kept, names)
        chosen = _choice(
            runtime, name, entry, kept.path, is_current=is_current, is_own=kept.program == YOU
        )
        if (
            is_current or kept.program in (MEMAPP, YOU) or chosen.fit != "unusable"
        ):  # else it is that program's business
            choices.append(replace(chosen, kept_by=kept.program))
            names.add(choices[-1].name)
    for choice in choices[1:]:
        known.pop(choice.path.name if choice.path else "", None)
    if current and not any(choice.current and not choice.embeds for choice in choices):
        choices.append(_choice(runtime, current, None, expanded(current), is_current=True))
    embedder, searching = bundled_embedder(), runtime.settings.embedding_model
    choices += [
        _choice(runtime, embedder.name, embedder, is_current=not searching),
        *(_to_get(runtime, entry) for entry in known.values()),
    ]
    if searching and not any(choice.current and choice.embeds for choice in choices):
        choices.append(
            replace(
                _choice(runtime, searching, None, Path(searching), is_own=True),
                current=True,
                embeds=True,
            )
        )
    return sorted(_with_speed(runtime, choices), key=lambda one: one.embeds)


def default_file(places: Paths) -> Path | None:
    """Return the file of the default model; None unless it is here and whole."""
    if (entry := default_model()) is None:
        return None
    path = places.downloads / entry.file  # a download gets this name only when its hash was right
    return path if path.is_file() and path.stat().st_size == entry.bytes else None


def chosen_name(runtime: Runtime) -> str:
    """Return the model that the settings name, a file or `BUNDLED`; where they name none, that is
    the default if it is here.
    """
    return runtime.settings.model or str(default_file(runtime.paths) or BUNDLED)


def missing_default(places: Paths, chosen: Settings) -> Recommended | None:
    """Return the default model where it would answer and is not here, so that the bundled one
    stands in for it; else None.
    """
    return default_model() if _names_nothing(chosen) and default_file(places) is None else None


def is_default_choice(runtime: Runtime, name: str) -> bool:
    """Return True for the name of the default model, where the settings name no other and it
    answers once it is here.
    """
    entry = default_model()
    return entry is not None and entry.name == name and _names_nothing(runtime.settings)


def _names_nothing(chosen: Settings) -> bool:
    return not chosen.model and not chosen.server


def machine(runtime: Runtime) -> str:
    """Say how much memory is free, and what models are computed with: how much of them goes to the
    graphics card.
    """
    layers, graphics = runtime.settings.gpu_layers, build.graphics()
    share = "all layers" if layers < 0 else f"{layers:,} layers"
    computes = (
        f"{share} on the graphics card ({graphics})" if graphics else "models run on the processor"
    )
    return f"{gguf_file.free_memory() / 1e9:.1f} GB of memory free · {computes}"


def _kept_files(runtime: Runtime) -> list[KeptFile]:
    """Return the model files on this disk, each once; a file of the person's that leads to another
    program's is the person's.
    """
    folders = {MEMAPP: runtime.paths.downloads, YOU: runtime.paths.models}
    kept = [
        KeptFile(gguf_file.model_name(path), path, owner)
        for owner, folder in folders.items()
        for path in other_programs.known_by(folder.glob("*.gguf"))
    ]
    found: dict[str, KeptFile] = {}
    for file in [*kept, *other_programs.find()]:
        found.setdefault(os.path.realpath(file.path), file)
    return list(found.values())


def _free(name: str, kept: KeptFile, taken: set[str]) -> str:
    """Return a name that no other model in the list has."""
    return next(
        text for text in (name, f"{name} ({kept.program})", str(kept.path)) if text not in taken
    )


def _to_get(runtime: Runtime, entry: Recommended) -> ModelChoice:
    remote = RemoteFile(
        entry.source, entry.file, entry.bytes, entry.commit, entry.sha256, entry.wheels
    )
    arrived = sum(part.stat().st_size for part in parts(entry.file, runtime.paths.downloads))
    return replace(_choice(runtime, entry.name, entry), remote=remote, arrived=arrived)


def _with_speed(runtime: Runtime, choices: list[ModelChoice]) -> list[ModelChoice]:
    """Judge each model by the one that answers: for every token all weights are read once, so time
    grows with their size.
    """
    current = next((choice for choice in choices if choice.current and not choice.embeds), None)
    model = runtime.chat.ready()
    if current is None or model is None:
        return choices
    faster = next(
        (path for path in runtime.paths.cache.glob("*/*.gguf") if path.stem == model.name), None
    )
    measured = faster.stat().st_size if faster else current.bytes
    usages = chat.last_usages(runtime.read(), model.name)
    seconds = sum(usage.seconds - usage.first_token_seconds for usage in usages)
    if seconds <= 0:
        return choices
    speed = sum(usage.decode_tokens for usage in usages) / seconds
    chatting = [choice for choice in choices if not choice.embeds]
    speeds = {
        choice.name: speed if choice.current else speed * measured / max(choice.bytes, 1)
        for choice in chatting
    }
    return [replace(choice, speed=speeds.get(choice.name)) for choice in choices]


def use_model(runtime: Runtime, name: str) -> str:
    """Make a model the one for this and later starts, in place of a server too. Load it with
    `load_chat_model`.

    Returns what to know of a file that never answered here, else nothing. Raises `UsageError` if
    there is none of this name, its file is damaged, or this start was given another.
    """
    if (embedder := named_embedder(runtime, name)) is not None:
        preferences.set_preference(runtime, "embedding_model", str(embedder.path or ""))
        return (
            _from_elsewhere(embedder.path)
            if embedder.path and embedder.path.is_file() and embedder.kept_by != MEMAPP
            else ""
        )
    value, chosen = named(runtime, name)
    preferences.check_free(runtime, "server")
    preferences.set_preference(runtime, "model", value)
    if runtime.settings.server:
        preferences.set_preference(runtime, "server", "")
    crashes.forget_all(runtime.paths.cache)
    if value in ("", BUNDLED) or (chosen and chosen.kept_by == MEMAPP):
        return ""
    path = Path(value)
    if chat.last_usages(runtime.read(), gguf_file.read(path).name, limit=1):
        return ""
    return _from_elsewhere(path)


def _from_elsewhere(path: Path) -> str:
    size = f"{gguf_file.size_here(path) / 1e6:,.0f} MB"
    return f"{path.name} ({size}) did not come with memapp. llama.cpp reads it with all your rights: use only files you trust."


def named_embedder(runtime: Runtime, name: str) -> ModelChoice | None:
    """Return the embedding model of this name, or in this file or folder; None for what is none
    that is here.
    """
    if found := next(
        (
            choice
            for choice in list_models(runtime)
            if choice.name == name and choice.embeds and not choice.remote
        ),
        None,
    ):
        return found
    path = expanded(name).absolute()
    found = _choice(runtime, name, None, path, is_own=True) if path.exists() else None
    return found if found and found.embeds else None


def search_terms(runtime: Runtime, choice: ModelChoice) -> str:
    """Say what it changes when another model searches by meaning."""
    texts = counted(embed.stored(runtime), "text")
    said = (
        f"{choice.name} searches by meaning from then on. The vectors of {texts} are made anew in idle time (`memapp upkeep` does"
        " it at once); until then words find them."
    )
    beside = f" Your messages are read, and learned from, by {bundled_embedder().name} as before: both stay in memory."
    return said + (beside if choice.path else "")


def named(runtime: Runtime, name: str) -> tuple[str, ModelChoice | None]:
    """Return what the setting `model` calls a model by its name or its file, and its place in the
    list if it has one.

    Raises `UsageError` if there is none.
    """
    chosen = next((choice for choice in list_models(runtime) if choice.name == name), None)
    path = expanded(name)
    if name == BUNDLED:
        return BUNDLED, chosen
    if chosen is not None and chosen.path is not None:
        return "" if chosen.path == default_file(runtime.paths) else str(chosen.path), chosen
    if path.is_file():
        return str(gguf_file.first_part(path.absolute())), chosen
    if chosen is not None:
        raise UsageError(f"{name} is not here yet.", f"Get it: memapp models get {name}")
    here = [choice.name for choice in list_models(runtime) if choice.path or choice.name == BUNDLED]
    advice = did_you_mean(name, here, f"Put its GGUF file into {runtime.paths.models}.")
    raise UsageError(f"There is no model {name!r} here.", advice)


def template_remark(runtime: Runtime) -> str:
    """Return a warning about the chat template of the chosen file; empty for a usable one, and for
    models that memapp knows.

    Slow the first time.
    """
    if runtime.settings.server or not runtime.settings.model:
        return ""
    try:
        path = gguf_file.find(runtime.paths.models, runtime.settings.model)
        return (
            ""
            if path.parent == runtime.paths.downloads
            else templates.remark(gguf_file.read(path).chat_template)
        )
    except ModelError:
        return ""  # of that loading tells


def remote_host(runtime: Runtime) -> str:
    """Return the other machine that words go to when a server answers; empty when they stay here."""
    from memapp.inference import server_http

    return server_http.remote_host(runtime.settings.server)


def _choice(
    runtime: Runtime,
    name: str,
    known: Recommended | None,
    path: Path | None = None,
    *,
    is_current: bool = False,
    is_own: bool = False,
) -> ModelChoice:
    """Return a model with what is known of it; the templates of other programs' files are looked at
    once one is chosen.
    """
    licence, note = (known.licence, known.note) if known else ("", "")
    if path is None:
        size = known.bytes if known else 0
        needed = size + UNREAD_BYTES
        jobs = (
            model_jobs.in_words(runtime, known.sha256[:KEY_CHARS])
            if known and name == BUNDLED
            else ""
        )
        embeds = known is not None and known.embeds
        return ModelChoice(
            name,
            None,
            size,
            needed,
            licence,
            note,
            _fit(needed),
            is_current,
            jobs=jobs,
            embeds=embeds,
        )
    size = gguf_file.size_here(path)
    try:
        if (path / "modules.json").is_file():  # of sentence-transformers
            return ModelChoice(name, path, 0, 0, licence, note, "fits", is_current, embeds=True)
        header = gguf_file.read(path)
        if header.is_embedder:
            needed, is_current = size + UNREAD_BYTES, str(path) == runtime.settings.embedding_model
            return ModelChoice(
                name, path, size, needed, licence, note, _fit(needed), is_current, embeds=True
            )
        if not header.is_chat_model:
            raise ModelError("This file holds no model that chats.")
        needed = header.needed_bytes(runtime.settings.context_tokens)
        licence = licence or str(header.metadata.get("general.license", ""))
    except ModelError as error:
        return ModelChoice(name, path, size, 0, licence, str(error), "unusable", is_current)
    if known is None and (is_current or is_own):
        note = " ".join(filter(None, [note, templates.remark(header.chat_template)]))
    jobs = model_jobs.in_words(runtime, known_hash(path, runtime.paths.cache))
    return ModelChoice(name, path, size, needed, licence, note, _fit(needed), is_current, jobs=jobs)


def _fit(needed: int) -> Fit:
    """Tell whether so many bytes fit into the memory that is free now."""
    free = gguf_file.free_memory()
    if needed > free:
        return "too big"
    return "tight" if needed > 0.7 * free else "fits"
