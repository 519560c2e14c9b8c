"""What is worth remembering of a statement about oneself: who somebody is, likes, has, does, knows, plans and has lived through.

Each rule takes what follows the verb it is named after and returns the predicate with its verb in the third person, or
nothing. Verbs of thinking, saying, wanting right now and small talk have no rule, on purpose.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memapp.domain.clauses import verb_at
from memapp.domain.english import (
    ADVERBS,
    COMMON_VERBS,
    FINITE,
    FUNCTION_WORDS,
    NEGATIONS,
    NUMBERS,
    PAST_FORMS,
    PRONOUNS,
    SOLO_VERBS,
    TRANSITIVE_LIKING,
    UNCHANGED_PAST,
    is_past,
    stems,
    third_person,
    word_set,
)
from memapp.domain.lasting_words import (
    ABILITIES,
    ADJECTIVES,
    ADJECTIVES_WITH,
    DENIED,
    DOING,
    FREQUENT,
    GENERIC_THE,
    GETTABLE,
    HAPPENED,
    LASTING_ATTRIBUTES,
    LASTING_PASTS,
    LASTING_TO,
    PASSING_NOUNS,
    PASSING_PASTS,
    PASSING_THINGS,
    PASSING_VERBS,
    PEOPLE,
    ROLES_PASSING,
    SITUATIONS,
    SIZES,
    TIME,
    VAGUE_OBJECTS,
)
from memapp.domain.retell import split_adverbs


@dataclass(frozen=True, slots=True)
class Lasting:
    """The part of a statement that is kept."""

    words: list[str]
    category: str


Words = list[str]
_Rule = Callable[[Words, Words], Lasting | None]
"""Takes the adverbs before the verb and what comes after it."""


def of_person(words: Words) -> Lasting | None:
    """Judge and rewrite what follows `I`."""
    adverbs, rest = split_adverbs(words)
    if not rest:
        return None
    verb, after = rest[0].casefold(), rest[1:]
    rule = _RULES.get(verb)
    if rule is not None:
        return rule(adverbs, after)
    is_ambiguous_past = verb in UNCHANGED_PAST and HAPPENED.search(" ".join(words))
    if is_past(verb) or verb == "quit" or is_ambiguous_past:
        return _past(adverbs, verb, after)
    return _present(adverbs, verb, after)


def of_people_and_things(words: Words) -> Lasting | None:
    """Judge statements about what is the person's: `my sister Anna lives in Oslo`, `my favourite food is rice`."""
    start = 2 if words[0].casefold() == "one" else 0
    place = verb_at(words, start + 1)
    if place is None or place + 1 == len(words):
        return None
    nouns = _lower(words[start + 1 : place])
    if set(nouns) & PASSING_NOUNS and not set(nouns) & {"favorite", "favourite", "best"}:
        return None
    verb, after = words[place].casefold(), words[place + 1 :]
    _, rest = split_adverbs(after)
    denial, rest = _denial(rest or after)
    if set(nouns) & LASTING_ATTRIBUTES:
        category = "preferences" if {"favorite", "favourite"} & set(nouns) else "profile"
        return Lasting(words, category) if _tells_attribute(nouns, rest) else None
    return Lasting(words, "relationships") if _tells_of_other(set(nouns), verb, denial, rest, after) else None


def of_attribute(words: Words) -> Lasting | None:
    """Judge `Pizza is my favourite food`, `Anna is my sister`."""
    after = _lower(words[2:])
    owned = set(after[after.index("my") + 1 :]) if "my" in after else set()
    if owned & {"favorite", "favourite"} and not owned & {"part", "thing", "one", "way"} and len(owned) > 1:
        return Lasting(words, "preferences")
    return Lasting(words, "relationships") if owned & (PEOPLE | {"hobby", "passion", "dream", "job"}) else None


def _lower(words: Sequence[str]) -> Words:
    return [word.casefold() for word in words]


def _at(words: Sequence[str], place: int) -> str:
    return words[place].casefold() if place < len(words) else ""


