"""The HTTP side of a model server: allowed addresses, and errors in plain words.

Only this machine is contacted, unless the person allows others. No proxy is taken from the
environment, no redirect is followed, no name is looked up on the way to this machine. Each call
makes one connection, so that cutting it stops the call. A key is sent with each call, and removed
from shown text.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError, ModelLoading
from memapp.inference import Cancel, after, closed, server_key
from memapp.inference.network import is_loopback
from memapp.inference.server_chunks import Chunk, error_text, read_chunks, shown
from memapp.inference.server_key import ServerKey

CONNECT_SECONDS = 5.0
SMALL_SECONDS = 10.0
"""For the list of models and for counting."""
BODY_BYTES = 4 << 20
TRANSPORT_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)
REFUSALS = frozenset({400, 422, 500, 501})
"""The statuses by which servers refuse a request with an unknown field."""
_TOO_LONG = "exceed_context_size_error"
"""llama-server's code for a prompt that is too long."""

M = TypeVar("M", bound=BaseModel)


class FieldRefused(ModelError):
    """The server may not know a field of the request, and may accept it without the field."""


class _Unreachable(ModelError):
    """No server listens at the address."""


_STATUSES: dict[int, tuple[type[ModelError], str, str]] = {
    404: (
        ModelError,
        "does not know the address or the model",
        "Check that `server` ends in /v1 and that `server_model` is one of its models.",
    ),
    503: (ModelLoading, "is not ready", "Try again in a moment."),
}
"""The meaning of a status: the error, what the server does, and what to do."""


class ServerHttp:
    """The HTTP side of a model server. Any thread may use it."""

    def __init__(
        self, address: httpx.URL, answer_seconds: float, key: ServerKey | None = None
    ) -> None:
        """Prepare a client; `answer_seconds` is the longest silence."""
        self._key = key
        self._redact = key.redact if key else str
        self._hosts = ["127.0.0.1", "::1"] if address.host == "localhost" else [address.host]
        self._address = address
        self._where = str(address)
        self._closed = Cancel()
        authorization = {"Authorization": f"Bearer {key.value}"} if key else {}
        self._client = httpx.Client(
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(answer_seconds, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_keepalive_connections=0),
            headers={"Accept-Encoding": "identity", "User-Agent": "memapp"} | authorization,
        )

    def find(self, path: str, kind: type[M]) -> M:
        """Return the answer at `path`, and stay with the host that answered.

        `localhost` is tried as both its addresses, and never looked up.
        """
        for host in self._hosts:
            self._base = str(self._address.copy_with(host=host)).rstrip("/")
            try:
                return self.ask("GET", path, kind)
            except _Unreachable:
                if host == self._hosts[-1]:
                    raise
        raise AssertionError("there is always a host")

    def ask(
        self,
        method: str,
        path: str,
        kind: type[M],
        body: dict[str, Any] | None = None,
        *,
        above: bool = False,
    ) -> M:
        """Make a small request and return its answer; `above` asks outside of /v1."""
        url = (self._base.removesuffix("/v1") if above else self._base) + path
        connection = _Connection()  # cut after a total time; httpx limits only each silence
        with (
            after(SMALL_SECONDS, connection.cut),
            self._answered(method, url, connection, body) as response,
        ):
            try:
                return kind.model_validate_json(_bounded(response))
            except ValidationError:
                if connection.is_cut:  # may look like the end of the answer
                    raise httpx.ReadTimeout("") from None
                raise ModelError(
                    f"What answers at {self._where} is no model server.",
                    "Check that `server` is the address of an OpenAI-compatible server, "
                    "ending in /v1.",
                ) from None

    @contextmanager
    def stream(self, path: str, body: dict[str, Any], cancel: Cancel) -> Iterator[Iterator[Chunk]]:
        """Make a request and yield its answer to read inside; `cancel` and `close` cut it off."""
        connection = _Connection()
        with cancel.heard_by(connection.cut), self._closed.heard_by(connection.cut):
            self.check_open()
            with self._answered("POST", self._base + path, connection, body) as response:
                yield read_chunks(response.iter_raw(), self._redact)

    def check_open(self) -> None:
        """Raise `ModelError` after `close`."""
        if self._closed.is_set():
            raise closed()

    def close(self) -> None:
        """Cut the connections of all calls."""
        self._closed.set()

    @contextmanager
    def _answered(
        self, method: str, url: str, connection: "_Connection", body: dict[str, Any] | None
    ) -> Iterator[httpx.Response]:
        """Make a request. Raises `FieldRefused` or another `ModelError` on any failure."""
        try:
            with self._client.stream(
                method, url, json=body, extensions={"trace": connection.traced}
            ) as response:
                if response.status_code != httpx.codes.OK:
                    raise self._status_error(response)
                yield response
        except TRANSPORT_ERRORS as error:
            raise self._explained(httpx.ReadTimeout("") if connection.is_cut else error) from None

    def _explained(self, error: Exception) -> ModelError:
        match error:
            case httpx.ConnectError() | httpx.ConnectTimeout():
                return _Unreachable(
                    f"No model server answers at {self._where}.",
                    "Start it, or clear the setting `server` to use the bundled model.",
                )
            case httpx.TimeoutException():
                return ModelError(
                    f"The model server at {self._where} fell silent.", "It may be busy; try again."
                )
            case _:
                return ModelError(
                    f"The connection to the model server at {self._where} broke off.",
                    "Look whether it still runs, then try again.",
                )

    def _status_error(self, response: httpx.Response) -> ModelError:
        """Return the error for an answer other than 200, in plain words."""
        status = response.status_code
        body = _bounded(response).decode("utf-8", "replace")
        report = error_text(body, self._redact)
        if 300 <= status < 400:
            target = shown(response.headers.get("location", "another address"), self._redact, 120)
            return ModelError(
                f"The model server at {self._where} sends memapp on to {target}, "
                "and memapp does not follow.",
                "Set `server` to the address that answers itself.",
            )
        if status in (401, 403):
            return self._key_refused(report)
        if _TOO_LONG in body:
            return ModelError(
                f"The conversation is too long for this model ({report}).",
                "Start a new chat, or start the server with a larger context.",
            )
        failed = (
            FieldRefused if status in REFUSALS else ModelError,
            f"failed with status {status}",
            "Look at the server's own output, then try again.",
        )
        kind, does, advice = _STATUSES.get(status, failed)
        return kind(f"The model server at {self._where} {does} ({report}).", advice)

    def _key_refused(self, said: str) -> ModelError:
        if self._key is None:
            return ModelError(
                f"The model server at {self._where} wants a key ({said}).", server_key.HOW_TO_GIVE
            )
        return ModelError(
            f"The model server at {self._where} does not take the key "
            f"from {self._key.origin} ({said}).",
            "Check that the key is right, and that it may use this model.",
        )


