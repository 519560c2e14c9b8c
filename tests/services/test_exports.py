"""Files that are written: private, whole or not at all, and one of them for reading."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memapp.domain.chat import Origin, Role
from memapp.domain.text import clean
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import chat_files, curate, exports
from memapp.store import chat
from tests.builders import erase, new_chat
from tests.services.imports.builders import lived_in


def test_an_export_is_private_and_replaces_when_whole(runtime: Runtime, tmp_path: Path) -> None:
    target = tmp_path / "all.jsonl"
    target.write_text("old")
    target.chmod(0o644)

    def broken() -> Iterator[str]:
        yield "new"
        raise UsageError("in the middle")

    with pytest.raises(UsageError, match="in the middle"):
        exports.write_private(runtime, target, broken())
    assert target.read_text() == "old"
    assert list(tmp_path.glob("*.partial")) == []
    exports.write_private(runtime, target, exports.as_lines(runtime))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    link, folder = tmp_path / "link", tmp_path / "folder"
    link.symlink_to(target)
    folder.mkdir()
    for path in (link, folder, tmp_path / "nowhere" / "x"):
        with pytest.raises(UsageError):
            exports.write_private(runtime, path, ["text"])
    assert target.read_text() != "text"


def test_the_markdown_is_for_reading(runtime: Runtime) -> None:
    lived_in(runtime)
    text = "".join(exports.as_markdown(runtime))
    assert "- Home: Bruges" in text
    assert "- I keep hens. ★" in text
    assert "Which flowers do I grow?" in text


def test_an_export_is_the_same_on_a_terminal_as_in_a_file(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    with runtime.write() as session:
        chat.add_message(
            session, thread, Role.ASSISTANT, "\u202eback", runtime.clock(), origin=Origin.MODEL
        )
    for written in (*exports.as_lines(runtime), chat_files.export_thread(runtime, thread, "json")):
        assert clean(written) == written
    assert json.loads(written)["conversation_history"][0]["tom"] == "\u202eback"


def test_an_export_has_no_trace_of_what_was_erased_for_good(runtime: Runtime) -> None:
    erase(runtime, curate.add(runtime, "I keep bees.").memory_id)
    assert [json.loads(line)["type"] for line in exports.as_lines(runtime)] == ["header"]