def _denial(words: Words) -> tuple[Words, Words]:
    return (["not"], words[1:]) if words[:1] == ["not"] else ([], words)


# To be


def _am(adverbs: Words, words: Words) -> Lasting | None:
    denial, rest = _denial(words)
    more, rest = split_adverbs(rest)
    if not denial:
        denial, rest = _denial(rest)
    kept = _complement(rest, bool(denial))
    if kept is None or {"almost", "hardly"} & set(more):
        return None
    return Lasting(["is", *adverbs, *denial, *[word for word in more if word.casefold() != "even"], *kept.words], kept.category)


def _complement(words: Words, denied: bool) -> Lasting | None:
    """Keep what somebody is for long: a role, an age, an origin, an undertaking, a trait, a name."""
    if not words:
        return None
    first = _at(words, 0)
    if first in ("a", "an", "the", "more", "much"):
        keeps = _is_role(words)
    elif first.isdigit() or first in NUMBERS:
        keeps = _is_age(words)
    elif first in DOING:
        return _undertaking(words, denied)
    else:
        keeps = _is_origin_or_situation(words) or _is_trait(words) or (not denied and _is_name(words))
    is_taste = first in ("interested", "fond", "passionate", "obsessed")
    return Lasting(words, "preferences" if is_taste else "profile") if keeps else None


def _is_role(words: Words) -> bool:
    first, second = _at(words, 0), _at(words, 1)
    if first in ("more", "much"):
        return second in ("of", "a") and len(words) > 3
    if first == "the":
        return second in _ONLY_ONES and "one" not in _lower(words)
    is_open = words[-1].casefold() in FUNCTION_WORDS | {"fan"} or second in VAGUE_OBJECTS
    return second not in ROLES_PASSING | {""} and not is_open


_ONLY_ONES = word_set("oldest youngest middle only owner manager head president captain mother father eldest")


def _is_age(words: Words) -> bool:
    lowered = _lower(words)
    has_unit = bool({"years", "year", "feet", "foot", "cm", "months", "ft"} & set(lowered[1:3]))
    is_number = len(words) == 1 or has_unit or lowered[1] in NUMBERS or lowered[1] in (",", "and")
    return is_number and not {"away", "late"} & set(lowered)


def _is_origin_or_situation(words: Words) -> bool:
    first, second = _at(words, 0), _at(words, 1)
    if first in ("called", "named") and len(words) > 1:
        return words[1][:1].isupper() or second == "after"
    if first == "in":
        return bool(set(_lower(words[1:4])) & SITUATIONS)
    if first in ("from", "into") or (first == "originally" and second == "from"):
        return len(words) > 1 and second not in VAGUE_OBJECTS
    return False


def _is_trait(words: Words) -> bool:
    first, second = _at(words, 0), _at(words, 1)
    if second in ADJECTIVES_WITH.get(first, "").split() and len(words) > 2 and _at(words, 2) not in VAGUE_OBJECTS:
        return True
    if first in ADJECTIVES and (second in _AFTER_TRAIT or second in ADJECTIVES):
        return True
    return " ".join(_lower(words)) in _TWO_WORD_TRAITS


_AFTER_TRAIT = word_set("and to in at by with on as but ,") | {""}
_TWO_WORD_TRAITS = {"color blind", "colour blind", "lactose intolerant", "gluten intolerant", "gluten free"}


