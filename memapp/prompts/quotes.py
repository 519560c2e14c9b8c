"""What a prompt quotes of what recall found: which hits, and which words of them.

A small model takes whatever stands in its prompt for the answer. So little is quoted: what belongs to the message, from the
one who is asked about, only what states something, and in words that can be said to them.
"""

import re
from collections.abc import Sequence

from memapp.domain.duplicates import duplicate_of
from memapp.domain.english import stems
from memapp.domain.memory import Recalled
from memapp.domain.ranking import asks_what_was_replied, query_words, words_of
from memapp.domain.second_person import addressed
from memapp.domain.text import one_line

LEAST_SCORE = 0.33
"""Below it, a hit that shares no word with the message is the best there is and yet has nothing to do with it.

A preference often shares no word with the request it bears on, so this is low: at 0.45 a tenth of all preferences would
be left out besides (`benchmarks.preferences`).
"""
ON_DEMAND_SCORE = 0.2
"""The same for a second search, when a question about the person found nothing at first."""
LEAST_MATCH = 0.12
"""What of a score must come from the message: that a memory is pinned or recent is no reason to quote it."""
_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our)\b", re.IGNORECASE)
_TELL_ME = re.compile(r"\btell (?:me|us)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"(?:[\w' ]{1,24}, ?)*(?:what|which|who|whose|where|when|why|how|do|does|did|have|has|had|is|are|was|were|am|can|could|will|"
    r"would|should|shall|may|any|anything)\b.*\?",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:(?:please|and|so|now) )*(?:tell|remind) (?:me|us) "
    r"(?:about|again|of|what|which|who|whose|where|when|why|how|if|whether)\b.*",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"(?:(?:please|now|and|so|ok|okay|hey|hi|then),? )*(?:add|compare|continue|create|describe|draft|explain|find|fix|generate|"
    r"give|go on|help|invent|list|make|name(?! is\b|'s\b)|pick|recommend|remind|repeat|rewrite|say|show|sing|suggest|"
    r"summari[sz]e|teach|tell|translate|write)\b",
    re.IGNORECASE,
)
"""What somebody once asked for is nothing known of them; a small model would do it again."""
_PLEASANTRIES = frozenset(
    query_words("good great fine nice morning afternoon evening night day today tomorrow tonight")
    + query_words("hi hello hey bye goodbye thanks thank sorry please welcome")
    + query_words("yes yeah no ok okay sure alright well lol see later up there friend luck sleep")
    + query_words("haha wow cool really")
)
_REACTIONS = frozenset(query_words("sounds agree worries never mind answer reply helps helped lot much got get go see"))
"""Pleasantries too, unless the message asks something: "got it" is about nothing, "What have I got?" is not."""
_EVERYDAY = frozenset(
    query_words("again back come feel get give go got just keep know let like look made make more much need new now one only")
    + query_words("people put read really say some still take talk tell thing things think time too try very want way went")
    + query_words("write writing")
)
"""Words that two texts may share without having anything to do with each other."""
_FAVOUR = re.compile(
    r"(?:can|could|would|will) you (?!(?:still |please )?(?:remember|recall|tell|remind|say|guess)\b).*", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_LEAST_WORDS = 4


def choose(
    message: str, hits: Sequence[Recalled], limit: int, *, least: float = LEAST_SCORE, own_case: bool = False
) -> tuple[Recalled, ...]:
    """Return the hits to quote, best first. `own_case`: the message is about a case, so a hit must share a word with it.

    What the model once said is quoted only to someone who asks for it, and then first: else it would come back as something
    known. Hits that state nothing, or tell what another one tells, are left out; small talk gets none at all.
    """
    if not (subject := _subject(message)):
        return ()
    hits = [hit for hit in hits if _shares_word(hit.text, subject) or (not own_case and _matches(hit, least))]
    asked_for_replies = asks_what_was_replied(message)
    if asked_for_replies:
        hits = sorted(hits, key=lambda hit: hit.said_by == "user")
    else:
        hits = [hit for hit in hits if hit.said_by != "assistant"]
    chosen: list[Recalled] = []
    for hit in hits:
        words = stated(hit)
        if len(chosen) < limit and words and not duplicate_of(words, [stated(other) for other in chosen]):
            chosen.append(hit)
    return tuple(chosen)


def is_small_talk(message: str) -> bool:
    """Say whether a message is about nothing that could be looked up: a greeting, thanks, a yes."""
    return not _subject(message)


def asks(message: str) -> bool:
    """Say whether a message wants an answer, not a reply or a favour: its last sentence asks, or requests to be told."""
    last = _SENTENCE_END.split(one_line(message).strip())[-1]
    if _FAVOUR.fullmatch(last):
        return False
    return last.endswith("?") or bool(_QUESTION.fullmatch(f"{last}?") or _REQUEST.fullmatch(last))


def asks_about_person(message: str) -> bool:
    """Say whether a message asks something about the one who writes it: "Where do I live?"."""
    last = _SENTENCE_END.split(one_line(message).strip())[-1]
    return asks(last) and bool(_PERSON.search(_TELL_ME.sub("", last)))


def quote(hit: Recalled) -> str:
    """Write a hit as a line of the prompt: a fact as it is told to the person, what was said in a chat as it was, with its day.

    A fact has no day there: a small model says it with the fact, and it is only the day on which it was noted.
    """
    words = stated(hit) or one_line(hit.text)
    return addressed(words) if hit.kind == "memory" else f'"{words}" ({hit.at:%B} {hit.at.day})'


def stated(hit: Recalled) -> str:
    """Return what a hit states: a message without its questions, tasks and greetings, on one line."""
    text = one_line(hit.text)
    if hit.kind == "memory":
        return text
    told = [one for one in _SENTENCE_END.split(text) if not (_QUESTION.fullmatch(one) or _TASK.match(one))]
    return " ".join(one for one in told if len(one.split()) >= _LEAST_WORDS)


def _subject(message: str) -> list[str]:
    """Return the words that say what a message is about."""
    empty = _PLEASANTRIES if asks(message) else _PLEASANTRIES | _REACTIONS
    return [word for word in query_words(message) if word not in empty]


def _matches(hit: Recalled, least: float) -> bool:
    return hit.score >= least and hit.score - hit.boosts >= LEAST_MATCH


def _shares_word(text: str, words: Sequence[str]) -> bool:
    held = frozenset(stem for word in words_of(text) for stem in stems(word))
    return any(stems(word) & held for word in words if word not in _EVERYDAY)
