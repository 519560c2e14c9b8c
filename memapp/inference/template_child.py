"""The program of a child process that renders a model's chat template, itself a foreign program.

The process is started by its path and imports nothing of memapp. Standard input brings the template
with conversations, each a list of roles; standard output takes the text around their contents, or
null where the template fails. Time and memory are limited: an endless template is killed.
"""

import json
import re
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

from jinja2 import Template, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

MEMORY_BYTES = 1 << 29
MOST_CHARS = 100_000
"""The longest rendered conversation; no honest template has so much control text."""
FIXED_DATE = date(2025, 1, 1)
"""The date that templates get: a prompt that changes at midnight would lose its cached beginning.
"""
PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")


def _limit(seconds: int) -> None:
    """Bound the time, the memory and the files of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: the parent kills a process that takes too long
        return
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def main() -> None:
    """Render the requested conversations, and write the results."""
    request = json.load(sys.stdin)
    _limit(request["seconds"])
    try:
        template = _compile(request["source"])
    except Exception:  # a foreign program can fail in any way
        template = None
    json.dump(
        [template and _render(template, roles, request) for roles in request["conversations"]],
        sys.stdout,
    )


def _render(template: Template, roles: Sequence[str], request: dict[str, Any]) -> list[str] | None:
    """Return the text around a conversation's contents; None if one is missing or misplaced."""
    texts = [f"\ue000{number}\ue001" for number in range(len(roles))]
    contents = (
        [[{"type": "text", "text": text}] for text in texts] if request["in_parts"] else texts
    )
    stand_ins = [
        {"role": role, "content": content} for role, content in zip(roles, contents, strict=True)
    ]
    try:
        text = template.render(
            messages=stand_ins,
            bos_token=request["bos"],
            eos_token=request["eos"],
            add_generation_prompt=True,
            strftime_now=FIXED_DATE.strftime,
            raise_exception=_refuse,
            tools=None,
            enable_thinking=False,
        )
    except Exception:
        return None
    pieces = PLACEHOLDER.split(text)
    in_order = pieces[1::2] == [str(number) for number in range(len(roles))]
    return pieces[0::2] if in_order and len(text) <= MOST_CHARS else None


class _GenerationTag(Extension):
    """The tag `{% generation %}`, which marks replies for training and is ignored here."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _compile(source: str) -> Template:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _GenerationTag]
    )
    environment.filters["tojson"] = _to_json
    return environment.from_string(source)


def _to_json(value: Any, indent: int | None = None, **_options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> None:
    raise ValueError(message)


if __name__ == "__main__":
    main()
