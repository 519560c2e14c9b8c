"""A turn of a chat: save the message, read it, compare it with the prediction, then reply.

`take_turn` is the door; iterating runs the turn, and to stop iterating stops it and keeps the
partial reply. The stages are `_process_message` (read the message, carry out its request), `_reply`
(compare; quote, or let the model reply) and `answering.write_reply`. Only the removal of secrets
reads a message before it is saved. A turn makes two model calls, or one if the first was made in
idle time. Learning happens later (`services.jobs.learn`). No call is needed for a yes or no to a
consent request, a request to the memory (`services.memory_requests`), and a question that the
person's words answer (`services.recall.quotations`).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from memapp.domain.chat import (
    BY_MEMAPP,
    FROM_MEMORY,
    Message,
    MessageStatus,
    Origin,
    Role,
    Thread,
    valid_message,
)
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.memory import OwnAnswer
from memapp.domain.prediction import Prefetched
from memapp.domain.prompt import Usage
from memapp.domain.turn_events import (
    Accepted,
    Asked,
    Compared,
    Completed,
    RevertedAnswers,
    TurnEvent,
)
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.language.questions import asked_about
from memapp.language.secrets import without_secrets
from memapp.language.word_file import words_of
from memapp.prompts import own_remarks
from memapp.runtime import Runtime
from memapp.services import learning
from memapp.services.consent import questions
from memapp.services.expectation_check import compare
from memapp.services.memory_requests import requests
from memapp.services.models import is_trusted_with
from memapp.services.open_turn import (
    OpenTurn,
    best_effort,
    open_thread,
    raise_if_answered_elsewhere,
    said_in,
)
from memapp.services.recall import idle_prefetch, prediction_after, quotations, take_typing_prefetch
from memapp.services.turn.answering import write_reply
from memapp.store import chat, checkpoints, expectations, history, learning_queue, leases
from memapp.store.session import Session

EMBEDDER_SECONDS = 1.0
"""Longest wait for an embedding model that is loading; then words must do."""


def take_turn(
    runtime: Runtime,
    thread_id: str,
    text: str,
    *,
    pasted: Sequence[tuple[int, int]] = (),
    cancel: Cancel | None = None,
    replaced: Message | None = None,
) -> Iterator[TurnEvent]:
    """Send a message and stream the events of its turn.

    Raises `UsageError` for a message that cannot be sent; nothing is saved then. With `replaced`
    the message stands in place of everything from there on (`resend_turn`).
    """
    began_at = time.monotonic()
    text, pasted = valid_message(text, pasted)
    # A bug in the search for secrets loses no message: the text is then saved as it is.
    safe = best_effort(runtime, thread_id, "secrets", partial(without_secrets, text)) or text
    if safe != text:
        text, pasted = safe, [(0, len(safe))] if pasted else pasted
    erasures = runtime.database.erasures
    thread, earlier = _open(runtime, thread_id, before=replaced.seq if replaced else None)
    with runtime.write() as session:  # before anything reads the message
        answers = _deactivate_from(runtime, session, replaced, earlier) if replaced else None
        # Changes from here on are caused by the message.
        last = history.last_number(session)
        message = chat.add_message(
            session, thread.id, Role.USER, text, session.now, origin=Origin.TYPED, pasted=pasted
        )
        reply = _add_reply(runtime, session, thread.id, message)
        learning_queue.add(session, thread.id, message.id, session.now)
        chat.save_draft(session, thread.id, "")
    yield Accepted(message, reply, last)
    yield from _process_message(
        runtime,
        OpenTurn(thread, earlier, message, reply, cancel or Cancel(), erasures, began_at=began_at),
    )
    yield from filter(None, [answers])


def _process_message(runtime: Runtime, turn: OpenTurn) -> Iterator[TurnEvent]:
    """Read the message of an open turn, carry out its request, reply, and perhaps ask.

    A bug in the reading costs no reply.
    """
    message, earlier = turn.message, turn.earlier
    assert message is not None
    attempt = partial(best_effort, runtime, turn.thread.id)
    typed = attempt(
        "take_prefetched", partial(take_typing_prefetch, runtime, turn.thread.id, message.text)
    )
    confirmed = attempt(
        "read_answer", partial(confirm_answer, runtime, message, turn.reply, earlier)
    )
    retracted = attempt("retract", partial(learning.retract_withdrawn, runtime, message, earlier))
    runtime.embedding.ready(within=EMBEDDER_SECONDS)
    request = (
        None
        if confirmed
        else attempt("read_request", partial(requests.read_message, runtime, message, earlier))
    )
    done = attempt(
        "memory_request", partial(requests.carry_out, runtime, request, message, earlier)
    )
    if done is None or done.teaches:
        attempt("propose_profile", partial(learning.propose_profile, runtime, message))
    if confirmed:
        yield Completed(confirmed)
    elif done is not None and done.is_all:
        yield from write_reply(runtime, replace(turn, own_answer=done.said))
    elif attempt("unasked", partial(questions.answered_unasked, runtime, message)):
        waits = OwnAnswer(own_remarks.WAITS[0], is_own_word=True)
        yield from write_reply(runtime, replace(turn, own_answer=waits))
    else:
        yield from _reply(runtime, turn, typed)
    if done is not None:
        yield done.event
    if question := attempt(
        "ask", partial(questions.ask_about, runtime, message, is_answer=confirmed is not None)
    ):
        yield Asked(question)
    yield from filter(None, [retracted])


def _reply(runtime: Runtime, turn: OpenTurn, typed: Prefetched | None) -> Iterator[TurnEvent]:
    """Compare a message with the prediction; reply with quotations, or by the model."""
    message = turn.message
    assert message is not None
    attempt = partial(best_effort, runtime, turn.thread.id)
    expected = attempt("expectation", partial(prediction_after, runtime, turn.earlier))
    prefetch = typed or attempt(
        "prefetched", partial(idle_prefetch, runtime, turn.thread.id, expected)
    )
    expected = attempt("classify", partial(compare, runtime, expected, message))
    yield Compared(expected)
    if typed is None and (expected is None or expected.surprised):
        prefetch = None  # made for another message
    own_answer = None
    quoted = attempt("quotations", partial(_quoted_answer, runtime, turn.thread, message))
    if quoted and not (quoted.lines and _may_answer(runtime)):
        own_answer, quoted = quoted.answer, None
    attempt("checkpoint", partial(_mark_read, runtime, turn.thread.id))
    yield from write_reply(
        runtime, replace(turn, prefetch=prefetch, own_answer=own_answer, quoted=quoted)
    )


def _mark_read(runtime: Runtime, thread_id: str) -> None:
    with runtime.write() as session:
        checkpoints.advance(session, thread_id, Checkpoint.read)


def _quoted_answer(
    runtime: Runtime, thread: Thread, message: Message
) -> quotations.QuotedAnswer | None:
    """Return the quotations that answer a message, unless a model answers better.

    A model trusted with answers gets those that are surely about the person, and answers the rest
    alone; a question about anything goes to any model.
    """
    settings = runtime.settings
    if not settings.answer_from_memory or runtime.persona_in(thread).is_inner_voice:
        return None
    asked = asked_about(message.text, words_of(message.text))
    if not asked or (asked == "anything" and runtime.chat.ready()):
        return None
    is_for_model = asked not in quotations.SURELY and _may_answer(runtime)
    return None if is_for_model else quotations.quoted_answer(runtime, message)


def _may_answer(runtime: Runtime) -> bool:
    return is_trusted_with(runtime, runtime.chat.ready(), "answers")


def _deactivate_from(
    runtime: Runtime, session: Session, replaced: Message, earlier: Sequence[Message]
) -> RevertedAnswers | None:
    """Deactivate the messages from `replaced` on, and revert their answers to questions."""
    left = chat.messages_from(session, replaced.thread_id, replaced.seq)
    messages = [*earlier[-1:], *left]  # the first may follow a question that stays
    answers = best_effort(
        runtime,
        replaced.thread_id,
        "revert_answers",
        partial(learning.revert_answers, runtime, messages),
    )
    chat.set_active(session, [message.id for message in left], active=False)
    return answers


def retry_turn(
    runtime: Runtime, reply_id: str, *, cancel: Cancel | None = None
) -> Iterator[TurnEvent]:
    """Answer again; the old reply stays as a variant.

    An interrupted reply is resumed with the result of call 1. An open question of memapp moves
    below the new reply: only there is a yes an answer to it. If no reply came before, memapp may
    ask now.
    """
    erasures = runtime.database.erasures
    old = chat.get_message(runtime.read(), reply_id)
    if old.reply_to is None or old.model == BY_MEMAPP or old.origin is Origin.COMMAND:
        raise UsageError("Only an answer of the model can be retried.")
    message = chat.get_message(runtime.read(), old.reply_to)
    thread, earlier = _open(runtime, old.thread_id, before=message.seq)
    resumed = old.status is MessageStatus.INTERRUPTED
    others = _earlier_replies(runtime, message)
    attempt = partial(best_effort, runtime, thread.id)
    question = attempt(
        "open_question",
        lambda: questions.open_question(runtime, open_thread(runtime, thread.id)[1]),
    )
    with runtime.write() as session:
        at = checkpoints.load(session, thread.id)
        is_unread = resumed and at.is_unread(old.id)
        last = history.last_number(session) if is_unread else None
        kept = at.kept_for(old.id) if resumed else ()
        chat.set_active(session, [old.id], active=False)
        reply = _add_reply(runtime, session, thread.id, message, kept, is_read=not is_unread)
        question = chat.put_last(session, question) if question else None
    yield Accepted(message, reply, last)
    turn = OpenTurn(
        thread,
        earlier,
        message,
        reply,
        cancel or Cancel(),
        erasures,
        needed_info=kept,
        earlier_replies=others,
    )
    if is_unread:
        yield from _process_message(runtime, turn)
        return
    yield Compared(expectations.compared_with(runtime.read(), message.id))
    quoted = (
        attempt("quotations", partial(_quoted_answer, runtime, thread, message))
        if _may_answer(runtime)
        else None
    )
    yield from write_reply(
        runtime, replace(turn, quoted=quoted if quoted and quoted.lines else None)
    )
    if new_question := question or attempt("ask", partial(questions.ask_about, runtime, message)):
        yield Asked(new_question)


def _earlier_replies(runtime: Runtime, message: Message) -> tuple[str, ...]:
    """Return the finished replies to a message so far, except memapp's own."""
    replies = chat.variants(runtime.read(), message.id)
    ended = (MessageStatus.COMPLETE, MessageStatus.STOPPED)
    return tuple(
        message.text
        for message in replies
        if message.text and message.status in ended and message.model != FROM_MEMORY
    )


