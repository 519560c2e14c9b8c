"""Completion scripts for shells."""

import click

from memapp.cli.output import show

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    To load the script: eval "$(memapp completion bash)".
    """
    from click.shell_completion import get_completion_class

    from memapp.cli import main

    completion_class = get_completion_class(shell)
    assert completion_class
    show(completion_class(main, {}, "memapp", "_MEMAPP_COMPLETE").source())
