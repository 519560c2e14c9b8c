"""A scripted model and embedder for tests and benchmarks, never used in place of a real model.

Both are deterministic, need no files, count tokens, record calls, and misbehave on request.
"""

import hashlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memapp.domain.prompt import CacheSlot, Finished, Piece, Prompt, Reason, Sampling, Usage
from memapp.errors import ModelError
from memapp.inference import Cancel, closed
from memapp.inference.prompt_cache import shared_length
from memapp.inference.reply_text import ReplyText
from memapp.inference.thoughts import Thoughts

CallKind = Literal["predict", "reply", "other"]
Fault = Literal["crash", "hang", "broken_json", "endless", "empty"]

BROKEN_JSON = "}{:,,\n"
DIMENSION = 64
UNSETTLED_TOKENS = 2

_TOKEN = re.compile(r"\s*\S{1,4}|\s+")
_WORD = re.compile(r"[^\W_]+")
_NOTES = re.compile(r"\[notes\]\n(.*?)(?:\n\n|\Z)", re.DOTALL)
_NOTE = re.compile(r'^- \d+ \w+: "(.*)"$', re.MULTILINE)
_LIMIT = re.compile(r'^\[mind: "(.*)"\]$', re.MULTILINE)
_MEMORY_LINE = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(\S.*?)\s*$", re.MULTILINE)
_SPEAKER = re.compile(r"^[^\W\d][^:\n]{0,40}: ")
_OPENINGS = (
    "That is good to know.",
    "Thank you for telling me.",
    "I was hoping you would bring that up.",
    "Let us look at that together.",
    "Now that is something to talk about.",
)


def call_kind(prompt: Prompt, sampling: Sampling) -> CallKind:
    """Return the kind of a call: with a grammar a prediction, with free text a reply.

    Other work, such as distilling a fact, has a grammar or a head for something else; but a reply
    begun for the model ends at a stop string.
    """
    if sampling.grammar is None:
        return "other" if prompt.head and not sampling.stop else "reply"
    return (
        "predict"
        if re.search("needed_info|prediction_next", prompt.head + sampling.grammar)
        else "other"
    )


@dataclass(frozen=True)
class _ScriptedTurn:
    """The answers of both calls of a turn; empty ones are made up from the prompt."""

    reply: str = ""
    prediction: str = ""
    needed_info: tuple[str, ...] | None = None


@dataclass(frozen=True)
class _Misbehaviour:
    fault: Fault
    call: CallKind | None
    after_tokens: int


