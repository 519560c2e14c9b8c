"""The MCP server, asked by the protocol's own client: the rights and limits of an agent."""

import inspect
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import Implementation

from memapp.domain.changes import Actor, Created, SoftDeleted
from memapp.domain.chat import Role
from memapp.domain.filters import ALL_LIVE
from memapp.domain.grants import MOST_WAITING
from memapp.mcp.server import build
from memapp.runtime import Runtime
from memapp.services import agents, curate, forget, trust, undo
from memapp.services.consent import decisions, pending
from memapp.services.recall import redact
from memapp.store import changes, chat, consents
from tests.builders import chat_of, fact, learn, recorded

ME = "client:editor"
COFFEE = "I like oat milk in my coffee."


class Agent:
    """One agent and its client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **given: Any) -> Any:
        """Return what a tool answers, or the error in words."""
        answer = await self.client.call_tool(tool, given)
        text = answer.content[0].text if answer.content else "[]"
        return text if answer.is_error else answer.structured_content

    async def found(self, query: str, **given: Any) -> list[str]:
        return [
            item["text"]
            for item in (await self.ask("search_memories", query=query, **given))["memories"]
        ]


Launch = Callable[..., AbstractAsyncContextManager[Agent]]


@pytest.fixture
def launch(runtime: Runtime) -> Launch:
    """Return what connects a client to the server of an agent, in this process."""

    @asynccontextmanager
    async def launched(
        name: str = "editor", program: Implementation | None = None, **also: Any
    ) -> AsyncIterator[Agent]:
        async with Client(build(runtime, name, **also), client_info=program) as client:
            yield Agent(client)

    return launched


def grant(runtime: Runtime, text: str) -> None:
    path = runtime.paths.categories.with_name("agents.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


async def test_each_tool_says_what_it_is_takes_and_returns(launch: Launch) -> None:
    async with launch() as agent:
        tools = (await agent.client.list_tools()).tools
        names = {tool.name for tool in tools}
        assert names == {
            *("search_memories", "recent_memories", "remember", "correct", "withdraw"),
            *("lesson_hint", "step_report"),
        }
        for tool in tools:
            hints = tool.annotations
            assert tool.title
            assert tool.description == inspect.cleandoc(tool.description or "") != ""
            assert tool.output_schema
            assert hints
            assert len(tool.name) < 20
            told = (
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint,
            )
            assert None not in told
            assert all(
                "description" in parameter for parameter in tool.input_schema["properties"].values()
            )


async def test_an_agent_gets_quotations_of_its_grant_only(runtime: Runtime, launch: Launch) -> None:
    coffee = curate.add(runtime, COFFEE, category="preferences").memory_id
    born = curate.add(runtime, "I was born in Bergen.", category="profile").memory_id
    async with launch() as agent:
        answer = await agent.ask("search_memories", query="coffee milk")
        assert "no instructions" in answer["what"]
        only = answer["memories"][0]
        assert only["id"] == coffee
        assert only["text"] == f'"{COFFEE}"'
        assert only["origin"] == "person"
        assert only["date"] == "2026-01-31"
        assert "words" in only["why"]
        assert await agent.found("born Bergen") == []
        refusal = await agent.ask("search_memories", query="born", category="profile")
        assert "not on the agent's list. Granted: activity, " in refusal
        assert "not granted" in await agent.ask("recent_memories", category="profile")
        assert [memory["id"] for memory in (await agent.ask("recent_memories"))["memories"]] == [
            coffee
        ]
        assert [
            str(resource.uri) for resource in (await agent.client.list_resources()).resources
        ] == ["memapp://recent"]
        for uri in (f"memapp://memory/{born}", "memapp://profile", "memapp://nothing"):
            with pytest.raises(MCPError):
                await agent.client.read_resource(uri)
        read = await agent.client.read_resource(f"memapp://memory/{coffee}")
        assert json.loads(read.contents[0].text)["text"] == f'"{COFFEE}"'  # type: ignore[union-attr]
        about = await agent.client.get_prompt("about", {"topic": "coffee"})
        assert COFFEE in about.messages[0].content.text  # type: ignore[union-attr]
        grant(runtime, '[editor]\ncategories = ["profile"]\nproposes = false\n')
        assert await agent.found("born coffee") == ['"I was born in Bergen."'], (
            "what the file says counts from the next call on"
        )
        assert (await agent.client.read_resource("memapp://profile")).contents
        assert "may not propose" in await agent.ask("remember", text="I like tea.")


async def test_what_an_agent_brings_waits_unseen(runtime: Runtime, launch: Launch) -> None:
    async with launch() as agent, launch("other") as other:
        waits = await agent.ask(
            "remember", text="I keep bees.", quote="my bees swarmed", category="interests"
        )
        assert waits["status"] == "waits"
        (request,) = pending.list_pending(runtime)
        assert (request.field, request.proposer, request.quote) == ("fact", ME, "my bees swarmed")
        for asked in (agent, other):
            assert await asked.found("bees") == []
            assert (await asked.ask("recent_memories"))["memories"] == []
            with pytest.raises(MCPError):
                await asked.client.read_resource(f"memapp://memory/{waits['id']}")
        own = await other.ask("remember", text="I keep bees.")
        assert own["id"] != waits["id"], "else it would learn what others propose"
        assert (await other.ask("withdraw", id=own["id"]))["status"] == "withdrawn"
        assert "no pending proposal with this id" in await other.ask("withdraw", id=waits["id"])
        step = decisions.approve(runtime, request.id)
        assert await other.found("bees") == ['"I keep bees."']
        assert [memory.origin for memory in curate.list_memories(runtime)] == ["agent"]
        undo.undo(runtime, step)
        assert await agent.found("bees") == []
        assert [request.proposer for request in pending.list_pending(runtime)] == [ME]


def scripted_model() -> Generator[tuple[str, dict[str, Any]], str, str]:
    """Act as an agent's model: yield calls, receive results, return the last words."""
    tools = yield "tools", {}
    search = next(
        line.split(":")[0] for line in tools.splitlines() if "Find what the person said" in line
    )
    found = yield search, {"query": "How do they drink their coffee?"}
    read = yield "read", {"uri": f"memapp://memory/{json.loads(found)['memories'][0]['id']}"}
    said = json.loads(read)["text"].strip('"')
    refused = yield "remember", {"text": f"{said} " * 20}
    assert "280" in refused
    waits = yield "remember", {"text": "I keep bees.", "quote": "my bees swarmed"}
    return f"You told me: {said} And of the bees: {json.loads(waits)['told']}"


