"""The writing rules of a memory, whoever wrote it.

A fact is one sentence about "User", in the third person, without pronouns, of at most 280 characters, with one to five tags; or
it tells that User said a sentence, in that sentence's words.
An episode is what happened or was done: one or two sentences in the past tense, else written like a fact, and with no word that
was not typed.
One that a model or a rule derived is also grounded in what the person typed. The checks refuse too much rather than too little.
"""

import re
from collections.abc import Sequence

from memapp.domain.memory import MAX_MEMORY_CHARS, MAX_TAG_CHARS, MAX_TAGS
from memapp.language.english.duplicates import normalise
from memapp.language.english.grammar import EN, expand, is_adverb, is_past, sentences, stems, tokens
from memapp.language.english.grounding import NOT_GROUNDED, SAID, check_grounding
from memapp.language.english.third_person import is_one_of_those

MAX_TAG_WORDS = 4

EMPTY = "nothing is left of it"
NO_SENTENCE = "no whole sentence"
TOO_LONG = f"longer than {MAX_MEMORY_CHARS} characters"
NOT_ONE_SENTENCE = "not one sentence"
NO_FULL_STOP = "no full stop at the end"
PRONOUN = "has a pronoun"
VAGUE = "points at something outside the sentence"
NOT_ABOUT_USER = "does not speak of User"
NOT_SHORT = "more than two sentences"
NOT_PAST = "not in the past tense"

_RUN_ON = re.compile(r"(?:,| (?:and|but|so|because))+ (?:they|it|he|she|I|you|we|this|that|your|my)(?:['’]\w+)? .*", re.DOTALL)
"""A clause at the end about something named before, in words that are none in a fact."""


def check_fact(text: str, typed_text: str) -> list[str]:
    """Return what is wrong with a derived fact, given all that the person typed; nothing when it may be stored."""
    return check_form(text) or check_grounding(text, typed_text)


def check_episode(text: str, typed_text: str) -> list[str]:
    """Return what is wrong with a derived episode, given all that the person typed; nothing when it may be stored."""
    return check_episode_form(text) or check_words_said(text, typed_text)


def check_insight(text: str) -> list[str]:
    """Return what is wrong with an insight's sentences in themselves: one or two, in the third person, without pronouns."""
    return ([] if len(sentences(text)) <= 2 else [NOT_SHORT]) or _check_words(text)


def check_words_said(text: str, typed_text: str) -> list[str]:
    """Refuse words, names and numbers that were not typed, but for those that tell that something was talked about.

    What sums up several sentences has their words in an order of its own.
    """
    typed = {stem for word in tokens(expand(typed_text)) for stem in stems(word)}
    said = [word for word in tokens(expand(text)) if re.match(r"\w", word) and word.casefold() not in EN.function_words]
    unsaid = [word for word in said if stems(word).isdisjoint(typed | EN.telling_verbs)]
    return [NOT_GROUNDED] if unsaid or (_denies(text) and not _denies(typed_text)) else []


def _denies(text: str) -> bool:
    return not EN.negations.isdisjoint(word.casefold() for word in tokens(expand(text)))


def check_episode_form(text: str) -> list[str]:
    """Return what is wrong with an episode's sentences in themselves."""
    told = sentences(text)
    problems = [] if len(told) <= 2 else [NOT_SHORT]
    if not all(_is_told_as_past(sentence) for sentence in told):
        problems.append(NOT_PAST)
    return problems or _check_words(text)


def check_form(text: str) -> list[str]:
    """Return what is wrong with a fact's sentence in itself."""
    problems = _check_words(text)
    is_quote = text.startswith(SAID)  # of a sentence, and of the one that it goes on from
    if problems != [EMPTY] and ((len(sentences(text)) != 1 and not is_quote) or "\n" in text):
        problems.append(NOT_ONE_SENTENCE)
    return problems


def _check_words(text: str) -> list[str]:
    """Return what is wrong with a text, however many sentences it has."""
    words = tokens(expand(text))
    if not normalise(text) or not words:
        return [EMPTY]
    problems = []
    if len(text) > MAX_MEMORY_CHARS:
        problems.append(TOO_LONG)
    if not re.search(r"[^.!?\s]\.$", text):
        problems.append(NO_FULL_STOP)
    if text.startswith(SAID):
        return problems
    if any(_is_pronoun(words, at) and not _is_whose(words, at) for at in range(len(words))):
        problems.append(PRONOUN)
    if any(is_vague(words, at) for at in range(len(words))):
        problems.append(VAGUE)
    if words[0].casefold() in EN.question_words and words[1:2] and words[1] in EN.finite:
        problems.append(NO_SENTENCE)  # `who is User's best friend`, without its mark
    if not any(word in ("User", "User's") for word in words):
        problems.append(NOT_ABOUT_USER)
    return problems


