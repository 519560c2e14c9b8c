"""The optional parts of memapp: the packages of an extra, and the command that installs them."""

import shlex
import sys
from importlib.metadata import requires


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra beside memapp."""
    parts = (requirement.partition("; extra == ") for requirement in requires("memapp") or ())
    packages = [package for package, _, name in parts if name.strip("'\"") == extra]
    return shlex.join([sys.executable, "-m", "pip", "install", *packages])
