"""A chat model behind an OpenAI-compatible server, such as llama-server, Ollama or LM Studio.

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
"""Tokens that a chat template adds to each message; rather too many."""


class _Model(BaseModel):
    id: str
    owned_by: Any = ""


class _Models(BaseModel):
    data: list[_Model] | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_a_list(cls, body: Any) -> Any:
        """Accept a list without the object around it, as some gateways send it."""
        return {"data": body} if isinstance(body, list) else body


class _Props(BaseModel):
    n_ctx: int = Field(0, validation_alias=AliasPath("default_generation_settings", "n_ctx"))


class _Tokens(BaseModel):
    tokens: list[Any]


class ServerModel:
    """A chat model run by another program. The server keeps its own cache and its own queue."""

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
        """Choose one of the server's models. Raises `ModelError` in plain words.

        `answer_seconds` is the longest silence before the first word and between words.
        """
        address = checked_address(url, allow_remote)
        let_through(address.raw_host.decode("ascii"))
        self._http = ServerHttp(address, answer_seconds, key)
        self._refused: frozenset[str] = frozenset()
        self._begins_in_thought = False
        """True if the last reply began with a thought without an opening tag, as the server's
        template has the tag. Then the next one starts as a thought too.
        """
        models = self._http.find("/models", _Models).data or []
        self._is_llama_server = any(model.owned_by == "llamacpp" for model in models)
        self._model = _choose([model.id for model in models], model_name, str(address))
        self.name = shorten(one_line(clean(_short_name(self._model))).lstrip("/"), NAME_CHARS)
        self.key = f"{address} {self._model}"
        self.context_tokens = min(self._window() or context_tokens, context_tokens)

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a text by llama-server's tokenizer, else a high estimate."""
        self._http.check_open()
        text = data(text)
        if not self._is_llama_server:
            return estimated_tokens(text)
        body = {"content": text, "add_special": False, "parse_special": False}
        return len(self._http.ask("POST", "/tokenize", _Tokens, body, above=True).tokens)

    def prompt_tokens(self, prompt: Prompt) -> int:
        """Return the tokens of a prompt, with an estimate for the server's chat template."""
        parts = [*messages(prompt, prompt.suffix), {"content": prompt.head}]
        return self.count_tokens(
            "\n".join(part["content"] for part in parts)
        ) + MESSAGE_TOKENS * len(parts)

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        """Stream a reply, `Finished` last; closing the iterator cuts it off. Raises `ModelError`.

        Counts in `Usage` are the server's, or estimates where it gives none.
        """
        self._http.check_open()
        return self._stream(prompt, sampling, cancel)

    def warm(
        self,
        prompt: Prompt,  # noqa: ARG002
        cancel: Cancel,  # noqa: ARG002
        *,
        open_end: bool = False,  # noqa: ARG002
    ) -> int:
        """Do nothing: the server caches its last call, and cannot only prefill."""
        self._http.check_open()
        return 0

    def forget(self) -> None:
        """Do nothing: the server manages its cache."""

    def close(self) -> None:
        """Cut all connections; later calls raise `ModelError`."""
        self._http.close()

    def _stream(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        """Stream a reply, telling a cut connection from a broken one."""
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
        """Make the best request that the server accepts, and remember the refused ones."""
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
        """Return llama-server's context size; 0 for other servers."""
        if not self._is_llama_server:
            return 0
        try:
            return self._http.ask("GET", "/props", _Props, above=True).n_ctx
        except ModelError:
            return 0  # may be disabled; then the setting holds


def _choose(names: list[str], wanted: str, where: str) -> str:
    """Return the server's name of a model: exact, with `:latest`, or by file name."""
    if not wanted:
        if not names:
            raise ModelError(
                f"The server at {where} has no model.",
                "Load one there, or name it in `server_model`.",
            )
        return names[0]
    matches = [name for name in names if name in (wanted, f"{wanted}:latest")]
    matches += [name for name in names if _short_name(name) == _short_name(wanted)]
    if matches or not names:
        return matches[0] if matches else wanted
    listed = ", ".join(one_line(clean(_short_name(name))) for name in names)
    raise ModelError(
        f"The server at {where} has no model {wanted!r}.", f"It has: {shorten(listed, 200)}."
    )


def _short_name(name: str) -> str:
    """Return a model's name without the path that llama.cpp's servers list."""
    return (
        name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
        if name.endswith(".gguf")
        else name
    )
