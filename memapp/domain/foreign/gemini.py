"""Gemini in Google Takeout: My Activity as JSON, one entry a prompt; each day is a conversation."""

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from itertools import chain
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import Found, Unread, listed

_PROMPTED = re.compile(r"(?:Prompted(?: with:)?|Asked(?: Gemini:| Bard:)?|Said)\s+", re.IGNORECASE)
_BLOCKS = frozenset(
    {"p", "br", "li", "div", "tr", "h1", "h2", "h3", "h4", "pre", "ul", "ol", "table"}
)


def read_activity(data: Mapping[str, Any]) -> Iterator[Found]:
    prompt, at = data["title"], items.moment(data.get("time"))
    answer = "\n\n".join(
        _text_of(items.written(item["html"])) for item in listed(data, "safeHtmlItem")
    ).strip()
    verb = _PROMPTED.match(prompt)
    if not re.search(
        "Gemini|Bard", " ".join(map(items.plain_text, [data["header"], *listed(data, "products")]))
    ):
        yield Unread("activity of another program")
    elif not (verb or answer):
        # Feedback, a shared link, a setting; the verb is in the language of the account.
        yield Unread("activity without a prompt")
    else:
        yield from (Unread("file") for _ in listed(data, "attachedFiles"))
        question = items.message("user", prompt[verb.end() if verb else 0 :], data.get("time"))
        day = f"{at:%Y-%m-%d}" if at else "without a date"
        contents = chain(question, items.message("assistant", answer, data.get("time")))
        yield from items.conversation(f"gemini {day}", f"Gemini, {day}", None, None, contents)


class _Text(HTMLParser):
    """The text of a page, with a line for each of its blocks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(re.sub(r"\s+", " ", data))

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.pieces.append("\n- " if tag == "li" else "\n" if tag in _BLOCKS else "")

    def handle_endtag(self, tag: str) -> None:
        self.pieces.append("\n" if tag in _BLOCKS else "")


def _text_of(html: str) -> str:
    page = _Text()
    page.feed(html)
    page.close()
    return re.sub(r"\s*\n\s*", "\n", "".join(page.pieces)).strip()
