"""A message written in the person's own editor: a private file for as long as that takes."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from memapp.domain.text import clean
from memapp.errors import UsageError

FALLBACK = "vi"


def edited(text: str) -> str:
    """Return the text as the person's editor left it. Raises `UsageError` if the editor cannot be started or fails."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK
    with tempfile.TemporaryDirectory(prefix="memapp-") as folder:  # readable by the person only, like the file in it
        path = Path(folder) / "message.md"
        path.touch(mode=0o600)
        path.write_text(text, "utf-8")
        try:
            ended = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
        except (OSError, ValueError):
            raise UsageError(f"The editor {command!r} cannot be started.", "Name another one in EDITOR.") from None
        if ended:
            raise UsageError(f"The editor ended with an error ({ended}).", "Your message is as it was.")
        return clean(path.read_text("utf-8", errors="replace")).removesuffix("\n")
