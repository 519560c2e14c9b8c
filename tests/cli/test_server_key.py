"""A server's key gives access to that server, and is never printed or kept by memapp."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memapp import bootstrap, crash, paths
from tests.cli.conftest import Terminal
from tests.inference import model_server

KEY = "sk-made-up-4711-0815"
OPEN_CHAT_MODEL = bootstrap.open_chat_model
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n", "utf-8")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("from_file", [True, False])
def test_a_key_is_sent_and_stands_in_no_output_log_export_or_crash_file(
    memapp: Terminal, key_file: Path, monkeypatch: pytest.MonkeyPatch, from_file: bool
) -> None:
    monkeypatch.setattr(bootstrap, "open_chat_model", OPEN_CHAT_MODEL)
    if from_file:
        assert memapp("config", "set", "server_key_file", str(key_file))[0] == 0
    else:
        monkeypatch.setenv("MEMAPP_SERVER_KEY", KEY)
    said = []
    with model_server.running() as server:
        memapp("config", "set", "server", server.url)
        commands = [
            ("ask", "Hello?"),
            ("doctor",),
            ("config", "--json"),
            ("config",),
            ("models", "--json"),
            ("export",),
        ]
        said += [memapp(*command) for command in commands]
        assert set(server.keys) == {f"Bearer {KEY}"}
        assert said[0][0] == 0 and "Hello there." in said[0][1]
        refused = {"error": {"message": f"Incorrect key {KEY}. ".rjust(210, "x")}}
        server.status["/v1/chat/completions"] = (401, refused, {})
        said.append(memapp("ask", "Hello?"))
        assert "does not take the key from" in said[-1][2]
        server.status["/v1/models"] = (401, refused, {})
        said += [memapp("ask", "Hello?"), memapp("doctor", "--json")]
        assert "does not take the key from" in json.loads(said[-1][1])["problems"][0]
    try:
        raise ValueError(KEY)
    except ValueError as error:
        assert crash.write_crash_file(error, paths.locate(memapp.home).log, NOW)
    kept = b"".join(path.read_bytes() for path in memapp.home.rglob("*") if path.is_file())
    assert KEY not in str(said) and KEY.encode() not in kept


def test_a_key_file_that_others_can_read_is_refused(memapp: Terminal, key_file: Path) -> None:
    assert memapp("config", "set", "server_key_file", str(key_file))[0] == 0
    key_file.chmod(0o644)
    assert "chmod 600" in memapp("config", "set", "server_key_file", str(key_file))[2]
    memapp("add", "User keeps bees.")
    code, out, _ = memapp("doctor", "--json")
    assert code == 1 and json.loads(out)["problems"][0].startswith(
        "server_key_file: Others on this machine may read"
    )
