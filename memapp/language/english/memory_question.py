"""Reading what a message asks of the memory: whose it is, names and places, what is asked for, and its other words.

A question is read by patterns. Its words are held as keys, by which a sentence is compared with it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from memapp.language.english import asked_sentence
from memapp.language.english.given_names import GivenName, is_common
from memapp.language.english.grammar import is_adverb, is_past, stems, third_person_verbs, tokens, word_at
from memapp.language.lexicon import lexicon

EN = lexicon("from_memory")
MOST_WORDS, MOST_CHARS = 40, 500
"""Nobody puts a question about themselves in more words."""
POSSESSED_WORDS = 4
_MODALS = frozenset(["shall", "should", "will", "would", "can", "could", "may", "might", "must"])

Subject = Literal["everything", "person", "replied"]


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """What a message asks of the memory."""

    text: str
    """As it is looked up: in full words, with the one whom a pronoun stands for."""
    core: str = ""
    """The same without the sentences before it that only say what it is about."""
    about: Subject = "person"
    field: str = ""
    """The field of the profile that it asks for, if it asks for one."""
    named: tuple[frozenset[str], ...] = ()
    """Whom and what it names: each must be in the hit, in one of these forms."""
    other: tuple[frozenset[str], ...] = ()
    """Its other words that say something."""
    kind: tuple[frozenset[str], ...] = ()
    """What kind of thing it asks for, which no answer need name: `music` in `what music do I like`."""
    wants: str = ""
    """What kind of answer: a name, a place, a time; empty for any."""
    is_yes_or_no: bool = False
    is_personal: bool = False
    """Nobody can know the answer but from the person: if memapp does not, nobody does."""
    is_narrative: bool = False
    """About something that happened, which is told in many words."""
    is_told: bool = False
    """It says itself that it was told, or replied, or done: then the likeliest message is quoted, and nothing is claimed."""
    of_anybody: bool = False
    """It says not whose it is, so it may be of the world: only a statement with all its words answers, whomever that is about."""
    kin: frozenset[str] = frozenset()
    """The people and animals that it names."""
    names: frozenset[str] = frozenset()
    """The names of those of the person's whom it names, be it by this name."""
    by_name: frozenset[str] = frozenset()
    """Of these, whom it names by a name alone and nobody knows as whose."""


def read(message: str, before: Sequence[str] = ()) -> MemoryQuestion | None:
    """Return what a message asks about its writer, or about what was said; None for anything else.

    `before` are the messages of the person before it, the last one last: there a `she` was named.
    """
    whole = asked_sentence.in_full(message) if len(message) <= MOST_CHARS else ""
    if not 0 < len(whole.split()) <= MOST_WORDS:
        return None
    *frame, asked = asked_sentence.split(whole) or [""]
    core, recalls = asked_sentence.core_of(asked)
    if not asked_sentence.frames(frame, core):
        before, frame = [*before, *frame], []
    core = asked_sentence.with_referent(core, before) if not frame else core
    if EN.regex("{everything}").fullmatch(core) or (recalls and core.casefold() == "what"):
        return MemoryQuestion(core, core, "everything", is_personal=True)
    if not (recalls or asked.endswith("?") or EN.regex(r"{question_start}\b").match(core)):
        return None
    says_told = any(EN.regex("{told}|{know_about}").search(one) for one in (*frame, core))
    told = bool(frame) or says_told
    replied = any(EN.regex("{replied}").search(one) for one in (*frame, core))
    if not (replied or says_told) and EN.regex("{advice}").search(core) and not EN.regex("{no_advice}").match(core):
        return None
    is_about = any(EN.regex("{person}").search(one) for one in (*frame, core))
    if not (is_about or replied) and _is_of_others(core):
        return None
    is_personal = replied or (
        is_about
        and (
            told
            or EN.regex("{personal}").fullmatch(core) is not None
            or _is_claim(asked, core)
            or (recalls and EN.regex("{recalled}").fullmatch(core) is not None)
        )
    )
    is_definite = EN.regex("{definite}").fullmatch(core) is not None
    of_anybody = not is_personal and (is_definite or EN.regex("{of_anybody}").match(core) is not None)
    is_personal = is_personal or is_definite
    field_name = _field_of(core)
    asks_whether = EN.regex(r"{yes_or_no}|which(?: one| two)? of (?:my|our)\b").match(core) is not None or _is_claim(asked, core)
    core = _rewritten(core)
    question = _question(core, frame, "replied" if replied else "person", is_told=told or replied)
    if asks_whether:
        question = replace(question, other=tuple(map(_either_way, question.other)))
    return replace(question, field=field_name, is_personal=is_personal, is_yes_or_no=asks_whether, of_anybody=of_anybody)


