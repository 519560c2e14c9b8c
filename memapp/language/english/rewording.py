"""Whether two sentences say the same in other words: each word of one is laid beside the word of the other that it stands for.

Two words stand for each other when they are forms of one word, or when WordNet knows them as the same, as derived from each
other, or as a thing and its kind. The words may have moved, as long as each keeps its part: what is given to whom, from where
to where, what is liked more than what. Of a fact about the person nothing may be left over on either side, and nothing be meant
more widely: who is allergic to nuts is not so to peanuts alone. Of any other sentence one side may say more.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from memapp.language.english.grammar import EN
from memapp.language.english.opposites import exclude_each_other
from memapp.language.english.parsed_fact import ParsedFact, Word, counts_single
from memapp.language.english.synonyms import Relation, relations

TURNED = ({"before", "after"}, {"over", "under"}, {"up", "down"}, {"from", "to"}, {"on", "off"}, {"in", "out"})
"""Small words of which one makes the opposite of what the other says."""
_PARTS = (*TURNED, {"with", "without"})
_STANDS_FOR = (Relation.SAME, Relation.DERIVED, Relation.ALIKE, Relation.OF_A_KIND, Relation.NEAR)
"""The likest first."""


@dataclass(frozen=True, slots=True)
class WordPair:
    new: Word
    old: Word
    relation: Relation | None
    """None for forms of one word."""
    is_wider: bool = False
    """The new word is the kind, the old one the thing."""


@dataclass(frozen=True, slots=True)
class Rewording:
    matches: tuple[WordPair, ...]
    added: tuple[Word, ...]
    """Words that only the new sentence has."""
    missing: tuple[Word, ...]
    """Words that only the old sentence has."""

    @property
    def says_more(self) -> bool:
        return bool(self.added) or any(not one.is_wider for one in self.of(Relation.OF_A_KIND))

    @property
    def says_less(self) -> bool:
        return bool(self.missing) or any(one.is_wider for one in self.matches)

    def of(self, relation: Relation) -> list[WordPair]:
        return [one for one in self.matches if one.relation is relation]


def rewording(new: ParsedFact, old: ParsedFact) -> Rewording | None:
    """Return how one of two sentences says in other words what the other does; None when it does not."""
    ways, others = ((each.is_denied, each.is_over, each.is_past) for each in (new, old))
    if ways != others or not (_is_same_subject(new, old) and _are_same(new.hedges, old.hedges)):
        return None
    found = _laid_beside(new, old)
    if found is None or not found.matches or _speaks_against(new, old, found):
        return None
    if new.subject:
        return found if _is_whole(new, old, found) else None
    return None if found.added and found.missing else found


# Whom it is about, and what they do -----------------------------------------------------------------------------------


def _is_same_subject(new: ParsedFact, old: ParsedFact) -> bool:
    return _are_same(new.subject, old.subject) or _has_it(new, old) or _has_it(old, new)


def _has_it(one: ParsedFact, other: ParsedFact) -> bool:
    """Say whether the person has what the other fact is about: `has a cat called Miso`, `User's cat is called Miso`."""
    if one.subject != {"user"} or one.verb != {"have"} or not other.verb <= {"be", "have"} or "user" in other.subject:
        return False
    return any(word.run == one.words[0].run and word.forms & other.subject & one.singles for word in one.words)


def _are_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether words are forms of one, or mean the same: `almost` and `nearly`."""
    found = relations(one, other) | relations(other, one)
    return one == other or not one.isdisjoint(other) or Relation.SAME in found


def _is_whole(new: ParsedFact, old: ParsedFact, found: Rewording) -> bool:
    """Say whether nothing of either fact is lost, and both tell that somebody is, has or does a thing."""
    rest = (*found.added, *found.missing)
    verbs = [(one.new.place == new.verb_at, one.old.place == old.verb_at) for one in found.matches]
    is_only_doing = len(rest) == 1 and not EN.doing.isdisjoint(rest[0].forms) and any(map(any, verbs))
    derived = found.of(Relation.DERIVED)
    is_sure = all(one.relation in (None, Relation.SAME, Relation.DERIVED) for one in found.matches) and len(found.matches) > len(
        derived
    )
    if not is_sure or not (is_only_doing or not rest):
        return False
    is_same_verb = not new.verb.isdisjoint(old.verb) or any(map(all, verbs)) or not _are_same(new.subject, old.subject)
    return all(_says_the_same(new, old, one) for one in derived) and (is_only_doing or is_same_verb or bool(derived))


def _says_the_same(new: ParsedFact, old: ParsedFact, match: WordPair) -> bool:
    """Say whether two words of one root say the same of somebody: `sings`, `is a singer`; `is allergic`, `has an allergy`."""
    is_doer = any(EN.regex("{doers}").fullmatch(word.text) for word in (match.new, match.old))
    if match.new.place == new.verb_at or match.old.place == old.verb_at:
        noun = old if match.new.place == new.verb_at else new
        return noun.verb == {"be" if is_doer else "have"}
    return not is_doer and new.verb | old.verb == {"be", "have"}


# Word by word ---------------------------------------------------------------------------------------------------------


