"""The arithmetic of regularity: how likely it is that something came up so often, or so often on
one day, by chance.
"""

from collections.abc import Sequence
from math import comb


def chance_of(times: int, among: int, rate: float) -> float:
    """Return how likely something of this rate comes up so many times or more: the upper tail of
    the binomial distribution.
    """
    return sum(
        comb(among, count) * rate**count * (1 - rate) ** (among - count)
        for count in range(times, among + 1)
    )


def chance_among(both: int, some: int, others: int, among: int) -> float:
    """Return how likely so many or more of `some` fall among `others`: the upper tail of the
    hypergeometric distribution.

    It is what Fisher's exact test asks of the counts: 4 of 5 chats about it on one of 4 Sundays, of
    20 chats.
    """
    ways = sum(
        comb(others, count) * comb(among - others, some - count)
        for count in range(both, min(some, others) + 1)
    )
    return ways / comb(among, some)


def chance_as_striking(
    both: int, some: int, others: int, groups: Sequence[int], among: int
) -> float:
    """Return how likely as striking a share of `some` falls among any of several groups, of which
    `others` is one.

    As striking is what is as unlikely of its group: 3 of 4 Sundays count for more than 3 of 12
    Tuesdays.
    """
    striking = chance_among(both, some, others, among)
    tails = (
        [chance_among(many, some, group, among) for many in range(some + 2)] for group in groups
    )
    return sum(next(chance for chance in tail if chance <= striking) for tail in tails)
