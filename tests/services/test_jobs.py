"""The jobs of idle time: in their order, when they are due, stopped at any moment, and each once
however often it runs.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from memapp.domain.jobs import Pace
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.jobs import JOBS, Job, schedule
from memapp.store import jobs as store
from memapp.store import leases
from tests.builders import Clock, new_chat, say, until, word_list


def job(
    name: str, *, every: timedelta = schedule.HOURLY, seconds: float = 60.0, does: int = 1
) -> Job:
    """Return a job of so many steps, which stops when asked."""

    def run(_runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
        for _ in range(does):
            if cancel.is_set():
                return
            yield 1

    return Job(name, "counts", every, seconds, run, lambda _: does)


def test_they_run_in_their_order_and_only_when_they_are_due(runtime: Runtime) -> None:
    assert [job.name for job in JOBS] == word_list(
        "learn embed expire unused lessons referee rewording purge distil consolidate "
        "trust insights episodes backup"
    )
    made = [job("a"), job("b", every=schedule.EACH_TIME), job("c")]
    assert [job.name for job, _ in schedule.run(runtime, Cancel(), made)] == ["a", "b", "c"]
    assert [job.name for job in made if schedule.is_due(runtime, job)] == ["b"]
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(hours=2)
    assert [job.name for job in made if schedule.is_due(runtime, job)] == ["a", "b", "c"]


def test_the_file_knows_when_each_ran_and_is_due_again(runtime: Runtime) -> None:
    one = job("a")
    assert schedule.pace(runtime, one) is None
    list(schedule.run_due(runtime, Cancel(), [one]))
    first = schedule.pace(runtime, one)
    assert first is not None and first.due_at - first.ran_at == timedelta(minutes=10), (
        "a first clock is not believed at once"
    )
    list(schedule.run(runtime, Cancel(), [one]))
    second = schedule.pace(runtime, one)
    assert second is not None and second.due_at - second.ran_at == schedule.HOURLY


def test_what_finds_nothing_after_a_reply_writes_nothing(runtime: Runtime) -> None:
    before = runtime.database.read().execute("PRAGMA data_version").fetchone()[0]
    list(
        schedule.run_due(
            runtime,
            Cancel(),
            [replace(job, run=lambda *_: iter(())) for job in schedule.AFTER_A_REPLY],
        )
    )
    assert [schedule.pace(runtime, job) for job in schedule.AFTER_A_REPLY] == [None, None]
    assert before <= runtime.database.read().execute("PRAGMA data_version").fetchone()[0]


def test_one_that_is_stopped_is_due_still_and_goes_on_where_it_was(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    told = ("I have two cats.", "I play the cello.", "I work as a baker.")
    for said in told:
        say(runtime, thread, said)
    (learn, *_) = JOBS
    cancel = Cancel()
    for _ in schedule.run(runtime, cancel, [learn]):
        cancel.set()
        break
    assert schedule.pace(runtime, learn) is None
    list(schedule.run_due(runtime, Cancel(), [learn]))
    list(schedule.run_due(runtime, Cancel(), [learn]))
    assert sorted(memory.text for memory in curate.list_memories(runtime)) == list(told)
    assert learn.waiting(runtime) == 0


def test_a_run_ends_when_its_time_is_over(runtime: Runtime) -> None:
    over: list[bool] = []

    def endless(_runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
        until(cancel.is_set)
        over.append(True)
        yield 1

    assert list(
        schedule.run_due(
            runtime,
            Cancel(),
            [Job("a", "waits", schedule.HOURLY, 60.0, endless, lambda _: 1)],
            0.01,
        )
    ) == [1]
    assert over == [True]


def test_what_others_do_is_left_to_them(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "WAITED_SECONDS", 0.0)
    with leases.hold(runtime.write, schedule.UPKEEP) as held:
        assert held
        assert list(schedule.run_due(runtime, Cancel(), [job("a")])) == []
    assert list(schedule.run_due(runtime, Cancel(), [job("a")])) == [1]


def test_an_added_job_is_one_line(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "JOBS", (*JOBS, job("council", does=3)))
    assert (
        sum(
            event
            for event in schedule.run_due(runtime, Cancel(), schedule.JOBS)
            if isinstance(event, int)
        )
        >= 3
    )
    assert store.get_pace(runtime.read(), "council") is not None
