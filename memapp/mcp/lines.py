"""The lines of standard input: what is no message of the protocol is answered, too, or whoever sent
it would wait for ever.
"""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

UNREADABLE = "This is no message of the protocol: no JSON, letters that do not exist, or lists in lists a hundred times over."


async def messages(lines: Any, answers: Any) -> AsyncIterator[SessionMessage]:
    """Yield the messages among the lines."""
    async for line in lines:
        if isinstance(line, SessionMessage):
            yield line
        else:
            wrong = ErrorData(code=PARSE_ERROR, message=UNREADABLE)
            await answers.send(
                SessionMessage(JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=wrong))
            )


def _id_of(error: Exception) -> int | str | None:
    """Return the id of what was to be a message, as far as it can be read."""
    line = error.errors()[0]["input"] if isinstance(error, ValidationError) else None
    with suppress(ValueError, RecursionError):
        said = json.loads(line) if isinstance(line, str) else line
        found = said.get("id") if isinstance(said, dict) else None
        return found if type(found) in (int, str) else None
    return None
