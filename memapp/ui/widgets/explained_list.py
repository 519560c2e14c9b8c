"""Rows with the explanation of the current one below: the shape of Models and Settings."""

from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memapp.ui.safe_text import Part, joined
from memapp.ui.widgets.rowlist import RowList

T = TypeVar("T")


class ExplainedRows(RowList[T]):
    """Rows with an explanation each."""

    def explain(self, item: T) -> Content:
        """Return the explanation of a row."""
        raise NotImplementedError


class Explained(Vertical, Generic[T]):
    """The list, and the explanation of its current row."""

    def __init__(self, rows: ExplainedRows[T]) -> None:
        super().__init__()
        self.rows = rows
        self._note = Static(markup=False)

    def compose(self) -> ComposeResult:
        yield self.rows
        yield self._note

    @on(RowList.Moved)
    def _explain(self) -> None:
        item = self.rows.current
        self._note.update("" if item is None else self.rows.explain(item))


def columns(sign: str, name: Content, width: int, *rest: Part) -> Content:
    """Return a row: a sign, a name in a column of this width, and the rest."""
    return joined((f"{sign:2}", "$accent"), name, " " * max(1, width - name.cell_length), *rest)
