"""The demo: the app with sample chats, in a temporary folder."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
import psutil

from memapp import paths
from memapp.cli.output import has_terminal
from memapp.errors import UsageError

if TYPE_CHECKING:
    from memapp.runtime import Runtime

PREFIX = "memapp-demo-"


@click.command()
@click.pass_obj
def demo(options: dict[str, Any]) -> int:
    """Try memapp with sample chats; nothing is saved."""
    if not has_terminal():
        raise UsageError(
            "The demo needs a terminal.", "Start it without a pipe or a file for what it writes."
        )
    from memapp.ui.app import MemappApp

    with passing_folder() as folder:
        app = MemappApp(
            lambda: start(options, folder), paths.locate(options["home"]).log, demo=True
        )
        app.run()
        return app.return_code or 0


def start_instead(options: dict[str, Any]) -> NoReturn:
    """Replace this process by `memapp demo` with the same options."""
    given = {
        "--home": options["home"],
        "--model": options["flags"]["model"],
        "--server": options["flags"]["server"],
    }
    words = [
        word
        for option, value in given.items()
        if value is not None
        for word in (option, str(value))
    ]
    os.execv(sys.executable, [sys.executable, "-m", "memapp", *words, "demo"])


def start(options: dict[str, Any], folder: Path) -> "Runtime":
    """Open the samples in a folder, with the everyday models, cache and log."""
    from memapp import bootstrap
    from memapp.services import samples

    runtime = bootstrap.start(home=folder, database=folder / "memapp.db", flags=options["flags"])
    everyday = paths.locate(options["home"])
    runtime.paths = runtime.paths._replace(
        models=everyday.models, cache=everyday.cache, log=everyday.log
    )
    samples.fill(runtime)
    return runtime


@contextmanager
def passing_folder() -> Iterator[Path]:
    """Make a folder for this process; remove it afterwards, and those of dead processes."""
    for old_folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        pid = old_folder.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdecimal() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(old_folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(
        prefix=f"{PREFIX}{os.getpid()}-", ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)
