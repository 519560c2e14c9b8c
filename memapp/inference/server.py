"""A chat model behind an OpenAI-compatible server: llama-server, Ollama, LM Studio.

Only an address of this machine is accepted unless the person allows others. Nothing is taken from the environment, no redirect
is followed, no name is looked up on the way to this machine. Each call makes one connection, so that cutting it stops the call.
"""

import ipaddress
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from memapp.domain.prompt import Finished, Piece, Prompt, Sampling, Usage
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError, ModelLoading
from memapp.inference import Cancel
from memapp.inference.server_reply import AfterHead, Chunk, ReplySplitter, error_text, read_chunks, schema_of

CONNECT_SECONDS = 5.0
SMALL_SECONDS = 10.0
"""For the list of models and for counting."""
BODY_BYTES = 4 << 20
BYTES_PER_TOKEN = 3
"""For servers that do not count. Rather too few: English has about four; three are one Chinese character."""
MESSAGE_TOKENS = 8
"""What a chat template adds to each message; rather too many."""
REFUSALS = frozenset({400, 422, 500, 501})
"""How servers answer a request with a field they do not know; the same request is then made without it."""

_TRANSPORT = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)
_CONTROL_TEXT = re.compile(
    r"<(?=[|｜][^<>\n]{1,40}[|｜]>)"  # ChatML, Llama 3, Phi, DeepSeek
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|start_of_image|think)>)"  # Llama 2, Gemma, reasoning
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"  # Mistral
    r"|<(?=</?SYS>>)",
    re.IGNORECASE,
)

Reason = Literal["end", "stop", "length", "cancelled"]


class _Model(BaseModel):
    id: str
    owned_by: str = ""


class _Models(BaseModel):
    data: list[_Model] = []


class _Generation(BaseModel):
    n_ctx: int = 0


class _Props(BaseModel):
    default_generation_settings: _Generation = _Generation()


class _Tokens(BaseModel):
    tokens: list[Any]


M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class _Way:
    """One way to ask for a reply. Servers differ in what they take, so there are up to three, the best first."""

    name: str
    body: dict[str, Any]
    continues: bool
    """The server goes on where the head ends, instead of beginning the reply itself."""


