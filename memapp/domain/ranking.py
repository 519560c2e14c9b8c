"""Recall's arithmetic: how several signals become one order.

Pure. `store.search` supplies candidates with raw signals; `fuse` weighs them and says for each hit
why it matched. Scores are sums of the parts named in `why`; they run from 0 to about 1 and compare
within one query only.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from rapidfuzz import fuzz, process

from memapp.domain.text import one_line, shorten
from memapp.domain.unspaced import pairs
from memapp.domain.when import NamedTime


class RetrievalRule(StrEnum):
    """How the memories for a reply are found."""

    HYBRID = "hybrid"
    """What fits the message by words, meaning and spelling, and beside it what the keywords of call
    1 ask for.
    """
    FUZZY = "fuzzy"
    """What is like a keyword of call 1, letter by letter, and nothing else."""


WORDS = 0.40
MEANING = 0.50
MISSPELT = 0.30
BESIDE = 0.22
"""Share of its own score that a message lends to the one before and the one after it."""
ANSWER = 0.50
"""The same of a question, for what the person said next: an answer seldom repeats the words of its
question.
"""
LEAST_ASKED = 0.25
"""A question that scores less by itself has hardly to do with the message, and so has its answer.
"""
TWO_AWAY = 0.20
OTHER_CHAT = 0.15
"""Share of what the best message of its chat scores less than the best of all: of a thing people
speak in one chat.
"""
THAT_DAY = 0.30
THAT_MONTH = 0.10
"""For what was said on a day, or in a month, that the message names."""
STATED = 0.12
STATED_CHARS = 200
"""A message that states this much gets all of `STATED`: questions and short remarks match easily
and tell little.
"""
ASKS = -0.05
"""For a message that ends with a question: what was said to it tells more."""
MEASURED = 0.10
"""For what has a time, an age or a number in it, where the message asks for one."""
SAID_BY_PERSON = 0.03
"""What the person said weighs more than what a model replied."""
PINNED = 0.04
IMPORTANCE = 0.01
"""For each step above or below the default importance."""
DEFAULT_IMPORTANCE = 2
INSIGHT = 0.5
"""Share of its own score that an insight keeps: what somebody stated goes before what it seems to
show.
"""
HISTORY = 0.5
"""The same of what told of a day that is over."""
RECENT = 0.02
RECENT_HALF_LIFE_DAYS = 30.0
RELATED = 0.05
"""For a fact that is related to another hit, times the strength of the relation."""
BOOSTS = frozenset({"stated", "asks", "said by you", "pinned", "importance", "related", "recent"})
LEAST_COSINE = 0.2
"""Below this likeness two texts have nothing to do with each other; it is no reason for a hit."""
LEAST_COSINE_NEEDED = 0.35
"""A keyword names the thing itself, so what it asks for is nearer to it than an answer is to a
message.
"""
TAG_ALIKE = 85
"""Likeness (0 to 100) from which a keyword and a tag are the same word."""
ALIKE = 80
"""Likeness (0 to 100) from which a word counts as held by a text, misspelt or inflected."""
EXCERPT_CHARS = 280

_MARKS = "".join(
    chr(code) for code in range(0x300, 0x2000) if unicodedata.category(chr(code)).startswith("M")
)
_WORD = re.compile(rf"(?:[^\W_][{_MARKS}]*)+")
"""A vowel sign of Hindi is no letter, but belongs to its word; the index reads it as a phrase of
the letters.
"""
_EXCERPTED = re.compile(r".+?(?:[.!?…]\s+|[。！？]\s*|$)")
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live fact, or a message of a chat, with what the indexes say about it."""

    kind: Literal["memory", "message"]
    id: str
    text: str
    around: str
    """What is indexed beside the text: the tags of a fact, the neighbours of a message."""
    at: datetime
    bm25: float = 0.0
    """For the words of the message; above 0 means that at least one is there."""
    cosine: float = 0.0
    """Likeness in meaning, -1 to 1; 0 where there is no vector."""
    misspelt: float = 0.0
    """Share of the words that no fact holds as written, but this one nearly."""
    importance: int = DEFAULT_IMPORTANCE
    pinned: bool = False
    category: str = ""
    thread_id: str = ""
    seq: int = 0
    said_by: Literal["", "user", "assistant"] = ""
    is_insight: bool = False
    valid_until: date | None = None
    """Of a fact: the last day on which it is news."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the parts it is the sum of."""

    candidate: Candidate
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float:
        return sum(self.parts.values())

    @property
    def boosts(self) -> float:
        """How much of the score it would have had for any other message."""
        return sum(value for name, value in self.parts.items() if name in BOOSTS)

    @property
    def why(self) -> str:
        """The parts that matter, strongest first: `words 0.31 + meaning 0.22`."""
        shown = sorted(
            ((round(value, 2), name) for name, value in self.parts.items()),
            key=lambda part: -part[0],
        )
        return " + ".join(f"{name} {value:.2f}" for value, name in shown if value >= 0.01)


