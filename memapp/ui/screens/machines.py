"""The person's machines on the screen: begin to share or join, look at the machines, exchange now,
shut one out, leave.
"""

import asyncio
import platform
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from textual.app import App

from memapp.domain.text import counted
from memapp.errors import UsageError
from memapp.services.sync import exchange, machines
from memapp.ui.dialogs import Choice, LineQuestion, Question, TextCard
from memapp.ui.safe_text import notify
from memapp.ui.session import AppSession

T = TypeVar("T")
TITLE = "Your machines"
NOTE = (
    "Through a PostgreSQL database of yours: on a NAS, a server, or hosted. It sees neither words"
    " nor keys. See docs/sync.md."
)
ADDRESS = "postgresql://NAME@HOST/DATABASE, or service=NAME. The password stands in ~/.pgpass."
BEGINNINGS = {
    "init": "Put this memory, encrypted, into a database",
    "join": "Join the memory of another machine",
}


async def look_after(app: App[Any], session: AppSession) -> None:
    """Show the machines, or offer to share, and do what the person chooses."""
    if await asyncio.to_thread(machines.is_shared, session.runtime):
        await _look(app, session)
    else:
        await _begin(app, session)


async def _begin(app: App[Any], session: AppSession) -> None:
    how = await app.push_screen_wait(Choice(TITLE, BEGINNINGS, "init", note=NOTE))
    if how is None:
        return
    url = await app.push_screen_wait(
        LineQuestion(
            "Database",
            "postgresql://",
            machines.checked_address,
            note=ADDRESS,
            length=500,
            does="go on",
        )
    )
    if not url:
        return
    runtime, name = session.runtime, platform.node()
    if how == "init":
        phrase = await _new_passphrase(app, lambda words: machines.init(runtime, url, words, name))
        await _show_phrase(app, phrase)
    else:
        join = LineQuestion(
            "Passphrase, or recovery phrase",
            "",
            lambda words: machines.join(runtime, url, words, name),
            hidden=True,
        )
        await app.push_screen_wait(join)
    session.talk.share()
    session.memories_changed()


async def _look(app: App[Any], session: AppSession) -> None:
    runtime = session.runtime
    found = await asyncio.to_thread(machines.status, runtime)
    others = [
        machine
        for machine in found.machines
        if machine.name != found.name and not machine.is_revoked
    ]
    shown = {"now": f"Exchange now: {counted(found.waiting, 'change')} to go"}
    shown |= {
        machine.id: f"Shut out {machine.name}, seen last {_minute(machine.seen_at)} UTC"
        for machine in others
    }
    shown["leave"] = "Share nothing any more from this machine"
    note = (
        found.error
        or f"This is {found.name}. The database answered {_minute(found.seen_at) or 'never'} UTC."
    )
    chosen = await app.push_screen_wait(Choice(TITLE, shown, "now", note=note))
    if chosen == "now":
        done = await asyncio.to_thread(exchange.exchange, runtime)
        notify(app, f"Sent: {done.sent}. Came: {done.came}.")
    elif chosen == "leave":
        if await app.push_screen_wait(
            Question(TITLE, "Share nothing any more? What is here stays.", "leave", "stay")
        ):
            await asyncio.to_thread(machines.leave, runtime)
    elif chosen:
        phrase = await _new_passphrase(app, lambda words: machines.revoke(runtime, chosen, words))
        await _show_phrase(app, phrase)
    session.memories_changed()


async def _new_passphrase(app: App[Any], use: Callable[[str], T]) -> T | None:
    """Ask for a passphrase twice, and return what comes of it."""
    first = await app.push_screen_wait(
        LineQuestion("New passphrase", "", str, hidden=True, does="go on")
    )
    if not first:
        return None

    def same(first: str, again: str) -> T:
        if first != again:
            raise UsageError(
                "That is another passphrase.", "Type the same, or leave and begin anew."
            )
        return use(again)

    return await app.push_screen_wait(
        LineQuestion("The same passphrase again", "", partial(same, first), hidden=True)
    )


async def _show_phrase(app: App[Any], phrase: str | None) -> None:
    if phrase:
        await app.push_screen_wait(TextCard("Recovery phrase", phrase, note=machines.KEEP_IT))


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")
