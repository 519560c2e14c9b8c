"""Numbers of payment cards, told from other long numbers by their digits (ISO/IEC 7812)."""

import re

_FIRST_DIGITS, _MOSTLY = "123456", "3456"
"""The first digits of any card, and of nearly all; lists of years begin with the others."""
_LENGTHS, _LENGTHS_IN_GROUPS = range(12, 20), range(13, 20)
_PRINTED = ([4, 4, 4, 4], [4, 6, 5], [4, 6, 4])
"""The digits of each group of a number as cards show it."""
_RUN = re.compile(r"(?<![+\w])\d(?:[ -]?\d){11,}")
"""Digits with single signs between; behind a plus begins the number of a telephone."""


def has_card_number(text: str) -> bool:
    """Return True for a text with a number like that of a card; a month or code may follow it."""
    return any(
        _is_like_card(groups[:end])
        for groups in (re.split("[ -]", run) for run in _RUN.findall(text))
        for end in range(1, len(groups) + 1)
    )


def _is_like_card(groups: list[str]) -> bool:
    """Return True for the first digit and length of a card, if checked or grouped like one.

    One with a wrong digit is not checked, and no less a secret.
    """
    number = "".join(groups)
    if number[0] in _MOSTLY and [len(group) for group in groups] in _PRINTED:
        return True
    lengths = _LENGTHS_IN_GROUPS if len(groups) > 1 else _LENGTHS
    return len(number) in lengths and number[0] in _FIRST_DIGITS and _passes_luhn(number)


def _passes_luhn(number: str) -> bool:
    """Return True for a number whose last digit checks the others."""
    digits = [int(digit) for digit in reversed(number)]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0