def _is_claim(asked: str, core: str) -> bool:
    """Say whether a question states what it asks for, `I live in Paris, right?`, and nothing of the one who is to answer."""
    is_of_answerer = EN.regex(r"\b(?:you(?! {recalled_by_you}\b)|your|yours|yourself)\b").search(core) is not None
    return EN.regex("{tag}$").search(asked.rstrip("? ")) is not None and not is_of_answerer


def about_what_was_said(message: str, about: Subject) -> MemoryQuestion:
    """Return a message as a question for what the person told, or was replied, in whatever form it is put."""
    *frame, core = asked_sentence.split(asked_sentence.in_full(message)) or [message]
    return replace(_question(core, frame, about, is_told=True), is_personal=True)


def _is_of_others(core: str) -> bool:
    """Say whether a question is put to the one who answers, or is about somebody who is not named in it."""
    pronoun = EN.regex(r"\b(?:you|your|yours|yourself|{pronoun_of_others})\b").search(core)
    return pronoun is not None and not (
        EN.regex(r"{pronoun_of_others}").fullmatch(pronoun[0]) and EN.regex("{of_name}").search(core[: pronoun.start()])
    )


def named_alone(question: MemoryQuestion) -> str:
    """Return whom a question is about by a name, without saying who that is; empty if it names nobody so."""
    found = EN.regex("{of_name}").search(question.text) if question.about == "person" else None
    words = (one.removesuffix("'s") for one in reversed(tokens(found[0]))) if found else ()
    return next((one for one in words if one[:1].isupper() or not is_common(one)), "")


def of_somebody(question: MemoryQuestion, name: str) -> MemoryQuestion:
    """Return a question about somebody of whom the person spoke by this name, so that nobody else can know the answer."""
    called = keys([name])
    known_as = frozenset() if called & question.names else called
    return replace(question, is_personal=True, names=question.names | called, by_name=known_as)


def with_names(question: MemoryQuestion, given: Sequence[GivenName]) -> MemoryQuestion:
    """Return a question that knows the names given: who is theirs by the name it has, and how whom it names is called."""
    named, other = list(question.named), list(question.other)
    names: frozenset[str] = frozenset()
    who = question.kin
    for one in given:
        called = keys([one.word])
        kin = kin_in(one.who)
        if any(called & forms for forms in (*named, *other)):
            is_only = question.wants != "person" and len(kin) == 1 and all(kin_in(two.who) != kin or two == one for two in given)
            who |= kin if is_only else frozenset()
            named, other = ([forms for forms in some if not called & forms] for some in (named, other))
            named.append(called | kin if is_only else called)
        elif len(kin) == 1:
            named = [forms | called if kin & forms else forms for forms in named]
        names |= called if any(called & forms for forms in named) else frozenset()
    is_personal = question.is_personal or (question.about == "person" and bool(names))
    return replace(question, named=tuple(named), other=tuple(other), kin=who, names=names, is_personal=is_personal)


def asked_openly(question: MemoryQuestion) -> str:
    """Return the question that leaves open what another takes for so: `what is my dog called?`, for `is my dog called Rex?`"""
    if not question.is_yes_or_no or question.is_told or question.about != "person":
        return ""
    for pattern, openly in EN.table("opened").items():
        if found := EN.regex(pattern).fullmatch(question.core):
            return f"{found.expand(openly)}?"
    return ""


def asked_formerly(message: str) -> str:
    """Return the question for what was so before, without its `before` or `used to`; empty for any other message."""
    core = asked = _core_asked(message)
    for pattern, instead in EN.entry("formerly_asked"):
        asked = EN.regex(pattern).sub(instead, asked)
    return f"{asked}?" if asked != core and EN.regex(r"{question_start}\b").match(core) else ""


