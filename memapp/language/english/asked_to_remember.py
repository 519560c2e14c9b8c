"""Writes what somebody asks to be remembered as facts: in the third person where that says all of it, else in their words."""

from collections.abc import Sequence

from memapp.domain.utterance import Draft
from memapp.language.english.category import draft_of
from memapp.language.english.framing import unwrap
from memapp.language.english.grammar import EN, TOKEN, expand, is_adverb, is_verb, join, sentences, tokens
from memapp.language.english.memory_question import keys
from memapp.language.english.profile_hints import is_secret
from memapp.language.english.statements import read
from memapp.language.english.third_person import to_third_person
from memapp.language.lexicon import lexicon

_REQUESTS = lexicon("requests")


def as_facts(content: str) -> list[Draft]:
    """Return the facts that hold all of what is to be remembered, in its order."""
    asked = _REQUESTS.regex("{and_remember}").split(content)
    return [draft for one in asked for sentence in sentences(one) for draft in _of_sentence(sentence)]


def tells_secret(content: str) -> bool:
    """Say whether what is to be remembered tells a password or a number that opens something."""
    said = [content, *sentences(content), *(draft.text for draft in as_facts(content))]
    return any(map(is_secret, said))


def _of_sentence(sentence: str) -> list[Draft]:
    if timed := _REQUESTS.regex("{when_to}").fullmatch(sentence.rstrip(" .!")):  # `don't let me forget tomorrow to pay the rent`
        sentence = f"{timed['what']} {timed['when'][:1].lower()}{timed['when'][1:]}"
    if sentence.startswith("to "):  # `don't let me forget to call the plumber`
        sentence = f"I want to be reminded {sentence}"
    elif _is_thing_alone(sentence.rstrip(" .!")):
        sentence = f"I must not forget {sentence}"
    facts = [one.fact for one in read(sentence) if one.fact]
    if len(facts) < 2 or not holds_all(sentence, " ".join(facts)):
        is_whole = facts and holds_all(sentence, " ".join(facts))
        facts = [_retold(sentence) or (facts[0] if is_whole else _as_written(sentence))]
    return [draft_of(fact) for fact in facts]


def _is_thing_alone(sentence: str) -> bool:
    return _REQUESTS.regex("{thing_alone}").fullmatch(sentence) is not None and not any(map(is_verb, tokens(sentence)[1:]))


def _retold(sentence: str) -> str:
    """Return a sentence about `I` or `my` as one about User; empty where something of it would be lost."""
    written = TOKEN.findall(unwrap(expand(sentence)).strip().rstrip(".!"))  # `Mrs.` keeps its dot
    words = [_one_person(word) for word in written]
    if not words or words[0].casefold() not in ("i", "my"):
        return ""
    told = to_third_person(words, starts_with_subject=True)
    text = _as_written(join(told)) if told else ""
    return text if text and holds_all(sentence, text) else ""


def _one_person(word: str) -> str:
    return {"our": "my", "Our": "My"}.get(word, word)


def _as_written(sentence: str) -> str:
    text = sentence.strip().rstrip(".!")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def holds_all(sentence: str, fact: str) -> bool:
    """Say whether a fact has each word of a sentence that says something."""
    held = keys(tokens(expand(fact)))
    return all(keys([word]) & held for word in _telling(tokens(expand(sentence))))


def _telling(words: Sequence[str]) -> list[str]:
    passing = EN.function_words - EN.negations | EN.pronouns | {"user", "user's"}
    return [word for word in words if word[0].isalnum() and word.casefold() not in passing and not is_adverb(word)]
