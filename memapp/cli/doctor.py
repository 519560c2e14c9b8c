"""Checks of the installation, the settings, the memory file and the models."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import psutil

from memapp import paths
from memapp.cli.options import as_json_option
from memapp.cli.output import Output, load_embedder, opened, say
from memapp.domain.changes import CLIENT
from memapp.domain.text import counted
from memapp.errors import MemappError
from memapp.runtime import Runtime
from memapp.services import activity, curate, forget, preferences, trust

LONG_LOG_BYTES = 32 * 1024 * 1024
"""memapp itself keeps the write-ahead log below half of this size."""

EACH_LOADS = (
    "each that searches runs the embedding model itself (40 MB), "
    "and all share the weights of a GGUF file"
)
READS = "English; German, French and Spanish less well"


@click.command()
@as_json_option
@click.pass_obj
def doctor(options: dict[str, Any], as_json: bool) -> None:
    """Check settings, memory file, models and installation.

    The report holds no personal text.
    """
    from memapp import bootstrap
    from memapp.inference import llama_build

    sqlite = bootstrap.sqlite_version()
    report: dict[str, str] = {
        "memapp": version("memapp"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "sqlite": f"{'.'.join(map(str, sqlite))}{sqlite_remark(sqlite)}",
        "memory free": f"{psutil.virtual_memory().available / 1e9:.1f} GB",
        "llama.cpp build": llama_build.graphics() or "CPU",
        **{
            package: version(package)
            for package in ("textual", "llama-cpp-python", "sentence-transformers", "torch")
        },
    }
    last_crash = _last_crash(options, report)
    problems = _check_store(options, report)
    crash = (
        f"{last_crash} says where memapp crashed last, and none of your words. "
        "Add it to a report, or delete it."
    )
    notes = [*(f"Problem: {problem}" for problem in problems), crash if last_crash else ""]
    notes.append(f"{counted(len(problems), 'problem')} found." if problems else "No problem found.")
    rows = [{"what": name, "is": value} for name, value in report.items()]
    Output({**report, "problems": problems}, rows=rows, notes=notes).write(as_json)
    if problems:
        click.get_current_context().exit(1)


def sqlite_remark(version: tuple[int, ...]) -> str:
    """Return a remark for versions that may, rarely, lose a write of another connection."""
    if version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51):
        return ""
    return "; 3.51.3 fixes a rare fault, so update Python or the system when you can"


def _last_crash(options: dict[str, Any], report: dict[str, str]) -> Path | None:
    """Return the newest crash file, and add the number of crashes to the report."""
    folder = paths.locate(options["home"]).log
    crashes = sorted(folder.glob("crash-*.txt"), key=lambda path: path.stat().st_mtime)
    if not crashes:
        return None
    report["crashes"] = f"{len(crashes)}, the newest {crashes[-1].name}"
    return crashes[-1]


def _check_store(options: dict[str, Any], report: dict[str, str]) -> list[str]:
    """Check the database and the models; fill the report, and return the problems."""
    problems = []
    database = paths.locate(options["home"], options["database"]).database
    if service := paths.synced_by(database):
        problems.append(
            f"{service} copies {database.parent}, which can damage an open memory. "
            "Move it elsewhere: --db, --home."
        )
    try:
        with opened(options, read_only=True) as runtime:
            size = f"{runtime.paths.database.stat().st_size / 1e6:.1f} MB"
            report["memory file"] = f"{size}, {counted(curate.count(runtime), 'fact')}"
            if not all(os.access(place, os.W_OK) for place in (database, database.parent)):
                problems.append(
                    f"{database} cannot be written. "
                    "Check the folder's permissions, or choose another with --db."
                )
            if runtime.database.has_no_room():
                problems.append(
                    f"The disk of {database} is full: nothing can be saved. Free some space."
                )
            problems += _check_settings(runtime, report)
            problems += _check_memory(runtime, report)
            runtime.database.examine()
            activity.check_versions(runtime)
            report["guards"] = (
                "all stand as memapp made them; the file was read through and is sound"
            )
    except MemappError as error:
        problems.append(str(error))
    return problems


def _check_memory(runtime: Runtime, report: dict[str, str]) -> list[str]:
    """Return the problems of the data in the file."""
    problems = []
    if lost := curate.undefined_categories(runtime):
        where = counted(len(lost), "category", "categories")
        problems.append(
            f"Memories in {where} are seen by no chat. "
            f"Define what is missing in {runtime.paths.categories}."
        )
    programs = [agent for agent in trust.list_agents(runtime) if agent.name.startswith(CLIENT)]
    if programs:
        report["other programs"] = f"{counted(len(programs), 'agent')}; {EACH_LOADS}"
    learning = activity.learning(runtime)
    waiting = counted(learning.waiting, "message")
    report["learning"] = f"{waiting} waiting, {learning.set_aside:,} set aside"
    if runtime.database.log_bytes() > LONG_LOG_BYTES:
        problems.append(
            f"The log of {runtime.paths.database} is long: "
            "another program has been reading it for a while. Close that program."
        )
    if forget.is_unfinished(runtime):
        problems.append(
            "Erased text is not gone from all of the file yet: the next start continues erasing."
        )
    return problems


def _check_settings(runtime: Runtime, report: dict[str, str]) -> list[str]:
    """Return the problems of the files, models and server that the settings name."""
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
        if runtime.judge_embedder.ready() is None:
            wrong = "The embedding model computes nothing, so nothing is learned."
            problems.append(f"{wrong} {runtime.judge_embedder.note}")
        report["reads"] = READS
        report["language model"] = bootstrap.chosen_model(runtime)
        if runtime.settings.server:
            bootstrap.open_chat_model(runtime, say).close()
        else:
            engine = bootstrap.check_engine(runtime)
            verdict = "fails" if engine.problem else "computes"
            features = ", ".join(engine.features) or "not known"
            report["engine"] = f"{verdict}; processor features: {features}"
            if engine.problem:
                problems.append(f"The engine computed no token. {engine.problem}")
    except MemappError as error:
        problems.append(str(error))
    return problems
