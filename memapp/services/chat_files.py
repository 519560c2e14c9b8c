"""A chat as a file, for reading or as an old save; and an old save as a chat."""

import json
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from memapp.domain import strict_json
from memapp.domain.chat import MAX_MESSAGE_CHARS, Message, Origin, Role, Thread
from memapp.domain.portable import MAX_BYTES, NOTHING_IMPORTED
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import UsageError
from memapp.language.labels import called
from memapp.language.secrets import without_secrets
from memapp.runtime import Runtime
from memapp.services.imports.memories import ask_about_chat
from memapp.services.imports.running_import import Work, named
from memapp.settings import check_known
from memapp.store import chat
from memapp.store.session import Session

AUTO_COMMENT = "[auto-comment]"
"""Stands for the person's words where a remark of an old save was unprompted."""
SIGNS = frozenset({"conversation_history", "inner_voice_state", "trust_level"})
"""A save has one of these keys, but not always a conversation."""


class SavedExchange(BaseModel):
    """One entry of `conversation_history` in an old save."""

    model_config = ConfigDict(extra="ignore")

    user: str | None = Field(None, max_length=MAX_MESSAGE_CHARS)
    reply: str = Field(
        validation_alias=AliasChoices("tom", "reply", "assistant"), max_length=MAX_MESSAGE_CHARS
    )
    timestamp: datetime | None = None


class Save(BaseModel):
    """The conversation and the trust of an old save; either may be missing."""

    model_config = ConfigDict(extra="ignore")

    conversation_history: tuple[SavedExchange, ...] = ()
    trust_level: float | None = Field(None, ge=0, le=1)


def export_thread(runtime: Runtime, thread_id: str, form: Literal["md", "json"]) -> str:
    """Return a thread as Markdown for reading, or as JSON in the form of an old save."""
    session = runtime.read()
    thread = chat.get_thread(session, thread_id)
    messages = chat.list_messages(session, thread_id, limit=None)
    return (
        _as_markdown(runtime, thread, messages)
        if form == "md"
        else _as_save(runtime, thread, messages)
    )


def import_save(runtime: Runtime, path: Path, persona: str) -> tuple[Thread, int]:
    """Import an old save as a thread, all or nothing; return both thread and message count.

    The thread is quoted in other chats once the person says yes. Imported words are nobody's
    typing: they teach no facts. Raises `UsageError` for a file that is no save.
    """
    check_known("persona", persona, runtime.personas)
    save = _read_save(path)
    count = 0
    with runtime.write() as session:
        title = shorten(one_line(clean(path.stem)) or "Imported chat", 200)
        thread = chat.create_thread(session, title, persona, session.now, save.trust_level)
        for exchange in save.conversation_history:
            count += _add_exchange(session, thread, exchange, exchange.timestamp or session.now)
        work = Work(
            runtime=runtime,
            session=session,
            actor=runtime.actor(name="import"),
            name=named(path),
            beside=session.now,
        )
        ask_about_chat(work, thread)
    return thread, count


def _add_exchange(session: Session, thread: Thread, exchange: SavedExchange, at: datetime) -> int:
    question: Message | None = None
    user_text = without_secrets(clean(exchange.user or ""))
    if user_text and user_text != AUTO_COMMENT:
        question = chat.add_message(
            session, thread.id, Role.USER, user_text, at, origin=Origin.IMPORT
        )
    chat.add_message(
        session,
        thread.id,
        Role.ASSISTANT,
        without_secrets(clean(exchange.reply)),
        at,
        origin=Origin.IMPORT,
        unprompted=question is None,
        reply_to=question.id if question else None,
    )
    return 1 if question is None else 2


def _read_save(path: Path) -> Save:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is larger than a save can be.", NOTHING_IMPORTED)
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON.", NOTHING_IMPORTED) from None
    if not isinstance(data, dict) or not SIGNS & data.keys():
        raise UsageError(
            f"{path} is not a save: it has no conversation_history.",
            "What ChatGPT, Claude or memapp exported: memapp import.",
        )
    try:
        return Save.model_validate(_inner(data))
    except ValidationError as error:
        raise UsageError(
            f"{path} is a save that cannot be read: {_explained(error)}.", NOTHING_IMPORTED
        ) from None


def _explained(error: ValidationError) -> str:
    """Describe the first invalid part: `the reply of exchange 3 is missing`."""
    first = error.errors()[0]
    part, *place = first["loc"]
    if part == "trust_level":
        return "its trust_level is not a number from 0 to 1"
    if not place:
        return "its conversation_history is not a list"
    if len(place) == 1:
        return f"exchange {int(place[0]) + 1} is not an object"
    part_name = (
        "words of the person"
        if place[1] == "user"
        else "time"
        if place[1] == "timestamp"
        else "reply"
    )
    problem = {"missing": "missing", "string_too_long": "too long"}.get(
        first["type"], "not what it should be"
    )
    verb = "are" if part_name.startswith("words") else "is"
    return f"the {part_name} of exchange {int(place[0]) + 1} {verb} {problem}"


def _inner(data: dict[str, object]) -> dict[str, object]:
    """Return the part of a save with the conversation: `inner_voice_state` in a player's save."""
    inner = data.get("inner_voice_state")
    return inner if isinstance(inner, dict) and "conversation_history" not in data else data


def _as_markdown(runtime: Runtime, thread: Thread, messages: list[Message]) -> str:
    persona = runtime.persona(thread.persona)
    lines = [f"# {thread.title}", ""]
    for message in messages:
        speaker = persona.user_name if message.role is Role.USER else persona.name
        ended = called("ended", message.status, "")
        estimated = "about " if message.time_estimated else ""
        lines += [
            f"**{speaker}** · {estimated}{message.created_at:%Y-%m-%d %H:%M} UTC{ended}",
            "",
            message.text,
            "",
        ]
    return "\n".join(lines)


def _as_save(runtime: Runtime, thread: Thread, messages: list[Message]) -> str:
    texts = {message.id: message.text for message in messages if message.role is Role.USER}
    history = [
        {
            "user": texts.get(message.reply_to or "", AUTO_COMMENT),
            "tom": message.text,
            "timestamp": message.created_at.isoformat(),
        }
        for message in messages
        if message.role is Role.ASSISTANT
    ]
    trust = runtime.persona_in(thread).trust_level
    return (
        strict_json.write(
            {"title": thread.title, "trust_level": trust, "conversation_history": history}, indent=2
        )
        + "\n"
    )
