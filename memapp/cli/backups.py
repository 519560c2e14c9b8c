"""The person's files from the command line: locate, backup, and restoring a backup."""

from pathlib import Path
from typing import Any

import click

from memapp import paths
from memapp.cli.options import PATH, as_json_option
from memapp.cli.output import Output, opened, refuse_own, say, show, show_json
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
    places = paths.locate(options["home"], options["database"])
    place = "database" if place == "db" else place
    if place and not as_json:
        show(str(getattr(places, place)))
        return
    rows = [
        {"place": name, "path": str(getattr(places, name))}
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
    """Replace the memory file by a backup and keep the old one; without a yes, only describe it."""
    from memapp.store import restore

    source = source.absolute()
    if not source.exists():
        raise UsageError(f"There is no file {source}.", "Check its name.")
    try:
        content = restore.look_at(source)
    except Damaged as error:
        raise Damaged(error.message, "Name another file.", source) from None
    if as_json:
        show_json(content)
    held = f"{counted(content.memories, 'memory', 'memories')}, "
    held += f"{counted(content.messages, 'message')} "
    held += f"and {counted(content.waiting, 'pending request')}"
    path = paths.locate(options["home"], options["database"]).database
    strange = (
        f" It is no backup of {path}, but of another memory file."
        if restore.is_of_another(path, source)
        else ""
    )
    if not yes:
        profile = "; ".join(
            f"{label(field)}: {one_line(clean(value))}" for field, value in content.profile
        )
        says = f" Its profile says {profile}." if profile else ""
        raise NeedsYes(
            f"It holds {held}.{says}{strange}",
            "What you erased since it was made comes back. Add --yes to use it.",
        )
    aside = backups.put_back(path, source, say)
    say(f"Restored: {held}.{strange}")
    if aside:
        say(f"The file that was there is kept as {aside}.")
