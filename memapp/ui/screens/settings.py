"""Settings: every knob with its value, its default and where it came from; searchable."""

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memapp.runtime import Runtime
from memapp.services import preferences
from memapp.services.preferences import Preference
from memapp.ui import reading
from memapp.ui.modes import MODES
from memapp.ui.safe import joined, notify, plain, row
from memapp.ui.screens.detail import Line
from memapp.ui.told import told
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.topbar import TopBar


class SettingList(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Change", id="settings.change", key_display="⏎"),
        Binding("j", "cursor_down", "Down", show=False, id="settings.down"),
        Binding("k", "cursor_up", "Up", show=False, id="settings.up"),
    ]


class SettingsScreen(Screen[None]):
    """A list of settings, and what the chosen one means."""

    AUTO_FOCUS = "#settings"
    BINDING_GROUP_TITLE = "Settings"
    HELP = "Enter changes a setting. / searches. The file config.toml keeps your comments."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "default", "Default", id="settings.default"),
        Binding("slash", "search", "Search", id="settings.search"),
        Binding("escape", "leave", "Chat", id="settings.leave"),
    ]

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self.runtime = runtime
        self._shown: list[Preference] = []

    def compose(self) -> ComposeResult:
        yield TopBar(MODES, "settings", right=reading.network(self.runtime))
        yield Input(placeholder="Search settings", compact=True, id="settings-search")
        with Vertical(id="models-body"):
            yield SettingList(id="settings", markup=False, compact=True)
            yield Static(id="setting-note", markup=False)
        yield KeyLine()

    def on_screen_resume(self) -> None:
        self.query_one(TopBar).say(reading.network(self.runtime))
        self._show()

    @on(Input.Changed)
    def _show(self) -> None:
        text = self.query_one(Input).value.lower()
        found = [one for one in preferences.list_preferences(self.runtime) if text in f"{one.name} {one.description}".lower()]
        self._shown = found = sorted(found, key=lambda one: not one.name.startswith(text))
        listed = self.query_one(OptionList)
        at = listed.highlighted or 0
        listed.set_options([Option(_row(one), id=one.name) for one in found] or [Option(plain("  nothing"), disabled=True)])
        listed.highlighted = min(at, len(found) - 1) if found else None

    @on(Input.Submitted)
    def _searched(self) -> None:
        self.query_one(OptionList).focus()

    @on(OptionList.OptionHighlighted)
    def _show_note(self) -> None:
        one = self._chosen()
        if one is None:
            return
        facts = [f"default: {one.default or 'empty'}", f"environment: MEMAPP_{one.name.upper()}"]
        if one.origin:
            facts.insert(0, f"set by {one.origin}")
        if one.reload:
            facts.append("counts when the model is loaded again (F8, R)")
        note = joined((one.name, "bold $primary"), "\n", one.description, "\n", (" · ".join(facts), "$text-muted"))
        self.query_one("#setting-note", Static).update(note)

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_change()

    def action_change(self) -> None:
        """Change the chosen setting; a switch is turned over."""
        one = self._chosen()
        if one is None:
            return
        if one.value in ("true", "false") and one.default in ("true", "false"):
            self._write(one.name, "false" if one.value == "true" else "true")
        else:
            self._ask(one)

    @work(group="settings")
    @told
    async def _ask(self, one: Preference) -> None:
        value = await self.app.push_screen_wait(Line(one.name, one.value, note=one.description, length=1000))
        if value is not None and value != one.value:
            await self._save(one.name, value)

    @work(group="settings")
    @told
    async def _write(self, name: str, value: str) -> None:
        await self._save(name, value)

    async def _save(self, name: str, value: str) -> None:
        await asyncio.to_thread(preferences.set_preference, self.runtime, name, value)
        if name == "theme" and value in self.app.available_themes:
            self.app.theme = value
        notify(self, f"{name} is now {value or 'empty'}.")
        self._show()

    def action_default(self) -> None:
        """Put the chosen setting back to its default."""
        if (one := self._chosen()) is not None and one.value != one.default:
            self._write(one.name, one.default)

    def action_search(self) -> None:
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        self.app.call_later(self.app.action_mode, "chat")  # type: ignore[attr-defined]

    def _chosen(self) -> Preference | None:
        at = self.query_one(OptionList).highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None


def _row(one: Preference) -> Content:
    sign = "* " if one.value != one.default else "  "
    name = row(one.name, 24)
    return joined((sign, "$accent"), name, " " * (26 - name.cell_length), row(one.value or "—", 44))
