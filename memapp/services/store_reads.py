"""Reads of the store as services: with a runtime in place of a session."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from memapp.runtime import Runtime
from memapp.store.session import Session

P = ParamSpec("P")
T = TypeVar("T")


def reading(of_store: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Runtime, P], T]:
    """Return a read of the store that takes a runtime in place of a session."""

    @wraps(of_store)
    def read(runtime: Runtime, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return of_store(runtime.read(), *args, **kwargs)

    return read
