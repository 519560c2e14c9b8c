"""Settings from the command line: show, path, set."""

from typing import Any

import click

from memapp.cli.output import say, show, show_json, show_rows
from memapp.cli.shape import ListingGroup, as_json_option


@click.group(cls=ListingGroup)
def config() -> None:
    """Show and change settings."""


@config.command("show")
@as_json_option
@click.pass_obj
def show_(options: dict[str, Any], as_json: bool) -> None:
    """List every setting with its value, where that comes from, and what it is for."""
    from memapp import paths, settings

    loaded = settings.load(paths.locate(options["home"]).config, options["flags"])
    values = loaded.settings.model_dump(mode="json")
    if as_json:
        show_json(values)
        return
    show_rows(
        [
            {
                "name": name,
                "value": values[name] if values[name] != "" else "-",
                "from": loaded.origin.get(name, "default"),
                "for": field.description,
            }
            for name, field in settings.Settings.model_fields.items()
        ],
        False,
    )


@config.command("path")
@click.pass_obj
def path(options: dict[str, Any]) -> None:
    """Print where config.toml is."""
    from memapp import paths

    show(str(paths.locate(options["home"]).config))


@config.command("set")
@click.argument("name")
@click.argument("value")
@click.pass_obj
def set_(options: dict[str, Any], name: str, value: str) -> None:
    """Set NAME to VALUE in config.toml; your comments there stay."""
    from memapp import paths, settings

    settings.write(paths.locate(options["home"]).config, name, value)
    say(f"{name} is now {value}.")