def field_formerly(question: MemoryQuestion) -> str:
    """Return the field of the profile whose earlier value a question asks for, if it asks for one."""
    present = {"did": "do", "was": "is", "were": "are"}
    return _field_of(" ".join(present.get(word, word) for word in question.text.rstrip("?").split()))


def asked_since(message: str) -> str:
    """Return what a message asks the beginning of: `I live in Bruges`, for `since when do I live in Bruges?`"""
    found = EN.regex("{since_asked}").fullmatch(_core_asked(message))
    return found["content"] if found else ""


def asked_how(message: str) -> str:
    """Return who of the person's it is of whom a message asks how they are; empty for any other message."""
    found = EN.regex("{how_asked}").fullmatch(_core_asked(message))
    return found["content"] if found else ""


def asked_once(message: str) -> tuple[str, str]:
    """Return the question whether that was ever so of which a message asks the time, and what it says began then; or nothing."""
    found = EN.regex("{once_asked}").fullmatch(_core_asked(message))
    return (f"did {found['content']}?", found["content"]) if found else ("", "")


def _core_asked(message: str) -> str:
    return asked_sentence.core_of((asked_sentence.split(asked_sentence.in_full(message)) or [""])[-1])[0]


def kind_asked(core: str) -> str:
    """Return what kind of answer a question wants: a name, a place, a time; empty for any."""
    return next((name for name, pattern in EN.table("wants").items() if EN.regex(pattern).fullmatch(core)), "")


def kind_of_life(question: MemoryQuestion) -> str:
    """Return what of the person's own life a question asks for and names no more of: their job, also by its place, or hobbies."""
    if question.kin or question.names or question.named or question.is_narrative:
        return ""
    is_of_work = question.wants == "place" and any(question.other) and all("job" in one for one in question.other)
    return "job" if is_of_work else "" if question.other else question.wants


def may_be_theirs(question: MemoryQuestion) -> bool:
    """Say whether a question may be of the person's life though others could know the answer: `what broke at the concert?`"""
    is_known = EN.regex("{person}").search(question.text) or (
        EN.regex("{of_known}").search(question.text) and (question.wants == "name" or _is_of_past(question.text))
    )
    return question.about == "person" and not question.is_yes_or_no and bool(is_known or question.names)


def _is_of_past(text: str) -> bool:
    words = [word.casefold() for word in tokens(text)]
    return any(word in EN.unchanged_past | {"was", "were", "did", "had"} or is_past(word) for word in words)


def asks_which(question: MemoryQuestion) -> bool:
    """Say whether a question asks which one it was, so that a name answers it: `which film`, `what was its name`."""
    is_of_replies = question.about == "replied" and EN.regex(r"\bwhat (?!(?:{finite})\b)\w").search(question.text) is not None
    return is_of_replies or EN.regex(r"\b(?:which|whose|names?|called|titles?)\b").search(question.text) is not None


def looked_up_beside(question: MemoryQuestion) -> list[str]:
    """Return what else to look for, where an answer need not share a word with the question: `a nurse`, for `my job`."""
    asked = {question.wants, f"{question.wants} once" if question.is_narrative else ""}.union(*question.other)
    return [text for about, text in EN.table("looked_up").items() if about in asked]


def asks_advice(message: str) -> bool:
    """Say whether a message asks for advice or of what is to come, which no memory answers by itself."""
    asked = asked_sentence.split(asked_sentence.in_full(message))[-1:]
    return any(EN.regex("{advice}").search(asked_sentence.core_of(one)[0]) for one in asked)


def asks_of_a_way(message: str) -> bool:
    """Say whether a question is how long a way takes, which is known to the world too: `how long is the flight to Oslo?`"""
    return EN.regex("{of_a_way}").match(message) is not None


def asks_which_stands_out(message: str) -> bool:
    """Say whether a message asks which of many it is that is the most of something: `which river is the longest?`"""
    return EN.regex("{outstanding}").match(_core_asked(message)) is not None


def asks_own_words(message: str) -> bool:
    """Say whether a message asks in so many words for what its writer told: `remind me what I told you about the harp`."""
    text = asked_sentence.in_full(message)
    return EN.regex("{told}").search(text) is not None and EN.regex("{replied}").search(text) is None


