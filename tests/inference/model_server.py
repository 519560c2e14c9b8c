"""A scripted model server on loopback, for tests of requests and replies."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def running() -> Iterator["Server"]:
    """Let a server answer while this lasts."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Server(ThreadingHTTPServer):
    """A model server with scripted replies, which keeps the requests."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.keys = []
        """The `Authorization` header of each request."""
        self.pieces = ["Hello", " there", "."]
        self.finish_reason = "stop"
        self.owned_by = "library"
        self.models = ["small", "large:latest"]
        self.status = {}
        """Path -> (status, body, headers) instead of the usual answer."""
        self.refuses = ()
        """Fields or values of a chat request that are answered with 400."""
        self.raw = None
        """What is streamed instead of events."""
        self.hangs = False
        self.hanging = threading.Event()
        self.gone = threading.Event()
        """Set when the client went away in the middle of a reply."""

    def handle_error(self, request, client_address):
        """A write that failed: the client went away."""
        self.gone.set()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def chats(self):
        return [body for path, body in self.asked if path == "/v1/chat/completions"]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.server.asked.append((self.path, None))
        self.server.keys.append(self.headers["Authorization"])
        if not self.special():
            self.answer(
                {
                    "/v1/models": {
                        "data": [
                            {"id": name, "owned_by": self.server.owned_by}
                            for name in self.server.models
                        ]
                    },
                    "/props": {"default_generation_settings": {"n_ctx": 2048}},
                }[self.path]
            )

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        self.server.keys.append(self.headers["Authorization"])
        if self.special():
            return
        if self.path == "/tokenize":
            self.answer({"tokens": body["content"].split()})
        elif any(
            field in body or f'"{field}"' in json.dumps(body) for field in self.server.refuses
        ):
            self.answer({"error": {"message": "unknown field"}}, 400)
        else:
            self.stream(self.server.pieces)

    def special(self):
        if self.path not in self.server.status:
            return False
        status, body, headers = self.server.status[self.path]
        self.answer(body, status, headers)
        return True

    def answer(self, body, status=200, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, pieces):
        if self.server.hangs == "before headers":
            return self.wait_until_gone()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if self.server.raw is not None:
            self.wfile.write(self.server.raw)
            return None
        self.wfile.write(b": warming up\n\n")
        for piece in pieces:
            self.event({"choices": [{"delta": {"content": piece}, "finish_reason": None}]})
        if self.server.hangs:
            return self.wait_until_gone()
        if self.server.finish_reason:
            self.event({"choices": [{"delta": {}, "finish_reason": self.server.finish_reason}]})
            details = {"cached_tokens": 7}
            self.event(
                {
                    "choices": [],
                    "usage": {
                        "prompt_tokens": 9,
                        "completion_tokens": 3,
                        "prompt_tokens_details": details,
                    },
                }
            )
            self.wfile.write(b"data: [DONE]\n\n")
        return None

    def event(self, data):
        self.wfile.write(b"data: " + json.dumps(data).encode() + b"\r\n\r\n")
        self.wfile.flush()

    def wait_until_gone(self):
        self.server.hanging.set()
        self.connection.settimeout(30)
        if self.connection.recv(1) == b"":
            self.server.gone.set()
