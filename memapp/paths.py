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
"""The services that copy folders to other machines, by the beginning of the folder's name."""


class Paths(NamedTuple):
    """The places of one installation. Folders are created when they are needed."""

    config: Path
    """config.toml"""
    personas: Path
    """The person's own personas, *.toml."""
    categories: Path
    """The person's own categories.toml."""
    database: Path
    """The one SQLite file, beside its lock, backups and damaged copies."""
    models: Path
    """GGUF files the person added."""
    cache: Path
    """Prepared and downloaded model files; deleted ones are made or fetched again."""
    log: Path

    @property
    def downloads(self) -> Path:
        """Return the folder of downloaded model files; memapp removes no others."""
        return self.cache / "models"


def locate(home: Path | None = None, database: Path | None = None) -> Paths:
    """Find the person's files: below `home` or MEMAPP_HOME, else where the system wants them."""
    home = home or _environment("MEMAPP_HOME")
    database = database or _environment("MEMAPP_DB")
    if home is not None:
        root = expanded(home).absolute()
        config, data, cache, log = root, root, root / "cache", root / "log"
    else:
        import platformdirs  # slow to import, and not needed with a given home

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
                "Your home folder is unknown.", "Set HOME, or name a folder with --home."
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
    """Return the service that seems to sync a folder of the path, or nothing."""
    parts = [part.casefold() for part in path.parts]
    return next(
        (name for sign, name in SYNCED.items() if any(part.startswith(sign) for part in parts)), ""
    )


def _environment(name: str) -> Path | None:
    value = os.environ.get(name)
    return expanded(value) if value else None


def expanded(path: Path | str) -> Path:
    """Return a path with `~` expanded. Raises `UsageError` if the home folder is unknown."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UsageError(
            f"The home folder in {path} is unknown.", "Write the whole path."
        ) from None


def bundled(*parts: str) -> Path:
    """Return a bundled file or folder: of the installed package, else of the checkout."""
    package = Path(__file__).parent
    root = package / "_bundled"
    if not root.is_dir():
        root = package.parent
    return root.joinpath(*parts)
