"""Recall's ranking: the fusion of several signals into one order.

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

from memapp.domain.named_time import NamedTime
from memapp.domain.text import one_line, shorten
from memapp.domain.unspaced_scripts import pairs


class RetrievalRule(StrEnum):
    """How the memories for a reply are found."""

    HYBRID = "hybrid"
    """Search by words, meaning and spelling of the message, and by the keywords of call 1."""
    FUZZY = "fuzzy"
    """Letter-by-letter likeness to a keyword of call 1 alone."""


WORDS = 0.40
MEANING = 0.50
MISSPELT = 0.30
BESIDE = 0.22
"""The share of a message's score lent to the messages before and after it."""
ANSWER = 0.50
"""The share of a question's score lent to the person's next message: an answer seldom repeats the
words of its question.
"""
LEAST_ASKED = 0.25
"""A question below this score, and so its answer, hardly fits the query."""
TWO_AWAY = 0.20
OTHER_CHAT = 0.15
"""The penalty of a chat, as a share of how far its best message is behind the best of all: people
speak of one thing in one chat.
"""
THAT_DAY = 0.30
THAT_MONTH = 0.10
"""For messages of a day, or a month, that the query names."""
STATED = 0.12
STATED_CHARS = 200
"""The statement length for all of `STATED`: questions and short remarks match easily but tell
little.
"""
ASKS = -0.05
"""For a message that ends with a question; its answer tells more."""
MEASURED = 0.10
"""For a time, an age or a number in the text, where the query asks for one."""
SAID_BY_PERSON = 0.03
"""For the person's own words, as opposed to a model's."""
PINNED = 0.04
IMPORTANCE = 0.01
"""For each step from the default importance."""
DEFAULT_IMPORTANCE = 2
INSIGHT = 0.5
"""The share of its score that an insight keeps: statements go first."""
HISTORY = 0.5
"""The same for a memory of a day that is over."""
RECENT = 0.02
RECENT_HALF_LIFE_DAYS = 30.0
RELATED = 0.05
"""For a fact related to another hit, times the strength of the relation."""
BOOSTS = frozenset({"stated", "asks", "own words", "pinned", "importance", "related", "recent"})
LEAST_COSINE = 0.2
"""Below this cosine two texts are unrelated."""
LEAST_COSINE_NEEDED = 0.35
"""The same for a keyword, which names the thing itself and so is nearer to its hits."""
TAG_ALIKE = 85
"""Likeness (0 to 100) from which a keyword equals a tag."""
ALIKE = 80
"""Likeness (0 to 100) from which a text contains a word, misspelt or inflected."""
EXCERPT_CHARS = 280

_MARKS = "".join(
    chr(code) for code in range(0x300, 0x2000) if unicodedata.category(chr(code)).startswith("M")
)
_WORD = re.compile(rf"[^\W_]+(?:[{_MARKS}]+[^\W_]*)*")
"""A word with its marks: a vowel sign of Hindi is no letter, but belongs to its word. The index
reads such a word as a phrase of its letters.
"""
_EXCERPTED = re.compile(r".+?(?:[.!?…]\s+|[。！？]\s*|$)")
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live fact or a message, with its raw signals."""

    kind: Literal["memory", "message"]
    id: str
    text: str
    around: str
    """Text indexed beside the own one: the tags of a fact, the neighbours of a message."""
    at: datetime
    bm25: float = 0.0
    """For the words of the query; above 0 if at least one matches."""
    cosine: float = 0.0
    """Likeness in meaning, -1 to 1; 0 without a vector."""
    misspelt: float = 0.0
    """The share of words that no fact contains as written, but this one nearly."""
    importance: int = DEFAULT_IMPORTANCE
    pinned: bool = False
    category: str = ""
    thread_id: str = ""
    seq: int = 0
    said_by: Literal["", "user", "assistant"] = ""
    is_insight: bool = False
    is_imported: bool = False
    valid_until: date | None = None
    """The last day on which a dated fact is news."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the parts of the score."""

    candidate: Candidate
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float:
        return sum(self.parts.values())

    @property
    def boosts(self) -> float:
        """Return the part of the score that any query would have given."""
        return sum(value for name, value in self.parts.items() if name in BOOSTS)

    @property
    def why(self) -> str:
        """Return the parts that matter, strongest first: `words 0.31 + meaning 0.22`."""
        shown = sorted(
            ((round(value, 2), name) for name, value in self.parts.items()),
            key=lambda part: -part[0],
        )
        return " + ".join(f"{name} {value:.2f}" for value, name in shown if value >= 0.01)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, as the index has them (Turkish İ as a plain i)."""
    return _WORD.findall(unicodedata.normalize("NFC", text).lower().replace("i\u0307", "i"))


def is_asked_for(keyword: str, candidate: Candidate, *, compared: bool) -> bool:
    """Return True for a fact with a keyword's tag, words or meaning, or, not `compared`, a word."""
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
    """Return the likeness of a fact to its likest keyword, 0 to 100, by the plain rule."""
    texts = [text, *tags]
    return max(
        (
            fuzz.partial_ratio(text.casefold(), keyword.casefold())
            for text in texts
            for keyword in keywords
        ),
        default=0.0,
    )


