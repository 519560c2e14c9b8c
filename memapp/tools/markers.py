"""Markers: small files in the cache that say, before anything else of memapp is loaded, whether it has to be.

Each is named by a hash of a place. One has the programs that failed there, and wait for what works; another the commands that
failed there last and for which a trusted lesson says what works: only these are told of before they are run.
"""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

OPEN_SECONDS = 30 * 60
"""As long a failure waits for what works."""
ANY = "any"
"""In a marker: a name that no program has failed, so whatever works may be what was wanted."""
MORE = "…"
"""Stands behind the beginning of the name of a program that failed."""
MOST_KNOWN = 50
"""Commands of one place that are told of before they are run."""


def marker(options: Mapping[str, str], place: str, kind: str = "open") -> str:
    """Return the file that says which failures are open in a place, or for which commands a trusted lesson is known there."""
    import hashlib

    home = options.get("home") or os.environ.get("MEMAPP_HOME")
    if home:
        cache = os.path.join(home, "cache")
    else:
        import platformdirs

        cache = platformdirs.user_cache_dir("memapp", appauthor=False)
    return os.path.join(cache, kind, hashlib.sha256(place.encode(errors="replace")).hexdigest()[:24])


def sign(name: str) -> str:
    """Return what stands for a program in a marker, which shall say nothing to others."""
    import hashlib

    return hashlib.sha256(name.encode(errors="replace")).hexdigest()[:12]


def mark(options: Mapping[str, str], place: str, programs: Sequence[str], slip: Sequence[str], *, more: bool = False) -> None:
    """Say which failures are open in a place, of programs or of a name that none has; with `more` those of before are, too."""
    path = marker(options, place)
    begun = (f"{one[:letters]}{MORE}" for one in programs for letters in range(2, len(one)))
    _write(path, [*(_signs(path) if more else []), *map(sign, (*programs, *begun)), *slip])


def mark_known(options: Mapping[str, str], place: str, argv: Sequence[str], *, is_known: bool) -> None:
    """Say of a command whether it failed in a place now, and a trusted lesson says what works."""
    path, command = marker(options, place, "known"), _command(argv)
    others = [one for one in _signs(path) if one != command]
    _write(path, [*others, *([command] if is_known else [])][-MOST_KNOWN:])


def forget(cache: str) -> None:
    """Take away what stands for programs and commands in all places: nobody shall be able to try whether one is among them."""
    import shutil

    for kind in ("open", "known"):
        shutil.rmtree(os.path.join(cache, kind), ignore_errors=True)


def is_known(argv: Sequence[str], options: Mapping[str, str], place: str) -> bool:
    """Say whether a command failed in a place when it was run last, and a trusted lesson says what works."""
    return _command(argv) in _signs(marker(options, place, "known"))


def _command(argv: Sequence[str]) -> str:
    return sign("\0".join(argv))


def _signs(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except (OSError, UnicodeError):
        return []


def _write(path: str, signs: Sequence[str]) -> None:
    with suppress(OSError):
        if not signs:
            os.unlink(path)
            return
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(dict.fromkeys(signs)))


def is_open(name: str, options: Mapping[str, str], place: str) -> bool:
    """Say whether a program failed in a place a short while ago, or one of its family, or one that there is not: a slip.

    To the family belongs what the name of the program begins with, and what begins with it (`domain.lessons.lesson`).
    """
    path = marker(options, place)
    try:
        if time.time() - os.stat(path).st_mtime > OPEN_SECONDS:
            os.unlink(path)
            return False
    except OSError:
        return False
    begun = (name[:letters] for letters in range(2, len(name)))
    return not {ANY, *map(sign, (name, f"{name}{MORE}", *begun))}.isdisjoint(_signs(path))
