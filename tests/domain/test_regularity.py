from pytest import approx

from memapp.domain.regularity import chance_among, chance_as_striking


def test_a_day_with_few_chats_that_has_them_all_is_more_striking_than_one_with_many() -> None:
    days = [7, 6, 6, 5, 4, 4, 3]
    rare, frequent = (chance_as_striking(4, 5, on_it, days, sum(days)) for on_it in (4, 7))
    assert rare < frequent < 0.01
    assert chance_as_striking(4, 5, 4, [4, 31], 35) == approx(chance_among(4, 5, 4, 35))
