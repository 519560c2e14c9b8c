"""Threads beside the screen: the turn, the idle work after it, prefilling while the person types,
loading models.

Each on a daemon thread of its own, never in the shared executor, so that leaving never waits for a
model. Threads touch no widget; they announce what happened.
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
from memapp.domain.turn import Accepted, Streamed, TurnEvent
from memapp.errors import MemappError, StoreError
from memapp.runtime import Cancel, Runtime
from memapp.services import (
    backups,
    chats,
    council,
    downloads,
    forget,
    learning,
    model_loading,
    run_in_chat,
    upkeep,
)
from memapp.services.models import ModelChoice
from memapp.services.turn import remark, resend_turn, retry_turn, take_turn
from memapp.ui.messages import (
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
from memapp.ui.pasted import Spans, Writing

log = logging.getLogger(__name__)

WATCH_SECONDS = 0.4
"""How often it is looked what other processes did to the file; a look takes well below a
millisecond.
"""
STREAM_SECONDS = 0.06
"""Parts of a reply reach the screen at most this often."""


@dataclass
class Download:
    """A model that is being downloaded."""

    name: str
    bytes: int
    arrived: int = 0
    cancel: Cancel = field(default_factory=Cancel)

    def __str__(self) -> str:
        return percent(self.arrived, self.bytes)


class Talk:
    """One turn at a time, and idle work that gives way to it."""

    def __init__(self, runtime: Runtime, announce: Callable[[Announcement], Any]) -> None:
        self.runtime = runtime
        self._tell = announce
        self._told_of_bug = False
        self.busy = False
        """A turn is running."""
        self.turns = 0
        """How many turns have begun; also the number of the one that runs, or ran last."""
        self._turn: threading.Thread | None = None
        self._loads = 0
        self._one_load = threading.Lock()
        self._embedding_model: str | None = None
        """The one that was loaded last, or is being loaded, as the settings name it."""
        self._one_embedder = threading.Lock()
        self._loading: list[threading.Thread] = []
        self.downloading: Download | None = None
        self._idle_work: list[threading.Thread] = []
        self._turn_cancel = Cancel()
        self._idle_cancel = Cancel()
        self._warm_cancel = Cancel()
        self._backup_cancel = Cancel()
        self._over = threading.Event()
        self.paused = False
        """The person wants no job of idle time to run."""
        self._rested_in = ""
        """The chat that idle time was last spent on."""

    def send(self, thread: Thread | None, text: str, pasted: Spans, persona: str = "") -> None:
        """Send a message; without a thread it starts a new chat."""

        events = partial(take_turn, self.runtime, text=text, pasted=pasted)
        self._begin_in(thread, persona, events, Writing(text, pasted))

    def run(
        self, thread: Thread | None, command: Command, written: Writing, persona: str = ""
    ) -> None:
        """Run a command that the person wrote; without a thread it starts a new chat."""
        self._begin_in(
            thread, persona, partial(run_in_chat.run, self.runtime, command=command), written
        )

    def retry(self, reply: Message) -> None:
        self._begin(reply.thread_id, partial(retry_turn, self.runtime, reply.id))

    def resend(self, message: Message, text: str, pasted: Spans) -> None:
        events = partial(resend_turn, self.runtime, message.id, text, pasted=pasted)
        self._begin(message.thread_id, events, Writing(text, pasted))

    def council(self, thread_id: str, message_id: str) -> None:
        """Hold a council over the answer to a message, or go on with it."""
        self._begin(thread_id, partial(council.hold, self.runtime, message_id))

    def ask_council(self, thread: Thread | None, text: str, persona: str = "") -> None:
        """Send a message, and hold a council over the answer."""
        self._begin_in(
            thread,
            persona,
            partial(council.ask, self.runtime, text=text),
            Writing(f"/council {text}", ()),
        )

    def remark(self, thread: Thread) -> None:
        """Ask for a remark nobody asked for."""
        self._begin(thread.id, partial(remark, self.runtime, thread.id))

    def stop(self) -> None:
        """Stop the running turn; what there is of the reply is kept."""
        self._turn_cancel.set()

    def rest(self, thread_id: str) -> None:
        """Learn, embed and get ready for the next message of a thread, until the next turn begins;
        nothing while one runs.
        """
        self._rested_in = thread_id
        if self.busy or self.paused:
            return
        self._idle_cancel.set()
        self._idle_cancel = cancel = Cancel()
        self._begin_beside(self._idle_work, "idle", self._idle, thread_id, cancel)

    def pause(self, *, paused: bool) -> None:
        """Stop the jobs of idle time where they are, or let them go on there."""
        self.paused = paused
        self._idle_cancel.set()
        self.rest(self._rested_in)

    def warm(self, thread_id: str, typed: str, persona: str) -> None:
        """Prefill what is being typed in a chat, or for an empty id in one that has not begun;
        cancel the call before.
        """
        self._warm_cancel.set()
        if self.busy or self.runtime.chat.ready() is None:
            return
        self._warm_cancel = cancel = Cancel()
        self._begin_beside(self._idle_work, "warm", self._warm, thread_id, typed, persona, cancel)

    def load_models(self) -> None:
        """Load the chat model and the embedder that the settings name; a turn that another one
        answers is stopped first.

        Asked for again while one loads, that one is given up and the last choice is loaded. The
        embedder that is there stays.
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
        """A model is being loaded, or is about to be."""
        return any(thread.is_alive() for thread in self._loading)

    def close(self, seconds: float = 0.6) -> bool:
        """Cancel everything and wait for the turn to save what it has; return False if something
        could not be stopped.
        """
        self._over.set()
        for cancel in (
            self._turn_cancel,
            self._idle_cancel,
            self._warm_cancel,
            self._backup_cancel,
        ):
            cancel.set()
        if self.downloading is not None:
            self.downloading.cancel.set()
        self._loads += 1  # whatever still loads is not wanted any more
        end = time.monotonic() + seconds
        for thread in (self._turn, *self._idle_work):
            if thread is not None:
                thread.join(max(0.0, end - time.monotonic()))
        closing = self._start("close", self._leave)
        closing.join(seconds)
        return not any(thread.is_alive() for thread in (closing, *self._loading))

    def watch(self) -> None:
        """Announce what other processes do to the file, until the end."""
        self._start("watch", self._watch)

    def _watch(self) -> None:
        was_wanted = False
        while not self._over.wait(WATCH_SECONDS):
            with suppress(StoreError):  # whoever needs the file hears of it
                heard = forget.hear_others(self.runtime)
                if heard.changed or (not self.busy and chats.interrupt_abandoned(self.runtime)):
                    self._announce(FileChanged(heard.erased))
                if heard.wanted and not was_wanted:
                    self._announce(FileWanted())
                was_wanted = heard.wanted

    def back_up(self) -> None:
        run = partial(backups.run, self.runtime, cancelled=self._backup_cancel.is_set)
        self._begin_beside(self._idle_work, "backup", run)

    def _leave(self) -> None:
        with closing(self.runtime):
            backups.before_leaving(self.runtime)

    def _announce(self, happened: Announcement) -> None:
        with suppress(NoActiveAppError):  # the app is gone, and nobody is left to be told
            self._tell(happened)

    def _begin_in(
        self,
        thread: Thread | None,
        persona: str,
        events: Callable[..., Iterator[TurnEvent]],
        unsent: Writing,
    ) -> None:
        """Begin a turn in a thread, or in a new one; `events` gets the id of the thread and what
        cancels it.
        """

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
        """Begin a turn; `events` gets what cancels it."""
        self._idle_cancel.set()
        self._warm_cancel.set()
        self._turn_cancel = Cancel()
        self.busy = True
        self.turns += 1
        self._turn = self._start(
            "turn",
            self._run,
            self.turns,
            thread_id,
            partial(events, cancel=self._turn_cancel),
            unsent,
        )

    def _run(
        self,
        turn: int,
        thread_id: str,
        events: Callable[[], Iterator[TurnEvent]],
        unsent: Writing | None,
    ) -> None:
        try:
            for event in _paced(events()):
                if isinstance(event, Accepted):
                    thread_id, unsent = event.reply.thread_id, None
                self._announce(TurnMoved(thread_id, event))
        except MemappError as error:
            self._announce(TurnRefused(thread_id, error, unsent))
        except (
            Exception
        ) as error:  # a bug: the chat must survive it, and the person must hear of it
            self._announce(
                TurnRefused(thread_id, self.runtime.database.damage() or self.bug(error), unsent)
            )
        finally:
            self.busy = False
            self._announce(TurnEnded(turn, thread_id))

    def bug(self, error: Exception, what: str = "ended this turn") -> MemappError:
        """Write a crash file for an error that nobody expected, and return what to say of it."""
        write_crash_file(error, self.runtime.paths.log, self.runtime.clock())
        return MemappError(f"A bug in memapp ({type(error).__name__}) {what}.", "Try again.")

    def _begin_beside(
        self, others: list[threading.Thread], name: str, target: Callable[..., object], *args: Any
    ) -> None:
        """Start a thread, and keep it with the others of its kind that still run."""
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
        """Run on a thread; a bug there leaves a crash file and not a trace on the screen."""
        try:
            target(*args)
        except Exception as error:
            write_crash_file(error, self.runtime.paths.log, self.runtime.clock())

    def _idle(self, thread_id: str, cancel: Cancel) -> None:
        try:
            for made in upkeep.work(self.runtime, thread_id or None, cancel):
                self._announce(
                    MemoriesChanged()
                    if isinstance(made, ConsentRequest)
                    else Learned(thread_id, made)
                )
            if why := learning.problem(self.runtime):
                self._announce(LearningFailed(why, lasts=True))
        except MemappError as error:
            log.warning("idle work stopped: %s", type(error).__name__)
        except Exception:
            if not self._told_of_bug:
                self._told_of_bug = True
                self._announce(
                    LearningFailed("Learning from your messages failed; memapp doctor says more.")
                )
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
        """Load the model that was chosen, unless another was chosen since."""
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
                    self._announce(ModelChanged())  # the top line says that memapp connects
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


def _paced(events: Iterator[TurnEvent]) -> Iterator[TurnEvent]:
    """Join streamed parts that come faster than a screen needs them."""
    held, passed_on = "", 0.0
    for event in events:
        if isinstance(event, Streamed):
            held += event.text
            if time.monotonic() - passed_on < STREAM_SECONDS:
                continue
            event, held, passed_on = Streamed(held), "", time.monotonic()
        elif held:
            yield Streamed(held)
            held = ""
        yield event
    if held:
        yield Streamed(held)