class ScriptedModel:
    """A chat model with known output.

    By default it names words of the message as needed information, and replies with a friendly
    sentence that repeats the given memories.
    """

    def __init__(
        self,
        script: Callable[[Prompt, Sampling], str | None] | None = None,
        *,
        name: str = "scripted",
        context_tokens: int = 4096,
        key: str = "",
        delay_seconds: float = 0.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.key = key
        self.script = script
        """Computes the text of a call behind the head; None for the queue and the defaults."""
        self.delay_seconds = delay_seconds
        """The time of each token, which also sets the seconds in `Usage`."""
        self.seen: list[Prompt] = []
        """The prompts of all calls, oldest first."""
        self.samplings: list[Sampling] = []
        """The samplings of all calls, oldest first."""
        self.warmed: list[Prompt] = []
        self._sleep = sleep
        self._turns: deque[_ScriptedTurn] = deque()
        self._last_turn = _ScriptedTurn()
        self._faults: list[_Misbehaviour] = []
        self._cached: dict[CacheSlot, list[str]] = {}
        self._lock = threading.RLock()  # a script may call `enqueue`
        self._closed = threading.Event()

    def enqueue(
        self, reply: str, prediction: str = "", needed_info: Sequence[str] | None = None
    ) -> None:
        """Script the next turn; its predictions peek at the script, its reply consumes it."""
        with self._lock:
            self._turns.append(
                _ScriptedTurn(
                    reply, prediction, needed_info if needed_info is None else tuple(needed_info)
                )
            )

    def misbehave(
        self, fault: Fault, call: CallKind | None = None, *, after_tokens: int = 0
    ) -> None:
        """Let the next call, of one kind or any, fail; a crash or hang comes after some tokens."""
        with self._lock:
            self._faults.append(_Misbehaviour(fault, call, after_tokens))

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens: four letters each, none across white space."""
        return len(_tokens(text))

    def prompt_tokens(self, prompt: Prompt) -> int:
        """Return the number of tokens of a prompt: one more than its words for each message."""
        return len(_trunk(prompt)) + len(_rest(prompt))

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Iterator[Piece | Finished]:
        """Stream the scripted reply, `Finished` last. Raises `ModelError` if closed or crashing."""
        self._check_open()
        return self._stream(prompt, sampling, cancel)

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:
        """Pretend to prefill; return the number of new tokens."""
        self._check_open()
        if cancel.is_set():
            return 0
        trunk = _trunk(prompt)
        if open_end:
            trunk = trunk[:-UNSETTLED_TOKENS]
        with self._lock:
            self.warmed.append(prompt)
            reused = shared_length(self._cached.get(prompt.slot, []), trunk)
            self._cached[prompt.slot] = trunk
        return len(trunk) - reused

    def forget(self) -> None:
        """Drop the cached prompts, but not the records of calls."""
        with self._lock:
            self._cached = {}

    def close(self) -> None:
        """End running calls; later ones raise `ModelError`."""
        self._closed.set()

    def _stream(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Iterator[Piece | Finished]:
        reused, computed = self._prefill(prompt)
        with self._lock:
            self.seen.append(prompt)
            self.samplings.append(sampling)
            kind = call_kind(prompt, sampling)
            fault = next((wrong for wrong in self._faults if wrong.call in (None, kind)), None)
            if fault:
                self._faults.remove(fault)
            words = self._answer(kind, prompt, sampling)
        thoughts, text = Thoughts(), ReplyText(sampling.stop)
        reason: Reason = "end"
        decoded = 0
        for token in self._paced(self._faulty(_tokens(words), fault, cancel), cancel):
            if decoded == sampling.max_tokens:
                reason = "length"
                break
            decoded += 1
            yield from text.take_all(thoughts.feed(token))
            if text.done or thoughts.over:
                reason = "stop"
                break
        yield from text.take_all(thoughts.end())
        yield from text.end()
        if cancel.is_set():
            reason = "cancelled"
        first = self.delay_seconds if decoded else 0.0
        yield Finished(
            reason, Usage(computed, reused, decoded, first, self.delay_seconds * decoded)
        )

    def _prefill(self, prompt: Prompt) -> tuple[int, int]:
        """Keep a prompt in the cache; return the numbers of cached and of new tokens."""
        tokens = _trunk(prompt) + _rest(prompt)
        if len(tokens) >= self.context_tokens:
            raise ModelError(
                "The conversation is too long for this model: "
                f"{len(tokens):,} tokens of {self.context_tokens:,}.",
                "Start a new chat, or set a larger `context_tokens`.",
            )
        with self._lock:
            if prompt.slot == "scratch":
                return 0, len(tokens)
            reused = min(shared_length(self._cached.get(prompt.slot, []), tokens), len(tokens) - 1)
            self._cached[prompt.slot] = tokens
        return reused, len(tokens) - reused

    def _answer(self, kind: CallKind, prompt: Prompt, sampling: Sampling) -> str:
        """Return the text of a call."""
        scripted = self.script(prompt, sampling) if self.script else None
        if scripted is not None:
            return scripted
        if kind == "predict":
            return self._prediction(prompt)
        if kind == "other":  # nothing is to be remembered, unless a script says so
            return '{"facts": []}' if sampling.schema else ""
        turn = _ScriptedTurn(_friendly_reply(prompt))
        if self._turns:
            self._last_turn = turn = self._turns.popleft()
        return turn.reply

    def _prediction(self, prompt: Prompt) -> str:
        """Return the JSON of call 1 behind the prompt's head."""
        if prompt.head.rstrip().endswith(': "'):  # only the last value is missing: the turn is over
            return json.dumps(self._last_turn.prediction or _guess(prompt))[1:] + "}"
        turn = self._turns[0] if self._turns else _ScriptedTurn()
        needed_info = _keywords(prompt) if turn.needed_info is None else turn.needed_info
        key = prompt.head.strip('{[": ') or "needed_info"
        answer = {key: needed_info, "prediction_next": turn.prediction or _guess(prompt)}
        return json.dumps(answer, ensure_ascii=False).removeprefix(prompt.head)

    def _faulty(
        self, tokens: list[str], wrong: _Misbehaviour | None, cancel: Cancel
    ) -> Iterator[str]:
        """Yield the tokens of a reply, with the requested fault on the way."""
        match wrong:
            case _Misbehaviour("empty"):
                return
            case _Misbehaviour("broken_json"):
                yield from _tokens(BROKEN_JSON)
            case _Misbehaviour("endless"):
                yield from cycle([*tokens, " again"])
            case _Misbehaviour(fault, _, after_tokens):
                yield from islice(tokens, after_tokens)
                if fault == "crash":
                    raise ModelError("The scripted model crashed, as it was told to.", "Try again.")
                self._hang(cancel)
            case None:
                yield from tokens

    def _hang(self, cancel: Cancel) -> None:
        awake = threading.Event()
        with cancel.heard_by(awake.set):
            while not awake.wait(0.02):
                self._check_open()

    def _paced(self, tokens: Iterable[str], cancel: Cancel) -> Iterator[str]:
        """Yield tokens at the model's pace until cancelled or closed."""
        for token in tokens:
            if cancel.is_set():
                return
            self._check_open()
            if self.delay_seconds:
                self._sleep(self.delay_seconds)
            yield token

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise closed()


class ScriptedEmbedder:
    """Bag-of-words vectors: texts with common words are alike, and nothing is loaded."""

    model_id = "scripted"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.broken = False
        """True to let every call fail."""

    def embed(
        self,
        texts: Sequence[str],
        *,
        wait: bool = True,  # noqa: ARG002
    ) -> NDArray[np.float32]:
        """Return one unit-length row for each text. Raises `ModelError` if closed or broken."""
        if self.broken:
            raise ModelError("The scripted embedder does not answer.", "Start it again.")
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.lower()):
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=2).digest()
                row[digest[0] % DIMENSION] += 1 if digest[1] % 2 else -1
            if not row.any():
                row[0] = 1
            row /= np.linalg.norm(row)
        return rows

    def stopped_by(self, cancel: Cancel) -> AbstractContextManager[None]:  # noqa: ARG002
        """Change nothing, as calls end at once."""
        return nullcontext()

    def close(self) -> None:
        """Release nothing; later calls raise `ModelError`."""
        self.broken = True


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _trunk(prompt: Prompt) -> list[str]:
    tokens = ["<system>", *_tokens(prompt.system)]
    for turn in prompt.turns:
        tokens += [f"<{turn.role}>", *_tokens(turn.content)]
    return tokens


