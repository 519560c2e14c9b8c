"""The profile from the command line: pending consent requests, decisions, and the fields."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, get_args

import click

from memapp.cli.options import ListingGroup, limit_option, reads, writes
from memapp.cli.output import Output, listing, messages_behind, opened, say, short_ids, when
from memapp.domain.changes import CLIENT
from memapp.domain.consent import (
    CHAT,
    CONFLICT,
    FACT,
    ConsentRequest,
    DenyReason,
    ImportedFile,
    came_from,
    label,
    replaced,
)
from memapp.domain.profile import FIELDS
from memapp.domain.text import did_you_mean
from memapp.errors import UsageError
from memapp.language.instructions import is_instruction
from memapp.runtime import Runtime
from memapp.services import chats, id_lookup
from memapp.services.consent import decisions, past_decisions, pending

INSTRUCTION = "! It reads like an instruction to a model, not like a fact about you."
NEWER_OR_BOTH = "approve keeps the newer, deny keeps both, approve --value what you write"


@click.group(cls=ListingGroup)
def consents() -> None:
    """List and show pending consent requests."""


@consents.command("list")
@limit_option(100)
@reads
def list_(runtime: Runtime, limit: int) -> Output:
    """List pending requests, newest first; an imported file is one line."""
    waiting: list[ConsentRequest | ImportedFile] = [
        *pending.list_files(runtime),
        *pending.list_pending(runtime, limit=limit + 1),
    ]
    return listing(waiting, _row(runtime), "No request is pending.", limit)


def _row(runtime: Runtime) -> Callable[[ConsentRequest | ImportedFile], dict[str, str]]:
    values, name = decisions.profile(runtime), short_ids(runtime, "consent_requests")

    def row(request: ConsentRequest | ImportedFile) -> dict[str, str]:
        begin = {"id": name(request.id), "until": when(request.expires_at)}
        if isinstance(request, ImportedFile):
            return {**begin, "from": "imported", "field": "File", "change": str(request)}
        change = request.new_value
        if request.field not in (FACT, CHAT):
            old = replaced(request, values.get(request.field, ()))
            change = _from_to(old, request.new_value)
        source, field = came_from(request), label(request.field)
        return {**begin, "from": source, "field": field, "change": change}

    return row


def _from_to(old: str, new: str) -> str:
    return f"{old or 'nothing'} → {new or '?'}"


@consents.command("show")
@click.argument("request_id", metavar="ID")
@limit_option(100)
@reads
def show_(runtime: Runtime, request_id: str, limit: int) -> Output:
    """Show a request with its evidence.

    Shows the value, the words it was read from, and the memory that depends on it. For an imported
    file, lists its pending requests.
    """
    request_id = id_lookup.request(runtime, request_id)
    if file := pending.get_file(runtime, request_id):
        return listing(
            pending.list_of_file(runtime, file.id, limit=limit + 1), _row(runtime), limit=limit
        )
    request = pending.get(runtime, request_id)
    memory, says = (
        pending.memory_text(runtime, request.id),
        decisions.profile(runtime).get(request.field, ()),
    )
    evidence = [chats.get_message(runtime, message_id) for message_id in request.evidence]
    old, state, until, beside = request.old_value, str(request.state), "", ""
    if request.state == "pending":
        old = replaced(request, says)
        is_open = request.expires_at >= runtime.clock()
        state, until = (
            ("pending", f", open until {when(request.expires_at)}")
            if is_open
            else ("unanswered, counts as denied", "")
        )
        beside = "; ".join(text for text in says if text != old)
    notes = [
        f"{state}, {came_from(request)}, asked on {when(request.created_at)}{until}",
        f"stays beside: {beside}" if beside else "",
        f"waits with it: {memory}" if memory and memory != request.new_value else "",
        f"it quotes you: {request.quote}" if request.quote else "",
        INSTRUCTION
        if request.proposer.startswith(CLIENT) and is_instruction(request.new_value)
        else "",
        *messages_behind(evidence),
    ]
    data = {**asdict(request), "memory": memory, "said": [message.text for message in evidence]}
    if request.field == CONFLICT:
        said = _from_to(request.old_value, request.new_value)
        return Output(data, f"{label(request.field)}: {said}", notes=[notes[0], NEWER_OR_BOTH])
    return Output(data, f"{label(request.field)}: {_from_to(old, request.new_value)}", notes=notes)


@click.command()
@click.argument("request_id", metavar="ID")
@click.option("--value", help="Approve this value in place of the proposed one.")
@writes
def approve(runtime: Runtime, request_id: str, value: str | None) -> Output:
    """Approve a request, or everything in an imported file."""
    request_id = id_lookup.request(runtime, request_id)
    if file := pending.get_file(runtime, request_id):
        if value is not None:
            raise UsageError(
                "A file has no value.",
                f"`memapp consents show {file.id}` lists what it says, with their ids.",
            )
        return _of_file(runtime, file, decisions.approve(runtime, file.id))
    request = pending.get(runtime, request_id)
    if value is None:
        decisions.approve(runtime, request.id)
    else:
        decisions.edit_then_approve(runtime, request.id, value)
    says = decisions.profile(runtime).get(request.field, ())
    now = f" {label(request.field)}: {'; '.join(says)}" if says else ""
    data = {"id": request.id, "field": request.field, "values": says}
    return Output(data, aside=f"Approved. To undo: memapp undo.{now}")


@click.command()
@click.argument("request_id", metavar="ID")
@click.option(
    "--reason", type=click.Choice(get_args(DenyReason)), help="The reason, for the history."
)
@writes
def deny(runtime: Runtime, request_id: str, reason: DenyReason | None) -> Output:
    """Deny a request, or everything in an imported file."""
    found = id_lookup.request(runtime, request_id)
    if file := pending.get_file(runtime, found):
        return _of_file(runtime, file, decisions.deny(runtime, file.id, reason=reason))
    decisions.deny(runtime, found, reason=reason)
    return Output(pending.get(runtime, found), aside="Denied. To undo: memapp undo.")


def _of_file(runtime: Runtime, file: ImportedFile, step: str) -> Output:
    left = pending.get_file(runtime, file.id)
    rest = f" Still pending, since it would replace values of your profile: {left}." if left else ""
    done = f"{past_decisions.describe(runtime, step)}. To undo: memapp undo."
    return Output(left or file, aside=f"{done}{rest}")


@click.group(cls=ListingGroup)
def profile() -> None:
    """Show and change your profile."""


@profile.command("list")
@reads
def list_profile(runtime: Runtime) -> Output:
    """List your profile, one value a line."""
    known = decisions.profile(runtime)
    rows = [
        {"field": label(field), "value": value}
        for field, values in known.items()
        for value in values
    ]
    return Output(
        known, rows=rows, notes=() if known else ("Nothing yet. Try: memapp profile set name Ana",)
    )


def _field(_ctx: click.Context, _argument: click.Parameter, word: str) -> str:
    """Return a field by its name or its label: `city` or `Home`."""
    for field in FIELDS.values():
        if word.casefold() in (field.name, field.label.casefold()):
            return field.name
    labels = [field.label for field in FIELDS.values()]
    advice = did_you_mean(word, [*labels, *FIELDS], f"There are: {', '.join(labels)}.")
    raise UsageError(f"There is no profile field {word!r}.", advice)


def _fields_beginning(_ctx: click.Context, _argument: click.Parameter, begun: str) -> list[str]:
    return [name for name in FIELDS if name.startswith(begun)]


@profile.command("set")
@click.argument("field", callback=_field, shell_complete=_fields_beginning)
@click.argument("value", nargs=-1, required=True)
@click.pass_obj
def set_(options: dict[str, Any], field: str, value: tuple[str, ...]) -> None:
    """Set a field: name, pronouns, home, language, health and others.

    A field that can hold several values, such as health, gets one more.
    """
    with opened(options) as runtime:
        decisions.set_field(runtime, field, " ".join(value))
        says = decisions.profile(runtime)[field]
    say(f"{label(field)}: {'; '.join(says)}")


@profile.command("clear")
@click.argument("field", callback=_field, shell_complete=_fields_beginning)
@click.argument("value", nargs=-1)
@click.pass_obj
def clear(options: dict[str, Any], field: str, value: tuple[str, ...]) -> None:
    """Clear a field, or remove one of its values."""
    with opened(options) as runtime:
        decisions.clear_field(runtime, field, " ".join(value))
        says = decisions.profile(runtime).get(field, ())
    now = f": {'; '.join(says)}" if says else " is empty now"
    say(f"{label(field)}{now}. To undo: memapp undo.")
