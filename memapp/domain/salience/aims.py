"""What somebody has undertaken, wants, hopes, plans or tries, in their life and not just now."""

from memapp.domain.english import COMMON_VERBS
from memapp.domain.salience.salient import Salient, Words, lower, word_at
from memapp.domain.salience.word_tables import FREQUENT, LASTING_TO, LIFE_AIMS, TIME, VAGUE_OBJECTS

_NEEDED_AFTER = {
    "trying": "to", "looking": "for", "hoping": "to", "planning": "to on", "working": "as at for in on with towards toward",
    "going": "to", "saving": "for up money", "getting": "married divorced a my", "training": "for to as",
    "taking": "a classes lessons care", "starting": "a my", "moving": "to", "running": "a my", "expecting": "a my",
    "living": "in with on at alone", "dating": "", "building": "a my", "opening": "a my",
}  # fmt: skip


def undertaking(words: Words, denied: bool) -> Salient | None:
    """Keep `I am learning ...` and the like, with what they need after them."""
    lowered = lower(words)
    first, following = lowered[0], word_at(words, 1)
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
    if verb not in LASTING_TO or object_ in VAGUE_OBJECTS | {""}:
        return False
    is_everyday = verb in ("get", "see", "try", "go", "have", "play", "start", "be", "finish", "visit")
    return first == "hoping" or not is_everyday or bool(TIME.search(" ".join(words[2:])))


def want(adverbs: Words, words: Words) -> Salient | None:
    """Keep wishes for a life, not for now: `want to become a nurse`, not `want to book a table`."""
    return _aim([*adverbs, "wants"], words, LIFE_AIMS)


def hope(adverbs: Words, words: Words) -> Salient | None:
    """Keep hopes for a life: `hope to retire early`."""
    return _aim([*adverbs, "hopes"], words, LIFE_AIMS)


def plan(adverbs: Words, words: Words) -> Salient | None:
    """Keep plans for a life: `plan to move to Malta`."""
    return _aim([*adverbs, "plans"], words, LASTING_TO - {"get", "see", "try", "be", "have"})


def _aim(verb: Words, words: Words, lasting: frozenset[str]) -> Salient | None:
    is_study = words[:3] == ["to", "go", "to"] and bool({"school", "college", "university"} & set(lower(words[3:6])))
    lasts = words[:1] == ["to"] and len(words) > 2 and word_at(words, 1) in lasting
    is_of_now = word_at(words, 2) in VAGUE_OBJECTS | {"able", "more", "sure", "as", "back"} or {"you", "soon"} & set(lower(words))
    return Salient([*verb, *words], "goals") if (lasts or is_study) and not is_of_now else None


def try_to(adverbs: Words, words: Words) -> Salient | None:
    """Keep `I try to eat healthy food`, not `I try to install it`."""
    verb = word_at(words, 1)
    is_habit = adverbs or FREQUENT.search(" ".join(words)) or verb in ("eat", "avoid", "stay")
    if words[:1] != ["to"] or verb not in COMMON_VERBS | {"stay"} or not is_habit:
        return None
    is_vague = word_at(words, 2) in VAGUE_OBJECTS | {"my", "as", ""} or " as I " in " ".join(words)
    return None if is_vague else Salient([*adverbs, "tries", *words], "activity")
