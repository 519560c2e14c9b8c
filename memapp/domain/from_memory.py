"""Questions that memapp answers from its memory in its own words, and which hits answer them for sure.

A question is read by patterns. A hit answers it if it holds all that the question names: whose it is, names and places, what
is asked for (a name, a place, a time), and most of the other words. What is left in doubt is for the model.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memapp.domain import asked_sentence
from memapp.domain.authorship import own_words
from memapp.domain.clauses import verb_at
from memapp.domain.english import expand, is_adverb, is_past, sentences, stems, third_person_verbs, tokens
from memapp.domain.given_names import GivenName, given_names
from memapp.domain.profile_hints import is_secret, touches_sensitive
from memapp.lexicon import lexicon

EN = lexicon("from_memory")
MOST_WORDS = 40
"""Nobody puts a question about themselves in more words."""
POSSESSED_WORDS = 4
ENOUGH = 0.5
"""The share of the other words of a question that a hit must hold."""

Subject = Literal["everything", "person", "replied"]


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """What a message asks of the memory."""

    text: str
    """As it is looked up: in full words, with the one whom a pronoun stands for."""
    about: Subject = "person"
    field: str = ""
    """The field of the profile that it asks for, if it asks for one."""
    named: tuple[frozenset[str], ...] = ()
    """Whom and what it names: each must be in the hit, in one of these forms."""
    other: tuple[frozenset[str], ...] = ()
    """Its other words that say something."""
    wants: str = ""
    """What kind of answer: a name, a place, a time; empty for any."""
    is_yes_or_no: bool = False
    is_personal: bool = False
    """Nobody can know the answer but from the person: if memapp does not, nobody does."""
    is_narrative: bool = False
    """About something that happened, which is told in many words."""
    is_told: bool = False
    """It says itself that it was told, or replied, or done: then the likeliest message is quoted, and nothing is claimed."""
    kin: frozenset[str] = frozenset()
    """The people and animals that it names."""
    names: frozenset[str] = frozenset()
    """The names of those of the person's whom it names, be it by this name."""


def read(message: str, before: Sequence[str] = ()) -> MemoryQuestion | None:
    """Return what a message asks about its writer, or about what was said; None for anything else.

    `before` are the messages of the person before it, the last one last: there a `she` was named.
    """
    whole = asked_sentence.in_full(message)
    if len(whole.split()) > MOST_WORDS:
        return None
    *frame, asked = asked_sentence.split(whole) or [""]
    core, recalls = asked_sentence.core_of(asked)
    if not asked_sentence.frames(frame, core):
        before, frame = [*before, *frame], []
    core = asked_sentence.with_referent(core, before) if not frame else core
    if EN.regex("{everything}").fullmatch(core) or (recalls and core.casefold() == "what"):
        return MemoryQuestion(core, "everything", is_personal=True)
    if not (recalls or asked.endswith("?") or EN.regex(r"{question_start}\b").match(core)):
        return None
    told = bool(frame) or EN.regex("{told}|{know_about}").search(core) is not None
    replied = any(EN.regex("{replied}").search(one) for one in (*frame, core))
    if not (replied or told) and EN.regex("{advice}").search(core):
        return None
    is_about = any(EN.regex("{person}").search(one) for one in (*frame, core))
    if not (is_about or replied) and EN.regex(r"\b(?:you|your|yours|yourself|{pronoun_of_others})\b").search(core):
        return None
    is_personal = replied or (
        is_about
        and (
            told
            or EN.regex("{personal}").fullmatch(core) is not None
            or EN.regex("{tag}$").search(asked.rstrip("? ")) is not None
            or (recalls and EN.regex("{recalled}").fullmatch(core) is not None)
        )
    )
    field_name = _field_of(core)
    asks_whether = EN.regex(r"{yes_or_no}").match(core) is not None or EN.regex("{tag}$").search(asked.rstrip("? ")) is not None
    core = _rewritten(core)
    question = _question(core, frame, "replied" if replied else "person", is_told=told or replied)
    return replace(question, field=field_name, is_personal=is_personal, is_yes_or_no=asks_whether)


