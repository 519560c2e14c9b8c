"""A model and an embedder that follow a script: for tests and benchmarks, never in place of a real
model.

Both are deterministic, need no files, count tokens, remember what they were asked, and misbehave on
request.
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
from memapp.inference.reply_text import ReplyText
from memapp.inference.thoughts import Thoughts
from memapp.inference.trunk import shared_length

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
    """Tell what a call is for: a grammar asks for the prediction, free text is a reply.

    A grammar or a head that has nothing to do with what is needed or comes next is some other work,
    such as distilling a fact; but a reply that is begun for the model ends at a string.
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
    """What both calls of one turn answer; what is left empty is made up from the prompt."""

    reply: str = ""
    prediction: str = ""
    needed_info: tuple[str, ...] | None = None


@dataclass(frozen=True)
class _Misbehaviour:
    fault: Fault
    call: CallKind | None
    after_tokens: int


class ScriptedModel:
    """A chat model whose every word is known beforehand.

    Unless told otherwise it names words of the message as needed information, and replies with a
    friendly sentence that repeats the memories it was given.
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
        """Computes what a call writes after the head; None leaves the call to the queue and the
        defaults.
        """
        self.delay_seconds = delay_seconds
        """How long each token takes; the seconds in `Usage` follow from it."""
        self.seen: list[Prompt] = []
        """The prompts of all calls, oldest first."""
        self.samplings: list[Sampling] = []
        """How each of them was to be sampled."""
        self.warmed: list[Prompt] = []
        self._sleep = sleep
        self._turns: deque[_ScriptedTurn] = deque()
        self._last_turn = _ScriptedTurn()
        self._faults: list[_Misbehaviour] = []
        self._cached: dict[CacheSlot, list[str]] = {}
        self._lock = threading.RLock()  # a script may itself enqueue
        self._closed = threading.Event()

    def enqueue(
        self, reply: str, prediction: str = "", needed_info: Sequence[str] | None = None
    ) -> None:
        """Script the next turn, which may need nothing. Its calls for a prediction look at it, its
        reply uses it up.
        """
        with self._lock:
            self._turns.append(
                _ScriptedTurn(
                    reply, prediction, needed_info if needed_info is None else tuple(needed_info)
                )
            )

    def misbehave(
        self, fault: Fault, call: CallKind | None = None, *, after_tokens: int = 0
    ) -> None:
        """Let the next call, of one kind or of any, go wrong; a crash or a hang comes after some
        tokens.
        """
        with self._lock:
            self._faults.append(_Misbehaviour(fault, call, after_tokens))

    def count_tokens(self, text: str) -> int:
        """Count `text`: four letters are a token, and no token reaches over white space."""
        return len(_tokens(text))

    def prompt_tokens(self, prompt: Prompt) -> int:
        """Count a whole prompt: every message costs one token more than its words."""
        return len(_trunk(prompt)) + len(_rest(prompt))

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Iterator[Piece | Finished]:
        """Stream the scripted reply, `Finished` last. Raises `ModelError` after `close`, or when
        told to crash.
        """
        self._check_open()
        return self._stream(prompt, sampling, cancel)

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:
        """Pretend to prefill; return how many tokens were new."""
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
        """Drop what is kept of earlier prompts, but for the records of what was asked."""
        with self._lock:
            self._cached = {}

    def close(self) -> None:
        """End what is running; later calls raise `ModelError`."""
        self._closed.set()

    def _stream(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Iterator[Piece | Finished]:
        reused, computed = self._prefill(prompt)
        with self._lock:
            self.seen.append(prompt)
            self.samplings.append(sampling)
            kind = call_kind(prompt, sampling)
            fault = next(
                (
                    misbehaviour
                    for misbehaviour in self._faults
                    if misbehaviour.call in (None, kind)
                ),
                None,
            )
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
        """Keep a prompt in the cache; return how many of its tokens were there, and how many were
        not.
        """
        tokens = _trunk(prompt) + _rest(prompt)
        if len(tokens) >= self.context_tokens:
            raise ModelError(
                f"The conversation is too long for this model: {len(tokens):,} tokens of {self.context_tokens:,}.",
                "Start a new chat, or set a larger `context_tokens`.",
            )
        with self._lock:
            if prompt.slot == "scratch":
                return 0, len(tokens)
            reused = min(shared_length(self._cached.get(prompt.slot, []), tokens), len(tokens) - 1)
            self._cached[prompt.slot] = tokens
        return reused, len(tokens) - reused

    def _answer(self, kind: CallKind, prompt: Prompt, sampling: Sampling) -> str:
        """Return the words of a call."""
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
        """Return the JSON of call 1 from where the prompt's head ends."""
        if prompt.head.rstrip().endswith(
            ': "'
        ):  # only the last value is missing: the turn is over already
            return json.dumps(self._last_turn.prediction or _guess(prompt))[1:] + "}"
        turn = self._turns[0] if self._turns else _ScriptedTurn()
        needed_info = _keywords(prompt) if turn.needed_info is None else turn.needed_info
        said = turn.prediction or _guess(prompt)
        key = prompt.head.strip('{[": ') or "needed_info"
        return json.dumps(
            {key: needed_info, "prediction_next": said}, ensure_ascii=False
        ).removeprefix(prompt.head)

    def _faulty(
        self, tokens: list[str], wrong: _Misbehaviour | None, cancel: Cancel
    ) -> Iterator[str]:
        """Yield the tokens of a reply, and go wrong on the way if that was asked for."""
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
        """Yield tokens at the model's pace until somebody cancels or closes."""
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
    """Bag-of-words vectors: texts that share words are alike, and nothing has to be loaded."""

    model_id = "scripted"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.broken = False
        """Set to let every call fail."""

    def embed(self, texts: Sequence[str], *, wait: bool = True) -> NDArray[np.float32]:  # noqa: ARG002  # it never loads
        """Return one unit-length float32 row for each text. Raises `ModelError` after `close`, or
        when broken.
        """
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

    def stopped_by(self, cancel: Cancel) -> AbstractContextManager[None]:  # noqa: ARG002  # it is done at once
        """Change nothing."""
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
    """The person's last words: the last paragraph, without the name before it."""
    text = prompt.turns[-1].content if prompt.turns else ""
    return _SPEAKER.sub("", text.rstrip().rpartition("\n\n")[2])


def _keywords(prompt: Prompt) -> list[str]:
    """The first few longer words of the person's message."""
    words = [word.lower() for word in _WORD.findall(_message(prompt)[:2000]) if len(word) > 3]
    return list(dict.fromkeys(words))[:3]


def _guess(prompt: Prompt) -> str:
    words = _keywords(prompt)
    return f"Tells me more about {words[-1]}." if words else "Tells me something new."


def _friendly_reply(prompt: Prompt) -> str:
    asked = "".join(turn.content for turn in prompt.turns)
    opening = min(_OPENINGS, key=asked.rfind)  # the one not said, or said longest ago
    notes = _NOTES.search(prompt.turns[-1].content) if prompt.turns else None
    memories = [
        *_NOTE.findall(notes[1] if notes else ""),
        *_LIMIT.findall(prompt.suffix),
        *_MEMORY_LINE.findall(prompt.suffix),
    ]
    if memories:
        return f"{opening} I remember this about you: {'; '.join(memory.rstrip('.') for memory in memories)}."
    words = _keywords(prompt)
    return (
        f"{opening} What should I know about {words[-1]}?"
        if words
        else f"{opening} What is on your mind?"
    )
