"""The person's profile from the command line: what waits for a yes, the decisions, and the profile itself."""

from dataclasses import asdict
from typing import Any, get_args

import click

from memapp.cli.output import opened, say, short_ids, show, show_json, show_list, show_rows, when
from memapp.cli.shape import ListingGroup, as_json_option, limit_option
from memapp.domain.consent import DenyReason, came_from, label, replaced
from memapp.domain.profile import FIELDS
from memapp.domain.second_person import addressed
from memapp.domain.text import did_you_mean
from memapp.errors import UsageError


@click.group(cls=ListingGroup)
def consents() -> None:
    """List and show what waits for your yes."""


@consents.command("list")
@limit_option(100)
@as_json_option
@click.pass_obj
def list_(options: dict[str, Any], limit: int, as_json: bool) -> None:
    """List what can be decided now, newest first."""
    from memapp.services.consent import decisions, pending

    with opened(options, read_only=True) as runtime:
        known = decisions.profile(runtime)
        found, name = pending.list_pending(runtime, limit=limit + 1), short_ids(runtime, "consent_requests")
    show_list(
        found,
        as_json,
        lambda one: {
            "id": name(one.id),
            "until": when(one.expires_at),
            "from": came_from(one),
            "field": label(one.field),
            "change": f"{replaced(one, known.get(one.field, ())) or '-'} > {one.new_value or '?'}",
        },
        "Nothing waits for you.",
        limit,
    )


@consents.command("show")
@click.argument("request_id", metavar="ID")
@as_json_option
@click.pass_obj
def show_(options: dict[str, Any], request_id: str, as_json: bool) -> None:
    """Show a request: the value, the words it was read from, and the memory that waits with it."""
    from memapp.services import chats, ids
    from memapp.services.consent import decisions, pending

    with opened(options, read_only=True) as runtime:
        request = pending.get(runtime, ids.request(runtime, request_id))
        memory, says = pending.memory_text(runtime, request.id), decisions.profile(runtime).get(request.field, ())
        evidence = [chats.get_message(runtime, message_id) for message_id in request.evidence]
    if as_json:
        show_json({**asdict(request), "memory": memory, "said": [one.text for one in evidence]})
        return
    old = replaced(request, says) if request.state == "pending" else request.old_value
    show(f"{label(request.field)}: {old or '-'} > {request.new_value or '?'}")
    until = f", open until {when(request.expires_at)}" if request.state == "pending" else ""
    say(f"{request.state}, {came_from(request)}, asked on {when(request.created_at)}{until}")
    if request.state == "pending" and (beside := [one for one in says if one != old]):
        say(f"stays beside: {'; '.join(beside)}")
    if memory:
        say(f"waits with it: {addressed(memory)}")
    for message in evidence:
        say(f"from {when(message.created_at)}: {message.text}")


@click.command()
@click.argument("request_id", metavar="ID")
@click.option("--value", help="Another value in place of the proposed one.")
@as_json_option
@click.pass_obj
def approve(options: dict[str, Any], request_id: str, value: str | None, as_json: bool) -> None:
    """Say yes to a request; with --value, to another value of it."""
    from memapp.services import ids
    from memapp.services.consent import decisions, pending

    with opened(options) as runtime:
        request = pending.get(runtime, ids.request(runtime, request_id))
        if value is None:
            decisions.approve(runtime, request.id)
        else:
            decisions.edit_then_approve(runtime, request.id, value)
        says = decisions.profile(runtime).get(request.field, ())
    now = "; ".join(says)
    say(f"Approved. To undo: memapp undo. {label(request.field)}: {now}" if now else "Approved. To undo: memapp undo.")
    if as_json:
        show_json({"id": request.id, "field": request.field, "values": says})


@click.command()
@click.argument("request_id", metavar="ID")
@click.option("--reason", type=click.Choice(get_args(DenyReason)), help="Why, for the history.")
@as_json_option
@click.pass_obj
def deny(options: dict[str, Any], request_id: str, reason: DenyReason | None, as_json: bool) -> None:
    """Say no to a request, and to the memory that waits with it."""
    from memapp.services import ids
    from memapp.services.consent import decisions, pending

    with opened(options) as runtime:
        found = ids.request(runtime, request_id)
        decisions.deny(runtime, found, reason=reason)
        request = pending.get(runtime, found)
    say("Denied. To undo: memapp undo.")
    if as_json:
        show_json(asdict(request))


@click.group(cls=ListingGroup)
def profile() -> None:
    """Show and change what you agreed to be known about you."""


@profile.command("list")
@as_json_option
@click.pass_obj
def list_profile(options: dict[str, Any], as_json: bool) -> None:
    """List what the profile says, one value a line."""
    from memapp.services.consent import decisions

    with opened(options, read_only=True) as runtime:
        known = decisions.profile(runtime)
    if as_json:
        show_json(known)
        return
    show_rows([{"field": label(field), "value": value} for field, values in known.items() for value in values])
    if not known:
        say("Nothing yet. Try: memapp profile set name Ana")


def _field(_ctx: click.Context, _argument: click.Parameter, word: str) -> str:
    """Return the field that is meant by its name or by what the person calls it: `city` or `Home`."""
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
    """Write a field yourself: name, pronouns, home, language, health, "date of birth" and others.

    A field that may have several values, such as health, gets one more.
    """
    from memapp.services.consent import decisions

    with opened(options) as runtime:
        decisions.set_field(runtime, field, " ".join(value))
        says = decisions.profile(runtime)[field]
    say(f"{label(field)}: {'; '.join(says)}")


@profile.command("clear")
@click.argument("field", callback=_field, shell_complete=_fields_beginning)
@click.argument("value", nargs=-1)
@click.pass_obj
def clear(options: dict[str, Any], field: str, value: tuple[str, ...]) -> None:
    """Take a field away, or one of its values."""
    from memapp.services.consent import decisions

    with opened(options) as runtime:
        decisions.take_away(runtime, field, " ".join(value))
        says = decisions.profile(runtime).get(field, ())
    now = f": {'; '.join(says)}" if says else " is empty now"
    say(f"{label(field)}{now}. To undo: memapp undo.")
