"""Checking the installation, the settings, the memory file and the models."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import psutil

from memapp import paths
from memapp.cli.output import Output, load_embedder, opened, say
from memapp.cli.shape import as_json_option
from memapp.domain.changes import CLIENT
from memapp.domain.text import counted
from memapp.errors import MemappError
from memapp.runtime import Runtime
from memapp.services import activity, curate, forget, preferences, trust

LONG_LOG_BYTES = 32 * 1024 * 1024
"""memapp itself keeps the log of the file below half of that."""

EACH_LOADS = "each that searches runs the embedding model itself (40 MB), and all share the weights of a GGUF file"
READS = "English; German, French and Spanish less well"


@click.command()
@as_json_option
@click.pass_obj
def doctor(options: dict[str, Any], as_json: bool) -> None:
    """Check settings, memory file, models and installation.

    The report holds no personal text.
    """
    from memapp import bootstrap
    from memapp.inference import build

    sqlite = bootstrap.sqlite_version()
    report: dict[str, str] = {
        "memapp": version("memapp"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "sqlite": f"{'.'.join(map(str, sqlite))}{sqlite_remark(sqlite)}",
        "memory free": f"{psutil.virtual_memory().available / 1e9:.1f} GB",
        "llama.cpp build": build.graphics() or "CPU",
        **{
            package: version(package)
            for package in ("textual", "llama-cpp-python", "sentence-transformers", "torch")
        },
    }
    last_crash = _last_crash(options, report)
    problems = _check_store(options, report)
    crash = f"{last_crash} says where memapp crashed last, and none of your words. Add it to a report, or delete it."
    notes = [*(f"Problem: {problem}" for problem in problems), crash if last_crash else ""]
    notes.append(f"{counted(len(problems), 'problem')} found." if problems else "No problem found.")
    rows = [{"what": name, "is": value} for name, value in report.items()]
    Output({**report, "problems": problems}, rows=rows, notes=notes).write(as_json)
    if problems:
        click.get_current_context().exit(1)


def sqlite_remark(version: tuple[int, ...]) -> str:
    """Say so of a version that could, in a rare case, lose what another connection just wrote."""
    is_mended = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51)
    return (
        ""
        if is_mended
        else "; 3.51.3 and later mend a rare fault, so bring Python or the system up to date when you can"
    )


def _last_crash(options: dict[str, Any], report: dict[str, str]) -> Path | None:
    """Return the file of the last crash, and add to the report how many there are."""
    found = sorted(
        paths.locate(options["home"]).log.glob("crash-*.txt"), key=lambda path: path.stat().st_mtime
    )
    if not found:
        return None
    report["crashes"] = f"{len(found)}, the newest {found[-1].name}"
    return found[-1]


def _check_store(options: dict[str, Any], report: dict[str, str]) -> list[str]:
    """Open the file and look at the models; add what is found to the report and return the
    problems.
    """
    problems = []
    database = paths.locate(options["home"], options["database"]).database
    if service := paths.synced_by(database):
        problems.append(
            f"{service} copies {database.parent}, which can damage an open memory. Move it elsewhere: --db, --home."
        )
    try:
        with opened(options, read_only=True) as runtime:
            size = f"{runtime.paths.database.stat().st_size / 1e6:.1f} MB"
            report["memory file"] = f"{size}, {counted(curate.count(runtime), 'fact')}"
            if not all(os.access(place, os.W_OK) for place in (database, database.parent)):
                problems.append(
                    f"{database} cannot be written. Check the folder's permissions, or choose another with --db."
                )
            if runtime.database.has_no_room():
                problems.append(
                    f"The disk of {database} is full: nothing can be saved. Free some space."
                )
            problems += _check_settings(runtime, report)
            if lost := curate.undefined_categories(runtime):
                where = counted(len(lost), "category", "categories")
                problems.append(
                    f"Memories in {where} are seen by no chat. Define what is missing in {runtime.paths.categories}."
                )
            if programs := [
                agent for agent in trust.list_agents(runtime) if agent.name.startswith(CLIENT)
            ]:
                report["other programs"] = f"{counted(len(programs), 'agent')}; {EACH_LOADS}"
            learning = activity.learning(runtime)
            report["learning"] = (
                f"{counted(learning.waiting, 'message')} waiting, {learning.set_aside:,} set aside"
            )
            if runtime.database.log_bytes() > LONG_LOG_BYTES:
                problems.append(
                    f"The log of {database} is long: another program has been reading it for a while. Close that."
                )
            if forget.is_unfinished(runtime):
                problems.append(
                    "What you erased is not gone from all of the file yet: the next start goes on with it."
                )
            runtime.database.examine()
            activity.check_versions(runtime)
            report["guards"] = (
                "all stand as memapp made them; the file was read through and is sound"
            )
    except MemappError as error:
        problems.append(str(error))
    return problems


def _check_settings(runtime: Runtime, report: dict[str, str]) -> list[str]:
    """Look whether what the settings name is there, and whether the model or its server could
    answer.
    """
    from memapp import bootstrap

    problems = []
    for name in (*preferences.NAMING, "context_tokens"):
        try:
            preferences.check(name, runtime.settings, runtime.paths, runtime.personas)
        except MemappError as error:
            problems.append(f"{name}: {error}")
    if problems:
        return problems
    try:
        report["embedding model"] = bootstrap.chosen_embedder(runtime)
        load_embedder(runtime)
        if runtime.reading.ready() is None:
            problems.append(
                f"The embedding model computes nothing, so nothing is learned. {runtime.reading.note}"
            )
        report["reads"] = READS
        report["language model"] = bootstrap.chosen_model(runtime)
        if runtime.settings.server:
            bootstrap.open_chat_model(runtime, say).close()
        else:
            engine = bootstrap.check_engine(runtime)
            verdict = "fails" if engine.problem else "computes"
            report["engine"] = (
                f"{verdict}; processor features: {', '.join(engine.features) or 'not known'}"
            )
            if engine.problem:
                problems.append(f"The engine computed no token. {engine.problem}")
    except MemappError as error:
        problems.append(str(error))
    return problems
