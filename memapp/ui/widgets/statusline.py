"""The line above the composer with the current activity; a problem may take three lines."""

from textual.widgets import Static

from memapp.ui.safe_text import place_toasts, row


class StatusLine(Static):
    """The current activity in words."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="status", markup=False)
        self.words = ""

    def say(self, words: str, *, problem: bool = False) -> None:
        was_problem = self.has_class("-problem")
        if words != self.words or problem != was_problem:
            self.words = words
            self.set_class(problem, "-problem")
            self.set_class(bool(words), "-says")
            self.update(row(words, 300), layout=problem or was_problem)
            if self.is_attached:  # else the window closes just now
                self.call_after_refresh(place_toasts, self.screen)
