"""The portable form of everything a person has: JSON Lines, one record a line.

The first line is the header. Lines are read strictly: what memapp would not have written is
refused, with the number of the line. `services.imports` decides about the records.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import date, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memapp.domain import strict_json
from memapp.domain.chat import MAX_MESSAGE_CHARS
from memapp.domain.consent import Decider, RequestState
from memapp.domain.howto import MAX_STEP_CHARS, MAX_STEPS
from memapp.domain.learning_queue import QueueState
from memapp.domain.memory import MAX_MEMORY_CHARS, MemoryOrigin, OwnerKind, TrashReason
from memapp.domain.prediction import Source
from memapp.domain.profile import VALUE_CHARS
from memapp.domain.prompt import Usage
from memapp.domain.relation import RelationType
from memapp.domain.strict_json import LARGEST_INT
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError

FORMAT = 1
MAX_BYTES = 100 * 1024 * 1024
"""The most bytes read at once: a file of an archive, a conversation."""
MAX_ITEMS = 500_000
"""The most lines of a file. They are read one by one; only their ids are kept until the end."""
MAX_LINE_BYTES = 4_000_000
"""Room for the longest message with every character escaped."""
NOTHING_IMPORTED = "Nothing was imported."
MOVE_ALL = (
    f"{NOTHING_IMPORTED} To move everything at once: memapp backup, "
    "and on the other side memapp restore --file."
)

# What a line may hold -----------------------------------------------------------------------------


def _moment(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text, re.ASCII):
        raise ValueError("is no time like 2026-01-31T08:15:00.000Z")
    datetime.fromisoformat(text)
    return text


def _day(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError("is no day like 2026-01-31")
    date.fromisoformat(text)
    return text


def _on_one_line(text: str) -> str:
    if text and not (text := one_line(clean(text))):
        raise ValueError("says nothing")
    return text


def _usage(value: dict[str, int | float | bool]) -> dict[str, int | float | bool]:
    if not value.keys() <= {field.name for field in fields(Usage)}:
        raise ValueError("has a cost that is not known")
    return value


Id = Annotated[str, Field(pattern=r"^[0-9A-Z]{26}$")]
Day = Annotated[str, AfterValidator(_day)]
Moment = Annotated[str, AfterValidator(_moment)]
Name = Annotated[str, Field(max_length=200)]
Words = Annotated[str, Field(max_length=10_000)]
Value = Annotated[str, Field(max_length=VALUE_CHARS)]
OneLine = Annotated[str, AfterValidator(_on_one_line)]
"""Text for a line of a list or a prompt, which must not add lines of its own."""
Tags = Annotated[list[Annotated[OneLine, Field(max_length=200)]], Field(max_length=50)]
Steps = Annotated[
    list[Annotated[OneLine, Field(min_length=1, max_length=MAX_STEP_CHARS)]],
    Field(max_length=MAX_STEPS),
]
Span = Annotated[
    list[Annotated[int, Field(ge=0, le=MAX_MESSAGE_CHARS)]], Field(min_length=2, max_length=2)
]


class PortableLine(BaseModel):
    """A record. Its fields are named like the columns they come from."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class Header(PortableLine):
    type: Literal["header"] = "header"
    memapp: int
    """The version of the format."""
    made_at: Moment
    items: int = Field(ge=0, le=LARGEST_INT)
    """The number of lines that follow, by which a truncated file is recognised."""


class ThreadLine(PortableLine):
    type: Literal["thread"]
    id: Id
    title: OneLine = Field(min_length=1, max_length=200)
    titled_by: Literal["app", "person"]
    persona: Name
    trust_level: float | None = Field(default=None, ge=0, le=1)
    created_at: Moment
    updated_at: Moment
    deleted_at: Moment | None


