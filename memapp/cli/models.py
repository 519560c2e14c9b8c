"""Models from the command line: list, path, use."""

from typing import Any

import click

from memapp import paths
from memapp.cli.output import Output, listing, opened, say, show
from memapp.cli.shape import ListingGroup, reads
from memapp.runtime import Runtime
from memapp.services import models as service


@click.group(cls=ListingGroup)
def models() -> None:
    """List the language models and choose one."""


@models.command("list")
@reads
def list_(runtime: Runtime) -> Output:
    """List the models on this machine, and good ones to get."""
    return listing(
        service.list_models(runtime),
        lambda one: {
            "current": "●" if one.current else " ",
            "name": one.name,
            "size": f"{one.bytes / 1e6:,.0f} MB",
            "fit": one.fit,
            "licence": one.licence,
            "note": one.note,
        },
    )


@models.command("path")
@click.pass_obj
def path(options: dict[str, Any]) -> None:
    """Print the folder for your own GGUF files."""
    show(str(paths.locate(options["home"], options["database"]).models))


@models.command("use")
@click.argument("name")
@click.pass_obj
def use(options: dict[str, Any], name: str) -> None:
    """Use the model NAME (`bundled`, a name from the list, or a file) from now on."""
    with opened(options) as runtime:
        to_know = service.use_model(runtime, name)
    say(f"From now on: {name}.")
    if to_know:
        say(to_know)
