"""Where the person's files are, and what is said about those that are not there."""

from pathlib import Path

from tests.cli.conftest import Terminal


def test_the_memory_file_is_located_by_both_of_its_names(memapp: Terminal) -> None:
    assert memapp("locate", "db") == memapp("locate", "database")
    assert memapp("locate", "db")[:2] == (0, f"{memapp.home / 'memapp.db'}\n")


def test_a_backup_that_is_not_there_is_said_to_be_missing(memapp: Terminal, tmp_path: Path) -> None:
    code, _, err = memapp("restore", "--file", str(tmp_path / "gone.db"))
    assert (code, f"There is no file {tmp_path / 'gone.db'}." in err) == (1, True)


def test_a_backup_into_a_folder_that_is_not_there_blames_the_folder(memapp: Terminal, tmp_path: Path) -> None:
    code, _, err = memapp("backup", str(tmp_path / "some" / "new.db"))
    assert (code, f"There is no folder {tmp_path / 'some'}." in err) == (1, True)
    assert "memory file has a problem" not in err
