"""Checks the file for damage: `check` after start, `examine` for doctor."""

from memapp.runtime import Runtime


def check(runtime: Runtime) -> None:
    """Read the whole file through. Raises `StoreError` if it is damaged."""
    runtime.database.check()


def examine(runtime: Runtime) -> None:
    """Check the file for damage and for a changed schema. Raises `StoreError` for either."""
    runtime.database.examine()
