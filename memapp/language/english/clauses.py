"""Cutting a sentence into the plain statements that the person makes about themselves, each starting with its subject.

What is supposed or reported is left out here; whether a statement is worth remembering is not decided here.
"""

from collections.abc import Iterator, Sequence

from memapp.language.english.given_names import is_common
from memapp.language.english.grammar import EN, is_adverb, is_past, is_verb, third_person_verbs, word_at

DASHES = ("-", "--", "–", "—")
_BEHIND_PARTICIPLES = ("in", "at", "on", "by", "from", "near", "within")
_OWN = {"i", "my"}
LIVING = {"he", "she", "they", "his", "her", "their"}
MOST_BRACKETED = 4
"""Words; more of them are a remark."""


def of_sentence(words: list[str]) -> Iterator[list[str]]:
    """Yield the words of each statement of a sentence: `I ...`, `my sister ...`, `rice is my favourite food`, `she ...`.

    A phrase in front (`On Sundays, I ...`) comes last. Where several verbs share a subject, each gets a statement.
    """
    front: list[str] = []
    for part in told_parts(words):
        lowered = {word.casefold() for word in part}
        if lowered & EN.hypothetical or (lowered & EN.reporting and part[0] != "I"):
            return
        if _is_front(part):
            front = part
            continue
        subject_at = _subject_at(part)
        if subject_at is None:
            front = []
            if begins_with_somebody(part):
                yield part
            continue
        if subject_at:
            front = part[:subject_at]
        told, ending = _split_ending(part[subject_at:])
        *statements, last = _with_what_is_shared(list(_per_verb(told))) or [[]]
        for statement in (*statements, [*last, *ending] if last else []):
            yield _with_front(statement, front)
        front = []


def begins_with_somebody(words: Sequence[str]) -> bool:
    """Say whether this begins with `he`, `her`, or with a name: of whom it is must be known from what was said before."""
    return words[0].casefold() in LIVING or _may_be_name(words[0].removesuffix("'s"))


