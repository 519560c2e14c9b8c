"""`memapp query`: searches the memory with the permissions of an agent."""

from typing import Any

import click

from memapp.cli.options import Fraction, as_json_option, words_or_pipe
from memapp.cli.output import Output, opened_to_search
from memapp.domain.categories import SUPERVISOR
from memapp.domain.query import Bullet, QueryRequest, read_request
from memapp.errors import UsageError
from memapp.services.recall import memory_query as service
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
    from_pipe = text in ((), ("-",))
    request = _request(words_or_pipe(text, "query"), from_pipe, agent or SUPERVISOR, given)
    agent = agent or request.agent
    with opened_to_search(options) as runtime:
        check_known("agent", agent, runtime.categories.allowlists)
        capability = runtime.categories.capability(agent, runtime.user_id)
        answer = service.answer_query(runtime, capability, request)
    data = {
        "header": answer.header,
        "memories": [bullet.model_dump(mode="json") for bullet in answer.memories],
        "left_out": answer.left_out,
    }
    is_full = request.returned == "full"
    texts = [_in_full(bullet) if is_full else bullet.text for bullet in answer.memories]
    lines = [*answer.header, *texts]
    left_out = f"Left out, for the budget of {request.budget_tokens} tokens: {answer.left_out}."
    left_out = left_out if answer.left_out else ""
    nothing = "" if answer.memories or answer.left_out else "Nothing found."
    Output(data, "\n".join(lines), notes=(nothing,), aside=left_out).write(as_json)


def _in_full(bullet: Bullet) -> str:
    """Return a memory with one line for each field."""
    lines = [bullet.text]
    for name, value in bullet.model_dump(mode="json", exclude={"text", "category"}).items():
        text = ", ".join(value) if isinstance(value, list) else value
        if text not in ("", None):
            lines.append(f"  {name}: {text}")
    return "\n".join(lines)


def _request(text: str, from_pipe: bool, agent: str, asked: dict[str, Any]) -> QueryRequest:
    """Return the request, from the options or as JSON.

    A JSON request names its agent, which must match the command's.
    """
    if not (from_pipe and text.lstrip().startswith("{")):
        return read_request({"agent": agent, "query": text.strip(), **asked})
    if asked:
        raise UsageError("A whole request has its conditions in it.", "Leave the options out.")
    return read_request(text)
