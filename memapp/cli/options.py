"""Options, arguments and groups that commands share.

An ID may be the beginning or the ending of one (`services.id_lookup`). An irreversible command
needs `--yes`, else it ends with exit code 4.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memapp.cli.output import Output, opened, opened_if_possible, opened_to_search
from memapp.errors import UsageError
from memapp.paths import expanded

if TYPE_CHECKING:
    from memapp.runtime import Runtime

MOST = 1_000_000
"""The largest number of any option; SQLite takes no arbitrary integers."""


class _WholeNumber(click.IntRange):
    """A whole number, whose help shows no range: the upper bound is out of reach."""

    def _describe_range(self) -> str:
        return ""


NUMBER, COUNT = _WholeNumber(0, MOST), _WholeNumber(1, MOST)


class Fraction(click.FloatRange):
    """A number in a range, as `click.FloatRange`, without `nan`."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        return number if number == number else self.fail("nan is not a number.", param, ctx)


class _Path(click.Path):
    """A path with `~` expanded, which a shell leaves in `--output=~/x`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(str(expanded(value)), param, ctx)


PATH, FILE = _Path(path_type=Path), _Path(path_type=Path, dir_okay=False)
FOLDER, PATH_OR_DASH = (
    _Path(path_type=Path, file_okay=False),
    _Path(path_type=Path, allow_dash=True),
)
as_json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")

ids_argument = click.argument("memory_ids", metavar="ID...", nargs=-1, required=True)
yes_option = click.option(
    "--yes", is_flag=True, help="Do it. Without --yes, memapp only says what it would do."
)

no_secret_option = click.option(
    "--no-secret", is_flag=True, help="Store a text that only looks like a password."
)


def ask_about_secret(runtime: "Runtime", text: str, *, no_secret: bool) -> None:
    """Raise `UsageError` for a text that may hold a secret, unless the option was given.

    In the app sending a text again is a yes, but each command is a process of its own.
    """
    from memapp.services import curate

    text = curate.valid_text(text)
    if no_secret:
        runtime.doubted = text
    elif curate.is_doubted(runtime, text):
        raise UsageError(curate.MAY_BE_SECRET, "If it is not, add --no-secret.")


def limit_option(default: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option -n, the most rows to list."""
    return click.option(
        "-n",
        "limit",
        metavar="N",
        type=COUNT,
        default=default,
        show_default=True,
        help="The most to list.",
    )


def _answering(
    open_: "Callable[[Mapping[str, Any]], AbstractContextManager[Runtime]]",
) -> Callable[..., Callable[..., None]]:
    """Return a decorator: the command gets a `Runtime`, returns `Output`, and has `--json`."""

    def decorated(command: Callable[..., Output]) -> Callable[..., None]:
        @as_json_option
        @click.pass_obj
        @wraps(command)
        def run(options: Mapping[str, Any], /, *, as_json: bool, **given: Any) -> None:
            with open_(options) as runtime:
                answer = command(runtime, **given)
            answer.write(as_json)

        return run

    return decorated


reads = _answering(partial(opened, read_only=True))
writes = _answering(opened)
writes_if_possible = _answering(opened_if_possible)
searches = _answering(opened_to_search)


def words_argument(*, needed: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the argument TEXT: words or standard input; None if not `needed` and missing."""

    def read(ctx: click.Context, _: click.Parameter, words: tuple[str, ...]) -> str | None:
        return words_or_pipe(words, str(ctx.info_name)) if words or needed else None

    return click.argument("text", nargs=-1, callback=read)


def words_or_pipe(words: tuple[str, ...], command: str) -> str:
    """Return the words of a command, or standard input for - or no words in a pipe."""
    if words not in ((), ("-",)):
        return " ".join(words)
    if not words and sys.stdin.isatty():
        raise UsageError(
            f"`memapp {command}` needs words.", "Write them after it, or pipe them in."
        )
    try:
        text = sys.stdin.read()
    except UnicodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError("The piped input is not text.", "memapp reads UTF-8.")
    return text


class ListingGroup(click.Group):
    """A group with a default command, the first: `chats --json` is `chats list --json`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next(iter(self.commands))
        is_for_first = not args or (args[0].startswith("-") and args[0] not in ("-h", "--help"))
        return super().parse_args(ctx, [first, *args] if is_for_first else args)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the commands in the order of the source."""
        return list(self.commands)
