import logging
import os
import shutil
import stat
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest

from memapp.errors import ModelError
from memapp.inference import gguf_file, quantise
from memapp.inference.bundled import bundled_model_path

from . import tiny_gguf

TinyFile = Callable[[tiny_gguf.Family], Path]
Q8_0 = 8


@pytest.fixture
def slow_file(tiny_file: TinyFile, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny model that counts as one of a slow format."""
    monkeypatch.setattr(quantise, "SLOW_TYPES", {0: 4.0})
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    return tiny_file(tiny_gguf.CHATML)


def test_the_bundled_model_converts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    told: list[str] = []
    first = quantise.prepare(bundled_model_path(), tmp_path, told.append)
    second = quantise.prepare(bundled_model_path(), tmp_path, told.append)
    assert first == second
    assert told == [quantise.STARTED, quantise.FINISHED]
    assert gguf_file.read(first).main_type == Q8_0
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700
    assert [file.name for file in first.parent.iterdir()] == ["SmolLM2-135M-Instruct.Q8_0.gguf"]


def test_a_fast_file_is_used_as_it_is(tiny_file: TinyFile, tmp_path: Path) -> None:
    path = tiny_file(tiny_gguf.CHATML)
    assert quantise.prepare(path, tmp_path / "cache", pytest.fail) == path
    assert not (tmp_path / "cache").exists()


def test_other_processors_keep_the_original(
    slow_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert quantise.prepare(slow_file, tmp_path, pytest.fail) == slow_file


def test_a_model_that_would_not_gain_keeps_the_original(
    slow_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quantise, "LARGEST", 1000)
    assert quantise.prepare(slow_file, tmp_path, pytest.fail) == slow_file


def test_a_full_disk_keeps_the_original_and_says_why(
    slow_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 5, 5))
    assert quantise.prepare(slow_file, tmp_path, pytest.fail) == slow_file
    assert "free disk" in caplog.text


def test_a_folder_that_cannot_be_made_keeps_the_original(
    slow_file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert quantise.prepare(slow_file, tmp_path / "file" / "cache", pytest.fail) == slow_file
    assert "slower form" in caplog.text


def test_a_conversion_that_fails_leaves_nothing_behind(
    slow_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(quantise.library(), "llama_model_quantize", lambda *given: 1)
    assert quantise.prepare(slow_file, tmp_path, lambda text: None) == slow_file
    assert [
        path.name for path in tmp_path.rglob("*") if path.suffix != ".json" and path.is_file()
    ] == []
    assert "the conversion failed" in caplog.text


def test_what_a_killed_conversion_left_is_removed(slow_file: Path, tmp_path: Path) -> None:
    converted = quantise.prepare(slow_file, tmp_path, lambda text: None)
    old, young = converted.parent / "a.1.part", converted.parent / "b.2.part"
    for part in (old, young):
        part.touch()
    os.utime(old, (0, 0))
    converted.unlink()
    assert quantise.prepare(slow_file, tmp_path, lambda text: None) == converted
    assert not old.exists() and young.exists()


def test_a_changed_file_is_converted_anew(slow_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model.gguf"
    copy.write_bytes(slow_file.read_bytes())
    first = quantise.prepare(copy, tmp_path / "cache", lambda text: None)
    copy.write_bytes(slow_file.read_bytes() + b"\0" * 32)
    assert quantise.prepare(copy, tmp_path / "cache", lambda text: None) != first


def test_a_missing_or_damaged_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model file"):
        quantise.prepare(tmp_path / "none.gguf", tmp_path, pytest.fail)
