"""`memapp ask`: one question from the command line, with its answer on stdout."""

import os
import stat
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

import click

from memapp.cli.options import words_or_pipe
from memapp.cli.output import opened, say, search_by_meaning, show, show_json
from memapp.crash import write_crash_file
from memapp.domain.chat import MessageStatus, valid_message
from memapp.domain.consent import ConsentRequest
from memapp.domain.turn_events import (
    Accepted,
    Asked,
    CarriedOut,
    Completed,
    CouncilSat,
    Failed,
    Found,
    Remembered,
    Restarted,
    Retracted,
    Streamed,
    Thinking,
    TurnEvent,
    Waiting,
)
from memapp.errors import MemappError, ModelError, StoreError, UsageError
from memapp.inference import Cancel, after
from memapp.runtime import Runtime
from memapp.services import chats, id_lookup, models, upkeep
from memapp.services.consent import pending
from memapp.services.jobs import learn as learning
from memapp.services.memory_requests import requests
from memapp.services.models import model_loading
from memapp.services.turn import turns

LOADING_SECONDS = 3.0
"""How long a model loads silently; the first time takes much longer than others."""
READING_SECONDS = 3.0
"""How long a command learns silently after its answer."""


@click.command()
@click.argument("text", nargs=-1)
@click.option("-c", "--continue", "continued", is_flag=True, help="Continue the last chat.")
@click.option("--chat", "chat_id", metavar="ID", default="", help="Continue this chat.")
@click.option("--persona", default="", help="The persona that answers, in a new chat.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Write JSON: the answer, the memories used, the prediction and the costs.",
)
@click.pass_obj
def ask(
    options: dict[str, Any],
    text: tuple[str, ...],
    continued: bool,
    chat_id: str,
    persona: str,
    as_json: bool,
) -> None:
    """Ask one question and print the answer.

    On a terminal the answer streams. With - or without TEXT, the question is read from standard
    input. memapp learns nothing from piped text, since its author is unknown.
    """
    question = words_or_pipe(text, "ask")
    if not question.strip():
        raise UsageError("There is nothing to ask.", "Write a question after `memapp ask`.")
    pasted = [(0, len(question))] if text in ((), ("-",)) and not sys.stdin.isatty() else []
    valid_message(question)
    if text not in ((), ("-",)) and _piped_in():
        say("The piped input is not read. To ask it: memapp ask -")
    with opened(options) as runtime:
        if continued and not chat_id:
            threads = chats.list_threads(runtime, limit=1)
            chat_id = threads[0].id if threads else ""
        elif chat_id:
            chat_id = chats.get_thread(runtime, id_lookup.chat(runtime, chat_id)).id
        load(runtime)
        if (
            runtime.chat.state == "failed"
            and not chat_id
            and not requests.needs_no_model(runtime, "", question, pasted)
        ):
            raise _no_model(runtime)  # otherwise each try would leave an empty chat
        thread_id = chat_id or chats.new_thread(runtime, persona).id
        seen = answer(
            runtime, turns.take_turn(runtime, thread_id, question, pasted=pasted), as_json=as_json
        )
        if as_json:
            show_json(_summary(thread_id, seen))
        learn(runtime, Cancel())


def _piped_in() -> bool:
    """Return True if a pipe has unread data. Nothing is read: an inherited pipe may never end."""
    try:
        import fcntl
        import termios
    except ImportError:  # Windows
        return False
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(0).st_mode)
        return is_pipe and any(fcntl.ioctl(0, termios.FIONREAD, bytes(4)))
    except OSError:
        return False


def load(runtime: Runtime) -> None:
    """Load both models, at the same time."""
    runtime.judge_embedder.loading("")
    runtime.embedding.loading("")
    threading.Thread(target=model_loading.load_embedder, args=(runtime,), daemon=True).start()
    with after(LOADING_SECONDS, partial(_say_that_it_loads, runtime)):
        model_loading.load_chat_model(runtime)
    if remark := models.template_remark(runtime):
        say(remark)
    search_by_meaning(runtime)


def _say_that_it_loads(runtime: Runtime) -> None:
    if sys.stderr.isatty() and runtime.chat.state == "loading":
        say(runtime.chat.note)


