"""The jobs of idle time, in their order: the due times, the limit of a run, the pending work.

A job can be cancelled at any moment and resumes later; a repetition changes nothing. The file keeps
the last run and the next due time of each job, and only one process at a time runs jobs.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memapp.domain.backups import EVERY
from memapp.domain.consent import ConsentRequest
from memapp.domain.jobs import Pace, Progress, has_leapt, next_pace
from memapp.domain.turn_events import Remembered, Retracted
from memapp.inference import Cancel, Stopped, after
from memapp.runtime import Runtime
from memapp.services import backups, embed
from memapp.services.jobs import (
    consolidate,
    distil,
    episodes,
    insights,
    learn,
    retention,
    trust_upkeep,
)
from memapp.services.lessons import judge, referee, rewording
from memapp.services.sync import machines
from memapp.store import jobs as store
from memapp.store import leases

Done = Remembered | Retracted | ConsentRequest | int
"""A new memory or request, or a retracted memory; or the number of other things done."""
UPKEEP = "upkeep"
TIDYING = frozenset({"expire", "unused", "purge", "distil", "consolidate", "insights", "episodes"})
"""What one of a person's machines does for all of them."""
WAITED_SECONDS = 0.5
"""The wait for an earlier run that was cancelled a moment ago."""
EACH_TIME = timedelta(0)
HOURLY = timedelta(hours=1)
DAILY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of idle work."""

    name: str
    does: str
    """The work, in plain words."""
    every: timedelta
    """The time from a run to the next."""
    seconds: float
    """The limit of one run; the next run resumes the work."""
    run: Callable[[Runtime, Cancel, Pace | None], Iterator[Done]]
    """Do the pending work; the last run is given, since a clock that leapt is not believed."""
    waiting: Callable[[Runtime], int]
    """Count the work to be found now."""
    report: Callable[[Runtime, datetime], str] = lambda _runtime, _since: ""
    """Return a line on the results since a time, where they are more than a number."""
    in_parts: bool = False
    """Whether a part once begun is completed even in a short run.

    A slow model would begin anew forever. The job yields a number after each part.
    """


EMBED = Job(
    "embed", "index new texts for search by meaning", EACH_TIME, 120.0, embed.run, embed.waiting
)
AFTER_A_REPLY = (
    Job(
        "learn",
        "learn from what you wrote",
        EACH_TIME,
        120.0,
        learn.run,
        learn.waiting,
        in_parts=True,
    ),
    EMBED,
)
NOW_AND_THEN = (
    Job(
        "expire",
        "close requests that nobody answered in time",
        HOURLY,
        30.0,
        retention.expire,
        retention.expiring,
    ),
    Job(
        "unused",
        "move unused memories to the trash",
        HOURLY,
        30.0,
        retention.move_unused,
        retention.unused,
    ),
    Job(
        "lessons",
        "measure which lessons helped, and archive unused ones",
        HOURLY,
        30.0,
        judge.run_job,
        judge.waiting,
    ),
    Job(
        "referee",
        "judge commands without a known result",
        HOURLY,
        120.0,
        referee.run_job,
        referee.waiting,
    ),
    Job("rewording", "generalise lessons", HOURLY, 120.0, rewording.run_job, rewording.waiting),
    Job(
        "purge",
        "erase expired memories from the trash",
        HOURLY,
        300.0,
        retention.erase_overdue,
        retention.overdue,
    ),
    Job("distil", "reword memories as plain sentences", HOURLY, 120.0, distil.run, distil.waiting),
    Job(
        "consolidate",
        "merge and link similar facts",
        DAILY,
        120.0,
        consolidate.run,
        consolidate.waiting,
        consolidate.report,
    ),
    Job(
        "trust",
        "update the trust in agents",
        HOURLY,
        30.0,
        trust_upkeep.run_job,
        trust_upkeep.waiting,
    ),
    Job(
        "insights",
        "find patterns over several messages",
        DAILY,
        120.0,
        insights.run,
        insights.waiting,
    ),
    Job("episodes", "summarise chats", EACH_TIME, 120.0, episodes.run, episodes.waiting),
    Job("backup", "write a backup", EVERY, 300.0, backups.run_job, backups.waiting),
)
JOBS = AFTER_A_REPLY + NOW_AND_THEN
"""All jobs, in the order of their runs."""


def pace(runtime: Runtime, job: Job) -> Pace | None:
    """Return the last run and the next due time of a job; None before its first run."""
    return store.get_pace(runtime.read(), job.name)


def is_due(runtime: Runtime, job: Job) -> bool:
    """Return True if a job is due."""
    last, now = pace(runtime, job), runtime.clock()
    return last is None or has_leapt(last, now) or now >= last.due_at


def run_due(
    runtime: Runtime, cancel: Cancel, jobs: Sequence[Job] = JOBS, seconds: float | None = None
) -> Iterator[Done]:
    """Run the jobs that are due, each for `seconds` or to the end of its part; yield the results.

    Raises `ModelError`, `StoreError`.
    """
    for _, done in run(runtime, cancel, [job for job in jobs if is_due(runtime, job)], seconds):
        yield done


def run(
    runtime: Runtime, cancel: Cancel, jobs: Sequence[Job], seconds: float | None = None
) -> Iterator[tuple[Job, Done]]:
    """Run jobs, due or not, unless another process runs jobs; yield the results."""
    if not jobs or runtime.database.read_only:
        return
    with leases.hold(runtime.write, UPKEEP, WAITED_SECONDS) as mine:
        for job in jobs if mine else ():
            if cancel.is_set():
                return
            if job.name in TIDYING and not machines.may_tidy(runtime):
                continue  # another machine of the person's does it
            yield from ((job, done) for done in _run(runtime, cancel, job, seconds))


def _run(runtime: Runtime, cancel: Cancel, job: Job, seconds: float | None) -> Iterator[Done]:
    began, now, last = time.monotonic(), runtime.clock(), pace(runtime, job)
    leapt = last is None or has_leapt(last, now)
    done = job.every != EACH_TIME
    ended = Cancel()
    embedders = {
        loaded for slot in (runtime.embedding, runtime.judge_embedder) if (loaded := slot.ready())
    }
    limit = job.seconds if seconds is None or job.in_parts else seconds
    with (
        after(limit, ended.set),
        cancel.heard_by(ended.set),
        _shown(runtime, job),
        suppress(Stopped),
        ExitStack() as stopped,
    ):
        for embedder in embedders:
            stopped.enter_context(embedder.stopped_by(ended))
        for event in job.run(runtime, ended, last):
            done = True
            _count(runtime, event)
            yield event
            if (
                job.in_parts
                and isinstance(event, int)
                and seconds is not None
                and time.monotonic() - began >= seconds
            ):
                break
    if done and not cancel.is_set():  # a job of each reply that finds nothing writes nothing
        with runtime.write() as session:
            store.save_pace(session, job.name, next_pace(now, job.every, leapt=leapt))


@contextmanager
def _shown(runtime: Runtime, job: Job) -> Iterator[None]:
    """Show the running job on the screen."""
    runtime.progress = Progress(job.name, job.does, 0)
    try:
        yield
    finally:
        runtime.progress = None


def _count(runtime: Runtime, done: Done) -> None:
    if runtime.progress:
        runtime.progress = replace(
            runtime.progress, done=runtime.progress.done + (done if isinstance(done, int) else 1)
        )


def work_left(runtime: Runtime) -> int:
    """Return the amount of work pending for the running job; 0 without one."""
    running = runtime.progress
    return next((job.waiting(runtime) for job in JOBS if running and job.name == running.name), 0)
