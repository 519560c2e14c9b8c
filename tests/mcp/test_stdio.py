"""`memapp mcp` as a client's process: its output, its end by a kill, and sharing the file."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from memapp.runtime import Runtime
from memapp.services import agents, curate
from memapp.services.consent import decisions, pending
from tests.builders import make_runtime

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-m", "memapp"]
PIPES: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}


def started(home: Path, agent: str = "editor") -> list[str]:
    return [*COMMAND, "--home", str(home), "mcp", "--agent", agent]


@asynccontextmanager
async def client(home: Path, agent: str = "editor") -> AsyncIterator[Client]:
    program, *arguments = started(home, agent)
    asked = StdioServerParameters(command=program, args=arguments, env={**os.environ})
    async with Client(stdio_client(asked)) as connected:
        yield connected


@pytest.fixture
def person(tmp_path: Path) -> Runtime:
    """The person's own memapp, open beside the servers."""
    return make_runtime(tmp_path, embedder=False)


async def answer(connected: Client, tool: str, **given: Any) -> Any:
    answered = await connected.call_tool(tool, given)
    assert not answered.is_error, answered.content
    return answered.structured_content


async def test_an_agent_asks_while_the_person_decides(tmp_path: Path, person: Runtime) -> None:
    curate.add(person, "I like oat milk in my coffee.", category="preferences")
    async with client(tmp_path) as one, client(tmp_path, "other") as other:
        found = await asyncio.gather(
            *(answer(each, "search_memories", query="coffee") for each in (one, other))
        )
        assert [len(each["memories"]) for each in found] == [1, 1], "without any model"
        await answer(one, "remember", text="I keep bees.", quote="my bees")
        (request,) = pending.list_pending(person)
        assert (await answer(other, "search_memories", query="bees"))["memories"] == []
        decisions.approve(person, request.id)
        assert len((await answer(other, "search_memories", query="bees"))["memories"]) == 1
    assert len(agents.list_calls(person, "client:other", 9)) == 3
    person.close()


def requests(*tools: dict[str, Any]) -> list[bytes]:
    """Return lines of the protocol that begin a session and call tools."""
    info = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    lines: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    lines += [
        {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": tool}
        for n, tool in enumerate(tools, start=1)
    ]
    return [json.dumps(line).encode() + b"\n" for line in lines]


def test_only_the_protocol_is_written_whatever_comes_in(tmp_path: Path, person: Runtime) -> None:
    rubbish = [
        b"no json\n",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b'{"jsonrpc": "2.0", "id": 7, "method": "nothing"}\n',
    ]
    rubbish += [
        b'{"jsonrpc": "2.0", "id": 8, "method": "tools/list", "params": {"cursor": "\\ud83d"}}\n',
        b'{"id": true}\n',
    ]
    begun = requests(
        {"name": "remember", "arguments": {"text": "x" * 10_000_000}},
        {"name": "recent_memories", "arguments": {}},
    )
    err = tmp_path / "stderr"
    with (
        err.open("wb") as stderr,
        subprocess.Popen(started(tmp_path), **PIPES, stderr=stderr) as process,
    ):
        assert process.stdin and process.stdout
        process.stdin.write(b"".join([*begun[:2], *rubbish, *begun[2:]]))
        process.stdin.flush()
        told: dict[Any, Any] = {}
        while not {1, 2, 7, 8} <= told.keys():
            line = json.loads(process.stdout.readline())
            told[line.get("id")] = line
        rest = process.communicate(timeout=60)[0]
    assert told[1]["result"]["isError"]
    assert "280" in told[1]["result"]["content"][0]["text"]
    assert not told[2]["result"].get("isError")
    assert "error" in told[7]
    assert "no message of the protocol" in told[8]["error"]["message"], (
        "half an emoji: else the client would wait for ever"
    )
    assert b"xxxx" not in err.read_bytes()
    assert rest == b""
    assert process.returncode == 0, "it ends with its input"
    person.close()


@pytest.mark.parametrize("after", range(0, 12, 3))
def test_a_killed_server_loses_nothing_it_said(tmp_path: Path, person: Runtime, after: int) -> None:
    lines = requests(
        *({"name": "remember", "arguments": {"text": f"I own {n} boats."}} for n in range(1, 15))
    )
    with subprocess.Popen(started(tmp_path), **PIPES, stderr=subprocess.DEVNULL) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"".join(lines))
        process.stdin.flush()
        acknowledged = []
        while len(acknowledged) < after + 1:
            line = json.loads(process.stdout.readline())
            acknowledged += [line["result"]["structuredContent"]["id"]] if line.get("id") else []
        os.kill(process.pid, signal.SIGKILL)
    waiting = {request.id for request in pending.list_pending(person)}
    assert waiting >= set(acknowledged)
    assert curate.add(person, "Nothing is locked.").memory_id
    assert person.database.damage() is None
    person.close()


def test_a_signal_ends_a_server_with_an_open_input(tmp_path: Path, person: Runtime) -> None:
    with subprocess.Popen(started(tmp_path), **PIPES, stderr=subprocess.DEVNULL) as process:
        assert process.stdin and process.stdout
        process.stdin.write(requests()[0])
        process.stdin.flush()
        assert b"serverInfo" in process.stdout.readline()
        process.terminate()
        assert process.wait(timeout=30) == 128 + signal.SIGTERM
    person.close()


def test_without_an_agent_or_with_a_wrong_grant_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "agents.toml").write_text('[editor]\ncategories = ["profil"]\n')
    for given, said in {
        (): "Which agent asks?",
        ("--agent", "No Such"): "small letters",
        ("--agent", "editor"): "agents.toml, line 2: there is no category 'profil'",
    }.items():
        done = subprocess.run(
            [*COMMAND, "--home", str(tmp_path), "mcp", *given],
            input=b"",
            capture_output=True,
            check=False,
        )
        assert done.returncode == 2
        assert done.stdout == b""
        assert said in done.stderr.decode()
