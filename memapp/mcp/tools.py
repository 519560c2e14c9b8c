"""The tools of the MCP server: search, propose, and ask about commands.

The docstring of a tool is what the agent reads.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from mcp.types import ToolAnnotations
from pydantic import Field

from memapp.domain.memory import MAX_MEMORY_CHARS
from memapp.runtime import Runtime
from memapp.services import agents
from memapp.services.agents import FoundMemories, Proposal

if TYPE_CHECKING:
    from memapp.mcp.server import MemoryServer

READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
PROPOSES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
REPORTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
OUTPUT_CHARS = 16_000

F = TypeVar("F", bound=Callable[..., Any])

Text = Annotated[
    str,
    Field(
        max_length=MAX_MEMORY_CHARS,
        description="One or two sentences about the person, in their words.",
    ),
]
Quote = Annotated[
    str,
    Field(
        max_length=MAX_MEMORY_CHARS,
        description="What the person said, word for word, that shows it.",
    ),
]
Category = Annotated[
    str, Field(max_length=40, description="One category, or empty for all that you may use.")
]
Limit = Annotated[int, Field(ge=1, le=20, description="At most so many.")]
Id = Annotated[
    str, Field(max_length=40, description="The id of a memory, or of a proposal of yours.")
]
Command = Annotated[str, Field(max_length=4000, description="The command line, as it is typed.")]
Folder = Annotated[
    str, Field(max_length=1000, description="The folder it runs in; empty for that of this server.")
]


def add_tools(server: "MemoryServer", runtime: Runtime) -> None:
    """Add every tool to a server."""
    for add in (_reading, _proposing, _lessons):
        add(server, runtime)


def _tool(server: "MemoryServer", title: str, hints: ToolAnnotations) -> Callable[[F], F]:
    """Add a function as a tool, described by its docstring without the source's indentation."""

    def add(function: F) -> F:
        server.add_tool(
            function, title=title, description=inspect.getdoc(function), annotations=hints
        )
        return function

    return add


def _reading(server: "MemoryServer", runtime: Runtime) -> None:
    @_tool(server, "Search the person's memory", READS)
    async def search_memories(
        query: Annotated[
            str,
            Field(max_length=2000, description="What you want to know, as words or a question."),
        ],
        category: Category = "",
        limit: Limit = 5,
    ) -> FoundMemories:
        """Find what the person said about a topic: preferences, plans, people, projects.

        Returns quotations.
        """
        server.search_by_meaning()
        return await server.ask(
            "search_memories",
            lambda caller, ids: with_ids(
                agents.search(runtime, caller, query, category, limit), ids
            ),
        )

    @_tool(server, "Recent memories of the person", READS)
    async def recent_memories(category: Category = "", limit: Limit = 10) -> FoundMemories:
        """List the newest memories, and what changed since you last asked.

        Returns quotations.
        """
        return await server.ask(
            "recent_memories",
            lambda caller, ids: with_ids(agents.recent(runtime, caller, limit, category), ids),
        )


def with_ids(found: FoundMemories, ids: list[str]) -> FoundMemories:
    """Return the memories, and add their ids to those recorded for the call."""
    ids.extend(quotation.id for quotation in found.memories)
    return found


def _proposed(proposal: Proposal, ids: list[str]) -> Proposal:
    ids.append(proposal.id)
    return proposal


def _proposing(server: "MemoryServer", runtime: Runtime) -> None:
    @_tool(server, "Propose something to remember", PROPOSES)
    async def remember(text: Text, quote: Quote = "", category: Category = "") -> Proposal:
        """Propose something lasting about the person.

        The proposal waits for the person's yes, and is not remembered until then.
        """
        return await server.ask(
            "remember",
            lambda caller, ids: _proposed(
                agents.propose(runtime, caller, text, quote, category), ids
            ),
        )

    @_tool(server, "Propose a correction", PROPOSES)
    async def correct(id: Id, text: Text, quote: Quote = "") -> Proposal:
        """Propose new words for a memory that you read.

        The memory stays unchanged until the person's yes.
        """
        return await server.ask(
            "correct",
            lambda caller, ids: _proposed(agents.correct(runtime, caller, id, text, quote), ids),
        )

    @_tool(server, "Withdraw a proposal", PROPOSES)
    async def withdraw(id: Id) -> Proposal:
        """Withdraw a pending proposal of yours.

        Only the person can delete a memory.
        """
        return await server.ask(
            "withdraw", lambda caller, ids: _proposed(agents.withdraw(runtime, caller, id), ids)
        )


def _lessons(server: "MemoryServer", runtime: Runtime) -> None:
    @_tool(server, "What is known of a command", READS)
    async def lesson_hint(command: Command, folder: Folder = "") -> list[str]:
        """Before you run a command, ask whether it failed here and what worked instead."""
        return await server.ask(
            "lesson_hint",
            lambda caller, _: agents.lesson_hint(runtime, caller, command, Path.cwd() / folder),
        )

    @_tool(server, "Report how a command went", REPORTS)
    async def step_report(
        command: Command,
        exit_code: Annotated[int, Field(ge=0, le=255, description="0 if it worked.")],
        output: Annotated[
            str, Field(max_length=OUTPUT_CHARS, description="What it wrote, above all its error.")
        ] = "",
        folder: Folder = "",
        task: Annotated[str, Field(max_length=200, description="What you are at.")] = "",
    ) -> list[str]:
        """Report a command that you ran; after a failure, get what worked instead.

        The failure, and the command that then works, are recorded.
        """
        where = Path.cwd() / folder
        return await server.ask(
            "step_report",
            lambda caller, _: agents.step_report(
                runtime, caller, command, where, exit_code, output, task
            ),
        )
