"""The arguments of `memapp run` and `memapp hook agent`, read without loading click."""

from typing import NamedTuple

OPTIONS_BEFORE, OPTIONS = ("--home", "--db"), ("--task", "--expect", "--progress", "--score")


class CommandLine(NamedTuple):
    """A command under `memapp run`, with the options given before `--`."""

    argv: list[str]
    options: dict[str, str]


def read_run(arguments: list[str]) -> CommandLine | None:
    """Return the command of `memapp run`; None for another command, or if click has to explain."""
    options: dict[str, str] = {}
    rest = _take_options(arguments, OPTIONS_BEFORE, options)
    if rest[:1] != ["run"]:
        return None
    rest = _take_options(rest[1:], OPTIONS, options)
    return CommandLine(rest[1:], options) if rest[:1] == ["--"] and rest[1:] else None


def read_hook(arguments: list[str]) -> dict[str, str] | None:
    """Return the options of a command line if it is `hook agent`, else None."""
    options: dict[str, str] = {}
    rest = _take_options(arguments, OPTIONS_BEFORE, options)
    return options if rest == ["hook", "agent"] else None


def _take_options(arguments: list[str], names: tuple[str, ...], taken: dict[str, str]) -> list[str]:
    """Move the leading options into `taken`; return the arguments that follow."""
    while arguments:
        name, equals, value = arguments[0].partition("=")
        if name not in names or not (equals or len(arguments) > 1):
            break
        taken[name.removeprefix("--")] = value if equals else arguments[1]
        arguments = arguments[1 if equals else 2 :]
    return arguments