def resend_turn(
    runtime: Runtime,
    message_id: str,
    text: str,
    *,
    pasted: Sequence[tuple[int, int]] = (),
    cancel: Cancel | None = None,
) -> Iterator[TurnEvent]:
    """Send other words in place of an earlier message.

    The message and all that followed leave the conversation but stay in the file. Memories nothing
    else supports go to the trash; answers to questions are reverted, unless they were changed
    later.
    """
    message = chat.get_message(runtime.read(), message_id)
    if message.role is not Role.USER:
        raise UsageError("Only your own messages can be edited.")
    yield from take_turn(
        runtime, message.thread_id, text, pasted=pasted, cancel=cancel, replaced=message
    )


def remark(
    runtime: Runtime, thread_id: str, *, cancel: Cancel | None = None
) -> Iterator[TurnEvent]:
    """Let the persona say something unprompted, in one model call."""
    erasures = runtime.database.erasures
    thread, earlier = _open(runtime, thread_id)
    with runtime.write() as session:
        reply = _add_reply(runtime, session, thread.id, None)
    yield Accepted(None, reply)
    yield from write_reply(
        runtime, OpenTurn(thread, earlier, None, reply, cancel or Cancel(), erasures)
    )


def _open(
    runtime: Runtime, thread_id: str, *, before: int | None = None
) -> tuple[Thread, list[Message]]:
    """Return an active thread and its last messages; raise `UsageError` for a deleted thread."""
    thread, messages = open_thread(runtime, thread_id, before=before)
    if thread.deleted_at is not None:
        raise UsageError(
            "This chat is deleted.", "Restore it first, with ctrl+p or `memapp chats restore`."
        )
    return thread, messages