def words_of(text: str) -> list[str]:
    """Return all words of a text in lower case, as the index has them: the small letter of the
    Turkish İ is a plain i.
    """
    return _WORD.findall(unicodedata.normalize("NFC", text).lower().replace("i\u0307", "i"))


def is_asked_for(keyword: str, candidate: Candidate, *, compared: bool) -> bool:
    """Say whether a fact is what a keyword asks for: by its tags, by all its words, by meaning, or,
    unknown that, by a word.
    """
    if any(
        fuzz.ratio(keyword.casefold(), tag) >= TAG_ALIKE
        for tag in candidate.around.casefold().splitlines()
    ):
        return True
    if not (compared and candidate.cosine):
        return candidate.bm25 > 0
    is_named = bool(named := words_of(keyword)) and set(named) <= set(words_of(candidate.text))
    return is_named or candidate.cosine >= LEAST_COSINE_NEEDED


def fuzzy_score(text: str, tags: Sequence[str], keywords: Sequence[str]) -> float:
    """Return how like its likest keyword a fact is, letter by letter, 0 to 100: the plain rule of
    the specification.
    """
    texts = [text, *tags]
    return max(
        (
            fuzz.partial_ratio(text.casefold(), word.casefold())
            for text in texts
            for word in keywords
        ),
        default=0.0,
    )


def which_hold(texts: Sequence[str], word: str) -> list[int]:
    """Return the places of the texts that have a word, or one spelt nearly like it."""
    found = process.extract(
        word, texts, scorer=fuzz.partial_ratio, processor=str.lower, score_cutoff=ALIKE, limit=None
    )
    return [place for _, _, place in found]


def share_held(text: str, words: Sequence[str]) -> float:
    """Return how many of the words a text holds, 0 to 1; of one without spaces how many of its
    pairs of letters.
    """
    return sum(_held(text, word) for word in words) / len(words) if words else 0.0


def _held(text: str, word: str) -> float:
    if which_hold([text], word):
        return 1.0
    parts = pairs(word)
    return sum(part in text for part in parts) / len(parts) if parts else 0.0


def fuse(
    candidates: Sequence[Candidate],
    words: Sequence[str],
    now: datetime,
    times: Sequence[NamedTime] = (),
    related: Mapping[str, float] = MappingProxyType({}),
    measured: frozenset[str] = frozenset(),
) -> list[Ranked]:
    """Order candidates, best first. Those without a reason to be there are left out, and so is a
    text said before.

    `related` holds for a fact the strength of its strongest relation to another candidate,
    `measured` the ids of what has a time or a number in it that is asked for. A candidate's bm25
    counts as a share of the best of its kind, times the share of the words which that best one
    holds: so a weak best hit weighs little, and facts compare with messages although their indexes
    differ.
    """
    own: dict[str, dict[str, float]] = {}
    for kind in ("memory", "message"):
        of_kind = [candidate for candidate in candidates if candidate.kind == kind]
        best, held = _best([(candidate.bm25, candidate) for candidate in of_kind], words)
        for candidate in of_kind:
            weight = (
                INSIGHT
                if candidate.is_insight
                else HISTORY
                if candidate.valid_until and candidate.valid_until < now.date()
                else 1.0
            )
            own[candidate.id] = {
                "words": weight * WORDS * held * candidate.bm25 / best,
                "misspelt": weight * MISSPELT * candidate.misspelt,
                "meaning": weight * MEANING * max(candidate.cosine, 0.0),
            }
    lent = _lent(
        {
            candidate: sum(own[candidate.id].values())
            for candidate in candidates
            if candidate.kind == "message"
        }
    )
    ranked = [
        Ranked(
            candidate,
            {
                **own[candidate.id],
                "beside a hit": lent.get(candidate.id, 0.0),
                "measured": MEASURED * (candidate.id in measured),
                **_boosts(candidate, now, times, related),
            },
        )
        for candidate in candidates
        if _has_reason(candidate)
    ]
    ranked = _by_chats(ranked)
    ranked.sort(key=lambda one: (one.score, one.candidate.at), reverse=True)
    return _each_text_once(ranked)


