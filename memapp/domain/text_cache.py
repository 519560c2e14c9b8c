"""Caches of functions on texts, all emptied after an erasure: they hold what was erased.

No other cache keeps a text of the person's.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper as TextCache

T = TypeVar("T")

_clear: list[Callable[[], None]] = [re.purge]
"""Empties each cache; a pattern may be made of a text, too, and `re` keeps the last ones."""


def text_cache(maxsize: int) -> "Callable[[Callable[..., T]], TextCache[T]]":
    """Return a decorator that caches the last results of a function on texts."""

    def decorated(function: Callable[..., T]) -> "TextCache[T]":
        cached = lru_cache(maxsize)(function)
        _clear.append(cached.cache_clear)
        return cached

    return decorated


def clear_text_caches() -> None:
    """Empty all caches of texts."""
    for clear in _clear:
        clear()
