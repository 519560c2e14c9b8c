"""A store without a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memapp.runtime import Runtime
from tests.builders import make_runtime


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path, embedder=False)
    yield opened
    opened.close()