def _is_name(words: Words) -> bool:
    looks_like_name = len(words) <= 2 and all(re.fullmatch(r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?", word) for word in words)
    return looks_like_name and _at(words, 0) not in ADVERBS | PASSING_THINGS


_NEEDED_AFTER = {
    "trying": "to", "looking": "for", "hoping": "to", "planning": "to on", "working": "as at for in on with towards toward",
    "going": "to", "saving": "for up money", "getting": "married divorced a my", "training": "for to as",
    "taking": "a classes lessons care", "starting": "a my", "moving": "to", "running": "a my", "expecting": "a my",
    "living": "in with on at alone", "dating": "", "building": "a my", "opening": "a my",
}  # fmt: skip


def _undertaking(words: Words, denied: bool) -> Lasting | None:
    """Keep `I am learning ...` and the like, with what they need after them."""
    lowered = _lower(words)
    first, following = lowered[0], _at(words, 1)
    lacks_object = first in _NEEDED_AFTER and following not in _NEEDED_AFTER[first].split()
    if (
        denied
        or len(words) < 2
        or following in VAGUE_OBJECTS
        or lacks_object
        or lowered[-1] in ("project", "projects", "today", "tonight")
    ):
        return None
    if following == "to" and first in ("trying", "hoping", "planning", "going"):
        return Lasting(words, "goals") if _is_aim(words) else None
    if first == "looking" and not set(lowered[2:6]) & {"job", "work", "apartment", "house", "roommate"}:
        return None
    if first == "working" and following in ("on", "with", "in") and not set(lowered) & {"my", "a", "an"}:
        return None
    is_goal = first in ("trying", "hoping", "planning", "saving", "going", "moving")
    return Lasting(words, "goals" if is_goal else "activity")


def _is_aim(words: Words) -> bool:
    """Judge `planning to move to Malta`: a plan for a life, or for a time that is told."""
    first, verb, object_ = _at(words, 0), _at(words, 2), _at(words, 3)
    if first == "going" and verb in ("school", "college", "university"):
        return True
    if verb not in LASTING_TO or object_ in VAGUE_OBJECTS | {""}:
        return False
    is_everyday = verb in ("get", "see", "try", "go", "have", "play", "start", "be", "finish", "visit")
    return first == "hoping" or not is_everyday or bool(TIME.search(" ".join(words[2:])))


def _was(adverbs: Words, words: Words) -> Lasting | None:
    denial, rest = _denial(words)
    more, rest = split_adverbs(rest)
    first, second, lowered = _at(rest, 0), _at(rest, 1), set(_lower(rest))
    lasts = first in _HAPPENINGS
    if first in ("a", "an") and len(rest) > 2:
        lasts = (second not in ROLES_PASSING and not lowered & {"when", "if"}) or second == "child"
    if first == "in":
        lasts = bool(set(_lower(rest[1:4])) & SITUATIONS)
    return Lasting(["was", *adverbs, *denial, *more, *rest], "profile") if lasts and len(rest) > 1 else None


_HAPPENINGS = word_set("born raised adopted homeschooled diagnosed married divorced named bullied drafted trained")


# To have


def _have(adverbs: Words, words: Words) -> Lasting | None:
    denial, rest = _denial(words)
    more, rest = split_adverbs(rest)
    first = _at(rest, 0)
    if first == "got":
        return _owned([*adverbs, *more], "has got", rest[1:]) if not denial else None
    if first == "been" or is_past(first) or first in UNCHANGED_PAST:
        return _perfect([*adverbs, *denial, *more], first, rest[1:])
    return _owned([*adverbs, *more], "has", rest) if not denial else None


def _owned(adverbs: Words, verb: str, words: Words) -> Lasting | None:
    """Keep what somebody has for long: family, animals, things, traits; not time, questions or meetings."""
    lowered = _lower(words)
    first = _at(words, 0)
    if first in (VAGUE_OBJECTS - {"any"}) | {"to", "the", ""} or (len(words) == 1 and first in NUMBERS):
        return None
    if first == "no" and not set(lowered[1:3]) & DENIED:
        return None
    head = next((word for word in lowered if word not in FUNCTION_WORDS | NUMBERS.keys() | SIZES), "")
    if head in PASSING_THINGS or set(lowered[:4]) & (PASSING_THINGS - _HARMLESS_BEFORE_HEAD):
        return None
    return Lasting([*adverbs, *verb.split(), *words], "profile")


_HARMLESS_BEFORE_HEAD = word_set("work one a any all many room night to few")


def _had(adverbs: Words, words: Words) -> Lasting | None:
    kept = _owned(adverbs, "had", words)
    matters = set(_lower(words)) & (PEOPLE | GETTABLE | _LIVED_THROUGH)
    return Lasting(kept.words, "event") if kept and matters and TIME.search(" ".join(words)) else None


_LIVED_THROUGH = word_set("baby surgery operation stroke cancer accident child children")


def _perfect(adverbs: Words, first: str, words: Words) -> Lasting | None:
    """Keep `have been to Peru`, `have always wanted to`, `have lived in Rome since 2010`."""
    if _at(words, 0) in VAGUE_OBJECTS | {""}:
        return None
    told = ["has", *adverbs, first, *words]
    if first == "been":
        category = _been(adverbs, words)
        return Lasting(told, category) if category else None
    if first == "wanted":
        is_wish = (
            words[0] == "to"
            and _at(words, 1) not in ("see", "try", "do", "know", "")
            and _at(words, 2) not in VAGUE_OBJECTS | {""}
        )
        return Lasting(told, "goals") if is_wish else None
    base = PAST_FORMS.get(first, first)
    is_trial = base in ("start", "begin", "stop", "try", "meet", "finish", "speak")
    if is_trial or (base == "have" and _at(words, 0) not in ("a", "an")):
        return None
    never_did = "never" in _lower(adverbs) and base in ("eat", "drink", "smoke", "drive", "fly", "ride", "break", "swim", "have")
    lasts = bool(stems(first) & LASTING_PASTS) or never_did
    return Lasting(told, "event") if lasts and (len(words) > 1 or base not in ("play", "write")) else None


def _been(adverbs: Words, words: Words) -> str:
    """Return the category of `have been ...`, or nothing when it does not last."""
    first, second, text = _at(words, 0), _at(words, 1), " ".join(words)
    if first == "to":
        return "event" if second not in VAGUE_OBJECTS | {"a", "the", ""} else ""
    if first.endswith("ing"):
        lasts = first in ("learning", "studying", "teaching", "volunteering", "taking") or _LONG.search(text)
        return "activity" if lasts and stems(first) & (COMMON_VERBS - _LIGHT_VERBS) and second else ""
    kept = _complement(words, "not" in adverbs) or (_was([], words) if TIME.search(text) else None)
    return kept.category if kept else ""


_LONG = re.compile(r"\b(?:for|since)\b.*(?:year|month|decade|\d|since|kid|child|born|young)")
_LIGHT_VERBS = word_set("try get have do plan use keep want stay call hope give go")


# To do, can, used to, aims


def _do(adverbs: Words, words: Words) -> Lasting | None:
    """Keep `do not like`, the emphatic `do like`, and the verb itself: `do yoga`."""
    denial, rest = _denial(words)
    more, rest = split_adverbs(rest)
    verb, following = _at(rest, 0), _at(rest, 1)
    if denial:
        return _do_not(verb, rest[1:], more)
    is_emphatic = verb in TRANSITIVE_LIKING | {"have", "own", "live"} or (
        verb == "work" and following in ("as", "at", "for", "in")
    )
    if is_emphatic and len(rest) > 1:
        return of_person([*more, *rest])
    if verb in VAGUE_OBJECTS | {"my", "well", "good", "great", "okay", "fine", ""} or more or is_past(verb):
        return None
    return Lasting(["does", *adverbs, *rest], "activity")


def _do_not(verb: str, words: Words, adverbs: Words) -> Lasting | None:
    kept = None
    if verb == "have" and set(_lower(words[:3])) & DENIED:
        kept = _owned([], "have", words)
    elif verb in _DENIABLE:
        kept = _present([], verb, words, third=False)
    if kept is None:
        return None
    return Lasting(["does", "not", *[word for word in adverbs if word.casefold() != "even"], *kept.words], kept.category)


_DENIABLE = word_set(
    "like enjoy adore prefer own eat drink smoke drive speak work believe celebrate wear live want cook watch play"
)


def _did(adverbs: Words, words: Words) -> Lasting | None:
    denial, rest = _denial(words)
    lasts = _at(rest, 0) in ("go", "finish", "graduate", "attend", "learn", "grow") and _at(rest, 1) not in VAGUE_OBJECTS | {""}
    return Lasting(["did", "not", *adverbs, *rest], "event") if denial and lasts else None


def _can(adverbs: Words, words: Words) -> Lasting | None:
    denial, rest = _denial(words)
    more, rest = split_adverbs(rest)
    verb, following = _at(rest, 0), _at(rest, 1)
    cannot_bear = verb in ("stand", "eat", "tolerate", "digest", "drink")
    if verb not in ABILITIES or following in VAGUE_OBJECTS or (cannot_bear and not (denial and following)):
        return None
    is_of_now = set(_lower(rest)) & {"when", "better", "more", "wait", "tonight", "today"}
    return None if is_of_now else Lasting(["can", *adverbs, *denial, *more, *rest], "profile")


def _used(adverbs: Words, words: Words) -> Lasting | None:
    verb = _at(words, 1) if words[:1] == ["to"] else ""
    if verb == "" or verb in PASSING_VERBS - {"get", "stay", "hold", "keep", "care"} or _at(words, 2) in VAGUE_OBJECTS:
        return None
    return Lasting(["used", *adverbs, *words], "event") if len(words) > 2 or verb in SOLO_VERBS else None


_LIFE_AIMS = word_set("be become learn travel visit move write study own live retire open teach adopt marry publish climb")


def _want(adverbs: Words, words: Words) -> Lasting | None:
    """Keep wishes for a life, not for now: `want to become a nurse`, not `want to book a table`."""
    return _aim([*adverbs, "wants"], words, _LIFE_AIMS)


def _hope(adverbs: Words, words: Words) -> Lasting | None:
    return _aim([*adverbs, "hopes"], words, _LIFE_AIMS)


def _plan(adverbs: Words, words: Words) -> Lasting | None:
    return _aim([*adverbs, "plans"], words, LASTING_TO - {"get", "see", "try", "be", "have"})


def _aim(verb: Words, words: Words, lasting: frozenset[str]) -> Lasting | None:
    is_study = words[:3] == ["to", "go", "to"] and bool({"school", "college", "university"} & set(_lower(words[3:6])))
    lasts = words[:1] == ["to"] and len(words) > 2 and _at(words, 1) in lasting
    is_of_now = _at(words, 2) in VAGUE_OBJECTS | {"able", "more", "sure", "as", "back"} or {"you", "soon"} & set(_lower(words))
    return Lasting([*verb, *words], "goals") if (lasts or is_study) and not is_of_now else None


def _try(adverbs: Words, words: Words) -> Lasting | None:
    """Keep `I try to eat healthy food`, not `I try to install it`."""
    verb = _at(words, 1)
    is_habit = adverbs or FREQUENT.search(" ".join(words)) or verb in ("eat", "avoid", "stay")
    if words[:1] != ["to"] or verb not in COMMON_VERBS | {"stay"} or not is_habit:
        return None
    is_vague = _at(words, 2) in VAGUE_OBJECTS | {"my", "as", ""} or " as I " in " ".join(words)
    return None if is_vague else Lasting([*adverbs, "tries", *words], "activity")


def _nothing(_adverbs: Words, _words: Words) -> Lasting | None:
    return None


# Other verbs


def _present(adverbs: Words, verb: str, words: Words, *, third: bool = True) -> Lasting | None:
    """Keep the simple present of doing and liking: it tells a habit or a taste by itself."""
    if not _is_telling_verb(verb, words) or _needs_place(words):
        return None
    if verb in TRANSITIVE_LIKING:
        if not _is_taste(words):
            return None
        category = "preferences"
    elif _is_habit(adverbs, verb, words):
        category = "profile" if verb in ("live", "own", "work", "speak", "come", "suffer") else "activity"
    else:
        return None
    return Lasting([*adverbs, third_person(verb) if third else verb, *words], category)


def _is_telling_verb(verb: str, words: Words) -> bool:
    if verb in PASSING_VERBS and not (verb == "believe" and words[:1] == ["in"]):
        return False
    is_word = re.fullmatch(r"[a-z]+(?:-[a-z]+)?", verb) is not None and not verb.endswith("ing")
    return is_word and verb not in FUNCTION_WORDS | PRONOUNS | FINITE | NEGATIONS | ADJECTIVES


def _is_habit(adverbs: Words, verb: str, words: Words) -> bool:
    first = _at(words, 0)
    is_frequent = bool(FREQUENT.search(" ".join([*adverbs, *words])))
    if verb not in COMMON_VERBS | SOLO_VERBS and not is_frequent:
        return False
    if (first in VAGUE_OBJECTS and words[:2] != ["when", "I"]) or (not words and verb not in SOLO_VERBS):
        return False
    if verb in ("make", "take") and first in ("sure", "care", "it", "time", "note", "sense", "up") and words[1:2] != ["of"]:
        return False
    if verb in _HABIT_IF_FREQUENT:
        return is_frequent
    is_move = verb in ("make", "go", "help", "watch", "take", "buy", "visit")
    return (
        is_frequent or not is_move or (first not in ("ahead", "with", "for", "back", "out") and not {"sure", "back"} & set(words))
    )


_HABIT_IF_FREQUENT = word_set("have like plan start meet win lose call stop break become come change finish identify learn fly")


def _is_taste(words: Words) -> bool:
    """A taste has a thing or an activity that can be liked again; anything else is a remark on what was just said."""
    lowered = _lower(words)
    first, second, third = _at(words, 0), _at(words, 1), _at(words, 2)
    if first in (VAGUE_OBJECTS - {"all", "both"}) | {""}:
        return False
    if first in ("your", "a", "an", "being") and second in ("lot", "good", "bit", "few", "able", "part", "around"):
        return False
    if first == "all" and second in VAGUE_OBJECTS | {"of", "the"} and not {"kinds", "sorts", "types"} & set(lowered[1:4]):
        return False
    if first == "to":
        return _is_liked_to_do(second, third)
    if first.endswith("ing") and second in VAGUE_OBJECTS - {"all"}:
        return False
    return lowered[-1] not in ("things", "stuff", "too") or len(words) > 3


def _is_liked_to_do(verb: str, object_: str) -> bool:
    if verb in ("see", "do", "get", "have"):
        return object_ not in VAGUE_OBJECTS | {"a", "my", ""}
    is_of_now = verb in ("hear", "know", "think", "say", "believe", "imagine", "thank", "book", "check", "find", "")
    return not is_of_now and object_ not in VAGUE_OBJECTS - {"all", "so", "most"}


def _needs_place(words: Words) -> bool:
    """`I love the food` needs to be told where; `I love the sea` and `I love the smell of rain` do not."""
    lowered = _lower(words)
    if _at(words, 0) != "the" or len(words) < 2:
        return False
    if "of" in lowered and lowered[1] not in ("idea", "one", "rest", "look", "sound", "fact", "thought"):
        return False
    end = next((at for at, word in enumerate(lowered) if at and (word in FUNCTION_WORDS or word in ",;")), len(words))
    is_known = lowered[end - 1] in GENERIC_THE or (lowered[1] == "color" and end > 2) or words[1][:1].isupper()
    return not is_known


def _past(adverbs: Words, verb: str, words: Words) -> Lasting | None:
    """Keep a past event that changed a life, or that says at what time it was."""
    if _at(words, 0) in VAGUE_OBJECTS | {""} or _lower(words[:2]) == ["a", "lot"]:
        return None
    judge = _PAST_RULES.get(verb, _is_lasting_past)
    return Lasting([*adverbs, verb, *words], "event") if judge(verb, words) else None


def _is_lasting_past(verb: str, words: Words) -> bool:
    text = " ".join(words)
    if stems(verb) & PASSING_PASTS:
        is_of_youth = re.search(r"as a|when I|in (?:high|college|19|20)|marathon", text) is not None
        return verb in ("ran", "took", "loved", "hated", "enjoyed") and is_of_youth and TIME.search(text) is not None
    if TIME.search(text):
        return True
    return bool(stems(verb) & LASTING_PASTS) and (verb not in _TIMED_PASTS or _at(words, 0) in _TELLING_OBJECTS)


_TIMED_PASTS = word_set(
    "started began stopped played wrote met drove led spoke completed passed visited beat bought sold read failed broke"
)
_TELLING_OBJECTS = word_set("my playing working a an smoking learning")


def _got(_verb: str, words: Words) -> bool:
    first = _at(words, 0)
    if first in ("married", "divorced", "engaged", "fired", "promoted", "laid"):
        return True
    return first in ("a", "an", "my") and bool(GETTABLE & set(_lower(words[1:5])))


def _went(_verb: str, words: Words) -> bool:
    if words[0] != "to" or len(words) < 2:
        return False
    is_school = bool({"college", "school", "university", "prison", "rehab"} & set(_lower(words[1:4])))
    return is_school or (words[1][:1].isupper() and TIME.search(" ".join(words)) is not None)


def _lost(verb: str, words: Words) -> bool:
    matters = PEOPLE | {"job", "leg", "arm", "hearing", "sight", "house", "home", "pounds", "weight", "hand"}
    return bool(set(_lower(words)) & matters) and _is_lasting_past(verb, words)


def _met(verb: str, words: Words) -> bool:
    return (words[0][:1].isupper() and words[0] != "I") or _is_lasting_past(verb, words)


_PAST_RULES: dict[str, Callable[[str, Words], bool]] = {"got": _got, "went": _went, "lost": _lost, "met": _met}
_RULES: dict[str, _Rule] = {
    "am": _am, "was": _was, "have": _have, "do": _do, "did": _did, "had": _had, "can": _can, "used": _used, "want": _want,
    "plan": _plan, "hope": _hope, "try": _try, "are": _nothing, "is": _nothing, "has": _nothing,
}  # fmt: skip


# What is the person's


def _tells_attribute(nouns: Words, words: Words) -> bool:
    if nouns[-1] in ("favorite", "favourite", "best") or set(nouns) & {
        "part",
        "thing",
        "one",
        "ones",
        "things",
        "way",
        "moment",
        "bit",
    }:
        return False
    first = _at(words, 0)
    return first not in (VAGUE_OBJECTS - {"the"}) | {"also", ""} or bool(words and TIME.search(" ".join(words)))


def _tells_of_other(nouns: set[str], verb: str, denial: Words, rest: Words, after: Words) -> bool:
    """Judge what is said of a sister, a dog, a house: by the same rules as what is said of oneself, only narrower."""
    first, second = _at(rest, 0), _at(rest, 1)
    if verb in ("is", "are"):
        return _complement(rest, bool(denial)) is not None
    if verb in ("was", "were"):
        return first in ("a", "an", "born", "raised", "in", "from") and (_was([], rest) is not None or bool(PEOPLE & nouns))
    if verb in ("has", "have"):
        return _have([], [*denial, *rest]) is not None and not (first == "been" and second in ("a", "an"))
    if verb in FINITE:
        is_ability = verb in ("does", "do", "can") and first in COMMON_VERBS - PASSING_VERBS
        return is_ability and second not in VAGUE_OBJECTS | {""}
    if is_past(verb):
        lasts = stems(verb) & (LASTING_PASTS | {"die", "pass", "teach", "name"}) or TIME.search(" ".join(after))
        return bool(nouns & (PEOPLE | GETTABLE | _OTHERS)) and bool(lasts) and not stems(verb) & (PASSING_PASTS - {"have"})
    if not stems(verb) & (COMMON_VERBS - _EMPTY_VERBS) or _at(after, 0) in VAGUE_OBJECTS:
        return False
    return not stems(verb) & TRANSITIVE_LIKING or _is_taste(after)


_OTHERS = word_set("friend friends family team kids children twins company")
_EMPTY_VERBS = word_set("get come hope want say call turn stay give bring keep")
