"""The settings, all in one model.

A value comes from the command line, else `MEMAPP_*`, else config.toml, else the default here.
`bootstrap` reads the settings once.
"""

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from tomlkit.exceptions import TOMLKitError

from memapp.domain.engine import RepackRule
from memapp.domain.expectation import FUZZY_THRESHOLD, MismatchRule
from memapp.domain.lessons.recording import DEFAULTS, LessonRule
from memapp.domain.ranking import RetrievalRule
from memapp.domain.text import did_you_mean
from memapp.environment import PREFIX as PREFIX
from memapp.environment import from_environment
from memapp.errors import ConfigError, MemappError, UsageError
from memapp.toml_file import line_of, read_toml

WRITTEN = frozenset({"allow_remote", "download_proxy"})
"""Settings that let memapp talk to other machines count only in config.toml."""
BUNDLED = "bundled"
"""The name of the model that comes with memapp."""
NO_OTHER_MODEL = ("none", BUNDLED)
"""Values of `model` for the bundled model."""
PROXY = re.compile(r"https?://([^\s/@]+@)?([\w.-]+|\[[\da-fA-F:]+\]):\d{1,5}/?")
"""The form of a proxy's address, with or without name and password."""
THEMES = ("memapp-dark", "memapp-light", "ansi-dark", "ansi-light")
"""The last two follow the terminal's colours."""


