"""The keys of this machine, in a file of its own beside the memory: in no setting, backup, export
or log.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memapp.domain.sync import Machine
from memapp.errors import SyncError, UsageError
from memapp.runtime import Runtime
from memapp.services.extras import install_command
from memapp.store.folder import written_whole

if TYPE_CHECKING:
    from memapp.sync.server import Server


@dataclass(frozen=True, slots=True)
class Keyring:
    url: str
    schema: str
    memory: str
    epochs: Mapping[str, str]
    """The key of each epoch, as hexadecimal numbers."""
    device: str = ""
    name: str = ""
    """What this machine is called on the others."""
    private: str = ""

    @property
    def epoch(self) -> int:
        """Return the epoch whose key closes what is sent."""
        return max(map(int, self.epochs))

    def key(self, epoch: int) -> bytes:
        """Return the key of an epoch. Raises `SyncError` for one that this machine never got."""
        found = self.epochs.get(str(epoch))
        if found is None:
            raise SyncError(
                "The database holds what this machine has no key for.",
                "Join again: memapp sync join URL.",
            )
        return bytes.fromhex(found)

    def with_key(self, epoch: int, key: bytes) -> "Keyring":
        return replace(self, epochs={**self.epochs, str(epoch): key.hex()})


def path_of(runtime: Runtime) -> Path:
    return runtime.paths.database.with_name("sync.key")


def is_here(runtime: Runtime) -> bool:
    """Return True if this machine shares its memory; the file of the memory is not asked."""
    return path_of(runtime).exists()


def load(runtime: Runtime) -> Keyring:
    """Return the keys. Raises `UsageError` where nothing is shared."""
    require_libraries()
    try:
        return Keyring(**json.loads(path_of(runtime).read_text("utf-8")))
    except FileNotFoundError:
        raise UsageError(
            "Nothing is shared with another machine.", "See: memapp sync init --help."
        ) from None
    except (ValueError, TypeError):
        raise SyncError(
            f"{path_of(runtime)} is damaged.", "Leave and join again: memapp sync leave."
        ) from None


def save(runtime: Runtime, keys: Keyring) -> None:
    with written_whole(path_of(runtime)) as partial:
        partial.write_text(json.dumps(asdict(keys)), "utf-8")


def remove(runtime: Runtime) -> None:
    path_of(runtime).unlink(missing_ok=True)


def require_libraries() -> None:
    """Raise `UsageError` where the extra is not installed."""
    if find_spec("psycopg") is None or find_spec("nacl") is None:
        raise UsageError(
            "Sync needs packages that are not installed.",
            f"Install them: {install_command('sync')}",
        )


def close_job(runtime: Runtime, job: Mapping[str, Any]) -> bytes:
    """Encrypt what is to be erased elsewhere too, until the others know of it."""
    from memapp.sync import crypto

    keys = load(runtime)
    return crypto.close_record(keys.key(1), keys.memory, "erasure", job)


def open_job(keys: Keyring, box: bytes) -> dict[str, Any]:
    from memapp.sync import crypto

    return crypto.open_record(keys.key(1), keys.memory, "erasure", box)


def named(server: "Server", keys: Keyring) -> list[Machine]:
    """Return the machines with their names, those seen last first."""
    from memapp.sync import crypto

    return [
        replace(
            machine, name=crypto.open_record(keys.key(epoch), keys.memory, machine.id, box)["name"]
        )
        for machine, epoch, box in server.machines()
    ]
