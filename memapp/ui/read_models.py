"""Read models of the chat and the top line, put together from services on a thread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memapp.domain.chat import Message, Role, Thread
from memapp.domain.council import Dissent, Round
from memapp.domain.provenance import JudgedSentences, Outcome
from memapp.errors import NotFound, SyncError, UsageError
from memapp.runtime import Runtime
from memapp.services import chats, council, models, provenance
from memapp.services.chats import ThreadPage, Trace
from memapp.services.consent import pending, questions
from memapp.services.memory_requests import refused_sentences
from memapp.services.models import downloads
from memapp.services.sync import keyring, machines

SMALL = "This small model cannot hold a conversation"
KEY = "ctrl+o gets one that can"
OFFLINE, SHARED, OUT_OF_STEP = "offline", "shared", "out of step"
"""What the top line says of the other machines."""
STAYS = ("Nothing leaves this machine.", "What changes goes, encrypted, to your other machines.")
AFTER_A_HIT = 20
"""The messages shown after one that was jumped to."""


def stretch(runtime: Runtime, thread_id: str, at: Message | None = None) -> tuple[ThreadPage, bool]:
    """Return the end of a thread, or the part around a message, and True if more follows."""
    end = chats.page(runtime, thread_id)
    if at is None or not at.active or any(message.id == at.id for message in end.messages):
        return end, False
    return chats.page(runtime, thread_id, at.seq + AFTER_A_HIT), True


def thread_there(runtime: Runtime, thread_id: str) -> Thread | None:
    """Return a thread unless it was deleted or erased."""
    try:
        thread = chats.get_thread(runtime, thread_id)
    except NotFound:
        return None
    return thread if thread.deleted_at is None else None


def outcomes(
    runtime: Runtime, messages: Sequence[Message], judged: Mapping[str, JudgedSentences]
) -> dict[str, Outcome]:
    """Return the outcomes of messages by id, without empty ones.

    `judged` are the judged sentences of messages, by the same ids.
    """
    own_messages = [message for message in messages if message.role is Role.USER]
    learned = provenance.learned_from(runtime, [message.id for message in own_messages])
    asked_id = questions.asked_last(runtime, messages[-1].thread_id) if messages else ""
    # A question at the end of the chat already shows its request.
    pending_requests = [
        request for request in pending.list_pending(runtime) if request.id != asked_id
    ]
    by_message = {}
    for message in own_messages:
        taught = learned.get(message.id, [])
        requests = [request for request in pending_requests if message.id in request.evidence]
        rest = refused_sentences.not_kept(
            runtime, message, judged.get(message.id, ()), [fact.memory.id for fact in taught]
        )
        by_message[message.id] = Outcome(tuple(taught), tuple(requests), rest)
    return {id: outcome for id, outcome in by_message.items() if outcome.items}


@dataclass(frozen=True, slots=True)
class ShownCouncil:
    """A council as its card shows it."""

    held: Round
    dissents: tuple[Dissent, ...] = ()
    """The dissents, weightiest first."""
    is_open: bool = False
    """True while the council sits or is stopped."""
    progress: str = ""
    """The progress while the council sits."""
    by: str = ""
    """The reviewers."""


def councils(runtime: Runtime, messages: Sequence[Message]) -> dict[str, ShownCouncil]:
    """Return the last council over the answer to each message, by message id."""
    rounds = council.of_messages(
        runtime, [message.id for message in messages if message.role is Role.USER]
    )
    return {
        id: ShownCouncil(
            held,
            tuple(council.ranked(runtime, held)),
            council.is_open(runtime, held),
            by=council.who(runtime),
        )
        for id, held in rounds.items()
    }


def explanations(
    runtime: Runtime, replies: Sequence[Message]
) -> dict[str, tuple[Trace, tuple[int, int]]]:
    """Return the sources of answers and their place among the variants, by message id."""
    return {
        message.id: (chats.trace(runtime, message), _variant(runtime, message))
        for message in replies
    }


def _variant(runtime: Runtime, reply: Message) -> tuple[int, int]:
    ids = [message.id for message in chats.variants(runtime, reply)]
    return ids.index(reply.id) + 1 if reply.id in ids else 1, max(1, len(ids))


def last_thread(runtime: Runtime) -> Thread | None:
    """Return the thread that was open last, if it still exists."""
    return thread_there(runtime, str(chats.choice(runtime, "thread", "")))


def welcome_words(runtime: Runtime) -> tuple[str, str]:
    """Return the words of an empty chat, and at the first start the path of the memory file."""
    offered = offer(runtime)
    lines = f"{SMALL}.\n{KEY}: {offered}\n\n" if offered else ""
    if chats.list_threads(runtime, limit=1):
        words = "A new chat. What you say in the others is remembered here too."
        return f"{words}\n\n{lines}ctrl+f finds anything · ctrl+b lists your chats", ""
    words = (
        "Chat with a model on this machine that remembers what you tell it.\n"
        f"Everything stands in one file: {runtime.paths.database}\n"
        f"{STAYS[keyring.is_here(runtime)]} You see what it remembers, and decide.\n"
        "Write below to begin · / lists commands · F8 chooses another model\n\n"
        f"{lines}esc, then t: try sample chats · v: choose colours · y: copy the path"
    )
    return words, str(runtime.paths.database)


def offer(runtime: Runtime) -> str:
    """Return the name and size of the model to download with a key; empty if none is missing."""
    return "" if runtime.downloading_from else downloads.offer(runtime)


def sharing(runtime: Runtime) -> str:
    """Return whether this memory is shared, and whether what changes goes and comes."""
    try:
        return OUT_OF_STEP if machines.status(runtime).error else SHARED
    except UsageError:
        return OFFLINE
    except SyncError:
        return OUT_OF_STEP


def network(runtime: Runtime, shared: str = "") -> str:
    """Return which model answers, if words leave this machine, and the progress of a download."""
    if runtime.downloading_from:
        return f"! online: fetching a model from {runtime.downloading_from}"
    name = runtime.chat.note if runtime.chat.state == "ready" else ""
    if not runtime.settings.server:
        where = shared or (SHARED if keyring.is_here(runtime) else OFFLINE)
        return f"{name} · {where}" if name else where
    host = models.remote_host(runtime)
    return f"! REMOTE: your words go to {host}" if host else f"{name or 'server'} · local server"