class Settings(BaseModel):
    """All settings with their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    # Memory and recall
    max_facts: int = Field(200, title="Facts kept", ge=1, le=1_000_000)
    """The most learned facts; beyond that, the least important go to the trash."""
    link_min: float = Field(0.5, title="Similarity to link", ge=0, le=1)
    """Two facts at least this alike count as related."""
    link_top_k: int = Field(3, title="Relations of a fact", ge=0, le=10)
    """The most relations of a new fact."""
    ttl_days: int = Field(60, title="Days unused until trash", ge=1, le=3650)
    """Days without use until an unimportant memory goes to the trash."""
    ttl_importance: int = Field(3, title="Importance to keep", ge=1, le=6)
    """Memories of at least this importance, 1 to 5, never expire."""
    purge_days: int = Field(30, title="Days in the trash", ge=1, le=3650)
    """The fewest days in the trash before a memory is erased for good."""
    fuzzy_threshold: int = Field(FUZZY_THRESHOLD, title="Prediction threshold", ge=0, le=100)
    """A prediction less alike than this counts as wrong."""
    top_k: int = Field(10, title="Memories looked up", ge=0, le=50)
    """The most memories looked up for an answer."""
    mismatch_rule: MismatchRule = Field(MismatchRule.MEANING, title="Prediction check")
    """How a prediction is compared with your message: meaning, or fuzzy (letters only)."""
    retrieval_rule: RetrievalRule = Field(RetrievalRule.HYBRID, title="Search method")
    """How memories are found: hybrid (words and meaning), or fuzzy (letters of keywords)."""
    prompt_memories: int = Field(10, title="Memories in a prompt", ge=0, le=50)
    """The most memories in a prompt; a small model does worse with many."""
    speculate: bool = Field(True, title="Look up ahead")
    """Look up memories for the predicted message while idle, and while you type."""

    # Conversation
    persona: str = Field("companion", title="Persona of new chats")
    """The persona of a new chat."""
    history_exchanges: int = Field(8, title="Exchanges in a prompt", ge=0, le=100)
    """The most recent exchanges in a prompt, if they fit. An inner voice gets the last 3."""
    budget_tokens: int = Field(4000, title="Longest request", ge=256, le=1_000_000)
    """The most tokens of a request, answer included."""
    reply_tokens: int = Field(320, title="Longest answer", ge=16, le=8192)
    """The most tokens of an answer."""
    temperature: float = Field(0.3, title="Temperature", ge=0, le=2)
    """0 always takes the likeliest word; a higher value varies more."""
    remark_after_minutes: int = Field(0, title="Minutes until a remark", ge=0, le=10_000)
    """Minutes of silence until the persona says something unasked; 0 is never."""
    answer_from_memory: bool = Field(True, title="Answer with quotations")
    """Answer questions about you with quotations, unless the model passed its test for that."""
    ask_in_chat: bool = Field(True, title="Ask in the chat")
    """Ask about consent requests in the chat, now and then."""

    # Other machines
    sync_chats: bool = Field(True, title="Chats on other machines")
    """Share chats and what they were about with your other machines, once `memapp sync` was set up.
    """

    # Lessons
    lessons: LessonRule = Field(DEFAULTS.lessons, title="Failed commands")
    """What `memapp run` does on a failure: hint (show what worked), record, or off."""
    lessons_not_of: str = Field(DEFAULTS.lessons_not_of, title="No lessons for")
    """Folders and programs, separated by commas, that `memapp run` keeps nothing of."""
    lessons_compare: bool = Field(DEFAULTS.lessons_compare, title="Hold back some hints")
    """Hold back one hint in five until a lesson is proven, to measure whether its hints help."""

    # The model
    model: str = Field("", title="Model file")
    """A GGUF file, a name in the models folder, or bundled; empty is the default model."""
    server: str = Field("", title="Model server")
    """An OpenAI-compatible server, e.g. http://127.0.0.1:8080/v1; empty is none."""
    server_model: str = Field("", title="Model on the server")
    """The name of the model on the server; empty is the first one."""
    server_key_file: str = Field("", title="Server key file")
    """A file (mode 0600) with the server's key; MEMAPP_SERVER_KEY wins. Empty is none."""
    allow_remote: bool = Field(False, title="Allow other machines")
    """Allow a `server` on another machine. Your words then leave this machine."""
    download_proxy: str = Field("", title="Proxy for downloads")
    """The proxy for model downloads, e.g. http://proxy.example:3128; empty is none."""
    embedding_model: str = Field("", title="Embedding model")
    """The model for search by meaning: a GGUF file or a folder; empty is bundled."""
    context_tokens: int = Field(4096, title="Context window", ge=512, le=131_072)
    """The context window of the model; more needs more memory."""
    gpu_layers: int = Field(-1, title="Layers on the GPU", ge=-1, le=10_000)
    """The layers of the model on the graphics card; -1 is all. A CPU build has none."""
    repack: RepackRule = Field(RepackRule.AUTO, title="Repack weights")
    """Rearrange weights for the processor: on, off, or auto (unless this build would crash)."""
    unload_minutes: int = Field(30, title="Minutes until unloaded", ge=0, le=10_000)
    """Minutes without use until a model is unloaded; typing loads the model again. 0 is never."""
    first_token_seconds: int = Field(120, title="Seconds to the 1st word", ge=1, le=10_000)
    """Seconds until an answer must begin; otherwise memapp stops it."""
    turn_seconds: int = Field(300, title="Seconds for an answer", ge=1, le=10_000)
    """Seconds until an answer must end; otherwise memapp stops it."""

    # The screen
    theme: str = Field("memapp-dark", title="Colours")
    """memapp-dark, memapp-light, or ansi-dark and ansi-light for your terminal's colours."""
    hints: bool = Field(True, title="One-time hints")
    """Show one-time hints."""

    @field_validator("model")
    @classmethod
    def _same_everywhere(cls, model: str) -> str:
        """Keep the whole path of a file; any other name is one in the models folder."""
        if model.lower() in NO_OTHER_MODEL:
            return BUNDLED
        try:
            path = Path(model).expanduser()
            return (
                str(path.absolute())
                if path.is_file() or model.startswith(("./", "../", "~"))
                else model
            )
        except (OSError, RuntimeError):  # too long, or of an unknown user
            raise ValueError("no path") from None

    @field_validator("download_proxy")
    @classmethod
    def _address(cls, proxy: str) -> str:
        if proxy and not PROXY.fullmatch(proxy):
            raise ValueError("no address")
        return proxy

    @field_validator("embedding_model", "server_key_file")
    @classmethod
    def _whole_path(cls, path: str) -> str:
        try:
            return str(Path(path).expanduser().absolute()) if path else ""
        except RuntimeError:  # of an unknown user
            raise ValueError("no path") from None


Origin = Literal["flag", "environment", "file"]


@dataclass(frozen=True)
class Loaded:
    """Settings, and the origin of each value that is not the default."""

    settings: Settings
    origin: Mapping[str, Origin]


Source = tuple[Origin, Mapping[str, Any]]


