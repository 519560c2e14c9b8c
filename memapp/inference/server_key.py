"""The key for a model server, from the environment or from a file that only its owner can read.

The key is sent to that server alone, and never shown: errors name its origin.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memapp.errors import ModelError

VARIABLE = "MEMAPP_SERVER_KEY"
MOST_BYTES = 16_384
"""The longest key; tokens of gateways have a few thousand bytes."""
HOW_TO_GIVE = (
    "Write the key into a file, `chmod 600` it and name it: "
    f"`memapp config set server_key_file FILE`. Or set {VARIABLE} and start memapp again."
)


@dataclass(frozen=True)
class ServerKey:
    """A key, with its origin in words."""

    value: str = field(repr=False)
    origin: str

    def redact(self, text: str) -> str:
        """Return a text without the key: some servers repeat a key they refuse."""
        return text.replace(self.value, "…")


def find(file: str, environment: Mapping[str, str] = os.environ) -> ServerKey | None:
    """Return the key in the environment, else that in the file of a setting; None without one.

    Raises `ModelError` for a file that others may read, and for an impossible key.
    """
    if value := environment.get(VARIABLE, "").strip():
        return ServerKey(_checked(value, VARIABLE), VARIABLE)
    return read(Path(file)) if file else None


def read(path: Path) -> ServerKey:
    """Return the key in a file. Raises `ModelError`."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ModelError(
                    f"{path} is no file with a key.",
                    "Name another with `memapp config set server_key_file FILE`.",
                )
            if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ModelError(
                    f"Others on this machine may read the key in {path}, so it is not used.",
                    f"Change that: chmod 600 {path}",
                )
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ModelError(
            f"The key file {path} cannot be read: {error.strerror}.", HOW_TO_GIVE
        ) from None
    return ServerKey(_checked(content.decode("utf-8-sig", "replace").strip(), str(path)), str(path))


def _without_waiting(path: str, flags: int) -> int:
    """Open a file without blocking on a pipe, which is refused afterwards."""
    return os.open(path, flags | os.O_NONBLOCK)


def _checked(value: str, origin: str) -> str:
    """Return a key that can stand in a header: one word of printable ASCII."""
    if not value:
        raise ModelError(f"There is no key in {origin}.", HOW_TO_GIVE)
    if not (value.isascii() and value.isprintable()) or " " in value or len(value) > MOST_BYTES:
        raise ModelError(
            f"What stands in {origin} is no key: a key is one word of letters, digits and signs.",
            HOW_TO_GIVE,
        )
    return value
