"""The places of the person's files, and the notices about missing ones."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

from memapp.cli import run
from memapp.run.arguments import CommandLine
from memapp.run.command import main as run_command
from tests.cli.conftest import Terminal


def test_the_memory_file_is_located_by_both_of_its_names(memapp: Terminal) -> None:
    assert memapp("locate", "db") == memapp("locate", "database")
    assert memapp("locate", "db")[:2] == (0, f"{memapp.home / 'memapp.db'}\n")


def test_a_backup_that_is_not_there_is_said_to_be_missing(memapp: Terminal, tmp_path: Path) -> None:
    code, _, err = memapp("restore", "--file", str(tmp_path / "gone.db"))
    assert (code, f"There is no file {tmp_path / 'gone.db'}." in err) == (2, True)
    (tmp_path / "notes.txt").write_text("rubbish")
    code, _, err = memapp("restore", "--file", str(tmp_path / "notes.txt"))
    assert code == 1
    assert f"{tmp_path / 'notes.txt'} is damaged, or is not a database. Name another file." in err
    assert "backups" not in err, "there are none to point to"


def test_a_backup_into_no_folder_blames_the_folder(memapp: Terminal, tmp_path: Path) -> None:
    code, _, err = memapp("backup", str(tmp_path / "some" / "new.db"))
    assert (code, f"There is no folder {tmp_path / 'some'}." in err) == (2, True)
    assert "memory file has a problem" not in err


def test_nothing_is_written_over_the_memory(memapp: Terminal) -> None:
    memapp("add", "User keeps bees.")
    chat = memapp("ask", "--json", "Hello?")[1].split('"')[3]
    (memapp.home / "link.db").symlink_to(memapp.home / "memapp.db")
    for command in (("backup", "--yes"), ("export", "-o"), ("chats", "export", chat, "-o")):
        for name in ("memapp.db", "memapp.db-wal", "config.toml", "link.db"):
            code, _, err = memapp(*command, str(memapp.home / name))
            assert (code, "memapp's own file" in err) == (2, True), (command, name)
    assert "bees" in memapp("list")[1]


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a home folder, whom the system does not know."""
    for name in (
        "HOME",
        "MEMAPP_HOME",
        *(f"XDG_{kind}_HOME" for kind in ("CONFIG", "DATA", "CACHE", "STATE")),
    ):
        monkeypatch.delenv(name, raising=False)

    def unknown(_: object) -> NoReturn:
        raise KeyError

    for name in ("getpwuid", "getpwnam"):
        monkeypatch.setattr(f"pwd.{name}", unknown)


@pytest.mark.usefixtures("nobody")
def test_without_a_home_folder_a_named_one_does_and_else_it_is_said(
    memapp: Terminal,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert memapp("add", "I like black tea.")[0] == 0
    assert memapp("models", "list")[0] == 0
    code, _, said = memapp("run", "--", "sh", "-c", "exit 3")
    assert (code, "nothing was recorded" in said, "sh -c" in memapp("why")[1]) == (3, False, True)
    for arguments in (
        ("export", "-o", "~/x"),
        ("backup", "~/x"),
        ("import", "~x/x"),
        ("models", "use", "~x/x"),
        ("sql", "~/x", "q"),
    ):
        code, _, said = memapp(*arguments)
        assert (code, "The home folder in ~" in said) == (2, True), arguments
    assert "embedding_model is a text" in memapp("config", "set", "embedding_model", "~x/x")[2]
    assert (run(["list"]), "Your home folder is unknown" in capsys.readouterr().err) == (2, True)
    assert run(["--home", "~/x", "list"]) == 2
    assert "home folder in ~/x" in capsys.readouterr().err
    assert run_command(CommandLine(["sh", "-c", "exit 3"], {})) == 3
    assert "nothing was recorded: Your home folder is unknown" in capsys.readouterr().err


def in_place_of(path: Path, kind: str) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "loop":
            path.symlink_to(path.name)
        case "device":
            path.symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", ["pipe", "loop", "device"])
@pytest.mark.parametrize(
    "name", ["memapp.db", "config.toml", "categories.toml", "personas/own.toml"]
)
def test_no_plain_file_is_awaited(memapp: Terminal, tmp_path: Path, name: str, kind: str) -> None:
    memapp("add", "I like black tea.")
    path = memapp.home / name
    path.unlink(missing_ok=True)
    in_place_of(path, kind)
    for arguments in (("list",), ("add", "x"), ("doctor",), ("backup", str(tmp_path / "copy.db"))):
        code, _, said = memapp(*arguments)
        assert (code != 0, path.name in said, "a bug" in said) == (True, True, False), arguments
    assert (memapp("config", "set", "hints", "false")[0] != 0) is (name == "config.toml")
    code, _, said = memapp("run", "--", "sh", "-c", "exit 3")
    assert (code, "a bug" in said) == (3, False)