async def test_a_model_learns_its_way_from_the_protocol(runtime: Runtime, launch: Launch) -> None:
    curate.add(runtime, COFFEE, category="preferences")
    model, shown, said = scripted_model(), "", ""
    async with launch() as agent:
        call, given = next(model)
        while not said:
            match call:
                case "tools":
                    shown = "\n".join(
                        f"{tool.name}: {tool.description}"
                        for tool in (await agent.client.list_tools()).tools
                    )
                case "read":
                    shown = (await agent.client.read_resource(given["uri"])).contents[0].text  # type: ignore[union-attr]
                case _:
                    shown = (await agent.client.call_tool(call, given)).content[0].text  # type: ignore[union-attr]
            try:
                call, given = model.send(shown)
            except StopIteration as end:
                said = end.value
    assert COFFEE in said and "waits for the person's yes" in said
    assert [(request.new_value, request.quote) for request in pending.list_pending(runtime)] == [
        ("I keep bees.", "my bees swarmed")
    ]
    actual = [bool(call.refused) for call in agents.list_calls(runtime, ME, 9)]
    assert actual == [False, True, False, False]


async def test_a_correction_takes_the_place_only_by_a_yes(runtime: Runtime, launch: Launch) -> None:
    coffee = curate.add(runtime, COFFEE, category="preferences").memory_id
    async with launch() as agent:
        assert (await agent.ask("correct", id=coffee, text="I drink my coffee black."))[
            "status"
        ] == "waits"
        assert await agent.found("coffee") == [f'"{COFFEE}"']
        assert "no memory of this id" in await agent.ask("correct", id="01NOSUCH", text="Anything.")
        decisions.approve(runtime, pending.list_pending(runtime)[0].id)
        assert await agent.found("coffee") == ['"I drink my coffee black."']
        assert "This agent has no pending proposal" in await agent.ask("withdraw", id=coffee), (
            "what is remembered the person changes"
        )


