"""The models: listing the ones there are, and choosing one."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from memapp.domain.text import counted, did_you_mean
from memapp.errors import ModelError, UsageError
from memapp.inference import crashes, gguf_file, llama_build, other_programs, templates
from memapp.inference.cached_copies import KEY_CHARS, known_hash
from memapp.inference.download import RemoteFile, parts
from memapp.inference.other_programs import KeptFile
from memapp.paths import Paths, expanded
from memapp.runtime import Runtime
from memapp.services import embed, preferences
from memapp.services.models import trusted_jobs
from memapp.services.models.manifest import (
    Recommended,
    bundled_embedder,
    bundled_model,
    default_model,
    recommended,
)
from memapp.settings import BUNDLED, Settings
from memapp.store import chat

MEMAPP, YOU = "memapp", "you"
UNREAD_BYTES = 300_000_000
"""Memory a model needs beside its weights, assumed while there is no file to read."""

Fit = Literal["fits", "tight", "too big", "unusable"]
"""How a model fits into the memory; an unusable file is missing or damaged, as the note says."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that is here or recommended."""

    name: str
    path: Path | None
    """None for the bundled model, and for a recommendation that is not here yet."""
    bytes: int
    needed: int
    """Memory it takes while loaded."""
    licence: str
    note: str
    fit: Fit
    current: bool
    speed: float | None = None
    """Tokens a second on this machine; None before any model has answered here."""
    kept_by: str = ""
    """Owner of the file: `MEMAPP` downloaded it, `YOU`, or another program; empty without a file.
    """
    remote: RemoteFile | None = None
    """Where to download a recommendation that is not here yet."""
    arrived: int = 0
    """Bytes of an interrupted download."""
    jobs: str = ""
    """A sentence on its jobs; empty if not here."""
    embeds: bool = False
    """True for an embedding model, which serves the search and does not chat."""


def list_models(runtime: Runtime) -> list[ModelChoice]:
    """Return the models that are here, sorted by owner, and the recommended ones to get."""
    current = chosen_model(runtime) if not runtime.settings.server else None
    to_get = {entry.file: entry for entry in recommended() if entry.file}
    choices = [_choice(runtime, BUNDLED, bundled_model(), is_current=current == BUNDLED)]
    names = {BUNDLED}
    for file in _kept_files(runtime):
        entry = to_get.get(file.path.name)
        name = entry.name if entry and file.program == MEMAPP else file.name
        short = (file.path.name, file.path.stem, file.name) if file.program == YOU else ()
        is_current = current in (*short, str(file.path))
        name = _unique_name(name, file, names)
        chosen = _choice(
            runtime, name, entry, file.path, is_current=is_current, is_own=file.program == YOU
        )
        # An unusable file of another program is not the person's business.
        if is_current or file.program in (MEMAPP, YOU) or chosen.fit != "unusable":
            choices.append(replace(chosen, kept_by=file.program))
            names.add(choices[-1].name)
    for choice in choices[1:]:
        to_get.pop(choice.path.name if choice.path else "", None)
    if current and not any(choice.current and not choice.embeds for choice in choices):
        choices.append(_choice(runtime, current, None, expanded(current), is_current=True))
    embedder, searching = bundled_embedder(), runtime.settings.embedding_model
    choices += [
        _choice(runtime, embedder.name, embedder, is_current=not searching),
        *(_recommendation(runtime, entry) for entry in to_get.values()),
    ]
    if searching and not any(choice.current and choice.embeds for choice in choices):
        choices.append(
            replace(
                _choice(runtime, searching, None, Path(searching), is_own=True),
                current=True,
                embeds=True,
            )
        )
    return sorted(_with_speed(runtime, choices), key=lambda choice: choice.embeds)


def default_model_file(places: Paths) -> Path | None:
    """Return the file of the default model; None unless complete."""
    if (entry := default_model()) is None:
        return None
    path = places.downloads / entry.file  # named so only once its hash was checked
    return path if path.is_file() and path.stat().st_size == entry.bytes else None


def chosen_model(runtime: Runtime) -> str:
    """Return the configured model, a file or `BUNDLED`; by default the default model if here."""
    return runtime.settings.model or str(default_model_file(runtime.paths) or BUNDLED)


def missing_default_model(places: Paths, chosen: Settings) -> Recommended | None:
    """Return the default model if it would answer but is not downloaded, else None."""
    return (
        default_model() if _names_nothing(chosen) and default_model_file(places) is None else None
    )


def is_default_choice(runtime: Runtime, name: str) -> bool:
    """Return True for the name of the default model while the settings name no other."""
    entry = default_model()
    return entry is not None and entry.name == name and _names_nothing(runtime.settings)


def _names_nothing(chosen: Settings) -> bool:
    return not chosen.model and not chosen.server


def describe_machine(runtime: Runtime) -> str:
    """Describe the free memory, and the processor or graphics card that models run on."""
    layers, graphics = runtime.settings.gpu_layers, llama_build.graphics()
    share = "all layers" if layers < 0 else f"{layers:,} layers"
    computes = (
        f"{share} on the graphics card ({graphics})" if graphics else "models run on the processor"
    )
    return f"{gguf_file.free_memory() / 1e9:.1f} GB of memory free · {computes}"


