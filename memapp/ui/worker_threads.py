"""Threads beside the screen: turns, idle work, prefill, loading models and downloads.

Each runs on a daemon thread of its own, never in the shared executor, so that quitting never waits
for a model. Threads touch no widget; they announce events.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from textual.message import Message as Announcement
from textual.types import NoActiveAppError

from memapp.crash import write_crash_file
from memapp.domain.chat import Message, Thread
from memapp.domain.commands import Command
from memapp.domain.consent import ConsentRequest
from memapp.domain.text import percent
from memapp.domain.turn_events import Accepted, TurnEvent
from memapp.errors import MemappError, StoreError
from memapp.runtime import Cancel, Runtime
from memapp.services import backups, chats, council, forget, run_in_chat, upkeep
from memapp.services.jobs import learn
from memapp.services.models import ModelChoice, downloads, model_loading
from memapp.services.sync import exchange, keyring
from memapp.services.turn import remark, resend_turn, retry_turn, take_turn
from memapp.ui.messages import (
    CameFromElsewhere,
    DownloadEnded,
    FileChanged,
    FileWanted,
    Learned,
    LearningFailed,
    MemoriesChanged,
    ModelChanged,
    ThreadStarted,
    TurnEnded,
    TurnMoved,
    TurnRefused,
)
from memapp.ui.pasted_spans import Spans, Writing
from memapp.ui.streaming import paced

log = logging.getLogger(__name__)

WATCH_SECONDS = 0.4
"""The interval of looking for changes by other processes; a look takes well below 1 ms."""


@dataclass
class Download:
    """A running download of a model."""

    name: str
    bytes: int
    arrived: int = 0
    cancel: Cancel = field(default_factory=Cancel)

    def __str__(self) -> str:
        return percent(self.arrived, self.bytes)


class Talk:
    """The background threads: one turn at a time, and idle work that yields to it."""

    def __init__(self, runtime: Runtime, announce: Callable[[Announcement], Any]) -> None:
        self.runtime = runtime
        self._tell = announce
        self._bug_announced = False
        self.busy = False
        """True while a turn is running."""
        self.turns = 0
        """The number of turns begun, which is also the number of the last one."""
        self._turn: threading.Thread | None = None
        self._loads = 0
        self._one_load = threading.Lock()
        self._embedding_model: str | None = None
        """The embedding model in the settings when it was last loaded."""
        self._one_embedder = threading.Lock()
        self._loading: list[threading.Thread] = []
        self.downloading: Download | None = None
        self._idle_work: list[threading.Thread] = []
        self._turn_cancel = Cancel()
        self._idle_cancel = Cancel()
        self._warm_cancel = Cancel()
        self._backup_cancel = Cancel()
        self._over = threading.Event()
        self._unshared = threading.Event()
        self._unshared.set()
        self.begins_to_share = False  # the first exchange is shown, and does not run beside
        self.paused = False
        """True while the person has paused idle work."""
        self._rested_in = ""
        """The thread of the last idle work."""

    def send(self, thread: Thread | None, text: str, pasted: Spans, persona: str = "") -> None:
        """Send a message; without a thread, in a new chat."""
        events = partial(take_turn, self.runtime, text=text, pasted=pasted)
        self._begin_in(thread, persona, events, Writing(text, pasted))

    def run(
        self, thread: Thread | None, command: Command, written: Writing, persona: str = ""
    ) -> None:
        """Run a shell command of the person; without a thread, in a new chat."""
        events = partial(run_in_chat.run, self.runtime, command=command)
        self._begin_in(thread, persona, events, written)

    def retry(self, reply: Message) -> None:
        self._begin(reply.thread_id, partial(retry_turn, self.runtime, reply.id))

    def resend(self, message: Message, text: str, pasted: Spans) -> None:
        events = partial(resend_turn, self.runtime, message.id, text, pasted=pasted)
        self._begin(message.thread_id, events, Writing(text, pasted))

    def council(self, thread_id: str, message_id: str) -> None:
        """Hold a council over the answer to a message, or continue one."""
        self._begin(thread_id, partial(council.hold, self.runtime, message_id))

    def ask_council(self, thread: Thread | None, text: str, persona: str = "") -> None:
        """Send a message, and hold a council over the answer."""
        events = partial(council.ask, self.runtime, text=text)
        self._begin_in(thread, persona, events, Writing(f"/council {text}", ()))

    def remark(self, thread: Thread) -> None:
        """Ask for an unprompted remark."""
        self._begin(thread.id, partial(remark, self.runtime, thread.id))

    def stop(self) -> None:
        """Stop the running turn; the partial reply is kept."""
        self._turn_cancel.set()

    def rest(self, thread_id: str) -> None:
        """Run idle work for a thread until the next turn begins; do nothing during a turn."""
        self._rested_in = thread_id
        if self.busy or self.paused:
            return
        self._idle_cancel.set()
        self._idle_cancel = cancel = Cancel()
        self._begin_beside(self._idle_work, "idle", self._idle, thread_id, cancel)

    def pause(self, *, paused: bool) -> None:
        """Pause the idle jobs, or resume them where they stopped."""
        self.paused = paused
        self._idle_cancel.set()
        self.rest(self._rested_in)

    def warm(self, thread_id: str, typed: str, persona: str) -> None:
        """Prefill the prompt of a draft; an empty id is a new chat. Cancel older calls."""
        self._warm_cancel.set()
        if self.busy or self.runtime.chat.ready() is None:
            return
        self._warm_cancel = cancel = Cancel()
        self._begin_beside(self._idle_work, "warm", self._warm, thread_id, typed, persona, cancel)

    def load_models(self) -> None:
        """Load the chat model and the embedding model of the settings; stop a running turn first.

        A second call replaces a load in progress. An unchanged embedding model is kept.
        """
        if self.runtime.chat.ready():
            self.stop()
        self._idle_cancel.set()
        self._loads += 1
        self._begin_beside(self._loading, "load", self._load, self._loads)
        chosen = self.runtime.settings.embedding_model
        if chosen != self._embedding_model or self.runtime.embedding.state == "failed":
            self._embedding_model = chosen
            self._begin_beside(self._loading, "embedder", self._load_embedder, chosen)

    def download(self, model: ModelChoice) -> None:
        """Download a model that the person agreed to; one at a time."""
        if self.downloading is None:
            self.downloading = Download(model.name, model.bytes, model.arrived)
            self._start("download", self._download, self.downloading)

    @property
    def loading(self) -> bool:
        """True while a model is loading or about to load."""
        return any(thread.is_alive() for thread in self._loading)

    def close(self, seconds: float = 0.6) -> bool:
        """Cancel everything, save the turn, and close; return False if a thread goes on."""
        self._over.set()
        cancels = [self._turn_cancel, self._idle_cancel, self._warm_cancel, self._backup_cancel]
        if self.downloading is not None:
            cancels.append(self.downloading.cancel)
        for cancel in cancels:
            cancel.set()
        self._loads += 1  # Models that are still loading are not wanted any more.
        end = time.monotonic() + seconds
        for thread in (self._turn, *self._idle_work):
            if thread is not None:
                thread.join(max(0.0, end - time.monotonic()))
        closing = self._start("close", self._leave)
        closing.join(seconds)
        return not any(thread.is_alive() for thread in (closing, *self._loading))

    def watch(self) -> None:
        """Announce changes by other processes, until closing."""
        self._start("watch", self._watch)

    def _watch(self) -> None:
        was_wanted = False
        while not self._over.wait(WATCH_SECONDS):
            self._share()
            with suppress(StoreError):  # Whoever needs the file gets the error too.
                heard = forget.hear_others(self.runtime)
                if heard.changed or (not self.busy and chats.interrupt_abandoned(self.runtime)):
                    self._announce(FileChanged(heard.erased))
                if heard.wanted and not was_wanted:
                    self._announce(FileWanted())
                was_wanted = heard.wanted
        self._unshared.set()

    def _share(self) -> None:
        if not keyring.is_here(self.runtime):
            self._unshared.set()
        elif self._unshared.is_set() and not self.begins_to_share:  # here, or by a command
            self._unshared = threading.Event()
            self._start("sync", exchange.keep_in_step, self.runtime, self._came, self._unshared)

    def _came(self, done: exchange.Exchanged) -> None:
        self._announce(FileChanged(done.erased))
        self._announce(CameFromElsewhere(done.came))

    def back_up(self) -> None:
        run = partial(backups.run, self.runtime, cancelled=self._backup_cancel.is_set)
        self._begin_beside(self._idle_work, "backup", run)

    def _leave(self) -> None:
        with closing(self.runtime):
            backups.before_leaving(self.runtime)

    def _announce(self, happened: Announcement) -> None:
        with suppress(NoActiveAppError):  # The app has ended, and nobody is left to tell.
            self._tell(happened)

    def _begin_in(
        self,
        thread: Thread | None,
        persona: str,
        events: Callable[..., Iterator[TurnEvent]],
        unsent: Writing,
    ) -> None:
        """Begin a turn in a thread or a new chat; `events` is called with its id and a `Cancel`."""
        turn = self.turns + 1

        def begun(cancel: Cancel) -> Iterator[TurnEvent]:
            nonlocal thread
            if thread is None:
                thread = chats.new_thread(self.runtime, persona)
                self._announce(ThreadStarted(thread, turn))
            yield from events(thread_id=thread.id, cancel=cancel)

        self._begin(thread.id if thread else "", begun, unsent)

    def _begin(
        self,
        thread_id: str,
        events: Callable[..., Iterator[TurnEvent]],
        unsent: Writing | None = None,
    ) -> None:
        """Begin a turn; `events` is called with its `Cancel`."""
        self._idle_cancel.set()
        self._warm_cancel.set()
        self._turn_cancel = Cancel()
        self.busy = True
        self.turns += 1
        begin = partial(events, cancel=self._turn_cancel)
        self._turn = self._start("turn", self._run, self.turns, thread_id, begin, unsent)

    def _run(
        self,
        turn: int,
        thread_id: str,
        events: Callable[[], Iterator[TurnEvent]],
        unsent: Writing | None,
    ) -> None:
        try:
            for event in paced(events()):
                if isinstance(event, Accepted):
                    thread_id, unsent = event.reply.thread_id, None
                self._announce(TurnMoved(thread_id, event))
        except MemappError as error:
            self._announce(TurnRefused(thread_id, error, unsent))
        except Exception as error:
            # The chat must survive a bug, and the person must hear of it.
            problem = self.runtime.database.damage() or self.bug(error)
            self._announce(TurnRefused(thread_id, problem, unsent))
        finally:
            self.busy = False
            self._announce(TurnEnded(turn, thread_id))

    def bug(self, error: Exception, what: str = "ended this turn") -> MemappError:
        """Write a crash file for an unexpected error, and return the error to show."""
        write_crash_file(error, self.runtime.paths.log, self.runtime.clock())
        return MemappError(f"A bug in memapp ({type(error).__name__}) {what}.", "Try again.")

    def _begin_beside(
        self, others: list[threading.Thread], name: str, target: Callable[..., object], *args: Any
    ) -> None:
        """Start a thread, and keep it with the running ones of its kind."""
        others[:] = [
            *(thread for thread in others if thread.is_alive()),
            self._start(name, target, *args),
        ]

    def _start(self, name: str, target: Callable[..., object], *args: Any) -> threading.Thread:
        thread = threading.Thread(
            target=self._guarded, args=(target, *args), name=f"memapp-{name}", daemon=True
        )
        thread.start()
        return thread

    def _guarded(self, target: Callable[..., object], *args: Any) -> None:
        """Run on a thread; an unexpected error leaves a crash file and no trace on the screen."""
        try:
            target(*args)
        except Exception as error:
            write_crash_file(error, self.runtime.paths.log, self.runtime.clock())

    def _idle(self, thread_id: str, cancel: Cancel) -> None:
        try:
            for news in upkeep.work(self.runtime, thread_id or None, cancel):
                if isinstance(news, ConsentRequest):
                    self._announce(MemoriesChanged())
                else:
                    self._announce(Learned(thread_id, news))
            if why := learn.problem(self.runtime):
                self._announce(LearningFailed(why, lasts=True))
        except MemappError as error:
            log.warning("idle work stopped: %s", type(error).__name__)
        except Exception:
            if not self._bug_announced:
                self._bug_announced = True
                failed = "Learning from your messages failed; memapp doctor says more."
                self._announce(LearningFailed(failed))
            raise
        finally:
            self._announce(MemoriesChanged())

    def _warm(self, thread_id: str, typed: str, persona: str, cancel: Cancel) -> None:
        try:
            if thread_id:
                upkeep.warm(self.runtime, thread_id, typed, cancel)
            else:
                upkeep.warm_new_chat(self.runtime, persona, typed, cancel)
        except MemappError as error:
            log.info("prefill stopped: %s", type(error).__name__)

    def _load(self, number: int) -> None:
        """Load the chosen model, unless another was chosen since."""
        with self._one_load:
            if number != self._loads:
                return
            self._announce(ModelChanged())
            try:
                model_loading.load_chat_model(self.runtime, wanted=lambda: number == self._loads)
            finally:
                self._announce(ModelChanged())

    def _download(self, download: Download) -> None:
        outcome: Literal["here", "stopped"] | MemappError = MemappError(
            "A bug in memapp ended the download."
        )
        try:
            for arrived in downloads.get_model(self.runtime, download.name, download.cancel):
                if not download.arrived:
                    self._announce(ModelChanged())  # The top line shows that memapp connects.
                download.arrived = arrived
            outcome = "stopped" if download.cancel.is_set() else "here"
        except MemappError as error:
            outcome = error
        finally:
            self.downloading = None
            self._announce(ModelChanged())
            self._announce(DownloadEnded(download.name, outcome))

    def _load_embedder(self, chosen: str) -> None:
        with self._one_embedder:
            if chosen != self._embedding_model:
                return
            try:
                model_loading.load_embedder(self.runtime)
            finally:
                self._announce(ModelChanged())
