"""What the tests of importing arrange and compare."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memapp.domain.portable import read_items
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, exports
from memapp.services.consent import decisions, pending, requests
from memapp.services.imports.whole import import_file
from memapp.services.imports.work import Imported
from tests.builders import make_runtime, new_chat, say

HEADER = '{"type":"header","memapp":1,"made_at":"2026-01-31T08:15:00.000Z","items":1}\n'


@contextmanager
def empty_store() -> Iterator[Runtime]:
    with TemporaryDirectory() as folder, closing(make_runtime(Path(folder) / "home", ScriptedModel())) as runtime:
        yield runtime


def dump(runtime: Runtime) -> list[dict[str, Any]]:
    """Return all that a store holds, without the header, which has the time in it."""
    return [json.loads(line) for line in exports.as_lines(runtime)][1:]


def kept(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what has to be the same afterwards: everything but the profile and the consent requests."""
    return [line for line in lines if line["type"] not in ("consent_request", "profile")]


def as_it_arrives(runtime: Runtime) -> list[dict[str, Any]]:
    lines = [line.encode() for line in exports.as_lines(runtime)]
    return kept([item.model_dump() for _, item in read_items(lines)])


def waiting(runtime: Runtime) -> set[tuple[str, str, str]]:
    return {(one.field, one.new_value, pending.memory_text(runtime, one.id)) for one in pending.list_pending(runtime)}


def carry(runtime: Runtime, other: Runtime, tmp: Path) -> Imported:
    file = tmp / "all.jsonl"
    exports.write_private(file, exports.as_lines(runtime))
    return import_file(other, file)


def lived_in(runtime: Runtime) -> None:
    """Fill a store with one of everything."""
    thread = new_chat(runtime)
    say(runtime, thread, "I grow dahlias on my balcony.")
    say(runtime, thread, "Which flowers do I grow?")
    say(runtime, new_chat(runtime), "A second chat.")
    pinned = curate.add(runtime, "I keep bees.", ["bees"], pinned=True).memory_id
    again = curate.add(runtime, "I like tea.").memory_id
    curate.discard(runtime, again)
    curate.add(runtime, "I like tea.", importance=5)
    curate.edit(runtime, pinned, "I keep hens.")
    chats.delete_thread(runtime, new_chat(runtime))
    decisions.set_field(runtime, "city", "Ghent")
    decisions.set_field(runtime, "city", "Bruges")
    decisions.set_field(runtime, "health", "asthma")
    decisions.set_field(runtime, "health", "allergic to dust")
    requests.propose(runtime, "language", "Dutch")
    request = requests.propose(runtime, "pronouns", "she/her")
    assert request
    decisions.deny(runtime, request.id)
