"""Models from the command line: list, path, use."""

from typing import Any

import click

from memapp.cli.output import opened, say, show, show_list
from memapp.cli.shape import ListingGroup, as_json_option


@click.group(cls=ListingGroup)
def models() -> None:
    """List the language models and choose one."""


@models.command("list")
@as_json_option
@click.pass_obj
def list_(options: dict[str, Any], as_json: bool) -> None:
    """List the models on this machine, and good ones to get."""
    from memapp.services import models as service

    with opened(options, read_only=True) as runtime:
        choices = service.list_models(runtime)
    show_list(
        choices,
        as_json,
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
    from memapp import paths

    show(str(paths.locate(options["home"], options["database"]).models))


@models.command("use")
@click.argument("name")
@click.pass_obj
def use(options: dict[str, Any], name: str) -> None:
    """Use the model NAME (`bundled`, a name from the list, or a file) from now on."""
    from memapp.services import models as service

    with opened(options) as runtime:
        to_know = service.use_model(runtime, name)
    say(f"From now on: {name}.")
    if to_know:
        say(to_know)
