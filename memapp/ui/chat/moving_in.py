"""`/import` in a chat: what an export would bring in, and bringing it in after a yes."""

import asyncio
import shlex
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memapp.domain.text import shorten
from memapp.errors import UsageError
from memapp.ui.dialogs import Question
from memapp.ui.messages import FileChanged
from memapp.ui.safe import notify

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from memapp.ui.session import AppSession
    from memapp.ui.widgets.statusline import StatusLine

SHOWN_CHARS = 600


def path_of(written: str) -> Path:
    """Return the path that was written, or dragged there: a terminal may quote it. Raises
    `UsageError` where nothing is.
    """
    try:
        words = shlex.split(written)
    except ValueError:
        words = []
    paths = [
        Path(word).expanduser() for word in (written.strip(), *(words if len(words) == 1 else ()))
    ]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise UsageError(f"There is no file or folder {paths[-1]}.")
    return path


async def bring_in(
    node: "DOMNode", session: "AppSession", status: "StatusLine", path: Path
) -> None:
    """Say what an export would bring in; after a yes, back the memory up and bring it in, in one
    step to take back.
    """
    from memapp.services import backups
    from memapp.services.imports.whole import import_file
    from memapp.services.imports.work import OF_CHATS

    status.say(f"Looking at {path.name}…")
    try:
        found = await asyncio.to_thread(import_file, session.runtime, path, dry_run=True)
    finally:
        status.say("")
    if not found.step:
        raise UsageError(f"{path.name}: {found}.")
    said = f"{shorten(str(found), SHOWN_CHARS)}.\n\n{OF_CHATS if found.chats else ''}".strip()
    if not await node.app.push_screen_wait(
        Question(f"Bring in {path.name}?", said, "bring it in", "leave it")
    ):
        return
    await asyncio.to_thread(backups.run, session.runtime, timedelta(0))
    found = await asyncio.to_thread(import_file, session.runtime, path)
    node.post_message(FileChanged(erased=False))
    done = f"Brought in: {path.name}"
    waits = ". What it says of you waits in the inbox (F4)." if found.file_id else ""
    notify(node, f"{done}{waits}", undo=session.undone.push(done, found.step))
