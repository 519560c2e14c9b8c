"""Asking in the chat, in memapp's own words, and hearing the answer."""

from collections.abc import Sequence

from memapp.domain.changes import Actor
from memapp.domain.chat import OWN_WORDS, Message, MessageStatus, Origin, Role
from memapp.domain.consent import FORGOTTEN, Patch, says_yes
from memapp.domain.memory import Memory
from memapp.domain.profile import FIELDS, same_value
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.store import chat, consents
from memapp.store.rows import new_id

TURNS_BETWEEN_QUESTIONS = 10
_QUESTIONS = {
    "preferred_name": "that your name is {}",
    "pronouns": "that your pronouns are {}",
    "city": "that you live in {}",
    "language": "that your language is {}",
}
_PLAIN = {
    "preferred_name": ("User's name is {}", "User is called {}"),
    "pronouns": ("User's pronouns are {}",),
    "city": ("User lives in {}",),
    "language": ("User's language is {}", "User speaks {}"),
    "health": ("User has {}",),
    FORGOTTEN: ("{}",),
}
"""Sentences that say no more than the value of their field does."""


def ask(runtime: Runtime, patch_id: str, thread_id: str) -> Message:
    """Ask about one proposal in a chat, in memapp's own words; the next typed message there may answer.

    Raises `UsageError` for one that was not read from a chat here: the inbox shows who proposed it.
    """
    with runtime.database.decide() as conn:
        patch = pending.undecided(conn, runtime, patch_id)
        if not _came_up(patch):
            raise UsageError("This did not come up in a chat.", "Decide on it in the inbox.")
        label = FIELDS[patch.field].label.lower() if patch.field in FIELDS else "what you had me forget"
        what = _QUESTIONS.get(patch.field, f"about you - {label}: {{}}").format(patch.new_value)
        words = _words(patch, consents.held(conn, runtime.user_id, patch.id))
        text, now = f"Shall I remember {what}{words}? (yes / no)", runtime.clock()
        question = chat.add_message(
            conn, runtime.user_id, thread_id, Role.ASSISTANT, text, now, origin=Origin.MODEL, unprompted=True, model=OWN_WORDS
        )
        consents.mark_asked(conn, runtime.user_id, patch.id, question.id)
        return question


def ask_about(runtime: Runtime, message: Message) -> Message | None:
    """Ask below the reply to a message about what it proposed, unless memapp asked in this chat a short while ago."""
    conn = runtime.database.read()
    if not any(reply.status is MessageStatus.COMPLETE for reply in chat.variants(conn, runtime.user_id, message.id)):
        return None
    since = consents.messages_since_question(conn, runtime.user_id, message.thread_id)
    if not runtime.settings.ask_in_chat or (since is not None and since < TURNS_BETWEEN_QUESTIONS):
        return None
    for patch in consents.list_waiting(conn, runtime.user_id, runtime.clock()):
        if not _came_up(patch) or message.id not in patch.evidence or not patch.new_value:
            continue
        if not consents.question_of(conn, runtime.user_id, patch.id):
            return ask(runtime, patch.id, message.thread_id)
    return None


def open_question(runtime: Runtime, messages: Sequence[Message]) -> Message | None:
    """Return the question of memapp itself that a chat ends with, if it ends with one."""
    last = messages[-1] if messages else None
    if last is None or not last.unprompted:
        return None
    return last if consents.asked_in(runtime.database.read(), runtime.user_id, last.id) else None


def hear(runtime: Runtime, question: Message, reply: Message) -> bool | None:
    """Read the message right after a question: a typed yes approves, a typed no denies, anything else leaves it waiting."""
    with runtime.database.decide() as conn:
        patch = consents.asked_in(conn, runtime.user_id, question.id)
        if patch is None or patch.state != "pending" or reply.pasted or patch.expires_at < runtime.clock():
            return None
        yes = says_yes(reply.typed_text, patch.field, patch.new_value)
        if yes:
            actor = Actor(runtime.user_id, "person", reply.thread_id, new_id(runtime.clock()))
            decisions.carry_out(conn, runtime, patch, "chat", actor)
        elif yes is False:
            decisions.turn_down(conn, runtime, patch, "chat")
        return yes


def _came_up(patch: Patch) -> bool:
    return patch.proposer == "worker"


def _words(patch: Patch, held: Memory | None) -> str:
    """Name the sentence that a yes would keep, where it says more than the value does."""
    plain = (form.format(patch.addition) for form in _PLAIN.get(patch.field, ()))
    if held is None or any(same_value(patch.field, held.text, one) for one in plain):
        return ""
    return f', in the words "{one_line(clean(held.text))}"'
