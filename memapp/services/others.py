"""Other processes with the same memory file: what they changed or erased, and whether one of them needs the file alone."""

from dataclasses import dataclass

from memapp.runtime import Runtime
from memapp.services import forget


@dataclass(frozen=True, slots=True)
class Heard:
    """What other processes did since the last look."""

    changed: bool
    erased: bool
    """Something was erased for good: nothing that was read before may be shown or saved again."""
    wanted: bool
    """One of them waits for this process to close the file."""


def look(runtime: Runtime) -> Heard:
    """Look what other processes did, and free what this one keeps of words that were erased."""
    database = runtime.database
    wanted = database.is_wanted()
    if not database.changed_elsewhere():
        return Heard(False, False, wanted)
    erased = database.erasures != database.heard_erasures
    if erased:
        forget.heard(runtime)
    return Heard(True, erased, wanted)