def answer(
    runtime: Runtime, events: Iterable[TurnEvent], *, as_json: bool = False
) -> list[TurnEvent]:
    """Write the answer, except for JSON; return the events of the turn.

    The answer streams to a terminal. A pipe gets the final reply only, since a reply may be begun
    and dropped.
    """
    seen: list[TurnEvent] = []
    streams, streamed = sys.stdout.isatty() and not as_json, False
    for event in events:
        seen.append(event)
        match event:
            case Waiting(note=note) if runtime.chat.state == "loading":
                say(note)
            case Streamed(text=piece) if streams:
                show(piece, newline=False)
                streamed = True
            case Thinking(retracts=True) if streamed:
                say("\n[that was a thought; now the answer]")
                streamed = False
            case Restarted():
                say("\n[said that before; once more]")
                streamed = False
            case Completed(reply=reply) if not as_json:
                show("" if streamed else reply.text)  # memapp's own sentences do not stream
                if reply.status is MessageStatus.STOPPED:
                    say("[stopped]")
                elif reply.usage.at_limit:
                    longer = f"memapp config set reply_tokens {2 * runtime.settings.reply_tokens}"
                    say("[The answer was cut at the length limit. Ask: Go on.]")
                    say(f"[For longer answers: {longer}]")
            case CarriedOut(text=text, step=step, is_reply=is_reply):
                if not is_reply:
                    say(text)
                if step:
                    say("To undo: memapp undo.")
            case Failed(error=error):
                raise _no_model(runtime) if runtime.chat.state == "failed" else error
            case Asked(question=question):
                say(f"memapp asks: {question.text}")
                _say_what_waits(runtime, seen)
            case CouncilSat() if sys.stderr.isatty():
                spoken = f"{event.spoken} of {event.of} reviewers have spoken"
                say(f"{spoken}, at most {event.calls} calls of a model.")
    return seen


def _no_model(runtime: Runtime) -> ModelError:
    """Return the reason why the model did not load, and what to do."""
    if runtime.settings.server:
        return ModelError(runtime.chat.note, 'Without the server: memapp config set server ""')
    return ModelError(
        runtime.chat.note,
        "`memapp models` lists what there is, `memapp models use NAME` chooses one.",
    )


def _say_what_waits(runtime: Runtime, seen: list[TurnEvent]) -> None:
    """Name the commands that decide the requests of the message later."""
    sent = next(event.message for event in seen if isinstance(event, Accepted))
    for request in pending.list_pending(runtime):
        if sent is not None and sent.id in request.evidence:
            say(f"Later: memapp approve {request.id}, or memapp deny {request.id}")


def _summary(thread_id: str, seen: list[TurnEvent]) -> dict[str, Any]:
    done = next(event for event in seen if isinstance(event, Completed))
    hits = [hit for event in seen if isinstance(event, Found) for hit in event.hits]
    return {
        "chat": thread_id,
        "reply": done.reply.text,
        "memories": [asdict(hit) for hit in hits],
        "usage": asdict(done.reply.usage),
    }


def learn(runtime: Runtime, cancel: Cancel) -> None:
    """Do the work due after a reply, and report the rest; an error must not spoil the answer."""
    try:
        with after(READING_SECONDS, _say_that_it_reads):
            for news in upkeep.work(runtime, None, cancel):
                _say_news(news)
    except KeyboardInterrupt:
        cancel.set()
    except MemappError as error:
        say(f"Nothing was learned this time: {error}")
    except Exception as error:
        if damage := runtime.database.damage():
            raise damage from None
        path = write_crash_file(error, runtime.paths.log, runtime.clock())
        say(f"Nothing was learned this time: a bug ({type(error).__name__}). See {path}.")
    with suppress(StoreError):
        if unread := learning.waiting(runtime):
            are = "message is" if unread == 1 else "messages are"
            why = learning.problem(runtime) or "The next command or `memapp upkeep` goes on."
            say(f"{unread} {are} not read yet. {why}")


def _say_that_it_reads() -> None:
    if sys.stderr.isatty():
        say("Still reading what you wrote. ctrl+c leaves the rest for the next command.")


def _say_news(news: Remembered | Retracted | ConsentRequest) -> None:
    if isinstance(news, Retracted):
        for done, texts in (("No longer remembered", news.texts), ("Remembered again", news.again)):
            if texts:
                say(f"{done}: {'; '.join(texts)}")
    elif isinstance(news, Remembered):  # consent requests are listed by `consents`
        was = f" (was: {news.before.text})" if news.before else ""
        say(f"{'Updated' if news.before else 'Remembered'}: {news.memory.text}{was}")
