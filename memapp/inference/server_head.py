"""The head of a reply (`Prompt.head`) at a server: some continue it, some write all of it again, some wrap it.

`AfterHead` evens that out. `schema_of` describes to a server that takes no grammar what the whole reply has to be.
"""

import json
import re
from typing import Any

_FENCE = r"\s*(?:```\w*\s*)?"
_FENCE_CHARS = 8
_OPEN_VALUE = re.compile(r'"(\w+)"\s*:\s*(\[\s*)?("?)$')
"""The value that a head leaves open: a list, with or without its first quotation mark, or a string."""
_KEY = re.compile(r'\\?"(\w+)\\?"\s*:\s*(\[)?')


class AfterHead:
    """Passes on what follows the head of a reply, whether the server continues the head or writes it again.

    White space does not count in telling whether it was written again. A server that cannot continue may also write other
    JSON than was begun: that is held until its end and turned into the continuation that says the same.
    """

    def __init__(self, head: str, *, continues: bool) -> None:
        self._head = head
        letters = "".join(head.split())
        quotation = r'|\s*"' if head.endswith(': "') else ""  # of such a head some write only the quotation mark again
        self._again = re.compile(_FENCE + r"\s*".join(map(re.escape, letters)) + quotation)
        self._clear_at = len(letters) + _FENCE_CHARS
        self._becomes_json = letters.startswith("{") and not continues
        self._held = ""
        self._settled = not head

    def feed(self, text: str) -> str:
        """Take a part of the reply; return what of it follows the head, as far as that is clear."""
        if self._settled:
            return text
        self._held += text
        if again := self._again.match(self._held):
            return self._settle(self._held[again.end() :])
        if self._becomes_json or len("".join(self._held.split())) < self._clear_at:
            return ""
        return self._settle(self._held)

    def rest(self) -> str:
        """What is still held back when the reply has ended."""
        return "" if self._settled else self._settle(_continuation(self._head, self._held))

    def _settle(self, text: str) -> str:
        self._settled, self._held = True, ""
        return text


def _continuation(head: str, reply: str) -> str:
    """Return a JSON object as the text that follows `head`; a reply that is none is returned as it is."""
    begin, opened = reply.find("{"), _OPEN_VALUE.search(head)
    if begin < 0 or not opened:
        return reply
    try:
        found, _ = json.JSONDecoder(strict=False).raw_decode(reply, begin)
    except (ValueError, RecursionError):
        return reply
    key, value = opened[1], found.get(opened[1])
    if opened[2]:
        items = value if isinstance(value, list) else [value] if value else []
        text = _json([str(item) for item in items] or ([""] if opened[3] else []))[len(opened[3]) + 1 :]
    else:
        text = _json("" if value is None else str(value))[len(opened[3]) :]
    rest = {name: value for name, value in found.items() if name != key and f'"{name}"' not in head}
    return text + "".join(f", {_json(name)}: {_json(value)}" for name, value in rest.items()) + "}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def schema_of(head: str, grammar: str) -> dict[str, Any] | None:
    """Return a JSON schema with the keys that a head and a grammar spell out: lists of strings, and strings.

    None if they describe no flat JSON object. Servers that take no grammar take this.
    """
    if not head.lstrip().startswith("{") and '"{' not in grammar:
        return None
    properties: dict[str, Any] = {}
    for key, is_list in _KEY.findall(head + "\n" + grammar):
        string = {"type": "string"}
        properties.setdefault(key, {"type": "array", "items": string} if is_list else string)
    if not properties:
        return None
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
