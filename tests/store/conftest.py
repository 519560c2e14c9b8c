"""A real database in a temporary folder, and a clock that stands still."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memapp.language.normal_form import WORDING
from memapp.store.database import Database
from memapp.store.opening import open_database

NOW = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)
USER = "me"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "data" / "memapp.db", WORDING)
    yield opened
    opened.close()
