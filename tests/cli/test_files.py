"""The places of the person's files, and what is said about those that are not there."""

from pathlib import Path

from tests.cli.conftest import Terminal


def test_the_memory_file_is_located_by_both_of_its_names(memapp: Terminal) -> None:
    assert memapp("locate", "db") == memapp("locate", "database")
    assert memapp("locate", "db")[:2] == (0, f"{memapp.home / 'memapp.db'}\n")


def test_a_backup_that_is_not_there_is_said_to_be_missing(memapp: Terminal, tmp_path: Path) -> None:
    code, _, err = memapp("restore", "--file", str(tmp_path / "gone.db"))
    assert (code, f"There is no file {tmp_path / 'gone.db'}." in err) == (2, True)


def test_a_backup_into_a_folder_that_is_not_there_blames_the_folder(memapp: Terminal, tmp_path: Path) -> None:
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