def asks_of_last(message: str) -> MemoryQuestion | None:
    """Return what a message asks of that which was spoken of last, `when is it again?`, if it asks no more."""
    core = _core_asked(message)
    return MemoryQuestion(core, core, wants=kind_asked(core), is_personal=True) if EN.regex("{of_it}").fullmatch(core) else None


def is_about_memapp(message: str) -> bool:
    """Say whether a message asks who or what it is that answers."""
    return EN.regex("{about_memapp}").fullmatch(asked_sentence.core_of(asked_sentence.in_full(message))[0]) is not None


def has_pronoun(message: str) -> bool:
    """Say whether a message may ask about somebody who was named before it."""
    return EN.regex(r"\b{pronoun_of_others}\b").search(message) is not None


def refers_back(message: str) -> bool:
    """Say whether a message speaks of what was named before it: `is he ill?`, and not `my dog is ill, he ate a sausage`."""
    pronoun = EN.regex(r"\b{pronoun_of_others}\b").search(message)
    return pronoun is not None and not asked_sentence.referent(pronoun[0].casefold(), [message[: pronoun.start()]])


# Keys ----------------------------------------------------------------------------------------------------------------


def keys(words: Sequence[str]) -> frozenset[str]:
    """Return the words by which a question and a sentence are compared."""
    return frozenset(key(stem) for word in words for stem in stems(word.casefold()))


def kin_in(who: str) -> frozenset[str]:
    """Return the keys of the people and animals in words: `sister` and `dog` in `sister's dog`."""
    return singular(key(stem) for word in who.split() for stem in stems(word) & kin_words())


def singular(kin: Iterable[str]) -> frozenset[str]:
    """Leave out plurals beside their singular."""
    found = frozenset(kin)
    return frozenset(one for one in found if not (one.endswith("s") and one[:-1] in found))


def kin_words() -> frozenset[str]:
    """Return the words for people and animals whom somebody calls theirs."""
    return EN.people | EN.animals | EN.kin


def key(stem: str) -> str:
    """Return the word that stands for all that mean the same: `mother` for `mum`."""
    return EN.forms("same").get(stem, stem)


# Reading -------------------------------------------------------------------------------------------------------------


def _field_of(core: str) -> str:
    patterns = EN.table("fields")
    return next((name for name, pattern in patterns.items() if EN.regex(pattern).fullmatch(core)), "")


def _rewritten(core: str) -> str:
    for pattern, instead in EN.table("rewrites").items():
        if found := EN.regex(pattern).fullmatch(core):
            return found.expand(instead)
    return core


def _question(core: str, frame: Sequence[str], about: Subject, *, is_told: bool) -> MemoryQuestion:
    text = " ".join([*frame, core])
    words = tokens(text)
    lowered = [word.casefold() for word in words]
    wh_head = _head_of_wh(tokens(core))
    wants = kind_asked(core)
    if re.search(r"\babout\b", core) or (about == "replied" and wants == "name"):
        wants = ""
    named_at = _names(words, lowered) if is_told else _named_places(words, lowered)
    said = [
        (at, word)
        for at, word in enumerate(lowered)
        if not _says_nothing(word) and word != wants and not _is_measure(lowered, at)
    ]
    named = [forms_of(word) for at, word in said if at in named_at and word not in wh_head]
    other = [forms_of(word) for at, word in said if at not in named_at and word not in wh_head]
    heads = [forms_of(word) for _, word in said if word in wh_head]
    if not (named or wants) and all(one <= _saying_little() for one in other):
        named, heads = heads, []
    is_narrative = is_told or re.search(r"\b(?:did|was|were|had)\b", core) is not None
    if is_narrative or not (other or wants):  # `what breed is my dog`
        other += heads
    return MemoryQuestion(
        text,
        core,
        about,
        named=tuple(dict.fromkeys(named)),
        other=tuple(one for one in dict.fromkeys(other) if one not in named),
        kind=tuple(one for one in heads if one not in other),
        wants=wants,
        is_narrative=is_narrative,
        is_told=is_told,
        kin=frozenset(stem for word in lowered for stem in stems(word) & kin_words()),
    )


def _either_way(asked: frozenset[str]) -> frozenset[str]:
    """Return the words that tell whether a liking holds, also those of a dislike: `I can't stand olives`, if I like them."""
    return asked | keys(sorted(EN.tells_dislike)) if asked & keys(["like"]) else asked


