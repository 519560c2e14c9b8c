"""Carries out what a message asks of the memory itself, and says so in memapp's own words, without a model.

All that one request changes is one step, and is taken back with it. What is asked to be kept out of memory teaches nothing,
proposes nothing, and is told in no other chat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from memapp.domain.changes import Actor
from memapp.domain.chat import FROM_MEMORY, Message, Role
from memapp.domain.memory import FromMemory
from memapp.domain.memory_request import EVERYTHING, MemoryRequest, read_command
from memapp.domain.turn import CarriedOut
from memapp.errors import UsageError
from memapp.language.english import request_kind
from memapp.language.english.asked_sentence import checks
from memapp.language.english.beyond import read_beyond
from memapp.language.english.correction import read_correction
from memapp.language.english.framing import plays_a_part, takes_back
from memapp.language.english.memory_request import MOST_CHARS, by_likeness, doubts, read_request
from memapp.language.english.recall import asks_what_was_replied
from memapp.runtime import Runtime
from memapp.services import beyond
from memapp.services.asked_to_forget import ALL_OF_IT, choice_in, correct, forget, forget_chosen, forget_last, undo_last
from memapp.services.asked_to_remember import allow, remember
from memapp.services.embed import embedded
from memapp.services.over_time import known_since
from memapp.services.people import with_capitals
from memapp.services.told_of import known_of
from memapp.store import chat, expectations, history, search
from memapp.store.session import Session

KEPT_OUT = "All right. I keep nothing of that, and I do not bring it up in other chats."


@dataclass(frozen=True, slots=True)
class Done:
    """A request that was carried out."""

    said: FromMemory
    is_all: bool
    """Nothing else was said: this is the whole answer."""
    teaches: bool
    """Besides, the message may teach something."""
    step: str = ""
    """What to name to take it back; empty where nothing changed."""

    @property
    def event(self) -> CarriedOut:
        return CarriedOut(self.said.text, self.step, self.is_all)


def read(runtime: Runtime, text: str, pasted: Sequence[tuple[int, int]], earlier: Sequence[Message]) -> MemoryRequest | None:
    """Return what a message asks of the memory in words that were typed; also the choice that answers memapp's `Which one?`"""
    if choice_in(runtime, text, earlier) is not None:
        return MemoryRequest("forget", text, 0, len(text))
    if earlier and earlier[-1].model == FROM_MEMORY and doubts(text):
        return MemoryRequest("since", "", 0, len(text))
    request = read_command(text) or (None if takes_back(text) else read_request(text) or _about_named(runtime, text))
    plays = request is None and plays_a_part([one.text for one in earlier if one.role is Role.USER])
    return _typed(request or (None if plays else read_beyond(text)), pasted)


def _about_named(runtime: Runtime, text: str) -> MemoryRequest | None:
    """Return what a message asks of somebody whom it writes in small letters; what is to be remembered stays as it is written."""
    found = read_request(named) if (named := with_capitals(runtime, text)) != text else None
    return found if found and found.kind in ("know", "since") else None


def meant(runtime: Runtime, text: str, pasted: Sequence[tuple[int, int]]) -> MemoryRequest | None:
    """Return what a message of no plain form asks by its likeness, where the embedding model is one that tells it."""
    embedder = runtime.embedding.ready()
    if embedder is None or not request_kind.reads(embedder.model_id):
        return None
    correction = read_correction(text)
    if takes_back(text) or (correction and correction.points_back):
        return None  # what that does to memory is found when it is learned from
    if asks_what_was_replied(text) or checks(text) or len(text) > MOST_CHARS:
        return None
    rows = embedded(runtime, [text])
    return None if rows is None else _typed(by_likeness(text, rows[0]), pasted)


def _typed(request: MemoryRequest | None, pasted: Sequence[tuple[int, int]]) -> MemoryRequest | None:
    if request is None or any(start < request.end and request.start < end for start, end in pasted):
        return None
    return request


def needs_no_model(runtime: Runtime, thread_id: str, text: str, pasted: Sequence[tuple[int, int]] = ()) -> bool:
    """Say whether a message is for the memory alone, so that it can be sent where no model answers."""
    earlier = chat.list_messages(runtime.read(), thread_id, limit=1) if thread_id else []
    request = read(runtime, text, pasted, earlier) or meant(runtime, text, pasted)
    return request is not None and request.is_all


def keep_out(session: Session, message: Message) -> None:
    """Let a message be told in no other chat, nor the replies to it."""
    search.take_back(session, [message.id])


def carry_out(runtime: Runtime, request: MemoryRequest | None, message: Message, earlier: Sequence[Message]) -> Done | None:
    """Do what is asked. None where it turns out to ask nothing of the memory: then it is a message like any other."""
    if request is None:
        return None
    actor = runtime.actor(message.thread_id)
    try:
        said = _answer(runtime, request, message, earlier, actor=actor)
    except UsageError as error:
        said = FromMemory(str(error), is_own_word=True)
    if said is None:
        return None
    teaches = request.teaches or (request.kind == "remember" and not (request.is_all or request.is_allowed))
    if not teaches:
        with runtime.write() as session:
            expectations.learn_nothing(session, [message.id])
            if request.kind in ("off", "forget", "wrong", "undo"):
                keep_out(session, message)
    return Done(said, request.is_all, teaches, actor.step if history.entries_of_step(runtime.read(), actor.step) else "")


def _answer(
    runtime: Runtime, request: MemoryRequest, message: Message, earlier: Sequence[Message], actor: Actor
) -> FromMemory | None:
    """Carry a request out as part of a step, and return what there is to say; None where it asks nothing of the memory."""
    content = request.content
    if (chosen := choice_in(runtime, message.text, earlier)) is not None:
        return forget_chosen(runtime, chosen, actor)
    match request.kind:
        case "remember" if request.is_allowed:
            return allow(runtime, content, earlier, actor)
        case "remember":
            return _remember(runtime, content, message, earlier, actor)
        case "off" if content:
            return FromMemory(KEPT_OUT, is_own_word=True)
        case "off":
            return forget_last(runtime, earlier, actor, never_was=False)
        case "forget" if content == EVERYTHING:
            return FromMemory(ALL_OF_IT, is_own_word=True)
        case "forget" if content:
            return forget(runtime, content, message, actor, every=request.is_every, is_sure=request.is_sure)
        case "forget":
            return forget_last(runtime, earlier, actor, never_was=False)
        case "beyond":
            return beyond.answer(runtime, request, message, actor)
        case "undo":
            return undo_last(runtime, earlier, actor) or forget_last(runtime, earlier, actor, never_was=True)
        case "wrong" if content:
            return correct(runtime, content, earlier, actor, is_sure=request.is_sure)
        case "wrong":
            return forget_last(runtime, earlier, actor, never_was=True)
        case "know" | "since" if not (request.is_command or (runtime.settings.answer_from_memory and request.is_all)):
            return None
        case "know":
            return known_of(runtime, request, message, earlier)
        case "since":
            return known_since(runtime, content, message, earlier)
    assert_never(request.kind)


def _remember(runtime: Runtime, content: str, message: Message, earlier: Sequence[Message], actor: Actor) -> FromMemory | None:
    """Remember what is asked, or what the message before said where this one says no more."""
    said = [one for one in earlier if one.role is Role.USER][-1:]
    if content:
        return FromMemory(remember(runtime, content, message, actor), is_own_word=True)
    told = [FromMemory(remember(runtime, one.typed_text, one, actor), is_own_word=True) for one in said if one.typed_text]
    return told[0] if told else None
