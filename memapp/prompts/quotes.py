"""The quotes in a prompt of what recall found: which hits, and which words of them.

A small model takes whatever stands in its prompt for the answer. So little is quoted: what belongs to the message, from the
one who is asked about, only what states something, and in words that can be said to them.
"""

import re
from collections.abc import Sequence

from memapp.domain.memory import Recalled
from memapp.domain.ranking import words_of
from memapp.domain.text import one_line
from memapp.language.english import memory_question
from memapp.language.english.duplicates import duplicate_of, tells_more
from memapp.language.english.grammar import stems
from memapp.language.english.life_domains import is_request
from memapp.language.english.parsed_fact import number_in
from memapp.language.english.profile_forms import in_first_person
from memapp.language.english.recall import asks_what_was_replied, query_words
from memapp.language.english.second_person import addressed
from memapp.language.english.statements import in_third_person
from memapp.language.lexicon import lexicon

LEAST_SCORE = 0.33
"""Below it, a hit that shares no word with the message is the best there is and yet has nothing to do with it.

A preference often shares no word with the request it bears on, so this is low: at 0.45 a tenth of all preferences would
be left out besides (`benchmarks.preferences`).
"""
ON_DEMAND_SCORE = 0.2
"""The same for a second search, when a question about the person found nothing at first."""
LEAST_MATCH = 0.12
"""What of a score must come from the message: that a memory is pinned or recent is no reason to quote it."""
LEAST_COSINE = 0.25
"""A fact less like the message than this shares a word with it and nothing else.

A long message is like nothing much, and a word is what an answer in it is found by: with this for messages too, two answers of 36
are lost (`benchmarks.isolation`). Where advice is wanted, no answer was given before: a message must be likelier there.
"""
LEAST_COSINE_SAID = 0.35
"""The same of what was said, where advice is wanted: `I can not decide between two soups` helps nobody choose an instrument."""
_EN = lexicon("talk")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_LEAST_WORDS = 4


def choose(
    message: str,
    hits: Sequence[Recalled],
    limit: int,
    *,
    least: float = LEAST_SCORE,
    least_cosine: float = LEAST_COSINE,
    own_case: bool = False,
) -> tuple[Recalled, ...]:
    """Return the hits to quote, best first. `own_case`: the message is about a case, so a hit must share a word with it.

    What the model once said is quoted only to someone who asks for it, and then first: else it would come back as something
    known. Hits that state nothing, or tell what another one or the message tells, are left out; small talk gets none at all.
    """
    if not (subject := _subject(message)):
        return ()
    hits = [hit for hit in hits if _shares_word(hit.text, subject) or (not own_case and _matches(hit, least))]
    is_advice = asks_advice(message)
    of_itself = [hit for hit in hits if hit.cosine == 0 or (hit.kind == "message" and not is_advice)]
    far = max(least_cosine, LEAST_COSINE_SAID)
    hits = [hit for hit in hits if hit in of_itself or hit.cosine >= (least_cosine if hit.kind == "memory" else far)]
    asked_for_replies = asks_what_was_replied(message)
    if asked_for_replies:
        hits = sorted(hits, key=lambda hit: hit.said_by == "user")
    else:
        hits = [hit for hit in hits if hit.said_by != "assistant"]
    return fill(message, (), hits, limit)


def fill(message: str, chosen: Sequence[Recalled], others: Sequence[Recalled], limit: int) -> tuple[Recalled, ...]:
    """Return the hits that are chosen, and others in the places left free, as long as they tell something else.

    A fact takes the place of a message that tells the same: the person can change a fact, and not what was once said. It is
    left out beside one that tells the same and more.
    """
    kept = list(chosen)
    told = [in_third_person(message), *(in_third_person(stated(hit)) for hit in chosen)]
    for hit in others:
        if hit.kind == "memory" and any(
            one.kind == "message" and tells_more(stated(one), in_first_person(hit.text)) for one in kept
        ):
            continue
        words = in_third_person(stated(hit))
        same = duplicate_of(words, told) if words else ""
        if same is None and len(kept) < limit:
            kept.append(hit)
            told.append(words)
        elif same and same != told[0] and hit.kind == "memory":
            place = told.index(same) - 1
            kept[place] = hit if kept[place].kind == "message" else kept[place]
    return tuple(kept)


def is_small_talk(message: str) -> bool:
    """Say whether a message is about nothing that could be looked up: a greeting, thanks, a yes."""
    return not _subject(message)


def in_plain_words(message: str) -> str:
    """Return a pleasantry in words that a small model knows, `thanks` for `ta`; any other message as it is."""
    if not is_small_talk(message):
        return message
    plain = _EN.forms("plain_pleasantries")
    return re.sub(r"[^\W\d_]+", lambda word: plain.get(word[0].casefold(), word[0]), message)


