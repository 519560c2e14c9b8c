"""A thread that owns a model: jobs from any thread run one at a time, urgent ones first.

An urgent job stops the running idle job and drops the waiting ones, which prepared for what has
come or changed.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TypeVar

from memapp.inference import Cancel, closed

T = TypeVar("T")
Stopped = Callable[[], bool]


@dataclass(eq=False)
class ModelJob:
    """A piece of work. Either `run` or `drop` is called, once."""

    run: Callable[[], None]
    """Does the work on the owner thread; must not raise."""
    drop: Callable[[], None]
    """Called instead of `run` if the job was stopped before it began."""
    urgent: bool
    stopped: bool = False
    """True when nobody wants the result any more; `run` checks between its steps."""


class OwnerThread:
    """Runs jobs on a thread of its own.

    `abort(True)` must interrupt the running step, `abort(False)` allow steps again; `release` is
    the last call on the thread.
    """

    def __init__(
        self, name: str, abort: Callable[[bool], None], release: Callable[[], None]
    ) -> None:
        self._abort = abort
        self._release = release
        self._changed = threading.Condition()
        self._waiting: deque[ModelJob] = deque()
        self._running: ModelJob | None = None
        self.closed = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def results(
        self, work: Callable[[Stopped], Iterator[T]], cancel: Cancel, *, urgent: bool, dropped: T
    ) -> Generator[T, None, None]:
        """Queue work that checks whether it is stopped, and yield its results or raise its error.

        The work is stopped on cancel, or when the caller leaves early; `dropped` is the only result
        of work that was stopped before it began.
        """
        if cancel.is_set():  # else the work may yield something before the cancel arrives
            yield dropped
            return
        items: queue.SimpleQueue[T | Exception | None] = queue.SimpleQueue()

        def run() -> None:
            try:
                for item in work(lambda: job.stopped):
                    items.put(item)
                items.put(None)
            except Exception as error:  # the thread must outlive any one job
                items.put(error)

        def drop() -> None:
            items.put(dropped)
            items.put(None)

        job = ModelJob(run, drop, urgent)
        self.submit(job)
        try:
            with cancel.heard_by(lambda: self.stop(job)):
                while (item := items.get()) is not None:
                    if isinstance(item, Exception):
                        raise item
                    yield item
        finally:
            self.stop(job)

    def submit(self, job: ModelJob) -> None:
        """Queue a job. Raises `ModelError` after `close`."""
        with self._changed:
            if self.closed:
                raise closed()
            if job.urgent:
                for idle in [waiting for waiting in self._waiting if not waiting.urgent]:
                    self.stop(idle)
                if self._running is not None and not self._running.urgent:
                    self.stop(self._running)
            self._waiting.append(job)
            self._changed.notify()

    def stop(self, job: ModelJob) -> None:
        """Interrupt a job, or drop it if it has not begun; a finished one is left alone."""
        with self._changed:
            job.stopped = True
            if job is self._running:
                self._abort(True)
            elif job in self._waiting:
                self._waiting.remove(job)
                job.drop()

    def close(self) -> None:
        """Stop all jobs, release, and wait for the end. Idempotent."""
        with self._changed:
            self.closed = True
            for job in [*self._waiting, self._running]:
                if job is not None:
                    self.stop(job)
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run()
            with self._changed:
                self._running = None
                self._abort(False)
        self._release()

    def _next(self) -> ModelJob | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self.closed)
            if self.closed:
                return None
            job = next((waiting for waiting in self._waiting if waiting.urgent), self._waiting[0])
            self._waiting.remove(job)
            self._running = job
            return job
