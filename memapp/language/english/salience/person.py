"""The statements about oneself that are worth remembering: who somebody is, likes, has, does, plans and has lived through.

Each rule takes what follows the verb it is named after and returns the predicate with its verb in the third person, or
nothing. Verbs of thinking, saying, wanting right now and small talk have no rule, on purpose.
"""

from collections.abc import Callable
from functools import partial

from memapp.language.english.grammar import EN, is_past, word_at
from memapp.language.english.salience.being import am, was
from memapp.language.english.salience.doing import aim, can, did, do_not, present, used
from memapp.language.english.salience.having import had, have
from memapp.language.english.salience.past import past
from memapp.language.english.salience.salient import Salient, Words, split_denial, tells
from memapp.language.english.third_person import split_adverbs


def of_person(words: Words) -> Salient | None:
    """Judge and rewrite what follows `I`."""
    adverbs, rest = split_adverbs(words)
    if not rest:
        return None
    verb, after = rest[0].casefold(), rest[1:]
    rule = _RULES.get(verb)
    if rule is not None:
        return rule(adverbs, after)
    is_ambiguous_past = verb in EN.unchanged_past and tells("happened", words)
    if is_past(verb) or verb in EN.past_by_itself or is_ambiguous_past:
        return past(adverbs, verb, after)
    return present(adverbs, verb, after)


def _do(adverbs: Words, words: Words) -> Salient | None:
    """Keep `do not like`, the emphatic `do like`, and the verb itself: `do yoga`."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    verb, following = word_at(rest, 0), word_at(rest, 1)
    if denial:
        return do_not(verb, rest[1:], more)
    is_emphatic = verb in EN.transitive_liking | {"have", "own", "live"} or (
        verb == "work" and following in ("as", "at", "for", "in")
    )
    if is_emphatic and len(rest) > 1:
        return of_person([*more, *rest])
    if verb in EN.vague_objects | {"my", "well", "good", "great", "okay", "fine", ""} or more or is_past(verb):
        return None
    return Salient(["does", *adverbs, *rest], "activity")


def _nothing(_adverbs: Words, _words: Words) -> Salient | None:
    return None


_Rule = Callable[[Words, Words], Salient | None]
"""Takes the adverbs before the verb and what comes after it."""
_RULES: dict[str, _Rule] = {
    "am": am, "was": was, "have": have, "do": _do, "did": did, "had": had, "can": can, "used": used,
    "are": _nothing, "is": _nothing, "has": _nothing,
    "want": partial(aim, "wants"), "hope": partial(aim, "hopes"), "plan": partial(aim, "plans"), "try": partial(aim, "tries"),
}  # fmt: skip