def asks(message: str) -> bool:
    """Say whether a message wants an answer, not a reply or a favour: its last sentence asks, or requests to be told."""
    last = _SENTENCE_END.split(one_line(message).strip())[-1]
    if _EN.regex("{favour}").fullmatch(last):
        return False
    return last.endswith("?") or bool(_EN.regex("{unmarked_question}").match(last) or _EN.regex("{request}").fullmatch(last))


def asks_about_person(message: str) -> bool:
    """Say whether a message asks something about the one who writes it: "Where do I live?"."""
    last = _SENTENCE_END.split(one_line(message).strip())[-1]
    return asks(last) and bool(_EN.regex("{person}").search(_EN.regex("{tell_me}").sub("", last)))


def asks_advice(message: str) -> bool:
    """Say whether a message asks for advice or a plan, and not for what is remembered: "What did you recommend to me?"."""
    if not is_request(message):
        return False
    asked = memory_question.read(message)
    return asked is None or not (asked.is_personal or asked.is_told)


def asks_of_memory(message: str) -> bool:
    """Say whether a message asks something about its writer that was told, and no advice: quotes may be all of its answer."""
    is_advice = is_request(message) or memory_question.asks_advice(message)
    return asks_about_person(message) and (asks_what_was_replied(message) or not is_advice)


def goes_on(message: str) -> bool:
    """Say whether a message is about the reply before it, which it does not name: "make it funnier", "really?"."""
    return bool(_EN.regex("{goes_on}").match(message.strip()))


def is_condition(message: str) -> bool:
    """Say whether a message only tells how what was just asked for is to be otherwise: "no pork tho"."""
    return bool(_EN.regex("{condition}").fullmatch(one_line(message).strip()))


def wants_text(message: str) -> bool:
    """Say whether a message asks for more than a few sentences: a list, a letter, a story, an explanation."""
    said = _SENTENCE_END.split(one_line(message).strip())
    return any(_EN.regex("{wants_text}").search(one) and _orders(one) for one in said)


def wants_few(message: str) -> bool:
    """Say whether the text that a message asks for is a few ideas or tips, and no list of so many, nor step by step."""
    return (
        wants_text(message) and bool(_EN.regex("{wants_few}").search(message)) and not _EN.regex("{wants_many}").search(message)
    )


def sentences_wanted(message: str) -> int:
    """Return in how many sentences, or lines, a message asks to be answered; 0 where it does not say."""
    found = _EN.regex("{counted_sentences}").search(message) if wants_something(message) else None
    number = number_in(found["count"].casefold()) if found else ""
    return int(number) if number.isdigit() else 0


def _orders(sentence: str) -> bool:
    """Say whether a sentence asks for what it names, and does not only tell of it: `I can type like a letter`."""
    return is_task(sentence) or asks(sentence) or bool(_EN.regex("{favour}|{orders}").search(sentence) or goes_on(sentence))


def wants_something(message: str) -> bool:
    """Say whether a message wants more than a reply to what it tells: an answer, advice, a text, a favour."""
    return is_task(message) or asks(message) or is_request(message) or wants_text(message)


def is_task(message: str) -> bool:
    """Say whether a message sets a task: "tell me a joke"."""
    return any(_EN.regex("{task}").match(one) for one in _SENTENCE_END.split(one_line(message).strip()))


def shares_subject(message: str, text: str) -> bool:
    """Say whether a text has one of the words that say what a message is about."""
    return _shares_word(text, _subject(message))


def quote(hit: Recalled) -> str:
    """Write a hit as a line of the prompt: a fact as it is told to the person, what was said in a chat as it was.

    Without its day: a small model says that with it.
    """
    words = stated(hit) or one_line(hit.text)
    if hit.kind == "memory":
        return addressed(words)
    return f'"{words}"'


def stated(hit: Recalled) -> str:
    """Return what a hit states: a message without its questions, tasks and greetings, on one line."""
    text = one_line(hit.text)
    if hit.kind == "memory":
        return text
    question, task = _EN.regex("{question}"), _EN.regex("{task}")
    told = [one for one in _SENTENCE_END.split(text) if not (question.fullmatch(one) or task.match(one))]
    return " ".join(one for one in told if len(one.split()) >= _LEAST_WORDS)


def _subject(message: str) -> list[str]:
    """Return the words that say what a message is about."""
    empty = _EN.pleasantries if asks(message) else _EN.pleasantries | _EN.reactions
    return [word for word in query_words(message) if word not in empty]


def _matches(hit: Recalled, least: float) -> bool:
    return hit.score >= least and hit.score - hit.boosts >= LEAST_MATCH


def _shares_word(text: str, words: Sequence[str]) -> bool:
    held = frozenset(stem for word in words_of(text) for stem in stems(word))
    return any(stems(word) & held for word in words if word not in _EN.everyday)
