"""Settings from the command line: show, path, set."""

from typing import Any

import click

from memapp import paths, settings
from memapp.cli.options import ListingGroup, as_json_option
from memapp.cli.output import Output, say, show


@click.group(cls=ListingGroup)
def config() -> None:
    """Show and change settings."""


@config.command("show")
@as_json_option
@click.pass_obj
def show_(options: dict[str, Any], as_json: bool) -> None:
    """List every setting with its value, origin and purpose."""
    from memapp.services import preferences

    loaded = settings.load(paths.locate(options["home"]).config, options["flags"])
    values = loaded.settings.model_dump(mode="json")
    rows = [
        {
            "name": name,
            "value": values[name] if as_json else preferences.shown(values[name]) or "-",
            "from": loaded.origin.get(name, "default"),
            "for": field.description,
        }
        for name, field in settings.Settings.model_fields.items()
    ]
    Output(rows, rows=rows).write(as_json)


@config.command("path")
@click.pass_obj
def path(options: dict[str, Any]) -> None:
    """Print where config.toml is."""
    show(str(paths.locate(options["home"]).config))


def _settings_beginning(_ctx: click.Context, _argument: click.Parameter, begun: str) -> list[str]:
    """Return the settings whose names begin so."""
    return [name for name in settings.Settings.model_fields if name.startswith(begun)]


@config.command("set")
@click.argument("name", shell_complete=_settings_beginning)
@click.argument("value")
@click.pass_obj
def set_(options: dict[str, Any], name: str, value: str) -> None:
    """Set NAME to VALUE in config.toml; comments stay.

    An empty VALUE ("") restores the default.
    """
    from memapp import bootstrap
    from memapp.services import preferences

    places = paths.locate(options["home"], options["database"])
    wanted = settings.parse(name, value)
    if name in (*preferences.NAMING, *preferences.LIMITS):
        allowed = settings.load(places.config, {name: wanted}).settings
        preferences.check(name, allowed, places, bootstrap.read_personas(places))
    settings.write(places.config, name, value)
    say(preferences.said_now(name, wanted if value and isinstance(wanted, str) else value))
