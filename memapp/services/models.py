"""The models: loading them in the background, listing the ones there are, choosing one."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from memapp.domain.text import did_you_mean
from memapp.errors import MemappError, ModelError, StoreError, UsageError
from memapp.inference import build, gguf_file, other_programs
from memapp.inference.download import RemoteFile, parts
from memapp.inference.other_programs import KeptFile
from memapp.inference.prepared import KEY_CHARS
from memapp.runtime import ModelSlot, Runtime
from memapp.services import preferences, prompt_form
from memapp.services.manifest import Recommended, recommended
from memapp.store import chat, interface, leases

log = logging.getLogger(__name__)

BUNDLED = "bundled"
LOADS = "load a model"
MEMAPP, YOU = "memapp", "you"
UNREAD_BYTES = 300_000_000
"""Memory that a model needs beside its weights, assumed while there is no file to read it from."""

Fit = Literal["fits", "tight", "too big", "unusable"]
"""Whether a model has room in the memory; unusable is a file that is missing or damaged, as the note says."""


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
    """Whose file it is: `MEMAPP` downloaded it, `YOU` put it there, or another program; empty for what is in no file here."""
    remote: RemoteFile | None = None
    """Where it can be downloaded, for a recommendation that is not here yet."""
    arrived: int = 0
    """How much of it was downloaded before that was interrupted."""
    form: str = ""
    """Which form of prompt it gets, and why; empty for what is not here."""


def load_chat_model(runtime: Runtime, *, wanted: Callable[[], bool] = lambda: True) -> None:
    """Load the language model that the settings name; slow. `runtime.chat` tells how it went; only a bug is raised.

    One that is not `wanted` any more when it is there is closed, and `runtime.chat` goes on loading: another will follow.
    One that ended memapp while it was loaded is not loaded again by a start, else nobody could choose another.
    """
    if runtime.chat.state == "off" and _broke_off(runtime):
        name = Path(runtime.settings.model).stem or BUNDLED
        runtime.chat.fail(f"memapp broke off while it loaded {name} the last time, so it did not load it again.")
        return
    runtime.chat.empty()
    runtime.chat.loading("Loading the model…")
    with _telling(runtime.chat, "chat model"), _noted(runtime):
        model = runtime.open_chat_model(runtime, runtime.chat.loading)
        if wanted():
            runtime.chat.fill(model, model.name)
        else:
            model.close()


def load_embedder(runtime: Runtime) -> None:
    """Load the embedding model that the settings name; slow. `runtime.embedding` tells how it went; only a bug is raised."""
    before = runtime.embedding.ready()
    runtime.embedding.loading("Loading the embedding model…")
    if before is not None:
        before.close()
    with _telling(runtime.embedding, "embedding model"):
        embedder = runtime.open_embedder(runtime)
        try:
            embedder.embed(["ready"])
        except BaseException:
            embedder.close()
            raise
        runtime.embedding.fill(embedder, embedder.model_id)


def _broke_off(runtime: Runtime) -> bool:
    """Say whether the chosen model was being loaded when memapp ended without a word."""
    begun = interface.get_interface(runtime.read(), interface.LOADING)
    loads_elsewhere = leases.owner_of(runtime.read(), LOADS)
    return begun == runtime.settings.model and not runtime.settings.server and not loads_elsewhere


@contextmanager
def _noted(runtime: Runtime) -> Iterator[None]:
    """Keep in the file which model is being loaded: native code may end the whole process."""
    with leases.hold(runtime.write, LOADS) as mine:  # one process at a time is enough
        if mine:
            _note_loading(runtime, None if runtime.settings.server else runtime.settings.model)
        try:
            yield
        finally:
            if mine:
                _note_loading(runtime, None)


def _note_loading(runtime: Runtime, model: str | None) -> None:
    with suppress(StoreError), runtime.write() as session:
        interface.set_interface(session, interface.LOADING, model)


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
    """Return the bundled model, the files memapp downloaded, the person's own, those of other programs, and good ones to get."""
    current = runtime.settings.model if not runtime.settings.server else None
    known = {entry.file: entry for entry in recommended()}
    choices = [_choice(runtime, BUNDLED, known.pop(""), is_current=current == "")]
    names = {BUNDLED}
    for kept in _kept_files(runtime):
        entry = known.get(kept.path.name)
        name = entry.name if entry and kept.program == MEMAPP else kept.name
        short = (kept.path.name, kept.path.stem) if kept.program == YOU else ()
        is_current = current in (*short, str(kept.path))
        chosen = _choice(runtime, _free(name, kept, names), entry, kept.path, is_current=is_current)
        if is_current or kept.program in (MEMAPP, YOU) or chosen.fit != "unusable":  # else it is that program's business
            choices.append(replace(chosen, kept_by=kept.program))
            names.add(choices[-1].name)
    for one in choices[1:]:
        known.pop(one.path.name if one.path else "", None)
    if current and not any(one.current for one in choices):
        choices.append(_choice(runtime, current, None, Path(current).expanduser(), is_current=True))
    return _with_speed(runtime, [*choices, *(_to_get(runtime, entry) for entry in known.values())])


def machine(runtime: Runtime) -> str:
    """Say how much memory is free, and what models are computed with: how much of them goes to the graphics card."""
    layers, graphics = runtime.settings.gpu_layers, build.graphics()
    share = "all layers" if layers < 0 else f"{layers:,} layers"
    computes = f"{share} on the graphics card ({graphics})" if graphics else "models run on the processor"
    return f"{gguf_file.free_memory() / 1e9:.1f} GB of memory free · {computes}"


