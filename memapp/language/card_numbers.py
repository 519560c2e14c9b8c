"""Numbers of payment cards, told from other long numbers by their digits (ISO/IEC 7812)."""

import re
from itertools import accumulate

_FIRST_DIGITS = "23456"
_LENGTHS = range(12, 20)
_RUN = re.compile(r"(?<![+\w])\d(?:[ -]?\d){11,}")
"""Digits with single signs between; behind a plus begins the number of a telephone."""


def has_card_number(text: str) -> bool:
    """Return True for a text with a number like that of a card; a month or code may follow it."""
    return any(
        len(number) in _LENGTHS and number[0] in _FIRST_DIGITS and _passes_luhn(number)
        for run in _RUN.findall(text)
        for number in accumulate(re.split("[ -]", run))
    )


def _passes_luhn(number: str) -> bool:
    """Return True for a number whose last digit checks the others."""
    digits = [int(digit) for digit in reversed(number)]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0
