"""A terminal that runs commands in this process."""

from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.cli import run
from memapp.domain.engine import EngineCheck
from memapp.inference.scripted import ScriptedModel
from tests.builders import Reader


class Terminal:
    """Runs commands in this process on a home of their own, with scripted models."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self._capsys = home, capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run(["--home", str(self.home), *arguments])
        out, err = self._capsys.readouterr()
        return code, out, err


@pytest.fixture
def memapp(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Terminal:
    monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_: ScriptedModel())
    monkeypatch.setattr(bootstrap, "open_embedder", lambda *_: Reader())
    # it would convert the bundled model for each home
    monkeypatch.setattr(bootstrap, "check_engine", lambda _: EngineCheck(()))
    return Terminal(tmp_path / "home", capsys)
