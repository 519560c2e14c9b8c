"""The person's files from the command line: locate, backup, and a backup put back."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from memapp.cli.output import opened, say, show, show_rows
from memapp.domain.text import clean, one_line
from memapp.errors import NeedsYes

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


def restore_file(options: dict[str, Any], source: Path, *, yes: bool) -> None:
    """Put a backup in place of the memory file, which is moved aside. Without a yes only say what is in it."""
    from memapp import paths
    from memapp.store import restore

    source = source.expanduser().absolute()
    found = restore.look_at(source)
    ending = f"; {found.waiting:,} undecided proposals end" if found.waiting else ""
    if not yes:
        known = "; ".join(f"{field}: {one_line(clean(value))}" for field, value in found.profile)
        raise NeedsYes(
            f"It holds {found.memories:,} memories and {found.messages:,} messages{ending}."
            + (f" Its profile says {known}." if known else ""),
            "What you erased since it was made comes back. Add --yes to use it.",
        )
    path = paths.locate(options["home"], options["database"]).database
    aside = restore.put_in_place(path, source, datetime.now(UTC))
    with opened(options):  # an older file is brought up to date now
        say(f"Restored: {found.memories:,} memories and {found.messages:,} messages{ending}.")
    if aside:
        say(f"The file that was there is kept as {aside}.")
