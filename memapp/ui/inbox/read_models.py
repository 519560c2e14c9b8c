"""The queue of consent requests with all that a person needs to decide, and the profile; they are
read on a thread.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from memapp.domain.changes import Event
from memapp.domain.chat import Message
from memapp.domain.consent import FACT, ConsentRequest, ImportedFile, came_from, label, replaced
from memapp.domain.profile import FIELDS, is_sensitive
from memapp.errors import NotFound
from memapp.runtime import Runtime
from memapp.services import activity, chats, trust
from memapp.services.consent import decisions, past_decisions, pending

SHOWN = 50
"""Requests on the screen at once; others come up when these are answered."""
FIRST = 12
"""Facts of a file that are shown before it is opened."""
MESSAGES = 10
"""Messages that a request was read from that are shown, the newest; a chat has many."""
ENTRIES = 50


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request with everything that the person needs to decide on it."""

    request: ConsentRequest
    memory: str
    """What the memory says that waits with it; empty if there is none."""
    messages: tuple[Message, ...]
    """Those that it was read from and that still exist, newest first."""
    also: tuple[str, ...] = ()
    """Other values that wait for the same field, which a yes to this one settles; newest first."""
    says: tuple[str, ...] = ()
    """What the profile says in the field."""
    trusted: str = ""
    """The trust in who proposed it, with its count, and why that one has to ask first if it has to.
    """

    @property
    def label(self) -> str:
        return label(self.request.field)

    @property
    def value(self) -> str:
        """What is proposed, as it is told to the person: for what they had forgotten that is the
        words of a memory.
        """
        return self.request.new_value

    @property
    def key(self) -> str:
        return self.request.id

    @property
    def created_at(self) -> datetime:
        return self.request.created_at

    @property
    def came_from(self) -> str:
        return came_from(self.request)

    @property
    def replaced(self) -> str:
        """The value that goes with a yes; empty if none does."""
        return replaced(self.request, self.says)

    @property
    def beside(self) -> tuple[str, ...]:
        """The values that stay whatever the answer is."""
        return tuple(text for text in self.says if text != self.replaced)

    @property
    def sensitive(self) -> bool:
        return is_sensitive(self.request.field)


@dataclass(frozen=True, slots=True)
class ShownFile:
    """An imported file of which something waits, and what that begins with."""

    file: ImportedFile
    first: tuple[str, ...]

    label = "File"
    came_from = "imported"

    @property
    def value(self) -> str:
        return str(self.file)

    @property
    def key(self) -> str:
        return self.file.id

    @property
    def created_at(self) -> datetime:
        return self.file.created_at


Shown = ShownRequest | ShownFile


@dataclass(frozen=True, slots=True)
class Known:
    """A value of the profile, or a field that says nothing."""

    field: str
    value: str
    """Empty where nothing is known."""
    since: datetime | None = None
    by: str = ""
    """Who decided on it: `signals` for what was typed twice."""

    @property
    def label(self) -> str:
        return label(self.field)

    @property
    def key(self) -> str:
        return f"{self.field} {self.value}".strip()


@dataclass(frozen=True, slots=True)
class Queue:
    requests: tuple[Shown, ...]
    """The newest of them, newest first; of a file that is open a page, in its order."""
    count: int
    """How many questions wait; a file is one."""
    asleep: tuple[ConsentRequest, ...] = ()
    """What was put off; that which comes up first before the others."""
    file: ImportedFile | None = None
    """The one that is open."""
    page: int = 0


def queue(runtime: Runtime, file_id: str = "", page: int = 0) -> Queue:
    """Return what waits, or what waits of a file."""
    told: dict[str, str] = {}
    count, asleep = pending.count_pending(runtime), tuple(pending.asleep(runtime))
    if file_id and (file := pending.get_file(runtime, file_id)):
        page = min(page, (file.facts + file.chats - 1) // SHOWN)
        of_file = pending.list_of_file(runtime, file_id, limit=SHOWN, offset=page * SHOWN)
        return Queue(
            tuple(shown_request(runtime, request, told) for request in of_file),
            count,
            asleep,
            file,
            page,
        )
    files = (ShownFile(file, _beginning(runtime, file)) for file in pending.list_files(runtime))
    waiting = pending.list_pending(runtime, limit=SHOWN)
    return Queue(
        (*files, *(shown_request(runtime, request, told) for request in waiting)), count, asleep
    )


def _beginning(runtime: Runtime, file: ImportedFile) -> tuple[str, ...]:
    """Return in words what a file says first."""
    first = (
        shown_request(runtime, request)
        for request in pending.list_of_file(runtime, file.id, limit=FIRST)
    )
    return tuple(
        request.value if request.request.field == FACT else f"{request.label}: {request.value}"
        for request in first
    )


def shown_request(
    runtime: Runtime, request: ConsentRequest, told: dict[str, str] | None = None
) -> ShownRequest:
    """Return a request with all that it is decided by; `told` is what was found out about proposers
    so far.
    """
    told = {} if told is None else told
    if request.proposer not in told:
        told[request.proposer] = trusted(runtime, request.proposer)
    messages = []
    for message_id in reversed(request.evidence[-MESSAGES:]):
        with suppress(NotFound):
            messages.append(chats.get_message(runtime, message_id))
    says = decisions.profile(runtime).get(request.field, ())
    memory = "" if request.field == FACT else pending.memory_text(runtime, request.id)
    also = pending.other_values(runtime, request)
    return ShownRequest(request, memory, tuple(messages), also, says, told[request.proposer])


def trusted(runtime: Runtime, proposer: str) -> str:
    """Return how much an agent is trusted, with its count; nothing of the person."""
    if proposer in ("person", "undo"):
        return ""
    agent = trust.record(runtime.read(), proposer)
    return agent.counted + (f"; it asks first: {agent.corrected}" if agent.leave == "ask" else "")


@dataclass(frozen=True, slots=True)
class Settled:
    """A change of the profile, or a no to one, that came with a message."""

    step: str
    said: str
    """What was decided, as taking it back calls it."""
    field: str
    value: str
    """What the profile says now."""
    decision: str
    """`changed` or `denied`."""
    by: str
    """`person` for an answer in the chat, `worker` for what was typed twice."""
    aside: int
    """Other values that waited for the field and do so no longer."""


def settled_since(runtime: Runtime, number: int) -> tuple[Settled, ...]:
    """Return what was decided after an entry of the history, last first. What went with replaced
    words is no decision.
    """
    known = decisions.profile(runtime)
    found = [
        (entry, str(entry.meta.get("decision", "changed")), entry.memory_id.partition(":")[2])
        for entry in activity.entries(runtime, limit=ENTRIES)
        if entry.event is Event.PROFILE and not entry.undoes and entry.number > number
    ]
    aside = Counter(entry.step for entry, decision, _ in found if decision == "withdrawn")
    return tuple(
        Settled(
            entry.step,
            past_decisions.describe(runtime, entry.step),
            field,
            "; ".join(known.get(field, ())),
            decision,
            entry.actor,
            aside[entry.step],
        )
        for entry, decision, field in found
        if decision not in ("withdrawn", "expired")
    )


def profile(runtime: Runtime) -> tuple[Known, ...]:
    """Return every value, field by field, and then the fields that say nothing."""
    standing = [
        Known(request.field, request.new_value, request.decided_at, request.decided_by)
        for request in decisions.standing(runtime)
    ]
    known = {field: [known for known in standing if known.field == field] for field in FIELDS}
    return (
        *(other for field in FIELDS for other in known[field]),
        *(Known(field, "") for field in FIELDS if not known[field]),
    )
