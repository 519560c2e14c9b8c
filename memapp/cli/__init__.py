"""The command line. Data goes to stdout, messages to stderr; exit codes are in `errors`.

The module of a command is imported when the command runs. Only the commands that talk load the
screen or a model library.
"""

import ast
import io
import os
import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from memapp.cli.options import PATH
from memapp.cli.output import EXPECTED, has_terminal, say
from memapp.domain.text import is_slip, nearest
from memapp.errors import DiskFull, MemappError

if TYPE_CHECKING:
    from memapp.runtime import Runtime

SECTIONS = {
    "Chat": {"ask": "ask", "demo": "demo", "chats": "chats"},
    "Memories": {"memories": "add search list show", "curate": "edit pin unpin", "howto": "howto"},
    "History": {"history": "history relations", "query": "query", "stats": "stats"},
    "Trash and undo": {"curate": "rm restore undo", "trash": "trash forget"},
    "Profile and consent": {"consents": "profile consents approve deny"},
    "Agents and reviews": {"council": "council", "agents": "agents rubric", "mcp": "mcp"},
    "Commands that fail": {
        "run": "run why",
        "sql": "sql",
        "hook": "hook",
        "lessons": "lessons",
        "runs": "runs",
    },
    "Files and other machines": {
        "export_import": "export import",
        "backups": "backup locate",
        "sync": "sync",
    },
    "Maintenance": {
        "upkeep": "upkeep",
        "models": "models",
        "config": "config",
        "doctor": "doctor",
        "completion": "completion",
    },
}
"""The headings of `memapp --help`, with the commands by module; a new command goes here."""
MODULES = {
    name: module
    for part in SECTIONS.values()
    for module, names in part.items()
    for name in names.split()
}


class QuestionGroup(click.Group):
    """A group whose first word may also be a question: `memapp "what tea do I like?"`."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help, without the hidden `chat`."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; its module is imported only now, to open the app faster."""
        if cmd_name not in MODULES:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"memapp.cli.{MODULES[cmd_name]}")
        command = next(
            getattr(module, name) for name in _function_names(cmd_name) if hasattr(module, name)
        )
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, all in one column."""
        width = max(map(len, MODULES))
        room = formatter.width - width - 6
        for heading, part in SECTIONS.items():
            with formatter.section(heading):
                names = [name for group in part.values() for name in group.split()]
                formatter.write_dl(
                    [(name.ljust(width), _listed(name).get_short_help_str(room)) for name in names]
                )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions: commands with their help, and options."""
        names = [name for name in MODULES if name.startswith(incomplete)]
        completed = [
            CompletionItem(name, help=_listed(name).get_short_help_str()) for name in names
        ]
        return completed + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a bug ends in a sentence and a crash file, never in a traceback."""
        try:
            return super().invoke(ctx)
        except EXPECTED:
            raise
        except Exception as error:
            from memapp import crash, paths

            log = paths.locate(ctx.params["home"]).log
            say(crash.three_lines(error, crash.write_crash_file(error, log, datetime.now(UTC))))
            ctx.exit(1)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if program := _program_to_run(args):
            ctx.fail(
                f"To run {program}: memapp run -- {' '.join(args[1:])}. A question goes in quotes."
            )
        if _is_question(args):
            args = ["chat", *args]
        elif args and self.get_command(ctx, args[0]) is None:
            near = _meant(args[0], self.list_commands(ctx), is_alone=len(args) == 1)
            if near:
                wrong = f"There is no command {args[0]!r}. Did you mean {near!r}?"
                ctx.fail(f"{wrong} A question goes in quotes.")
            args = ["chat", *args]
        return super().resolve_command(ctx, args)


def _program_to_run(args: Sequence[str]) -> str:
    """Return the program of `memapp run make check`, where `--` is missing."""
    is_command = len(args) > 1 and args[0] == "run" and "--" not in args and shutil.which(args[1])
    return args[1] if is_command else ""


def _is_question(args: Sequence[str]) -> bool:
    """Return True for a question that begins like a command: `memapp why is the sky blue`."""
    is_called_so = len(args) > 1 and args[0] in ("run", "why") and not args[1].startswith("-")
    return is_called_so and not (args[0] == "run" and "--" in args)


def _listed(name: str) -> click.Command:
    """Return a command for a list, read from its source; a list must not import thirty modules."""
    functions = _functions(MODULES[name])
    return click.Command(
        name, help=next(functions[key] for key in _function_names(name) if key in functions)
    )


def _function_names(command: str) -> tuple[str, str]:
    """Return the function names of a command; some commands' names are taken in Python."""
    return f"{command}_", command


