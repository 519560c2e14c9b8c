"""Asking in the chat, in memapp's own words, and hearing the answer."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from memapp.domain.changes import is_memapp
from memapp.domain.chat import OWN_WORDS, Message, MessageStatus, Role
from memapp.domain.consent import HOWTO, RUBRIC, ConsentRequest, label
from memapp.domain.history import Entry
from memapp.domain.memory import Memory
from memapp.domain.profile import FIELDS, same_value
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.language.consent import begins_with_no, says_yes
from memapp.language.profile import says_more, stated
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.store import chat, consents, history

TURNS_BETWEEN_QUESTIONS = 10
MESSAGES_SINCE = 20
"""How many earlier messages are searched for an unanswered question."""


def ask(runtime: Runtime, request_id: str, thread_id: str) -> Message:
    """Ask about one request in a chat, in memapp's own words; the next typed message there may
    answer.

    Raises `UsageError` for one that was not read from a chat here: the inbox shows who proposed it.
    """
    with runtime.decide() as session:
        request = pending.undecided(session, request_id)
        if not _came_up(request):
            raise UsageError("This did not come up in a chat.", "Decide on it in the inbox.")
        text = f"Shall I remember {_asked_about(request, pending.brought_by(session, request))}? (yes / no)"
        question = chat.add_message(
            session, thread_id, Role.ASSISTANT, text, session.now, unprompted=True, model=OWN_WORDS
        )
        consents.mark_asked(session, request.id, question.id)
        return question


def ask_about(runtime: Runtime, message: Message, *, is_answer: bool = False) -> Message | None:
    """Ask below the reply to a message about what it proposed, unless memapp asked in this chat a
    short while ago.

    An answer that gives another value goes on with the question that it answers. A yes or no to
    what is only shown to wait, or still waits, gets the question: without one nobody can tell what
    it is a yes to.
    """
    session = runtime.read()
    is_answered = any(
        reply.status is MessageStatus.COMPLETE for reply in chat.variants(session, message.id)
    )
    if not is_answered or not runtime.settings.ask_in_chat:
        return None
    waits = [
        request
        for request in consents.list_pending(session)
        if _came_up(request) and request.new_value
    ]
    if shown := next(
        (request for request in waits if _answers_shown(runtime, message, request)), None
    ):
        return ask(runtime, shown.id, message.thread_id)
    since = consents.messages_since_question(session, message.thread_id)
    if since is not None and since < TURNS_BETWEEN_QUESTIONS and not is_answer:
        return None
    for request in waits:
        if message.id not in request.evidence:
            continue
        if is_answer and not _states(message.typed_text, request.field):
            continue
        if not consents.question_of(session, request.id):
            return ask(runtime, request.id, message.thread_id)
    return None


def _answers_shown(runtime: Runtime, message: Message, request: ConsentRequest) -> bool:
    """Say whether a message is a yes or no to what the turn before it showed to wait, without any
    question in between.
    """
    if says_yes(message.typed_text, request.field, request.new_value) is None:
        return False
    session = runtime.read()
    *_, said, reply = [
        None,
        None,
        *chat.list_messages(session, message.thread_id, before=message.seq, limit=2),
    ]
    if (
        said is None
        or reply is None
        or reply.role is not Role.ASSISTANT
        or reply.text.rstrip().endswith("?")
    ):
        return False
    if question := consents.question_of(session, request.id):
        passed = passed_over(runtime, said)
        return question != reply.id and passed is not None and passed.id == request.id
    return said.id in request.evidence


def open_question(runtime: Runtime, messages: Sequence[Message]) -> Message | None:
    """Return the question of memapp itself that a chat ends with, if it ends with one."""
    last = messages[-1] if messages else None
    if last is None or not last.unprompted:
        return None
    return last if consents.asked_in(runtime.read(), last.id) else None


def asked_last(runtime: Runtime, thread_id: str) -> str:
    """Return the id of the request that a chat ends with a question about; empty if it ends with
    none.
    """
    session = runtime.read()
    question = open_question(runtime, chat.list_messages(session, thread_id, limit=1))
    request = consents.asked_in(session, question.id) if question else None
    return request.id if request else ""


def passed_over(runtime: Runtime, message: Message) -> ConsentRequest | None:
    """Return what memapp asked about since the person's message before this one, if this decided
    nothing.

    That is what still waits; and what ended before, without the chat, if this would have answered
    it.
    """
    session = runtime.read()
    before = chat.list_messages(
        session, message.thread_id, before=message.seq, limit=MESSAGES_SINCE
    )
    replies = takewhile(lambda one: one.role is Role.ASSISTANT, reversed(before))
    asked = (consents.asked_in(session, message.id) for message in replies if message.unprompted)
    request = next(filter(None, asked), None)
    if request is None or (
        request.decided_by == "chat" and request.state != "withdrawn"
    ):  # another chat's yes may withdraw it
        return None
    if request.state == "pending" and pending.is_open(session, request):
        return next(
            (waits for waits in pending.list_pending(runtime) if waits.id == request.id), None
        )
    is_answer = says_yes(message.typed_text, request.field, request.new_value) is not None
    return (
        replace(request, state="expired" if request.state == "pending" else request.state)
        if is_answer
        else None
    )


def read_answer(runtime: Runtime, question: Message, reply: Message) -> bool | None:
    """Read the message right after a question: a typed yes approves, a typed no denies, anything
    else leaves it waiting.

    A no that goes on with another value of the field denies, too: that value is proposed as any
    other.
    """
    with runtime.decide() as session:
        request = consents.asked_in(session, question.id)
        if (
            request is None
            or request.state != "pending"
            or reply.pasted
            or not pending.is_open(session, request)
        ):
            return None
        yes = says_yes(reply.typed_text, request.field, request.new_value)
        if (
            yes is None
            and begins_with_no(reply.typed_text)
            and _states(reply.typed_text, request.field)
        ):
            yes = False
        if yes:
            decisions.carry_out(session, runtime, request, "chat", runtime.actor(reply.thread_id))
        if yes is False:
            pending.end(session, request, "denied", "chat", runtime.actor(reply.thread_id))
    return yes


def answered_by(runtime: Runtime, question: Message) -> Entry | None:
    """Return what the answer that decided on a question did; None if none did, or if it was taken
    back.
    """
    session = runtime.read()
    request = consents.asked_in(session, question.id)
    if request is None or request.decided_by != "chat":
        return None
    entry = next(
        (entry for entry in consents.entries_about(session, request) if not entry.undoes), None
    )
    return None if entry is None or history.was_taken_back(session, entry.step) else entry


def _came_up(request: ConsentRequest) -> bool:
    return is_memapp(request.proposer) and request.field not in (
        HOWTO,
        RUBRIC,
    )  # which are no matter between two messages


def _states(text: str, field: str) -> bool:
    return any(hint.field == field for hint in stated(text, words_of(text)))


def _asked_about(request: ConsentRequest, memory: Memory | None) -> str:
    """Return what a yes would keep: a sentence, or a value by its field, with the words that come
    with it where they say more.
    """
    value, words = request.new_value, one_line(clean(memory.text)) if memory else ""
    if request.field not in FIELDS or same_value(request.field, words, value):
        return f"“{words or value}”"
    asked = f"your {'city' if request.field == 'city' else label(request.field).lower()}: {value}"
    return f"{asked}, in the words “{words}”" if words and says_more(words) else asked