def _add_reply(
    runtime: Runtime,
    session: Session,
    thread_id: str,
    message: Message | None,
    needed_info: Sequence[str] = (),
    *,
    is_read: bool = False,
) -> Message:
    """Add the empty row of the reply, and mark the turn as open.

    Raises `UsageError` while another process answers in the chat.
    """
    raise_if_answered_elsewhere(runtime, session, thread_id)
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
    begin = partial(
        Checkpoint.accepted,
        reply_id=reply.id,
        position=position,
        needed_info=needed_info,
        is_read=is_read,
    )
    checkpoints.advance(session, thread_id, begin)
    return reply


def confirm_answer(
    runtime: Runtime, message: Message, reply: Message, earlier: Sequence[Message]
) -> Message | None:
    """Apply a yes or no to the question at the end of a chat; return the confirmation.

    Returns None for anything else. All is one transaction: a message that is read again after a
    kill decides nothing twice.
    """
    question = questions.open_question(runtime, earlier)
    if question is None:
        return None
    with runtime.write() as session:
        yes = questions.read_answer(runtime, question, message)
        if yes is None:
            return None
        text = own_remarks.reworded(
            (own_remarks.APPROVED if yes else own_remarks.DENIED)[0],
            said_in(session, message.thread_id),
        )
        chat.finish_message(session, reply.id, text, MessageStatus.COMPLETE, Usage(), BY_MEMAPP)
        learning_queue.learn_nothing(session, [message.id])
        checkpoints.advance(
            session, message.thread_id, lambda at: at.settled().with_prediction(at.last_prediction)
        )
        leases.release(session, chat.answering(message.thread_id), runtime.database.owner)
    return replace(reply, text=text, status=MessageStatus.COMPLETE, model=BY_MEMAPP)
