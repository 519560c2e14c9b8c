"""An attempt with a tool outside the app, and the options of its command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from memapp.domain.lessons.recording import ToolStep
from memapp.services.lessons.hints import Drawn

Options = Mapping[str, str]
"""The options of a command line by name; `home` and `db` say where the memory is."""


class Attempted(NamedTuple):
    """One action with a tool, and where it was done."""

    step: ToolStep
    place: str
    """The place of open failures: `tools.markers`."""
    folder: str
    before: Drawn | None = None
    """The hint that was drawn before the action."""


def path_in(options: Options, option: str) -> Path | None:
    """Return the path given for an option, if any."""
    return Path(options[option]) if option in options else None