def excerpt(text: str, words: Sequence[str]) -> str:
    """Return a text on one line, cut to the sentences from the one that holds most of the words."""
    whole = one_line(text)
    if len(whole) <= EXCERPT_CHARS:
        return whole
    sentences = _EXCERPTED.findall(whole)
    best = max(
        range(len(sentences)), key=lambda index: (share_held(sentences[index], words), -index)
    )
    rest = "".join(sentences[best:])
    if len(rest) < EXCERPT_CHARS:
        rest = whole[-EXCERPT_CHARS + 2 :].partition(" ")[2]
    return shorten(rest if rest == whole else f"… {rest}", EXCERPT_CHARS)


def _best(scored: Sequence[tuple[float, Candidate]], words: Sequence[str]) -> tuple[float, float]:
    """Return the best bm25 among these candidates, and the share of the words that the best one
    holds.
    """
    best, candidate = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if candidate is None or best <= 0:
        return 1.0, 0.0
    one_word = any(not pairs(word) for word in words) / len(
        words
    )  # the index knows more forms of a word than letters show
    return best, max(share_held(f"{candidate.text} {candidate.around}", words), one_word)


def _has_reason(candidate: Candidate) -> bool:
    lexical = candidate.bm25 > 0 or candidate.misspelt > 0
    return lexical or candidate.cosine >= LEAST_COSINE


def _lent(own: Mapping[Candidate, float]) -> dict[str, float]:
    """Return for each message what its neighbours in the chat lend it."""
    at = {(candidate.thread_id, candidate.seq): score for candidate, score in own.items()}
    asked = {
        (candidate.thread_id, candidate.seq)
        for candidate, score in own.items()
        if "?" in candidate.text and score >= LEAST_ASKED
    }
    lent = {}
    for candidate in own:
        two_before, before, after, two_after = (
            (candidate.thread_id, candidate.seq + step) for step in (-2, -1, 1, 2)
        )
        answers = ANSWER if before in asked and candidate.said_by != "assistant" else BESIDE
        beside = max(answers * at.get(before, 0.0), BESIDE * at.get(after, 0.0))
        lent[candidate.id] = beside + TWO_AWAY * max(
            at.get(two_before, 0.0), at.get(two_after, 0.0)
        )
    return lent


def _by_chats(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Count it against a message that its chat has little to do with what is asked; of one chat
    alone nothing changes.
    """
    best_of: dict[str, float] = {}
    for hit in ranked:
        if hit.candidate.kind == "message":
            best_of[hit.candidate.thread_id] = max(
                hit.score, best_of.get(hit.candidate.thread_id, 0.0)
            )
    best = max(best_of.values(), default=0.0)
    behind = {thread_id: OTHER_CHAT * (of_chat - best) for thread_id, of_chat in best_of.items()}
    return [
        Ranked(hit.candidate, {**hit.parts, "other chat": behind[hit.candidate.thread_id]})
        if hit.candidate.kind == "message"
        else hit
        for hit in ranked
    ]


def _boosts(
    candidate: Candidate, now: datetime, times: Sequence[NamedTime], related: Mapping[str, float]
) -> dict[str, float]:
    days = max((now - candidate.at).total_seconds(), 0.0) / 86_400
    named = [time for time in times if time.fits(candidate.at)]
    return {
        "then": max((THAT_DAY if time.day else THAT_MONTH for time in named), default=0.0),
        "stated": STATED * _stated(candidate),
        "asks": ASKS * (candidate.kind == "message" and candidate.text.rstrip().endswith("?")),
        "said by you": SAID_BY_PERSON * (candidate.said_by != "assistant"),
        "pinned": PINNED * candidate.pinned,
        "importance": IMPORTANCE * (candidate.importance - DEFAULT_IMPORTANCE),
        "related": RELATED * related.get(candidate.id, 0.0),
        "recent": RECENT * 0.5 ** (days / RECENT_HALF_LIFE_DAYS),
    }


def _stated(candidate: Candidate) -> float:
    """Return how much a candidate tells, 0 to 1; a fact was made to tell something."""
    if candidate.kind == "memory":
        return 1.0
    stated = sum(
        len(sentence) for sentence in _SENTENCE.findall(candidate.text) if "?" not in sentence
    )
    return min(stated / STATED_CHARS, 1.0)


def _each_text_once(ranked: Sequence[Ranked]) -> list[Ranked]:
    first: dict[str, Ranked] = {}
    for hit in ranked:
        first.setdefault(hit.candidate.text.strip().casefold(), hit)
    return list(first.values())
