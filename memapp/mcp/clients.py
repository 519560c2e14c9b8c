"""The programs that `memapp mcp connect` knows: the file and the form of each configuration.

memapp edits only plain JSON, and there only its own entry. For other files it prints the entry,
since rewriting YAML, or JSON with comments, would lose what people wrote.
"""

import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from memapp.domain import strict_json
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.exports import write_private

NAME = "memapp"
Command = Sequence[str]


class KnownClient(NamedTuple):
    """A program that starts MCP servers."""

    key: str
    """The key of the servers in the file."""
    folder: Path
    file: str
    entry: Callable[[Command], dict[str, Any]]
    is_json: bool = True
    """Plain JSON, which can be rewritten without loss."""


def plain(command: Command) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:])}


def _applications() -> Path:
    """Return the folder where desktop programs keep their settings."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(
        os.environ.get("APPDATA") or os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    )


def known_clients() -> dict[str, KnownClient]:
    """Return the programs by name."""
    home, applications = Path.home(), _applications()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    stdio = {"type": "stdio"}
    return {
        "claude-desktop": KnownClient(
            "mcpServers", applications / "Claude", "claude_desktop_config.json", plain
        ),
        "claude-code": KnownClient(
            "mcpServers",
            home,
            ".claude.json",
            lambda command: stdio | plain(command),
            is_json=False,
        ),
        "cursor": KnownClient("mcpServers", home / ".cursor", "mcp.json", plain),
        "vscode": KnownClient(
            "servers",
            applications / "Code" / "User",
            "mcp.json",
            lambda command: stdio | plain(command),
        ),
        "zed": KnownClient(
            "context_servers",
            config / "zed",
            "settings.json",
            lambda command: {"source": "custom"} | plain(command),
            is_json=False,
        ),
        "opencode": KnownClient(
            "mcp",
            config / "opencode",
            "opencode.json",
            lambda command: {"type": "local", "command": list(command), "enabled": True},
        ),
        "goose": KnownClient(
            "extensions",
            config / "goose",
            "config.yaml",
            lambda command: {
                **stdio,
                "name": NAME,
                "description": "What the person said",
                "cmd": command[0],
                "args": list(command[1:]),
                "enabled": True,
                "timeout": 300,
            },
            is_json=False,
        ),
        "lmstudio": KnownClient("mcpServers", home / ".lmstudio", "mcp.json", plain),
    }


def configuration(name: str, command: Command) -> str:
    """Return the entry for a program's file; for Claude Code, the command that adds it."""
    if name == "claude-code":
        return f"claude mcp add --scope user {NAME} -- {shlex.join(command)}"
    client = known_clients()[name]
    entry = {client.key: {NAME: client.entry(command)}}
    return (
        yaml.safe_dump(entry, sort_keys=False)
        if client.file.endswith(".yaml")
        else strict_json.write(entry, indent=2)
    )


def write(runtime: Runtime, name: str, command: Command) -> Path:
    """Add memapp's entry to a program's file. Raises `UsageError` for anything but plain JSON."""
    client = known_clients()[name]
    path = client.folder / client.file
    try:
        text = path.read_text("utf-8-sig") if path.exists() else ""
        settings = json.loads(text) if text.strip() else {}
        if not isinstance(settings, dict) or not isinstance(
            servers := settings.setdefault(client.key, {}), dict
        ):
            raise ValueError
    except (OSError, ValueError, RecursionError):
        raise UsageError(
            f"{path} is not plain JSON, so nothing was written.", "Add the entry above by hand."
        ) from None
    servers[NAME] = client.entry(command)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot make {path.parent}: {error.strerror}.") from None
    write_private(
        runtime, path.resolve(), [json.dumps(settings, indent=2, ensure_ascii=False), "\n"]
    )
    return path
