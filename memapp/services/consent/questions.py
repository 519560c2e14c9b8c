"""Questions about consent requests in a chat, in memapp's own words, and their answers."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from memapp.domain.changes import is_memapp
from memapp.domain.chat import BY_MEMAPP, Message, MessageStatus, Role
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
from memapp.store.session import Session

TURNS_BETWEEN_QUESTIONS = 10
MESSAGES_SINCE = 20
"""How many earlier messages are searched for an unanswered question."""


def ask(runtime: Runtime, request_id: str, thread_id: str) -> Message:
    """Ask about a request in a chat; the next typed message there may answer.

    Raises `UsageError` for a request that was not read from a chat here: the inbox shows its
    proposer.
    """
    with runtime.decide() as session:
        request = pending.undecided(session, request_id)
        if not _is_from_chat(request):
            raise UsageError("This did not come up in a chat.", "Decide on it in the inbox.")
        subject = _subject_of(request, pending.held_memory(session, request))
        text = f"Shall I remember {subject}? (yes / no)"
        question = chat.add_message(
            session, thread_id, Role.ASSISTANT, text, session.now, unprompted=True, model=BY_MEMAPP
        )
        consents.mark_asked(session, request.id, question.id)
        return question


def ask_about(runtime: Runtime, message: Message, *, is_answer: bool = False) -> Message | None:
    """Ask below a reply about a request its message proposed, unless memapp asked lately.

    An answer that gives another value continues the question. A yes or no to a request that was
    only shown, or is still pending, is asked about first: otherwise nobody can tell which request
    it answers.
    """
    session = runtime.read()
    is_answered = any(
        reply.status is MessageStatus.COMPLETE for reply in chat.variants(session, message.id)
    )
    if not is_answered or not runtime.settings.ask_in_chat:
        return None
    if shown := answered_unasked(runtime, message):
        return ask(runtime, shown.id, message.thread_id)
    since = consents.messages_since_question(session, message.thread_id)
    if since is not None and since < TURNS_BETWEEN_QUESTIONS and not is_answer:
        return None
    for request in _open_requests(session):
        if message.id not in request.evidence:
            continue
        if is_answer and not _states(message.typed_text, request.field):
            continue
        if not consents.question_of(session, request.id):
            return ask(runtime, request.id, message.thread_id)
    return None


def answered_unasked(runtime: Runtime, message: Message) -> ConsentRequest | None:
    """Return the request that a yes or no is about though the turn before only showed it."""
    return next(
        (
            request
            for request in _open_requests(runtime.read())
            if _answers_shown(runtime, message, request)
        ),
        None,
    )


def _open_requests(session: Session) -> list[ConsentRequest]:
    """Return the requests with a value that can be asked about in a chat."""
    return [
        request
        for request in consents.list_pending(session)
        if _is_from_chat(request) and request.new_value
    ]


def _answers_shown(runtime: Runtime, message: Message, request: ConsentRequest) -> bool:
    """Return True for a yes or no to a request that the turn before only showed."""
    if says_yes(message.typed_text, request.field, request.new_value) is None:
        return False
    session = runtime.read()
    *_, previous, reply = [
        None,
        None,
        *chat.list_messages(session, message.thread_id, before=message.seq, limit=2),
    ]
    if (
        previous is None
        or reply is None
        or reply.role is not Role.ASSISTANT
        or reply.text.rstrip().endswith("?")
    ):
        return False
    if question := consents.question_of(session, request.id):
        passed = passed_over(runtime, previous)
        return question != reply.id and passed is not None and passed.id == request.id
    return previous.id in request.evidence


def open_question(runtime: Runtime, messages: Sequence[Message]) -> Message | None:
    """Return memapp's own question at the end of a chat, if any."""
    last = messages[-1] if messages else None
    if last is None or not last.unprompted:
        return None
    return last if consents.asked_in(runtime.read(), last.id) else None


def asked_last(runtime: Runtime, thread_id: str) -> str:
    """Return the id of the request asked about at the end of a chat; empty if none."""
    session = runtime.read()
    question = open_question(runtime, chat.list_messages(session, thread_id, limit=1))
    request = consents.asked_in(session, question.id) if question else None
    return request.id if request else ""


def passed_over(runtime: Runtime, message: Message) -> ConsentRequest | None:
    """Return the request asked about since the person's previous message, if still open.

    A request that ended outside the chat counts, too, if this message would have answered it.
    """
    session = runtime.read()
    before = chat.list_messages(
        session, message.thread_id, before=message.seq, limit=MESSAGES_SINCE
    )
    replies = takewhile(lambda reply: reply.role is Role.ASSISTANT, reversed(before))
    questioned = (
        consents.asked_in(session, message.id) for message in replies if message.unprompted
    )
    request = next(filter(None, questioned), None)
    # An approval in another chat may have withdrawn the request.
    if request is None or (request.decided_by == "chat" and request.state != "withdrawn"):
        return None
    if request.state == "pending" and pending.is_open(session, request):
        return next(
            (
                pending_request
                for pending_request in pending.list_pending(runtime)
                if pending_request.id == request.id
            ),
            None,
        )
    is_answer = says_yes(message.typed_text, request.field, request.new_value) is not None
    return (
        replace(request, state="expired" if request.state == "pending" else request.state)
        if is_answer
        else None
    )


def read_answer(runtime: Runtime, question: Message, reply: Message) -> bool | None:
    """Apply the answer to a question: a typed yes approves, a typed no denies.

    Returns None for anything else, which leaves the request pending. A no with another value of the
    field denies, too: the other value is proposed like any other.
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
            pending.deny(session, [request], "chat", runtime.actor(reply.thread_id))
    return yes


def answered_by(runtime: Runtime, question: Message) -> Entry | None:
    """Return the entry of the answer that decided a question; None if undecided or undone."""
    session = runtime.read()
    request = consents.asked_in(session, question.id)
    if request is None or request.decided_by != "chat":
        return None
    entry = next(
        (entry for entry in consents.entries_about(session, request) if not entry.undoes), None
    )
    return None if entry is None or history.was_undone(session, entry.step) else entry


def _is_from_chat(request: ConsentRequest) -> bool:
    # How-tos and weights are no matter for a chat.
    return is_memapp(request.proposer) and request.field not in (
        HOWTO,
        RUBRIC,
    )


def _states(text: str, field: str) -> bool:
    return any(hint.field == field for hint in stated(text, words_of(text)))


def _subject_of(request: ConsentRequest, memory: Memory | None) -> str:
    """Describe the subject of a question: a sentence, or a field and value with their words."""
    value, words = request.new_value, one_line(clean(memory.text)) if memory else ""
    if request.field not in FIELDS or same_value(request.field, words, value):
        return f"“{words or value}”"
    subject = f"your {'city' if request.field == 'city' else label(request.field).lower()}: {value}"
    return f"{subject}, in the words “{words}”" if words and says_more(words) else subject
