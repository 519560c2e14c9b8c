"""The person's files from the command line: locate, backup."""

from pathlib import Path
from typing import Any

import click

from memapp.cli.output import opened, say, show, show_rows

PLACES = ("config", "personas", "database", "models", "cache", "log")


@click.command()
@click.argument("place", type=click.Choice(PLACES), required=False)
@click.pass_obj
def locate(options: dict[str, Any], place: str | None) -> None:
    """Print where things are."""
    from memapp import paths

    found = paths.locate(options["home"], options["database"])
    if place:
        show(str(getattr(found, place)))
    else:
        show_rows([{"place": name, "path": str(getattr(found, name))} for name in PLACES], False)


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.pass_obj
def backup(options: dict[str, Any], target: Path) -> None:
    """Write a checked copy of the memory file to TARGET."""
    with opened(options, read_only=True) as runtime:
        runtime.database.backup(target.expanduser().absolute())
    say(f"Written to {target}.")
