"""Screens that are styled once: when they are mounted, and by Textual itself when the theme
changes.
"""

from textual import events
from textual.screen import Screen


class StyledScreen(Screen[None]):
    """A screen that is shown again as it was: Textual would style all of it anew each time, and
    twice where it opens.
    """

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.ScreenResume):
            event.refresh_styles = False
        await super().on_event(event)
