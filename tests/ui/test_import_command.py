"""/import in a chat: an export comes in after a yes, and is undone like all else."""

import json
from pathlib import Path

from memapp.services import chats
from memapp.services.consent import pending
from tests.services.imports import sample_exports as made
from tests.ui.conftest import Seen


async def test_an_export_is_shown_and_brought_in_after_a_yes(seen: Seen, tmp_path: Path) -> None:
    folder = tmp_path / "my exports"
    folder.mkdir()
    (folder / "conversations.json").write_text(json.dumps([made.CLAUDE]), "utf-8")
    (folder / "memories.json").write_text(json.dumps(made.MEMORIES), "utf-8")
    composer, runtime = seen.chat.composer, seen.runtime
    composer.insert(f"/import {folder}x")
    await seen.press("enter", until="There is no file or folder")
    assert composer.text == f"/import {folder}x"
    composer.clear_text()
    composer.insert(f"/import '{folder}' ")
    await seen.press(
        "enter",
        until="1 chat with 2 messages, 4 facts to wait for your yes; left out: 1 file, 1 thought.",
    )
    await seen.pilot.press("escape")
    assert not chats.list_threads(runtime)
    composer.insert(f"/import {folder}")
    await seen.press("enter", until="Import my exports?")
    await seen.press("enter", until=seen.tells("Imported: my exports"))
    await seen.until("Tea")
    assert pending.count_pending(runtime) == 1
    await seen.press("ctrl+z", until=seen.tells("Undone"))
    assert not (chats.list_threads(runtime) or pending.count_pending(runtime))
