"""Asides: sentences of a reply that speak of its prompt, say what is known of the person as if it were the model's own, tell of
somebody of theirs what nobody told, or stray.

A small model writes them in place of a reply. Where the person speaks of a prompt themself, nothing speaks of it.
"""

import re
from collections.abc import Collection, Sequence

from memapp.domain.repetition import nearly_said
from memapp.language.english import profile, statements
from memapp.language.english.duplicates import duplicate_of
from memapp.language.english.framing import plays_a_part
from memapp.language.english.given_names import is_common
from memapp.language.english.grammar import EN, expand, is_adverb, stems, tokens
from memapp.language.english.profile_forms import in_first_person
from memapp.language.lexicon import lexicon

_EN, _THEIRS = lexicon("talk"), lexicon("from_memory")
ECHO_WORDS = 4
"""A sentence of the message that a reply repeats is an echo from so many words on."""
_SPOKEN_TO = re.compile(
    r"^(?:(?i:oh|ah|hi|hello|hey|dear|thanks|good \w+|goodnight),? )?([A-Z][a-z]+), (?i:you|your|I|thank|welcome|please)\b"
    r"|\b(?i:night|goodnight|morning|hi|hello|thanks|welcome), ([A-Z][a-z]+)[.!?]*$"
    r"|\b(?i:you|your|you're)\b[^,]* [a-z][\w']*, ([A-Z][a-z]+)[.!?]*$"
)
_SENTENCE = re.compile(r"""\S(?:[^.!?…\n]|[.!?…](?![\s"'”’)*\]]|$))*[.!?…]*["'”’)*\]]*""")


def aside_start(reply: str, message: str) -> int | None:
    """Return where the first aside of a reply begins; None for none."""
    if _EN.regex("{names_aside}").search(message):
        return None
    return next((found.start() for found in _SENTENCE.finditer(reply) if _EN.regex("{aside}").search(found[0])), None)


def stray_start(reply: str, message: str, names: Collection[str]) -> int | None:
    """Return where a reply first says what fits nothing in the message, or only repeats it; None for nowhere.

    Nor does it speak to anybody else: `names` are what the person is called, where that is known.
    """
    for found in _SENTENCE.finditer(reply):
        if _is_echo(found[0], message) or _is_stock(found[0], message) or _speaks_to_another(found[0], names, message):
            return found.start()
    return None


def is_hard(message: str) -> bool:
    """Say whether what a message tells is hard for the one who tells it, and nothing in it is good."""
    return _EN.regex("{hardship}").match(message) is not None


def _plain(sentence: str) -> str:
    return " ".join(re.findall(r"[\w']+", sentence.casefold()))


def _is_echo(sentence: str, message: str) -> bool:
    """Say whether a sentence, or what of it stands before a comma, only says what the message says, as it is or told back.

    One that asks shows that one listens.
    """
    said = [part for one in _SENTENCE.findall(message) for part in (_plain(one), *map(_plain, one.split(",")))]
    told = [*said, *map(_told_back, said)]
    parts = [_plain(sentence)] if sentence.endswith("?") else [_plain(sentence), _plain(sentence.split(",")[0])]
    long = [part for part in parts if len(part.split()) >= ECHO_WORDS]
    return any(part in told if sentence.endswith("?") else nearly_said(part, told) for part in long)


def _told_back(plain: str) -> str:
    told = _EN.forms("told_back")
    return " ".join(told.get(word, word) for word in plain.split())


def _is_stock(sentence: str, message: str) -> bool:
    return any(
        _EN.regex(stock).search(sentence) and not (cause and _EN.regex(cause).search(message))
        for stock, cause in _EN.entry("stock")
    )


def _speaks_to_another(sentence: str, names: Collection[str], message: str) -> bool:
    """Say whether a sentence begins or ends with the name of somebody else, as one speaks to them: `Goodnight, Earl.`"""
    found = _SPOKEN_TO.search(sentence)
    name = next(filter(None, found.groups()), "") if found else ""
    last = re.search(r", (\w+)[.!?]*$", sentence)
    if not name and last and re.search(rf"\b{last[1]}\b", message, re.IGNORECASE):
        name = last[1]  # of whom the message speaks
    return bool(name) and name.casefold() not in {one.casefold() for one in names} and not is_common(name)


def claim_start(reply: str, facts: Sequence[str], profile_line: str) -> int | None:
    """Return where a reply first says of its writer what facts or the profile say of the person; None for nowhere."""
    for found in _SENTENCE.finditer(reply):
        stated = (one.fact for one in statements.read(found[0]) if one.fact)
        values = (re.escape(one.value) for one in profile.stated(found[0]))
        if any(duplicate_of(one, facts) for one in stated) or any(re.search(rf"\b{one}\b", profile_line) for one in values):
            return found.start()
    return None


def life_start(reply: str, message: str) -> int | None:
    """Return where a program first tells of a life that it does not have, a job, a taste, a family, be it the person's; or None.

    Not so where the person speaks of what it is, or gives it a part.
    """
    if _EN.regex("{names_aside}").search(message) or plays_a_part([message]):
        return None
    for found in _SENTENCE.finditer(reply):
        is_told = any(_EN.regex("{life}").match(one.fact) for one in statements.read(found[0]))
        theirs = [] if '"' in found[0] else re.findall(r"\b(?:my|our) (\w+)(?: (\w+))?", found[0].casefold())
        if is_told or any(not EN.close.isdisjoint(words) for words in theirs):
            return found.start()
    return None


def unsaid_start(reply: str, said: Sequence[str], facts: Sequence[str]) -> int | None:
    """Return where a reply first tells of somebody of the person's what no message of theirs nor a fact has; None for nowhere.

    Praise may be said of anybody, and a guess that says to be one.
    """
    told = (*map(in_first_person, facts), *said)
    known = [frozenset(stem for word in tokens(expand(text)) for stem in stems(word)) for text in told]
    for found in _SENTENCE.finditer(reply):
        if found[0].rstrip("\"'”’)*]").endswith("?") or _THEIRS.regex("{guess}").search(found[0]):
            continue
        mine = _THEIRS.regex(r"{good_to_hear}").sub("", _EN.regex(r"\byour\b").sub("my", expand(found[0])))
        others = _others_named(reply[: found.start()], told)
        for one in statements.read(mine, (*told, *others)):
            is_of_theirs = _THEIRS.regex("{of_theirs}").match(one.fact) is not None
            if is_of_theirs and all(any(_tells(word, some) for word in tokens(one.fact)) for some in known):
                return found.start()
    return None


def _others_named(text: str, told: Sequence[str]) -> list[str]:
    """Return a text if it names somebody of whom nothing was told: a pronoun behind it may stand for them."""
    said = _SENTENCE.sub(lambda one: one[0][0].lower() + one[0][1:], text)  # `Nice.` is no name
    known = {word.casefold() for one in told for word in tokens(expand(one))}
    names = [one for one in re.findall(r"\b[A-Z][a-z]+", said) if not is_common(one) and one.casefold() not in known]
    return [said] if names else []


def _tells(word: str, known: Collection[str]) -> bool:
    """Say whether a word of a statement tells something, and nothing that is known."""
    small = word.casefold()
    says_nothing = small in _THEIRS.function_words | _THEIRS.compliments | _EN.pleasantries or is_adverb(small)
    return word[0].isalnum() and not says_nothing and stems(word).isdisjoint(known)