def load(
    path: Path, flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] = os.environ
) -> Loaded:
    """Read the settings. Raises `ConfigError` with file, line and the nearest name."""
    text, from_file = read_toml(path)
    from_flags = {name: value for name, value in (flags or {}).items() if value is not None}
    return _merged(
        path,
        text,
        ("file", from_file),
        ("environment", from_environment(environment)),
        ("flag", from_flags),
    )


def parse(name: str, value: str) -> Any:
    """Return the value of a setting from text; empty text is the default. Raises `UsageError`."""
    if name not in Settings.model_fields:
        raise UsageError(f"There is no setting {name!r}.", _nearest_setting(name))
    try:
        return Settings.model_validate({name: value} if value else {}).model_dump(mode="json")[name]
    except ValidationError:
        raise UsageError(expected(name)) from None


def write(path: Path, name: str, value: str) -> None:
    """Set one setting in config.toml, or remove it for an empty value; comments stay."""
    parsed = parse(name, value)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone_in(path.parent):
            _replace(path.resolve(), _changed(path, name, parsed if value else None))
    except OSError as error:
        raise MemappError(
            f"{path} cannot be written: {error.strerror}.", "Nothing was changed."
        ) from None


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Lock the folder, so that concurrent writers do not lose each other's changes."""
    if os.name != "posix":  # a folder cannot be locked
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _changed(path: Path, name: str, parsed: Any) -> str:
    """Return config.toml with one setting set, or removed for None. Raises `ConfigError`."""
    try:
        document = tomlkit.parse(read_toml(path)[0])
    except TOMLKitError as error:  # tomlkit is sometimes stricter than tomllib
        raise ConfigError(f"{path}: not valid TOML: {error}.") from None
    if parsed is None:
        document.pop(name, None)
    else:
        document[name] = parsed
    text = tomlkit.dumps(document)
    _merged(path, text, ("file", tomllib.loads(text)))
    return text


def _replace(path: Path, text: str) -> None:
    """Replace a file atomically, even across a power cut."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")  # two windows may write
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def expected(name: str) -> str:
    """Return a sentence about a setting's values: `top_k is a whole number from 0 to 50.`"""
    field = Settings.model_fields[name]
    kind = field.annotation
    if kind is bool:
        return f"{name} is true or false."
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return f"{name} is {' or '.join(kind)}."
    if kind is str:
        return f"{name} is a text. {field.description}"
    limits = {
        end: at
        for bound in field.metadata
        for end in ("ge", "le")
        if (at := getattr(bound, end, None)) is not None
    }
    number = "a whole number" if kind is int else "a number"
    return f"{name} is {number} from {limits['ge']:,} to {limits['le']:,}."


def check_known(what: str, word: str, known: Collection[str]) -> None:
    """Raise `UsageError`, with the nearest word, for an unknown word."""
    if word not in known:
        raise UsageError(
            f"There is no {what} {word!r}.",
            did_you_mean(word, known, f"There are: {', '.join(sorted(known))}."),
        )


def _nearest_setting(name: str) -> str:
    return did_you_mean(name, Settings.model_fields, "`memapp config show` lists all.")


def _merged(path: Path, text: str, *sources: Source) -> Loaded:
    """Check every value; later sources win. Raises `ConfigError`."""
    merged: dict[str, Any] = {}
    origin: dict[str, Origin] = {}
    for source, values in sources:
        for name, value in values.items():
            if name not in Settings.model_fields:
                raise ConfigError(
                    f"{_place(source, name, path, text)}: there is no setting {name!r}.",
                    _nearest_setting(name),
                )
            if name in WRITTEN and source != "file":
                raise ConfigError(
                    f"{_place(source, name, path, text)}: {name} counts only in config.toml."
                )
            merged[name] = value
            origin[name] = source
    try:
        return Loaded(Settings.model_validate(merged), origin)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise ConfigError(f"{_place(origin[name], name, path, text)}: {expected(name)}") from None


def _place(source: str, name: str, path: Path, text: str) -> str:
    if source == "environment":
        return f"{PREFIX}{name.upper()}"
    if source == "flag":
        return f"--{name.replace('_', '-')}"
    return f"{path}, line {line_of(name, text)}"
