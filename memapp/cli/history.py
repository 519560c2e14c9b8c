"""The history of memories from the command line: history, relations."""

import csv
import io
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

import click

from memapp.cli.options import NUMBER, as_json_option, limit_option, reads
from memapp.cli.output import Output, listing, opened, plain, short_ids, show, when
from memapp.domain import strict_json
from memapp.domain.changes import Event
from memapp.domain.difference import words_changed
from memapp.domain.history import Entry, label_of
from memapp.domain.lessons.lesson import LESSON
from memapp.domain.text import counted
from memapp.errors import NotFound, UsageError
from memapp.language.history import who
from memapp.runtime import Runtime
from memapp.services import activity, curate, id_lookup
from memapp.services.consent import pending

PAGE = 500
Said = tuple[str | None, str | None, tuple[str, ...]]
"""The words before and after, and the ids of their source messages."""
Numbers = Callable[[str, int | None], int | None]
"""Returns the number of a version of a memory, as the app numbers versions."""
COLUMNS = (
    *("number", "at", "actor", "event", "memory_id", "before", "after", "old", "new", "evidence"),
    *("step", "undoes", "thread_id", "meta"),
)


@click.command()
@click.argument("memory_id", metavar="[ID]", default="")
@click.option(
    "--diff", nargs=2, type=NUMBER, metavar="A B", help="Show the difference between two versions."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl", "csv"]),
    default="table",
    show_default=True,
)
@limit_option(50)
@as_json_option
@click.pass_obj
def history(
    options: dict[str, Any],
    memory_id: str,
    diff: tuple[int, int] | None,
    form: str,
    limit: int,
    as_json: bool,
) -> None:
    """Show who changed what, newest first.

    The versions of a memory are numbered 1, 2, 3: `memapp history ID --diff 1 2` compares two. The
    formats jsonl and csv write the whole history, oldest first, and ignore -n.
    """
    if diff and not memory_id:
        raise UsageError("Name the memory.", "Write its id: memapp history ID --diff 1 2.")
    if as_json and form != "table":
        raise UsageError("--json and --format exclude each other.", "Choose one.")
    with opened(options, read_only=True) as runtime:
        found = id_lookup.memory(runtime, memory_id) if memory_id else ""
        if form != "table" and not diff:
            _write_all(runtime, found, form)
            return
        answer = _difference(runtime, found, *diff) if diff else _latest(runtime, found, limit)
    answer.write(as_json)


def _latest(runtime: Runtime, memory_id: str, limit: int) -> Output:
    """Return the last entries, and what a memory replaced."""
    numbers = _numbers(runtime)
    entries = [
        _full_row(runtime, numbers, entry)
        for entry in activity.entries(runtime, memory_id, limit=limit)
    ]
    rows = [
        {
            "when": when(row["at"]),
            "who": who(row["actor"]),
            "what": row["event"],
            "versions": f"{row['before'] or '-'} > {row['after'] or '-'}",
            "id": row["memory_id"],
            "text": _about(row) or row["new"] or row["old"] or "",
        }
        for row in entries
    ]
    moments = activity.timeline(runtime, memory_id) if memory_id else ()
    replaced = [f"It replaced “{text}”" for moment in moments for text in moment.replaced]
    return Output(entries, rows=rows, notes=replaced if rows else ["Nothing was changed yet."])


def _about(row: dict[str, Any]) -> str:
    """Return the subject of an entry that is about no memory."""
    if row["memory_id"].startswith(LESSON):
        return "a lesson"
    return (
        f"{label_of(row['memory_id'])}: {row['meta'].get('decision', 'changed')}"
        if row["event"] == Event.PROFILE
        else ""
    )


def _write_all(runtime: Runtime, memory_id: str, form: str) -> None:
    """Write every entry, oldest first."""
    numbers = _numbers(runtime)
    rows = (
        _full_row(runtime, numbers, entry)
        for entry in reversed(list(_all_entries(runtime, memory_id)))
    )
    if form == "jsonl":
        for row in rows:
            show(strict_json.write(plain(row)))
        return
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        meta = json.dumps(row["meta"], ensure_ascii=False)
        writer.writerow(
            {
                **row,
                "at": row["at"].isoformat(),
                "evidence": " ".join(row["evidence"]),
                "meta": meta,
            }
        )
    show(text.getvalue(), newline=False)


def _all_entries(runtime: Runtime, memory_id: str) -> Iterator[Entry]:
    before: int | None = None
    while page := activity.entries(runtime, memory_id, before=before, limit=PAGE):
        yield from page
        before = page[-1].number


def _numbers(runtime: Runtime) -> Numbers:
    """Return a function that numbers versions; versions that look alike share a number."""

    @cache
    def begun(memory_id: str) -> list[int]:
        return [moment.version.id for moment in activity.timeline(runtime, memory_id)]

    return lambda memory_id, version: (
        None if version is None else bisect_right(begun(memory_id), version) or None
    )


def _full_row(runtime: Runtime, numbers: Numbers, entry: Entry) -> dict[str, Any]:
    """Return an entry with its words before and after and its messages, unless erased."""
    read = _of_profile if entry.event is Event.PROFILE else _of_memory
    old, new, evidence = read(runtime, entry)
    before, after = (numbers(entry.subject_id, number) for number in (entry.before, entry.after))
    fields = {
        **asdict(entry),
        "memory_id": entry.subject_id,  # the name in the file
        "before": before,
        "after": after,
        "old": old,
        "new": new,
        "evidence": evidence,
    }
    return {name: fields[name] for name in COLUMNS}


def _of_memory(runtime: Runtime, entry: Entry) -> Said:
    old, new = (
        activity.version(runtime, number) if number else None
        for number in (entry.before, entry.after)
    )
    last = new or old
    return old.text if old else None, new.text if new else None, last.sources if last else ()


def _of_profile(runtime: Runtime, entry: Entry) -> Said:
    try:
        request = pending.get(runtime, entry.meta["request_id"])
        before = pending.get(runtime, entry.meta["before"]) if entry.meta.get("before") else None
    except NotFound:
        return None, None, ()
    return before.new_value if before else "", request.new_value, request.evidence


def _difference(runtime: Runtime, memory_id: str, first: int, second: int) -> Output:
    """Return the difference between two versions of a memory."""
    versions = [moment.version for moment in activity.timeline(runtime, memory_id)]
    for number in (first, second):
        if not 1 <= number <= len(versions):
            raise NotFound(
                f"This memory has no version {number}.",
                f"It has {counted(len(versions), 'version')}, from 1 on.",
            )
    before, after = versions[first - 1], versions[second - 1]
    marks = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
    words = " ".join(
        marks[piece.kind].format(piece.text) for piece in words_changed(before.text, after.text)
    )
    others = [
        f"{name}: {_plainly(getattr(before, name))} > {_plainly(getattr(after, name))}"
        for name in ("tags", "category", "importance", "pinned", "state")
        if getattr(before, name) != getattr(after, name)
    ]
    data = {"before": before, "after": after, "words": words_changed(before.text, after.text)}
    return Output(data, "\n".join([words, *others]))


def _plainly(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


@click.command()
@click.argument("memory_id", metavar="ID")
@reads
def relations(runtime: Runtime, memory_id: str) -> Output:
    """Show related memories, the strongest relation first."""
    name = short_ids(runtime, "memories")
    return listing(
        curate.related(runtime, id_lookup.memory(runtime, memory_id)),
        lambda relation: {
            "strength": f"{relation.strength:.2f}",
            "relation": relation.relation,
            "id": name(relation.id),
            "text": relation.text,
        },
        "There are no related memories.",
    )
