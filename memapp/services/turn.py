"""One turn of a conversation: commit, check the expectation, then answer (`services.answer`).

`take_turn` is the door. Whoever watches iterates; stop iterating and the turn stops, keeping the partial reply.
The hot path makes two model calls: one when the first was made in idle time, one more when the reply said again what was said.
Learning happens later, in `services.upkeep`. Three things make no call, since the app answers them in its own words: a yes or
no to its question about a consent request, what is asked of the memory itself (`services.memory_request`), and what it knows for
sure of a person who asks about themselves (`services.from_memory`).
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal, TypeVar

from memapp.domain.chat import FROM_MEMORY, MAX_MESSAGE_CHARS, OWN_WORDS, Message, MessageStatus, Origin, Role, Thread
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.expectation import Verdict
from memapp.domain.memory import FromMemory
from memapp.domain.prediction import Prediction, Prefetched
from memapp.domain.text import clean
from memapp.domain.turn import Accepted, Asked, Checked, Completed, TurnEvent
from memapp.errors import StoreError, UsageError
from memapp.inference import Cancel
from memapp.language.english.correction import correction_of
from memapp.language.english.expectation import mismatch
from memapp.language.english.framing import takes_back
from memapp.language.english.grounding import check_grounding
from memapp.language.english.statements import read
from memapp.prompts import own_remarks
from memapp.runtime import Runtime
from memapp.services import from_memory, memory_request, over_time, statements
from memapp.services.answer import answer
from memapp.services.consent import questions
from memapp.services.embed import embedded
from memapp.services.open_turn import OpenTurn, open_thread, refuse_beside_another, said_in
from memapp.services.prompt_form import current_form
from memapp.services.remember import propose_profile_changes
from memapp.services.retract import retract, said_before, take_answers_back
from memapp.services.retrieved import expectation, prefetched, take_typed
from memapp.store import chat, checkpoints, events, expectations, history, leases
from memapp.store.session import Session

log = logging.getLogger(__name__)
T = TypeVar("T")

EMBEDDER_SECONDS = 1.0
"""How long a turn waits for the embedding model that is being loaded, as after the start; then words must do."""


def take_turn(
    runtime: Runtime,
    thread_id: str,
    text: str,
    *,
    pasted: Sequence[tuple[int, int]] = (),
    cancel: Cancel | None = None,
    replaced: Message | None = None,
) -> Iterator[TurnEvent]:
    """Send a message and stream what happens. Raises `UsageError` for a message that cannot be sent; nothing is saved then.

    It stands in place of what was said from `replaced` on, where that is given (`resend_turn`).
    """
    began_at = time.monotonic()
    text, pasted = checked(text, pasted)
    erasures = runtime.database.erasures
    thread, earlier = _open(runtime, thread_id, before=replaced.seq if replaced else None)
    question = questions.open_question(runtime, earlier)
    request = None if runtime.persona_in(thread).is_inner_voice else memory_request.read(runtime, text, pasted, earlier)
    expected = expectation(runtime, earlier)
    prefetch, typed = prefetched(runtime, thread_id, expected), take_typed(runtime, thread_id, text)
    with runtime.write() as session:
        refuse_beside_another(runtime, session, thread_id)
        left = chat.messages_after(session, thread_id, replaced.seq) if replaced else []
        answers = take_answers_back(runtime, [question, *left] if replaced and question else left)
        last = history.last_number(session)  # after that: what is decided from now on, the message decides
        chat.set_active(session, [one.id for one in left], active=False)
        message = chat.add_message(session, thread.id, Role.USER, text, session.now, origin=Origin.TYPED, pasted=pasted)
        answered = questions.read_answer(runtime, question, message) if question else None
        request = request if answered is None else None
        reply = _add_reply(runtime, session, thread.id, message) if answered is None else _confirm(session, message, answered)
        if request is not None and request.kind == "off":
            memory_request.keep_out(session, message)
        elif answered is None:  # until it turns out that just this was expected
            expectations.add_surprise(session, thread.id, message.id, expected.id if expected else None, session.now)
        chat.save_draft(session, thread.id, "")
        unsaid = [*(one.id for one in left), *(said_before(earlier) if takes_back(message.typed_text) else ())]
        retracted = best_effort(runtime, message, "retract", lambda: retract(runtime, thread.id, unsaid, text))
    yield Accepted(message, reply, last)
    runtime.embedding.ready(within=EMBEDDER_SECONDS)
    if request is None and answered is None and not runtime.persona_in(thread).is_inner_voice:
        request = best_effort(runtime, message, "meant", partial(memory_request.meant, runtime, text, pasted))
    done = best_effort(runtime, message, "memory_request", partial(memory_request.carry_out, runtime, request, message, earlier))
    if done is None or done.teaches:
        best_effort(runtime, message, "propose_profile_changes", lambda: propose_profile_changes(runtime, message))
    turn = OpenTurn(thread, earlier, message, reply, cancel or Cancel(), erasures, began_at=began_at)
    if answered is not None:
        yield Completed(reply, "")
    elif done is not None and done.is_all:
        yield from answer(runtime, replace(turn, known=done.said))
    else:
        yield from _answer(runtime, turn, expected, typed, prefetch)
    if done is not None:
        yield done.event
    if asked := best_effort(
        runtime, message, "ask", lambda: questions.ask_about(runtime, message, is_answer=answered is not None)
    ):
        yield Asked(asked)
    yield from filter(None, (answers, retracted))


def _answer(
    runtime: Runtime, turn: OpenTurn, expected: Prediction | None, typed: Prefetched | None, prefetch: Prefetched | None
) -> Iterator[TurnEvent]:
    """Check an ordinary message against what was expected, and answer it: from memory where that is sure, else by the model."""
    message = turn.message
    assert message is not None
    expected = best_effort(runtime, message, "classify", partial(compare, runtime, expected, message))
    yield Checked(expected)
    prefetch = typed or (None if expected is None or expected.surprised else prefetch)
    known = None
    if look := _own_answer(runtime, turn.thread):
        known = best_effort(runtime, message, "answer_from_memory", partial(look, runtime, message, turn.earlier))
    yield from answer(runtime, replace(turn, prefetch=prefetch, known=known))


def _own_answer(runtime: Runtime, thread: Thread) -> Callable[[Runtime, Message, Sequence[Message]], FromMemory | None] | None:
    """Return how memapp answers from its memory by itself: all that it knows in place of a small model or of none.

    What was so before, it answers in place of any.
    """
    if not runtime.settings.answer_from_memory or runtime.persona_in(thread).is_inner_voice:
        return None
    return from_memory.known if current_form(runtime) == "simple" else over_time.known_over_time


def retry_turn(runtime: Runtime, reply_id: str, *, cancel: Cancel | None = None) -> Iterator[TurnEvent]:
    """Answer again; the old reply stays as a variant. One that a kill interrupted is resumed: what call 1 said is known.

    A question of memapp itself that the chat ends with moves below the new reply: only there is a yes an answer to it. Where
    there is none, since no reply came before, memapp may ask now.
    """
    erasures = runtime.database.erasures
    old = chat.get_message(runtime.read(), reply_id)
    if old.reply_to is None or old.model == OWN_WORDS or old.origin is Origin.COMMAND:
        raise UsageError("Only a reply of the model can be retried.")
    message = chat.get_message(runtime.read(), old.reply_to)
    thread, messages = _open(runtime, old.thread_id, before=message.seq)
    resumed = old.status is MessageStatus.INTERRUPTED
    others = _seen_replies(runtime, message)
    question = questions.open_question(runtime, open_thread(runtime, thread.id)[1])
    with runtime.write() as session:
        kept = checkpoints.load(session, thread.id).kept_for(old.id) if resumed else ()
        chat.set_active(session, [old.id], active=False)
        reply = _add_reply(runtime, session, thread.id, message, kept)
        question = chat.put_last(session, question) if question else None
    yield Accepted(message, reply)
    expected = expectations.checked_by(runtime.read(), message.id)
    if expected is None and resumed:
        expected = best_effort(runtime, message, "classify", partial(compare, runtime, expectation(runtime, messages), message))
    yield Checked(expected)
    yield from answer(runtime, OpenTurn(thread, messages, message, reply, cancel or Cancel(), erasures, kept=kept, others=others))
    if asked := question or best_effort(runtime, message, "ask", lambda: questions.ask_about(runtime, message)):
        yield Asked(asked)


def _seen_replies(runtime: Runtime, message: Message) -> tuple[str, ...]:
    """Return the replies to a message so far, but for those that were not finished: nobody wants these in other words."""
    replies = chat.variants(runtime.read(), message.id)
    ended = (MessageStatus.COMPLETE, MessageStatus.STOPPED)
    return tuple(one.text for one in replies if one.text and one.status in ended and one.model != FROM_MEMORY)


def resend_turn(
    runtime: Runtime, message_id: str, text: str, *, pasted: Sequence[tuple[int, int]] = (), cancel: Cancel | None = None
) -> Iterator[TurnEvent]:
    """Send other words in place of an earlier message; it and what followed leave the conversation but stay in the file.

    What was learned from them and is not said any more goes to the trash; answers to questions of memapp are taken back,
    unless what they decided was changed later.
    """
    message = chat.get_message(runtime.read(), message_id)
    if message.role is not Role.USER:
        raise UsageError("Only your own messages can be edited.")
    yield from take_turn(runtime, message.thread_id, text, pasted=pasted, cancel=cancel, replaced=message)


def remark(runtime: Runtime, thread_id: str, *, cancel: Cancel | None = None) -> Iterator[TurnEvent]:
    """Let the persona say something unasked, in one model call."""
    erasures = runtime.database.erasures
    thread, earlier = _open(runtime, thread_id)
    with runtime.write() as session:
        reply = _add_reply(runtime, session, thread.id, None)
    yield Accepted(None, reply)
    yield from answer(runtime, OpenTurn(thread, earlier, None, reply, cancel or Cancel(), erasures))


def _open(runtime: Runtime, thread_id: str, *, before: int | None = None) -> tuple[Thread, list[Message]]:
    """Return a thread to go on with, and its last messages. Raises `UsageError` for a deleted one: it stands in no list."""
    thread, messages = open_thread(runtime, thread_id, before=before)
    if thread.deleted_at is not None:
        raise UsageError("This chat is deleted.", "Bring it back first, with ctrl+p or `memapp chats restore`.")
    return thread, messages


def best_effort(runtime: Runtime, message: Message, op: str, step: Callable[[], T]) -> T | None:
    """Do a step of the memory. Whatever goes wrong there is counted and costs the person no answer."""
    try:
        return step()
    except Exception as error:
        log.warning("a step of the memory was skipped, %s: %s", op, type(error).__name__)
        meta = {"error": type(error).__name__}
        with suppress(StoreError), runtime.write() as session:
            events.add_event(session, "hotpath", op, "skipped", thread_id=message.thread_id, meta=meta)
        return None


def checked(text: str, pasted: Sequence[tuple[int, int]] = ()) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return a message as it can be sent, with what of it was pasted. Raises `UsageError` for one that cannot."""
    cleaned = clean(text)
    if not cleaned.strip():
        raise UsageError("There is nothing to send.")
    if len(cleaned) > MAX_MESSAGE_CHARS:
        raise UsageError(f"This message is too long ({len(cleaned):,} characters).", f"The limit is {MAX_MESSAGE_CHARS:,}.")
    if cleaned != text and pasted:
        pasted = [(0, len(cleaned))]  # the spans no longer fit: trust none of it
    return cleaned, pasted


