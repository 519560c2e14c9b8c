"""Background work of a screen; its errors are shown as toasts."""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from textual import work
from textual.dom import DOMNode
from textual.worker import Worker

from memapp.errors import MemappError
from memapp.ui.safe_text import notify

P = ParamSpec("P")
S = TypeVar("S", bound=DOMNode)
Method = Callable[Concatenate[S, P], Coroutine[Any, Any, None]]


def background(
    group: str, *, exclusive: bool = False
) -> Callable[[Method[S, P]], Callable[Concatenate[S, P], Worker[None]]]:
    """Run a method of a screen in the background; show its `MemappError` as a toast.

    An exclusive method cancels the running ones of its group.
    """

    def decorated(method: Method[S, P]) -> Callable[Concatenate[S, P], Worker[None]]:
        @work(group=group, exclusive=exclusive)
        @functools.wraps(method)
        async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
            try:
                await method(self, *args, **kwargs)
            except MemappError as error:
                notify(self, str(error), title=error.title, problem=True)
            except Exception:
                # A closing screen loses its widgets one by one; the error means nothing.
                if self.app.is_running and not self._pruning:
                    raise

        return run

    return decorated
