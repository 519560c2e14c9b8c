"""Every error that memapp raises on purpose.

    MemappError            has a title and says what to do; safe to show ├── ConfigError        a
    setting, persona or category file is wrong: file, line, nearest key     (exit 2) ├── UsageError
    a command or request cannot be carried out as asked                        (exit 2) │   ├──
    NotFound       no thread, message or memory has this id │   ├── Refused        somebody asked
    for more than they may see │   └── NeedsYes       it waits for the person's word
    (exit 4) ├── StoreError         the database cannot be opened, read or written
    (exit 1) │   ├── Damaged        it cannot be read, or another program changed it: a backup has
    to take its place │   ├── StoreLocked    another process writes to it, or has it open
    (exit 3) │   ├── NewerSchema    made by a newer memapp │   └── DiskFull       nothing was
    written; free space and try again └── ModelError         a model is missing, broken or too big
    (exit 1)
        ├── ModelDied      its process ended in the middle of a call ├── ModelLoading   not ready
        yet                                                             (exit 3) └── SourceError
        one of its sources cannot give a model file; another one may

Errors of libraries are translated where they are met (`store.failures`, `inference.*`), never
further up.
"""

from pathlib import Path


class MemappError(Exception):
    """Something went wrong in a way that can be explained."""

    title = "Something went wrong"
    exit_code = 1

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        """What the person can do about it; one sentence or nothing."""

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()


class ConfigError(MemappError):
    title = "The configuration needs a look"
    exit_code = 2


class UsageError(MemappError):
    title = "That cannot be done"
    exit_code = 2


class NotFound(UsageError):
    title = "Not found"


class Refused(UsageError):
    """Somebody asked for more than they may see."""


class NeedsYes(UsageError):
    """Nothing was done yet: the person has to say yes first."""

    title = "This needs your yes"
    exit_code = 4


class StoreError(MemappError):
    title = "The memory file has a problem"


class Damaged(StoreError):
    """A backup has to take the place of the file."""

    def __init__(self, message: str, advice: str, path: Path) -> None:
        super().__init__(message, advice)
        self.path = path


class StoreLocked(StoreError):
    title = "The memory file is in use"
    exit_code = 3


class NewerSchema(StoreError):
    title = "This file comes from a newer memapp"


class DiskFull(StoreError):
    title = "Not saved: the disk is full"


class ModelError(MemappError):
    title = "The model has a problem"


class ModelDied(ModelError):
    """The model's process ended in the middle of a call; the next call starts a new one."""

    title = "The model crashed"


class ModelLoading(ModelError):
    title = "The model is still loading"
    exit_code = 3


class SourceError(ModelError):
    """One of the sources of a model file cannot give it; another one may."""

    title = "Not downloaded"
