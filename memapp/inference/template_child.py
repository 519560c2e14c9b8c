"""The program of a child process that renders a model's chat template: a template is a program from
somebody's file.

It is started by its path and imports nothing of memapp. What comes in on standard input is the
template with conversations, each a list of roles; what goes out is the text around their contents,
or null where the template fails. It has little time and memory: a template without end ends it.
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
"""Of a rendered conversation; no honest template has so much control text."""
FIXED_DATE = date(2025, 1, 1)
"""What templates get as today's date: a prompt that changes at midnight would lose its cached
beginning.
"""
PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")


def _limit(seconds: int) -> None:
    """Bound the time, the memory and the files of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: the parent ends a process that takes too long
        return
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def main() -> None:
    """Render what is asked for, and write it."""
    asked = json.load(sys.stdin)
    _limit(asked["seconds"])
    try:
        template = _compile(asked["source"])
    except Exception:  # such a program can fail in any way
        template = None
    json.dump(
        [template and _render(template, roles, asked) for roles in asked["conversations"]],
        sys.stdout,
    )


def _render(template: Template, roles: Sequence[str], asked: dict[str, Any]) -> list[str] | None:
    """Render with a placeholder for each content; return the text around them, or None if one is
    missing or out of order.
    """
    texts = [f"\ue000{number}\ue001" for number in range(len(roles))]
    contents = [[{"type": "text", "text": text}] for text in texts] if asked["in_parts"] else texts
    stand_ins = [
        {"role": role, "content": content} for role, content in zip(roles, contents, strict=True)
    ]
    try:
        text = template.render(
            messages=stand_ins, bos_token=asked["bos"], eos_token=asked["eos"], add_generation_prompt=True,
            strftime_now=FIXED_DATE.strftime, raise_exception=_refuse, tools=None, enable_thinking=False,
        )  # fmt: skip
    except Exception:
        return None
    pieces = PLACEHOLDER.split(text)
    in_order = pieces[1::2] == [str(number) for number in range(len(roles))]
    return pieces[0::2] if in_order and len(text) <= MOST_CHARS else None


class _GenerationTag(Extension):
    """`{% generation %}` marks replies for training; here its body is rendered as it is."""

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
