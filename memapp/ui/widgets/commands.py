"""The list of commands above the composer: those that begin like what is written there."""

from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memapp.domain.commands import COMMANDS, beginning
from memapp.ui.safe import joined, place_toasts

FORM_CELLS = 16


class CommandMenu(OptionList):
    """What can be written after a slash; the focus stays in the composer, whose keys choose here."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="commands", markup=False, compact=True)
        self.display = False

    def offer(self, written: str) -> None:
        """List the commands that begin like this, and hide when there are none."""
        names = beginning(written)
        self.set_options(Option(joined((f"{COMMANDS[one][0]:{FORM_CELLS}}", "bold"), COMMANDS[one][1]), id=one) for one in names)
        self.highlighted = 0 if names else None
        if self.display != bool(names):
            self.display = bool(names)
            self.call_after_refresh(place_toasts, self.screen)

    @property
    def chosen(self) -> str:
        """The name of the command that the cursor is on; empty while nothing is offered."""
        option = self.highlighted_option
        return (option.id or "") if option and self.display else ""

    def step(self, way: int) -> None:
        if way < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()
