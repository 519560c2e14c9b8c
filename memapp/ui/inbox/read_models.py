"""The queue of consent requests, with everything needed to decide, and the profile."""

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
"""The requests on the screen at once; others follow when these are answered."""
FIRST = 12
"""The statements of a file that its row shows."""
MESSAGES = 10
"""The newest source messages of a request that are shown."""
ENTRIES = 50


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A consent request with everything needed to decide."""

    request: ConsentRequest
    memory: str
    """The text of the pending memory; empty if there is none."""
    messages: tuple[Message, ...]
    """The source messages that still exist, newest first."""
    also: tuple[str, ...] = ()
    """Other pending values of the same field, which a yes to this one settles; newest first."""
    says: tuple[str, ...] = ()
    """The values of the field in the profile."""
    trusted: str = ""
    """The trust in the proposer, with its count, and why the proposer has to ask."""

    @property
    def label(self) -> str:
        return label(self.request.field)

    @property
    def value(self) -> str:
        """The proposed value in words; for a forgotten subject, the words of a memory."""
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
        """The value that a yes replaces; empty if none."""
        return replaced(self.request, self.says)

    @property
    def beside(self) -> tuple[str, ...]:
        """The values that stay after any answer."""
        return tuple(text for text in self.says if text != self.replaced)

    @property
    def sensitive(self) -> bool:
        return is_sensitive(self.request.field)


@dataclass(frozen=True, slots=True)
class ShownFile:
    """An imported file with pending statements, and the first of these."""

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
    """A value of the profile, or an empty field."""

    field: str
    value: str
    """The value; empty for an empty field."""
    since: datetime | None = None
    by: str = ""
    """Who decided; `signals` for a value that was typed twice."""

    @property
    def label(self) -> str:
        return label(self.field)

    @property
    def key(self) -> str:
        return f"{self.field} {self.value}".strip()


@dataclass(frozen=True, slots=True)
class Queue:
    requests: tuple[Shown, ...]
    """The newest requests; of an open file one page, in the order of the file."""
    count: int
    """The number of pending questions; a file counts once."""
    asleep: tuple[ConsentRequest, ...] = ()
    """Postponed requests, the earliest first."""
    file: ImportedFile | None = None
    """The open file."""
    page: int = 0


def queue(runtime: Runtime, file_id: str = "", page: int = 0) -> Queue:
    """Return the pending requests, or those of a file."""
    told: dict[str, str] = {}
    count, asleep = pending.count_pending(runtime), tuple(pending.list_snoozed(runtime))
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
    """Return the first statements of a file in words."""
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
    """Return a request with everything needed to decide; `told` caches the trust in proposers."""
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
    """Return the trust in an agent, with its count; empty for the person."""
    if proposer in ("person", "undo"):
        return ""
    agent = trust.record(runtime.read(), proposer)
    return agent.counted + (f"; it asks first: {agent.corrected}" if agent.leave == "ask" else "")


@dataclass(frozen=True, slots=True)
class Settled:
    """A decision about the profile that came with a message."""

    step: str
    said: str
    """The decision in words, as its undo names it."""
    field: str
    value: str
    """The new value of the profile."""
    decision: str
    """`changed` or `denied`."""
    by: str
    """`person` for an answer in the chat, `worker` for a value that was typed twice."""
    aside: int
    """The number of other pending values of the field that this decision settled."""


def settled_since(runtime: Runtime, number: int) -> tuple[Settled, ...]:
    """Return the decisions after an entry of the history, newest first, without retractions."""
    profile = decisions.profile(runtime)
    decided = [
        (entry, str(entry.meta.get("decision", "changed")), entry.subject_id.partition(":")[2])
        for entry in activity.entries(runtime, limit=ENTRIES)
        if entry.event is Event.PROFILE and not entry.undoes and entry.number > number
    ]
    aside = Counter(entry.step for entry, decision, _ in decided if decision == "withdrawn")
    return tuple(
        Settled(
            entry.step,
            past_decisions.describe(runtime, entry.step),
            field,
            "; ".join(profile.get(field, ())),
            decision,
            entry.actor,
            aside[entry.step],
        )
        for entry, decision, field in decided
        if decision not in ("withdrawn", "expired")
    )


def profile(runtime: Runtime) -> tuple[Known, ...]:
    """Return every value of the profile, field by field, then the empty fields."""
    standing = [
        Known(request.field, request.new_value, request.decided_at, request.decided_by)
        for request in decisions.standing(runtime)
    ]
    by_field = {field: [value for value in standing if value.field == field] for field in FIELDS}
    return (
        *(value for field in FIELDS for value in by_field[field]),
        *(Known(field, "") for field in FIELDS if not by_field[field]),
    )
