"""Work beside drawing and keys; errors that can be explained are told on the screen, by the
coroutine that met them.
"""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from textual import work
from textual.dom import DOMNode
from textual.worker import Worker

from memapp.errors import MemappError
from memapp.ui.safe import notify

P = ParamSpec("P")
S = TypeVar("S", bound=DOMNode)
Method = Callable[Concatenate[S, P], Coroutine[Any, Any, None]]


def background(
    group: str, *, exclusive: bool = False
) -> Callable[[Method[S, P]], Callable[Concatenate[S, P], Worker[None]]]:
    """Let a method of a screen run beside it, and show the `MemappError` it ends with as a toast.

    An exclusive one ends those of its group that still run.
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
                if (
                    self.app.is_running and not self._pruning
                ):  # what closes loses its widgets one by one: no harm
                    raise

        return run

    return decorated
