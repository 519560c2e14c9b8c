"""Requests to the memory (“remember ...”, “forget ...”), carried out without a model.

All changes of a request are one step. A message that is to be kept out of memory teaches nothing,
proposes nothing, and is told in no other chat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from memapp.domain.changes import Actor
from memapp.domain.chat import Message, Role
from memapp.domain.memory import OwnAnswer
from memapp.domain.memory_request import EVERYTHING, MemoryRequest, read_command
from memapp.domain.turn_events import CarriedOut
from memapp.errors import UsageError
from memapp.language import requests
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.memory_requests.remember import remember
from memapp.services.memory_requests.trash import (
    ALL_OF_IT,
    chosen_memories,
    trash_chosen,
    trash_last,
    trash_named,
    trash_wrong,
    undo_last,
)
from memapp.services.open_turn import best_effort
from memapp.services.recall import known_about
from memapp.store import chat, history, learning_queue, withdrawn
from memapp.store.session import Session

KEPT_OUT = "All right. I keep nothing of that, and I do not bring it up in other chats."


@dataclass(frozen=True, slots=True)
class Done:
    """A request that was carried out."""

    said: OwnAnswer
    is_all: bool
    """The message says nothing else: this is the whole answer."""
    teaches: bool
    """The rest of the message may teach something."""
    step: str = ""
    """The step to undo; empty if nothing changed."""

    @property
    def event(self) -> CarriedOut:
        return CarriedOut(self.said.text, self.step, self.is_all)


def read_message(
    runtime: Runtime, message: Message, earlier: Sequence[Message]
) -> MemoryRequest | None:
    """Return the request in a saved message, if any; “don't save this” takes effect at once."""
    thread = chat.get_thread(runtime.read(), message.thread_id)
    if runtime.persona_in(thread).is_inner_voice:
        return None
    text, pasted = message.text, message.pasted
    request = parse(runtime, text, pasted, earlier)
    if request is not None and request.kind == "off":
        with runtime.write() as session:
            learning_queue.learn_nothing(session, [message.id])
            keep_out(session, message)
    return request


def parse(
    runtime: Runtime, text: str, pasted: Sequence[tuple[int, int]], earlier: Sequence[Message]
) -> MemoryRequest | None:
    """Return the request in typed words, or the choice that answers memapp's `Which one?`."""
    if chosen_memories(runtime, text, earlier) is not None:
        return MemoryRequest("forget", text, 0, len(text))
    return _unless_pasted(read_command(text) or requests.asked(text, words_of(text)), pasted)


def _unless_pasted(
    request: MemoryRequest | None, pasted: Sequence[tuple[int, int]]
) -> MemoryRequest | None:
    if request is None or any(start < request.end and request.start < end for start, end in pasted):
        return None
    return request


def needs_no_model(
    runtime: Runtime, thread_id: str, text: str, pasted: Sequence[tuple[int, int]] = ()
) -> bool:
    """Return True for a message to the memory alone, which no model needs to answer.

    Also for a message that a bug keeps from being read: once sent, it is saved.
    """

    def is_all_request() -> bool:
        earlier = chat.list_messages(runtime.read(), thread_id, limit=1) if thread_id else []
        request = parse(runtime, text, pasted, earlier)
        return request is not None and request.is_all

    return best_effort(runtime, thread_id or None, "needs_no_model", is_all_request) is not False


def keep_out(session: Session, message: Message) -> None:
    """Keep a message, and the replies to it, out of other chats."""
    withdrawn.withdraw(session, [message.id])


def carry_out(
    runtime: Runtime, request: MemoryRequest | None, message: Message, earlier: Sequence[Message]
) -> Done | None:
    """Carry out a request; return None if it asks nothing of the memory after all.

    The message is then answered like any other.
    """
    if request is None:
        return None
    actor = runtime.actor(message.thread_id)
    try:
        answer = _dispatch(runtime, request, message, earlier, actor=actor)
    except UsageError as error:
        answer = OwnAnswer(str(error), is_own_word=True)
    if answer is None:
        return None
    teaches = request.kind == "remember" and not request.is_all
    if not teaches:
        with runtime.write() as session:
            learning_queue.learn_nothing(session, [message.id])
            if request.kind in ("off", "forget", "wrong", "undo"):
                keep_out(session, message)
    return Done(
        answer,
        request.is_all,
        teaches,
        actor.step if history.entries_of_step(runtime.read(), actor.step) else "",
    )


def _dispatch(
    runtime: Runtime,
    request: MemoryRequest,
    message: Message,
    earlier: Sequence[Message],
    actor: Actor,
) -> OwnAnswer | None:
    """Carry out a request as part of a step; return the answer, or None as in `carry_out`."""
    content = request.content
    if (chosen := chosen_memories(runtime, message.text, earlier)) is not None:
        return trash_chosen(runtime, chosen, actor)
    match request.kind:
        case "remember":
            return _remember(runtime, content, message, earlier, actor)
        case "off" if content:
            return OwnAnswer(KEPT_OUT, is_own_word=True)
        case "off":
            return trash_last(runtime, earlier, actor, is_wrong=False)
        case "forget" if content == EVERYTHING:
            return OwnAnswer(ALL_OF_IT, is_own_word=True)
        case "forget" if content:
            return trash_named(runtime, content, message, actor, is_sure=request.is_sure)
        case "forget":
            return trash_last(runtime, earlier, actor, is_wrong=False)
        case "undo":
            return undo_last(runtime, earlier, actor) or trash_last(
                runtime, earlier, actor, is_wrong=True
            )
        case "wrong" if content:
            return trash_wrong(runtime, content, earlier, actor, is_sure=request.is_sure)
        case "wrong":
            return trash_last(runtime, earlier, actor, is_wrong=True)
        case "know" if not (
            request.is_command or (runtime.settings.answer_from_memory and request.is_all)
        ):
            return None
        case "know":
            return known_about(
                runtime, content, message, is_sure=request.is_command or request.is_sure
            )
    assert_never(request.kind)


def _remember(
    runtime: Runtime, content: str, message: Message, earlier: Sequence[Message], actor: Actor
) -> OwnAnswer | None:
    """Remember the content of a request, else the person's previous message."""
    previous = [message for message in earlier if message.role is Role.USER][-1:]
    if content:
        return OwnAnswer(remember(runtime, content, message, actor), is_own_word=True)
    answers = [
        OwnAnswer(remember(runtime, message.typed_text, message, actor), is_own_word=True)
        for message in previous
        if message.typed_text
    ]
    return answers[0] if answers else None
