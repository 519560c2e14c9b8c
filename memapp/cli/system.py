"""Looking after memapp: doctor, config, locate, backup, completion, demo."""

from pathlib import Path
from typing import Any

import click

from memapp.cli.output import opened, say, show, show_json, show_rows
from memapp.errors import MemappError, UsageError

PLACES = ("config", "personas", "database", "models", "cache", "log")
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("place", type=click.Choice(PLACES), required=False)
@click.pass_obj
def locate(options: dict[str, Any], place: str | None) -> None:
    """Print where things are."""
    from memapp import paths

    found = paths.locate(options["home"], options["database"])
    if place:
        show(str(getattr(found, place)))
    else:
        show_rows([{"place": name, "path": str(getattr(found, name))} for name in PLACES], False)


@click.group(invoke_without_command=True)
@click.pass_context
def config(ctx: click.Context) -> None:
    """Show and change settings."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(config_show)


@config.command("show")
@click.option("--json", "as_json", is_flag=True)
@click.pass_obj
def config_show(options: dict[str, Any], as_json: bool = False) -> None:
    """List every setting with its value, where that comes from, and what it is for."""
    from memapp import paths, settings

    loaded = settings.load(paths.locate(options["home"]).config, options["flags"])
    values = loaded.settings.model_dump(mode="json")
    if as_json:
        show_json(values)
        return
    show_rows(
        [
            {
                "name": name,
                "value": values[name] if values[name] != "" else "-",
                "from": loaded.origin.get(name, "default"),
                "for": field.description,
            }
            for name, field in settings.Settings.model_fields.items()
        ],
        False,
    )


@config.command("path")
@click.pass_obj
def config_path(options: dict[str, Any]) -> None:
    """Print where config.toml is."""
    from memapp import paths

    show(str(paths.locate(options["home"]).config))


@config.command("set")
@click.argument("name")
@click.argument("value")
@click.pass_obj
def config_set(options: dict[str, Any], name: str, value: str) -> None:
    """Set NAME to VALUE in config.toml; your comments there stay."""
    from memapp import paths, settings

    settings.write(paths.locate(options["home"]).config, name, value)
    say(f"{name} is now {value}.")


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.pass_obj
def backup(options: dict[str, Any], target: Path) -> None:
    """Write a checked copy of the memory file to TARGET."""
    with opened(options, read_only=True) as runtime:
        runtime.database.backup(target.expanduser().absolute())
    say(f"Written to {target}.")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script for a shell: eval "$(memapp completion bash)"."""
    from click.shell_completion import get_completion_class

    from memapp.cli import main

    found = get_completion_class(shell)
    if found is None:
        raise UsageError(f"There is no completion for {shell}.")
    show(found(main, {}, "memapp", "_MEMAPP_COMPLETE").source())


@click.command()
@click.option("--json", "as_json", is_flag=True)
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
        raise SystemExit(1)


def _check_store(options: dict[str, Any], report: dict[str, str]) -> list[str]:
    """Open the file and look at the models; add what is found to the report and return the problems."""
    from memapp import bootstrap
    from memapp.inference.bundled import bundled_embedder_path
    from memapp.services import curate

    problems = []
    try:
        with opened(options, read_only=True) as runtime:
            report["memory file"] = f"{runtime.paths.database.stat().st_size / 1e6:.1f} MB, {curate.count(runtime)} facts"
            report["language model"] = bootstrap.chosen_model(runtime)
    except MemappError as error:
        problems.append(str(error))
    try:
        report["embedding model"] = bundled_embedder_path().name
    except MemappError as error:
        problems.append(str(error))
    return problems


@click.command()
@click.pass_obj
def demo(options: dict[str, Any]) -> int:
    """Try memapp with sample conversations in a throw-away file; nothing is saved."""
    from memapp.cli import talk

    return talk.open_demo(options)


COMMANDS = (locate, config, backup, completion, doctor, demo)
