"""The sentence of a message that asks: in full words, without what leads to it, and with whom its pronouns stand for."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from memapp.language.english.given_names import is_common
from memapp.language.english.grammar import expand, is_past, stems, tokens
from memapp.language.english.synonyms import is_known
from memapp.language.lexicon import lexicon

EN = lexicon("from_memory")
LEAST_LETTERS, LONG = 6, 10
"""A shorter word is not taken for a misspelled one; in a long one two letters may be wrong."""
_SOMEBODY = r"\b(?:(?:my|our) (?:(?!my\b)\w+ ){0,1}?|(?=(?-i:[A-Z]))(?={bare_kin}\b))({referents})\b"
"""One of the person's: `my big brother`, or `Mum`."""


def in_full(message: str) -> str:
    """Return a message on one line, with what is typed short written out, and what is doubted asked plainly."""
    text = EN.regex(r"\b({titles})\.(?= )").sub(r"\1", _whose_spelled(" ".join(message.split())))
    for pattern, whole in EN.entry("short"):
        text = EN.regex(pattern).sub(whole, text)
    text = _asked_plainly(expand(text))
    return EN.regex(r"(?:^|(?<=[.!?] ))({at_time}[^,.?!]*), ((?:{question_start})\b[^.?!]*)").sub(r"\2 \1", text)


def _whose_spelled(text: str) -> str:
    """Return a text with the people and animals spelled right that stand behind a `my`."""
    return re.sub(r"(?i)\b((?:my|our) )([a-z]+)", lambda found: found[1] + _kin_meant(found[2]), text)


@lru_cache(maxsize=2048)
def _kin_meant(word: str) -> str:
    """Return the word for people or animals that this is a misspelling of, else the word itself."""
    kin = EN.people | EN.animals | EN.kin
    small = word.casefold()
    if len(word) < LEAST_LETTERS or small in kin or is_common(small) or stems(small) & kin:
        return word
    near = [one for one in kin if one[0] == small[0] and OSA.distance(small, one) <= 1 + (len(one) >= LONG)]
    return near[0] if len(near) == 1 and not is_known(small) else word


def checks(message: str) -> bool:
    """Say whether a message doubts that something is so, or asks for a yes to it: `didn't I say so?`"""
    text = expand(" ".join(message.split()))
    return _asked_plainly(text) != text


def _asked_plainly(text: str) -> str:
    for pattern, question in EN.entry("checking"):
        text = EN.regex(pattern).sub(question, text)
    return text


def names_nobody(message: str) -> bool:
    """Say whether a message only asks about her or him: in a chat that begins with it, nobody can know about whom."""
    core, _ = core_of(in_full(message))
    is_named = EN.regex(r"{person}|\b{referents}\b|(?-i:(?!^)\b[A-Z])").search(core) is not None
    return EN.regex("{of_nobody}").fullmatch(core) is not None and not is_named


def asks_what_was_talked_about(message: str) -> bool:
    """Say whether a message asks for the topics of earlier chats: `what did we talk about yesterday?`"""
    core, _ = core_of((split(in_full(message)) or [""])[-1])
    return EN.regex("{talked}").fullmatch(core) is not None


def asks_what_was_told(message: str) -> bool:
    """Say whether a message asks for what its writer told, and not for what they asked."""
    return re.search(r"\b(?:did|have|was) I\b", in_full(message)) is not None


def split(text: str) -> list[str]:
    """Split a message into its sentences, and what is asked at the end from what leads to it; not what is said behind it.

    Behind a comma `which I may have been` asks nothing, unless the sentence ends with a question mark.
    """
    parts = EN.regex(r'(?<=[.!?])\s+|(?<=[\w"”]),\s+(?=what\b|(?:who|where|when|which)\b[^.!?]*\?)').split(text)
    found = [one.strip() for one in parts if re.search(r"\w", one)]
    while len(found) > 1 and found[-2].endswith("?") and EN.regex("{said_behind}").fullmatch(found[-1]):
        found.pop()
    return found


def frames(frame: Sequence[str], core: str) -> bool:
    """Say whether the sentences before a question tell what it is about: `I read a novel. What was its name?`"""
    told = [one for one in frame if EN.regex("{told}|{replied}").search(one)]
    past = [one for one in frame if EN.regex("{person}").search(one) and _is_past(one)]
    refers = EN.regex(r"\b(?:I|me|my|it|its|that|they|their|then|there)\b").search(core) is not None
    return refers and bool(told or (past and _is_past(core)))


def _is_past(sentence: str) -> bool:
    past = EN.unchanged_past | {"was", "were", "had", "did"}
    return any(is_past(word) or word in past for word in tokens(sentence.casefold()))


def core_of(asked: str) -> tuple[str, bool]:
    """Return a question without what leads to it and what follows it, and whether it asks what is remembered."""
    core = asked.strip().rstrip("?!. ")
    core = EN.regex("{lead}+").sub("", core, count=1) if EN.regex("{lead}+").match(core) else core
    recalls = False
    for _ in range(2):
        core = EN.regex("{trailing}").sub("", EN.regex("{tag}$").sub("", core))
    if re.search(r"\b(?:do|did|can) you (?:still )?(?:remember|know|recall)\b|\bremember\W*$", asked, re.IGNORECASE):
        recalls = True
    if EN.regex("{everything}").fullmatch(core) is None and (found := EN.regex(r"{recalling}\b[\s,:]*").match(core)):
        core, recalls = core[found.end() :] or core, True
    return core.strip(" ,"), recalls


def with_referent(core: str, before: Sequence[str]) -> str:
    """Put whom the person named before in the place of a pronoun: `her name` is `my sister's name` after `My sister called`."""
    found = EN.regex(r"\b{pronoun_of_others}\b").search(core)
    if found is None or EN.regex("{person}").search(core):
        return core
    who = referent(found[0].casefold(), before)
    return f"{core[: found.start()]}{who}{core[found.end() :]}" if who else core


def referent(pronoun: str, before: Sequence[str]) -> str:
    """Return whom of the person's a pronoun stands for, in its form: `my sister's` for `her`; empty if nobody was named."""
    for text in reversed(before):
        for somebody in reversed(EN.regex(_SOMEBODY).findall(expand(text))):
            who = somebody.casefold()
            if fits(pronoun, who):
                return f"my {who}{_after(pronoun, who)}"
    return ""


def fits(pronoun: str, who: str) -> bool:
    """Say whether a pronoun may stand for one of the person's of this kind."""
    singular = EN.forms("plurals").get(who, who)
    if pronoun in ("it", "its"):
        return singular in EN.belongings | EN.animals
    if pronoun in ("they", "them", "their"):
        return True
    is_female = pronoun in ("she", "her", "hers")
    return singular not in EN.belongings and singular not in (EN.male if is_female else EN.female)


def _after(pronoun: str, who: str) -> str:
    is_whose = pronoun in ("his", "her", "hers", "its", "their")
    return "" if not is_whose else "'" if who.endswith("s") else "'s"