def _add_reply(
    runtime: Runtime, session: Session, thread_id: str, message: Message | None, needed_info: Sequence[str] = ()
) -> Message:
    """Add the empty row that the reply will fill, and mark the turn as open, with what it is known to need.

    Raises `UsageError` while another process answers in the chat.
    """
    refuse_beside_another(runtime, session, thread_id)
    leases.take(session, chat.answering(thread_id), runtime.database.owner)
    model = runtime.chat.ready()
    reply = chat.add_message(
        session,
        thread_id,
        Role.ASSISTANT,
        "",
        session.now,
        status=MessageStatus.GENERATING,
        unprompted=message is None,
        reply_to=message.id if message else None,
        model=model.name if model else "",
    )
    position = message.seq if message else reply.seq - 1
    begin = partial(Checkpoint.accepted, reply_id=reply.id, position=position, needed_info=needed_info)
    checkpoints.advance(session, thread_id, begin)
    return reply


def _confirm(session: Session, message: Message, yes: bool) -> Message:
    """Answer a yes or no to a question of the app."""
    text = own_remarks.reworded((own_remarks.APPROVED if yes else own_remarks.DENIED)[0], said_in(session, message.thread_id))
    return chat.add_message(session, message.thread_id, Role.ASSISTANT, text, session.now, reply_to=message.id, model=OWN_WORDS)