def _kept_files(runtime: Runtime) -> list[KeptFile]:
    """Return the model files on this disk, each once.

    A link of the person's to the file of another program belongs to the person.
    """
    folders = {MEMAPP: runtime.paths.downloads, YOU: runtime.paths.models}
    own_files = [
        KeptFile(gguf_file.model_name(path), path, owner)
        for owner, folder in folders.items()
        for path in other_programs.known_by(folder.glob("*.gguf"))
    ]
    files: dict[str, KeptFile] = {}
    for file in [*own_files, *other_programs.find()]:
        files.setdefault(os.path.realpath(file.path), file)
    return list(files.values())


def _unique_name(name: str, file: KeptFile, taken: set[str]) -> str:
    """Return a name that no other model in the list has."""
    return next(
        text for text in (name, f"{name} ({file.program})", str(file.path)) if text not in taken
    )


def _recommendation(runtime: Runtime, entry: Recommended) -> ModelChoice:
    remote = RemoteFile(
        entry.source, entry.file, entry.bytes, entry.commit, entry.sha256, entry.wheels
    )
    arrived = sum(part.stat().st_size for part in parts(entry.file, runtime.paths.downloads))
    return replace(_choice(runtime, entry.name, entry), remote=remote, arrived=arrived)


def _with_speed(runtime: Runtime, choices: list[ModelChoice]) -> list[ModelChoice]:
    """Estimate the speed of each model from the current one: time grows with size.

    For each token all weights are read once.
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
    """Make a model the one for this and later starts, also in place of a server.

    Load it with `load_chat_model`. Returns a warning about a file that never answered here, else an
    empty text. Raises `UsageError` for an unknown name, a damaged file, or a model that is fixed
    for this start.
    """
    if (embedder := find_embedder(runtime, name)) is not None:
        preferences.set_preference(runtime, "embedding_model", str(embedder.path or ""))
        return (
            _origin_warning(embedder.path)
            if embedder.path and embedder.path.is_file() and embedder.kept_by != MEMAPP
            else ""
        )
    value, chosen = resolve_model(runtime, name)
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
    return _origin_warning(path)


def _origin_warning(path: Path) -> str:
    size = f"{gguf_file.size_here(path) / 1e6:,.0f} MB"
    return (
        f"{path.name} ({size}) did not come with memapp. llama.cpp reads it with all your rights:"
        " use only files you trust."
    )


def find_embedder(runtime: Runtime, name: str) -> ModelChoice | None:
    """Return the embedding model of this name, file or folder; None if there is none here."""
    if choice := next(
        (
            choice
            for choice in list_models(runtime)
            if choice.name == name and choice.embeds and not choice.remote
        ),
        None,
    ):
        return choice
    path = expanded(name).absolute()
    choice = _choice(runtime, name, None, path, is_own=True) if path.exists() else None
    return choice if choice and choice.embeds else None


def search_notice(runtime: Runtime, choice: ModelChoice) -> str:
    """Explain what changes when another model searches by meaning."""
    texts = counted(embed.stored(runtime), "text")
    search = (
        f"{choice.name} searches by meaning from then on. The vectors of {texts} are made anew in"
        " idle time (`memapp upkeep` does it at once); until then words find them."
    )
    reading = (
        f" Your messages are read, and learned from, by {bundled_embedder().name} as before:"
        " both stay in memory."
    )
    return search + (reading if choice.path else "")


def resolve_model(runtime: Runtime, name: str) -> tuple[str, ModelChoice | None]:
    """Return the value of the setting `model` for a name or file, and its entry if listed.

    Raises `UsageError` if there is none.
    """
    chosen = next((choice for choice in list_models(runtime) if choice.name == name), None)
    path = expanded(name)
    if name == BUNDLED:
        return BUNDLED, chosen
    if chosen is not None and chosen.path is not None:
        return "" if chosen.path == default_model_file(runtime.paths) else str(chosen.path), chosen
    if path.is_file():
        return str(gguf_file.first_part(path.absolute())), chosen
    if chosen is not None:
        raise UsageError(f"{name} is not here yet.", f"Get it: memapp models get {name}")
    names = [
        choice.name for choice in list_models(runtime) if choice.path or choice.name == BUNDLED
    ]
    advice = did_you_mean(name, names, f"Put its GGUF file into {runtime.paths.models}.")
    raise UsageError(f"There is no model {name!r} here.", advice)


def template_remark(runtime: Runtime) -> str:
    """Return a warning about the chat template of the chosen file; empty if there is none.

    Slow the first time. Models that memapp knows are not checked.
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
        return ""  # loading reports the error


def remote_host(runtime: Runtime) -> str:
    """Return the host a configured server sends messages to; empty if they stay here."""
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
    """Return the entry of a model.

    The template of another program's file is checked only once the file is chosen.
    """
    licence, note = (known.licence, known.note) if known else ("", "")
    if path is None:
        size = known.bytes if known else 0
        needed = size + UNREAD_BYTES
        jobs = (
            trusted_jobs.in_words(runtime, known.sha256[:KEY_CHARS])
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
        if (path / "modules.json").is_file():  # a folder of sentence-transformers
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
    key = known_hash(path, runtime.paths.cache)
    if not key and known and path.parent == runtime.paths.downloads:
        key = known.sha256[:KEY_CHARS]  # The hash was checked before the file got its name.
    jobs = trusted_jobs.in_words(runtime, key)
    return ModelChoice(name, path, size, needed, licence, note, _fit(needed), is_current, jobs=jobs)


def _fit(needed: int) -> Fit:
    """Return how this many bytes fit into the free memory."""
    free = gguf_file.free_memory()
    if needed > free:
        return "too big"
    return "tight" if needed > 0.7 * free else "fits"
