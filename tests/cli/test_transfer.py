"""Everything out and in from the command line."""

import json
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Terminal


def exported(memapp: Terminal, tmp_path: Path) -> Path:
    memapp("add", "I keep bees.")
    memapp("add", "I live in Ghent.")
    memapp("profile", "set", "city", "Ghent")
    target = tmp_path / "all.jsonl"
    assert memapp("export", "-o", str(target))[:2] == (0, "")
    return target


def test_an_export_goes_to_a_private_file_or_to_standard_output(memapp: Terminal, tmp_path: Path) -> None:
    target = exported(memapp, tmp_path)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    code, out, _ = memapp("export")
    assert code == 0
    assert [json.loads(line)["type"] for line in out.splitlines()] == ["header", "memory", "memory", "patch", "profile"]
    assert out.splitlines()[1:] == target.read_text("utf-8").splitlines()[1:]
    assert "- Home: Ghent" in memapp("export", "--format", "md")[1]


def test_an_import_is_shown_first_and_wants_a_yes(memapp: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = exported(memapp, tmp_path)
    other = Terminal(tmp_path / "other", capsys)
    code, out, err = other("import", str(target))
    assert (code, out) == (4, "")
    assert "1 memories" in err
    assert "1 proposals for the profile, 0 deletes" in err
    code, out, _ = other("import", str(target), "--dry-run", "--json")
    assert (code, json.loads(out)["added"], json.loads(out)["dry_run"]) == (0, {"memory": 1}, True)
    assert other("list")[1] == ""
    assert other("import", str(target), "--yes")[0] == 0
    assert len(other("list")[1].splitlines()) == 1
    assert other("profile")[1] == ""
    assert len(other("consents")[1].splitlines()) == 1
    code, out, _ = other("undo")
    assert out.startswith("Taken back: Brought in a file: ")
    assert other("list")[1] == ""


def test_the_preview_says_when_more_comes_in_than_is_kept(
    memapp: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = exported(memapp, tmp_path)
    other = Terminal(tmp_path / "other", capsys)
    memapp("add", "User keeps hens.")
    target.unlink()
    memapp("export", "-o", str(target))
    other("config", "set", "max_facts", "1")
    assert "will go to the trash" not in other("import", str(target), "--dry-run")[2], "what was written by hand never goes"
    target.write_text(target.read_text("utf-8").replace('"origin":"person"', '"origin":"distilled"'), "utf-8")
    assert "the 1 least important will go to the trash" in other("import", str(target), "--dry-run")[2]


def test_a_bad_file_is_told_in_words(memapp: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text("[{]")
    code, out, err = memapp("import", str(file), "--yes")
    assert (code, out) == (2, "")
    assert "Nothing was imported." in err
    assert "Traceback" not in err
