"""Screens that are styled once, when they are mounted, and again when the theme changes."""

from textual import events
from textual.screen import Screen


class StyledScreen(Screen[None]):
    """A screen that keeps its style: Textual would style every widget at each opening."""

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.ScreenResume):
            event.refresh_styles = False
        await super().on_event(event)
