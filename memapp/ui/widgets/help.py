"""The help beside the screen: the purpose of the focused part, and the keys that work now."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import HelpPanel, Markdown, Static

from memapp.ui.safe_text import joined, plain

KEY_COLUMNS = 9


class Help(HelpPanel):
    """The help on the focused widget."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help-keys", can_focus=False):
            yield Markdown(id="widget-help")
            yield Static(markup=False, id="help-keys-text")

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._show)
        self._show(self.screen)

    def _show(self, screen: Screen[object]) -> None:
        ours: dict[DOMNode, list[Binding]] = {}
        theirs: list[Binding] = []
        for node, binding, *_ in screen.active_bindings.values():
            if binding.id:  # Every binding of memapp has an id.
                ours.setdefault(node, []).append(binding)
            elif not binding.system and not binding.action.startswith(("scroll_", "page_")):
                theirs.append(binding)
        groups: dict[str, list[Binding]] = {}
        # Groups with a title come first, those of the app last.
        for node in sorted(ours, key=lambda node: (node is self.app, not node.BINDING_GROUP_TITLE)):
            title = (
                node.BINDING_GROUP_TITLE
                or (screen.BINDING_GROUP_TITLE if node is not self.app else None)
                or self.app.title
            )
            groups.setdefault(title, []).extend(_in_order(node, ours[node]))
        groups |= {"Also": theirs} if theirs else {}
        shown = Content("\n\n").join(self._group(*group) for group in groups.items())
        self.query_one("#help-keys-text", Static).update(shown)

    def _group(self, title: str, bindings: list[Binding]) -> Content:
        keys: dict[str, list[Binding]] = {}
        for binding in bindings:
            keys.setdefault(binding.action, []).append(binding)
        return Content("\n").join(
            [plain(title, "underline $text-primary"), *(self._line(same) for same in keys.values())]
        )

    def _line(self, bindings: list[Binding]) -> Content:
        keys = " ".join(dict.fromkeys(self.app.get_key_display(binding) for binding in bindings))
        return joined((f"{keys:>{KEY_COLUMNS}} ", "bold $text-accent"), bindings[0].description)


def _in_order(node: DOMNode, bindings: list[Binding]) -> list[Binding]:
    """Return the keys of a widget in the order of declaration; keys of Textual would come first."""
    declared = [binding.id for binding in node.BINDINGS if isinstance(binding, Binding)]
    return sorted(
        bindings,
        key=lambda binding: declared.index(binding.id) if binding.id in declared else len(declared),
    )
