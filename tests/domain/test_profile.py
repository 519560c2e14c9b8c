"""The fields of the profile, and how their values are compared."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.profile import FIELDS, has_value, is_sensitive, same_value


def test_a_field_that_is_not_listed_is_sensitive() -> None:
    assert is_sensitive("shoe_size")
    assert {name for name in FIELDS if not is_sensitive(name)} == {"tone", "goals_add"}
    assert all(name == field.name == name.lower() for name, field in FIELDS.items())


@pytest.mark.parametrize(
    ("field", "one", "other", "same"),
    [
        ("city", "Oslo", " oslo ", True),
        ("city", "New  York", "new york", True),
        ("city", "Ｏｓｌｏ", "Oslo", True),
        ("preferred_name", "Zoe\u0308", "Zoë", True),
        ("preferred_name", "Strauß", "STRAUSS", True),
        ("pronouns", "they / them", "They/Them", True),
        ("city", "Oslo", "Bergen", False),
        ("preferred_name", "Ana", "Anna", False),
        ("city", "Oslo", "", False),
    ],
)
def test_values_are_compared_in_any_spelling(field: str, one: str, other: str, same: bool) -> None:
    assert same_value(field, one, other) is same


@given(st.text(max_size=60))
def test_a_value_is_the_same_as_itself_in_other_forms(value: str) -> None:
    assert same_value("city", value, f"  {unicodedata.normalize('NFKD', value)} ")
    assert same_value("city", value, value.casefold())


@pytest.mark.parametrize(
    ("field", "says", "value", "has"),
    [
        ("city", ("Ghent",), "ghent ", True),
        ("city", ("Ghent",), "Oslo", False),
        ("city", (), "", False),
        ("health", ("asthma", "gout"), "Gout", True),
        ("health", ("allergic to dust; pollen",), "pollen", False),
    ],
)
def test_a_field_has_the_values_that_it_says_and_no_part_of_them(
    field: str, says: tuple[str, ...], value: str, has: bool
) -> None:
    assert has_value(field, says, value) is has
