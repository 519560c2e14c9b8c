"""What stands in a chat without messages."""

from textual.widgets import Static

from memapp.ui.safe import plain


class Welcome(Static):
    """A few words; at the very first start with the path of the one file, and keys that work in the conversation then."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(plain(text), markup=False, classes="welcome")
        self.path = path
        """Empty but at the first start."""
