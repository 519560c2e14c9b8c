"""`M` in Settings: a person shares a memory, joins it elsewhere, and shuts a machine out."""

import platform
from pathlib import Path

from memapp.services import curate
from memapp.services.sync import machines
from memapp.store import memories
from memapp.ui.dialogs import Choice, Dialog, LineQuestion
from tests.sync.conftest import PASSPHRASE, cheap_passphrases, postgres
from tests.ui.conftest import Seen, World

__all__ = ["cheap_passphrases", "postgres"]
"""Fixtures."""


async def open_machines(seen: Seen) -> None:
    await seen.press("f9", until=lambda: seen.app.current_mode == "settings")
    await seen.press("M", until=lambda: isinstance(seen.app.screen, Choice))


async def begin(seen: Seen, how: str, url: str) -> None:
    """Choose how to begin, and enter the address of the database."""
    await open_machines(seen)
    assert "Through a PostgreSQL database of yours" in seen.words()
    await seen.press(*(["down"] if how == "join" else []), "enter", until="Database")
    await answer(seen, url)


async def answer(seen: Seen, text: str, then: str = "") -> None:
    """Answer a question of one line, and wait for what comes next."""
    question = seen.app.screen
    assert isinstance(question, LineQuestion)
    question._line.value = text
    await seen.press("enter", until=then or (lambda: seen.app.screen is not question))


async def test_a_memory_is_shared_joined_and_a_machine_shut_out_on_the_screen(
    tmp_path: Path, postgres: str
) -> None:
    laptop, desktop = World(tmp_path / "laptop"), World(tmp_path / "desktop")
    for world in (laptop, desktop):
        world.folder.mkdir()
    async with laptop.opened((80, 24)) as seen:
        curate.add(seen.app.runtime, "I drink oolong")
        await begin(seen, "init", postgres)
        await answer(seen, "short", "at least 8 characters")
        await answer(seen, PASSPHRASE, "The same passphrase")
        await answer(seen, "two herons", "That is another passphrase")
        await answer(seen, PASSPHRASE, "Recovery phrase")
        await seen.press("escape", until=lambda: any("Sent: 2" in toast for toast in seen.toasts()))
    async with desktop.opened((80, 24)) as seen:
        await begin(seen, "join", postgres)
        await answer(seen, "not the words", "not the passphrase of this memory")
        await answer(seen, PASSPHRASE)
        await seen.until(lambda: any("Came: 2" in toast for toast in seen.toasts()))
        held = memories.list_memories(seen.app.runtime.read())
        assert [memory.text for memory in held] == ["I drink oolong"]
    async with laptop.opened((80, 24)) as seen:
        await open_machines(seen)
        await seen.press("enter", until=lambda: any("Came: 0" in toast for toast in seen.toasts()))
        await open_machines(seen)
        assert f"Shut out {platform.node()} 2" in seen.words()
        await seen.press("down", "enter", until="New passphrase")
        await answer(seen, "another passphrase", "The same passphrase")
        await answer(seen, "another passphrase", "Recovery phrase")
        await seen.press("escape", until=lambda: not isinstance(seen.app.screen, Dialog))
        assert any(machine.is_revoked for machine in machines.status(seen.app.runtime).machines)
        await open_machines(seen)
        assert "Shut out" not in seen.words()
        await seen.press("down", "enter", until="Share nothing any more?")
        await seen.press("enter", until=lambda: not machines.is_shared(seen.app.runtime))
