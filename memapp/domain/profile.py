"""The profile: its fields, the values stated for them, and how values are compared."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from memapp.domain.text import one_line

Sensitivity = Literal["sensitive", "benign"]
VALUE_CHARS = 280
CLOSE_PEOPLE = "close_people"
"""The field for sensitive facts about other people."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the profile."""

    name: str
    label: str
    sensitivity: Sensitivity = "sensitive"
    many: bool = False
    """True for a field with several values, to which a new one is added."""


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
    """A value for a field, as stated in a sentence or held by the profile."""

    field: str
    value: str
    """Empty if the sentence names no value of the right kind: nothing to ask or remember."""


def is_sensitive(field: str) -> bool:
    """Return True for a field that only changes with approval, as every unknown field does."""
    return field not in FIELDS or FIELDS[field].sensitivity == "sensitive"


def has_many(field: str) -> bool:
    """Return True for a field with several values."""
    return field in FIELDS and FIELDS[field].many


def has_value(field: str, says: Iterable[str], value: str) -> bool:
    return any(same_value(field, text, value) for text in says)


def same_value(field: str, one: str, other: str) -> bool:
    """Return True for values that differ at most in case, spaces, apostrophes and Unicode form."""
    return normal_value(field, one) == normal_value(field, other)


def normal_value(field: str, value: str) -> str:
    """Return a value in the form used for comparison within a field."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", value).casefold())
    # NFKC turns an acute that stands alone into a space and a combining one.
    plain = one_line(re.sub("[’‘ʼʹ`′]| \u0301", "'", plain))
    if field == "pronouns":
        plain = re.sub(r"\s*/\s*", "/", plain)
    return plain.strip(" .,")
