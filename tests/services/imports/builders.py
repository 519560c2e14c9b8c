"""Stores and comparisons for the tests of importing."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memapp.domain.consent import ConsentRequest
from memapp.domain.portable import read_items
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, exports
from memapp.services.consent import decisions, pending, requests
from memapp.services.imports.import_file import import_file
from memapp.services.imports.running_import import Imported
from tests.builders import make_runtime, new_chat, say

ROWS: dict[str, Any] = json.loads(Path(__file__).with_name("rows.json").read_text("utf-8"))
HEADER = '{"type":"header","memapp":1,"made_at":"2026-01-31T08:15:00.000Z","items":1}\n'


@contextmanager
def empty_store() -> Iterator[Runtime]:
    with (
        TemporaryDirectory() as folder,
        closing(make_runtime(Path(folder) / "home", ScriptedModel())) as runtime,
    ):
        yield runtime


def dump(runtime: Runtime) -> list[dict[str, Any]]:
    """Return the content of a store, without the header, which holds the time."""
    return [json.loads(line) for line in exports.as_lines(runtime)][1:]


def kept(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines without the profile, live memories, and references to both."""
    waits = {line["id"] for line in lines if line["type"] == "memory" and line["state"] == "live"}
    of_them = ("id", "from_id", "to_id", "owner_id")
    return [
        line
        for line in lines
        if line["type"] not in ("consent_request", "profile")
        and waits.isdisjoint(line.get(name) for name in of_them)
    ]


def remembered(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the live memories, without what a yes begins anew."""
    live = [line for line in lines if line["type"] == "memory" and line["state"] == "live"]
    return [
        {name: value for name, value in line.items() if name not in ("updated_at", "used")}
        for line in live
    ]


def as_it_arrives(runtime: Runtime) -> list[dict[str, Any]]:
    lines = [line.encode() for line in exports.as_lines(runtime)]
    return [item.model_dump() for _, item in read_items(lines)]


def requests_of_files(runtime: Runtime) -> list[ConsentRequest]:
    return [
        request
        for file in pending.list_files(runtime)
        for request in pending.list_of_file(runtime, file.id)
    ]


def waiting(runtime: Runtime) -> set[tuple[str, str, str]]:
    """Return the pending requests, except chats: field, value, and memory."""
    found = [
        request
        for request in (*pending.list_pending(runtime), *requests_of_files(runtime))
        if request.field != "chat"
    ]
    return {
        (request.field, request.new_value, pending.memory_text(runtime, request.id))
        for request in found
    }


def say_yes(runtime: Runtime) -> None:
    """Approve all that files brought."""
    for file in pending.list_files(runtime):
        decisions.approve(runtime, file.id)


def carry(runtime: Runtime, other: Runtime, tmp: Path) -> Imported:
    file = tmp / "all.jsonl"
    exports.write_private(runtime, file, exports.as_lines(runtime))
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
