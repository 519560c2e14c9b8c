"""A message from the database of oterm or elia, as `store.chat_databases` reads it."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import Found, Unread


def read_row(data: Mapping[str, Any]) -> Iterator[Found]:
    images = data.get("images") or 0
    contents = chain(
        (Unread("image") for _ in range(int(images))),
        items.message(data.get("role"), data.get("text"), data.get("at")),
    )
    yield from items.conversation(
        f"{data['program']} {data['chat']}", data.get("title"), data.get("begun"), None, contents
    )