def check_tags(tags: Sequence[str]) -> list[str]:
    """Return what is wrong with the tags: there are one to five short noun phrases."""
    problems = []
    if not 1 <= len(tags) <= MAX_TAGS:
        problems.append(f"not 1 to {MAX_TAGS} tags")
    if len({normalise(tag) for tag in tags}) != len(tags):
        problems.append("the same tag twice")
    if not all(_is_noun_phrase(tag) for tag in tags):
        problems.append("a tag is not a short noun phrase")
    return problems


def as_fact(text: str) -> str:
    """Tidy what a model wrote: no quotes or bullet, `User` for `The user`, one sentence that does not run on, one full stop."""
    text = re.sub(r"^(?:[-*•]\s+|\d+[.)]\s+|fact:\s*)", "", " ".join(text.split()).strip("\"'`“”"), flags=re.IGNORECASE)
    text = _RUN_ON.sub("", next(iter(sentences(text)), ""))
    text = re.sub(r"\b[Tt]he [Uu]ser\b", "User", text)
    return re.sub(r"[\s.!]*$", ".", text, count=1) if text and not text.endswith("?") else text


def tells_what_happened(fact: str) -> bool:
    """Say whether a fact is one of the past and of a day that it names, if any: `User went to a park.`"""
    words = [word.casefold() for word in tokens(expand(fact))]
    verb = next((word for word in words[1:] if not is_adverb(word)), "")
    is_past_form = is_past(verb) or verb in EN.unchanged_past or verb in ("was", "were", "had", "did")
    return words[:1] == ["user"] and is_past_form and EN.time_words.isdisjoint(words)


def _is_told_as_past(sentence: str) -> bool:
    words = [word.casefold() for word in tokens(expand(sentence))]
    return any(is_past(word) or word in EN.unchanged_past or word in ("was", "were", "had", "did", "used") for word in words)


def _is_pronoun(words: Sequence[str], at: int) -> bool:
    word = words[at]
    if word in ("IT", "US", "ME"):
        return False  # information technology, a country, a state
    if word.casefold() == "mine":
        return at == 0 or words[at - 1].casefold() in ("of", "is", "are", "and", "than", "like", "as")
    return word.casefold() in EN.pronouns


def _is_whose(words: Sequence[str], at: int) -> bool:
    """Say whether this tells that something is of the one whom a fact begins with: `User's sister came with her two kids`."""
    following = words[at + 1].casefold() if at + 1 < len(words) else ""
    return words[0] == "User's" and words[at].casefold() in EN.whose_else and following not in EN.function_words | {"", ","}


def is_vague(words: Sequence[str], at: int) -> bool:
    """Say whether a word points at something outside the sentence: `this`, `the small ones`, `would love to`."""
    word, following = words[at].casefold(), [other.casefold() for other in words[at + 1 : at + 2]]
    if word in EN.demonstratives:
        is_relative = word == "that" and bool(following) and at > 1 and following[0] not in EN.function_words - EN.after_relative
        return not is_relative and not (following and following[0] in EN.time_nouns)
    if word == "to":  # "would love to": what?
        return not following
    if word in ("there", "here"):
        return not (following and following[0] in ("is", "are", "was", "were"))
    is_loose = word in ("one", "ones") and (not following or following[0] in EN.no_noun)
    return is_loose and not is_one_of_those(words, at)


def _is_noun_phrase(tag: str) -> bool:
    written = tokens(expand(tag))
    words = [word.casefold() for word in written]
    return (
        0 < len(words) <= MAX_TAG_WORDS
        and len(tag) <= MAX_TAG_CHARS
        and tag == tag.strip(" .,;:!?")
        and not any(_is_pronoun(written, at) or word in ",;:?!()" for at, word in enumerate(words))
        and words[0] not in EN.function_words - EN.articles
        and words[-1] not in EN.function_words | EN.negations
    )
