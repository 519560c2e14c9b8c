"""Markers: small files in the cache that say, before anything else of memapp is loaded, whether it
has to be.

Each is named by a hash of a place. One has the programs that failed there, and wait for what works;
another by what those commands are noticed that are told of before they are run.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

OPEN_SECONDS = 30 * 60
"""As long a failure waits for what works."""
ANY = "any"
"""In a marker: a name that no program has failed, so whatever works may be what was wanted."""
PLACE_CHARS = 24
MORE = "…"
"""Stands behind the beginning of the name of a program that failed."""
ANYWHERE = ""
"""In the place of a place: what is told of wherever it is."""
_BETWEEN = str.maketrans(",;()", "    ")


def marker(options: Mapping[str, str], place: str, kind: str = "open") -> str:
    """Return the file that says which failures are open in a place, or which commands are told of
    there; none without a home.
    """
    import hashlib

    home = options.get("home") or os.environ.get("MEMAPP_HOME")
    if home:
        cache = os.path.join(home, "cache")
    else:
        import platformdirs

        try:
            cache = platformdirs.user_cache_dir("memapp", appauthor=False)
        except RuntimeError:  # nobody knows the home folder
            return ""
    return os.path.join(
        cache, kind, hashlib.sha256(place.encode(errors="replace")).hexdigest()[:PLACE_CHARS]
    )


def sign(name: str) -> str:
    """Return what stands for a program in a marker, which shall say nothing to others."""
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
    """Say which failures are open in a place, of programs or of a name that none has; with `more`
    those of before are, too.
    """
    path = marker(options, place)
    _write(path, [*(_signs(path) if more else []), *_family(programs), *slip])


def mark_unsolved(options: Mapping[str, str], place: str, programs: Sequence[str]) -> None:
    """Say of which programs failures came again in a place, and were never solved: these stay open."""
    _write(marker(options, place, "unsolved"), _family(programs))


def _family(programs: Sequence[str]) -> list[str]:
    """Return what stands for programs, and for the beginnings of their names."""
    begun = (
        f"{program[:letters]}{MORE}" for program in programs for letters in range(2, len(program))
    )
    return [*map(sign, (*programs, *begun))]


def mark_known(options: Mapping[str, str], place: str, noticed: Sequence[str]) -> None:
    """Say by what those commands are noticed that are told of before they are run in a place
    (`noticed_by`).
    """
    _write(marker(options, place, "known"), [*map(sign, noticed)])


def mark_known_at(cache: str, place_hash: str, noticed: Sequence[str]) -> None:
    """Say the same of a place of which only the hash is known."""
    _write(os.path.join(cache, "known", place_hash[:PLACE_CHARS]), [*map(sign, noticed)])


def forget(cache: str) -> None:
    """Take away what stands for programs and commands in all places: nobody shall be able to try
    whether one is among them.
    """
    import shutil

    for kind in ("open", "known", "unsolved"):
        shutil.rmtree(os.path.join(cache, kind), ignore_errors=True)


def is_known(argv: Sequence[str], name: str, options: Mapping[str, str], place: str) -> bool:
    """Say whether a command, of a program of some name, may be one that is told of before it is run
    in a place.
    """
    signs = {
        sign for where in (place, ANYWHERE) for sign in _signs(marker(options, where, "known"))
    }
    return bool(signs) and not signs.isdisjoint(map(sign, noticed_by(argv, name)))


def noticed_by(argv: Sequence[str], name: str) -> Iterator[str]:
    """Yield by what a command may be noticed: its program, that with a part of it, or the whole of
    it.
    """
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
        os.replace(
            begun, path
        )  # a command that looks meanwhile sees the old one or the new one, never an empty one


def is_open(name: str, options: Mapping[str, str], place: str) -> bool:
    """Say whether a program failed in a place a short while ago, or one of its family, or one that
    there is not: a slip.

    To the family belongs what the name of the program begins with, and what begins with it
    (`domain.lessons.lesson`).
    """
    path = marker(options, place)
    signs = _signs(marker(options, place, "unsolved"))
    try:
        if time.time() - os.stat(path).st_mtime > OPEN_SECONDS:
            os.unlink(path)
        else:
            signs += _signs(path)
    except OSError:
        pass  # nothing failed there a short while ago
    begun = (name[:letters] for letters in range(2, len(name)))
    return bool(signs) and not {ANY, *map(sign, (name, f"{name}{MORE}", *begun))}.isdisjoint(signs)
