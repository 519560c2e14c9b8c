"""Models from the command line: list, path, use, test, get, rm."""

import sys
from dataclasses import asdict, replace
from typing import Any

import click

from memapp import paths, settings
from memapp.cli.options import ListingGroup, as_json_option, reads, yes_option
from memapp.cli.output import Output, listing, load_embedder, opened, say, show
from memapp.domain.text import percent
from memapp.errors import ModelError, NeedsYes, UsageError
from memapp.language.labels import called
from memapp.runtime import Cancel, Runtime
from memapp.services import models as service
from memapp.services.models import downloads, model_loading, trusted_jobs


@click.group(cls=ListingGroup)
def models() -> None:
    """List, choose, test and download models."""


@models.command("list")
@reads
def list_(runtime: Runtime) -> Output:
    """List the models on this machine, and models to download."""
    output = listing(
        service.list_models(runtime),
        lambda model: {
            "current": "●" if model.current else " ",
            "name": model.name,
            "size": f"{model.bytes / 1e6:,.0f} MB",
            "needs": _needs(model),
            "about": " · ".join(
                filter(None, (_where(model), model.licence, model.note, model.jobs))
            ),
        },
    )
    return replace(
        output,
        notes=(
            service.describe_machine(runtime),
            "Get one that is not here yet: memapp models get NAME",
        ),
    )


def _needs(model: service.ModelChoice) -> str:
    needs = f"needs {model.needed / 1e9:.1f} GB" if model.needed else ""
    return needs if model.fit == "fits" else f"{needs}: {model.fit}" if needs else model.fit


def _where(model: service.ModelChoice) -> str:
    """Return who keeps a model, or how much of the model has arrived."""
    if model.remote is not None:
        return f"{percent(model.arrived, model.bytes)} here" if model.arrived else "not here yet"
    return "" if model.kept_by in ("", service.YOU) else f"kept by {model.kept_by}"


@models.command("path")
@click.pass_obj
def path(options: dict[str, Any]) -> None:
    """Print the folder for your own GGUF files."""
    show(str(paths.locate(options["home"], options["database"]).models))


@models.command("use")
@click.argument("name")
@yes_option
@click.pass_obj
def use(options: dict[str, Any], name: str, yes: bool) -> None:
    """Use a model from now on.

    NAME is `bundled`, a name from the list, or a file. For an embedding model, memapp first shows
    what changes; add --yes to go on.
    """
    with opened(options) as runtime:
        if not yes and (embedder := service.find_embedder(runtime, name)):
            raise NeedsYes(service.search_notice(runtime, embedder), "Add --yes to do it.")
        remarks = [service.use_model(runtime, name), service.template_remark(runtime)]
    say(f"From now on: {name}.")
    for remark in filter(None, remarks):
        say(remark)


@models.command()
@click.argument("name", default="")
@as_json_option
@click.pass_obj
def test(options: dict[str, Any], name: str, as_json: bool) -> None:
    """Test which background jobs a model can be trusted with.

    NAME is a model or a file; otherwise the current model is tested. The test makes about a hundred
    short calls and takes some minutes. memapp never uses a model for a job that it failed.
    """
    from memapp.services import model_test  # slow to import, and `make run` does not need it

    with opened(options) as runtime:
        if name:
            own = {"model": service.resolve_model(runtime, name)[0], "server": ""}
            runtime.loaded = replace(
                runtime.loaded, settings=runtime.settings.model_copy(update=own)
            )
        model_loading.load_chat_model(runtime)
        model = runtime.chat.wait(Cancel(), 0.0)
        if not load_embedder(runtime):
            raise ModelError("The test needs the embedding model.", runtime.embedding.note)
        cases = []
        for result in model_test.test(runtime, model, Cancel()):
            cases.append(result)
            sign, job = "✓" if result.passed else "✗", called("model_jobs", result.job)
            say(f"{sign} {job}: {result.asked} -> {result.said}")
        tests = trusted_jobs.results_of(runtime, model)
        trusted = trusted_jobs.in_words(runtime, trusted_jobs.model_key(model))
    rows = [
        {
            "job": called("model_jobs", job),
            "passed": f"{test.passed} of {test.of}",
            "": "✓" if test.holds(job) else "✗",
        }
        for job, test in tests.items()
    ]
    jobs = {job: asdict(test) for job, test in tests.items()}
    data = {"model": model.name, "jobs": jobs, "cases": [asdict(result) for result in cases]}
    Output(data, rows=rows, notes=(f"{model.name}: {trusted}",)).write(as_json)


@models.command()
@click.argument("name", default="")
@click.option(
    "--default", "wants_default", is_flag=True, help="The default model, as in `make run`."
)
@yes_option
@click.pass_obj
def get(options: dict[str, Any], name: str, wants_default: bool, yes: bool) -> None:
    """Download a model from the list.

    Without --yes, memapp only shows the host, the size and the licence. An interrupted download
    continues where it stopped.
    """
    if wants_default == bool(name):
        raise UsageError("Write the name of one model, or --default.")
    if wants_default and (reason := _reason_against(options)) is not None:
        if reason:
            say(reason)
        return
    with opened(options) as runtime:
        chosen = (
            downloads.find_default(runtime)
            if wants_default
            else downloads.find_model(runtime, name)
        )
        terms = downloads.terms(chosen, runtime.settings.download_proxy)
        if not yes:
            raise NeedsYes(terms, "Add --yes to do it.")
        say(downloads.set_up_terms(chosen) if wants_default else terms)
        try:
            _follow(runtime, chosen)
        except ModelError as error:
            if wants_default:
                error.advice = f"{error.advice} {downloads.STAND_IN}".strip()
            raise
        except KeyboardInterrupt:
            say("\nStopped. What has arrived is kept: the same command goes on from there.")
            raise
    use = "It answers." if wants_default else f"Use it: memapp models use {name}"
    say(f"{chosen.name} is here and whole. {use}")


def _reason_against(options: dict[str, Any]) -> str | None:
    """Return a reason not to fetch the default model, perhaps empty; None without one."""
    places = paths.locate(options["home"], options["database"])
    return downloads.reason_against_default(places, settings.load(places.config, options["flags"]))


def _follow(runtime: Runtime, choice: service.ModelChoice) -> None:
    """Download a model, with a bar on a terminal and a line for each tenth elsewhere."""
    arrivals = downloads.get_model(runtime, choice.name, Cancel())
    if sys.stderr.isatty():
        with click.progressbar(
            length=choice.bytes, label=choice.name, file=sys.stderr, width=0
        ) as bar:
            for arrived in arrivals:
                bar.update(arrived - bar.pos)
        return
    tenths = -1
    for arrived in arrivals:
        if (reached := 10 * arrived // choice.bytes) > tenths:
            tenths = reached
            say(percent(arrived, choice.bytes))


@models.command()
@click.argument("name")
@yes_option
@click.pass_obj
def rm(options: dict[str, Any], name: str, yes: bool) -> None:
    """Delete a downloaded model, or a partial download.

    Files that memapp did not download stay.
    """
    with opened(options, read_only=not yes) as runtime:
        files = downloads.files_of(runtime, name)
        size = f"{sum(path.stat().st_size for path in files) / 1e6:,.0f} MB"
        if not yes:
            raise NeedsYes(
                f"This would delete {name}, {size}: {', '.join(map(str, files))}.",
                "Add --yes to do it.",
            )
        downloads.remove_model(runtime, name)
    say(f"Deleted: {name}, {size}.")
