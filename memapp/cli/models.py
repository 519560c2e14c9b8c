"""Models from the command line: list, path, use, test, get, rm."""

import sys
from dataclasses import replace
from typing import Any

import click

from memapp import paths
from memapp.cli.output import Output, listing, load_embedder, opened, say, show
from memapp.cli.shape import ListingGroup, as_json_option, reads, yes_option
from memapp.domain.text import percent
from memapp.errors import ModelError, NeedsYes
from memapp.runtime import Cancel, Runtime
from memapp.services import downloads, self_test
from memapp.services import models as service


@click.group(cls=ListingGroup)
def models() -> None:
    """List the language models, choose one, download one."""


@models.command("list")
@reads
def list_(runtime: Runtime) -> Output:
    """List the models on this machine, those of other programs too, and good ones to get."""
    found = listing(
        service.list_models(runtime),
        lambda one: {
            "current": "●" if one.current else " ",
            "name": one.name,
            "size": f"{one.bytes / 1e6:,.0f} MB",
            "needs": _needs(one),
            "about": " · ".join(part for part in (_where(one), one.licence, one.note, one.form) if part),
        },
    )
    return replace(found, notes=(service.machine(runtime), "Get one that is not here yet: memapp models get NAME"))


def _needs(one: service.ModelChoice) -> str:
    needs = f"needs {one.needed / 1e9:.1f} GB" if one.needed else ""
    return needs if one.fit == "fits" else f"{needs}: {one.fit}" if needs else one.fit


def _where(one: service.ModelChoice) -> str:
    """Say who keeps a model that is here, or how much of it has arrived."""
    if one.remote is not None:
        return f"{percent(one.arrived, one.bytes)} here" if one.arrived else "not here yet"
    return "" if one.kept_by in ("", service.YOU) else f"kept by {one.kept_by}"


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


@models.command()
@as_json_option
@click.pass_obj
def test(options: dict[str, Any], as_json: bool) -> None:
    """Test with ten short calls which form of prompt the chosen model can do with; a minute, or several for a large one.

    memapp does this by itself while nobody waits, once for each model.
    """
    with opened(options) as runtime:
        service.load_chat_model(runtime)
        model = runtime.chat.wait(Cancel(), 0.0)
        if not load_embedder(runtime):
            raise ModelError("The test needs the embedding model.", runtime.embedding.note)
        say(f"{model.name}: ten short calls.")
        self_test.begin_again(runtime, model)
        made = [
            {"check": one.kind, "message": one.message, "passed": ok} for one, ok in self_test.check(runtime, model, Cancel())
        ]
        chosen, found = service.current_form(runtime), self_test.result(runtime, model)
    rows = [one | {"passed": "✓" if one["passed"] else "✗"} for one in made]
    notes = (f"The self-test says: {found}.", f"{model.name} gets the {chosen}.")
    Output({"model": model.name, "checks": made, "self_test": found, "form": chosen}, rows=rows, notes=notes).write(as_json)


@models.command()
@click.argument("name")
@yes_option
@click.pass_obj
def get(options: dict[str, Any], name: str, yes: bool) -> None:
    """Download the model NAME of the list. Only for this memapp connects; without --yes it says to which host.

    What was interrupted goes on where it stopped.
    """
    with opened(options) as runtime:
        chosen = downloads.find(runtime, name)
        if not yes:
            raise NeedsYes(downloads.terms(chosen), "Add --yes to do it.")
        say(downloads.terms(chosen))
        with click.progressbar(length=chosen.bytes, label=name, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
            try:
                for arrived in downloads.get_model(runtime, name, Cancel()):
                    bar.update(arrived - bar.pos)
            except KeyboardInterrupt:
                say("\nStopped. What has arrived is kept: the same command goes on from there.")
                raise
    say(f"{name} is here and whole. Use it: memapp models use {name}")


@models.command()
@click.argument("name")
@yes_option
@click.pass_obj
def rm(options: dict[str, Any], name: str, yes: bool) -> None:
    """Remove the model NAME that memapp downloaded, or what has arrived of it; files of others stay."""
    with opened(options, read_only=not yes) as runtime:
        files = downloads.files_of(runtime, name)
        size = f"{sum(one.stat().st_size for one in files) / 1e6:,.0f} MB"
        if not yes:
            raise NeedsYes(f"This would remove {name}, {size}: {', '.join(map(str, files))}.", "Add --yes to do it.")
        downloads.remove_model(runtime, name)
    say(f"Removed: {name}, {size}.")
