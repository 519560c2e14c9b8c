"""What the demo has of its own, and what it shares with every other day."""

from pathlib import Path

import pytest

from memapp import paths
from memapp.cli import demo
from memapp.services import curate


def test_the_demo_shares_models_and_their_faster_copies_but_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMAPP_DB", str(tmp_path / "own.db"))
    options = {"home": tmp_path / "home", "database": None, "flags": {}}
    runtime = demo.start(options, tmp_path / "demo")
    everyday = paths.locate(tmp_path / "home")
    assert (runtime.paths.models, runtime.paths.cache, runtime.paths.log) == (everyday.models, everyday.cache, everyday.log)
    assert (runtime.paths.database, runtime.paths.config) == (tmp_path / "demo/memapp.db", tmp_path / "demo/config.toml")
    assert curate.count(runtime) == 8
    assert not (tmp_path / "own.db").exists()
    runtime.close()
