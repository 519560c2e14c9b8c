"""The field of the profile that a remembered sentence may be about, where no statement with an exact value is read in it.

It would rather ask once too often: what it finds waits for the person's yes. What it reads is the sentence in the first person
and in its plainest form, so that the topics name each verb once.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from memapp.domain.consent import FACT
from memapp.domain.profile import CLOSE_PEOPLE, Hint, Stated, has_value, is_sensitive
from memapp.language.english.left_behind import describes, is_plan
from memapp.language.english.profile import stated_by
from memapp.language.english.profile_forms import in_first_person, plain_forms
from memapp.language.english.profile_readers import EN, READERS, is_card_number
from memapp.language.english.second_person import as_said

OF_CLOSE_PEOPLE = ("health", "religion", "politics", "money", "law", "relationship")
"""The topics that need a yes where they are somebody else's; the others are ordinary of them."""


def touches_sensitive(fact: str) -> str | None:
    """Return the sensitive field that a remembered sentence about `User` may be about, if any; the first that fits."""
    return next(touched(fact), None)


def touched(fact: str) -> Iterator[str]:
    """Yield the sensitive fields that a remembered sentence may be about; of what is somebody else's, the one for all of that."""
    told = _plain(fact)
    if found := EN.regex("{of_others}").match(told):
        theirs = EN.regex(r"\b{ordinary_of_others}\b").sub(" ", _as_own(found["how"], found["theirs"], told[found.end() :]))
        is_person = found["who"].casefold() not in EN.animals
        yield from [CLOSE_PEOPLE] if is_person and any(_touches(field, theirs) for field in OF_CLOSE_PEOPLE) else []
    else:
        yield from (field for field in EN.entry("topics") if _touches(field, told))


def _touches(field: str, told: str) -> bool:
    return _speaks_of("|".join(EN.entry("topics")[field]), EN.regex("{work_there}").sub("work", told))


def _as_own(how: str | None, theirs: str | None, rest: str) -> str:
    """Return what is said of somebody else as if the person said it of themselves, so that one set of rules guards both."""
    rest = re.sub(r"^(\W*)(?:is|are)\b", r"\1is", re.sub(r"^(\W*)were\b", r"\1was", rest))
    rest = re.sub(r"\b(?:him|her|them)(?:sel(?:f|ves)\b|(?=\W*$))", lambda word: "myself" if "sel" in word[0] else "me", rest)
    rest = re.sub(r"\b(?:his|her|their)\b", "my", rest)
    return _plain(f"User is {how or 'there'}. User{theirs or ''}{rest}")


def names_party(said: str) -> bool:
    """Say whether a sentence names a party or movement."""
    return _speaks_of("{parties}", said)


def is_secret(fact: str) -> bool:
    """Say whether a remembered sentence tells a password or a number that opens something: never asked about, never learned."""
    numbers = EN.regex("{number}").findall(fact)
    return _speaks_of("{secrets}", _plain(fact)) or any(map(is_card_number, numbers))


def may_tell_secret(sentence: str) -> bool:
    """Say whether a sentence tells or stands beside what opens something: more is left out of what is only derived from it."""
    return is_secret(sentence) or _speaks_of("{beside_secrets}", _plain(sentence))


def may_apply_by_itself(field: str, value: str) -> bool:
    """Say whether a value may enter the profile without a yes: its field is benign, and the value tells nothing that is not."""
    told = f"User wants to {value}."
    return not is_sensitive(field) and touches_sensitive(told) is None and touches_sensitive(f"User is {value}.") is None


