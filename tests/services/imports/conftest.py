"""A store with the scripted model."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from tests.builders import make_runtime


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    with closing(make_runtime(tmp_path / "home", ScriptedModel())) as opened:
        yield opened
