"""The resources and prompts of the MCP server."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from memapp.domain import strict_json
from memapp.mcp.tools import with_ids
from memapp.runtime import Runtime
from memapp.services import agents
from memapp.services.agents import QUOTATIONS, Caller, FoundMemories, Quotation

if TYPE_CHECKING:
    from memapp.mcp.server import MemoryServer

PROFILE = "memapp://profile"


def add_resources(server: "MemoryServer", runtime: Runtime) -> None:
    """Add every resource to a server."""

    @server.resource("memapp://recent", title="Recent memories", mime_type="text/plain")
    async def recent() -> str:
        """The newest memories, as quotations."""
        found = await server.ask(
            "memapp://recent", lambda caller, ids: with_ids(agents.recent(runtime, caller), ids)
        )
        return _as_lines(found)

    @server.resource("memapp://memory/{id}", title="One memory", mime_type="application/json")
    async def memory(id: str) -> str:
        """One memory, as a quotation."""

        def read(caller: Caller, ids: list[str]) -> Quotation:
            quotation = agents.read_memory(runtime, caller, id)
            ids.append(quotation.id)
            return quotation

        quotation = await server.ask("memapp://memory", read)
        return quotation.model_dump_json(exclude={"why"})

    @server.resource(PROFILE, title="The person's profile", mime_type="application/json")
    async def profile() -> str:
        """The person's profile, for an agent whose grant includes it."""
        return strict_json.write(
            await server.ask(PROFILE, lambda caller, _: agents.profile(runtime, caller))
        )


def add_prompts(server: "MemoryServer", runtime: Runtime) -> None:
    """Add every prompt to a server."""

    @server.prompt(title="What the person said about something")
    async def about(
        topic: Annotated[
            str, Field(max_length=2000, description="A thing, a person or a question.")
        ],
    ) -> str:
        """Quote what the person said about a topic."""
        found = await server.ask(
            "about",
            lambda caller, ids: with_ids(agents.search(runtime, caller, topic, "", 10), ids),
        )
        return _as_lines(found)

    @server.prompt(title="What changed")
    async def what_changed() -> str:
        """Quote what changed in the memory since this agent last asked."""
        lines = await server.ask("what_changed", lambda caller, _: agents.changed(runtime, caller))
        return (
            "\n".join((QUOTATIONS, *lines)) if lines else "Nothing changed in the person's memory."
        )


def _as_lines(found: FoundMemories) -> str:
    lines = [
        f"- {quotation.date} [{quotation.category}] {quotation.text}"
        for quotation in found.memories
    ]
    return (
        "\n".join([found.what, *lines]) if lines else "Nothing that this agent may read was found."
    )
