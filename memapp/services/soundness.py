"""Whether the file is sound: read through after the start, since the start itself must not wait for a large file."""

from memapp.runtime import Runtime


def check(runtime: Runtime) -> None:
    """Read the whole file through. Raises `StoreError` if it is damaged."""
    runtime.database.check()
