"""Tags: the noun phrases of a sentence, and nothing that it does not say."""

import re
from collections.abc import Iterator, Sequence

from memapp.domain.memory import MAX_TAGS
from memapp.language.english.duplicates import normalise
from memapp.language.english.grammar import EN, expand, is_adverb, is_past, stems, third_person_verbs, tokens, word_at
from memapp.language.english.writing import MAX_TAG_WORDS, check_tags

_NAME_JOINTS = ("of", "the", "a", "de", "van")


def tags_for(text: str) -> list[str]:
    """Return one to five noun phrases of a sentence, or fewer when it has no words to make them of."""
    words = tokens(expand(text))
    found: list[str] = []
    for phrase in _noun_phrases(words):
        if not check_tags([phrase]) and normalise(phrase) not in {normalise(tag) for tag in found}:
            found.append(phrase)
    if not found:
        small = [word.casefold() for word in words if not check_tags([word])]
        found = [word for word in small if not check_tags([word]) and word not in EN.adverbs][-1:]
    return found[:MAX_TAGS]


def tags_after(tags: Sequence[str], before: str, text: str) -> list[str]:
    """Return the tags of a text that took the place of another: new ones for those whose words are gone.

    Those that somebody chose, which were never among its words, stay.
    """
    kept = [tag for tag in tags if not _says(before, tag) or _says(text, tag)]
    chosen = kept == list(tags) and not all(_says(before, tag) for tag in tags)
    made = [] if chosen else tags_for(text)
    fresh = [tag for tag in made if not any(_says(tag, one) or _says(one, tag) for one in kept)]
    return [*kept, *fresh][:MAX_TAGS]


def tags_with(tags: Sequence[str], added: Sequence[str], text: str) -> list[str]:
    """Return the tags of a text with others beside them; of too many, the last ones made of its words give way."""
    new = [tag for tag in added if tag.casefold() not in {one.casefold() for one in tags}]
    kept = list(tags)
    for tag in reversed(tags):
        if len(kept) + len(new) > MAX_TAGS and _says(text, tag):
            kept.remove(tag)
    return [*kept, *new]


def chosen_tags(tags: Sequence[str], text: str) -> list[str]:
    """Return the tags that somebody chose, which are no words of the text."""
    return [tag for tag in tags if not _says(text, tag)]


def _says(text: str, tag: str) -> bool:
    said = {stem for word in tokens(expand(text)) for stem in stems(word)}
    return all(not said.isdisjoint(stems(word)) for word in tokens(expand(tag)))


def _noun_phrases(words: Sequence[str]) -> Iterator[str]:
    phrase: list[str] = []
    for at, word in enumerate([*words, "."]):
        lowered = word.casefold()
        if phrase and _joins_name(words, at):
            phrase.append(word)
        elif (
            lowered in EN.time_words or not re.search(r"\w", word) or not _is_phrase_word(words, at) or (phrase and is_past(word))
        ):
            if phrase := _without_light_words(phrase):
                yield " ".join(phrase)
            phrase = []
        else:
            is_name = word[:1].isupper() and (at > 0 or lowered not in EN.common_verbs)
            phrase.append(word if is_name else lowered)


def _joins_name(words: Sequence[str], at: int) -> bool:
    """Say whether this is the `of` of `Lord of the Rings`."""
    if at == 0 or at >= len(words) or words[at] not in _NAME_JOINTS:
        return False
    following = next((word for word in words[at : at + 3] if word not in _NAME_JOINTS), "")
    return following[:1].isupper() and (words[at - 1][:1].isupper() or words[at - 1] in _NAME_JOINTS)


def _is_phrase_word(words: Sequence[str], at: int) -> bool:
    if words[at] in ("IT", "US"):
        return True
    lowered = words[at].casefold()
    if lowered in EN.function_words | EN.negations | EN.pronouns | EN.demonstratives or (
        words[at].islower() and is_adverb(lowered)
    ):
        return False
    return not (_is_verb_here(words, at) if at else lowered in EN.common_verbs - EN.noun_or_verb)


def _is_verb_here(words: Sequence[str], at: int) -> bool:
    """Say whether the word is the verb after `User`, after `to` with an object, or one that is never a noun."""
    word, before = words[at].casefold(), words[at - 1].casefold()
    if before in EN.before_verb or (is_adverb(before) and at > 1 and words[at - 2].casefold() in EN.before_verb):
        return (
            bool(stems(word) & EN.common_verbs)
            or word in EN.unchanged_past | {"can", "used"}
            or is_past(word)
            or word.endswith("s")
        )
    if before in EN.finite | {"been"} and (is_past(word) or (word.endswith("ing") and stems(word) & EN.common_verbs)):
        return True
    if before == "to":
        following = word_at(words, at + 1)
        return word in ("go", "be", "do", "get", "have") or (word in EN.common_verbs and following not in ("", "and", "or", ","))
    is_only_verb = word in third_person_verbs() and word.removesuffix("s") not in EN.noun_or_verb
    is_liking = third_person_verbs().get(word, word) in EN.transitive_liking and word != "love"
    return is_only_verb or is_liking or _is_done_by_name(words, at)


def _is_done_by_name(words: Sequence[str], at: int) -> bool:
    """Say whether the word is the verb of `Ole plays chess`, unlike in `User owns Abba records` and `my Abba records are old`."""
    if words[at] not in third_person_verbs() or not words[at - 1][:1].isupper() or at + 1 == len(words):
        return False
    following = words[at + 1]
    if (
        not re.search(r"\w", following)
        or following in EN.finite | {"of"}
        or following in third_person_verbs()
        or is_past(following)
    ):
        return False
    begun = max((place for place, word in enumerate(words[:at]) if not re.search(r"\w", word)), default=-1) + 1
    return not any(stems(word) & EN.common_verbs or word in EN.finite or is_past(word) for word in words[begun : at - 1])


def _without_light_words(phrase: list[str]) -> list[str]:
    """`seeing new places` is about places, `big fan` about nothing."""
    while phrase and (phrase[0] in EN.light or (len(phrase) > 1 and EN.regex("(?-i:{light_gerund})").fullmatch(phrase[0]))):
        phrase = phrase[1:]
    if phrase[-1:] == ["fan"] or all(word in EN.numbers or word in EN.light for word in phrase):
        return []
    return phrase[-MAX_TAG_WORDS:]
