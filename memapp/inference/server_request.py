"""How a model server is asked for a reply. Servers differ in what they take, so there are up to four ways, the best first."""

import math
import re
from dataclasses import dataclass
from typing import Any

from memapp.domain.prompt import Prompt, Sampling
from memapp.inference.server_head import schema_of

BYTES_PER_TOKEN = 3
"""For servers that do not count. Rather too few: English has about four; three are one Chinese character."""

_CONTROL_TEXT = re.compile(
    r"<(?=[|｜][^<>\n]{1,40}[|｜]>)"  # ChatML, Llama 3, Phi, DeepSeek
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|start_of_image|think)>)"  # Llama 2, Gemma, reasoning
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"  # Mistral
    r"|<(?=</?SYS>>)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Way:
    """One way to ask."""

    name: str
    body: dict[str, Any]
    continues: bool = False
    """The server goes on where the head ends, instead of beginning the reply itself."""


def ways_to_ask(prompt: Prompt, sampling: Sampling, model: str, *, llama_server: bool) -> list[Way]:
    """Return the requests that ask for this reply, the best first; the last one asks plainly, which every server takes."""
    plain = _plain(prompt, sampling, model)
    if llama_server:
        plain |= {"timings_per_token": True, "repeat_penalty": sampling.repeat_penalty}
    ways: list[Way] = []
    if llama_server and (prompt.head or sampling.grammar):
        ways.append(Way("continue", plain | _llama_server_fields(prompt, sampling), continues=True))
    if sampling.grammar and (schema := schema_of(prompt.head, sampling.grammar)):
        for name, wanted in (
            ("schema", {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}),
            ("json", {"type": "json_object", "schema": schema}),  # llama-cpp-python's server refuses the other
        ):
            ways.append(Way(name, plain | {"response_format": wanted}))
    return [*ways, Way("plain", plain)]


def _plain(prompt: Prompt, sampling: Sampling, model: str) -> dict[str, Any]:
    suffix = prompt.suffix
    if prompt.head:
        suffix = f"{suffix}\nBegin your answer exactly with: {prompt.head}".strip()
    if sampling.tail:
        ask = f"After your answer write one more line: {sampling.tail.strip()} and what I will probably say next."
        suffix = f"{suffix}\n{ask}".strip()
    return {
        "model": model,
        "messages": messages(prompt, suffix),
        "max_tokens": token_limit(sampling),
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def messages(prompt: Prompt, suffix: str) -> list[dict[str, str]]:
    """Return a prompt as chat messages, the suffix inside the last user message."""
    turns = [{"role": turn.role, "content": data(turn.content)} for turn in prompt.turns]
    if not turns or turns[-1]["role"] != "user":
        turns.append({"role": "user", "content": ""})
    if suffix:
        turns[-1]["content"] = f"{turns[-1]['content']}\n\n{data(suffix)}".lstrip("\n")
    return [{"role": "system", "content": data(prompt.system)}, *turns]


def _llama_server_fields(prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
    """llama-server takes our grammar, and goes on with a reply whose beginning is the last message."""
    turns = messages(prompt, prompt.suffix)
    if prompt.head:
        turns.append({"role": "assistant", "content": data(prompt.head)})
    return {"messages": turns} | ({"grammar": sampling.grammar} if sampling.grammar else {})


def data(text: str) -> str:
    """Make text safe to send: the server would read control tokens written in it as its own, and refuse lone surrogates."""
    return _CONTROL_TEXT.sub(lambda found: f"{found[0]} ", text.encode("utf-8", "replace").decode()).replace("\x00", " ")


def token_limit(sampling: Sampling) -> int:
    """The most tokens that a reply and its tail may have."""
    return sampling.max_tokens + (sampling.tail_tokens if sampling.tail else 0)


def estimated_tokens(text: str) -> int:
    """Count tokens by bytes, rather too high."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)
