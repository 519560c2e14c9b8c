"""A chat model behind an OpenAI-compatible server: llama-server, llama-cpp-python's server, Ollama,
LM Studio.

Only an address of this machine is accepted unless the person allows others.
"""

from collections.abc import Generator, Iterator
from typing import Any

from pydantic import AliasPath, BaseModel, Field, model_validator

from memapp.domain.prompt import Finished, Piece, Prompt, Sampling, Usage
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError
from memapp.inference import NAME_CHARS, Cancel
from memapp.inference.network import let_through
from memapp.inference.server_http import FieldRefused, ServerHttp, checked_address
from memapp.inference.server_key import ServerKey
from memapp.inference.server_reply import Reply
from memapp.inference.server_request import data, estimated_tokens, messages, ways_to_ask

CHAT = "/chat/completions"
MESSAGE_TOKENS = 8
"""What a chat template adds to each message; rather too many."""


class _Model(BaseModel):
    id: str
    owned_by: Any = ""


class _Models(BaseModel):
    data: list[_Model] | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_a_list(cls, found: Any) -> Any:
        """Take a list without the object around it, as some gateways send it."""
        return {"data": found} if isinstance(found, list) else found


class _Props(BaseModel):
    n_ctx: int = Field(0, validation_alias=AliasPath("default_generation_settings", "n_ctx"))


class _Tokens(BaseModel):
    tokens: list[Any]


class ServerModel:
    """A chat model that some other program on this machine runs. The server keeps its own cache and
    its own queue.
    """

    def __init__(
        self,
        url: str,
        model_name: str = "",
        *,
        allow_remote: bool = False,
        context_tokens: int = 4096,
        answer_seconds: float = 120.0,
        key: ServerKey | None = None,
    ) -> None:
        """Look which models the server has; raise `ModelError` in plain words when it has none or
        may not be used.

        `answer_seconds` is the longest silence that is waited for, before the first word and
        between words.
        """
        address = checked_address(url, allow_remote)
        let_through(address.raw_host.decode("ascii"))
        self._http = ServerHttp(address, answer_seconds, key)
        self._refused: frozenset[str] = frozenset()
        self._begins_in_thought = False
        """The last reply did, without an opening tag: the server's template has it. Then the next
        one is no reply at first.
        """
        models = self._http.find("/models", _Models).data or []
        self._is_llama_server = any(model.owned_by == "llamacpp" for model in models)
        self._model = _choose([model.id for model in models], model_name, str(address))
        self.name = shorten(one_line(clean(_short_name(self._model))).lstrip("/"), NAME_CHARS)
        self.key = f"{address} {self._model}"
        self.context_tokens = min(self._window() or context_tokens, context_tokens)

    def count_tokens(self, text: str) -> int:
        """Count `text` with llama-server's tokenizer; for other servers take a third of its bytes,
        which is rather too much.
        """
        self._http.check_open()
        text = data(text)
        if not self._is_llama_server:
            return estimated_tokens(text)
        body = {"content": text, "add_special": False, "parse_special": False}
        return len(self._http.ask("POST", "/tokenize", _Tokens, body, above=True).tokens)

    def prompt_tokens(self, prompt: Prompt) -> int:
        """Count a whole prompt; the share of the server's chat template is estimated, rather too
        high.
        """
        parts = [*messages(prompt, prompt.suffix), {"content": prompt.head}]
        return self.count_tokens(
            "\n".join(part["content"] for part in parts)
        ) + MESSAGE_TOKENS * len(parts)

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        """Stream a reply, `Finished` last. Closing the iterator early cuts the connection. Raises
        `ModelError`.

        Counts in `Usage` are the server's, or estimates where it gives none.
        """
        self._http.check_open()
        return self._stream(prompt, sampling, cancel)

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:  # noqa: ARG002
        """Compute nothing: the server keeps the cache of its last call, and has no call that only
        prefills.
        """
        self._http.check_open()
        return 0

    def forget(self) -> None:
        """Do nothing: what the server keeps is the server's."""

    def close(self) -> None:
        """Cut all connections; later calls raise `ModelError`."""
        self._http.close()

    def _stream(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        """Ask, and tell a cut connection from a broken one."""
        if cancel.is_set():
            yield Finished("cancelled", Usage())
            return
        reply = Reply(
            prompt, sampling, begins_in_thought=self._begins_in_thought and not sampling.grammar
        )
        try:
            yield from self._words(prompt, sampling, reply, cancel)
        except ModelError:
            if not cancel.is_set():
                self._http.check_open()
                raise
        yield Finished("cancelled" if cancel.is_set() else reply.reason, reply.usage())

    def _words(
        self, prompt: Prompt, sampling: Sampling, reply: Reply, cancel: Cancel
    ) -> Iterator[Piece]:
        """Make the request the best way that the server takes, and remember what it refused."""
        ways = ways_to_ask(prompt, sampling, self._model, llama_server=self._is_llama_server)
        ways = [way for way in ways if way.name not in self._refused]
        for number, way in enumerate(ways):
            try:
                with self._http.stream(CHAT, way.body, cancel) as chunks:
                    self._refused |= {refused.name for refused in ways[:number]}
                    yield from reply.read(chunks, way.continues)
                if reply.begins_in_thought is not None:
                    self._begins_in_thought = reply.begins_in_thought
                return
            except FieldRefused:
                if way is ways[-1]:
                    raise

    def _window(self) -> int:
        """Return llama-server's context size; 0 for servers that do not tell."""
        if not self._is_llama_server:
            return 0
        try:
            return self._http.ask("GET", "/props", _Props, above=True).n_ctx
        except ModelError:
            return 0  # it may be switched off there; then the setting holds


def _choose(names: list[str], wanted: str, where: str) -> str:
    """Return the server's own name of the wanted model: as listed, without `:latest`, or the name
    of its file.
    """
    if not wanted:
        if not names:
            raise ModelError(
                f"The server at {where} has no model.",
                "Load one there, or name it in `server_model`.",
            )
        return names[0]
    found = next((name for name in names if name in (wanted, f"{wanted}:latest")), None)
    found = found or next(
        (name for name in names if _short_name(name) == _short_name(wanted)), None
    )
    if found or not names:
        return found or wanted
    listed = ", ".join(one_line(clean(_short_name(name))) for name in names)
    raise ModelError(
        f"The server at {where} has no model {wanted!r}.", f"It has: {shorten(listed, 200)}."
    )


def _short_name(name: str) -> str:
    """llama.cpp's servers list a model as the path of its file."""
    return (
        name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
        if name.endswith(".gguf")
        else name
    )
