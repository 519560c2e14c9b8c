"""Files that are not in order, by example and by chance: refused whole, or harmless."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memapp.domain.portable import MAX_ITEMS
from memapp.domain.profile import same_value
from memapp.errors import MemappError, UsageError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, exports, undo
from memapp.services.consent import decisions, pending, requests
from memapp.services.imports.import_file import import_file
from tests.builders import make_runtime, new_chat, say
from tests.services.imports.builders import (
    HEADER,
    as_it_arrives,
    carry,
    dump,
    empty_store,
    kept,
    lived_in,
    waiting,
)

FACT = (
    '{"type":"memory","id":"01KG9Z0000000000000000000A","kind":"semantic","category":"notes",'
    '"text":"I keep bees.","tags":[],'
    '"importance":3,"pinned":false,"state":"live","reason":"","merged_into":"","purge_at":null,"origin":"person","agent_id":"",'
    '"run_id":"","created_at":"2026-01-31T08:15:00.000Z","updated_at":"2026-01-31T08:15:00.000Z","sources":[],"used":null}\n'
)


def test_the_line_of_the_examples_is_good(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(f"\ufeff{HEADER}{FACT}", "utf-8")
    assert import_file(runtime, file).facts == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("I keep bees.", "x" * 281, "at most 280"),
        ("I keep bees.", "", "at least 1"),
        ("I keep bees.", "bees\\u0000", "cannot be stored"),
        ("I keep bees.", "bees\\ud800", "cannot be stored"),
        ('"importance":3', '"importance":NaN', "NaN"),
        ('"importance":3', '"importance":9', "less than or equal to 5"),
        ('"importance":3', '"importance":true', "importance"),
        ('"importance":3', '"importance":"3"', "importance"),
        ('"importance":3', '"importance":3.0', "importance"),
        ('"importance":3', '"importance":' + "9" * 400, "too large"),
        ('"importance":3', '"importance":3,"importance":3', "stands twice"),
        ('"importance":3', '"importance":3,"more":1', "more"),
        ('"importance":3,', "", "importance"),
        ('"tags":[]', '"tags":' + "[" * 40 + "]" * 40, "deep"),
        ('"tags":[]', '"tags":' + "[" * 100_000, "deep"),
        ('"tags":[]', '"tags":[1]', "tags"),
        ('"sources":[]', '"sources":["01KG9Z0000000000000000000B"]', "is missing"),
        ('"state":"live"', '"state":"merged"', "contradicts"),
        ('"state":"live"', '"state":"alive"', "state"),
        ('"type":"memory"', '"type":"history"', "history"),
        ("2026-01-31T08:15:00.000Z", "2026-02-31T08:15:00.000Z", "made_at|created_at"),
        ("01KG9Z0000000000000000000A", "../../etc/passwd", "id"),
        ('"type":"memory"', "", "JSON"),
    ],
)
def test_what_memapp_would_not_have_written_is_refused_with_its_line(
    runtime: Runtime, tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = tmp_path / "bad.jsonl"
    assert old in FACT
    file.write_text(HEADER + FACT.replace(old, new, 2))
    with pytest.raises(UsageError, match="Line 2: ") as refused:
        import_file(runtime, file)
    assert re.search(said, str(refused.value))
    assert "Nothing was imported." in str(refused.value)
    assert dump(runtime) == []


@pytest.mark.parametrize(
    "content",
    [
        HEADER,
        HEADER + FACT + FACT,
        HEADER.replace('"items":1', '"items":2') + FACT + FACT,
        HEADER.replace('"items":1', '"items":1000000') + FACT,
        HEADER.replace('"memapp":1', '"memapp":2') + FACT,
        HEADER + FACT.replace("bees", "b\xe9es").encode("latin-1").decode("latin-1", "ignore")[:50],
        HEADER + "\n" + FACT,
        "",
        "\x00\x00",
        "null\n",
        "[1, 2]",
        "[",
        '{"mapping": 1}',
    ],
)
def test_files_that_are_cut_change_nothing(runtime: Runtime, tmp_path: Path, content: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(content)
    with pytest.raises(UsageError):
        import_file(runtime, file)
    assert dump(runtime) == []


def test_a_file_of_endless_lines_or_none_is_not_read(runtime: Runtime, tmp_path: Path) -> None:
    large = tmp_path / "large.jsonl"
    with large.open("wb") as file:
        file.truncate(101 * 1024 * 1024)
    for path in (large, tmp_path, tmp_path / "nowhere"):
        with pytest.raises(UsageError):
            import_file(runtime, path)


def test_too_many_lines_are_refused_before_one_is_read(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "memapp.services.imports.documents.program_of", lambda _: pytest.fail("read")
    )
    many = tmp_path / "many.jsonl"
    many.write_bytes(b'{"text":"a"}\n' * (MAX_ITEMS + 1))
    with pytest.raises(UsageError, match="more than 500,000"):
        import_file(runtime, many)


def test_an_export_of_any_length_begins_and_an_import_says_what_takes_more(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memapp.store.portable.count_items", lambda *_: MAX_ITEMS + 1)
    target = tmp_path / "all.jsonl"
    exports.write_private(runtime, target, exports.as_lines(runtime))
    with pytest.raises(
        UsageError, match=r"takes 500,000 lines, this file has 500,001\. .* memapp restore --file"
    ):
        import_file(runtime, target)


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40)
moments = st.datetimes(datetime(2001, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)


@st.composite
def actions(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    one = st.one_of(
        st.tuples(
            st.just("add"), texts, st.lists(texts, max_size=3), st.booleans(), st.integers(1, 5)
        ),
        st.tuples(st.just("edit"), st.integers(0, 9), texts),
        st.tuples(st.just("trash"), st.integers(0, 9)),
        st.tuples(st.just("restore"), st.integers(0, 9)),
        st.tuples(st.just("undo")),
        st.tuples(st.just("say"), texts),
        st.tuples(
            st.just("field"), st.sampled_from(["city", "tone", "health", "goals_add"]), texts
        ),
        st.tuples(st.just("propose"), st.sampled_from(["city", "language", "money"]), texts),
    )
    return draw(st.lists(one, max_size=12))


def live_through(runtime: Runtime, steps: list[tuple[Any, ...]]) -> None:
    """Run the steps that make sense."""
    made: list[str] = []
    thread = new_chat(runtime)
    for name, *rest in steps:
        try:
            match name:
                case "add":
                    text, tags, pinned, importance = rest
                    made.append(
                        curate.add(
                            runtime, text, tags, pinned=pinned, importance=importance
                        ).memory_id
                    )
                case "undo":
                    undo.undo_last(runtime)
                case "say":
                    say(runtime, thread, rest[0])
                case "field":
                    decisions.set_field(runtime, *rest)
                case "propose":
                    requests.propose(runtime, *rest)
                case _ if made:
                    memory_id = made[rest[0] % len(made)]
                    {"edit": curate.edit, "trash": curate.discard, "restore": curate.restore}[name](
                        runtime, memory_id, *rest[1:]
                    )
        except MemappError:
            continue


@pytest.mark.slow
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(steps=actions())
@example(steps=[("field", "city", ".")])
@example(
    steps=[
        ("field", "health", "; asthma"),
        ("add", "tea", ["tea"], True, 5),
        ("trash", 0),
        ("add", "Tea!", [], False, 1),
    ]
)
def test_a_store_is_the_same_after_its_way_through_a_file(steps: list[tuple[Any, ...]]) -> None:
    with TemporaryDirectory() as folder, empty_store() as one, empty_store() as other:
        live_through(one, steps)
        carry(one, other, Path(folder))
        assert kept(dump(other)) == kept(as_it_arrives(one))
        assert decisions.profile(other) == {}
        proposed = [(field, value) for field, value, _ in waiting(other)]
        for field, value in wished(one):
            assert any(
                known == field and same_value(field, value, other_value)
                for known, other_value in proposed
            )


def wished(runtime: Runtime) -> Iterator[tuple[str, str]]:
    """Yield each value of the profile and of the pending requests."""
    for request in pending.list_pending(runtime):
        yield request.field, request.new_value
    for field, values in decisions.profile(runtime).items():
        yield from ((field, value) for value in values)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    with closing(make_runtime(tmp_path_factory.mktemp("source"), ScriptedModel())) as runtime:
        lived_in(runtime)
        return "".join(exports.as_lines(runtime)).encode()


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_damage_is_refused_whole_or_harmless(
    exported: bytes, shared: Runtime, tmp_path: Path, data: st.DataObject
) -> None:
    """Whatever is cut, changed or put in: the store is as before, or everything that came in can be
    undone.
    """
    at = data.draw(st.integers(0, len(exported) - 1))
    damage = data.draw(st.sampled_from(["cut", "flip", "insert", "swap", "drop"]))
    lines = exported.splitlines(keepends=True)
    row = data.draw(st.integers(0, len(lines) - 1))
    damaged = {
        "cut": exported[:at],
        "flip": exported[:at] + bytes([data.draw(st.integers(0, 255))]) + exported[at + 1 :],
        "insert": exported[:at] + data.draw(st.binary(max_size=8)) + exported[at:],
        "swap": b"".join([*lines[row:], *lines[:row]]),
        "drop": b"".join(lines[:row] + lines[row + 1 :]),
    }[damage]
    file = tmp_path / "damaged.jsonl"
    file.write_bytes(damaged)
    before, seen_before = dump(shared), seen(shared)
    try:
        step = import_file(shared, file).step
    except UsageError:
        assert dump(shared) == before
    else:
        assert damage in ("flip", "insert") or damaged.strip() == exported.strip() or row == 0
        if step:
            undo.undo(shared, step)
        assert seen(shared) == seen_before


def seen(runtime: Runtime) -> tuple[object, ...]:
    """Return all of a store that is not in the trash."""
    texts = {memory.text for memory in curate.list_memories(runtime)}
    return texts, chats.list_threads(runtime), decisions.profile(runtime), waiting(runtime)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    with closing(make_runtime(tmp_path_factory.mktemp("target"), ScriptedModel())) as runtime:
        curate.add(runtime, "I play chess.")
        yield runtime
