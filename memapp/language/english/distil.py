"""Facts by rule: what a person says about themselves as third-person sentences, without a model.

A clause that the rules do not fully understand is left out: a missing fact is better than a wrong one.
"""

import re
from dataclasses import dataclass

from memapp.domain.memory import Kind
from memapp.language.english.authorship import stated_sentences
from memapp.language.english.clauses import is_call, is_own_attribute, parts, statements
from memapp.language.english.duplicates import duplicate_of, normalise
from memapp.language.english.framing import unwrap
from memapp.language.english.grammar import EN, is_adverb, join, stems
from memapp.language.english.profile_forms import in_first_person
from memapp.language.english.salience.belongings import of_attribute, of_people_and_things
from memapp.language.english.salience.person import of_person
from memapp.language.english.salience.salient import Salient
from memapp.language.english.tags import tags_for
from memapp.language.english.third_person import leave_off_decoration, to_third_person
from memapp.language.english.writing import check_episode, check_fact, check_tags, is_vague

EVENT = "event"
"""The category of what happened: kept as an episode."""
MAX_FACT_WORDS = 28
MAX_DRAFTS = 20
"""Whoever writes more about themselves in one message is pasting something."""

_NEXT = frozenset({"will", "shall", "could", "may", "might", "maybe", "Maybe"})
"""As written: in May, or with Will, much may last."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact that may be stored."""

    text: str
    tags: tuple[str, ...]
    category: str = ""
    """A name of the categories: profile, preferences, relationships, goals, event or activity."""
    kind: Kind = Kind.SEMANTIC
    topic: str = ""
    """The field of the profile that it needs a yes for, where its meaning tells so."""
    value: str = ""
    """What is asked about, in the person's words, where no fact can be made of them; `text` is empty then."""


def distil(typed_text: str) -> list[Draft]:
    """Return the lasting facts that a person states about themselves, in their order; each keeps the writing rules."""
    return distil_and_check(typed_text)[0]


def distil_and_check(typed_text: str) -> tuple[list[Draft], list[list[str]]]:
    """Return those facts, and what is wrong with each other one that was found."""
    drafts: list[Draft] = []
    refused: list[list[str]] = []
    typed_text = unwrap(typed_text)
    for words in statements(typed_text):
        found = fact_of(words) if words else None
        if found is None:
            continue
        text, category = found
        tags = tuple(tags_for(text))
        is_new = duplicate_of(text, [draft.text for draft in drafts]) is None
        kind = Kind.EPISODIC if category == EVENT else Kind.SEMANTIC
        check = check_episode if kind is Kind.EPISODIC else check_fact
        if problems := [*check_tags(tags), *check(text, typed_text)]:
            refused.append(problems)
        elif is_new:
            drafts.append(Draft(text, tags, category, kind))
        if len(drafts) == MAX_DRAFTS:
            break
    return drafts, refused


def in_third_person(text: str) -> str:
    """Return what a sentence of the person's own says, as it would be learned: `User has a boat.`; any other one as it is."""
    if not EN.of_oneself & set(re.findall("[a-z]+", text.casefold())):
        return text
    same = normalise(in_first_person(text))
    return next((draft.text for draft in distil(text) if normalise(in_first_person(draft.text)) == same), text)


def states_something(text: str) -> bool:
    """Say whether a message states something of the person that can stand by itself: no thanks, no question, no `I love it`.

    A fact has no pronouns, and where the person needs one a small model does too: nearly nothing that it wrote of such
    statements could be kept. What somebody will or might do next is nothing that lasts.
    """
    for words in stated_sentences(unwrap(text)):
        if not EN.hypothetical.isdisjoint(word.casefold() for word in words):
            continue
        for part in parts(words):
            lowered = frozenset(word.casefold() for word in part)
            is_own = not EN.of_oneself.isdisjoint(lowered) and EN.of_others.isdisjoint(lowered) and _NEXT.isdisjoint(part)
            stands_alone = not any(is_vague(part, at) for at in range(len(part)))
            if is_own and stands_alone and any(_says_something(word) for word in lowered):
                return True
    return False


def _says_something(word: str) -> bool:
    return word not in EN.small_talk and not is_adverb(word) and stems(word).isdisjoint(EN.passing_verbs) and word.isalpha()


def fact_of(words: list[str]) -> tuple[str, str] | None:
    """Return the sentence and its category, or nothing when the statement does not last or is not understood."""
    if any(_is_foreign(word) for word in words):
        return None
    if is_call(words):
        return _called(words)
    subject, kept = _judge(words)
    told = to_third_person(kept.words, starts_with_subject=not subject) if kept else None
    if kept is None or told is None:
        return None
    text = join([*subject, *told]).replace("can not ", "cannot ").rstrip(" ,;:.")
    return (text[0].upper() + text[1:] + ".", kept.category) if len(text.split()) <= MAX_FACT_WORDS else None


def _is_foreign(word: str) -> bool:
    """Code, links, placeholders, and the word that facts use for the person."""
    return re.search(r"[#\[\]{}<>=\\|@]|^User$|^user\d+$", word) is not None and word not in ("C#", "F#")


def _judge(words: list[str]) -> tuple[list[str], Salient | None]:
    """Return the subject, where it is not among the words that are kept."""
    words = leave_off_decoration(words)
    if words[:1] == ["I"]:
        return ["User"], of_person(words[1:])
    if words and words[0].casefold() == "my" and "I" in words[2:6] and words[words.index("I") - 1] == "and":
        return _together(words)
    return [], of_attribute(words) if is_own_attribute(words) else of_people_and_things(words) if words else None


def _together(words: list[str]) -> tuple[list[str], Salient | None]:
    """`My wife and I have two sons`: the verb stays as it is."""
    at = words.index("I")
    shared = words[at + 1 :]
    alone = [{"are": "am", "were": "was"}.get(shared[0], shared[0]), *shared[1:]] if shared else []
    kept = of_person(alone)
    is_plain = kept is not None and kept.words[1:] == shared[1:] and not {word.casefold() for word in words[1:at]} & EN.pronouns
    return ["User", "and", "User's", *words[1 : at - 1]], Salient(shared, kept.category) if kept and is_plain else None


_AFTER_NAME = re.compile(r"(?:,| please| from now on| instead| for short| only| always| then)+$")


def _called(words: list[str]) -> tuple[str, str] | None:
    """`Call me Ana` gives a name; `call me tomorrow` and `call me crazy` do not."""
    after = leave_off_decoration(words[[word.casefold() for word in words].index("me") + 1 :])
    name = _AFTER_NAME.sub("", join(after)).split()
    is_written_large = 1 <= len(name) <= 3 and all(
        word[:1].isupper() and word.casefold() not in EN.function_words for word in name
    )
    is_written_small = len(name) == 1 and re.fullmatch(r"[a-z]{2,12}", name[0]) is not None and not _is_no_name(name[0])
    if not (is_written_large or is_written_small):
        return None
    return f"User is called {' '.join(word[:1].upper() + word[1:] for word in name)}.", "profile"


def _is_no_name(word: str) -> bool:
    return (
        word in EN.no_names | EN.function_words | EN.pronouns | EN.demonstratives | EN.negations | EN.common_verbs
        or is_adverb(word)
    )
