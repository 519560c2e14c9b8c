"""The profile: its fields, what is stated of them, and how their values are compared."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from memapp.domain.text import one_line

Sensitivity = Literal["sensitive", "benign"]
VALUE_CHARS = 280
CLOSE_PEOPLE = "close_people"
"""The field for what is sensitive of somebody else."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that the profile may say about a person."""

    name: str
    label: str
    sensitivity: Sensitivity = "sensitive"
    many: bool = False
    """It may have several values; a new one then stands beside the others."""


FIELDS: Mapping[str, Field] = {
    field.name: field
    for field in (
        Field("preferred_name", "Name"),
        Field("pronouns", "Pronouns"),
        Field("city", "Home"),
        Field("language", "Language"),
        Field("health", "Health", many=True),
        Field("contact", "Contact", many=True),
        Field("address", "Address"),
        Field("birth_date", "Date of birth"),
        Field("relationship", "Relationship", many=True),
        Field("ethnicity", "Ethnicity", many=True),
        Field("religion", "Religion"),
        Field("politics", "Politics", many=True),
        Field("money", "Money", many=True),
        Field("law", "Law", many=True),
        Field(CLOSE_PEOPLE, "Close people", many=True),
        Field("tone", "Tone of answers", "benign", many=True),
        Field("goals_add", "Goals", "benign", many=True),
    )
}


@dataclass(frozen=True, slots=True)
class Hint:
    """A field, and what a sentence, or the profile, says as its value."""

    field: str
    value: str
    """Empty where the field takes a certain kind of value and none is there: there is nothing to
    ask, and nothing to remember.
    """


def is_sensitive(field: str) -> bool:
    """Say whether a field may change only with the person's yes; so may every field that is not
    listed.
    """
    return field not in FIELDS or FIELDS[field].sensitivity == "sensitive"


def has_many(field: str) -> bool:
    """Say whether a field may have several values."""
    return field in FIELDS and FIELDS[field].many


def has_value(field: str, says: Iterable[str], value: str) -> bool:
    return any(same_value(field, text, value) for text in says)


def same_value(field: str, one: str, other: str) -> bool:
    """Say whether two values of a field are the same but for case, spaces, apostrophes and the form
    of their characters.
    """
    return normal_value(field, one) == normal_value(field, other)


def normal_value(field: str, value: str) -> str:
    """Return a value in the form in which values of this field are compared."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", value).casefold())
    plain = one_line(
        re.sub("[’‘ʼʹ`′]| \u0301", "'", plain)
    )  # the last one is what becomes of an acute that stands alone
    if field == "pronouns":
        plain = re.sub(r"\s*/\s*", "/", plain)
    return plain.strip(" .,")
