"""The lines of standard input; malformed ones are answered too, so that no client waits forever."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

UNREADABLE = (
    "This is no message of the protocol: bad JSON, a broken character, or too deep nesting."
)


async def messages(lines: Any, answers: Any) -> AsyncIterator[SessionMessage]:
    """Yield the messages, and answer malformed lines with an error."""
    async for line in lines:
        if isinstance(line, SessionMessage):
            yield line
        else:
            unreadable = ErrorData(code=PARSE_ERROR, message=UNREADABLE)
            error = JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=unreadable)
            await answers.send(SessionMessage(error))


def _id_of(error: Exception) -> int | str | None:
    """Return the id of a malformed message, if readable."""
    line = error.errors()[0]["input"] if isinstance(error, ValidationError) else None
    with suppress(ValueError, RecursionError):
        message = json.loads(line) if isinstance(line, str) else line
        message_id = message.get("id") if isinstance(message, dict) else None
        return message_id if type(message_id) in (int, str) else None
    return None