def _kept_files(runtime: Runtime) -> list[KeptFile]:
    """Return the model files on this disk, each once; a file of the person's that leads to another program's is the person's."""
    folders = {MEMAPP: runtime.paths.downloads, YOU: runtime.paths.models}
    kept = [KeptFile(path.stem, path, owner) for owner, folder in folders.items() for path in sorted(folder.glob("*.gguf"))]
    found: dict[Path, KeptFile] = {}
    for one in [*kept, *other_programs.find()]:
        found.setdefault(one.path.resolve(), one)
    return list(found.values())


def _free(name: str, kept: KeptFile, taken: set[str]) -> str:
    """Return a name that no other model in the list has."""
    return next(one for one in (name, f"{name} ({kept.program})", str(kept.path)) if one not in taken)


def _to_get(runtime: Runtime, entry: Recommended) -> ModelChoice:
    remote = RemoteFile(entry.source, entry.file, entry.bytes, entry.commit, entry.sha256)
    arrived = sum(one.stat().st_size for one in parts(entry.file, runtime.paths.downloads))
    return replace(_choice(runtime, entry.name, entry), remote=remote, arrived=arrived)


def _with_speed(runtime: Runtime, choices: list[ModelChoice]) -> list[ModelChoice]:
    """Judge each model by the one that answers: for every token all weights are read once, so time grows with their size."""
    current = next((one for one in choices if one.current), None)
    model = runtime.chat.ready()
    if current is None or model is None:
        return choices
    faster = next((one for one in runtime.paths.cache.glob("*/*.gguf") if one.stem == model.name), None)
    measured = faster.stat().st_size if faster else current.bytes
    usages = chat.last_usages(runtime.read(), model.name)
    seconds = sum(one.seconds - one.first_token_seconds for one in usages)
    if seconds <= 0:
        return choices
    speed = sum(one.decode_tokens for one in usages) / seconds
    return [replace(one, speed=speed if one.current else speed * measured / max(one.bytes, 1)) for one in choices]


def use_model(runtime: Runtime, name: str) -> str:
    """Make a model the one for this and later starts, in place of a server too. Load it with `load_chat_model`.

    Returns what to know of a file that never answered here, else nothing. Raises `UsageError` if there is none of this name,
    its file is damaged, or this start was given another.
    """
    chosen = next((one for one in list_models(runtime) if one.name == name), None)
    path = Path(name).expanduser()
    if name == BUNDLED:
        value = ""
    elif chosen is not None and chosen.path is not None:
        value = str(chosen.path)
    elif path.is_file():
        value = str(path.absolute())
    else:
        if chosen is not None:
            raise UsageError(f"{name} is not here yet.", f"Get it: memapp models get {name}")
        here = [one.name for one in list_models(runtime) if one.path or one.name == BUNDLED]
        raise UsageError(
            f"There is no model {name!r} here.", did_you_mean(name, here, f"Put its GGUF file into {runtime.paths.models}.")
        )
    preferences.check_free(runtime, "server")
    preferences.set_preference(runtime, "model", value)
    if runtime.settings.server:
        preferences.set_preference(runtime, "server", "")
    _note_loading(runtime, None)
    if not value or (chosen and chosen.kept_by == MEMAPP):
        return ""
    path = Path(value)
    if chat.last_usages(runtime.read(), gguf_file.read(path).name, limit=1):
        return ""
    size = f"{path.stat().st_size / 1e6:,.0f} MB"
    return f"{path.name} ({size}) did not come with memapp. llama.cpp reads it with all your rights: use only files you trust."


def current_form(runtime: Runtime) -> str:
    """Say which form of prompt the model that is loaded gets, and why; nothing without one."""
    model = runtime.chat.ready()
    return str(prompt_form.form_of(runtime, model)) if model else ""


def remote_host(runtime: Runtime) -> str:
    """Return the other machine that words go to when a server answers; empty when they stay here."""
    from memapp.inference import server_http

    return server_http.remote_host(runtime.settings.server)


def _choice(
    runtime: Runtime, name: str, known: Recommended | None, path: Path | None = None, *, is_current: bool = False
) -> ModelChoice:
    licence, note = (known.licence, known.note) if known else ("", "")
    if path is None:
        size = known.bytes if known else 0
        needed = size + UNREAD_BYTES
        form = str(prompt_form.form_of_key(runtime, known.sha256[:KEY_CHARS], "simple")) if known and name == BUNDLED else ""
        return ModelChoice(name, None, size, needed, licence, note, _fit(needed), is_current, form=form)
    size = path.stat().st_size if path.is_file() else 0
    try:
        header = gguf_file.read(path)
        if not header.is_chat_model:
            raise ModelError("This file holds no model that chats.")
        needed = header.needed_bytes(runtime.settings.context_tokens)
        licence = licence or str(header.metadata.get("general.license", ""))
    except ModelError as error:
        return ModelChoice(name, path, size, 0, licence, str(error), "unusable", is_current)
    form = str(prompt_form.form_of_file(runtime, path))
    return ModelChoice(name, path, size, needed, licence, note, _fit(needed), is_current, form=form)


def _fit(needed: int) -> Fit:
    """Tell whether so many bytes fit into the memory that is free now."""
    free = gguf_file.free_memory()
    if needed > free:
        return "too big"
    return "tight" if needed > 0.7 * free else "fits"
