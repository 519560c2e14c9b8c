"""The requests that ask a model server for a reply. Servers differ in what they take: up to four
ways, the best first.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

from memapp.domain.prompt import Prompt, Sampling

BYTES_PER_TOKEN = 3
"""For servers that do not count. Rather too few: English has about four; three are one Chinese
character.
"""
FREQUENCY_PENALTY = 0.3
"""Against words said again, for servers that know nothing better: OpenAI's interface, Ollama's and
LM Studio's have it.
"""

_CONTROL_TEXT = re.compile(
    r"<(?=[|｜][^<>\n]{1,40}[|｜]>)"  # ChatML, Llama 3, Phi, DeepSeek
    # Llama 2, Gemma, reasoning
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|start_of_image|think)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|THINK)\])"  # Mistral
    r"|◁(?=/?think▷)"  # Kimi
    r"|<(?=</?SYS>>)",
    re.IGNORECASE,
)
_KEY = re.compile(r'\\?"(\w+)\\?"\s*:\s*(\[)?')


@dataclass(frozen=True)
class Way:
    """One way to ask."""

    name: str
    body: dict[str, Any]
    continues: bool = False
    """The server goes on where the head ends, instead of beginning the reply itself."""


def ways_to_ask(prompt: Prompt, sampling: Sampling, model: str, *, llama_server: bool) -> list[Way]:
    """Return the requests that ask for this reply, the best first; the last one asks plainly, which
    every server takes.
    """
    asked = (
        f"{prompt.suffix}\nBegin your answer exactly with: {prompt.head}"
        if prompt.head
        else prompt.suffix
    )
    plain = _fields(sampling, model, llama_server) | {"messages": messages(prompt, asked.strip())}
    ways: list[Way] = []
    if llama_server and (prompt.head or sampling.grammar):
        grammar = {"grammar": sampling.grammar} if sampling.grammar else {}
        ways.append(
            Way(
                "continue",
                plain | {"messages": _begun(prompt, prompt.head)} | grammar,
                continues=True,
            )
        )
    if sampling.grammar and (schema := sampling.schema or schema_of(prompt.head, sampling.grammar)):
        for name, wanted in (
            (
                "schema",
                {
                    "type": "json_schema",
                    "json_schema": {"name": "reply", "strict": True, "schema": schema},
                },
            ),
            (
                "json",
                {"type": "json_object", "schema": schema},
            ),  # llama-cpp-python's server refuses the other
        ):
            ways.append(Way(name, plain | {"response_format": wanted}))
    return [*ways, Way("plain", plain)]


def schema_of(head: str, grammar: str) -> dict[str, Any] | None:
    """Return a JSON schema with the keys that a head and a grammar spell out: lists of strings, and
    strings.

    None if they describe no flat JSON object. Servers that take no grammar take this.
    """
    if not head.lstrip().startswith("{") and '"{' not in grammar:
        return None
    properties: dict[str, Any] = {}
    for key, is_list in _KEY.findall(head + "\n" + grammar):
        string = {"type": "string"}
        properties.setdefault(key, {"type": "array", "items": string} if is_list else string)
    if not properties:
        return None
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _fields(sampling: Sampling, model: str, llama_server: bool) -> dict[str, Any]:
    own = {
        "timings_per_token": True,
        "min_p": sampling.min_p,
        "dry_multiplier": sampling.dry_multiplier,
        "dry_allowed_length": sampling.dry_allowed,
        "dry_penalty_last_n": -1,  # the earlier replies stand in the prompt
        "chat_template_kwargs": {
            "enable_thinking": False
        },  # thoughts would take the tokens of the reply
    }
    others = {"frequency_penalty": FREQUENCY_PENALTY} if sampling.dry_multiplier else {}
    return (own if llama_server else others) | {
        "model": model,
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def _begun(prompt: Prompt, reply: str) -> list[dict[str, str]]:
    """Return a prompt with the beginning of a reply as its last message; llama-server and Ollama go
    on with that.
    """
    turns = messages(prompt, prompt.suffix)
    return [*turns, {"role": "assistant", "content": data(reply)}] if reply else turns


def messages(prompt: Prompt, suffix: str) -> list[dict[str, str]]:
    """Return a prompt as chat messages, the suffix inside the last user message."""
    turns = [{"role": turn.role, "content": data(turn.content)} for turn in prompt.turns]
    if not turns or turns[-1]["role"] != "user":
        turns.append({"role": "user", "content": ""})
    if suffix:
        turns[-1]["content"] = f"{turns[-1]['content']}\n\n{data(suffix)}".lstrip("\n")
    return [{"role": "system", "content": data(prompt.system)}, *turns]


def data(text: str) -> str:
    """Make text safe to send: the server would read control tokens written in it as its own, and
    refuse lone surrogates.
    """
    return _CONTROL_TEXT.sub(
        lambda found: f"{found[0]} ", text.encode("utf-8", "replace").decode()
    ).replace("\x00", " ")


def estimated_tokens(text: str) -> int:
    """Count tokens by bytes, rather too high."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)
