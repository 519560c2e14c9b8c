"""Notes in Markdown: from basic-memory, from Obsidian, or any other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import Found, Unread
from memapp.domain.text import one_line

MAX_PASSAGE_CHARS = 10_000
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1.*?$|\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])\s)|\n(?=#)")
_STRUCTURE = re.compile(r"#{1,6}\s|[-*_=]{3,}$|\*\*[^*]+\*\*:?$|<!--")
"""A heading (also in bold), a horizontal line, a comment."""
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]) (?:\[(?:[ xX]|[^\w\s])\] )?")
_OBSERVATION = re.compile(r"\[(?![\d:.,\s-]+\])[^\[\]()]+\] ")
"""The category of an observation; a time stamp of a transcript is none."""
_RELATION = re.compile(
    r"""([^\s"'\[\]]+|"[^"\[\]]+"|'[^'\[\]]+') \[\[([^\[\]]+)\]\](?: \([^()]*\))?$"""
)
"""The kind of a relation, quoted or one word, and its target; a sentence with a link is none."""
_PICTURE = re.compile(r"!\[\[[^\[\]]*\]\]|!\[[^\[\]]*\]\([^()]*\)")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_EMPHASIS = re.compile(r"(\*\*|__|==)(?=\S)(.{1,200}?)(?<=\S)\1")
_TAG = re.compile(r"(?<![\w#&/])#([^\W\d][\w/-]*)")


def read_note(title: str, header: Mapping[str, Any], body: str) -> Iterator[Found]:
    """Yield the facts of a note.

    The title, by default the file name, is the subject of the observations.
    """
    tags, named = header.get("tags"), header.get("title")
    title = one_line(named) if isinstance(named, str) and named.strip() else title
    yield from passages(
        body, [title, *(tags if isinstance(tags, list) else str(tags or "").split(","))], title
    )


def passages(text: object, tags: Sequence[str] = (), about: str = "") -> Iterator[Found]:
    """Yield the items and paragraphs of a text as facts, and the kinds of other parts."""
    plain, code = _FENCE.subn("\n", items.written(text))
    yield from [Unread("piece of code", code)] if code else []
    for block in _BLOCK.split(plain):
        lines = [
            line
            for line in map(one_line, block.splitlines())
            if line and not _STRUCTURE.match(line)
        ]
        passage = " ".join(lines)
        if any(line.startswith("|") for line in lines):
            yield Unread("table")
        elif len(passage) > MAX_PASSAGE_CHARS:
            yield Unread(f"passage longer than {MAX_PASSAGE_CHARS:,} characters")
        else:
            yield from _passage(passage, tags, about)


def _passage(passage: str, tags: Sequence[str], about: str) -> Iterator[Found]:
    passage, pictures = _PICTURE.subn("", passage)
    yield from [Unread("image", pictures)] if pictures else []
    item = _ITEM.match(passage)
    plain, named = passage[item.end() if item else 0 :], _TAG.findall(passage)
    if item and about and (relation := _RELATION.match(plain)):
        kind = relation[1].strip("\"'").replace("_", " ")
        plain = f"{about} {kind} [[{relation[2]}]]"
    elif item and about and (observation := _OBSERVATION.match(plain)):
        plain = f"{about}: {plain[observation.end() :]}"
    words = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _TAG.sub("", plain) if item else plain))
    yield from items.fact(words, [*tags, *named])
