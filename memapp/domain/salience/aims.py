"""What somebody has undertaken, wants, hopes, plans or tries, in their life and not just now."""

from memapp.domain.english import EN
from memapp.domain.salience.salient import Salient, Words, lower, word_at


def undertaking(words: Words, denied: bool) -> Salient | None:
    """Keep `I am learning ...` and the like, with what they need after them."""
    lowered = lower(words)
    first, following = lowered[0], word_at(words, 1)
    needed = EN.table("undertakings").get(first)
    lacks_object = needed is not None and following not in needed.split()
    if (
        denied
        or len(words) < 2
        or following in EN.vague_objects
        or lacks_object
        or lowered[-1] in ("project", "projects", "today", "tonight")
    ):
        return None
    if following == "to" and first in ("trying", "hoping", "planning", "going"):
        return Salient(words, "goals") if _is_aim(words) else None
    if first == "looking" and not set(lowered[2:6]) & {"job", "work", "apartment", "house", "roommate"}:
        return None
    if first == "working" and following in ("on", "with", "in") and not set(lowered) & {"my", "a", "an"}:
        return None
    is_goal = first in ("trying", "hoping", "planning", "saving", "going", "moving")
    return Salient(words, "goals" if is_goal else "activity")


def _is_aim(words: Words) -> bool:
    """Judge `planning to move to Malta`: a plan for a life, or for a time that is told."""
    first, verb, object_ = word_at(words, 0), word_at(words, 2), word_at(words, 3)
    if first == "going" and verb in ("school", "college", "university"):
        return True
    if verb not in EN.lasting_to or object_ in EN.vague_objects | {""}:
        return False
    is_everyday = verb in ("get", "see", "try", "go", "have", "play", "start", "be", "finish", "visit")
    return first == "hoping" or not is_everyday or bool(EN.regex(r"\b{time}\b").search(" ".join(words[2:])))


def want(adverbs: Words, words: Words) -> Salient | None:
    """Keep wishes for a life, not for now: `want to become a nurse`, not `want to book a table`."""
    return _aim([*adverbs, "wants"], words, EN.life_aims)


def hope(adverbs: Words, words: Words) -> Salient | None:
    """Keep hopes for a life: `hope to retire early`."""
    return _aim([*adverbs, "hopes"], words, EN.life_aims)


def plan(adverbs: Words, words: Words) -> Salient | None:
    """Keep plans for a life: `plan to move to Malta`."""
    return _aim([*adverbs, "plans"], words, EN.lasting_to - {"get", "see", "try", "be", "have"})


def _aim(verb: Words, words: Words, lasting: frozenset[str]) -> Salient | None:
    is_study = words[:3] == ["to", "go", "to"] and bool({"school", "college", "university"} & set(lower(words[3:6])))
    lasts = words[:1] == ["to"] and len(words) > 2 and word_at(words, 1) in lasting
    is_of_now = word_at(words, 2) in EN.vague_objects | {"able", "more", "sure", "as", "back"} or {"you", "soon"} & set(
        lower(words)
    )
    return Salient([*verb, *words], "goals") if (lasts or is_study) and not is_of_now else None


def try_to(adverbs: Words, words: Words) -> Salient | None:
    """Keep `I try to eat healthy food`, not `I try to install it`."""
    verb = word_at(words, 1)
    is_habit = adverbs or EN.regex(r"\b{frequent}\b").search(" ".join(words)) or verb in ("eat", "avoid", "stay")
    if words[:1] != ["to"] or verb not in EN.common_verbs | {"stay"} or not is_habit:
        return None
    is_vague = word_at(words, 2) in EN.vague_objects | {"my", "as", ""} or " as I " in " ".join(words)
    return None if is_vague else Salient([*adverbs, "tries", *words], "activity")