def _laid_beside(new: ParsedFact, old: ParsedFact) -> Rewording | None:
    """Lay two sentences side by side; None when a word has another part in one than in the other."""
    words, others = _with_compounds(new.words, old.words), _with_compounds(old.words, new.words)
    matches = _matches(words, others)
    is_derived = any(one.relation is Relation.DERIVED for one in matches)
    owned = frozenset() if _are_same(new.subject, old.subject) else new.subject ^ old.subject  # stands elsewhere in each
    in_line = [one for one in matches if one.new.forms.isdisjoint(owned)]
    if any(_are_other_parts(one, is_derived=is_derived) for one in matches) or not _is_in_order(in_line):
        return None
    added, missing = _rest(words, {one.new for one in matches}), _rest(others, {one.old for one in matches})
    found = Rewording(matches, added, missing)
    return None if any(_is_other_kind(one, found) for one in found.of(Relation.OF_A_KIND)) else found


def _with_compounds(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    """Return the words, with two of them as one where that is a word of the others: `young woman` beside `girl`."""
    found = list[Word]()
    for word in words:
        before = found[-1] if found and found[-1].run == word.run else None
        pair = frozenset(f"{first}_{form}" for first in before.forms for form in word.forms) if before else frozenset()
        if before and any(relations(pair, other.meanings) & {Relation.SAME, Relation.ALIKE} for other in others):
            found[-1] = replace(before, text=f"{before.text} {word.text}", forms=pair, meanings=pair)
        else:
            found.append(word)
    return found


def _matches(new: Sequence[Word], old: Sequence[Word]) -> tuple[WordPair, ...]:
    """Return which word stands for which; the likest first, and among equals those that stand alike."""
    shift = len(old) / max(len(new), 1)
    found = [
        (rank, abs(shift * i - j), WordPair(word, other, relation, is_wider=is_wider))
        for i, word in enumerate(new)
        for j, other in enumerate(old)
        for rank, relation, is_wider in _stands_for(word, other)
    ]
    matches = list[WordPair]()
    for *_, match in sorted(found, key=lambda one: one[:2]):
        if all(one.new != match.new and one.old != match.old for one in matches):
            matches.append(match)
    return tuple(sorted(matches, key=lambda one: one.new.place))


def _stands_for(one: Word, other: Word) -> Iterator[tuple[int, Relation | None, bool]]:
    """Yield how a word stands for another, if it does, after how likely it does."""
    if EN.disliking.isdisjoint(one.forms) != EN.disliking.isdisjoint(other.forms):
        return  # though `hates` says how one likes a thing
    if not one.forms.isdisjoint(other.forms):
        yield 0, None, False
    elif not (one.number or other.number or one.is_name or other.is_name):
        there, back = relations(one.meanings, other.meanings), relations(other.meanings, one.meanings)
        relation = next((each for each in _STANDS_FOR if each in there | back), None)
        if relation and Relation.OPPOSITE not in there:
            yield _STANDS_FOR.index(relation) + 1, relation, relation not in there


def _are_other_parts(match: WordPair, *, is_derived: bool) -> bool:
    """Say whether a word has another part in one sentence; `allergic to nuts` has the same as `a nut allergy`."""
    one, other = match.new.role, match.old.role
    is_negated = (one in EN.negations) != (other in EN.negations)
    is_bare = not (one and other) and not is_derived
    return one != other and (is_negated or {one, other} in _PARTS or (is_bare and not EN.own_part.isdisjoint({one, other})))


def _is_in_order(matches: Sequence[WordPair]) -> bool:
    """Say whether words that changed places kept their parts."""
    pairs = combinations(matches, 2)
    return all(first.old.place < second.old.place or _may_change_places(first, second) for first, second in pairs)


def _may_change_places(first: WordPair, second: WordPair) -> bool:
    """Say whether two words say the same in the other order: with their prepositions, as items of a list, or as one noun."""
    keeps_role = any(one.new.role and one.new.role == one.old.role for one in (first, second))
    is_listed = first.new.joined_at == second.new.joined_at >= 0 and first.old.joined_at == second.old.joined_at >= 0
    is_noun = first.new.run == second.new.run and bool(first.old.role)
    was_noun = first.old.run == second.old.run and bool(second.new.role)
    return keeps_role or is_listed or is_noun or was_noun


def _rest(words: Sequence[Word], taken: Collection[Word]) -> tuple[Word, ...]:
    return tuple(word for word in words if word not in taken and word.text not in EN.passing)


def _is_other_kind(match: WordPair, found: Rewording) -> bool:
    """Say whether more is said of the wider word: a dining room is no kitchen, though a kitchen is a room."""
    wider, rest = (match.new, found.added) if match.is_wider else (match.old, found.missing)
    return any(word.run == wider.run for word in rest)


def _speaks_against(new: ParsedFact, old: ParsedFact, found: Rewording) -> bool:
    """Say whether what is left makes another thing: an opposite, a name beside something else, `two cats` and `a cat`."""
    rest = (*found.added, *found.missing)
    has_opposites = any(exclude_each_other(word.text, opposite.text) for word in found.added for opposite in found.missing)
    is_split = bool(found.added and found.missing) and any(word.number or word.is_name for word in rest)
    is_counted = counts_single(new, found.added, old) or counts_single(old, found.missing, new)
    return has_opposites or is_split or is_counted or not EN.changing.isdisjoint(word.text for word in rest)
