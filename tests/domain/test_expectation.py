"""The arithmetic of the expectation check."""

import pytest

from memapp.domain.expectation import may_become


@pytest.mark.parametrize(
    ("typed", "expected", "may"),
    [
        ("", "How do I brew it?", True),
        ("How do", "How do I brew it?", True),
        ("how do i brwe", "How do I brew it?", True),
        ("My car", "How do I brew it?", False),
    ],
)
def test_a_beginning_may_become_what_is_expected(typed: str, expected: str, may: bool) -> None:
    assert may_become(typed, expected) is may
