"""The arithmetic of regularity: how likely a count, or a count on one weekday, is by chance."""

from collections.abc import Sequence
from math import comb


def chance_of(times: int, among: int, rate: float) -> float:
    """Return the upper tail of the binomial distribution: `times` or more of `among` at a rate."""
    return sum(
        comb(among, count) * rate**count * (1 - rate) ** (among - count)
        for count in range(times, among + 1)
    )


def chance_among(both: int, some: int, others: int, among: int) -> float:
    """Return the hypergeometric upper tail: `both` or more of `some` fall among `others`.

    Fisher's exact test asks this of counts: 4 of 5 chats about a topic on one of 4 Sundays, of 20
    chats.
    """
    ways = sum(
        comb(others, count) * comb(among - others, some - count)
        for count in range(both, min(some, others) + 1)
    )
    return ways / comb(among, some)


def chance_as_striking(
    both: int, some: int, others: int, groups: Sequence[int], among: int
) -> float:
    """Return how likely as striking a share of `some` falls in any group; `others` is one.

    As striking is as unlikely for its group: 3 of 4 Sundays count for more than 3 of 12 Tuesdays.
    """
    striking = chance_among(both, some, others, among)
    tails = (
        [chance_among(many, some, group, among) for many in range(some + 2)] for group in groups
    )
    return sum(next(chance for chance in tail if chance <= striking) for tail in tails)
