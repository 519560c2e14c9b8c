"""The threads of a person: new, open, rename, delete, restore, drafts, context cards, variants."""

from dataclasses import dataclass, field

from memapp.domain.activity import HitRates, Rate
from memapp.domain.chat import Message, Thread
from memapp.domain.memory import Recalled
from memapp.domain.prediction import Prediction
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import UsageError
from memapp.language.secrets import without_secrets
from memapp.runtime import Runtime
from memapp.services.recall import redact_withheld
from memapp.services.store_reads import reading
from memapp.settings import check_known
from memapp.store import change_log, chat, events, expectations, recalls, saved_values

NEW_TITLE = "New chat"
PAGE = 60
"""Messages shown at once; earlier ones are loaded when asked for."""

get_thread = reading(chat.get_thread)
get_message = reading(chat.get_message)
list_threads = reading(chat.list_threads)
typed_prompts = reading(chat.typed_prompts)
choice = reading(saved_values.get_value)
"""Return a choice made on the screen, or the default."""


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """A page of a thread, oldest message first."""

    messages: tuple[Message, ...]
    more: bool
    """Whether there are earlier messages."""


@dataclass(slots=True)
class Trace:
    """The steps of one turn so far, for the drawer and the chips."""

    expected: Prediction | None = None
    """The prediction for the message, compared already."""
    needed_info: tuple[str, ...] = ()
    source: str = ""
    """The origin of `needed_info`; known only while the turn runs."""
    hits: tuple[Recalled, ...] = ()
    expects: str = ""
    """The expected next message."""
    guesses: HitRates = field(default=HitRates(Rate(0, 0), Rate(0, 0)))
    """The hit rates of the last predictions."""


def new_thread(runtime: Runtime, persona: str = "") -> Thread:
    """Start a thread; the first message gives the title."""
    persona = persona or runtime.settings.persona
    check_known("persona", persona, runtime.personas)
    with runtime.write() as session:
        thread = chat.create_thread(session, NEW_TITLE, persona, session.now)
        change_log.begin(session, thread.id)
    return thread


def page(runtime: Runtime, thread_id: str, before: int | None = None) -> ThreadPage:
    """Return the last messages of a thread, or those before sequence number `before`."""
    messages = chat.list_messages(
        runtime.read(), thread_id, before=before, limit=PAGE + 1, commands=True
    )
    return ThreadPage(tuple(messages[-PAGE:]), more=len(messages) > PAGE)


def trace(runtime: Runtime, reply: Message) -> Trace:
    """Return the trace of a reply."""
    session = runtime.read()
    needed = expectations.prediction_for(session, reply.id, "predictor")
    expects = expectations.expected_after(session, reply.id)
    return Trace(
        expected=expectations.compared_with(session, reply.reply_to) if reply.reply_to else None,
        needed_info=needed.needed_info if needed else (),
        hits=tuple(redact_withheld(session, recalls.list_recalls(session, reply.id))),
        expects=expects.text if expects else "",
        guesses=expectations.hit_rates(session),
    )


def rename_thread(runtime: Runtime, thread_id: str, title: str) -> None:
    title = shorten(one_line(clean(title)), 200)
    if not title:
        raise UsageError("A chat needs a title.")
    with runtime.write() as session:
        chat.rename_thread(session, thread_id, title, "person")


def delete_thread(runtime: Runtime, thread_id: str) -> None:
    """Move a thread to the deleted ones; `restore_thread` brings back one not yet erased."""
    with runtime.write() as session:
        chat.set_thread_deleted(session, thread_id, session.now)
        events.add_event(session, events.WHILE_CHATTING, "delete_chat", "ok", thread_id=thread_id)


def restore_thread(runtime: Runtime, thread_id: str) -> None:
    """Restore a deleted thread. Raises `NotFound` for an erased one."""
    with runtime.write() as session:
        chat.get_thread(session, thread_id)
        chat.set_thread_deleted(session, thread_id, None)


def variants(runtime: Runtime, reply: Message) -> list[Message]:
    """Return all replies to the same message, oldest first; one of them is active."""
    if reply.reply_to is None:
        return [reply]
    return chat.variants(runtime.read(), reply.reply_to)


def choose_variant(runtime: Runtime, reply: Message) -> None:
    """Make a reply the active one among the replies to a message."""
    others = [message.id for message in variants(runtime, reply) if message.id != reply.id]
    with runtime.write() as session:
        chat.set_active(session, others, active=False)
        chat.set_active(session, [reply.id], active=True)


def interrupt_abandoned(runtime: Runtime) -> bool:
    """Mark the replies of a dead process as interrupted; return True if there were any."""
    if not chat.abandoned(runtime.read()):
        return False
    with runtime.write() as session:
        return chat.interrupt_abandoned(session) > 0


def save_draft(runtime: Runtime, thread_id: str, text: str) -> None:
    """Save the draft of a thread in the window that keeps drafts; a new thread has the id ''."""
    if not keeps_drafts(runtime):
        return
    with runtime.write() as session:
        chat.save_draft(session, thread_id, without_secrets(clean(text)))


def keeps_drafts(runtime: Runtime) -> bool:
    """Return True if this window, and no other on the same file, keeps the drafts."""
    return runtime.database.keeps_drafts()


def get_draft(runtime: Runtime, thread_id: str) -> str:
    """Return the draft of a thread; empty if another window keeps the drafts."""
    return "" if not keeps_drafts(runtime) else chat.get_draft(runtime.read(), thread_id)


def add_context_card(runtime: Runtime, thread_id: str, text: str) -> None:
    """Add a context card to a thread; the persona sees the card from the next reply on."""
    text = shorten(one_line(without_secrets(clean(text))), 2000)
    if not text:
        raise UsageError("There is nothing to add.", "Write it after /evidence.")
    with runtime.write() as session:
        chat.add_context_card(session, thread_id, text)


def remember_choice(runtime: Runtime, name: str, value: object) -> None:
    """Save a choice made on the screen: the open thread, a folded pane."""
    with runtime.write() as session:
        saved_values.set_value(session, name, value)
