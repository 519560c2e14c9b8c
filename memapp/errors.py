"""Every error that memapp raises on purpose.

    MemappError            has a title, and says what to do; safe to show
    ├── ConfigError        a setting, persona or category file is wrong     exit code 2
    ├── UsageError         a command cannot be carried out as asked         exit code 2
    │   ├── NotFound       no chat, message or memory has this id
    │   ├── Refused        somebody asked for more than they may see
    │   └── NeedsYes       the person has to agree first                    exit code 4
    ├── StoreError         the database cannot be opened, read or written   exit code 1
    │   ├── Damaged        a backup has to replace the database
    │   ├── StoreLocked    another process has the database open            exit code 3
    │   ├── NewerSchema    a newer memapp made the database
    │   └── DiskFull       nothing was written; free space and try again
    ├── ModelError         a model is missing, broken or too large          exit code 1
    │   ├── ModelDied      the process of the model ended during a call
    │   ├── ModelLoading   the model is not ready yet                       exit code 3
    │   └── SourceError    one source cannot give a model file; another one may
    └── SyncError          the database of sync is away, altered or not theirs  exit code 1
        ├── Overtaken      another machine was faster; tried again at once
        └── RolledBack     the database lacks entries that it had

Errors of libraries are translated where they occur (`store.sqlite_errors`, `inference.*`),
never further up.
"""

from pathlib import Path


class MemappError(Exception):
    """An error that can be explained to the person."""

    title = "Something went wrong"
    exit_code = 1

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        """One sentence about what the person can do, or nothing."""

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
    """Nothing was done yet: the person has to agree first."""

    title = "This needs your yes"
    exit_code = 4


class StoreError(MemappError):
    title = "The memory file has a problem"


class Damaged(StoreError):
    """The database is damaged: a backup has to replace it."""

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
    """The model's process ended during a call; the next call starts a new one."""

    title = "The model crashed"


class ModelLoading(ModelError):
    title = "The model is still loading"
    exit_code = 3


class SourceError(ModelError):
    """One source of a model file cannot give it; another one may."""

    title = "Not downloaded"


class SyncError(MemappError):
    title = "Sync has a problem"


class Overtaken(SyncError):
    """Another machine added something first."""


class RolledBack(SyncError):
    """The database was put back to an older state."""
