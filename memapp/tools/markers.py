"""Markers: small files in the cache, read before the rest of memapp is loaded, and deciding whether
to.

The name of a marker is the hash of a place. One kind lists the programs with open failures there,
another the signs of commands with a known lesson.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

OPEN_SECONDS = 30 * 60
"""How long a failure stays open."""
ANY = "any"
"""The sign of a misspelt program: any command that works may solve the failure."""
PLACE_CHARS = 24
MORE = "…"
"""Follows the beginning of the name of a program that failed."""
ANYWHERE = ""
"""The place of lessons that count everywhere."""
_BETWEEN = str.maketrans(",;()", "    ")


def marker(options: Mapping[str, str], place: str, kind: str = "open") -> str:
    """Return the path of the marker of a place; empty if the home folder is unknown."""
    import hashlib

    home = options.get("home") or os.environ.get("MEMAPP_HOME")
    if home:
        cache = os.path.join(home, "cache")
    else:
        import platformdirs

        try:
            cache = platformdirs.user_cache_dir("memapp", appauthor=False)
        except RuntimeError:  # the home folder is unknown
            return ""
    return os.path.join(
        cache, kind, hashlib.sha256(place.encode(errors="replace")).hexdigest()[:PLACE_CHARS]
    )


def sign(name: str) -> str:
    """Return the hash that stands for a program, unreadable for others."""
    import hashlib

    return hashlib.sha256(name.encode(errors="replace")).hexdigest()[:12]


def mark(
    options: Mapping[str, str],
    place: str,
    programs: Sequence[str],
    slip: Sequence[str],
    *,
    more: bool = False,
) -> None:
    """Record the open failures of a place; with `more`, earlier ones stay open too."""
    path = marker(options, place)
    _write(path, [*(_signs(path) if more else []), *_family(programs), *slip])


def mark_unsolved(options: Mapping[str, str], place: str, programs: Sequence[str]) -> None:
    """Record the programs whose repeated failures in a place stay open."""
    _write(marker(options, place, "unsolved"), _family(programs))


def _family(programs: Sequence[str]) -> list[str]:
    """Return the signs of programs and of the beginnings of their names."""
    begun = (
        f"{program[:letters]}{MORE}" for program in programs for letters in range(2, len(program))
    )
    return [*map(sign, (*programs, *begun))]


def mark_known(options: Mapping[str, str], place: str, noticed: Sequence[str]) -> None:
    """Record the signs of commands with a lesson in a place (`noticed_by`)."""
    _write(marker(options, place, "known"), [*map(sign, noticed)])


def mark_known_at(cache: str, place_hash: str, noticed: Sequence[str]) -> None:
    """Record the same for the hash of a place."""
    _write(os.path.join(cache, "known", place_hash[:PLACE_CHARS]), [*map(sign, noticed)])


def forget(cache: str) -> None:
    """Delete all markers, so that nobody can test whether they list a command."""
    import shutil

    for kind in ("open", "known", "unsolved"):
        shutil.rmtree(os.path.join(cache, kind), ignore_errors=True)


def is_known(argv: Sequence[str], name: str, options: Mapping[str, str], place: str) -> bool:
    """Return True if a command of a program may have a lesson in a place."""
    signs = {
        sign for where in (place, ANYWHERE) for sign in _signs(marker(options, where, "known"))
    }
    return bool(signs) and not signs.isdisjoint(map(sign, noticed_by(argv, name)))


def noticed_by(argv: Sequence[str], name: str) -> Iterator[str]:
    """Yield the signs of a command: the program, the program with a part, the whole command."""
    yield name
    yield "\0".join(("", *argv))
    for word in argv:
        for part in word.translate(_BETWEEN).split():
            yield f"{name}\0{part.partition('=')[0] if part.startswith('--') else part}"


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
        begun = f"{path}.{os.getpid()}"
        with open(begun, "w", encoding="utf-8") as file:
            file.write("\n".join(dict.fromkeys(signs)))
        os.replace(begun, path)  # a command in between never sees an empty marker


def is_open(name: str, options: Mapping[str, str], place: str) -> bool:
    """Return True if a related program failed in a place recently, or a misspelt one.

    Programs are related if one name begins with the other (`domain.lessons.lesson`).
    """
    path = marker(options, place)
    signs = _signs(marker(options, place, "unsolved"))
    try:
        if time.time() - os.stat(path).st_mtime > OPEN_SECONDS:
            os.unlink(path)
        else:
            signs += _signs(path)
    except OSError:
        pass  # nothing failed there recently
    begun = (name[:letters] for letters in range(2, len(name)))
    return bool(signs) and not {ANY, *map(sign, (name, f"{name}{MORE}", *begun))}.isdisjoint(signs)
