import threading
from collections.abc import Callable, Iterator

import pytest

from memapp.errors import ModelError
from memapp.inference import Cancel
from memapp.inference.owner_thread import ModelJob, OwnerThread


class Bench:
    """An owner thread whose steps last until they are let go or aborted."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.aborted = threading.Event()
        self.released = threading.Event()
        self.owner = OwnerThread("test", self._abort, self.released.set)

    def _abort(self, wanted: bool) -> None:
        if wanted:
            self.aborted.set()
        else:
            self.aborted.clear()

    def job(
        self, name: str, *, urgent: bool, step: Callable[[], object] = lambda: None
    ) -> ModelJob:
        finished = threading.Event()

        def run() -> None:
            step()
            self.done.append(name)
            finished.set()

        def drop() -> None:
            self.done.append(f"{name} dropped")
            finished.set()

        job = ModelJob(run, drop, urgent)
        job.finished = finished  # type: ignore[attr-defined]
        return job


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.aborted.set()
    made.owner.close()


def wait(*jobs: ModelJob) -> None:
    for job in jobs:
        assert job.finished.wait(30)  # type: ignore[attr-defined]


def test_jobs_are_done_in_order(bench: Bench) -> None:
    jobs = [bench.job(str(number), urgent=True) for number in range(5)]
    for job in jobs:
        bench.owner.submit(job)
    wait(*jobs)
    assert bench.done == ["0", "1", "2", "3", "4"]


def test_an_urgent_job_stops_and_drops_idle_ones(bench: Bench) -> None:
    begun = threading.Event()
    idle = bench.job("idle", urgent=False, step=lambda: (begun.set(), bench.aborted.wait(30)))
    waiting = bench.job("waiting", urgent=False)
    bench.owner.submit(idle)
    begun.wait(30)
    bench.owner.submit(waiting)
    urgent = bench.job(
        "urgent", urgent=True, step=lambda: bench.done.append(f"aborted: {bench.aborted.is_set()}")
    )
    bench.owner.submit(urgent)
    wait(idle, waiting, urgent)
    assert bench.done == ["waiting dropped", "idle", "aborted: False", "urgent"]
    assert idle.stopped and waiting.stopped and not urgent.stopped


def test_stopping_a_finished_job_does_not_touch_the_next(bench: Bench) -> None:
    first = bench.job("first", urgent=True)
    bench.owner.submit(first)
    wait(first)
    begun, let_go = threading.Event(), threading.Event()
    second = bench.job("second", urgent=True, step=lambda: (begun.set(), let_go.wait(30)))
    bench.owner.submit(second)
    begun.wait(30)
    bench.owner.stop(first)
    assert not bench.aborted.is_set()
    let_go.set()
    wait(second)


def test_closing_drops_what_waits_and_releases_on_the_thread(bench: Bench) -> None:
    begun = threading.Event()
    running = bench.job("running", urgent=True, step=lambda: (begun.set(), bench.aborted.wait(30)))
    waiting = bench.job("waiting", urgent=True)
    bench.owner.submit(running)
    begun.wait(30)
    bench.owner.submit(waiting)
    bench.owner.close()
    assert bench.done == ["waiting dropped", "running"]
    assert bench.released.is_set()
    with pytest.raises(ModelError, match="closed"):
        bench.owner.submit(bench.job("late", urgent=True))


def test_work_that_was_cancelled_before_it_was_asked_for_never_begins(bench: Bench) -> None:
    cancel, begun = Cancel(), []
    cancel.set()

    def work(_: object) -> Iterator[str]:
        begun.append(1)
        yield "something"

    for _ in range(200):
        assert list(bench.owner.results(work, cancel, urgent=True, dropped="dropped")) == [
            "dropped"
        ]
    assert not begun
