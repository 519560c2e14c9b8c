"""The person's machines on the screen: begin to share or join, look at the machines, exchange now,
shut one out, leave.
"""

import asyncio
import platform
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from textual.app import App, ComposeResult
from textual.widgets import ProgressBar

from memapp.domain.sync import Machine
from memapp.domain.text import counted
from memapp.errors import MemappError, UsageError
from memapp.runtime import Runtime
from memapp.services.sync import exchange, machines
from memapp.ui.background import background
from memapp.ui.dialogs import Choice, Dialog, LineQuestion, Question, TextCard
from memapp.ui.safe_text import notify
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import when

T = TypeVar("T")
TITLE = "Your machines"
NOTE = (
    "Through a PostgreSQL database of yours: on a NAS, a server, or hosted. It sees neither words"
    " nor keys. See docs/sync.md."
)
ADDRESS = "postgresql://NAME@HOST/DATABASE, or service=NAME. The password stands in ~/.pgpass."
LEAVING = {
    "leave": ("Share nothing any more? What is here stays.", "leave", "stay"),
    "erase": (
        "Empty the database? No machine shares anything any more; what is on them stays.",
        "empty it",
        "keep it",
    ),
}
PASSPHRASE = "It opens this memory on your other machines. Several words are easier to remember."
BEGINNINGS = {
    "init": "Put this memory, encrypted, into a database",
    "join": "Join the memory of another machine",
}


class Exchanging(Dialog[exchange.Exchanged]):
    """An exchange with the other machines, as far as it is."""

    LEAVES = "go on in the background"

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(TITLE, note="Exchanging what changed.")
        self._runtime = runtime
        self._bar = ProgressBar(show_eta=False)

    def compose_body(self) -> ComposeResult:
        yield self._bar

    def keys(self) -> list[str]:
        return []

    def on_mount(self) -> None:
        self._exchange()

    @background("exchange")
    async def _exchange(self) -> None:
        try:
            done = await asyncio.to_thread(exchange.exchange, self._runtime, self._tell)
        except MemappError:
            self.dismiss(None)
            raise
        self.dismiss(done)

    def _tell(self, done: int, of: int) -> None:
        self.app.call_from_thread(self._bar.update, total=of, progress=done)


async def look_after(app: App[Any], session: AppSession) -> None:
    """Show the machines, or offer to share, and do what the person chooses."""
    if await asyncio.to_thread(machines.is_shared, session.runtime):
        await _look(app, session)
    else:
        session.talk.begins_to_share = True
        try:
            await _begin(app, session)
        finally:
            session.talk.begins_to_share = False


async def _begin(app: App[Any], session: AppSession) -> None:
    how = await app.push_screen_wait(Choice(TITLE, BEGINNINGS, "init", note=NOTE))
    if how is None:
        return
    runtime, name = session.runtime, platform.node()
    look = partial(machines.checked_address, runtime, begins=how == "init")
    url = await app.push_screen_wait(
        LineQuestion("Database", "postgresql://", look, note=ADDRESS, length=500, does="go on")
    )
    if not url:
        return
    if how == "init":
        begin = partial(machines.init, runtime, url, name=name)
        phrase = await _new_passphrase(app, begin, PASSPHRASE)
        await _show_phrase(app, phrase)
    else:
        join = LineQuestion(
            "Passphrase, or recovery phrase",
            "",
            lambda words: machines.join(runtime, url, words, name),
            hidden=True,
            does="join",
        )
        await app.push_screen_wait(join)
    if await asyncio.to_thread(machines.is_shared, runtime):
        await _exchange(app, session)


async def _exchange(app: App[Any], session: AppSession) -> None:
    if done := await app.push_screen_wait(Exchanging(session.runtime)):
        notify(app, f"Sent: {done.sent}. Came: {done.came}.")
    session.memories_changed()


async def _look(app: App[Any], session: AppSession) -> None:
    runtime = session.runtime
    found = await asyncio.to_thread(machines.status, runtime)
    shown = {"now": f"Exchange now: {counted(found.waiting, 'change')} to go"}
    shown |= {
        machine.id: f"Shut out {machine.name}, seen last {_when(runtime, machine.seen_at)}"
        for machine in found.others
    }
    shown["leave"] = "Share nothing any more from this machine"
    shown["erase"] = "Empty the database, for every machine"
    note = (
        found.error
        or f"This is {found.name}. The database answered {_when(runtime, found.seen_at)}."
    )
    chosen = await app.push_screen_wait(Choice(TITLE, shown, "now", note=note))
    if chosen == "now":
        await _exchange(app, session)
    elif chosen in LEAVING:
        if await app.push_screen_wait(Question(TITLE, *LEAVING[chosen])):
            await asyncio.to_thread(machines.leave, runtime, erase=chosen == "erase")
            notify(app, "Nothing is shared any more. What is here stays.")
            session.memories_changed()
    elif chosen:
        await _shut_out(app, session, await asyncio.to_thread(machines.find, runtime, chosen))


async def _shut_out(app: App[Any], session: AppSession, gone: Machine) -> None:
    note = (
        f"To shut out {gone.name}. What it has stays on it; it gets nothing any more. Your other"
        " machines go on by themselves."
    )
    revoke = partial(machines.revoke, session.runtime, gone.id)
    if phrase := await _new_passphrase(app, revoke, note):
        await _show_phrase(app, phrase)
        await _exchange(app, session)
        notify(app, f"{gone.name} is shut out. Change the password of the database too.")


async def _new_passphrase(app: App[Any], use: Callable[[str], T], note: str = "") -> T | None:
    """Ask for a passphrase twice, and return what comes of it."""
    first = await app.push_screen_wait(
        LineQuestion(
            "New passphrase", "", machines.valid_passphrase, note=note, hidden=True, does="go on"
        )
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


def _when(runtime: Runtime, moment: str) -> str:
    return when(datetime.fromisoformat(moment), runtime.clock()) if moment else "never"
