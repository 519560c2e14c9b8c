"""`memapp sync`: one memory on all of a person's machines, through a PostgreSQL database that they
choose.
"""

import platform
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

import click

from memapp.cli.options import reads, writes, yes_option
from memapp.cli.output import Output, opened, say, when
from memapp.domain.text import counted
from memapp.errors import NeedsYes
from memapp.runtime import Runtime
from memapp.services import activity
from memapp.services.consent import past_decisions
from memapp.services.sync import exchange, machines
from memapp.services.sync.machines import KEEP_IT, SCHEMA, SyncStatus
from memapp.services.sync.sending import AT_ONCE

schema_option = click.option(
    "--schema",
    default=SCHEMA,
    show_default=True,
    help="Where in the database; one for each person.",
)
name_option = click.option(
    "--name",
    default=platform.node,
    metavar="NAME",
    help="What this machine is called on the others.",
)


@click.group(invoke_without_command=True)
@click.option(
    "--again",
    is_flag=True,
    help="Send again what the database lost when it was restored to an older state.",
)
@click.pass_context
def sync(ctx: click.Context, again: bool) -> None:
    """Share this memory with your other machines.

    Without a command: exchange now what changed, through a PostgreSQL database of yours. It sees
    neither words nor keys: docs/sync.md says how.
    """
    if ctx.invoked_subcommand is not None:
        return
    with opened(ctx.obj) as runtime:
        if again:
            say(f"To be sent again: {counted(exchange.send_again(runtime), 'change')}.")
        before = activity.last_number(runtime)
        done = exchange.exchange(runtime, _bar())
        told = past_decisions.overruled(runtime, before)
    say("\n".join([f"Sent: {done.sent}. Came: {done.came}.", *told]))


@sync.command()
@click.argument("url")
@schema_option
@name_option
@click.pass_obj
def init(options: dict[str, Any], url: str, schema: str, name: str) -> None:
    """Start to share: put this memory, encrypted, into a database.

    URL is postgresql://NAME@HOST/DATABASE, or `service=NAME`; the password stands in ~/.pgpass.
    """
    with opened(options) as runtime:
        machines.checked_address(runtime, url, schema, begins=True)
        passphrase = click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
        _show_phrase(machines.init(runtime, url, passphrase, name, schema))
        exchange.exchange(runtime, _bar())
    say("On the next machine: memapp sync join URL.")


@sync.command()
@click.argument("url")
@schema_option
@name_option
@click.pass_obj
def join(options: dict[str, Any], url: str, schema: str, name: str) -> None:
    """Join the memory that another machine shares.

    What is on this machine becomes part of it.
    """
    with opened(options) as runtime:
        machines.checked_address(runtime, url, schema)
        words = click.prompt("Passphrase, or recovery phrase", hide_input=True, err=True)
        machines.join(runtime, url, words, name, schema)
        exchange.exchange(runtime, _bar())
        say(_told(machines.status(runtime)))


@sync.command()
@reads
def status(runtime: Runtime) -> Output:
    """Show how this machine stands with the others.

    Nothing connects for this.
    """
    found = machines.status(runtime)
    late = f"Not yet erased on: {', '.join(found.behind_erasure)}." if found.behind_erasure else ""
    return Output(found, aside="\n".join(filter(None, (_told(found), found.error, late))))


@sync.command()
@reads
def devices(runtime: Runtime) -> Output:
    """List your machines, and when each was seen last."""
    found = machines.status(runtime)
    rows = [
        {
            "name": machine.name,
            "id": machine.id,
            "seen": "this machine"
            if machine.id == found.device
            else "shut out"
            if machine.is_revoked
            else when(datetime.fromisoformat(machine.seen_at)),
        }
        for machine in found.machines
    ]
    return Output(found.machines, rows=rows)


@sync.command()
@click.argument("device")
@yes_option
@writes
def revoke(runtime: Runtime, device: str, yes: bool) -> Output:
    """Shut out a machine that was lost.

    From now on there are new keys, which it never gets.
    """
    name = machines.find(runtime, device).name
    if not yes:
        raise NeedsYes(
            f"This would shut out {name}. What it has already stays there.", "Add --yes to do it."
        )
    passphrase = click.prompt("New passphrase", hide_input=True, confirmation_prompt=True, err=True)
    _show_phrase(machines.revoke(runtime, device, passphrase))
    exchange.exchange(runtime)
    return Output(
        {"revoked": name}, aside=f"{name} is shut out. Change the password of the database too."
    )


@sync.command()
@click.option("--erase", is_flag=True, help="Take all out of the database: for every machine.")
@yes_option
@writes
def leave(runtime: Runtime, erase: bool, yes: bool) -> Output:
    """Stop sharing. What is on this machine stays."""
    what = (
        "take all out of the database, for every machine"
        if erase
        else "share nothing from this machine any more"
    )
    if not yes:
        raise NeedsYes(f"This would {what}.", "Add --yes to do it.")
    machines.leave(runtime, erase=erase)
    return Output(
        {"left": True, "erased": erase}, aside="Nothing is shared any more. What is here stays."
    )


def _told(found: SyncStatus) -> str:
    others = counted(len(found.others), "other machine")
    seen = (
        f"the database answered {when(datetime.fromisoformat(found.seen_at))}"
        if found.seen_at
        else "the database never answered"
    )
    return f"{found.name}, with {others}: {counted(found.waiting, 'change')} to go; {seen}."


def _show_phrase(phrase: str) -> None:
    say(f"Recovery phrase: {phrase}")
    say(KEEP_IT)


def _bar() -> Callable[[int, int], object]:
    """Return what shows on a terminal how far a long exchange is."""

    def tell(done: int, of: int) -> None:
        if sys.stderr.isatty() and of > AT_ONCE:
            of = max(of, done)  # another machine may have added something meanwhile
            click.echo(f"\r{done:,} of {of:,}", nl=done == of, err=True)

    return tell