class ServerModel:
    """A chat model that some other program on this machine runs. The server keeps its own cache and its own queue."""

    def __init__(
        self,
        url: str,
        model_name: str = "",
        *,
        allow_remote: bool = False,
        context_tokens: int = 4096,
        answer_seconds: float = 120.0,
    ) -> None:
        """Look which models the server has; raise `ModelError` in plain words when it has none or may not be used.

        `answer_seconds` is the longest silence that is waited for, before the first word and between words.
        """
        address = _checked(url, allow_remote)
        self.remote = not _is_loopback(address.host)
        """Words leave this machine."""
        self._lock = threading.Lock()
        self._connections: set[_Connection] = set()
        self._closed = False
        self._refused: frozenset[str] = frozenset()
        self._answer_seconds = answer_seconds
        models = self._connect(address)
        self._is_llama_server = any(model.owned_by == "llamacpp" for model in models)
        self._model = _choose([model.id for model in models], model_name, self._where)
        self.name = shorten(one_line(clean(self._model)), 80)
        self.context_tokens = min(self._window() or context_tokens, context_tokens)

    def count_tokens(self, text: str) -> int:
        """Count `text` with llama-server's tokenizer; for other servers take a third of its bytes, which is rather too much."""
        self._check_open()
        text = _data(text)
        if not self._is_llama_server:
            return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)
        body = {"content": text, "add_special": False, "parse_special": False}
        return len(self._ask("POST", f"{self._root}/tokenize", _Tokens, body).tokens)

    def prompt_tokens(self, prompt: Prompt) -> int:
        """Count a whole prompt; the share of the server's chat template is estimated, rather too high."""
        messages = [*_messages(prompt, prompt.suffix), {"content": prompt.head}]
        return self.count_tokens("\n".join(one["content"] for one in messages)) + MESSAGE_TOKENS * len(messages)

    def generate(self, prompt: Prompt, sampling: Sampling, cancel: Cancel) -> Generator[Piece | Finished, None, None]:
        """Stream a reply, `Finished` last. Closing the iterator early cuts the connection. Raises `ModelError`.

        The tail cannot be forced here, only asked for: without its line there is no tail. `repeat_penalty` is
        for llama-server alone. Counts in `Usage` are the server's, or estimates where it gives none.
        """
        self._check_open()
        return self._stream(prompt, sampling, cancel)

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:  # noqa: ARG002
        """Compute nothing: the server keeps the cache of its last call, and has no call that only prefills."""
        self._check_open()
        return 0

    def close(self) -> None:
        """Cut all connections; later calls raise `ModelError`."""
        with self._lock:
            self._closed = True
            connections = list(self._connections)
        for connection in connections:
            connection.cut()

    def _stream(self, prompt: Prompt, sampling: Sampling, cancel: Cancel) -> Generator[Piece | Finished, None, None]:
        """Ask, and tell a cut connection from a broken one."""
        if cancel.is_set():
            yield Finished("cancelled", Usage())
            return
        reply = _Reply(prompt, sampling)
        with self._connected() as connection, _listening(cancel, connection.cut):
            try:
                response, continues = self._send(self._ways(prompt, sampling), connection)
                with closing(response):
                    yield from reply.read(response.iter_bytes(), continues)
            except (*_TRANSPORT, ModelError) as error:
                if not cancel.is_set():
                    self._check_open()
                    raise self._explained(error) from None
        yield Finished("cancelled" if cancel.is_set() else reply.reason, reply.usage())

    def _ways(self, prompt: Prompt, sampling: Sampling) -> list[_Way]:
        """How this call can be asked, without what the server refused before."""
        suffix = prompt.suffix
        if prompt.head:
            suffix = f"{suffix}\nBegin your answer exactly with: {prompt.head}".strip()
        if sampling.tail:
            ask = f"After your answer write one more line: {sampling.tail.strip()} and what I will probably say next."
            suffix = f"{suffix}\n{ask}".strip()
        plain = {
            "model": self._model,
            "messages": _messages(prompt, suffix),
            "max_tokens": _token_limit(sampling),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": sampling.seed,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self._is_llama_server:
            plain |= {"timings_per_token": True, "repeat_penalty": sampling.repeat_penalty}
        ways = [_Way("plain", plain, continues=False)]
        if sampling.grammar and (schema := schema_of(prompt.head, sampling.grammar)):
            wanted = {"name": "reply", "strict": True, "schema": schema}
            ways.insert(0, _Way("schema", plain | {"response_format": {"type": "json_schema", "json_schema": wanted}}, False))
        if self._is_llama_server and (prompt.head or sampling.grammar):
            ways.insert(0, _Way("continue", plain | _llama_server_fields(prompt, sampling), continues=True))
        return [way for way in ways if way.name not in self._refused]

    def _send(self, ways: list[_Way], connection: "_Connection") -> tuple[httpx.Response, bool]:
        """Make the request the best way that the server takes, and remember what it refused."""
        for number, way in enumerate(ways):
            request = self._client.build_request(
                "POST", f"{self._base}/chat/completions", json=way.body, extensions={"trace": connection.traced}
            )
            response = self._client.send(request, stream=True)
            if response.status_code == httpx.codes.OK:
                self._refused |= {refused.name for refused in ways[:number]}
                return response, way.continues
            with closing(response):
                if response.status_code not in REFUSALS or way is ways[-1]:
                    raise self._status_error(response)
        raise AssertionError("there is always a plain way")

    def _connect(self, address: httpx.URL) -> list[_Model]:
        """Find the server and return its models. `localhost` is tried as both its addresses, and never looked up."""
        hosts = ["127.0.0.1", "::1"] if address.host == "localhost" else [address.host]
        self._where = str(address)
        self._client = httpx.Client(
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(self._answer_seconds, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_keepalive_connections=0),
            headers={"Accept-Encoding": "identity", "User-Agent": "memapp"},
        )
        for host in hosts:
            self._base = str(address.copy_with(host=host)).rstrip("/")
            self._root = self._base.removesuffix("/v1")
            try:
                return self._ask("GET", f"{self._base}/models", _Models).data
            except _Unreachable:
                if host == hosts[-1]:
                    raise
        raise AssertionError("there is always a host")

    def _window(self) -> int:
        """Return llama-server's context size; 0 for servers that do not tell."""
        if not self._is_llama_server:
            return 0
        try:
            return self._ask("GET", f"{self._root}/props", _Props).default_generation_settings.n_ctx
        except ModelError:
            return 0  # it may be switched off there; then the setting holds

    def _ask(self, method: str, url: str, kind: type[M], body: dict[str, Any] | None = None) -> M:
        """Make one small request and read its answer."""
        try:
            with self._client.stream(
                method, url, json=body, timeout=httpx.Timeout(SMALL_SECONDS, connect=CONNECT_SECONDS)
            ) as response:
                if response.status_code != httpx.codes.OK:
                    raise self._status_error(response)
                return kind.model_validate_json(_bounded(response))
        except ValidationError:
            raise ModelError(
                f"What answers at {self._where} is no model server.",
                "Check that `server` is the address of an OpenAI-compatible server, ending in /v1.",
            ) from None
        except _TRANSPORT as error:
            raise self._explained(error) from None

    def _explained(self, error: Exception) -> ModelError:
        """Put whatever went wrong on the way into plain words."""
        match error:
            case ModelError():
                return error
            case httpx.ConnectError() | httpx.ConnectTimeout():
                return _Unreachable(
                    f"No model server answers at {self._where}.",
                    "Start it, or clear the setting `server` to use the bundled model.",
                )
            case httpx.TimeoutException():
                return ModelError(f"The model server at {self._where} fell silent.", "It may be busy; try again.")
            case _:
                return ModelError(
                    f"The connection to the model server at {self._where} broke off.",
                    "Look whether it still runs, then try again.",
                )

    def _status_error(self, response: httpx.Response) -> ModelError:
        """Put an answer that is not 200 into plain words."""
        status = response.status_code
        said = error_text(_bounded(response).decode("utf-8", "replace"))
        if 300 <= status < 400:
            target = shorten(one_line(clean(response.headers.get("location", "another address"))), 120)
            return ModelError(
                f"The model server at {self._where} sends memapp on to {target}, and memapp does not follow.",
                "Set `server` to the address that answers itself.",
            )
        match status:
            case 401 | 403:
                return ModelError(f"The model server at {self._where} wants a key ({said}).", "Start it without one.")
            case 404:
                return ModelError(
                    f"The model server at {self._where} does not know the address or the model ({said}).",
                    "Check that `server` ends in /v1 and that `server_model` is one of its models.",
                )
            case 503:
                return ModelLoading(f"The model server at {self._where} is not ready ({said}).", "Try again in a moment.")
            case _:
                return ModelError(
                    f"The model server at {self._where} failed with status {status} ({said}).",
                    "Look at the server's own output, then try again.",
                )

    @contextmanager
    def _connected(self) -> Iterator["_Connection"]:
        """Know the connection of a call for as long as it lasts, so that `close` can cut it."""
        connection = _Connection()
        with self._lock:
            self._connections.add(connection)
        try:
            self._check_open()
            yield connection
        finally:
            with self._lock:
                self._connections.discard(connection)

    def _check_open(self) -> None:
        if self._closed:
            raise ModelError("The model was closed.", "Start it again.")


class _Unreachable(ModelError):
    """Nobody listens at the address."""


class _Connection:
    """The socket of one call, known as soon as it exists; any thread may cut it, also while another waits for data."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._cut = False

    def traced(self, event: str, details: dict[str, Any]) -> None:
        """Take the socket from httpx's trace of a request."""
        if event not in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            return
        with self._lock:
            self._socket = details["return_value"].get_extra_info("socket")
            if self._cut:
                self._shut_down()

    def cut(self) -> None:
        """End the connection now, whatever it is doing."""
        with self._lock:
            self._cut = True
            self._shut_down()

    def _shut_down(self) -> None:
        # Closing would not wake a thread that waits in recv; shutting down does.
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class _Reply:
    """One reply while it streams. `reason` and `usage` hold for what has been read."""

    def __init__(self, prompt: Prompt, sampling: Sampling) -> None:
        self.reason: Reason = "end"
        self._prompt = prompt
        self._sampling = sampling
        self._pieces = 0
        self._counts: tuple[int, int, int] | None = None
        self._started = time.perf_counter()
        self._first_at: float | None = None

    def read(self, data: Iterator[bytes], continues: bool) -> Iterator[Piece]:
        """Yield the reply's pieces. Raises `ModelError` when the server stops in the middle or sends something else."""
        after_head = AfterHead(self._prompt.head, continues=continues)
        words = ReplySplitter(self._sampling.stop, self._sampling.tail)
        limit = _token_limit(self._sampling)
        complete = False
        for chunk in read_chunks(data):
            if chunk.text and self._pieces == limit:  # a server that knows no max_tokens
                self.reason, complete = "length", True
                break
            self._note(chunk)
            yield from words.feed(after_head.feed(chunk.text))
            if words.done:
                break
            if chunk.finish_reason:
                self.reason = "length" if chunk.finish_reason == "length" else "end"
            complete = complete or chunk.done or chunk.finish_reason is not None
        if not complete and not words.done:
            raise ModelError("The model server stopped in the middle of a reply.", "Try again.")
        yield from words.feed(after_head.rest())
        yield from words.end()
        if words.done or words.in_tail:
            self.reason = words.reason

    def usage(self) -> Usage:
        """What the call cost, in the server's numbers, or in estimates if it gave none."""
        computed, cached, written = self._counts or (_estimate(self._prompt), 0, self._pieces)
        now = time.perf_counter()
        return Usage(
            prefill_tokens=computed,
            reused_tokens=cached,
            decode_tokens=written,
            first_token_seconds=(self._first_at or now) - self._started,
            seconds=now - self._started,
        )

    def _note(self, chunk: Chunk) -> None:
        self._counts = chunk.counts() or self._counts
        if chunk.text:
            self._pieces += 1
            self._first_at = self._first_at or time.perf_counter()


@contextmanager
def _listening(cancel: Cancel, stop: Callable[[], None]) -> Iterator[None]:
    cancel.listen(stop)
    try:
        yield
    finally:
        cancel.unlisten(stop)


def _checked(url: str, allow_remote: bool) -> httpx.URL:
    """Return the server's address, ending in /v1 if it had no path; refuse other machines unless they are allowed."""
    example = "Write it like http://127.0.0.1:8080/v1."
    try:
        address = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError):
        raise ModelError("`server` is not an address.", example) from None
    if address.scheme not in ("http", "https") or not address.host or address.userinfo:
        raise ModelError(f"`server` cannot be used: {shorten(one_line(clean(address.host or url)), 80)}.", example)
    if not allow_remote and not _is_loopback(address.host):
        raise ModelError(
            f"The model server {shorten(one_line(clean(address.host)), 80)} is not this machine, and your words would leave it.",
            "Use 127.0.0.1, or write `allow_remote = true` into the configuration if you want that.",
        )
    return address.copy_with(path=address.path.rstrip("/") or "/v1", query=None, fragment=None)


