"""The jobs that are done in idle time, in their order: when each is due, how long a run may take,
and what waits for it.

A job can be stopped at any moment and goes on where it was; doing it twice does nothing more. The
file knows of each when it ran last and is due next, and one process at a time is at them.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memapp.domain.backups import EVERY
from memapp.domain.consent import ConsentRequest
from memapp.domain.jobs import Pace, Progress, has_leapt, next_pace
from memapp.domain.turn import Remembered, Retracted
from memapp.inference import Cancel, Stopped, after
from memapp.runtime import Runtime
from memapp.services import (
    backups,
    consolidate,
    distil,
    embed,
    episodes,
    insights,
    learning,
    lifecycle,
    trust_upkeep,
)
from memapp.services.lessons import judge, referee, rewording
from memapp.store import jobs as store
from memapp.store import leases

Done = Remembered | Retracted | ConsentRequest | int
"""A fact or a request that was made, or what was ended; or how many other things were done."""
UPKEEP = "upkeep"
WAITED_SECONDS = 0.5
"""How long it is waited for the work before, which was cancelled a moment ago."""
EACH_TIME = timedelta(0)
HOURLY = timedelta(hours=1)
DAILY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of idle work."""

    name: str
    does: str
    """What it does, in plain words."""
    every: timedelta
    """How long after a run it is due again."""
    seconds: float
    """How long one run may take; the next goes on where it was."""
    run: Callable[[Runtime, Cancel, Pace | None], Iterator[Done]]
    """Does what it finds; it is told when it ran last, since a clock that leapt since is not to be
    believed.
    """
    waiting: Callable[[Runtime], int]
    """Counts what it would find now."""
    report: Callable[[Runtime, datetime], str] = lambda _runtime, _since: ""
    """Says in a line what came of its runs since a time, where that is more than a number."""
    in_parts: bool = False
    """Where little time is given, a part that was begun is done to its end: a slow model would
    begin it anew for ever.

    It yields a number after each.
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
        learning.run,
        learning.waiting,
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
        lifecycle.expire,
        lifecycle.expiring,
    ),
    Job(
        "unused",
        "move unused memories to the trash",
        HOURLY,
        30.0,
        lifecycle.move_unused,
        lifecycle.unused,
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
        lifecycle.erase_overdue,
        lifecycle.overdue,
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
"""All of them, in the order in which they are done."""


def pace(runtime: Runtime, job: Job) -> Pace | None:
    """Return when a job ran last and is due again; None for one that never ran."""
    return store.get_pace(runtime.read(), job.name)


def is_due(runtime: Runtime, job: Job) -> bool:
    """Say whether the time of a job has come."""
    last, now = pace(runtime, job), runtime.clock()
    return last is None or has_leapt(last, now) or now >= last.due_at


def run_due(
    runtime: Runtime, cancel: Cancel, jobs: Sequence[Job] = JOBS, seconds: float | None = None
) -> Iterator[Done]:
    """Run those jobs that are due, each for `seconds` or to the end of its part; yield what was
    done.

    Raises `ModelError`, `StoreError`.
    """
    for _, done in run(runtime, cancel, [job for job in jobs if is_due(runtime, job)], seconds):
        yield done


def run(
    runtime: Runtime, cancel: Cancel, jobs: Sequence[Job], seconds: float | None = None
) -> Iterator[tuple[Job, Done]]:
    """Run jobs, due or not; yield what each did. What another process is at is left to it."""
    if not jobs or runtime.database.read_only:
        return
    with leases.hold(runtime.write, UPKEEP, WAITED_SECONDS) as mine:
        for job in jobs if mine else ():
            if cancel.is_set():
                return
            yield from ((job, done) for done in _run(runtime, cancel, job, seconds))


def _run(runtime: Runtime, cancel: Cancel, job: Job, seconds: float | None) -> Iterator[Done]:
    began, now, last = time.monotonic(), runtime.clock(), pace(runtime, job)
    leapt = last is None or has_leapt(last, now)
    done = job.every != EACH_TIME
    ended = Cancel()
    embedders = {
        loaded for slot in (runtime.embedding, runtime.reading) if (loaded := slot.ready())
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
    if (
        done and not cancel.is_set()
    ):  # what looks after each reply and finds nothing writes nothing either
        with runtime.write() as session:
            store.save_pace(session, job.name, next_pace(now, job.every, leapt=leapt))


@contextmanager
def _shown(runtime: Runtime, job: Job) -> Iterator[None]:
    """Let the screen know what runs."""
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


def left(runtime: Runtime) -> int:
    """Return how much still waits for the job that runs; 0 where none runs."""
    running = runtime.progress
    return next((job.waiting(runtime) for job in JOBS if running and job.name == running.name), 0)
