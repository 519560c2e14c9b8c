"""Settings: every setting with its value, default and origin; searchable."""

import asyncio
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from memapp.runtime import Runtime
from memapp.services import preferences
from memapp.services.preferences import Preference
from memapp.ui.background import background
from memapp.ui.dialogs import Choice, LineQuestion
from memapp.ui.safe_text import joined, row
from memapp.ui.screens import machines
from memapp.ui.screens.mode import ModeScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.explained_list import Explained, ExplainedRows, columns
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.searchfield import SearchField

SWITCHED = {"true": "on", "false": "off"}


class SettingRows(ExplainedRows[Preference]):
    """The settings that match the search."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Change", id="settings.change", key_display="⏎")
    ]

    def key(self, item: Preference) -> str:
        return item.name

    def draw(
        self,
        item: Preference,
        width: int,  # noqa: ARG002 - what does not fit is cut
    ) -> Content:
        return columns(
            "*" if item.value != item.default else "",
            row(item.label, 24),
            26,
            row(SWITCHED.get(item.value, item.value) or "—"),
        )

    def explain(self, item: Preference) -> Content:
        facts = (
            f"set by {item.origin}" if item.origin else "",
            f"default: {SWITCHED.get(item.default, item.default) or 'empty'}",
            f"environment: {item.variable}" if item.variable else "only in config.toml",
            "counts when the model is loaded again (F8, R)" if item.reload else "",
        )
        named = joined((item.label, "bold $primary"), (f"  {item.name}", "$text-muted"))
        return joined(
            named, "\n", item.description, "\n", (" · ".join(filter(None, facts)), "$text-muted")
        )


class SettingsScreen(ModeScreen):
    """A list of settings, and the explanation of the chosen one."""

    MODE = "settings"
    AUTO_FOCUS = "#settings"
    BINDING_GROUP_TITLE = "Settings"
    HELP = "Enter changes a setting. / searches. The file config.toml keeps your comments."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "default", "Default", id="settings.default"),
        Binding("M", "machines", "Your machines", id="settings.machines"),
        Binding("slash", "search", "Search", id="settings.search"),
        Binding("escape", "back", "Back", show=False, id="settings.leave"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.settings = Explained(SettingRows(id="settings", empty="No setting has these words."))

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield SearchField("Search settings", self.settings.rows)
        yield self.settings
        yield KeyLine()

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        preference = self.settings.rows.current
        return action != "default" or (
            preference is not None and preference.value != preference.default
        )

    @on(RowList.Moved)
    def _offer_keys(self) -> None:
        self.refresh_bindings()

    @on(Input.Changed)
    def _search(self) -> None:
        self.look_again(at="")

    def look_again(self, at: str | None = None) -> None:
        """Show the matching settings; with an empty `at`, from the first row on."""
        text = self.query_one(SearchField).value.lower()
        matching = [
            preference
            for preference in preferences.list_preferences(self.runtime)
            if text in _words(preference)
        ]
        self.settings.rows.show(
            sorted(matching, key=lambda preference: not _words(preference).startswith(text)), at=at
        )

    @on(RowList.Opened)
    def _change_chosen(self) -> None:
        """Change the chosen setting; toggle a switch."""
        preference = self.settings.rows.current
        if preference is None:
            return
        if set(preference.choices) == {"true", "false"}:
            self._write(preference, "false" if preference.value == "true" else "true")
        elif preference.choices:
            self._choose(preference)
        else:
            self._ask(preference)

    @background("settings")
    async def _ask(self, preference: Preference) -> None:
        def keep(value: str) -> None:
            if value != preference.value:
                preferences.set_preference(self.runtime, preference.name, value)

        await self.app.push_screen_wait(
            LineQuestion(
                preference.label, preference.value, keep, note=preference.description, length=1000
            )
        )
        self.look_again()

    @background("settings")
    async def _choose(self, preference: Preference) -> None:
        if preference.name == "theme":
            value = await choose_theme(self.app, self.runtime)
        else:
            shown = {choice: choice for choice in preference.choices}
            value = await self.app.push_screen_wait(
                Choice(preference.label, shown, preference.value, note=preference.description)
            )
        if value is not None and value != preference.value:
            self._write(preference, value)

    @background("settings")
    async def _write(self, preference: Preference, value: str) -> None:
        await asyncio.to_thread(preferences.set_preference, self.runtime, preference.name, value)
        if preference.name == "theme":
            self.app.theme = self.runtime.settings.theme
        self.look_again()

    def action_default(self) -> None:
        if (preference := self.settings.rows.current) is not None:
            self._write(preference, "")

    @background("settings")
    async def action_machines(self) -> None:
        await machines.look_after(self.app, self.session)

    def action_search(self) -> None:
        self.query_one(SearchField).focus()

    def action_back(self) -> None:
        """Go one step back: out of the search, to the chat."""
        if not self.query_one(SearchField).give_up():
            self.action_chat()


async def choose_theme(app: App[Any], runtime: Runtime) -> str | None:
    """Let the person preview and choose a theme; without a choice the colours are restored."""
    note = "The last two follow your terminal."
    look = partial(setattr, app, "theme")
    shown = {name: name for name in preferences.choices(runtime, "theme")}
    return await app.push_screen_wait(Choice("Colours", shown, app.theme, note=note, look=look))


def _words(preference: Preference) -> str:
    """Return the searchable words of a setting."""
    return f"{preference.name} {preference.label} {preference.description}".lower()
