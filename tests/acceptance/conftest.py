"""The app that every acceptance test talks to: a real store and a model that says what the test tells it to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from tests.builders import make_runtime


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def runtime(tmp_path: Path, model: ScriptedModel) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path, model)
    yield opened
    opened.close()
