"""`memapp upkeep`: the background jobs, from the command line and from cron."""

import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import click

from memapp.cli.options import writes
from memapp.cli.output import Output, load_embedder, say, when
from memapp.domain.jobs import Pace
from memapp.errors import UsageError
from memapp.inference import Cancel, after
from memapp.runtime import Runtime
from memapp.services import jobs
from memapp.services.jobs import Job
from memapp.services.models import model_loading

SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
JOB_HELP = "Only this job, due or not; repeat the option for more."
BUDGET_HELP = "Stop after this time: 60s, 5m."


def _seconds(_ctx: click.Context, _option: click.Parameter, budget: str) -> float:
    """Return the seconds of `60s`, `5m` or a plain number. Raises `UsageError`."""
    found = re.fullmatch(r"(\d{1,6})([smh]?)", budget.strip())
    if found is None or int(found[1]) == 0:
        raise UsageError(f"{budget!r} is not a time.", "Write it like 60s or 5m.")
    return float(int(found[1]) * SECONDS[found[2]])


def _jobs(_ctx: click.Context, _option: click.Parameter, names: tuple[str, ...]) -> list[Job]:
    """Return the jobs with these names. Raises `UsageError` for an unknown name."""
    known = {job.name: job for job in jobs.JOBS}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"There is no job {unknown[0]!r}.", f"Known: {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(names)]


@click.command()
@click.option("--job", "named", multiple=True, callback=_jobs, metavar="NAME", help=JOB_HELP)
@click.option(
    "--budget",
    default="10m",
    callback=_seconds,
    metavar="TIME",
    show_default=True,
    help=BUDGET_HELP,
)
@click.option("--dry-run", is_flag=True, help="Only show which jobs are due.")
@writes
def upkeep(runtime: Runtime, named: list[Job], budget: float, dry_run: bool) -> Output:
    """Run the background jobs now: learn, tidy up, back up.

    The app runs these jobs by itself while it is open. For cron or a systemd timer:
    `memapp upkeep --budget 5m`.
    """
    wanted = named or list(jobs.JOBS)
    chosen = [job for job in wanted if named or jobs.is_due(runtime, job)]
    if not load_embedder(runtime):
        say(f"New texts are not indexed for search by meaning. {runtime.embedding.note}")
    if dry_run:
        return _results(
            runtime, wanted, {job.name: job.waiting(runtime) for job in chosen}, "waits"
        )
    model_loading.load_chat_model(runtime)
    if runtime.chat.ready() is None:
        say(f"No model is asked for anything. {runtime.chat.note}")
    began = runtime.clock()
    done = _run_jobs(runtime, chosen, budget)
    reports = {job.name: text for job in chosen if (text := job.report(runtime, began))}
    return _results(runtime, wanted, {job.name: done[job.name] for job in chosen}, "done", reports)


def _run_jobs(runtime: Runtime, chosen: list[Job], seconds: float) -> Counter[str]:
    """Run jobs in turn, each with a progress bar; return how much each did."""
    cancel, done = Cancel(), Counter[str]()
    with after(seconds, cancel.set):
        for job in chosen:
            if cancel.is_set():
                say(f"The time was over before {job.name}: the next upkeep continues there.")
                break
            with _bar(job, job.waiting(runtime)) as bar:
                for _, event in jobs.run(runtime, cancel, [job]):
                    count = event if isinstance(event, int) else 1
                    done[job.name] += count
                    bar.update(count)
    return done


def _bar(job: Job, waiting: int) -> Any:
    """Return a progress bar on standard error, hidden without a terminal."""
    return click.progressbar(
        length=max(1, waiting),
        label=f"{job.name:8}",
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
    )


def _results(
    runtime: Runtime,
    wanted: list[Job],
    counts: dict[str, int],
    what: str,
    reports: Mapping[str, str] = MappingProxyType({}),
) -> Output:
    """Return the result of each job, and when it is due again."""
    data, rows = [], []
    for job in wanted:
        pace = jobs.pace(runtime, job)
        times = asdict(pace) if pace else {"ran_at": None, "due_at": None}
        report = {"report": reports[job.name]} if job.name in reports else {}
        data.append({"job": job.name, what: counts.get(job.name), **report, **times})
        count = f"{counts[job.name]} {what}" if job.name in counts else "not due"
        result = reports.get(job.name) or count
        rows.append({"job": job.name, what: result, "next": _next(job, pace), "does": job.does})
    return Output(data, rows=rows, notes=() if counts else ("Nothing is due.",))


def _next(job: Job, pace: Pace | None) -> str:
    if not job.every:
        return "after each answer"
    return f"next {when(pace.due_at)}" if pace else "never ran"
