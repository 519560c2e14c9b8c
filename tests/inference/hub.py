"""A site like the Hugging Face Hub on this machine: it serves one file with ranges, and fails as a
test wants it to.
"""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memapp import paths

COMMIT = "c0ffee" * 6 + "c0de"


@dataclass
class Hub:
    """What is served, and how."""

    content: bytes
    port: int = 0
    etag: str = ""
    size: int = 0
    """What it says of itself; by default the truth."""
    cut: list[int] = field(default_factory=list)
    """After so many bytes of each answer the connection breaks; one is used up each time."""
    knows_ranges: bool = True
    status: int = 0
    """Answer with this and nothing else."""
    sends_on_to: str = ""
    """The address that files are redirected to."""
    head_only: bool = False
    """Redirect only when asked for the file itself."""
    hold: threading.Event = field(default_factory=threading.Event)
    """Set: do not send the rest of a file, and do not end either."""
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and range of each request."""
    told: set[str] = field(default_factory=set)
    """Names of the headers that came, and what the client says it is."""

    @property
    def source(self) -> str:
        return f"http://127.0.0.1:{self.port}/owner/name"

    @property
    def ranges(self) -> list[str]:
        return [text for method, _, text in self.asked if method == "GET"]


@contextmanager
def serving(content: bytes, **how: object) -> Iterator[Hub]:
    """Serve a file for as long as this lasts."""
    hub = Hub(content, etag=hashlib.sha256(content).hexdigest(), size=len(content))
    for name, value in how.items():
        setattr(hub, name, value)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            answer(self, hub)

        def do_GET(self) -> None:
            answer(self, hub)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Say nothing of a client that went away."""

    server = Server(("127.0.0.1", 0), Handler)
    hub.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer(request: BaseHTTPRequestHandler, hub: Hub) -> None:
    wanted = request.headers.get("Range", "")
    hub.asked.append((request.command, request.path, wanted))
    hub.told |= {name.lower() for name in request.headers} | {request.headers.get("User-Agent", "")}
    has_content = request.command == "GET" and not hub.status
    redirects = hub.sends_on_to and not (hub.head_only and not has_content)
    match = re.fullmatch(r"bytes=(\d+)-", wanted) if hub.knows_ranges else None
    start = int(match[1]) if match else 0
    body = b"" if redirects or hub.status else hub.content[start:]
    request.send_response(hub.status or (302 if redirects else 206 if match else 200))
    request.send_header("X-Repo-Commit", COMMIT)
    request.send_header("X-Linked-Etag", f'"{hub.etag}"')
    request.send_header("X-Linked-Size", str(hub.size))
    if redirects:
        request.send_header("Location", hub.sends_on_to + request.path)
    if match:
        request.send_header(
            "Content-Range", f"bytes {start}-{len(hub.content) - 1}/{len(hub.content)}"
        )
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    if not has_content:
        return
    if redirects or not (hub.cut or hub.hold.is_set()):
        request.wfile.write(body)
        return
    end = hub.cut.pop(0) if hub.cut else len(body) // 3
    request.wfile.write(body[:end])
    request.wfile.flush()
    request.connection.settimeout(0.02)
    with suppress(ConnectionError):
        while hub.hold.is_set():
            with suppress(TimeoutError):
                if not request.connection.recv(1):
                    break
    request.close_connection = True


def list_of_models(
    folder: Path, site: Hub, monkeypatch: pytest.MonkeyPatch, more: str = ""
) -> None:
    """Put a list in the place of memapp's own, with the bundled models and one from this site;
    `more` is TOML on the latter.
    """
    entries = (
        ("SmolLM2", "", "https://huggingface.co/o/n", 98_000_000, "false"),
        ("all-MiniLM-L6-v2", "", "https://huggingface.co/o/n", 46_000_000, "true"),
        ("Tiny", "tiny.gguf", site.source, len(site.content), "false"),
    )
    text = "".join(
        f'[[model]]\nname = "{name}"\nfile = "{file}"\nbytes = {size}\nembeds = {embeds}\n'
        'licence = "MIT"\n'
        f'source = "{source}"\nnote = "Good."\n'
        for name, file, source, size, embeds in entries
    )
    folder.mkdir()
    (folder / "manifest.toml").write_text(text + more, "utf-8")
    bundled = paths.bundled
    monkeypatch.setattr(
        paths,
        "bundled",
        lambda *parts: folder / parts[1] if parts[0] == "models" else bundled(*parts),
    )
