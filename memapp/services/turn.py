"""One turn of a conversation: save the message, read it, check the expectation, then answer
(`services.answer`).

`take_turn` is the door. Whoever watches iterates; stop iterating and the turn stops, keeping the
partial reply. Nothing but what takes secrets out of it reads a message before it is saved, and a
bug in what reads it costs neither the message nor an answer. The hot path makes two model calls:
one when the first was made in idle time, one more when the reply said again what was said. Learning
happens later, in `services.upkeep`. Three things make no call, since the app answers them itself: a
yes or no to its question about a consent request, what is asked of the memory
(`services.memory_request`), and a question of the person about themselves, which their own words
answer (`services.quotations`).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from memapp.domain.chat import (
    FROM_MEMORY,
    MAX_MESSAGE_CHARS,
    OWN_WORDS,
    Message,
    MessageStatus,
    Origin,
    Role,
    Thread,
)
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.expectation import Verdict
from memapp.domain.prediction import Prediction, Prefetched
from memapp.domain.prompt import Usage
from memapp.domain.text import clean
from memapp.domain.turn import Accepted, AnswersLeft, Asked, Checked, Completed, TurnEvent
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.language.expectation import mismatch
from memapp.language.secrets import without_secrets
from memapp.language.sentence import tells_more
from memapp.language.word_file import words_of
from memapp.prompts import own_remarks
from memapp.runtime import Runtime
from memapp.services import memory_request, quotations, reader
from memapp.services.answer import answer
from memapp.services.consent import questions
from memapp.services.embed import embedded
from memapp.services.model_jobs import may_do
from memapp.services.open_turn import (
    OpenTurn,
    best_effort,
    open_thread,
    refuse_beside_another,
    said_in,
)
from memapp.services.retract import retract_unsaid, take_answers_back
from memapp.services.retrieved import expectation, prefetched, take_typed
from memapp.store import chat, checkpoints, events, expectations, history, leases
from memapp.store.session import Session

EMBEDDER_SECONDS = 1.0
"""How long a turn waits for the embedding model that is being loaded, as after the start; then
words must do.
"""


def take_turn(
    runtime: Runtime,
    thread_id: str,
    text: str,
    *,
    pasted: Sequence[tuple[int, int]] = (),
    cancel: Cancel | None = None,
    replaced: Message | None = None,
) -> Iterator[TurnEvent]:
    """Send a message and stream what happens. Raises `UsageError` for a message that cannot be
    sent; nothing is saved then.

    It stands in place of what was said from `replaced` on, where that is given (`resend_turn`).
    """
    began_at = time.monotonic()
    text, pasted = checked(text, pasted)
    safe = best_effort(runtime, thread_id, "secrets", partial(without_secrets, text)) or text
    if safe != text:
        text, pasted = safe, [(0, len(safe))] if pasted else pasted
    erasures = runtime.database.erasures
    thread, earlier = _open(runtime, thread_id, before=replaced.seq if replaced else None)
    with runtime.write() as session:  # before anything reads the message
        answers = _take_away(runtime, session, replaced, earlier) if replaced else None
        last = history.last_number(
            session
        )  # after that: what is decided from now on, the message decides
        message = chat.add_message(
            session, thread.id, Role.USER, text, session.now, origin=Origin.TYPED, pasted=pasted
        )
        reply = _add_reply(runtime, session, thread.id, message)
        expectations.add_surprise(session, thread.id, message.id, session.now)
        chat.save_draft(session, thread.id, "")
    yield Accepted(message, reply, last)
    yield from _respond(
        runtime,
        OpenTurn(thread, earlier, message, reply, cancel or Cancel(), erasures, began_at=began_at),
    )
    yield from filter(None, [answers])


def _respond(runtime: Runtime, turn: OpenTurn) -> Iterator[TurnEvent]:
    """Read the message of an open turn, carry out what it asks, and answer it. A bug in the reading
    costs no answer.
    """
    message, earlier = turn.message, turn.earlier
    assert message is not None
    attempt = partial(best_effort, runtime, turn.thread.id)
    typed = attempt("take_typed", partial(take_typed, runtime, turn.thread.id, message.text))
    confirmed = attempt(
        "read_answer", partial(confirm_answer, runtime, message, turn.reply, earlier)
    )
    retracted = attempt("retract", partial(retract_unsaid, runtime, message, earlier))
    runtime.embedding.ready(within=EMBEDDER_SECONDS)
    request = (
        None
        if confirmed
        else attempt("read_request", partial(memory_request.hear, runtime, message, earlier))
    )
    done = attempt(
        "memory_request", partial(memory_request.carry_out, runtime, request, message, earlier)
    )
    if done is None or done.teaches:
        attempt("propose_profile", partial(reader.propose_profile, runtime, message))
    if confirmed:
        yield Completed(confirmed)
    elif done is not None and done.is_all:
        yield from answer(runtime, replace(turn, known=done.said))
    else:
        yield from _answer(runtime, turn, typed)
    if done is not None:
        yield done.event
    if asked := attempt(
        "ask", partial(questions.ask_about, runtime, message, is_answer=confirmed is not None)
    ):
        yield Asked(asked)
    yield from filter(None, [retracted])


def _answer(runtime: Runtime, turn: OpenTurn, typed: Prefetched | None) -> Iterator[TurnEvent]:
    """Check an ordinary message against what was expected, and answer it: from memory where that is
    sure, else by the model.
    """
    message = turn.message
    assert message is not None
    attempt = partial(best_effort, runtime, turn.thread.id)
    expected = attempt("expectation", partial(expectation, runtime, turn.earlier))
    prefetch = typed or attempt(
        "prefetched", partial(prefetched, runtime, turn.thread.id, expected)
    )
    expected = attempt("classify", partial(compare, runtime, expected, message))
    yield Checked(expected)
    if typed is None and (expected is None or expected.surprised):
        prefetch = None  # made for what was expected
    known, quoted = None, attempt("quotations", partial(_quoted, runtime, turn.thread, message))
    if quoted and not (quoted.lines and _may_answer(runtime)):
        known, quoted = quoted.told, None
    attempt("checkpoint", partial(_mark_read, runtime, turn.thread.id))
    yield from answer(runtime, replace(turn, prefetch=prefetch, known=known, quoted=quoted))


def _mark_read(runtime: Runtime, thread_id: str) -> None:
    with runtime.write() as session:
        checkpoints.advance(session, thread_id, Checkpoint.read)


def _quoted(runtime: Runtime, thread: Thread, message: Message) -> quotations.Quoted | None:
    """Return the quotations that answer a message, unless a model answers it better: what may be
    about anything, any model.

    One that may word answers about the person gets those of what is surely about them, and words
    the rest by itself.
    """
    settings = runtime.settings
    if not settings.answer_from_memory or runtime.persona_in(thread).is_inner_voice:
        return None
    quoted = quotations.quoted(runtime, message)
    if quoted is None or (quoted.asked == "anything" and runtime.chat.ready()):
        return None
    return quoted if quoted.asked in quotations.SURELY or not _may_answer(runtime) else None


def _may_answer(runtime: Runtime) -> bool:
    return may_do(runtime, runtime.chat.ready(), "answers")


def _take_away(
    runtime: Runtime, session: Session, replaced: Message, earlier: Sequence[Message]
) -> AnswersLeft | None:
    """Take the messages from `replaced` on out of the conversation, and back what they answered to
    questions of memapp.
    """
    left = chat.messages_after(session, replaced.thread_id, replaced.seq)
    asked = [*earlier[-1:], *left]  # the first may answer a question that stays
    answers = best_effort(
        runtime, replaced.thread_id, "take_answers_back", partial(take_answers_back, runtime, asked)
    )
    chat.set_active(session, [message.id for message in left], active=False)
    return answers


def retry_turn(
    runtime: Runtime, reply_id: str, *, cancel: Cancel | None = None
) -> Iterator[TurnEvent]:
    """Answer again; the old reply stays as a variant. One that a kill interrupted is resumed: what
    call 1 said is known.

    A question of memapp itself that the chat ends with moves below the new reply: only there is a
    yes an answer to it. Where there is none, since no reply came before, memapp may ask now.
    """
    erasures = runtime.database.erasures
    old = chat.get_message(runtime.read(), reply_id)
    if old.reply_to is None or old.model == OWN_WORDS or old.origin is Origin.COMMAND:
        raise UsageError("Only a reply of the model can be retried.")
    message = chat.get_message(runtime.read(), old.reply_to)
    thread, earlier = _open(runtime, old.thread_id, before=message.seq)
    resumed = old.status is MessageStatus.INTERRUPTED
    others = _seen_replies(runtime, message)
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
        thread, earlier, message, reply, cancel or Cancel(), erasures, kept=kept, others=others
    )
    if is_unread:
        yield from _respond(runtime, turn)
        return
    yield Checked(expectations.checked_by(runtime.read(), message.id))
    quoted = (
        attempt("quotations", partial(_quoted, runtime, thread, message))
        if _may_answer(runtime)
        else None
    )
    yield from answer(runtime, replace(turn, quoted=quoted if quoted and quoted.lines else None))
    if asked := question or attempt("ask", partial(questions.ask_about, runtime, message)):
        yield Asked(asked)


def _seen_replies(runtime: Runtime, message: Message) -> tuple[str, ...]:
    """Return the replies to a message so far, but for those that were not finished: nobody wants
    these in other words.
    """
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
    """Send other words in place of an earlier message; it and what followed leave the conversation
    but stay in the file.

    What was learned from them and is not said any more goes to the trash; answers to questions of
    memapp are taken back, unless what they decided was changed later.
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
    """Let the persona say something unasked, in one model call."""
    erasures = runtime.database.erasures
    thread, earlier = _open(runtime, thread_id)
    with runtime.write() as session:
        reply = _add_reply(runtime, session, thread.id, None)
    yield Accepted(None, reply)
    yield from answer(runtime, OpenTurn(thread, earlier, None, reply, cancel or Cancel(), erasures))


