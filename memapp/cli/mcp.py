"""`memapp mcp`: lets another program read the memory and propose memories."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from memapp.cli.output import has_terminal, opened, say, show
from memapp.errors import UsageError
from memapp.services import agents
from memapp.services.extras import install_command
from memapp.settings import check_known

COURTESY = 10
"""The niceness of a server: the model that answers the person goes first."""
NOT_SEEN = "It does not see your profile or your chats. "
PLACES = (
    "MEMAPP_HOME",
    "MEMAPP_DB",
    *(f"XDG_{kind}_HOME" for kind in ("CONFIG", "DATA", "CACHE", "STATE")),
)
"""Variables with memapp's places; desktop programs seldom see those of the shell."""
FLAGS = {"home": "--home", "database": "--db"}


@click.group(invoke_without_command=True)
@click.option(
    "--agent",
    metavar="NAME",
    help="The agent that connects, such as claude-code; agents.toml holds its permissions.",
)
@click.pass_context
def mcp(ctx: click.Context, agent: str | None) -> None:
    """Connect other programs to your memory (MCP).

    `memapp mcp connect` sets a program up; after that the program itself starts `memapp mcp`, and
    speaks the Model Context Protocol. Everything the program proposes waits for your yes in the
    inbox.
    """
    if ctx.invoked_subcommand is not None:
        return
    if agent is None:
        raise UsageError("Which agent asks?", "To set one up: memapp mcp connect claude-code.")
    _check_installed()
    from memapp.mcp import grants, server

    options: dict[str, Any] = ctx.obj
    with opened(options) as runtime:
        grants.load_grant(runtime, grants.checked_name(agent))
        if hasattr(os, "nice"):
            os.nice(COURTESY)
        server.serve(runtime, agent)


def _check_installed() -> None:
    if find_spec("mcp") is None:
        raise UsageError(
            "Other programs need the package `mcp`, which is not installed.",
            f"Install it: {install_command('mcp')}",
        )


def _environment() -> list[str]:
    """Return the beginning of a command that finds the same files as this one."""
    given = [
        f"{name}={Path(os.environ[name]).absolute()}" for name in PLACES if os.environ.get(name)
    ]
    return ["/usr/bin/env", *given] if given else []


@mcp.command()
@click.argument("client", metavar="CLIENT")
@click.option("--agent", metavar="NAME", help="The name of the agent here; otherwise CLIENT.")
@click.option("--yes", is_flag=True, help="Write the program's configuration without asking first.")
@click.pass_obj
def connect(options: dict[str, Any], client: str, agent: str | None, yes: bool) -> None:
    """Set up a program to use your memory.

    CLIENT is claude-desktop, claude-code, cursor, vscode, zed, opencode, goose or lmstudio. memapp
    first shows what the program will be able to read; agents.toml is the place to change that.
    """
    from memapp.mcp import clients, grants

    known = clients.known_clients()
    check_known("program", client, known)
    name = grants.checked_name(agent or client)
    with opened(options) as runtime:
        grants.write_grant(runtime, name)
        agents.introduce(runtime, name)
        granted, path = grants.load_grant(runtime, name), grants.file_of(runtime)
        seen = sorted(granted.capability(name, runtime.user_id, runtime.categories).categories)
    where = [
        part
        for option in ("home", "database")
        if options[option]
        for part in (FLAGS[option], str(options[option].absolute()))
    ]
    # -P: a file in the program's folder may have the name of a module of Python.
    launch = [sys.executable, "-P", "-m", "memapp"]
    command = [*_environment(), *launch, *where, "mcp", "--agent", name]
    reads = ", ".join(seen) if granted.reads else "nothing"
    say(f"{client} will be the agent {name!r}. It may read: {reads}.")
    not_seen = "" if "profile" in seen else NOT_SEEN
    say(f"{not_seen}What it proposes waits for your yes in the inbox (F4).")
    say(f"Change that in {path}. To stop it: memapp agents block {name}")
    if find_spec("mcp") is None:
        say(f"First install what it needs: {install_command('mcp')}")
    target = known[client]
    say(
        "Run this:"
        if client == "claude-code"
        else f"This belongs into {target.folder / target.file}, beside what is there:"
    )
    show(clients.configuration(client, command))
    if target.is_json and (yes or (has_terminal() and click.confirm("Write it there?", err=True))):
        with opened(options) as runtime:
            say(f"Written: {clients.write(runtime, client, command)}. Start {client} again.")
