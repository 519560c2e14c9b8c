"""Notes in Markdown: those of basic-memory with their observations and relations, those of
Obsidian, and any other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memapp.domain.foreign import found
from memapp.domain.foreign.found import Found, Unread
from memapp.domain.text import one_line

MAX_PASSAGE_CHARS = 10_000
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1.*?$|\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])\s)|\n(?=#)")
_STRUCTURE = re.compile(r"#{1,6}\s|[-*_=]{3,}$|\*\*[^*]+\*\*:?$|<!--")
"""A heading, also one in bold, a line across, a remark."""
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]) (?:\[(?:[ xX]|[^\w\s])\] )?")
_OBSERVATION = re.compile(r"\[(?![\d:.,\s-]+\])[^\[\]()]+\] ")
"""Its category; no time of a recording."""
_RELATION = re.compile(
    r"""([^\s"'\[\]]+|"[^"\[\]]+"|'[^'\[\]]+') \[\[([^\[\]]+)\]\](?: \([^()]*\))?$"""
)
"""Its kind, one word or in quotation marks, and whom it names; a sentence with a link is none."""
_PICTURE = re.compile(r"!\[\[[^\[\]]*\]\]|!\[[^\[\]]*\]\([^()]*\)")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_EMPHASIS = re.compile(r"(\*\*|__|==)(?=\S)(.{1,200}?)(?<=\S)\1")
_TAG = re.compile(r"(?<![\w#&/])#([^\W\d][\w/-]*)")


def read_note(title: str, header: Mapping[str, Any], body: str) -> Iterator[Found]:
    """Yield the facts of a note: an observation is one about its title, which is its file's name
    where it says no other.
    """
    tags, named = header.get("tags"), header.get("title")
    title = one_line(named) if isinstance(named, str) and named.strip() else title
    yield from passages(
        body, [title, *(tags if isinstance(tags, list) else str(tags or "").split(","))], title
    )


def passages(text: object, tags: Sequence[str] = (), about: str = "") -> Iterator[Found]:
    """Yield the items and the paragraphs of a text as facts, and what is neither by its kind."""
    plain, code = _FENCE.subn("\n", found.written(text))
    yield from [Unread("piece of code", code)] if code else []
    for block in _BLOCK.split(plain):
        lines = [
            line
            for line in map(one_line, block.splitlines())
            if line and not _STRUCTURE.match(line)
        ]
        said = " ".join(lines)
        if any(line.startswith("|") for line in lines):
            yield Unread("table")
        elif len(said) > MAX_PASSAGE_CHARS:
            yield Unread(f"passage longer than {MAX_PASSAGE_CHARS:,} characters")
        else:
            yield from _passage(said, tags, about)


def _passage(said: str, tags: Sequence[str], about: str) -> Iterator[Found]:
    said, pictures = _PICTURE.subn("", said)
    yield from [Unread("image", pictures)] if pictures else []
    item = _ITEM.match(said)
    plain, named = said[item.end() if item else 0 :], _TAG.findall(said)
    if item and about and (relation := _RELATION.match(plain)):
        kind = relation[1].strip("\"'").replace("_", " ")
        plain = f"{about} {kind} [[{relation[2]}]]"
    elif item and about and (observation := _OBSERVATION.match(plain)):
        plain = f"{about}: {plain[observation.end() :]}"
    words = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _TAG.sub("", plain) if item else plain))
    yield from found.fact(words, [*tags, *named])
