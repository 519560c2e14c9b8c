"""Whether the file is sound: read through after the start, which must not wait for a large file, and when the person asks."""

from memapp.runtime import Runtime


def check(runtime: Runtime) -> None:
    """Read the whole file through. Raises `StoreError` if it is damaged."""
    runtime.database.check()


def examine(runtime: Runtime) -> None:
    """Look at the file as closely as memapp can. Raises `StoreError` if it is damaged, or not as memapp made it."""
    runtime.database.examine()
