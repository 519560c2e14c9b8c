"""Recorded runs from the command line: list, show, finish, rm."""

import click

from memapp.cli.options import Fraction, ListingGroup, limit_option, reads, writes, yes_option
from memapp.cli.output import Output, listing, short_ids, when
from memapp.domain.lessons.run import Run, RunStep
from memapp.domain.text import clean, counted, one_line
from memapp.errors import NeedsYes, UsageError
from memapp.runtime import Runtime
from memapp.services import id_lookup
from memapp.services import runs as service

_JUDGED = {None: "", True: ", worked for a model", False: ", failed for a model"}


@click.group(cls=ListingGroup)
def runs() -> None:
    """List and change what `memapp run` recorded."""


@runs.command("list")
@limit_option(50)
@reads
def list_runs(runtime: Runtime, limit: int) -> Output:
    """List runs, newest first."""
    name = short_ids(runtime, "runs")

    def row(run: Run) -> dict[str, object]:
        counts = {"steps": counted(run.steps, "step"), "failed": f"{run.tool_errors} failed"}
        what = {"what": _plain(run.task or run.tool), "went": _went(run)}
        return {"id": name(run.id), "when": when(run.last_at), **counts, **what}

    return listing(
        service.list_runs(runtime, limit + 1),
        row,
        "Nothing was recorded yet: memapp run -- COMMAND.",
        limit,
    )


@runs.command("show")
@click.argument("run_id", metavar="ID")
@reads
def show_run(runtime: Runtime, run_id: str) -> Output:
    """Show the steps of a run and their errors."""
    run = service.get_run(runtime, id_lookup.run(runtime, run_id))

    def row(step: RunStep) -> dict[str, object]:
        ended = "worked" if step.known else f"not known{_JUDGED[step.judged]}"
        if step.channel is not None:
            ended = f"exit {step.exit_code}" if step.exit_code else step.channel.replace("_", " ")
        return {
            "step": step.seq,
            "how": ended,
            "seconds": f"{step.seconds:.1f}",
            "what": _plain(step.action),
            "said": _plain(step.excerpt),
        }

    steps = service.steps_of(runtime, run.id)
    return Output({"run": run, "steps": steps}, rows=[row(step) for step in steps])


@runs.command("finish")
@click.argument("run_id", metavar="ID")
@click.option("--passed/--failed", default=None, help="The result.")
@click.option("--score", type=Fraction(0, 1), metavar="N", help="The score, 0 to 1.")
@writes
def finish_run(runtime: Runtime, run_id: str, passed: bool | None, score: float | None) -> Output:
    """Record the result of a run, and end it.

    Results decide which lessons are promoted. With only a score, the run passed if its last step
    worked.
    """
    if passed is None and score is None:
        raise UsageError("Say how the run went: --passed, --failed, or --score N.")
    run = service.finish(runtime, id_lookup.run(runtime, run_id), passed=passed, score=score)
    return Output(run, aside=f"The run {_went(run)}.")


def _went(run: Run) -> str:
    passed = "" if run.passed is None else "passed" if run.passed else "failed"
    return passed if run.score is None else f"{passed}, score {run.score:.2f}"


@runs.command("rm")
@click.argument("run_ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@writes
def remove(runtime: Runtime, run_ids: tuple[str, ...], yes: bool) -> Output:
    """Erase runs and their steps for good; the lessons stay."""
    unique = dict.fromkeys(id_lookup.run(runtime, part) for part in run_ids)
    chosen = [service.get_run(runtime, run_id) for run_id in unique]
    what = f"{counted(len(chosen), 'run')} with {counted(sum(run.steps for run in chosen), 'step')}"
    if not yes:
        raise NeedsYes(
            f"This would erase for good: {what}. What memapp learned there stays.",
            "Add --yes to do it.",
        )
    service.remove(runtime, [run.id for run in chosen])
    return Output(chosen, aside=f"Erased: {what}.")


def _plain(text: str) -> str:
    return one_line(clean(text))
