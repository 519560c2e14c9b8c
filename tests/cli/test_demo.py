"""The demo has a memory of its own, and shares the rest with every other day."""

import os
from pathlib import Path

import pytest

from memapp import paths
from memapp.cli import demo
from memapp.services import curate
from tests.builders import word_list


def test_the_demo_shares_models_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMAPP_DB", str(tmp_path / "own.db"))
    options = {"home": tmp_path / "home", "database": None, "flags": {}}
    runtime = demo.start(options, tmp_path / "demo")
    everyday = paths.locate(tmp_path / "home")
    assert runtime.paths.models == everyday.models
    assert runtime.paths.cache == everyday.cache
    assert runtime.paths.log == everyday.log
    assert runtime.paths.database == tmp_path / "demo/memapp.db"
    assert runtime.paths.config == tmp_path / "demo/config.toml"
    assert curate.count(runtime) == 9
    assert not (tmp_path / "own.db").exists()
    runtime.close()


def test_the_app_becomes_the_demo_with_its_own_options(monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: became.append(words))
    demo.start_instead(
        {
            "home": Path("/there"),
            "database": None,
            "flags": {"model": None, "server": "http://127.0.0.1:1/v1"},
        }
    )
    assert became[0][1:] == word_list("-m memapp --home /there --server http://127.0.0.1:1/v1 demo")
