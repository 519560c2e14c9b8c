"""The person's files from the command line: locate, backup, and a backup put back."""

from pathlib import Path
from typing import Any

import click

from memapp import paths
from memapp.cli.output import Output, opened, refuse_own, say, show, show_json
from memapp.cli.shape import PATH, as_json_option
from memapp.domain.consent import label
from memapp.domain.text import clean, counted, one_line
from memapp.errors import Damaged, NeedsYes, UsageError
from memapp.services import backups

PLACES = ("config", "personas", "database", "models", "cache", "log")


@click.command()
@click.argument("place", type=click.Choice((*PLACES, "db")), required=False)
@as_json_option
@click.pass_obj
def locate(options: dict[str, Any], place: str | None, as_json: bool) -> None:
    """Print where memapp keeps its files."""
    found = paths.locate(options["home"], options["database"])
    place = "database" if place == "db" else place
    if place and not as_json:
        show(str(getattr(found, place)))
        return
    rows = [
        {"place": name, "path": str(getattr(found, name))}
        for name in ([place] if place else PLACES)
    ]
    Output(rows, rows=rows).write(as_json)


@click.command()
@click.argument("target", type=PATH)
@click.option("--yes", is_flag=True, help="Replace TARGET if it exists.")
@as_json_option
@click.pass_obj
def backup(options: dict[str, Any], target: Path, yes: bool, as_json: bool) -> None:
    """Write a checked copy of the memory file to TARGET."""
    path = target.absolute()
    refuse_own(options, path)
    if path.is_file() and not yes:
        raise NeedsYes(f"There is a file {target} already.", "Add --yes to replace it.")
    if not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent}.", "Make it first, or name another.")
    with opened(options, read_only=True) as runtime:
        backups.write_copy(runtime, path)
    Output({"path": str(path), "bytes": path.stat().st_size}, aside=f"Written to {target}.").write(
        as_json
    )


def restore_file(options: dict[str, Any], source: Path, *, yes: bool, as_json: bool) -> None:
    """Put a backup in place of the memory file, which is moved aside. Without a yes only say what
    is in it.
    """
    from memapp.store import restore

    source = source.absolute()
    if not source.exists():
        raise UsageError(f"There is no file {source}.", "Check its name.")
    try:
        found = restore.look_at(source)
    except Damaged as error:
        raise Damaged(error.message, "Name another file.", source) from None
    if as_json:
        show_json(found)
    held = f"{counted(found.memories, 'memory', 'memories')}, {counted(found.messages, 'message')}"
    held += f" and {counted(found.waiting, 'undecided request')}"
    path = paths.locate(options["home"], options["database"]).database
    strange = (
        f" It is no backup of {path}, but of another memory file."
        if restore.is_of_another(path, source)
        else ""
    )
    if not yes:
        known = "; ".join(
            f"{label(field)}: {one_line(clean(value))}" for field, value in found.profile
        )
        raise NeedsYes(
            f"It holds {held}." + (f" Its profile says {known}." if known else "") + strange,
            "What you erased since it was made comes back. Add --yes to use it.",
        )
    aside = backups.put_back(path, source, say)
    say(f"Restored: {held}.{strange}")
    if aside:
        say(f"The file that was there is kept as {aside}.")