def _head_of_wh(words: Sequence[str]) -> frozenset[str]:
    """Return the noun that says what is asked for: `music` in `what kind of music do I like`, which no answer need name."""
    lowered = [word.casefold() for word in words]
    start = next((at + 1 for at, word in enumerate(lowered[:2]) if word in ("what", "which")), len(lowered))
    return frozenset(takewhile(lambda word: word not in EN.finite | EN.pronouns | _MODALS, lowered[start:]))


def _saying_little() -> frozenset[str]:
    return frozenset().union(*map(forms_of, EN.little_saying))


def _is_measure(lowered: Sequence[str], at: int) -> bool:
    """Say whether a word only says what of something is asked for: `often` in `how often do I run`."""
    return at > 0 and lowered[at - 1] == "how"


def _names(words: Sequence[str], lowered: Sequence[str]) -> set[int]:
    """Return where names stand, and whoever is the person's."""
    of_person = {at + 1 for at, word in enumerate(lowered) if word in ("my", "our")}
    large = {
        at
        for at, word in enumerate(words)
        if at and word[:1].isupper() and word != "I" and words[at - 1] not in '?.!:"' and lowered[at] not in EN.months
    }
    return large | {at for at in of_person if at < len(lowered) and stems(lowered[at]) & kin_words()}


def _named_places(words: Sequence[str], lowered: Sequence[str]) -> set[int]:
    """Return where a question names something that no answer can do without: what is the person's, a name, a place."""
    found, no_place = _names(words, lowered), EN.common_verbs | EN.small_attributes | EN.seasons
    for at, word in enumerate(lowered):
        if word in ("my", "our"):  # `my sister's dog`, `my best friend live`: up to the verb
            found |= set(_until(lowered, at + 1, lambda word, is_first: not is_first and _is_sure_verb(word)))
        elif word in EN.naming_prepositions and word_at(lowered, at + 1) not in ("how", "what", "which"):
            # `to green park`, `for the big speech`: the nouns right behind it
            start = at + 1 + (lowered[at + 1 : at + 2] != [] and lowered[at + 1] in EN.articles | EN.possessives)
            found |= set(_until(lowered, start, lambda word, _: word in no_place or word[0].isdigit() or _is_time(word)))
    return {at for at in found if lowered[at] not in EN.small_attributes or words[at][:1].isupper()}


def possessed(text: str) -> str:
    """Return whom or what of theirs a text names first, without its `my`: `brother Anton`, of `my brother Anton called`."""
    words = tokens(text)
    lowered = [word.casefold() for word in words]
    places = (
        list(_until(lowered, at + 1, lambda word, is_first: not is_first and (_is_sure_verb(word) or is_adverb(word))))
        for at, word in enumerate(lowered)
        if word in ("my", "our")
    )
    return next((" ".join(words[at] for at in some) for some in places if some), "")


def _until(lowered: Sequence[str], start: int, ends: Callable[[str, bool], bool]) -> Iterator[int]:
    """Yield the places of a few words up to one that ends what they name."""
    for at in range(start, min(len(lowered), start + POSSESSED_WORDS)):
        if _ends_phrase(lowered[at]) or ends(lowered[at], at == start):
            return
        yield at


def _is_sure_verb(word: str) -> bool:
    return word in EN.common_verbs - EN.noun_or_verb or word in third_person_verbs() or is_past(word)


def _ends_phrase(word: str) -> bool:
    return word in EN.function_words | EN.finite | EN.pronouns or not re.match(r"\w", word)


def _says_nothing(word: str) -> bool:
    bare = word.removesuffix("'s")
    return bare in EN.stop_words | EN.asking | EN.small_attributes | EN.finite or _is_time(bare) or not re.match(r"\w", word)


def _is_time(word: str) -> bool:
    return word in EN.months or EN.regex(r"\d{1,3}(?:st|nd|rd|th)?|{days}").fullmatch(word) is not None


def forms_of(word: str) -> frozenset[str]:
    """Return the forms by one of which a sentence holds a word: itself, another word for it, a narrower one."""
    found = {key(stem) for stem in stems(word)}
    wider = EN.table("wider")
    return frozenset(found | {key(one) for stem in stems(word) | found for one in wider.get(stem, "").split()})
