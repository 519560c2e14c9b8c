"""The same in other words is one fact; what differs in one thing is not, and no word is taken for another in a rare sense."""

import pytest

from memapp.language.english.merge import MERGE_BANDS, MergeVerdict, compare

ALIKE = 0.9
"""As what differs in one thing is, too."""


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("User owns a cat named Miso.", "User has a cat called Miso."),
        ("User is a primary school teacher.", "User works as a teacher at a primary school."),
        ("User's mum has a peanut allergy.", "User's mother is allergic to peanuts."),
        ("In March User began a new job.", "User started a new job in March."),
        ("Three times a week User swims.", "User swims three times a week."),
        ("User sings in a choir.", "User is a singer in a choir."),
        ("User has a collection of seaside postcards.", "User collects postcards from the seaside."),
        ("User completed a photography course.", "User finished a course in photography."),
        ("User's dog Rufus passed away.", "User's dog Rufus died."),
        ("User would like to visit Rome.", "User wants to visit Rome."),
        ("User can't stand loud music.", "User hates loud music."),
        ("A dog is leaping over a chain.", "A dog jumps over a chain."),
        ("A young woman sits on a bench.", "A girl is sitting on a bench."),
        ("A brown and white dog is running across the grass.", "A white and brown dog is running over grass."),
    ],
)
def test_what_is_told_in_other_words_is_the_same(new: str, old: str) -> None:
    assert compare(new, old, ALIKE) is MergeVerdict.SAME
    assert compare(old, new, ALIKE) in (MergeVerdict.SAME, MergeVerdict.UPDATES)
    assert compare(new, old, MERGE_BANDS.fallback) is MergeVerdict.SEPARATE, "words alone are not enough"


def test_what_the_person_has_is_the_same_as_what_is_told_of_it() -> None:
    facts = ["User's garden is big.", "User has a big garden."]
    assert compare(*facts, 0.95) is MergeVerdict.SAME
    assert compare("User's garden is small.", facts[1], 0.95) is MergeVerdict.SEPARATE


def test_what_says_more_in_other_words_takes_the_other_in() -> None:
    less, more = "A big brown dog sleeps under a table in a bar.", "A big brown dog is napping under a table in a bar."
    assert compare(more, less, 0.82) is MergeVerdict.UPDATES
    assert compare(less, more, 0.82) is MergeVerdict.SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User prefers tea to coffee.", "User prefers coffee to tea."),
        ("User moved from Berlin to Hamburg.", "User moved from Hamburg to Berlin."),
        ("User's sister Anna lent Ben a bike.", "User's sister Anna owes Ben a bike."),
        ("Anna loaned Ben a bike.", "Ben lent Anna a bike."),
        ("User owes a friend money.", "A friend owes User money."),
        ("User likes jazz but not opera.", "User likes opera but not jazz."),
        ("User sleeps badly before exams.", "User sleeps well before exams."),
        ("User's friend smokes a lot.", "User's friend smokes a little."),
        ("User's father is a retired police officer.", "User's father is a police officer."),
        ("User began a course in pottery.", "User finished a course in pottery."),
        ("User is allergic to nuts.", "User is allergic to peanuts."),
        ("User likes seafood.", "User likes shrimp."),
        ("User plays football on Sundays.", "User plays soccer on Sundays."),
        ("User is good at chess before noon.", "User is good at chess after noon."),
        ("User has a piano teacher.", "User teaches piano."),
        ("User hates smokers.", "User hates smoking."),
        ("User is an employee of a bank.", "User employs a bank."),
        ("User has a cat and a dog called Rex.", "User's cat is called Rex."),
        ("User studied medicine.", "User studies medical science."),
        ("User started a small firm.", "User will begin a small firm."),
        ("A woman stands near a small lake.", "A woman stands far from a little lake."),
        ("A man works in a kitchen.", "A man works in a dining room."),
        ("Two kids play on the sofa.", "A child plays on the couch."),
        ("The little boy hates christmas.", "The small boy loves christmas."),
        ("A dog chases a small child.", "A little child chases a dog."),
    ],
)
def test_what_differs_in_one_thing_is_never_the_same_in_other_words(one: str, other: str) -> None:
    for new, old in ((one, other), (other, one)):
        assert compare(new, old, ALIKE) not in (MergeVerdict.SAME, MergeVerdict.UPDATES), (new, old)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User buys old bikes.", "User steals old bikes."),
        ("User has a boy called Tom.", "User has a son called Tom."),
        ("User called a friend yesterday.", "User named a friend yesterday."),
        ("User raises chickens.", "User lifts chickens."),
        ("User rides a horse every week.", "User drives a horse every week."),
        ("User draws comics.", "User pulls comics."),
        ("User met Ana in Rome.", "User satisfied Ana in Rome."),
        ("User is engaged to Ana.", "User is hired by Ana."),
        ("User likes pizza.", "User wants pizza."),
        ("User misses the children.", "User lacks the children."),
        ("User got a dog in May.", "User became a dog in May."),
        ("User believes in God.", "User thinks of God."),
    ],
)
def test_words_that_mean_the_same_in_a_rare_sense_only_do_not_in_a_fact(one: str, other: str) -> None:
    assert compare(one, other, 0.9) is compare(other, one, 0.9) is MergeVerdict.SEPARATE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User learned to knit from a grandmother.", "User learned to knit from a grandfather."),
        ("User enjoys handicraft and loves gardening.", "User enjoys handicraft and hates gardening."),
        ("User eats no sugar on weekdays.", "User drinks no sugar on weekdays."),
        ("User likes the hotels of a small city.", "User likes the hotels of a small town."),
    ],
)
def test_a_thing_exchanged_for_another_of_its_kind_is_no_wording(one: str, other: str) -> None:
    assert compare(one, other, 0.99) is compare(other, one, 0.99) is MergeVerdict.SEPARATE
