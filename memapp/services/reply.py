"""The state of a reply in progress, and its saves: sources, partial text, final commit."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from memapp.domain.chat import BY_MEMAPP, FROM_MEMORY, Message, MessageStatus, Role
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Usage
from memapp.domain.text import one_line, shorten
from memapp.domain.turn_events import Found
from memapp.errors import DiskFull, MemappError, StoreError
from memapp.runtime import Runtime
from memapp.services.open_turn import OpenTurn
from memapp.services.recall import Retrieved, conversation_scope, memories_in_prompt
from memapp.store import change_log, chat, checkpoints, events, expectations, leases, recalls
from memapp.store.access_counts import count_access
from memapp.store.session import Session

SAVE_PARTIAL_SECONDS = 2.0
TITLE_CHARS = 48
ERASED = ("Something was erased for good while this was written.", "Try again.")


@dataclass
class OpenReply:
    """A reply in progress; `services.turn.answering` fills the fields."""

    runtime: Runtime
    turn: OpenTurn
    text: str = ""
    needed_info: tuple[str, ...] = ()
    has_asked: bool = False
    """Whether call 1 has named the needed information, perhaps none, now or in idle time."""
    retrieved: Retrieved = field(default_factory=Retrieved)
    memories_in_prompt: tuple[Recalled, ...] = ()
    """The memories in the prompt."""
    predict_usage: Usage = field(default_factory=Usage)
    usage: Usage = field(default_factory=Usage)
    status: MessageStatus = MessageStatus.FAILED
    """Changed only when the reply ends better."""
    thought: bool = False
    """Whether the model reasoned before the reply."""
    waited_seconds: float = 0.0
    saved_at: float = field(default_factory=time.monotonic)
    overdue: str = ""
    """Why the watchdog stopped the turn."""

    def save_recalled(self) -> Found:
        """Save the memories in the prompt before the reply begins.

        A reply cut short by a kill then keeps its sources.
        """
        thread_id = self.turn.thread.id
        best = max(self.retrieved.hits, key=lambda hit: hit.score, default=None)
        sim, category = (best.score, best.category or None) if best else (None, None)
        self.shown = memories_in_prompt(self.runtime, self.retrieved)
        with self.saving() as session:
            recalls.save_recalls(session, self.turn.reply.id, self.shown)
            note = partial(events.add_event, session, events.WHILE_CHATTING, "search", "ok")
            for _ in range(self.retrieved.searches):
                note(thread_id=thread_id, category=category, sim=sim)
            ids, revision = [hit.id for hit in self.shown], change_log.revision(session)
            checkpoints.advance(session, thread_id, lambda at: at.recalled(ids, revision))
        return Found(self.shown)

    @contextmanager
    def saving(self) -> Iterator[Session]:
        """Open a write for the turn so far. Raises `MemappError` after an erasure meanwhile."""
        with self.runtime.write() as session:
            if self.runtime.database.erasures != self.turn.erasures:
                raise MemappError(*ERASED)
            yield session

    def save_partial(self) -> None:
        if time.monotonic() - self.saved_at >= SAVE_PARTIAL_SECONDS:
            self.saved_at = time.monotonic()
            # On a full disk the person reads on; the end of the reply reports the problem.
            with suppress(DiskFull), self.saving() as session:
                chat.save_partial(session, self.turn.reply.id, self.text)
                checkpoints.advance(session, self.turn.thread.id, Checkpoint.replying)

    def save(self) -> tuple[Message, StoreError | None]:
        """Save the final reply; return the reply and the error, if saving failed.

        A full disk, for example, leaves the text on the screen only. After an erasure meanwhile
        only the failure of the reply is saved: everything else may hold the erased words.
        """
        reply = self.turn.reply
        try:
            with self.runtime.write() as session:
                erased = self.runtime.database.erasures != self.turn.erasures
                saved = OpenReply(self.runtime, self.turn) if erased else self
                saved._finish(session, is_whole=not erased)
        except StoreError as error:
            status, text = MessageStatus.FAILED, self.text.strip()
            return replace(reply, text=text, status=status, usage=self.usage), error
        status, text = saved.status, saved.text.strip()
        return replace(reply, text=text, status=status, usage=saved.usage, model=saved._by), None

    @property
    def _by(self) -> str:
        """The author of the reply."""
        if self.turn.own_answer is None:
            return self.turn.reply.model
        return BY_MEMAPP if self.turn.own_answer.is_own_word else FROM_MEMORY

    def _finish(self, session: Session, *, is_whole: bool) -> None:
        """Make the second commit: the reply, the prediction, the use of memories, and the cost."""
        thread_id, reply, message = self.turn.thread.id, self.turn.reply, self.turn.message
        chat.finish_message(session, reply.id, self.text.strip(), self.status, self.usage, self._by)
        hits = (*self.retrieved.hits, *self.retrieved.limits)
        count_access(session, [hit.id for hit in hits if hit.kind == "memory"])
        if self.status not in (MessageStatus.FAILED, MessageStatus.INTERRUPTED):
            change_log.settle(
                session, conversation_scope(self.runtime), thread_id, self.retrieved.delta.settled
            )
        if self.has_asked:
            expectations.save_prediction(
                session, thread_id, reply.id, "predictor", "", self.needed_info
            )
        is_first = not any(message.role is Role.USER for message in self.turn.earlier)
        if message and is_whole and is_first:
            title = shorten(one_line(message.text), TITLE_CHARS)
            chat.rename_thread(session, thread_id, title, "app")
        self._note(session)
        checkpoints.advance(session, self.turn.thread.id, Checkpoint.settled)
        leases.release(session, chat.answering(thread_id), self.runtime.database.owner)

    def _note(self, session: Session) -> None:
        note = partial(events.add_event, session, thread_id=self.turn.thread.id)
        if self.turn.message and not (self.has_asked or self.turn.own_answer):
            note("context", "predict", "skipped")
        meta = {
            "status": self.status,
            "recalled": len(self.retrieved.hits),
            "recalled_on_demand": int(self.retrieved.on_demand),
            "call_1": asdict(self.predict_usage),
            "call_2": asdict(self.usage),
        }
        has_failed = self.status in (MessageStatus.FAILED, MessageStatus.INTERRUPTED)
        note(events.WHILE_CHATTING, "respond", "error" if has_failed else "ok", meta=meta)
