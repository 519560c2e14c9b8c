"""Announcing memapp to other programs: the notices, the files written, and the files left alone."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from memapp.cli import mcp as cli
from memapp.mcp.clients import known_clients
from tests.cli.conftest import Terminal


def test_a_program_and_the_person_hear_of_it(memapp: Terminal, a_person_of_its_own: Path) -> None:
    file = a_person_of_its_own / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"other": {"command": "x"}}, "theme": "ß"}')
    code, out, said = memapp("mcp", "connect", "cursor", "--yes")
    assert code == 0
    assert "It may read: activity, " in said and "not see your profile or your chats" in said
    written = json.loads(file.read_text())
    assert written["theme"] == "ß" and written["mcpServers"]["other"] == {"command": "x"}
    entry = written["mcpServers"]["memapp"]
    assert json.loads(out)["mcpServers"]["memapp"] == entry
    assert entry["command"] == sys.executable and entry["args"][-3:] == ["mcp", "--agent", "cursor"]
    assert entry["args"][0] == "-P", (
        "else a file of the project that it is started in could take the place of one of Python's"
    )
    grants = next(Path(part) for part in entry["args"] if part.startswith("/")) / "agents.toml"
    grants.write_text(f"# mine\n{grants.read_text()}".replace("reads = true", "reads = false"))
    assert "It may read: nothing" in memapp("mcp", "connect", "cursor")[2], (
        "what the person wrote there stays"
    )
    assert grants.read_text().startswith("# mine")
    assert memapp("agents", "block", "cursor")[0] == 0, "before it ever asked"
    assert "client:cursor" in memapp("agents")[1]


def test_the_server_starts_by_its_files(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/elsewhere")
    command = json.loads(memapp("mcp", "connect", "opencode")[1])["mcp"]["memapp"]["command"]
    assert command[:3] == ["/usr/bin/env", "XDG_DATA_HOME=/elsewhere", sys.executable]


def test_without_its_package_it_is_said_how_to_install_that_here(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda _: None)
    code, _, said = memapp("mcp", "--agent", "editor")
    assert (code, f"{sys.executable} -m pip install 'mcp" in said) == (2, True)


@pytest.mark.parametrize("client", sorted(known_clients()))
def test_each_program_is_told_how(memapp: Terminal, client: str, a_person_of_its_own: Path) -> None:
    code, out, _ = memapp("mcp", "connect", client, "--agent", "mine")
    assert code == 0 and sys.executable in out and "mine" in out
    if client != "claude-code":
        (servers,) = (yaml.safe_load if client == "goose" else json.loads)(out).values()
        assert list(servers) == ["memapp"]
    assert list(a_person_of_its_own.rglob("*")) == [], "nothing is written without a yes"


@pytest.mark.parametrize("text", ["// mine\n{}", "[]", '{"mcpServers": []}', "\0"])
def test_what_is_no_json_is_left(memapp: Terminal, a_person_of_its_own: Path, text: str) -> None:
    file = a_person_of_its_own / ".lmstudio" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text)
    code, out, said = memapp("mcp", "connect", "lmstudio", "--yes")
    assert (code, file.read_text()) == (2, text)
    assert "nothing was written" in said and "memapp" in out
