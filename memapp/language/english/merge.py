"""The relation of a new sentence to one that is stored: the same, more of the same, its contradiction, or something else.

Similarity alone never makes two sentences the same, because a sentence and its contradiction are as alike as two wordings of
one thing. The words are laid side by side, and numbers, names, negation, certainty, tense, who it is about and what they do
have to agree. What stays different may be an addition, or the wording; one word exchanged for another in an otherwise
equal sentence is another thing. In doubt the two are separate: a repetition does less harm than a lost fact.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memapp.domain.profile import has_many, normal_value
from memapp.language.english.grammar import EN
from memapp.language.english.grounding import SAID
from memapp.language.english.opposites import exclude_each_other
from memapp.language.english.parsed_fact import Forms, ParsedFact, Word, counts_single, items_of, owned_in, parse
from memapp.language.english.profile import stated_by
from memapp.language.english.rewording import TURNED, rewording
from memapp.language.english.slots import FactSlot, is_one, slot_of
from memapp.language.english.synonyms import are_two_of_a_kind

_SEVERAL_HOLD = "language"
"""A field of the profile with one value, of which people have several all the same."""
_YEAR = re.compile(r"(?:\d+_\w+_)?(?:19|20)\d\d")


class MergeVerdict(StrEnum):
    SAME = "same"
    """Says the same; one of the two is enough, see `richer`."""
    UPDATES = "updates"
    """Says the same and more."""
    CONTRADICTS = "contradicts"
    """Both cannot hold; the newer does."""
    SEPARATE = "separate"


@dataclass(frozen=True, slots=True)
class Bands:
    """How alike is alike enough, where all that has to agree does. Measured by `benchmarks.merge`."""

    check: float = 0.80
    """Cosine from which two sentences may say the same."""
    addition: float = 0.85
    """Cosine from which a word inside a fact only says more of it: `a small dog`, but not `a hot dog`."""
    phrase: float = 0.65
    """Cosine from which a phrase behind a fact only says more of it: `a dog named Rex`."""
    wording: float = 0.65
    """How much may be lost from one wording to another of a sentence. What is lost counts in words, (1 - cosine) x words:
    the more words a sentence has, the less one of them moves the cosine."""
    filler: float = 0.15
    """The same where one word is exchanged in an otherwise equal sentence, or in a fact: `a bike`, `a bicycle`."""
    fallback: float = 0.50
    """Cosine from which two stored facts are looked at together at all."""
    exchanged: float = 0.90
    """Cosine from which one word is exchanged for another that may say the same, if a model says that it does."""


MERGE_BANDS = Bands()


@dataclass(frozen=True, slots=True)
class _Difference:
    """One place where two sentences differ; one side is empty where the other adds something."""

    new: tuple[Word, ...]
    old: tuple[Word, ...]
    is_last: bool = False


def compare(new: str, old: str, likeness: float, bands: Bands = MERGE_BANDS) -> MergeVerdict:
    """Say what a new sentence is to a stored one, given the cosine of their embeddings."""
    if new.startswith(SAID) or old.startswith(SAID):  # what cannot be read cannot be laid side by side
        return MergeVerdict.SAME if new == old else MergeVerdict.SEPARATE
    verdict = _by_words(new, old, likeness, bands)
    return _in_other_words(new, old, likeness, bands) if verdict is MergeVerdict.SEPARATE else verdict


def _by_words(new: str, old: str, likeness: float, bands: Bands) -> MergeVerdict:
    one, other = parse(new), parse(old)
    slot, other_slot = slot_of(new), slot_of(old)
    in_same_slot = slot is not None and other_slot is not None and (slot.who, slot.name) == (other_slot.who, other_slot.name)
    if likeness >= bands.fallback and (said := _said_by_the_way(new, old)):
        return said
    if not in_same_slot and not _same_kind(one, other):
        return MergeVerdict.SEPARATE
    differences = _differences(one.words, other.words)
    is_other_number = _numbers_differ(one, other, differences)
    agrees = (
        not is_other_number and not _cannot_agree(one, other, differences) and not (one.subject and _is_other_thing(differences))
    )
    if slot is not None and other_slot is not None and in_same_slot:
        return _of_fillers(slot, other_slot, differences, is_close=agrees and _lost(one, other, likeness) <= bands.filler)
    if one.is_denied != other.is_denied:
        return _of_denial(one, differences, likeness, bands) if is_one(new) else MergeVerdict.SEPARATE
    if is_other_number:
        return _of_numbers(one, differences) if is_one(new) else MergeVerdict.SEPARATE
    if one.is_over != other.is_over or not agrees:
        return MergeVerdict.SEPARATE
    return _of_wording(one, other, differences, likeness, bands)


def _in_other_words(new: str, old: str, likeness: float, bands: Bands) -> MergeVerdict:
    """Compare by what the words mean; where each stands for one of the other sentence, they may be much less alike."""
    one, other = parse(new), parse(old)
    found = rewording(one, other) if likeness >= bands.phrase else None
    if not found or (likeness < bands.check and (one.subject or found.says_more or found.says_less)):
        return MergeVerdict.SEPARATE
    return MergeVerdict.UPDATES if found.says_more else MergeVerdict.SAME


def richer(new: str, old: str) -> str:
    """Return the one of two sentences with the same meaning that tells more; the stored one when they tell as much."""
    return new if tells_more(new, old) else old


def tells_more(one: str, other: str) -> bool:
    """Say whether one of two sentences with the same meaning has more words that carry it."""
    return len(parse(one).words) > len(parse(other).words)


def may_be_about_the_same(one: str, other: str) -> bool:
    """Say whether two facts share a word, both name a number, or say what only one thing can be said of."""
    words, others = parse(one).words, parse(other).words
    if any(word.is_among(others) for word in words) or all(any(word.number for word in side) for side in (words, others)):
        return True
    slot, other_slot = slot_of(one), slot_of(other)
    is_same_slot = slot is not None and other_slot is not None and (slot.who, slot.name) == (other_slot.who, other_slot.name)
    return is_same_slot or state_different_values(one, other)


def state_different_values(one: str, other: str) -> bool:
    """Say whether two facts state different values of a field of the profile that has one: two dates of birth, two faiths."""
    values, others = _values_of(one), _values_of(other)
    return any(not (values[field] <= others[field] or others[field] <= values[field]) for field in values.keys() & others.keys())


@lru_cache(maxsize=1024)
def _values_of(text: str) -> dict[str, frozenset[str]]:
    """Return the words of the value that a fact states of each field that has one."""
    said = (one for one in stated_by(text) if one.value and one.field != _SEVERAL_HOLD and not has_many(one.field))
    return {one.field: frozenset(re.findall(r"\w+", normal_value(one.field, one.value))) for one in said}


def may_take_in(kept: str, gone: str, likeness: float, bands: Bands = MERGE_BANDS) -> bool:
    """Say whether nothing speaks against it that one fact says all of another: then a model may say that it does.

    Whom they are about, numbers, names, negation, certainty and tense agree, and no number and no name is lost.
    """
    one, other = parse(kept), parse(gone)
    differences = _differences(one.words, other.words)
    is_same_subject = one.subject == other.subject or not one.subject.isdisjoint(other.subject)
    ways, others = ((each.is_denied, each.is_over, each.is_past, each.hedges) for each in (one, other))
    is_lost = any((word.number or word.is_name) and not word.is_among(one.words) for word in other.words)
    is_against = is_lost or _numbers_differ(one, other, differences) or _cannot_agree(one, other, differences)
    is_exchange = len(differences) == 1 and all((differences[0].new, differences[0].old)) and one.frame == other.frame
    enough = bands.exchanged if is_exchange else bands.check
    return likeness >= enough and is_same_subject and ways == others and not is_against


def holds_both(text: str, one: str, other: str, likenesses: tuple[float, float]) -> bool:
    """Say whether a sentence says all of two facts and no word more."""
    words = parse(text).words
    known = (*parse(one).words, *parse(other).words)
    says_each = all(
        compare(text, fact, likeness) in (MergeVerdict.SAME, MergeVerdict.UPDATES)
        for fact, likeness in zip((one, other), likenesses, strict=True)
    )
    is_whole = all(word.is_among(words) for word in known) and all(word.is_among(known) for word in words)
    return is_whole and says_each


def _said_by_the_way(new: str, old: str) -> MergeVerdict | None:
    """Return the relation of two facts of which one names in passing what the other says: in a list, or as what it is about."""
    if _names(new, old):
        return MergeVerdict.UPDATES
    return MergeVerdict.SAME if _names(old, new) else None


def _names(more: str, less: str) -> bool:
    """Say whether a fact names all that another says: a list each of its items, `User's sister is a nurse` that there is one."""
    one, other = parse(more), parse(less)
    if any(fact.is_denied or fact.is_over or fact.is_past or fact.hedges for fact in (one, other)):
        return False
    (item, *others), listed = items_of(less), items_of(more)
    if others or not item:
        return False
    if one.subject == other.subject and len(listed) > 2:
        return one.verb == other.verb and any(_are_same(item, each) for each in listed)
    is_had = other.subject == {"user"} and other.verb == {"have"} and all(word & other.singles for word in item)
    return is_had and _are_same(item, owned_in(more))


def _are_same(one: Forms, other: Forms) -> bool:
    return len(one) == len(other) and all(word & same for word, same in zip(one, other, strict=True))


def _of_fillers(one: FactSlot, other: FactSlot, differences: Sequence[_Difference], *, is_close: bool) -> MergeVerdict:
    """Compare what fills a slot that holds one thing at a time; with the same in it, the rest may still tell more."""
    is_more, is_less = _covers(one.filler, other.filler), _covers(other.filler, one.filler)
    if is_more and is_less:
        new, old = _sides(differences)
        adds, lacks = any(not word.is_among(old) for word in new), any(not word.is_among(new) for word in old)
        return MergeVerdict.SAME if not adds else MergeVerdict.SEPARATE if lacks else MergeVerdict.UPDATES
    if is_more:
        return MergeVerdict.UPDATES
    return MergeVerdict.SAME if is_less or is_close else MergeVerdict.CONTRADICTS


def _covers(filler: Sequence[frozenset[str]], other: Sequence[frozenset[str]]) -> bool:
    return all(any(word & mine for mine in filler) for word in other)


def _same_kind(one: ParsedFact, other: ParsedFact) -> bool:
    """Say whether both tell of the same one that a thing is, was or might be done: having dogs is not liking or wanting them."""
    is_same_subject = one.subject == other.subject or not one.subject.isdisjoint(other.subject)
    is_same_verb = one.verb == other.verb or not one.verb.isdisjoint(other.verb)
    return is_same_subject and is_same_verb and one.is_past == other.is_past and one.hedges == other.hedges


def _of_denial(one: ParsedFact, differences: Sequence[_Difference], likeness: float, bands: Bands) -> MergeVerdict:
    """A contradiction is there where all that is denied is stated: `eats red meat` against `does not eat meat`."""
    new, old = _sides(differences)
    denied, stated = (new, old) if one.is_denied else (old, new)
    if denied or _makes_compound(differences):
        return MergeVerdict.SEPARATE
    enough = bands.phrase if _is_phrase_behind(differences) else bands.check
    return MergeVerdict.CONTRADICTS if all(word.number for word in stated) or likeness >= enough else MergeVerdict.SEPARATE


def _of_numbers(one: ParsedFact, differences: Sequence[_Difference]) -> MergeVerdict:
    """Only where nothing but a count differs; a year tells two events apart, and what is past may have happened twice.

    Who has two cats has a cat: that says nothing against the two.
    """
    new, old = _sides(differences)
    if not (new and old):
        return MergeVerdict.SEPARATE
    are_counts = all(word.number and not _YEAR.fullmatch(word.number) for word in [*new, *old])
    return MergeVerdict.CONTRADICTS if are_counts and not one.is_past else MergeVerdict.SEPARATE


def _of_wording(
    one: ParsedFact, other: ParsedFact, differences: Sequence[_Difference], likeness: float, bands: Bands
) -> MergeVerdict:
    """Everything that has to agree does; what is left are additions and other words."""
    new, old = _sides(differences)
    if new and old:
        is_worded_anew = not one.subject and (len(differences) > 1 or one.frame != other.frame)
        allowed = bands.wording if is_worded_anew else bands.filler
        return MergeVerdict.SAME if likeness >= bands.check and _lost(one, other, likeness) <= allowed else MergeVerdict.SEPARATE
    if differences and one.is_denied:
        return MergeVerdict.SEPARATE  # `does not eat red meat` says less than `does not eat meat`
    enough = bands.check
    if differences and one.subject:
        if _makes_compound(differences) or one.frame.count("of") != other.frame.count("of"):
            return MergeVerdict.SEPARATE  # `a cat allergy` and `a picture of a cat` are no cat
        enough = bands.phrase if _is_phrase_behind(differences) else bands.addition
    if likeness < enough:
        return MergeVerdict.SEPARATE
    return MergeVerdict.UPDATES if new else MergeVerdict.SAME


def _is_phrase_behind(differences: Sequence[_Difference]) -> bool:
    last = differences[-1] if len(differences) == 1 else None
    return last is not None and last.is_last and (last.new or last.old)[0].opens_phrase


def _makes_compound(differences: Sequence[_Difference]) -> bool:
    """Say whether something is added right behind the last word, which makes it another thing: `a cat allergy`."""
    last = differences[-1] if differences else None
    return last is not None and last.is_last and not (last.new or last.old)[0].opens_phrase


def _lost(one: ParsedFact, other: ParsedFact, likeness: float) -> float:
    return (1 - likeness) * max(len(one.words), len(other.words))


def _cannot_agree(one: ParsedFact, other: ParsedFact, differences: Sequence[_Difference]) -> bool:
    new, old = _sides(differences)
    has_opposites = any(exclude_each_other(word.text, opposite.text) for word in new for opposite in old)
    dislikes = {any(word.forms & EN.disliking for word in side.words if word.place != side.verb_at) for side in (one, other)}
    is_changed = len(dislikes) > 1 or not EN.changing.isdisjoint(word.text for word in (*new, *old))
    return has_opposites or is_changed or _names_differ(differences) or _rearranged(one, other, differences)


def _numbers_differ(one: ParsedFact, other: ParsedFact, differences: Sequence[_Difference]) -> bool:
    """Two numbers, or one number against `a`; a number beside no number only says more."""
    new, old = _sides(differences)
    both = all(any(word.number for word in side) for side in (new, old))
    return both or counts_single(one, new, other) or counts_single(other, old, one)


def _is_other_thing(differences: Sequence[_Difference]) -> bool:
    """Say whether a thing is exchanged for another of its kind: in a fact that is never the wording."""
    exchanged = ((word, other) for place in differences for word in place.new for other in place.old)
    return any(are_two_of_a_kind(word.meanings, other.meanings) for word, other in exchanged)


def _names_differ(differences: Sequence[_Difference]) -> bool:
    """A name exchanged for anything, or another name on either side."""
    is_exchanged = any(place.new and place.old and any(word.is_name for word in place.new + place.old) for place in differences)
    return is_exchanged or all(any(word.is_name for word in side) for side in _sides(differences))


def _rearranged(one: ParsedFact, other: ParsedFact, differences: Sequence[_Difference]) -> bool:
    """Say whether words changed places, and with them who does what to whom, where from and where to, or what is denied."""
    ours, theirs = set(one.frame) - set(other.frame), set(other.frame) - set(one.frame)
    if any(pair <= ours | theirs and len(pair & ours) == 1 for pair in TURNED):
        return True
    new, old = _sides(differences)
    moved = [word for word in new if word.is_among(old)]
    if not moved:
        return False
    first = next(word for word in one.words if word.is_among(other.words))
    common = [word for word in other.words if word.is_among(one.words)]
    is_of_order = one.is_denied or not EN.ordering.isdisjoint(one.frame)
    return is_of_order or not first.is_among(common[:2]) or any(word.is_name for word in moved)


def _sides(differences: Sequence[_Difference]) -> tuple[list[Word], list[Word]]:
    """Return what only the new sentence has, and what only the old one has."""
    return [word for place in differences for word in place.new], [word for place in differences for word in place.old]


def _differences(new: Sequence[Word], old: Sequence[Word]) -> list[_Difference]:
    """Lay the words side by side by their longest common sequence, and return what is not common, place by place."""
    lengths = [[0] * (len(old) + 1) for _ in range(len(new) + 1)]
    for i in range(len(new) - 1, -1, -1):
        for j in range(len(old) - 1, -1, -1):
            is_same = not new[i].forms.isdisjoint(old[j].forms)
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if is_same else max(lengths[i + 1][j], lengths[i][j + 1])
    places = []
    i = j = after_i = after_j = 0
    while i < len(new) and j < len(old):
        if not new[i].forms.isdisjoint(old[j].forms):
            places.append(_Difference(tuple(new[after_i:i]), tuple(old[after_j:j])))
            i, j = i + 1, j + 1
            after_i, after_j = i, j
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    places.append(_Difference(tuple(new[after_i:]), tuple(old[after_j:]), is_last=True))
    return [place for place in places if _joined(place.new) != _joined(place.old)]


def _joined(words: Sequence[Word]) -> str:
    """`black bird` is `blackbird`."""
    return "".join(word.text for word in words)
