"""Values of profile fields, one or several."""

import pytest

from memapp.domain.profile_values import has_value, without


@pytest.mark.parametrize(
    ("field", "current", "value", "has"),
    [
        ("city", "Ghent", "ghent ", True),
        ("city", "Ghent", "Oslo", False),
        ("city", "", "", False),
        ("city", "", ".", False),
        ("health", "asthma; gout", "Gout", True),
        ("health", "asthma; gout", "", False),
    ],
)
def test_a_field_has_what_it_says_and_an_empty_one_has_nothing(field: str, current: str, value: str, has: bool) -> None:
    assert has_value(field, current, value) is has


@pytest.mark.parametrize(
    ("field", "gone", "rest"),
    [
        ("health", ["gout"], "asthma"),
        ("health", ["asthma", "gout"], ""),
        ("health", ["asthma; gout"], ""),
        ("city", ["gout"], "asthma; gout"),
        ("city", ["asthma; gout"], ""),
    ],
)
def test_values_that_are_gone_leave_the_others(field: str, gone: list[str], rest: str) -> None:
    assert without(field, "asthma; gout", gone.__contains__) == rest
