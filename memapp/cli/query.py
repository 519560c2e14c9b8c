"""`memory.query` from the command line: what an agent may read, asked as the agent would ask."""

from typing import Any

import click

from memapp.cli.output import Output, opened_to_search
from memapp.cli.shape import Fraction, as_json_option, words_or_pipe
from memapp.domain.categories import SUPERVISOR
from memapp.domain.query import Bullet, QueryRequest, read_request
from memapp.errors import UsageError
from memapp.services import query as service
from memapp.settings import check_known


@click.command()
@click.argument("text", nargs=-1)
@click.option("--agent", help=f"The agent; otherwise that of the request, or {SUPERVISOR}.")
@click.option(
    "--category",
    "categories",
    multiple=True,
    help="Only this category; repeat the option for more.",
)
@click.option(
    "--top-k", metavar="N", type=click.IntRange(1, 50), help="The most memories to return."
)
@click.option(
    "--threshold",
    metavar="SCORE",
    type=Fraction(0, 2),
    help="Only memories with at least this score.",
)
@click.option(
    "--budget",
    "budget_tokens",
    metavar="N",
    type=click.IntRange(1, 100_000),
    help="The most tokens to return, all memories together.",
)
@click.option(
    "--return",
    "returned",
    type=click.Choice(["bullets", "full"]),
    help="One line for each memory, or all its fields.",
)
@as_json_option
@click.pass_obj
def query(
    options: dict[str, Any],
    /,
    text: tuple[str, ...],
    agent: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Search the memory with the permissions of an agent.

    The answer begins with what changed since the agent last asked. With -, or without TEXT in a
    pipe, the text is read from standard input. A text that begins with { is a whole request as JSON
    and names its agent: anyone who can open the memory file can ask as any agent.
    """
    given = {name: value for name, value in asked.items() if value not in (None, ())}
    request = _request(
        words_or_pipe(text, "query"), text in ((), ("-",)), agent or SUPERVISOR, given
    )
    agent = agent or request.agent
    with opened_to_search(options) as runtime:
        check_known("agent", agent, runtime.categories.allowlists)
        found = service.query(
            runtime, runtime.categories.capability(agent, runtime.user_id), request
        )
    data = {
        "header": found.header,
        "memories": [bullet.model_dump(mode="json") for bullet in found.memories],
        "left_out": found.left_out,
    }
    lines = [
        *found.header,
        *map(_in_full if request.returned == "full" else _in_a_line, found.memories),
    ]
    left_out = (
        f"Left out, for the budget of {request.budget_tokens} tokens: {found.left_out}."
        if found.left_out
        else ""
    )
    nothing = "" if found.memories or found.left_out else "Nothing found."
    Output(data, "\n".join(lines), notes=(nothing,), aside=left_out).write(as_json)


def _in_a_line(one: Bullet) -> str:
    return one.text


def _in_full(one: Bullet) -> str:
    """Return all that is known of a memory, one part a line below what it says."""
    parts = one.model_dump(mode="json", exclude={"text", "category"})
    said = {
        name: ", ".join(value) if isinstance(value, list) else value
        for name, value in parts.items()
    }
    return "\n".join(
        [
            one.text,
            *(f"  {name}: {value}" for name, value in said.items() if value not in ("", None)),
        ]
    )


def _request(text: str, from_pipe: bool, agent: str, asked: dict[str, Any]) -> QueryRequest:
    """Make the request; one that is given whole names its own agent, which must be the one of the
    command.
    """
    if not (from_pipe and text.lstrip().startswith("{")):
        return read_request({"agent": agent, "query": text.strip(), **asked})
    if asked:
        raise UsageError("A whole request has its conditions in it.", "Leave the options out.")
    return read_request(text)
