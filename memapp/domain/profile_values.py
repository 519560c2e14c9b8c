"""Values of profile fields: a field has one value, or several parted by semicolons."""

from collections.abc import Callable

from memapp.domain.profile import FIELDS, same_value

VALUE_CHARS = 280
BETWEEN = "; "


def has_value(field: str, current: str, value: str) -> bool:
    """Say whether a field says this already; an empty field says nothing."""
    parts = current.split(BETWEEN) if adds_up(field) else [current]
    return current != "" and any(same_value(field, part, value) for part in parts)


def with_value(field: str, current: str, value: str) -> str:
    """Return what a field says with a value added, or put in place; that may be more than it has room for, see `fits`."""
    return BETWEEN.join((current, value)) if adds_up(field) and current and value else value


def fits(field: str, current: str, value: str) -> bool:
    """Say whether a field has room for a value beside what it says: nothing that it says is dropped for another."""
    return len(with_value(field, current, value)) <= VALUE_CHARS


def added_value(field: str, old: str, new: str) -> str:
    """Return what the change from `old` to `new` adds; for a field that has one value, that is `new`."""
    if not adds_up(field):
        return new
    before = old.split(BETWEEN)
    return BETWEEN.join(part for part in new.split(BETWEEN) if part not in before)


def lost_values(field: str, old: str, new: str) -> list[str]:
    """Return what a field said and says no longer."""
    before = old.split(BETWEEN) if adds_up(field) else [old]
    return [part for part in before if part and not has_value(field, new, part)]


def without(field: str, value: str, is_gone: Callable[[str], bool]) -> str:
    """Return what is left of a field without those of its values that are gone; nothing if the rest, as a whole, is gone too."""
    parts = value.split(BETWEEN) if adds_up(field) else [value]
    rest = BETWEEN.join(part for part in parts if not is_gone(part))
    return "" if is_gone(rest) else rest


def adds_up(field: str) -> bool:
    """Say whether a field may have several values."""
    return field in FIELDS and FIELDS[field].many