def _open(
    runtime: Runtime, thread_id: str, *, before: int | None = None
) -> tuple[Thread, list[Message]]:
    """Return a thread to go on with, and its last messages. Raises `UsageError` for a deleted one:
    it stands in no list.
    """
    thread, messages = open_thread(runtime, thread_id, before=before)
    if thread.deleted_at is not None:
        raise UsageError(
            "This chat is deleted.", "Bring it back first, with ctrl+p or `memapp chats restore`."
        )
    return thread, messages


def checked(
    text: str, pasted: Sequence[tuple[int, int]] = ()
) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return a message as it can be sent, with what of it was pasted. Raises `UsageError` for one
    that cannot.
    """
    cleaned = clean(text)
    if not cleaned.strip():
        raise UsageError("There is nothing to send.")
    if len(cleaned) > MAX_MESSAGE_CHARS:
        raise UsageError(
            f"This message is too long ({len(cleaned):,} characters).",
            f"The limit is {MAX_MESSAGE_CHARS:,}.",
        )
    if cleaned != text and pasted:
        pasted = [(0, len(cleaned))]  # the spans no longer fit: trust none of it
    return cleaned, pasted


def _add_reply(
    runtime: Runtime,
    session: Session,
    thread_id: str,
    message: Message | None,
    needed_info: Sequence[str] = (),
    *,
    is_read: bool = False,
) -> Message:
    """Add the empty row that the reply will fill, and mark the turn as open, with what it is known
    to need.

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
    """Carry out a yes or no to the question that a chat ended with, and return the reply that says
    so; else None.

    Both are one transaction: a message that is read again after a kill decides nothing twice.
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
        chat.finish_message(session, reply.id, text, MessageStatus.COMPLETE, Usage(), OWN_WORDS)
        expectations.learn_nothing(session, [message.id])
        checkpoints.advance(
            session, message.thread_id, lambda at: at.settled().with_prediction(at.last_prediction)
        )
        leases.release(session, chat.answering(message.thread_id), runtime.database.owner)
    return replace(reply, text=text, status=MessageStatus.COMPLETE, model=OWN_WORDS)


def compare(runtime: Runtime, expected: Prediction | None, message: Message) -> Prediction | None:
    """Note whether a message was expected; if it was and tells no more, there is nothing to learn
    from it.

    A write of its own: the message is saved before a model compares what the two mean.
    """
    verdict: Verdict | None = None
    if expected:
        likeness = _similarity(runtime, expected.text, message.text)
        rule, threshold = runtime.settings.mismatch_rule, runtime.settings.fuzzy_threshold
        verdict = mismatch(
            expected.text, message.text, similarity=likeness, rule=rule, fuzzy_threshold=threshold
        )
    with runtime.write() as session:
        if expected and verdict:
            expectations.mark_checked(session, expected.id, message.id, verdict)
            if not (verdict.surprised or _tells_more(expected, message)):
                expectations.learn_nothing(session, [message.id])
            expected = replace(
                expected,
                surprised=verdict.surprised,
                similarity=verdict.similarity,
                why=verdict.why,
            )
        status: Literal["ok", "skipped"] = "ok" if verdict else "skipped"
        sim = verdict.similarity if verdict else None
        events.add_event(
            session, "hotpath", "classify", status, thread_id=message.thread_id, sim=sim
        )
    return expected


def _tells_more(expected: Prediction, message: Message) -> bool:
    """Return True for a message that corrects something, or states what was not expected, however
    alike the two are otherwise.
    """
    return tells_more(message.typed_text, expected.text, words_of(message.typed_text))


def _similarity(runtime: Runtime, one: str, other: str) -> float | None:
    """Return how alike two texts are; None where the verdict says in words that it had to do
    without meaning.
    """
    rows = embedded(runtime.reading, [one, other])
    return None if rows is None else float(rows[0] @ rows[1])
