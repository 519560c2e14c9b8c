"""`memapp mcp`: lets another program read the memory, and propose something for it."""

from importlib.util import find_spec
from typing import Any

import click

from memapp.cli.output import opened
from memapp.errors import UsageError

NOT_INSTALLED = "Other programs need the package `mcp`, which is not installed."


@click.group(invoke_without_command=True)
@click.option("--agent", metavar="NAME", help="Who is asking, such as claude-code: agents.toml says what it may.")
@click.pass_context
def mcp(ctx: click.Context, agent: str | None) -> None:
    """Let another program read your memory, and propose what to remember, over the Model Context Protocol.

    The program starts this itself; `memapp mcp connect` sets that up. What it proposes waits for your yes in the inbox.
    """
    if ctx.invoked_subcommand is not None:
        return
    if agent is None:
        raise UsageError("Which agent asks?", "To set one up: memapp mcp connect claude-code.")
    if find_spec("mcp") is None:
        raise UsageError(NOT_INSTALLED, 'Install it with: pip install "memapp[mcp]".')
    from memapp.mcp import grants, server

    options: dict[str, Any] = ctx.obj
    with opened(options) as runtime:
        grants.load_grant(runtime, grants.checked_name(agent))
        server.serve(runtime, agent)