class _Connection:
    """The socket of a call; any thread may cut it, even while another waits for data."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self.is_cut = False

    def traced(self, event: str, details: dict[str, Any]) -> None:
        """Take the socket from httpx's trace of a request."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = details["return_value"].get_extra_info("socket")
            # Checked after the socket is stored, and set before it is used: one thread sees the
            # other.
            if self.is_cut:
                self.cut()

    def cut(self) -> None:
        """End the connection now, whatever it is doing."""
        self.is_cut = True
        if self._socket is not None:
            with suppress(OSError):
                # Closing would not wake a thread that waits in recv.
                self._socket.shutdown(socket.SHUT_RDWR)


def _bounded(response: httpx.Response) -> bytes:
    """Return a body up to a size, still compressed if so: a few bytes could become gigabytes."""
    data = bytearray()
    for part in response.iter_raw():
        data += part
        if len(data) > BODY_BYTES:
            break
    return bytes(data[:BODY_BYTES])


def checked_address(url: str, allow_remote: bool) -> httpx.URL:
    """Return the server's address, ending in /v1 by default. Raises `ModelError` if forbidden."""
    example = "Write it like http://127.0.0.1:8080/v1."
    try:
        address = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError):
        raise ModelError("`server` is not an address.", example) from None
    if address.scheme not in ("http", "https") or not address.host or address.userinfo:
        shown = address.host if address.userinfo else url  # never show a password
        raise ModelError(
            f"`server` cannot be used: {shorten(one_line(clean(shown)), 80)}.", example
        )
    if not allow_remote and not is_loopback(address.host):
        raise ModelError(
            f"The model server {shorten(one_line(clean(address.host)), 80)} is not this machine, "
            "and your words would leave it.",
            "Use 127.0.0.1, or write `allow_remote = true` into config.toml if you want that.",
        )
    return address.copy_with(path=address.path.rstrip("/") or "/v1", query=None, fragment=None)


def remote_host(url: str) -> str:
    """Return the remote machine behind an address; empty for this machine and a bad address."""
    try:
        host = checked_address(url, allow_remote=True).host
    except ModelError:
        return ""  # nothing is sent there
    return "" if is_loopback(host) else host
