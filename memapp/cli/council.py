"""Reviews from the command line: reviewers look at an answer, and the person decides."""

from dataclasses import asdict
from typing import Any

import click

from memapp.cli.ask import answer, learn, load
from memapp.cli.output import opened, say, show, show_json
from memapp.domain.chat import Role, Thread, valid_message
from memapp.domain.council import Round
from memapp.domain.trust import Choice
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import chats, id_lookup
from memapp.services import council as service


@click.command()
@click.argument("text", nargs=-1)
@click.option(
    "--chat",
    "chat_id",
    metavar="ID",
    default="",
    help="The chat of the answer; otherwise the last chat.",
)
@click.option(
    "--take",
    type=click.Choice(["draft", "revision", "none"]),
    help="Keep the answer, take its revision, or take neither.",
)
@click.option("--edit", metavar="TEXT", default="", help="Put these words in place of the answer.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON: the review with its objections.")
@click.pass_obj
def council(
    options: dict[str, Any],
    text: tuple[str, ...],
    chat_id: str,
    take: Choice | None,
    edit: str,
    as_json: bool,
) -> None:
    """Ask one question and have the answer reviewed.

    Without a question, reviewers look at the last answer, or continue an unfinished review. With
    --take or --edit, you decide which text stands.
    """
    question = " ".join(text)
    with opened(options) as runtime:
        thread = _thread(runtime, chat_id)
        if take or edit:
            _decide(runtime, thread, take or "edit", edit)
            return
        load(runtime)
        if question:
            valid_message(question)
            thread = thread if chat_id and thread else chats.new_thread(runtime)
            events = service.ask(runtime, thread.id, question)
        else:
            events = service.hold(runtime, _answered(runtime, thread))
        answer(runtime, events, as_json=as_json)
        if question:
            learn(runtime, Cancel())
        held = _last(runtime, thread)
        if as_json:
            show_json(asdict(held))
        else:
            _show(runtime, held)


def _thread(runtime: Runtime, chat_id: str) -> Thread | None:
    if chat_id:
        return chats.get_thread(runtime, id_lookup.chat(runtime, chat_id))
    return next(iter(chats.list_threads(runtime, limit=1)), None)


def _answered(runtime: Runtime, thread: Thread | None) -> str:
    """Return the id of the last message of a chat with an answer."""
    messages = chats.page(runtime, thread.id).messages if thread else []
    for message in reversed(messages):
        if message.role is Role.ASSISTANT and message.reply_to:
            return message.reply_to
    raise UsageError("There is no answer to review.", "Write a question after `memapp council`.")


def _last(runtime: Runtime, thread: Thread | None) -> Round:
    """Return the review of the last answer of a chat."""
    message_id = _answered(runtime, thread)
    if held := service.of_messages(runtime, [message_id]).get(message_id):
        return held
    raise UsageError("No council was held over the last answer.", "`memapp council` holds one.")


def _show(runtime: Runtime, held: Round) -> None:
    for dissent in service.ranked(runtime, held):
        quote = f" ({dissent.quote})" if dissent.quote not in dissent.text else ""
        show(f"✗ {', '.join(dissent.citations)}: {dissent.text}{quote}")
    if not held.dissents:
        show("Nobody objects: the answer stands.")
    elif held.revision:
        show(f"\n{held.revision}")
        say("To take it: memapp council --take revision.")
        say("Otherwise: --take draft, --take none, or --edit TEXT.")


def _decide(runtime: Runtime, thread: Thread | None, choice: Choice, text: str) -> None:
    held = _last(runtime, thread)
    service.decide(runtime, held.id, choice, text)
    show(
        service.of_messages(runtime, [held.message_id])[held.message_id].final
        or "Neither stands any more."
    )
    say("To undo: memapp undo.")
