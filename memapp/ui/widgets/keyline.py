"""The last line of the screen: the keys that work now.

A single widget, so that a change of keys redraws only one line.
"""

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widgets import Static

from memapp.ui.safe_text import joined


class KeyLine(Static):
    """The keys that work now, clickable; on the right the key of the palette."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="keys", markup=False)
        self._shown: object = None

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._show)

    def on_resize(self) -> None:
        self._show(self.screen)

    def on_click(self, event: events.Click) -> None:
        if key := event.style.meta.get("key"):
            self.app.simulate_key(key)

    def _show(self, screen: Screen[object]) -> None:
        palette = self.app.COMMAND_PALETTE_BINDING
        keys: dict[str, tuple[Binding, bool]] = {}
        for _, binding, enabled, _ in screen.active_bindings.values():
            if binding.show or binding.key == palette:
                keys.setdefault(binding.action, (binding, enabled))
        shown = (self.size.width, *keys.values())
        if shown == self._shown:  # Called with each move of a cursor, and mostly unchanged.
            return
        self._shown = shown
        texts = [
            self._text(binding, enabled)
            for binding, enabled in keys.values()
            if binding.key != palette
        ]
        last = [
            joined(("▏", "$border"), self._text(*key)[1:])
            for key in keys.values()
            if key[0].key == palette
        ]
        right = last[0] if last else Content("")
        space = self.size.width - right.cell_length
        if space > 0:
            self.update(joined(_whole(texts, space), right), layout=False)

    def _text(self, binding: Binding, enabled: bool) -> Content:
        key = (f" {self.app.get_key_display(binding)}", "bold $footer-key-foreground")
        what = (
            f" {binding.description} ",
            "$footer-description-foreground" if enabled else "$text-disabled",
        )
        return joined(key, what).stylize(Style.from_meta({"key": binding.key}))


def _whole(keys: list[Content], space: int) -> Content:
    """Return as many whole keys as fit."""
    shown = Content("")
    for key in keys:
        # Each key ends with a blank, which the last one does not need.
        if shown.cell_length + key.cell_length > space + 1:
            break
        shown = joined(shown, key)
    return shown.truncate(space, pad=True)