def _may_be_name(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower() and not is_common(word)


def told_parts(words: list[str]) -> Iterator[list[str]]:
    """Yield the parts of a sentence until one only supposes something, asks, or tells what somebody said of the person."""
    for part in parts(words):
        lowered = [word.casefold() for word in part]
        reports = next((at for at, word in enumerate(lowered) if word in EN.reporting), None)
        is_of_writer = reports is not None and part[0] != "I" and not _OWN.isdisjoint(lowered[reports:])
        if "?" in lowered or _supposes(lowered) or is_of_writer:
            return
        if told := without_interjections(part):
            yield told
        if reports is not None:
            return


def _supposes(lowered: list[str]) -> bool:
    """Say whether nothing is told before a condition: `if I ...`, and not `I sleep well if ...`."""
    at = next((at for at, word in enumerate(lowered) if word in EN.hypothetical), len(lowered))
    return at < len(lowered) and _OWN.isdisjoint(lowered[:at])


def parts(words: list[str]) -> Iterator[list[str]]:
    """Split where another subject begins, and at stronger punctuation."""
    start = 0
    for at in range(len(words)):
        if at >= start and _begins_part(words, at) and not _ends(words[start:at], words[at:]):
            if words[start:at]:
                yield _plainly(words[start:at])
            start = at + (words[at] in ',;:()"-–—!' or words[at] == "--")
    if words[start:]:
        yield _plainly(words[start:])


def _split_ending(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split off what only ends what is told, without whom and what it says again: `but gave up`, for `but I gave it up`."""
    at = next((at for at in range(2, len(words)) if _ends(words[:at], words[at:])), len(words))
    length = _ends(words[:at], words[at:])
    ending = [word for word in words[at : at + length] if word.casefold() not in EN.said_again]
    return list(words[:at]), [*ending, *words[at + length :]]


def _ends(told: Sequence[str], following: Sequence[str]) -> int:
    """Return how many words follow that say that what is told ended; none where they are about anybody or anything else."""
    found = EN.regex("{only_ends}").match(" ".join(following))
    if found is None or not EN.negations.isdisjoint(map(str.casefold, told)):
        return 0
    subject = (found["subject"] or "").casefold()
    if "I" in told:
        is_same = subject in ("", "i")
    else:  # of two people, nobody knows who `he` is
        others = [word for word in told[2:] if word.casefold() in EN.people or word.casefold() == "my"]
        is_same = word_at(told, 0) == "my" and (subject == "" or (subject in ("he", "she") and not others))
    return len(found[0].split()) if is_same else 0


def _plainly(words: list[str]) -> list[str]:
    """Return a part with a comma for a dash before what limits it."""
    return ["," if word in DASHES else word for word in words]


def _begins_part(words: list[str], at: int) -> bool:
    word = words[at].casefold()
    if _runs_on(words, at):
        return True
    if at and (limits(words[at:]) if word == "but" else word in DASHES and limits(words[at + 1 :])):
        return False
    if word in "(:)" and at and _is_list(words, at):
        return False
    if word in ';:()"!' or word in DASHES or word in ("but", "because", "although"):
        return True
    if (word != "," and word not in EN.coordinators) or limits(words[at + 1 :]):
        return False
    if at and words[at - 1] == "," and word != ",":
        return False  # the comma before it was the place
    if at and (_is_purpose(words[at:]) or (words[at + 1 : at + 2] == ["I"] and word_at(words, at + 2) in ("", ","))):
        return False  # `Ada and I, for the fair`: nothing is told of `I`
    if word == "," and _is_new_sentence(words[at + 1 : at + 7]):
        return True
    if (
        word == "and"
        and words[at + 1 : at + 2] == ["I"]
        and verb_at(words[max(0, at - 4) : at], 1) is None
        and ("my" in (one.casefold() for one in words[max(0, at - 4) : at]) or (at == 1 and _may_be_name(words[0])))
    ):
        return False  # `my wife and I`, `Ada and I`
    following = at + 1
    while following < len(words) and (words[following].casefold() in EN.coordinators or is_adverb(words[following])):
        following += 1
    if following >= len(words) or words[following].casefold() not in EN.subject_starts:
        is_front = following < len(words) and words[following].casefold() in EN.fronting
        return word == "," and is_front and "I" in words[following + 1 : following + 7]
    return words[following].casefold() not in EN.possessives or (verb_at(words[following:], 1) is not None)


def _is_purpose(words: Sequence[str]) -> bool:
    """Say whether words tell what something is for: `so I can visit Mashiko`, and not `so I can not eat cheese`."""
    lowered = [word.casefold() for word in words[:6] if word.casefold() not in (",", "and", "that")]
    return lowered[:2] == ["so", "i"] and lowered[2:3] in (["can"], ["could"]) and lowered[3:4] != ["not"]


def _runs_on(words: Sequence[str], at: int) -> bool:
    """Say whether a comma was left out before this: `he is called Tim he is 15`, but not `the film he is in`."""
    lowered = [word.casefold() for word in words[max(0, at - 2) : at + 2]]
    goes_on = {"I": ("am", "was")}.get(words[at], ("is", "was", "has", *third_person_verbs()))
    if at < 4 or words[at] not in ("he", "she", "I") or lowered[-1] not in goes_on:
        return False
    no_end = EN.function_words | EN.tied | EN.finite | EN.reporting | EN.articles | EN.common_verbs | {",", ":", ";", "(", '"'}
    return lowered[1] not in no_end and lowered[0] not in EN.articles | EN.quantities


def _is_list(words: Sequence[str], at: int) -> bool:
    """Say whether a bracket or colon holds no statement of its own: `two sons, Max (12)`, `three pets: a dog and two cats`."""
    if words[at] == ")":
        start = max((place for place in range(at) if words[place] == "("), default=None)
        return start is not None and _is_list(words, start)
    end = words.index(")", at) if words[at] == "(" and ")" in words[at:] else len(words)
    inside = [word.casefold() for word in words[at + 1 : end]]
    is_remark = EN.interjections | EN.left_off >= set(inside)
    is_short = len(inside) <= MOST_BRACKETED if words[at] == "(" else not {",", "and"}.isdisjoint(inside)
    return is_short and not is_remark and not any(word == "i" or is_verb(word) for word in inside)


def limits(words: Sequence[str]) -> bool:
    """Say whether words go on with what was said and make less of it: `only in autumn`, `but no meat`, and not `but I do`."""
    lowered = [word.casefold() for word in words[:4]]
    if lowered[:1] == ["but"]:
        following = next((word for word in lowered[1:] if not is_adverb(word) and word not in EN.coordinators), "")
        return following not in EN.subject_starts | EN.interjections - EN.negations | {"", ","}
    return not EN.limiting.isdisjoint(lowered[:1])


def _is_new_sentence(words: list[str]) -> bool:
    """`..., the effects are great`, `..., and yoga can help`, `..., as these places are quiet`."""
    lowered = [word.casefold() for word in words]
    while lowered and lowered[0] in EN.coordinators | {"as", "since", "while"}:
        lowered = lowered[1:]
    if not lowered or lowered[0] in ("who", "which", "that", "I", "my"):
        return False
    if words[0][:1].isupper() and words[0] != "I" and lowered[1:2] and lowered[1] in third_person_verbs():
        return True  # `..., Olga works for the council`
    verb = next((at for at, word in enumerate(lowered) if word in EN.finite - {"have", "do", "am"} or word == ","), None)
    return (len(lowered) < len(words) and lowered[0] in EN.subject_starts) or (bool(verb) and lowered[verb or 0] != ",")


def without_interjections(words: list[str]) -> list[str]:
    """Return words without those that only lead to what is said: `well, I ...`."""
    at = 0
    while at < len(words) and (words[at].casefold() in EN.interjections or words[at] in ",;"):
        at += 1
    return words[at:]


def _is_front(words: list[str]) -> bool:
    """Say whether this is only a phrase that belongs to the next part: `On Sundays`, `When I was a child`."""
    if not words or words[0].casefold() not in EN.fronting or len(words) > 9:
        return False
    if _is_time_clause(words):
        return "I" not in words[3:]
    return not any(word.casefold() in EN.finite | EN.subject_starts - {"my", "this", "these"} for word in words[1:])


def _subject_at(words: list[str]) -> int | None:
    """Return where the person begins to speak of themselves; a short phrase may stand in front."""
    if not words:
        return None
    if words[0] == "I" or words[0].casefold() == "my" or _is_own_attribute(words):
        return 0
    if [word.casefold() for word in words[:3]] == ["one", "of", "my"]:
        return 0
    if words[0].casefold() not in EN.fronting:
        return None
    of_front = {"my", "i"} if _is_time_clause(words) else {"my"}  # `Since I was ten I have ...`
    at = next((at for at in range(1, min(10, len(words))) if words[at] == "I" and words[at - 1].casefold() not in EN.tied), None)
    return None if at is None or (EN.pronouns - of_front) & {word.casefold() for word in words[:at]} else at


def _is_time_clause(words: Sequence[str]) -> bool:
    """Say whether this begins like `when I was ...`."""
    lowered = [word.casefold() for word in words[:3]]
    return lowered[:3] == ["ever", "since", "i"] or (lowered[0] in EN.times and lowered[1:2] == ["i"])


def _with_front(statement: list[str], front: list[str]) -> list[str]:
    phrase = [word for word in front if word != ","]
    text = " ".join(phrase).casefold()
    if not phrase or EN.regex("{empty_front}").fullmatch(text):
        return statement
    if {word.casefold() for word in phrase} & {"that", "those", "it", "case", "then"}:
        return []
    return [*statement, phrase[0].casefold(), *phrase[1:]]


def _is_own_attribute(words: Sequence[str]) -> bool:
    """Say whether this is `X is my favourite Y` or the like."""
    lowered = [word.casefold() for word in words]
    for at in range(1, min(7, len(words) - 2)):
        if lowered[at] in ("is", "are", "was", "were"):
            after = [word for word in lowered[at + 1 : at + 5] if not is_adverb(word)]
            after = after[2:] if after[:2] == ["one", "of"] else after
            return after[:1] == ["my"] and EN.no_attribute.isdisjoint(lowered[:at])
    return False


def _per_verb(words: list[str]) -> Iterator[list[str]]:
    """Split `I live in Oslo and work as a nurse` into two statements with the same subject."""
    together = words.index("I") + 1 if words[0].casefold() == "my" and "I" in words[2:6] else None
    subject_end = together or (1 if words[0] == "I" else verb_at(words, 1))
    if subject_end is None or _is_own_attribute(words):
        yield words
        return
    subject, predicate = words[:subject_end], words[subject_end:]
    start = 0
    scope_open = False
    for at in range(len(predicate)):
        scope_open = scope_open or predicate[at].casefold() in ("to", "can", "could", "will", "would", "not")
        if predicate[at].casefold() not in ("and", "or", ",", "but"):
            continue
        verb = at + 1
        while verb < len(predicate) and (predicate[verb].casefold() in ("and", "but") or is_adverb(predicate[verb])):
            verb += 1
        if {word.casefold() for word in predicate[start:at]} & EN.subordinate and predicate[verb : verb + 1] != ["am"]:
            continue  # `a friend who sings and dances`: whose verb it is cannot be told
        kind = _kind_of_verb(predicate, verb)
        bare = {*predicate[start:at], word_at(predicate, verb)} if at - start == 1 else {""}
        if kind == "no" and bare <= EN.common_verbs | EN.solo_verbs:
            kind = "base"  # `swim and play chess`
        if kind == "third":
            if subject == ["I"]:
                continue
            kind = "finite"
        if kind == "no" and not scope_open and _may_be_verb_at_end(predicate, verb) and predicate[start:at]:
            yield subject + predicate[start:at]
            return
        is_alone = predicate[at] == "," and verb == at + 1 and "and" not in predicate[verb:]
        if kind == "no" or (kind == "base" and (predicate[at].casefold() == "or" or is_alone)):
            continue  # `..., take a look`: a command, not a habit
        if is_alone and kind == "finite" and predicate[verb].casefold() not in EN.finite and not is_past(predicate[0]):
            continue  # `I have a yawl, built in 1961`
        if kind == "finite" and _is_done_to(predicate[start:at], predicate[verb:]):
            continue  # `I was born and raised in Ely`
        if kind == "base" and scope_open:
            if predicate[verb].casefold() in EN.states and verb + 1 < len(predicate) and predicate[start:at]:
                yield subject + predicate[start:at]
                return  # whether `to` reaches over the `and` cannot be told
            continue
        if at >= start and predicate[start:at]:
            yield subject + predicate[start:at]
        start = at + 1
        while start < len(predicate) and predicate[start].casefold() in ("and", "but", ","):
            start += 1
        scope_open = False
    if predicate[start:]:
        yield subject + predicate[start:]


def _is_done_to(told: Sequence[str], more: Sequence[str]) -> bool:
    """Say whether what follows goes on with what was done to somebody: `was born in Ely and raised in Hull`."""
    participle = next((word for word in told[1:] if not is_adverb(word)), "")
    is_passive = word_at(told, 0) in ("was", "were", "got", "been") and is_past(participle)
    return is_passive and more[0].casefold() in EN.done_to and word_at(more, 1) in _BEHIND_PARTICIPLES


def _with_what_is_shared(statements: list[list[str]]) -> list[list[str]]:
    """Let what follows the last of several bare verbs be said of each: `I drink and smoke only at parties`."""
    behind = statements[-1][2:] if statements else []
    if not behind or behind[0].casefold() not in EN.limiting | EN.fronting:
        return statements
    return [[*one, *behind] if one[0] == "I" and len(one) == 2 else one for one in statements]


def _may_be_verb_at_end(predicate: list[str], at: int) -> bool:
    """In `I play the piano and sing` the last word is a verb, in `I love art and dance` it may be a noun."""
    return (
        predicate[at:] != []
        and predicate[at + 1 :] == []
        and predicate[at] in EN.common_verbs
        and predicate[0] not in EN.transitive_liking
    )


def _kind_of_verb(words: list[str], at: int) -> str:
    """Say what stands here: a `finite` verb, one of the `third` person, a `base` form as infinitives have it, or `no` verb."""
    if at >= len(words):
        return "no"
    word = words[at].casefold()
    following = word_at(words, at + 1)
    if words[at][:1].isupper():
        return "no"
    if word in EN.finite:
        return "base" if word in ("have", "do") else "finite"
    if word in third_person_verbs() and word.removesuffix("s") not in EN.noun_or_verb:
        return "third"
    if (
        (word in EN.past_forms or (is_past(word) and is_past(words[0])))
        and following not in ("", ",", "and", "or")
        and (following in EN.after_verb)
    ):
        return "finite"
    if word in EN.common_verbs and (word not in EN.noun_or_verb or following in EN.after_verb):
        return "base"
    return "no"


def verb_at(words: Sequence[str], start: int) -> int | None:
    """Return where the verb of `my sister Anna lives ...` stands, if one is found near."""
    inside_apposition = False
    for at in range(start, min(len(words), start + 8)):
        word = words[at].casefold()
        if word == ",":
            if not inside_apposition and "," not in words[at + 1 : at + 5]:
                return None
            inside_apposition = not inside_apposition
        elif word in EN.pronouns - {"i", "my"} or word in ';:()"':
            return None
        elif inside_apposition or at == start:
            continue
        elif (
            word in EN.finite
            or (word in third_person_verbs() and at > start)
            or (is_past(word) and at > start and words[at - 1].casefold() not in ("my", "and", "of"))
            or (word in EN.common_verbs and words[at - 1].casefold().endswith(("s", "i", "children", "people")))
        ):
            return at
    return None
