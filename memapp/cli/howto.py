"""How-tos from the command line: list, show, run, add, edit.

`rm`, `restore` and `undo` are those of all memories.
"""

from dataclasses import asdict

import click

from memapp.cli.options import NUMBER, ListingGroup, limit_option, reads, words_argument, writes
from memapp.cli.output import Output, listing, short_ids
from memapp.domain.howto import Checklist, numbered
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import howtos, id_lookup


@click.group(cls=ListingGroup)
def howto() -> None:
    """Write down how something is done, and tick off the steps."""


@howto.command("list")
@limit_option(100)
@reads
def list_(runtime: Runtime, limit: int) -> Output:
    """List how-tos and their progress, newest first."""
    name = short_ids(runtime, "memories")

    def row(checklist: Checklist) -> dict[str, str]:
        return {
            "id": name(checklist.howto.id),
            "done": f"{checklist.done} of {len(checklist.done_at)}",
            "title": checklist.howto.text,
        }

    nothing = (
        "No how-to is written down yet. "
        "Try: memapp howto add 'Make tea: 1. Boil water. 2. Pour it. 3. Wait.'"
    )
    return listing(howtos.checklists(runtime, limit + 1), row, nothing, limit)


@howto.command("show")
@click.argument("memory_id", metavar="ID")
@reads
def show_(runtime: Runtime, memory_id: str) -> Output:
    """Show the steps of a how-to, and which are done."""
    return _shown(
        howtos.checklist(runtime, id_lookup.memory(runtime, memory_id, listed_by="howto"))
    )


@howto.command("run")
@click.argument("memory_id", metavar="ID")
@click.argument("steps", metavar="[STEP]...", nargs=-1, type=NUMBER)
@click.option("--again", is_flag=True, help="Start over: every step is open.")
@writes
def run(runtime: Runtime, memory_id: str, steps: tuple[int, ...], again: bool) -> Output:
    """Tick off the next step of a how-to, or the given STEPs.

    A STEP is its number. A step that is done already is opened again. Ticks stay until you start
    over with --again.
    """
    memory_id = id_lookup.memory(runtime, memory_id, listed_by="howto")
    if again:
        howtos.begin_again(runtime, memory_id)
    elif not steps:
        following = howtos.checklist(runtime, memory_id).next_step
        if following is None:
            raise UsageError(
                "Every step is done.", f"To begin again: memapp howto run {memory_id} --again"
            )
        steps = (following,)
    return _shown(howtos.tick(runtime, memory_id, *steps))


@howto.command("add")
@words_argument()
@writes
def add(runtime: Runtime, text: str) -> Output:
    """Add a how-to: a title and its steps.

    For example: memapp howto add 'Make tea: 1. Boil water. 2. Pour it.' With - as TEXT, standard
    input is read: the title on the first line, then one step a line.
    """
    revision = howtos.add(runtime, text)
    return _shown(
        howtos.checklist(runtime, revision.memory_id), "Written down. To undo: memapp undo."
    )


@howto.command("edit")
@click.argument("memory_id", metavar="ID")
@words_argument()
@writes
def edit(runtime: Runtime, memory_id: str, text: str) -> Output:
    """Replace the title and the steps of a how-to.

    TEXT is written as for `memapp howto add`. Steps that change are open again.
    """
    memory_id = id_lookup.memory(runtime, memory_id, listed_by="howto")
    howtos.edit(runtime, memory_id, text)
    return _shown(howtos.checklist(runtime, memory_id), "Changed. To undo: memapp undo.")


def _shown(checklist: Checklist, aside: str = "") -> Output:
    steps = zip(numbered(checklist.howto.steps).splitlines(), checklist.done_at, strict=True)
    lines = [f"{'☑' if at else '☐'} {step}" for step, at in steps]
    data = {**asdict(checklist.howto), "done_at": checklist.done_at}
    return Output(data, "\n".join([checklist.howto.text, *lines]), aside=aside)
