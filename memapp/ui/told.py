"""Errors that can be explained are told on the screen, by the coroutine that met them."""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from textual.dom import DOMNode

from memapp.errors import MemappError
from memapp.ui.safe import notify

P = ParamSpec("P")
S = TypeVar("S", bound=DOMNode)


def told(work: Callable[Concatenate[S, P], Coroutine[Any, Any, None]]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, None]]:
    """Let a method of a screen show the `MemappError` it ends with as a toast."""

    @functools.wraps(work)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await work(self, *args, **kwargs)
        except MemappError as error:
            notify(self, str(error), title=error.title, problem=True)

    return run
