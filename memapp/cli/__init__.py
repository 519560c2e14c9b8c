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

SECTIONS: dict[str, list[str]] = {}
"""The names of the commands below the headings that `memapp --help` has."""


class QuestionGroup(click.Group):
    """A group whose first word may also be a question: `memapp "what tea do I like?"`."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help; the one that opens the app is not among them."""
        return [name for names in SECTIONS.values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, all in one column."""
        width = max(map(len, self.list_commands(ctx)), default=0)
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                room = formatter.width - width - 6
                formatter.write_dl([(name.ljust(width), self.commands[name].get_short_help_str(room)) for name in names])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None:
            near = _nearest(args[0], self.list_commands(ctx), _NEAR_ALONE if len(args) == 1 else _NEAR_BEFORE_WORDS)
            if near and " " not in args[0].strip():
                ctx.fail(f"There is no command {args[0]!r}. Did you mean {near!r}?")
            args = ["chat", *args]
        return super().resolve_command(ctx, args)


_NEAR_ALONE = 75
_NEAR_BEFORE_WORDS = 88
"""`memapp how do I ...` is a question, though `how` is not far from `show`; `memapp serch tea` is a slip."""


def _nearest(word: str, commands: list[str], likeness: int) -> str:
    from rapidfuzz import process

    found = process.extractOne(word, commands, score_cutoff=likeness)
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


def _add_commands() -> None:
    """Add every command below its heading; a new one needs its line here."""
    from memapp.cli import (
        chats,
        completion,
        config,
        consents,
        curate,
        doctor,
        files,
        history,
        memories,
        models,
        query,
        stats,
        talk,
        transfer,
        trash,
    )

    sections = {
        "Talk": (talk.ask, talk.demo, chats.chats),
        "Memories": (memories.add, memories.search, memories.list_, memories.show_, curate.edit, curate.pin, curate.unpin),
        "Looking back": (history.history, history.relations, query.query, stats.stats),
        "Forgetting, and taking it back": (curate.rm, curate.restore, curate.undo, trash.trash, trash.forget),
        "What is known about you": (consents.profile, consents.consents, consents.approve, consents.deny),
        "Files": (transfer.export, transfer.import_, files.backup, files.locate),
        "Looking after it": (models.models, config.config, doctor.doctor, completion.completion),
    }
    for heading, commands in sections.items():
        for command in commands:
            main.add_command(command)
        SECTIONS[heading] = [command.name or "" for command in commands]


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
    _add_commands()
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
    except OSError as error:
        say(f"A file cannot be used: {error.filename or ''} {error.strerror or error}.")
        return 1
