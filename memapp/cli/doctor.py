"""Checking the installation, the memory file and the models."""

from typing import Any

import click

from memapp.cli.output import opened, say, show_json, show_rows
from memapp.cli.shape import as_json_option
from memapp.errors import MemappError


@click.command()
@as_json_option
@click.pass_obj
def doctor(options: dict[str, Any], as_json: bool) -> None:
    """Check the installation, the memory file and the models. The report has no personal text in it."""
    import platform
    import sqlite3
    from importlib.metadata import version

    import psutil

    report: dict[str, str] = {
        "memapp": version("memapp"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "sqlite": sqlite3.sqlite_version,
        "memory free": f"{psutil.virtual_memory().available / 1e9:.1f} GB",
        **{package: version(package) for package in ("textual", "llama-cpp-python", "sentence-transformers", "torch")},
    }
    problems = _check_store(options, report)
    if as_json:
        show_json({**report, "problems": problems})
    else:
        show_rows([{"what": name, "is": value} for name, value in report.items()], False)
        for problem in problems:
            say(f"Problem: {problem}")
        say("No problem found." if not problems else f"{len(problems)} problem(s) found.")
    if problems:
        click.get_current_context().exit(1)


def _check_store(options: dict[str, Any], report: dict[str, str]) -> list[str]:
    """Open the file and look at the models; add what is found to the report and return the problems."""
    from memapp import bootstrap
    from memapp.inference.bundled import bundled_embedder_path
    from memapp.services import activity, curate, soundness

    problems = []
    try:
        with opened(options, read_only=True) as runtime:
            report["memory file"] = f"{runtime.paths.database.stat().st_size / 1e6:.1f} MB, {curate.count(runtime)} facts"
            report["language model"] = bootstrap.chosen_model(runtime)
            learning = activity.learning(runtime)
            report["learning"] = f"{learning.waiting:,} messages wait, {learning.set_aside:,} set aside"
            soundness.examine(runtime)
            report["guards"] = "all stand as memapp made them; the file was read through and is sound"
    except MemappError as error:
        problems.append(str(error))
    try:
        report["embedding model"] = bundled_embedder_path().name
    except MemappError as error:
        problems.append(str(error))
    return problems
