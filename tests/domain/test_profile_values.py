"""Values of profile fields, one or several."""

import pytest

from memapp.domain.profile_values import has_value


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
