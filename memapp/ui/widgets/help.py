"""The help beside the screen: what the focused part is for, and the keys that work now, those of memapp first."""

from itertools import groupby

from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import HelpPanel, Markdown, Static

from memapp.ui.safe import joined, plain

KEY_COLUMNS = 9


class Help(HelpPanel):
    """Explains what has the focus."""

    def compose(self) -> ComposeResult:
        yield Markdown(id="widget-help")
        with VerticalScroll(id="help-keys", can_focus=False):
            yield Static(markup=False, id="help-keys-text")

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._show)
        self._show(self.screen)

    def _show(self, screen: Screen[object]) -> None:
        # Each group as it comes: the focused part, what it stands in, the screen, memapp.
        groups = [list(group) for _, group in groupby(screen.active_bindings.values(), key=lambda one: one.node)]
        shown = [words for group in groups if (words := self._group(group))]
        self.query_one("#help-keys-text", Static).update(Content("\n\n").join(shown))

    def _group(self, group: list[ActiveBinding]) -> Content | None:
        keys: dict[str, list[Binding]] = {}
        # What memapp binds has an id. Textual's own keys come after; everybody knows those that only scroll.
        for one in sorted(group, key=lambda one: not one.binding.id):
            binding = one.binding
            if not binding.system and (binding.id or not binding.action.startswith(("scroll_", "page_"))):
                keys.setdefault(binding.action, []).append(binding)
        if not keys:
            return None
        lines = [self._line(bindings) for bindings in keys.values()]
        title = group[0].node.BINDING_GROUP_TITLE
        return Content("\n").join([plain(title, "underline $text-primary"), *lines] if title else lines)

    def _line(self, bindings: list[Binding]) -> Content:
        keys = " ".join(dict.fromkeys(self.app.get_key_display(one) for one in bindings))
        return joined((f"{keys:>{KEY_COLUMNS}} ", "bold $text-accent"), bindings[0].description)