def _rest(prompt: Prompt) -> list[str]:
    return [*_tokens(prompt.suffix), "<assistant>", *_tokens(prompt.head)]


def _message(prompt: Prompt) -> str:
    """Return the person's last message: the last paragraph, without a name before it."""
    text = prompt.turns[-1].content if prompt.turns else ""
    return _SPEAKER.sub("", text.rstrip().rpartition("\n\n")[2])


def _keywords(prompt: Prompt) -> list[str]:
    """Return the first few longer words of the person's message."""
    words = [word.lower() for word in _WORD.findall(_message(prompt)[:2000]) if len(word) > 3]
    return list(dict.fromkeys(words))[:3]


def _guess(prompt: Prompt) -> str:
    words = _keywords(prompt)
    return f"Tells me more about {words[-1]}." if words else "Tells me something new."


def _friendly_reply(prompt: Prompt) -> str:
    conversation = "".join(turn.content for turn in prompt.turns)
    opening = min(_OPENINGS, key=conversation.rfind)  # unused, or used longest ago
    notes = _NOTES.search(prompt.turns[-1].content) if prompt.turns else None
    memories = [
        *_NOTE.findall(notes[1] if notes else ""),
        *_LIMIT.findall(prompt.suffix),
        *_MEMORY_LINE.findall(prompt.suffix),
    ]
    if memories:
        listed = "; ".join(memory.rstrip(".") for memory in memories)
        return f"{opening} I remember this about you: {listed}."
    words = _keywords(prompt)
    return (
        f"{opening} What should I know about {words[-1]}?"
        if words
        else f"{opening} What is on your mind?"
    )
