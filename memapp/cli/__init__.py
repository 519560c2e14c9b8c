"""The command line. Data goes to stdout, narration to stderr; exit codes are in `errors`.

Everything heavy is imported inside the commands: `memapp --help` and `memapp search` load no screen and no model library.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from memapp.cli.output import say
from memapp.errors import MemappError


class QuestionGroup(click.Group):
    """A group whose first word may also be a question: `memapp "what tea do I like?"`."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None:
            if len(args) == 1 and " " not in args[0].strip():
                near = _nearest(args[0], self.list_commands(ctx))
                if near:
                    ctx.fail(f"There is no command {args[0]!r}. Did you mean {near!r}?")
            args = ["chat", *args]
        return super().resolve_command(ctx, args)


def _nearest(word: str, commands: list[str]) -> str:
    from rapidfuzz import process

    found = process.extractOne(word, commands, score_cutoff=75)
    return found[0] if found else ""


@click.group(cls=QuestionGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="memapp", prog_name="memapp")
@click.option("--db", type=click.Path(path_type=Path), help="The memory file to use.")
@click.option("--home", type=click.Path(path_type=Path), help="Keep everything of memapp below this folder.")
@click.option("-m", "--model", help="A GGUF file, or its name in the models folder.")
@click.option("--server", help="An OpenAI-compatible server on this machine, e.g. http://127.0.0.1:8080/v1.")
@click.option("--plain", is_flag=True, help="Chat line by line, for screen readers and pipes.")
@click.pass_context
def main(ctx: click.Context, db: Path | None, home: Path | None, model: str | None, server: str | None, plain: bool) -> None:
    """Chat offline with a model on your machine that remembers you. Without a command: opens the app.

    `memapp "QUESTION"` opens the app with the question sent.
    """
    ctx.obj = {"database": db, "home": home, "flags": {"model": model, "server": server}, "plain": plain}
    if ctx.invoked_subcommand is None:
        ctx.exit(ctx.invoke(chat))


@main.command(hidden=True)
@click.argument("question", nargs=-1)
@click.pass_obj
def chat(options: dict[str, Any], question: tuple[str, ...]) -> int:
    """Open the app."""
    from memapp.cli import talk

    if options["plain"] or not (sys.stdin.isatty() and sys.stdout.isatty()):
        talk.line_by_line(options, " ".join(question))
        return 0
    return talk.open_app(options, " ".join(question))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Errors are told in words, never as a traceback."""
    from memapp.cli import chats, memories, models, system, talk

    for command in (*talk.COMMANDS, *memories.COMMANDS, chats.chats, models.models, *system.COMMANDS):
        main.add_command(command)
    try:
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains once more at exit
        return 0