async def test_no_more_than_twenty_wait_and_a_no_holds(runtime: Runtime, launch: Launch) -> None:
    async with launch() as agent:
        first = await agent.ask("remember", text="I own 1 boat.")
        assert await agent.ask("remember", text="I own 1 boat.") == first, "the same again"
        for number in range(2, MOST_WAITING + 1):
            await agent.ask("remember", text=f"I own {number} boats.")
        assert "20 proposals" in await agent.ask("remember", text="I own 21 boats.")
        assert (await agent.ask("withdraw", id=first["id"]))["status"] == "withdrawn"
        assert len(pending.list_pending(runtime)) == MOST_WAITING - 1
        decisions.deny(runtime, pending.list_pending(runtime)[0].id)
        assert "denied this" in await agent.ask("remember", text=f"I own {MOST_WAITING} boats.")


async def test_what_a_person_types_needs_no_yes_to_agents(runtime: Runtime, launch: Launch) -> None:
    async with launch() as agent:
        await agent.ask("remember", text="My dog is called Pip.")
        learn(runtime, chat_of(runtime, "My dog is called Pip."))
        assert [memory.origin for memory in curate.list_memories(runtime)] == ["said"]
        assert pending.list_pending(runtime) == []


async def test_a_proposal_hides_nothing_the_person_said(runtime: Runtime, launch: Launch) -> None:
    said = [
        message
        for message in chat.list_messages(runtime.read(), chat_of(runtime, "Soup is on the stove."))
        if message.role is Role.USER
    ]
    async with launch() as agent:
        await agent.ask("remember", text="Soup is on the stove.")
        assert redact(runtime.read(), said) == said
        decisions.deny(runtime, pending.list_pending(runtime)[0].id)
        assert redact(runtime.read(), said) == said


@pytest.mark.parametrize("by", ["chat", "signals"])
async def test_the_schema_lets_no_one_say_yes(runtime: Runtime, launch: Launch, by: Any) -> None:
    async with launch() as agent:
        waits = await agent.ask("remember", text="I keep bees.")
    bees = fact("I keep bees.", runtime.clock(), origin="agent")
    with (
        pytest.raises(sqlite3.IntegrityError, match="nobody but the person"),
        runtime.decide() as session,
    ):
        consents.decide(session, waits["id"], "approved", by)
    with pytest.raises(sqlite3.IntegrityError, match="nobody said yes"), runtime.write() as session:
        changes.apply(session, Created(bees), Actor("person"))
    coffee = curate.add(runtime, COFFEE).memory_id
    with (
        pytest.raises(sqlite3.IntegrityError, match="changes nothing itself"),
        runtime.write() as session,
    ):
        changes.apply(session, SoftDeleted(coffee, "person", runtime.purge_at()), Actor(ME))


async def test_a_blocked_agent_gets_nothing_until_then(runtime: Runtime, launch: Launch) -> None:
    async with launch() as agent:
        await agent.ask("recent_memories")
        assert trust.get_agent(runtime, ME).name == ME
        trust.set_blocked(runtime, ME, blocked=True)
        for tool, given in {
            "recent_memories": {},
            "remember": {"text": "I like tea."},
            "lesson_hint": {"command": "ls"},
        }.items():
            assert "blocked this agent" in await agent.ask(tool, **given)
        with pytest.raises(MCPError, match="blocked"):
            await agent.client.read_resource("memapp://recent")
        with pytest.raises(MCPError, match="blocked"):
            await agent.client.get_prompt("what_changed", {})
        trust.set_blocked(runtime, ME, blocked=False)
        assert "memories" in await agent.ask("recent_memories")


