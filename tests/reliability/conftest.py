"""Fixtures of every test of what is left after a failure."""

import pytest


@pytest.fixture
def unsynced() -> None:
    """Writes wait for the disk here, as they do in memapp."""