def _is_loopback(host: str) -> bool:
    """Say whether a host is this machine, without looking a name up: lookups leak, and can be lied to."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _choose(names: list[str], wanted: str, where: str) -> str:
    if not wanted:
        if not names:
            raise ModelError(f"The server at {where} has no model.", "Load one there, or name it in `server_model`.")
        return names[0]
    found = next((name for name in (wanted, f"{wanted}:latest") if name in names), None)
    if found or not names:
        return found or wanted
    listed = ", ".join(one_line(clean(name)) for name in names)
    raise ModelError(f"The server at {where} has no model {wanted!r}.", f"It has: {shorten(listed, 200)}.")


def _messages(prompt: Prompt, suffix: str) -> list[dict[str, str]]:
    """Return a prompt as chat messages, the suffix inside the last user message."""
    messages = [{"role": turn.role, "content": _data(turn.content)} for turn in prompt.turns]
    if not messages or messages[-1]["role"] != "user":
        messages.append({"role": "user", "content": ""})
    if suffix:
        messages[-1]["content"] = f"{messages[-1]['content']}\n\n{_data(suffix)}".lstrip("\n")
    return [{"role": "system", "content": _data(prompt.system)}, *messages]


def _llama_server_fields(prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
    """llama-server takes our grammar, and goes on with a reply whose beginning is the last message."""
    messages = _messages(prompt, prompt.suffix)
    if prompt.head:
        messages.append({"role": "assistant", "content": _data(prompt.head)})
    return {"messages": messages} | ({"grammar": sampling.grammar} if sampling.grammar else {})


def _data(text: str) -> str:
    """Make text safe to send: the server would read control tokens written in it as its own, and refuse lone surrogates."""
    return _CONTROL_TEXT.sub(lambda found: f"{found[0]} ", text.encode("utf-8", "replace").decode()).replace("\x00", " ")


def _token_limit(sampling: Sampling) -> int:
    return sampling.max_tokens + (sampling.tail_tokens if sampling.tail else 0)


def _estimate(prompt: Prompt) -> int:
    return math.ceil(sum(len(one["content"].encode()) for one in _messages(prompt, prompt.suffix)) / BYTES_PER_TOKEN)


def _bounded(response: httpx.Response) -> bytes:
    data = bytearray()
    for part in response.iter_bytes():
        data += part
        if len(data) > BODY_BYTES:
            break
    return bytes(data[:BODY_BYTES])