async def test_each_call_is_noted_without_its_words(runtime: Runtime, launch: Launch) -> None:
    coffee = curate.add(runtime, COFFEE).memory_id
    async with launch() as agent:
        await agent.ask("search_memories", query="zyzzyva coffee")
        await agent.ask("search_memories", query="zyzzyva", category="zyzzyva")
        await agent.ask("remember", text="zyzzyva" * 99)
        await agent.ask("zyzzyva")
        for ask in (
            agent.client.read_resource("memapp://zyzzyva"),
            agent.client.get_prompt("zyzzyva", {}),
        ):
            with pytest.raises(MCPError):
                await ask
    calls = agents.list_calls(runtime, ME, 99)
    assert [call.tool for call in reversed(calls)] == [
        *(
            "search_memories",
            "search_memories",
            "remember",
            "an unknown tool",
            "an unknown resource",
            "an unknown prompt",
        )
    ]
    assert calls[-1].ids == (coffee,)
    assert all(call.refused for call in calls[:-1])
    assert "zyzzyva" not in json.dumps(
        [*recorded(runtime, "call"), *recorded(runtime, "search")], default=str
    )


async def test_the_name_of_a_program_is_cut_and_cleaned(runtime: Runtime, launch: Launch) -> None:
    async with launch(
        program=Implementation(name="The person\u202e\n[b]", version="1" * 500)
    ) as agent:
        await agent.ask("remember", text="I keep bees.")
    known = trust.get_agent(runtime, ME).program
    assert known.startswith("The person [b] 111") and len(known) == 80
    assert [request.proposer for request in pending.list_pending(runtime)] == [ME]
    forget.forget_everywhere(runtime, "person")
    assert trust.get_agent(runtime, ME).program == ""


@pytest.mark.parametrize(
    "text",
    [
        "", " \n ", "\0", "a" * 281, "\ud800", "my password is hunter2", "x" * 10_000_000,
        "\u202e\u200b",
    ],
    ids=["empty", "blank", "nul", "long", "surrogate", "secret", "10 MB", "invisible"],
)  # fmt: skip
async def test_what_cannot_be_proposed_is_told(runtime: Runtime, launch: Launch, text: str) -> None:
    async with launch() as agent:
        said = await agent.ask("remember", text=text)
        assert isinstance(said, str)
        assert 10 < len(said) < 300
        assert pending.list_pending(runtime) == []


async def test_too_many_calls_are_refused_for_a_minute(runtime: Runtime, launch: Launch) -> None:
    grant(runtime, "[editor]\ncalls_a_minute = 3\n")
    now = [0.0]
    async with launch(clock=lambda: now[0]) as agent:
        told = [await agent.ask("recent_memories") for _ in range(6)]
        assert ["memories" in answer for answer in told] == [True] * 3 + [False] * 3
        now[0] = 61.0
        assert "memories" in await agent.ask("recent_memories")
    assert len(agents.list_calls(runtime, ME, 99)) == 5, "the refusals of one minute are one"


async def test_lessons_go_both_ways(runtime: Runtime, launch: Launch) -> None:
    async with launch() as agent:
        await agent.ask(
            "step_report",
            command="git psuh",
            exit_code=1,
            output="git: 'psuh' is not a git command.",
        )
        await agent.ask("step_report", command="git push", exit_code=0)
        actual = (await agent.ask("lesson_hint", command="git psuh"))["result"][0]
        assert "`git push` worked once" in actual
        grant(runtime, "[editor]\nlessons = false\n")
        assert "not granted" in await agent.ask("lesson_hint", command="git psuh")


async def test_earlier_messages_are_found_where_granted(runtime: Runtime, launch: Launch) -> None:
    chat_of(runtime, "The heron stood in the reeds again.")
    async with launch() as agent:
        assert await agent.found("heron") == []
        grant(runtime, "[editor]\nchats = true\n")
        assert 'User said: "The heron stood in the reeds again."' in await agent.found("heron")


async def test_what_changed_is_told_once(runtime: Runtime, launch: Launch) -> None:
    async with launch() as agent:
        await agent.ask("recent_memories")
        memory_id = curate.add(runtime, COFFEE, category="preferences").memory_id
        curate.add(runtime, "I was born in Bergen.", category="profile")
        curate.edit(runtime, memory_id, "I like my coffee black.")
        told = (await agent.ask("recent_memories"))["changed"]
        assert any("black" in line for line in told)
        assert not any("Bergen" in line for line in told)
        assert (await agent.ask("recent_memories"))["changed"] == []
    assert len(curate.list_memories(runtime, ALL_LIVE)) == 2