def compare(runtime: Runtime, expected: Prediction | None, message: Message) -> Prediction | None:
    """Note whether a message was expected; if it was and tells no more, there is nothing to learn from it.

    A write of its own: the message is saved before a model compares what the two mean.
    """
    verdict: Verdict | None = None
    if expected:
        likeness = _similarity(runtime, expected.text, message.text)
        rule, threshold = runtime.settings.mismatch_rule, runtime.settings.fuzzy_threshold
        verdict = mismatch(expected.text, message.text, similarity=likeness, rule=rule, fuzzy_threshold=threshold)
    with runtime.write() as session:
        if expected and verdict:
            expectations.mark_checked(session, expected.id, message.id, verdict)
            if not (verdict.surprised or _tells_more(runtime, expected, message)):
                expectations.learn_nothing(session, [message.id])
            expected = replace(expected, surprised=verdict.surprised, similarity=verdict.similarity, why=verdict.why)
        status: Literal["ok", "skipped"] = "ok" if verdict else "skipped"
        sim = verdict.similarity if verdict else None
        events.add_event(session, "hotpath", "classify", status, thread_id=message.thread_id, sim=sim)
    return expected


def _tells_more(runtime: Runtime, expected: Prediction, message: Message) -> bool:
    """Say whether a message corrects something, or states a fact that was not expected, however alike the two are otherwise."""
    if correction_of(message) is not None:
        return True
    told = read(message.typed_text, tuple(statements.said_before(runtime, message)))
    return any(check_grounding(one.fact, expected.text) for one in told if one.fact)


def _similarity(runtime: Runtime, one: str, other: str) -> float | None:
    """Return how alike two texts are; None where the verdict says in words that it had to do without meaning."""
    rows = embedded(runtime, [one, other])
    return None if rows is None else float(rows[0] @ rows[1])
