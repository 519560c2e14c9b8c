"""Looking back from the command line: history, relations."""

import csv
import io
import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from memapp.cli.output import opened, plain, say, short_ids, show, show_json, show_list, show_rows, told, when
from memapp.cli.shape import as_json_option, limit_option
from memapp.domain import strict_json
from memapp.domain.changes import Event
from memapp.domain.difference import words_changed
from memapp.domain.history import Entry, label_of, who
from memapp.domain.second_person import addressed
from memapp.domain.text import counted
from memapp.errors import NotFound, UsageError

if TYPE_CHECKING:
    from memapp.runtime import Runtime

PAGE = 500
Said = tuple[str | None, str | None, tuple[str, ...]]
"""The words before and after, and the ids of the messages that they rest on."""
COLUMNS = (
    *("number", "at", "actor", "event", "memory_id", "before", "after", "old", "new", "evidence"),
    *("step", "undoes", "thread_id", "meta"),
)


@click.command()
@click.argument("memory_id", metavar="[ID]", default="")
@click.option("--diff", nargs=2, type=int, metavar="A B", help="Show what changed from one version to another.")
@click.option("--format", "form", type=click.Choice(["table", "jsonl", "csv"]), default="table", show_default=True)
@limit_option(50)
@as_json_option
@click.pass_obj
def history(options: dict[str, Any], memory_id: str, diff: tuple[int, int] | None, form: str, limit: int, as_json: bool) -> None:
    """Show who changed what, of one memory or of all, newest first.

    The versions of each memory are numbered 1, 2, 3: `memapp history ID --diff 1 2`. The formats jsonl and csv write the whole
    history, oldest first, whatever -n says.
    """
    from memapp.services import activity, ids

    if diff and not memory_id:
        raise UsageError("Say of which memory.", "Write its id: memapp history ID --diff 1 2.")
    if as_json and form != "table":
        raise UsageError("--json and --format are two forms.", "Choose one.")
    with opened(options, read_only=True) as runtime:
        found = ids.memory(runtime, memory_id) if memory_id else ""
        if diff:
            _show_difference(runtime, found, *diff, as_json=as_json)
            return
        numbers = VersionNumbers(runtime)
        if form == "table":
            entries = activity.entries(runtime, found, limit=limit)
            rows = [_full_row(runtime, numbers, one) for one in entries]
            _show_entries(rows, as_json)
            if found and not as_json:
                for text in (text for one in activity.timeline(runtime, found) for text in one.replaced):
                    say(f"It replaced “{addressed(text)}”")
        else:
            write = _write_jsonl if form == "jsonl" else _write_csv
            write(_full_row(runtime, numbers, one) for one in reversed(list(_all_entries(runtime, found))))


class VersionNumbers:
    """The versions of each memory as the app numbers them."""

    def __init__(self, runtime: "Runtime") -> None:
        self._runtime = runtime
        self._begun: dict[str, list[int]] = {}

    def of(self, memory_id: str, version: int | None) -> int | None:
        """Return the number of a version; one that nobody can tell from the one before has the same."""
        if version is None:
            return None
        if memory_id not in self._begun:
            from memapp.services import activity

            self._begun[memory_id] = [one.version.id for one in activity.timeline(self._runtime, memory_id)]
        return bisect_right(self._begun[memory_id], version) or None


def _all_entries(runtime: "Runtime", memory_id: str) -> Iterator[Entry]:
    from memapp.services import activity

    before: int | None = None
    while page := activity.entries(runtime, memory_id, before=before, limit=PAGE):
        yield from page
        before = page[-1].number


def _full_row(runtime: "Runtime", numbers: VersionNumbers, entry: Entry) -> dict[str, Any]:
    """Return an entry with what was said before and after, and the ids of the messages it rests on, as far as not erased."""
    old, new, evidence = (_of_profile if entry.event is Event.PROFILE else _of_memory)(runtime, entry)
    before, after = (numbers.of(entry.memory_id, one) for one in (entry.before, entry.after))
    fields = {**asdict(entry), "before": before, "after": after, "old": old, "new": new, "evidence": evidence}
    return {name: fields[name] for name in COLUMNS}


def _of_memory(runtime: "Runtime", entry: Entry) -> Said:
    from memapp.services import activity

    old, new = (activity.version(runtime, number) if number else None for number in (entry.before, entry.after))
    last = new or old
    return old.text if old else None, new.text if new else None, last.sources if last else ()


def _of_profile(runtime: "Runtime", entry: Entry) -> Said:
    from memapp.services.consent import pending

    try:
        request = pending.get(runtime, entry.meta["request_id"])
        before = pending.get(runtime, entry.meta["before"]) if entry.meta.get("before") else None
    except NotFound:
        return None, None, ()
    return before.new_value if before else "", request.new_value, request.evidence


def _show_entries(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        show_json(rows)
        return
    show_rows(
        [
            {
                "when": when(row["at"]),
                "who": who(row["actor"]),
                "what": row["event"],
                "versions": f"{row['before'] or '-'} > {row['after'] or '-'}",
                "id": row["memory_id"],
                "text": _about(row) or told(row["new"] or row["old"] or ""),
            }
            for row in rows
        ]
    )
    if not rows:
        say("Nothing was changed yet.")


def _about(row: dict[str, Any]) -> str:
    """Say what an entry is about that is of no memory."""
    return f"{label_of(row['memory_id'])}: {row['meta'].get('decision', 'changed')}" if row["event"] == Event.PROFILE else ""


def _write_jsonl(rows: Iterator[dict[str, Any]]) -> None:
    for row in rows:
        show(strict_json.write(row, default=plain))


def _write_csv(rows: Iterator[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        meta = json.dumps(row["meta"], ensure_ascii=False)
        writer.writerow({**row, "at": row["at"].isoformat(), "evidence": " ".join(row["evidence"]), "meta": meta})
    show(text.getvalue(), newline=False)


def _show_difference(runtime: "Runtime", memory_id: str, first: int, second: int, *, as_json: bool) -> None:
    from memapp.services import activity

    found = [one.version for one in activity.timeline(runtime, memory_id)]
    for number in (first, second):
        if not 1 <= number <= len(found):
            raise NotFound(f"This memory has no version {number}.", f"It has {counted(len(found), 'version')}, from 1 on.")
    before, after = found[first - 1], found[second - 1]
    others = [
        name for name in ("tags", "category", "importance", "pinned", "state") if getattr(before, name) != getattr(after, name)
    ]
    if as_json:
        pieces = [asdict(piece) for piece in words_changed(before.text, after.text)]
        show_json({"before": asdict(before), "after": asdict(after), "words": pieces})
        return
    marks = {"same": "{}", "out": "[-{}-]", "in": "{{+{}+}}"}
    show(" ".join(marks[piece.kind].format(piece.text) for piece in words_changed(told(before.text), told(after.text))))
    for name in others:
        show(f"{name}: {_plainly(getattr(before, name))} > {_plainly(getattr(after, name))}")


def _plainly(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


@click.command()
@click.argument("memory_id", metavar="ID")
@as_json_option
@click.pass_obj
def relations(options: dict[str, Any], memory_id: str, as_json: bool) -> None:
    """Show what a memory is related to, the strongest first."""
    from memapp.services import curate, ids

    with opened(options, read_only=True) as runtime:
        related, name = curate.related(runtime, ids.memory(runtime, memory_id)), short_ids(runtime, "memories")
    show_list(
        related,
        as_json,
        lambda one: {"strength": f"{one.strength:.2f}", "relation": one.relation, "id": name(one.id), "text": told(one.text)},
        "It is related to nothing.",
    )
