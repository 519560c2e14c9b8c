"""Values of profile fields, one or several."""

import pytest

from memapp.domain.profile_values import VALUE_CHARS, fits, has_value, with_value, without


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


def test_a_value_that_is_added_drops_none_and_fits_while_there_is_room() -> None:
    much = "a" * (VALUE_CHARS - len("; gout"))
    assert with_value("health", much, "gout") == f"{much}; gout"
    assert [fits("health", much, "gout"), fits("health", much, "cough"), fits("city", much, "Ghent")] == [True, False, True]


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