def which_hold(texts: Sequence[str], words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the indexes of each word and of each text with it, or with a similar spelling.

    Texts and words are in lower case.
    """
    alike = process.cdist(words, texts, scorer=fuzz.partial_ratio, score_cutoff=ALIKE)
    return [(int(word), int(text)) for word, text in zip(*alike.nonzero(), strict=True)]


def share_held(text: str, words: Sequence[str]) -> float:
    """Return the share of words in a text, by letter pairs for words of unspaced scripts."""
    lowered = text.lower()
    return sum(_held(text, lowered, word) for word in words) / len(words) if words else 0.0


def _held(text: str, lowered: str, word: str) -> float:
    if word in lowered or fuzz.partial_ratio(word, lowered, score_cutoff=ALIKE):
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
    """Return the candidates with a reason to match, best first, each text once.

    `related` holds for a fact the strength of its strongest relation to another candidate,
    `measured` the ids of texts with a time or a number that is asked for. A candidate's bm25 counts
    as a share of the best of its kind, times the share of the words in that best one: so a weak
    best hit weighs little, and facts compare with messages although their indexes differ.
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
    ranked.sort(key=lambda hit: (hit.score, hit.candidate.at), reverse=True)
    return _each_text_once(ranked)


def excerpt(text: str, words: Sequence[str]) -> str:
    """Return a text on one line, cut to the sentences from the one with the most query words."""
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
    """Return the best bm25 of some candidates, and the share of the words in the best one."""
    best, candidate = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if candidate is None or best <= 0:
        return 1.0, 0.0
    # The index knows more forms of a word than letters show.
    one_word = any(not pairs(word) for word in words) / len(words)
    return best, max(share_held(f"{candidate.text} {candidate.around}", words), one_word)


def _has_reason(candidate: Candidate) -> bool:
    lexical = candidate.bm25 > 0 or candidate.misspelt > 0
    return lexical or candidate.cosine >= LEAST_COSINE


def _lent(own: Mapping[Candidate, float]) -> dict[str, float]:
    """Return the score that each message gets from its neighbours in the chat."""
    at = {(candidate.thread_id, candidate.seq): score for candidate, score in own.items()}
    questions = {
        (candidate.thread_id, candidate.seq)
        for candidate, score in own.items()
        if "?" in candidate.text and score >= LEAST_ASKED
    }
    lent = {}
    for candidate in own:
        two_before, before, after, two_after = (
            (candidate.thread_id, candidate.seq + step) for step in (-2, -1, 1, 2)
        )
        answers = ANSWER if before in questions and candidate.said_by != "assistant" else BESIDE
        beside = max(answers * at.get(before, 0.0), BESIDE * at.get(after, 0.0))
        lent[candidate.id] = beside + TWO_AWAY * max(
            at.get(two_before, 0.0), at.get(two_after, 0.0)
        )
    return lent


def _by_chats(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the hits with messages of less relevant chats penalised."""
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
        "own words": SAID_BY_PERSON * (candidate.said_by != "assistant"),
        "pinned": PINNED * candidate.pinned,
        "importance": IMPORTANCE * (candidate.importance - DEFAULT_IMPORTANCE),
        "related": RELATED * related.get(candidate.id, 0.0),
        "recent": RECENT * 0.5 ** (days / RECENT_HALF_LIFE_DAYS),
    }


def _stated(candidate: Candidate) -> float:
    """Return how much a candidate tells, 0 to 1; a fact tells all."""
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
