"""The programs that `memapp mcp connect` knows: where each is told of a server, and in which form.

A file is written only where it is plain JSON, and nothing in it but memapp's own entry changes.
Others are written by hand, from what is printed: settings with comments, and YAML, would lose what
people wrote there.
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
    """A program that starts servers."""

    key: str
    """The name in its file under which servers stand."""
    folder: Path
    file: str
    entry: Callable[[Command], dict[str, Any]]
    is_json: bool = True
    """Plain JSON, which can be written without losing anything."""


def plain(command: Command) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:])}


def _applications() -> Path:
    """Return where programs with a window keep their settings."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(
        os.environ.get("APPDATA") or os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    )


def known_clients() -> dict[str, KnownClient]:
    """Return the programs by their names."""
    home, applications = Path.home(), _applications()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    stdio = {"type": "stdio"}
    return {
        "claude-desktop": KnownClient(
            "mcpServers", applications / "Claude", "claude_desktop_config.json", plain
        ),
        "claude-code": KnownClient(
            "mcpServers", home, ".claude.json", lambda given: stdio | plain(given), is_json=False
        ),
        "cursor": KnownClient("mcpServers", home / ".cursor", "mcp.json", plain),
        "vscode": KnownClient(
            "servers",
            applications / "Code" / "User",
            "mcp.json",
            lambda given: stdio | plain(given),
        ),
        "zed": KnownClient(
            "context_servers",
            config / "zed",
            "settings.json",
            lambda given: {"source": "custom"} | plain(given),
            is_json=False,
        ),
        "opencode": KnownClient(
            "mcp",
            config / "opencode",
            "opencode.json",
            lambda given: {"type": "local", "command": list(given), "enabled": True},
        ),
        "goose": KnownClient(
            "extensions",
            config / "goose",
            "config.yaml",
            lambda given: {
                **stdio,
                **{
                    "name": NAME,
                    "description": "What the person said",
                    "cmd": given[0],
                    "args": list(given[1:]),
                },
                **{"enabled": True, "timeout": 300},
            },
            is_json=False,
        ),
        "lmstudio": KnownClient("mcpServers", home / ".lmstudio", "mcp.json", plain),
    }


def configuration(name: str, command: Command) -> str:
    """Return what is to be put into the file of a program; for Claude Code the command that does
    so.
    """
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
    """Put memapp's entry into the file of a program. Raises `UsageError` for a file that is no
    plain JSON, and leaves it.
    """
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
            f"{path} is no plain JSON, so nothing was written.", "Put in what stands above by hand."
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