def unknown_in(fact: str, profile: Mapping[str, Collection[str]], *, field: str = "") -> list[Hint]:
    """Return what a remembered sentence says that only the person's yes can make known, and that the profile does not say.

    `field` is what it is known to be about, where its words alone do not tell. Beside its fields a profile may hold whole facts
    that the person said yes to.
    """
    if is_secret(fact):
        return [Hint("contact", "")]
    if has_value(FACT, profile.get(FACT, ()), fact):
        return []
    read = stated_by(fact)
    if said := [Hint(one.field, one.value) for one in read if is_sensitive(one.field)]:
        return _not_in(profile, [*said, *_hidden_behind(said, fact)])
    hint = _hint_beside(read, fact) or (_whole(field, fact) if field else None)
    return _not_in(profile, [hint] if hint else [])


def needs_yes(fact: str, topic: str, profile: Mapping[str, Collection[str]]) -> list[Hint]:
    """Return what a remembered sentence says that is judged to touch a topic: the values read of it, or else all of it."""
    said = [Hint(one.field, one.value) for one in stated_by(fact) if is_sensitive(one.field) and one.value]
    is_told = True
    if topic == "preferred_name":
        is_told = _touches(topic, _plain(fact))  # and not the name of a carer
    elif topic == "city":
        is_told = describes("home", fact) != "" and not is_plan(fact)  # nor `viewed the house in Ely`
    named = _named(topic, fact) if topic in EN.entry("named") and is_told else ""
    return _not_in(profile, said or [Hint(topic, named) if named else _whole(topic, fact)])


def _hint_beside(read: Sequence[Stated], fact: str) -> Hint | None:
    """Return the sensitive field that a remembered sentence may be about though no value of it was read there, if any."""
    fields = {one.field for one in read}
    field = next((field for field in touched(fact) if field not in fields), None)
    return Hint(field, as_value(fact) if takes_sentence(field) else _named(field, fact)) if field else None


def takes_sentence(field: str) -> bool:
    """Say whether all of a sentence may be a value of a field; not so of those of which a certain kind is read, as a town."""
    return field != FACT and field not in EN.entry("named")


def _whole(field: str, fact: str) -> Hint:
    """Return all of a sentence as what it says of a field; where that is no value, the fact itself is asked about."""
    return Hint(field, as_value(fact)) if takes_sentence(field) else Hint(FACT, fact)


def _hidden_behind(said: Sequence[Hint], fact: str) -> list[Hint]:
    """Return what a sentence touches besides the values that were read of it: a yes to those is none to the rest."""
    rest = fact
    for one in said:
        rest = re.sub(re.escape(one.value), " ", rest, flags=re.IGNORECASE)
    known = {one.field for one in said} | EN.entry("named").keys()
    return [Hint(field, as_value(fact)) for field in touched(rest) if field not in known]


def _not_in(profile: Mapping[str, Collection[str]], said: Sequence[Hint]) -> list[Hint]:
    return [one for one in said if not has_value(one.field, profile.get(one.field, ()), one.value)]


def as_value(fact: str) -> str:
    """Return all that a remembered sentence says as the value of a field, in the person's words: what they do or have."""
    told = in_first_person(fact) if fact.startswith("User and ") else fact
    words = told.split(" ")
    again = next((at for at, word in enumerate(words) if at and word.startswith("User")), len(words))
    said = [*words[:again], *as_said(told).split(" ")[again:]]  # its subject is left off, so its verb stays
    return re.sub(r"^(?:User's|User|My|my|I) ", "", " ".join(said)).rstrip(".")


def _plain(fact: str) -> str:
    told = plain_forms(in_first_person(fact.replace("’", "'")))
    return " ".join(told.split())


def _named(field: str, fact: str) -> str:
    named = EN.entry("named")[field]
    told = _plain(fact)
    if re.search(r"\b(?:not|never|cannot|hate|dislike)\b", told):
        return ""  # what somebody is not called, and where they do not live
    values = (READERS[named["reads"]](told[lead.end() :]) for lead in EN.regex(named["after"]).finditer(told))
    return next((value[0] for value in values if value), "")


def _speaks_of(words: str, told: str) -> bool:
    """Say whether a sentence has one of the words of a pattern."""
    return EN.regex(rf"(?<![\w'])(?:{words})(?!\w)").search(told) is not None