@cache
def _functions(module: str) -> dict[str, str | None]:
    source = Path(__file__).with_name(f"{module}.py").read_text("utf-8")
    return {
        node.name: ast.get_docstring(node)
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    }


def _meant(word: str, commands: Sequence[str], *, is_alone: bool) -> str:
    """Return the command that was meant, if any: `serach tea` is a slip, `how do I` a question."""
    if " " in word.strip():
        return ""
    slips = (command for command in commands if is_slip(word, command))
    alone = (
        NAMES_IN_THE_APP.get(word.casefold()) or nearest(word, commands, NEAR_ALONE)
        if is_alone
        else ""
    )
    return next(slips, alone)


NEAR_ALONE = 75
NAMES_IN_THE_APP = {
    "memories": "list",
    "inbox": "consents",
    "learned": "lessons",
    "activity": "stats",
    "settings": "config",
    "remember": "add",
    "delete": "rm",
    "erase": "forget",
    "machines": "sync",
    "help": "--help",
}
"""Names of screens and of actions in the app, and the commands that do the same."""


@click.group(
    cls=QuestionGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="memapp", prog_name="memapp")
@click.option("--db", type=PATH, help="The memory file to use.")
@click.option("--home", type=PATH, help="The folder that holds everything memapp keeps.")
@click.option("-m", "--model", help="A GGUF file, or its name in the models folder.")
@click.option(
    "--server", help="An OpenAI-compatible server on this machine, e.g. http://127.0.0.1:8080/v1."
)
@click.option("--plain", is_flag=True, help="Chat line by line, for screen readers and pipes.")
@click.pass_context
def main(
    ctx: click.Context,
    db: Path | None,
    home: Path | None,
    model: str | None,
    server: str | None,
    plain: bool,
) -> None:
    """Chat with a model on your machine that remembers you. Without a command, the app opens.

    `memapp "QUESTION"` opens the app and sends the question.
    """
    ctx.obj = {
        "database": db,
        "home": home,
        "flags": {"model": model, "server": server},
        "plain": plain,
    }
    if ctx.invoked_subcommand is None:
        ctx.exit(ctx.invoke(chat))


@main.command(hidden=True)
@click.argument("question", nargs=-1)
@click.pass_obj
def chat(options: dict[str, Any], question: tuple[str, ...]) -> int:
    """Open the app; its first picture waits for nothing."""
    if options["plain"] or not has_terminal():
        from memapp.cli import line_chat

        line_chat.line_by_line(options, " ".join(question))
        return 0
    from memapp import paths
    from memapp.ui.app import MemappApp

    app = MemappApp(
        partial(start_or_read, options),
        paths.locate(options["home"]).log,
        question=" ".join(question),
    )
    app.run()
    if app.demo_wanted:
        from memapp.cli import demo

        demo.start_instead(options)
    return app.return_code or 0


def start_or_read(options: dict[str, Any]) -> "Runtime":
    """Open memapp; read-only, if the disk is full."""
    from memapp import bootstrap

    start = partial(
        bootstrap.start, home=options["home"], database=options["database"], flags=options["flags"]
    )
    try:
        return start()
    except DiskFull as full:
        runtime = start(read_only=True)
        runtime.database.news.append(
            f"{full.message} Until some is free and memapp is started again, you can only read."
        )
        return runtime


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Errors are shown as sentences, not tracebacks."""
    try:
        "".join(arguments).encode()  # invalid UTF-8 arrives as lone surrogates
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="strict")
        result = main.main(list(arguments), prog_name="memapp", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except MemappError as error:
        say(f"{error.title}: {error}")
        return error.exit_code
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Otherwise Python complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnicodeError:
        say("This text cannot be read or written: memapp speaks UTF-8.")
        return 2
    except OSError as error:
        say(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}.")
        return 1
