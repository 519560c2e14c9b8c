"""The record of models that crashed, kept in the cache folder: about this machine, not the person.

A model that crashed twice in a row in the installed build of llama.cpp is set aside: memapp no
longer loads it by itself.
"""

import json
import logging
from contextlib import suppress
from pathlib import Path

from memapp.inference import cached_copies, llama_build

log = logging.getLogger(__name__)

FILE = "crashes.json"
MOST = 2
"""The crashes in a row after which a model is set aside."""


class CrashRecord:
    """The crashes in a row of one model, whose file's hash is `key`, in the installed build."""

    def __init__(self, cache: Path, key: str) -> None:
        self._file = cache / FILE
        self._name = f"{key} {llama_build.name()}"

    @property
    def is_set_aside(self) -> bool:
        return self._count() >= MOST

    def add(self) -> bool:
        """Count a crash; return True if the model is set aside now."""
        count = self._count() + 1
        self._write(count)
        return count >= MOST

    def clear(self) -> None:
        """Reset the count, since the model answered."""
        if self._count():
            self._write(0)

    def _count(self) -> int:
        count = _read(self._file).get(self._name)
        return count if isinstance(count, int) else 0

    def _write(self, count: int) -> None:
        counts = {**_read(self._file), self._name: count}
        try:
            with cached_copies.whole(self._file) as unfinished:
                unfinished.write_text(
                    json.dumps({name: number for name, number in counts.items() if number}), "utf-8"
                )
        except OSError as error:  # a full disk is no reason not to answer
            log.warning("the record of crashes was not written: %s", error.strerror)


def forget_all(cache: Path) -> None:
    """Clear all records, since the person asked for a model."""
    with suppress(OSError):
        (cache / FILE).unlink(missing_ok=True)


def _read(file: Path) -> dict[str, object]:
    try:
        counts = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return counts if isinstance(counts, dict) else {}
