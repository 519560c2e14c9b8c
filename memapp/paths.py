"""The places of the person's files, and of the files that come with memapp."""

import os
from pathlib import Path
from typing import NamedTuple

from memapp.errors import UsageError

SYNCED = {
    **{
        "dropbox": "Dropbox",
        "onedrive": "OneDrive",
        "icloud": "iCloud",
        "mobile documents": "iCloud",
    },
    **{"google drive": "Google Drive", "googledrive": "Google Drive"},
}
"""How the names of folders begin whose services copy what is in them to other machines."""


class Paths(NamedTuple):
    """The places of one installation. Nothing is created until it is needed."""

    config: Path
    """config.toml"""
    personas: Path
    """The person's own personas, *.toml."""
    categories: Path
    """The person's own categories.toml."""
    database: Path
    """The one SQLite file; its lock, backups and damaged copies lie beside it."""
    models: Path
    """GGUF files the person added."""
    cache: Path
    """Prepared copies of model files, and downloaded ones; what is deleted is made or fetched anew
    when it is wanted.
    """
    log: Path

    @property
    def downloads(self) -> Path:
        """Model files that memapp downloaded because the person asked for them; it removes no
        others.
        """
        return self.cache / "models"


def locate(home: Path | None = None, database: Path | None = None) -> Paths:
    """Find the person's files: below `home` if given (or MEMAPP_HOME), else where the system wants
    them.
    """
    home = home or _environment("MEMAPP_HOME")
    database = database or _environment("MEMAPP_DB")
    if home is not None:
        root = expanded(home).absolute()
        config, data, cache, log = root, root, root / "cache", root / "log"
    else:
        import platformdirs  # a hint waits for it only where nobody named a place

        dirs = platformdirs.PlatformDirs("memapp", appauthor=False)
        try:
            config, data, cache, log = (
                dirs.user_config_path,
                dirs.user_data_path,
                dirs.user_cache_path,
                dirs.user_log_path,
            )
        except RuntimeError:
            raise UsageError(
                "Nobody knows your home folder here.", "Set HOME, or name a folder with --home."
            ) from None
    return Paths(
        config=config / "config.toml",
        personas=config / "personas",
        categories=config / "categories.toml",
        database=expanded(database or data / "memapp.db").absolute(),
        models=_environment("MEMAPP_MODELS") or data / "models",
        cache=cache,
        log=log,
    )


def synced_by(path: Path) -> str:
    """Name the service that seems to keep a folder above a file the same on several machines; it
    may damage an open database.
    """
    parts = [part.casefold() for part in path.parts]
    return next(
        (name for sign, name in SYNCED.items() if any(part.startswith(sign) for part in parts)), ""
    )


def _environment(name: str) -> Path | None:
    value = os.environ.get(name)
    return expanded(value) if value else None


def expanded(path: Path | str) -> Path:
    """Return a path with a home folder in place of `~`. Raises `UsageError` where nobody knows that
    folder.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UsageError(
            f"Nobody knows the home folder in {path}.", "Write the whole path."
        ) from None


def bundled(*parts: str) -> Path:
    """Return a file or folder that comes with memapp: in the installed package, else in the
    checkout.
    """
    package = Path(__file__).parent
    root = package / "_bundled"
    if not root.is_dir():
        root = package.parent
    return root.joinpath(*parts)
