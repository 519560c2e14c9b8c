"""Read models of the chat and the top line: put together from the services, on a thread, in the
shape a screen shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memapp.domain.chat import Message, Role, Thread
from memapp.domain.council import Dissent, Round
from memapp.domain.provenance import Outcome
from memapp.errors import NotFound
from memapp.runtime import Runtime
from memapp.services import chats, council, downloads, models, not_kept, provenance
from memapp.services.chats import ThreadPage, Trace
from memapp.services.consent import pending, questions
from memapp.services.not_kept import Refusals

SMALL = "This small model cannot hold a conversation"
KEY = "ctrl+o gets one that can"
AFTER_A_HIT = 20
"""Messages shown after one that was jumped to."""


def stretch(runtime: Runtime, thread_id: str, at: Message | None = None) -> tuple[ThreadPage, bool]:
    """Return the end of a thread, or the stretch around a message, and whether the thread goes on
    below it.
    """
    end = chats.page(runtime, thread_id)
    if at is None or not at.active or any(message.id == at.id for message in end.messages):
        return end, False
    return chats.page(runtime, thread_id, at.seq + AFTER_A_HIT), True


def thread_there(runtime: Runtime, thread_id: str) -> Thread | None:
    """Return a chat if it can still be shown: it was not deleted, nor erased."""
    try:
        thread = chats.get_thread(runtime, thread_id)
    except NotFound:
        return None
    return thread if thread.deleted_at is None else None


def outcomes(
    runtime: Runtime, messages: Sequence[Message], refusals: Mapping[str, Refusals]
) -> dict[str, Outcome]:
    """Return what came of messages, by their ids; those of which nothing came are left out.

    What was not kept is told of those whose statements were judged: `refusals` has what was found
    then, by the same ids.
    """
    said = [message for message in messages if message.role is Role.USER]
    learned = provenance.learned_from(runtime, [message.id for message in said])
    asked = questions.asked_last(runtime, messages[-1].thread_id) if messages else ""
    waiting = [
        request for request in pending.list_pending(runtime) if request.id != asked
    ]  # a question says itself that it waits
    found = {}
    for message in said:
        taught, waits = (
            learned.get(message.id, []),
            [request for request in waiting if message.id in request.evidence],
        )
        rest = not_kept.not_kept(
            runtime, message, refusals.get(message.id, ()), [each.memory.id for each in taught]
        )
        found[message.id] = Outcome(tuple(taught), tuple(waits), rest)
    return {id: outcome for id, outcome in found.items() if outcome.items}


@dataclass(frozen=True, slots=True)
class ShownCouncil:
    """A council as its card shows it."""

    held: Round
    dissents: tuple[Dissent, ...] = ()
    """Those that weigh most first."""
    is_open: bool = False
    """It sits, or was stopped."""
    progress: str = ""
    """How far it is while it sits."""
    by: str = ""
    """Who reviews."""


def councils(runtime: Runtime, messages: Sequence[Message]) -> dict[str, ShownCouncil]:
    """Return the last council over the answer to each message, by the message's id."""
    found = council.of_messages(
        runtime, [message.id for message in messages if message.role is Role.USER]
    )
    return {
        id: ShownCouncil(
            held,
            tuple(council.ranked(runtime, held)),
            council.is_open(runtime, held),
            by=council.who(runtime),
        )
        for id, held in found.items()
    }


def explanations(
    runtime: Runtime, replies: Sequence[Message]
) -> dict[str, tuple[Trace, tuple[int, int]]]:
    """Return by their ids what answers were made from, and which of how many answers to the same
    message each is.
    """
    return {
        message.id: (chats.trace(runtime, message), _variant(runtime, message))
        for message in replies
    }


def _variant(runtime: Runtime, reply: Message) -> tuple[int, int]:
    ids = [message.id for message in chats.variants(runtime, reply)]
    return ids.index(reply.id) + 1 if reply.id in ids else 1, max(1, len(ids))


def last_thread(runtime: Runtime) -> Thread | None:
    """Return the chat that was open last, if it is still there."""
    return thread_there(runtime, str(chats.choice(runtime, "thread", "")))


def welcome_words(runtime: Runtime) -> tuple[str, str]:
    """Return what an empty chat says, and at the very first start the path of the file that it
    names; later none.
    """
    offered = offer(runtime)
    lines = f"{SMALL}.\n{KEY}: {offered}\n\n" if offered else ""
    if chats.list_threads(runtime, limit=1):
        words = "A new chat. What you say in the others is remembered here too."
        return f"{words}\n\n{lines}ctrl+f finds anything · ctrl+b lists your chats", ""
    words = (
        "Chat with a model on this machine that remembers what you tell it.\n"
        f"Everything stands in one file: {runtime.paths.database}\n"
        "Nothing leaves this machine. You see what it remembers, and decide.\n"
        "Write below to begin · / lists commands · F8 chooses another model\n\n"
        f"{lines}esc, then t: try sample chats · v: choose colours · y: copy the path"
    )
    return words, str(runtime.paths.database)


def offer(runtime: Runtime) -> str:
    """Return the name and size of the model that can be got with a key; empty where it is here or
    under way.
    """
    return "" if runtime.downloading_from else downloads.offer(runtime)


def network(runtime: Runtime) -> str:
    """Say which model answers, whether words leave this machine, and whether a model is being
    fetched.
    """
    if runtime.downloading_from:
        return f"! online: fetching a model from {runtime.downloading_from}"
    name = runtime.chat.note if runtime.chat.state == "ready" else ""
    if not runtime.settings.server:
        return f"{name} · offline" if name else "offline"
    host = models.remote_host(runtime)
    return f"! REMOTE: your words go to {host}" if host else f"{name or 'server'} · local server"