def certain(question: MemoryQuestion, sentence: str, *, is_fact: bool) -> float:
    """Return how surely a sentence answers a question: 0 for not, else the more of its words it holds, up to 1."""
    held = _held(sentence)
    if not question.named and not question.other and not question.wants:
        return 0.0
    if any(not (one & held) for one in question.named):
        return 0.0
    if is_fact and sentence.startswith("User ") and EN.regex("{of_world}").match(question.text):
        return 0.0
    is_of_somebody = not question.is_told and (is_fact or bool(question.wants) or not question.is_narrative)
    if is_of_somebody and not _is_about_same(question, sentence, is_fact=is_fact):
        return 0.0
    is_wanted = question.wants and not question.is_told and not (question.wants == "reason" and question.is_narrative)
    if is_wanted and not has_wanted(question, sentence):
        return 0.0
    if not question.other:
        return 1.0
    share = sum(bool(one & held) for one in question.other) / len(question.other)
    if question.is_told:
        return 1.0 if share or question.named else 0.0
    is_exact = question.is_yes_or_no or not question.is_personal or (question.wants and not question.is_narrative)
    least = 1.0 if is_exact else ENOUGH
    return share if share >= least else 0.0


def names(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence speaks of all that a question names."""
    held = _held(sentence)
    return all(one & held for one in question.named)


def is_held_half(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence holds as many words of a question, besides names, as an answer must."""
    held = _held(sentence)
    return sum(bool(one & held) for one in question.other) >= ENOUGH * len(question.other)


def quotable(text: str, *, told: bool, here: bool = False) -> list[str]:
    """Return what of a message may be quoted as the person's word, a sentence about her, him or it with the one before it.

    Left out are questions, code, and what is secret, sensitive or said in confidence: that is known by a yes of theirs or not at
    all, but stands above for everybody to read in the chat that it was said in, `here`. Suppositions, and what they quote or show
    for a task, say nothing of them; `told`: they may stay where it is only asked what was said.
    """
    if in_confidence(text):
        return []
    kept: list[str] = []
    task = EN.regex(r"(?:please |pls |can you |could you |now )*{material}\b|.*:$")
    for sentence in sentences(re.sub(r"(?m)^>.*$", "", text) if told else own_words(text)):
        if not told and task.match(sentence):
            break  # what follows is material for it
        supposes = not told and EN.hypothetical & {word.casefold() for word in tokens(expand(sentence))}
        if supposes or sentence.rstrip(" )\"'").endswith("?") or re.search(r"[#{}<>=\\|]|```", sentence):
            continue
        if is_secret(sentence) or (touches_sensitive(sentence) and not here):
            continue
        if kept and EN.regex(r"(?:{coordinators} )?{pronoun_of_others}\b").match(sentence):
            kept[-1] += f" {sentence}"
        else:
            kept.append(sentence)
    return kept


def with_names(question: MemoryQuestion, given: Sequence[GivenName]) -> MemoryQuestion:
    """Return a question that knows the names given: who is theirs by the name it has, and how whom it names is called."""
    named, other = list(question.named), list(question.other)
    names: frozenset[str] = frozenset()
    for one in given:
        keys = _keys(one.name.split()[:1])
        kin = _kin_in(one.who)
        if any(keys & forms for forms in other):
            other = [forms for forms in other if not keys & forms]
            named.append(keys)
        elif len(kin) == 1:
            named = [forms | keys if kin & forms else forms for forms in named]
        names |= keys if any(keys & forms for forms in named) else frozenset()
    is_personal = question.is_personal or (question.about == "person" and bool(names))
    return replace(question, named=tuple(named), other=tuple(other), names=names, is_personal=is_personal)


def asked_name(question: MemoryQuestion, text: str) -> str:
    """Return the sentence that tells the name which is asked for, if a text gives it: `Your sister is called Mira.`"""
    if question.wants == "person" and question.names:
        return next((one.introduced for one in given_names(text) if _keys(one.name.split()[:1]) & question.names), "")
    if question.wants != "name" or question.is_told:
        return ""
    asked = _singular({_same(one) for one in question.kin})
    wider = {_same(one) for word in question.kin for one in EN.table("wider").get(word, "").split()}
    fitting = [one for one in given_names(text) if (kin := _kin_in(one.who)) == asked or (kin and kin <= wider)]
    others = [one.name for one in fitting[1:] if one.who == fitting[0].who]
    return fitting[0].told_with(others) if others else fitting[0].told if fitting else ""


def with_kin(text: str, given: Sequence[GivenName]) -> str:
    """Return a text in which those who have a name are called what they are: `my sister turns 30`, for `Mira turns 30`."""
    for one in given:
        text = re.sub(rf"(?i)(?<!\b{re.escape(one.who)} )\b{re.escape(one.name)}\b", f"my {one.who}", text)
    return text


def asks_advice(message: str) -> bool:
    """Say whether a message asks for advice or of what is to come, which no memory answers by itself."""
    return EN.regex("{advice}").search(asked_sentence.in_full(message)) is not None


def with_subject(statement: str, before: Sequence[str]) -> str:
    """Return a statement with whom its first pronoun stands for: `he is 4` is `my son is 4` after `our son is here`."""
    found = EN.regex(r"(?:{coordinators} )?({pronoun_of_others})\b").match(statement)
    who = asked_sentence.referent(found[1].casefold(), before) if found else ""
    return f"{who}{statement[found.end() :]}" if found and who else statement


def is_about_memapp(message: str) -> bool:
    """Say whether a message asks who or what it is that answers."""
    return EN.regex("{about_memapp}").fullmatch(asked_sentence.core_of(asked_sentence.in_full(message))[0]) is not None


def has_pronoun(message: str) -> bool:
    """Say whether a message may ask about somebody who was named before it."""
    return EN.regex(r"\b{pronoun_of_others}\b").search(message) is not None


def is_correction(message: str) -> bool:
    """Say whether a message takes back, or dates, what was said just before it: `no, it's Ghent, not Bruges`."""
    return EN.regex("{corrects}").match(expand(message).strip()) is not None


def in_confidence(text: str) -> bool:
    """Say whether a text was told in confidence, or to be forgotten."""
    return EN.regex("{in_confidence}").search(expand(text)) is not None


def asks_which(question: MemoryQuestion) -> bool:
    """Say whether a question asks which one it was, so that a name answers it: `which film`, `what was its name`."""
    is_of_replies = question.about == "replied" and EN.regex(r"\bwhat (?!(?:{finite})\b)\w").search(question.text) is not None
    return is_of_replies or EN.regex(r"\b(?:which|whose|names?|called|titles?)\b").search(question.text) is not None


def tells(question: MemoryQuestion, text: str) -> bool:
    """Say whether a text has what a question looks for first: the reason, or else a name or a title."""
    if question.wants == "reason":
        return has_wanted(question, text)
    said = text.partition(": ")[2] or text
    return re.search(r"[\w,] [\"“]|(?<![.!?\"“]) (?!I\b|I')[A-Z]\w", said) is not None


def looked_up_beside(question: MemoryQuestion) -> list[str]:
    """Return what else to look for, where an answer need not share a word with the question: `a nurse`, for `my job`."""
    found = EN.table("looked_up")
    return [found[question.wants]] if question.wants in found else []


def is_of_theirs(question: MemoryQuestion, fact: str) -> bool:
    """Say whether a question names somebody who is the person's by this fact: `Mira`, for `User's sister Mira loves pottery`."""
    words = [word.casefold() for word in tokens(expand(fact))]
    subject = _subject(words) if words[:1] in (["user's"], ["my"]) else []
    named = [word for word in subject if not stems(word) & _kin()]
    return len(named) < len(subject) and any(_keys(named) & one for one in (*question.named, *question.other))


# Reading the question ------------------------------------------------------------------------------------------------


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
    wants = next((name for name, pattern in EN.table("wants").items() if EN.regex(pattern).fullmatch(core)), "")
    if re.search(r"\babout\b", core) or (about == "replied" and wants == "name"):
        wants = ""
    named_at = _names(words, lowered) if is_told else _named_places(words, lowered)
    said = [
        (at, word)
        for at, word in enumerate(lowered)
        if not _says_nothing(word) and word != wants and not _is_measure(lowered, at)
    ]
    named = [_forms(word) for at, word in said if at in named_at and word not in wh_head]
    other = [_forms(word) for at, word in said if at not in named_at and word not in wh_head]
    is_narrative = is_told or re.search(r"\b(?:did|was|were|had)\b", core) is not None
    if is_narrative or not (other or wants):  # `what breed is my dog`
        other += [_forms(word) for _, word in said if word in wh_head]
    return MemoryQuestion(
        text,
        about,
        named=tuple(dict.fromkeys(named)),
        other=tuple(one for one in dict.fromkeys(other) if one not in named),
        wants=wants,
        is_narrative=is_narrative,
        is_told=is_told,
        kin=frozenset(stem for word in lowered for stem in stems(word) & _kin()),
    )


def _head_of_wh(words: Sequence[str]) -> frozenset[str]:
    """Return the noun that says what is asked for: `music` in `what kind of music do I like`, which no answer need name."""
    lowered = [word.casefold() for word in words]
    starts = [at for at, word in enumerate(lowered[:2]) if word in ("what", "which")]
    if not starts:
        return frozenset()
    head = []
    for word in lowered[starts[0] + 1 :]:
        if word in EN.finite or word in EN.pronouns:
            break
        head.append(word)
    return frozenset(head)


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
    return large | {at for at in of_person if at < len(lowered) and stems(lowered[at]) & _kin()}


def _named_places(words: Sequence[str], lowered: Sequence[str]) -> set[int]:
    """Return where a question names something that no answer can do without: what is the person's, a name, a place."""
    found = _names(words, lowered)
    for at, word in enumerate(lowered):
        if word in ("my", "our"):
            found |= _possessed(lowered, at + 1)
        elif word in EN.naming_prepositions:
            found |= _phrase(lowered, at + 1)
    return found


def _possessed(lowered: Sequence[str], start: int) -> set[int]:
    """`my sister's dog`, `my best friend live`: up to the verb."""
    found: set[int] = set()
    for at in range(start, min(len(lowered), start + POSSESSED_WORDS)):
        word = lowered[at]
        is_verb = at > start and (word in EN.common_verbs - EN.noun_or_verb or word in third_person_verbs() or is_past(word))
        if is_verb or _ends_phrase(word):
            break
        if word not in EN.small_attributes:
            found.add(at)
    return found


def _phrase(lowered: Sequence[str], start: int) -> set[int]:
    """`to green park`, `for the big speech`: the nouns right behind a preposition."""
    found: set[int] = set()
    for at in range(start, min(len(lowered), start + POSSESSED_WORDS)):
        word = lowered[at]
        if word in EN.articles | EN.possessives and at == start:
            continue
        if _ends_phrase(word) or word in EN.common_verbs or word in EN.small_attributes or re.match(r"\d", word):
            break
        if word in EN.months | EN.seasons or EN.regex("{days}").fullmatch(word):
            break
        found.add(at)
    return found


def _ends_phrase(word: str) -> bool:
    return word in EN.function_words | EN.finite | EN.pronouns or not re.match(r"\w", word)


def _says_nothing(word: str) -> bool:
    bare = word.removesuffix("'s")
    is_time = bare in EN.months or EN.regex(r"\d+(?:st|nd|rd|th)?|{days}").fullmatch(bare) is not None
    return bare in EN.stop_words | EN.asking | EN.small_attributes | EN.finite or is_time or not re.match(r"\w", word)


# Comparing with a sentence -------------------------------------------------------------------------------------------


def _forms(word: str) -> frozenset[str]:
    """Return the forms by one of which a sentence holds a word: itself, another word for it, a narrower one."""
    found = {_same(stem) for stem in stems(word)}
    wider = EN.table("wider")
    return frozenset(found | {_same(one) for stem in stems(word) for one in wider.get(stem, "").split()})


def _keys(words: Sequence[str]) -> frozenset[str]:
    return frozenset(_same(stem) for word in words for stem in stems(word.casefold()))


def _held(sentence: str) -> frozenset[str]:
    """Return the words of a sentence, some phrases as the word that asks for them."""
    text = expand(sentence)
    for pattern, instead in EN.entry("said_as"):
        text = EN.regex(pattern).sub(instead, text)
    return _keys(tokens(text))


def _kin_in(who: str) -> frozenset[str]:
    return _singular(_same(stem) for word in who.split() for stem in stems(word) & _kin())


def _singular(kin: Iterable[str]) -> frozenset[str]:
    """Leave out plurals beside their singular."""
    found = frozenset(kin)
    return frozenset(one for one in found if not (one.endswith("s") and one[:-1] in found))


def _same(stem: str) -> str:
    return EN.forms("same").get(stem, stem)


def _kin() -> frozenset[str]:
    return EN.people | EN.animals | EN.kin


def _is_about_same(question: MemoryQuestion, sentence: str, *, is_fact: bool) -> bool:
    """Say whether a sentence is about whom the question is about: the person, or somebody of theirs whom it names."""
    words = [word.casefold() for word in tokens(expand(sentence))]
    if _keys(words[:1]) & question.names:
        return True
    while words and (words[0] in EN.interjections or words[0] == ","):
        words = words[1:]
    whose = "user's" if is_fact else "my"
    if whose in words[:1]:
        if is_of_theirs(question, sentence):
            return True
        kin = {_same(stem) for word in _subject(words) for stem in stems(word) & _kin()}
        asked = {_same(one) for one in question.kin}
        wider = {_same(one) for word in question.kin for one in EN.table("wider").get(word, "").split()}
        return kin <= asked | wider
    return is_fact or bool({"i", "my", "we", "our", "me"} & set(words))


def _subject(words: Sequence[str]) -> Sequence[str]:
    """Return who or what of the person's a sentence is about: the words before its verb."""
    return words[1 : verb_at(words, 1) or len(words)]


def has_wanted(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence has the kind of thing that is asked for."""
    if question.wants == "name":
        return asked_name(question, sentence) != "" or _has_name(question, sentence)
    if question.wants == "person":
        return _has_name(question, sentence) or bool(_kin() & {stem for word in tokens(sentence) for stem in stems(word)})
    return EN.regex(EN.table("holds")[question.wants]).search(sentence) is not None


def _has_name(question: MemoryQuestion, sentence: str) -> bool:
    if EN.regex(r"\b(?:called|named|names? (?:is|are|was))\b").search(sentence):
        return True
    written = tokens(sentence)
    large = [at for at, word in enumerate(written) if at and word[:1].isupper() and word not in ("I", "User", "User's", "I'm")]
    if not question.kin:
        return bool(large) or '"' in sentence or "“" in sentence
    asked = {_same(one) for one in question.kin}
    return (
        any(_same(stem) in asked for at in large for stem in stems(written[at - 1 - (written[at - 1] == "is")].casefold()))
        or any(written[at + 1 : at + 2] in ([","], ["is"]) and _stands_for_kin(written, at, asked) for at in range(len(written)))
        or any(_is_small_name(written, at) and stems(written[at - 1]) & asked for at in range(1, len(written)))
    )


def _is_small_name(written: Sequence[str], at: int) -> bool:
    """Say whether a word between a noun and its verb may be a name in small letters: `my sister mira turns 30`."""
    word, following = written[at].casefold(), [one.casefold() for one in written[at + 1 : at + 4] if not is_adverb(one)]
    is_known = _ends_phrase(word) or _is_verb(word) or is_adverb(word) or word in EN.negations | EN.kin
    return not is_known and word.isalpha() and following != [] and (_is_verb(following[0]) or following[0] in EN.finite)


def _is_verb(word: str) -> bool:
    return word in EN.common_verbs or word in third_person_verbs() or is_past(word)


def _stands_for_kin(written: Sequence[str], at: int, asked: set[str]) -> bool:
    """`Mira, my sister,` and `Mira is my sister`."""
    behind = [word.casefold() for word in written[at + 2 : at + 4]]
    is_whose = behind[:1] in (["my"], ["user's"])
    is_name = written[at][:1].isupper() and not (is_adverb(written[at].casefold()) or written[at].casefold() in EN.interjections)
    return is_name and is_whose and any(_same(stem) in asked for word in behind[1:] for stem in stems(word))