class MessageLine(PortableLine):
    type: Literal["message"]
    id: Id
    thread_id: Id
    seq: int = Field(ge=1, le=LARGEST_INT)
    role: Literal["user", "assistant"]
    text: str = Field(max_length=MAX_MESSAGE_CHARS)
    status: Literal["complete", "generating", "stopped", "interrupted", "failed"]
    origin: Literal["typed", "model", "import"]
    pasted: Annotated[list[Span], Field(max_length=10_000)]
    unprompted: bool
    reply_to: Id | None
    active: bool
    model: Name
    usage: Annotated[dict[str, int | float | bool], AfterValidator(_usage)]
    created_at: Moment
    time_estimated: bool = False


class Used(PortableLine):
    """How often a memory was recalled."""

    last_accessed: Moment
    uses: int = Field(ge=0, le=LARGEST_INT)
    days: int = Field(ge=0, le=LARGEST_INT)


class MemoryLine(PortableLine):
    type: Literal["memory"]
    id: Id
    kind: Literal["semantic", "episodic", "insight", "procedural"]
    category: Name
    text: OneLine = Field(min_length=1, max_length=MAX_MEMORY_CHARS)
    steps: Steps = []
    tags: Tags
    importance: int = Field(ge=1, le=5)
    pinned: bool
    state: Literal["live", "soft_deleted", "merged"]
    reason: TrashReason
    merged_into: Id | Literal[""]
    purge_at: Moment | None
    origin: MemoryOrigin
    agent_id: Name
    run_id: Name
    valid_until: Day | None = None
    created_at: Moment
    updated_at: Moment
    sources: Annotated[list[Id], Field(max_length=10_000)]
    used: Used | None


class RelationLine(PortableLine):
    type: Literal["relation"]
    id: Id
    from_id: Id
    to_id: Id
    relation_type: RelationType
    strength: float = Field(ge=0, le=1)
    created_at: Moment


class ContextCardLine(PortableLine):
    type: Literal["context_card"]
    id: Id
    thread_id: Id
    text: str = Field(min_length=1, max_length=2000)
    created_at: Moment


class PredictionLine(PortableLine):
    type: Literal["prediction"]
    id: Id
    thread_id: Id
    message_id: Id
    source: Source
    text: Words
    needed_info: Tags
    created_at: Moment
    checked_by: Id | None
    surprised: bool | None
    similarity: float | None
    why: Words


class SurpriseLine(PortableLine):
    type: Literal["surprise"]  # a message in the queue for learning
    id: Id
    thread_id: Id
    message_id: Id
    prediction_id: Id | None
    state: QueueState
    created_at: Moment


class RecallLine(PortableLine):
    """A hit in the prompt of a reply."""

    type: Literal["recall"]
    message_id: Id
    rank: int = Field(ge=0, le=LARGEST_INT)
    owner_kind: OwnerKind
    owner_id: Id
    score: float
    why: Words


class RequestMemory(PortableLine):
    """The memory of a pending consent request."""

    id: Id | Literal[""]
    text: OneLine = Field(min_length=1, max_length=MAX_MEMORY_CHARS)
    steps: Steps = []
    tags: Tags
    kind: Literal["semantic", "episodic", "insight", "procedural"]
    category: Name
    importance: int = Field(ge=1, le=5)
    pinned: bool
    reason: Name
    origin: MemoryOrigin
    sources: list[Id]
    agent_id: Name
    run_id: Name
    valid_until: Day | None = None
    created_at: Moment


class Support(PortableLine):
    message_id: Id
    typed: bool


class RequestLine(PortableLine):
    type: Literal["consent_request"]
    id: Id
    field: Name
    old_value: Value
    new_value: Value
    memory: RequestMemory | None
    proposer: Name
    state: RequestState
    asked_in: Id | None
    snoozed_until: Moment | None
    created_at: Moment
    expires_at: Moment
    decided_at: Moment | None
    decided_by: Decider | None
    quote: Value = ""
    evidence: Annotated[list[Support], Field(max_length=10_000)]


class ProfileLine(PortableLine):
    type: Literal["profile"]
    field: Name
    value: str = Field(min_length=1, max_length=VALUE_CHARS)
    request_id: Id
    updated_at: Moment


