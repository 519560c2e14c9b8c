"""The command `/import` in a chat: preview of an export, then the import after a yes."""

import asyncio
import shlex
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memapp.domain.text import shorten
from memapp.errors import UsageError
from memapp.ui.dialogs import Question
from memapp.ui.messages import FileChanged
from memapp.ui.safe_text import notify

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from memapp.ui.session import AppSession
    from memapp.ui.widgets.statusline import StatusLine

SHOWN_CHARS = 600


def path_of(written: str) -> Path:
    """Return the path that was typed or dragged into the terminal, without quotes.

    Raises `UsageError` if nothing exists there.
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
    """Show what an export contains; after a yes, back up the memory and import in one step."""
    from memapp.services import backups
    from memapp.services.imports.import_file import import_file
    from memapp.services.imports.running_import import OF_CHATS

    status.say(f"Looking at {path.name}…")
    try:
        imported = await asyncio.to_thread(import_file, session.runtime, path, dry_run=True)
    finally:
        status.say("")
    if not imported.step:
        raise UsageError(f"{path.name}: {imported}.")
    about_chats = f"\n\n{OF_CHATS}" if imported.chats else ""
    summary = f"{shorten(str(imported), SHOWN_CHARS)}.{about_chats}"
    question = Question(f"Import {path.name}?", summary, "import it", "leave it")
    if not await node.app.push_screen_wait(question):
        return
    await asyncio.to_thread(backups.run, session.runtime, timedelta(0))
    imported = await asyncio.to_thread(import_file, session.runtime, path)
    node.post_message(FileChanged(erased=False))
    done = f"Imported: {path.name}"
    pending = (
        ". What it says of you waits for your yes in the inbox (F4)." if imported.file_id else ""
    )
    notify(node, f"{done}{pending}", undo=session.undone.push(done, imported.step))
