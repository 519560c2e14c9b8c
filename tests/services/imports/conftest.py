"""A store beside the files that a test imports."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from tests.builders import make_runtime


@pytest.fixture
def runtime(tmp_path: Path, model: ScriptedModel) -> Iterator[Runtime]:
    with closing(make_runtime(tmp_path / "home", model)) as opened:
        yield opened
