"""The form for an answer in the person's own words, after a council."""

from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult
from textual.widgets import TextArea

from memapp.domain.changes import Revision
from memapp.domain.text import clean
from memapp.ui.dialogs import Form


class AnswerForm(Form[Revision]):
    """A form with one field: the answer."""

    def __init__(self, text: str, save: Callable[[str], Revision]) -> None:
        super().__init__(
            "The answer in your own words", note="It stands in the chat in place of the answer."
        )
        self._text, self._save_text = text, save

    def compose_fields(self) -> ComposeResult:
        yield TextArea(
            clean(self._text), soft_wrap=True, compact=True, tab_behavior="focus", id="answer-text"
        )

    def keys(self) -> list[str]:
        return ["^s save"]

    def saving(self) -> Callable[[], Revision]:
        return partial(self._save_text, self.query_one("#answer-text", TextArea).text)
