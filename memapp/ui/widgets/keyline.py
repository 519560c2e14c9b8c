"""The last line of the screen: the keys that work now. One widget, so that a change of keys costs one line to draw."""

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widgets import Static

from memapp.ui.safe import joined


class KeyLine(Static):
    """The keys that work now, clickable; on the right the one that lists everything."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="keys", markup=False)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._show)

    def on_resize(self) -> None:
        self._show(self.screen)

    def on_click(self, event: events.Click) -> None:
        if key := event.style.meta.get("key"):
            self.app.simulate_key(key)

    def _show(self, screen: Screen[object]) -> None:
        keys: list[Content] = []
        right = Content("")
        actions: set[str] = set()
        for _, binding, enabled, _ in screen.active_bindings.values():
            key = joined((f" {self.app.get_key_display(binding)}", "bold $footer-key-foreground"))
            what = (f" {binding.description} ", "$footer-description-foreground" if enabled else "$text-disabled")
            text = joined(key, what).stylize(Style.from_meta({"key": binding.key}))
            if binding.key == self.app.COMMAND_PALETTE_BINDING:
                right = joined(("▏", "$border"), text[1:])
            elif binding.show and binding.action not in actions:
                actions.add(binding.action)
                keys.append(text)
        space = self.size.width - right.cell_length
        if space > 0:
            self.update(joined(_whole(keys, space), right), layout=False)


def _whole(keys: list[Content], space: int) -> Content:
    """Return as many keys as fit, none of them cut."""
    shown = Content("")
    for key in keys:
        if shown.cell_length + key.cell_length > space + 1:  # a key ends with a blank, of which the last has no need
            break
        shown = joined(shown, key)
    return shown.truncate(space, pad=True)