Item = (
    ThreadLine
    | MessageLine
    | MemoryLine
    | RelationLine
    | ContextCardLine
    | PredictionLine
    | SurpriseLine
    | RecallLine
    | RequestLine
    | ProfileLine
)
Row = (
    ThreadLine
    | MessageLine
    | RelationLine
    | ContextCardLine
    | PredictionLine
    | SurpriseLine
    | RecallLine
)
"""Records that are stored unchanged; others go through `store.changes` and `services.consent`."""
ORDER: tuple[type[PortableLine], ...] = get_args(Item)
"""The order of the lines: referenced records come first."""
_KINDS: tuple[type[PortableLine], ...] = (Header, *ORDER)
_REQUIRED = {
    get_args(kind.model_fields["type"].annotation)[0]: {
        name for name, field in kind.model_fields.items() if field.is_required()
    }
    for kind in _KINDS
}
_ITEM: TypeAdapter[Item] = TypeAdapter(Annotated[Item, Field(discriminator="type")])

# Reading ------------------------------------------------------------------------------------------


def read_items(lines: Iterable[bytes]) -> Iterator[tuple[int, Item]]:
    """Yield the records of a file with their line numbers. Raises `UsageError` for a bad line."""
    header: Header | None = None
    seen: set[tuple[object, ...]] = set()
    number = 0
    for number, line in enumerate(lines, start=1):
        data = _read(line, number)
        try:
            if header is None:
                header = Header.model_validate(data)
                if header.memapp != FORMAT:
                    raise UsageError(
                        f"This is format {header.memapp}, made by another version of memapp.",
                        NOTHING_IMPORTED,
                    )
                if header.items > MAX_ITEMS:
                    raise UsageError(
                        f"An import takes {MAX_ITEMS:,} lines, this file has {header.items:,}.",
                        MOVE_ALL,
                    )
                continue
            item = _ITEM.validate_python(data)
        except ValidationError as error:
            raise refusal(f"Line {number}", explain(error)) from None
        if key(item) in seen:
            raise refusal(f"Line {number}", "the same id stands on an earlier line")
        seen.add(key(item))
        if len(seen) > header.items:
            raise refusal(f"Line {number}", f"the header speaks of {header.items:,} lines")
        yield number, _as_imported(item)
    if header is None or len(seen) != header.items:
        expected = header.items if header else "a header"
        raise refusal(
            f"Line {number}", f"the file ends here, {len(seen):,} of {expected} lines are there"
        )


def is_line(data: object) -> bool:
    """Return True for a record of memapp's own export."""
    return isinstance(data, dict) and _REQUIRED.get(str(data.get("type")), {""}) <= data.keys()


def _read(line: bytes, number: int) -> Any:
    try:
        return strict_json.read(line.decode())
    except UnicodeDecodeError:
        raise refusal(f"Line {number}", "this is not UTF-8") from None
    except ValueError as error:
        raise refusal(f"Line {number}", str(error)) from None


def key(item: Item) -> tuple[object, ...]:
    """Return the unique key of a record."""
    match item:
        case RecallLine():
            return item.type, item.message_id, item.rank
        case ProfileLine():
            return item.type, item.field, item.value
        case _:
            return item.type, item.id


def _as_imported(item: Item) -> Item:
    """Return a record as imported: no file proves who wrote it, and nothing is learned from it."""
    match item:
        case MessageLine():
            status = "interrupted" if item.status == "generating" else item.status
            return item.model_copy(update={"origin": "import", "status": status})
        case SurpriseLine(state="pending"):
            return item.model_copy(update={"state": "nothing"})
        case MemoryLine():
            return item.model_copy(update={"origin": "import"})
        case RequestLine(memory=RequestMemory() as memory):
            return item.model_copy(
                update={"memory": memory.model_copy(update={"origin": "import"})}
            )
        case _:
            return item


def refusal(place: str, why: str) -> UsageError:
    return UsageError(f"{place}: {why}.", NOTHING_IMPORTED)


def explain(error: ValidationError) -> str:
    """Return the first validation error in words, without the text of the file."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
