"""Listing memories: filters, orders and pages, all in SQL."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memapp.domain.changes import Created, Pinned, SoftDeleted, Updated
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.memory import State
from memapp.language.filters import parse_filter
from memapp.store import memories
from memapp.store.database import Database
from tests.builders import fact, on
from tests.store.conftest import NOW
from tests.store.test_changes import LATER, apply


def listed(
    database: Database, wanted: MemoryFilter, sort: Sort = Sort.NEWEST, **page: int
) -> list[str]:
    return [
        memory.text for memory in memories.list_memories(on(database.read()), wanted, sort, **page)
    ]


@pytest.fixture
def four(database: Database) -> Database:
    """Four facts, one of them in the trash."""
    for number, (text, category, tags) in enumerate(
        [
            ("User drinks oolong tea.", "preferences", ("tea",)),
            ("User learns the cello.", "goals", ("music",)),
            ('User said 100% of "tea\'s" fun.', "preferences", ("Tea", "fun")),
            ("User dislikes tea bags.", "preferences", ()),
        ]
    ):
        made = fact(
            text,
            NOW,
            id=f"m{number}",
            category=category,
            tags=tags,
            created_at=NOW + timedelta(days=number),
        )
        apply(database, Created(made))
    apply(database, Pinned("m1", True))
    apply(database, SoftDeleted("m3", "person", LATER))
    return database


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", ["m2", "m1", "m0"]), ("tea", ["m2", "m0"]), ("te", ["m2", "m0"]),
        ("drinks tea", ["m0"]), ('"oolong tea"', ["m0"]), ('"tea oolong"', []),
        ("tag:tea", ["m2", "m0"]), ("tag:fun tag:tea", ["m2"]), ("category:goals", ["m1"]),
        ("pinned:yes", ["m1"]), ("pinned:no tea", ["m2", "m0"]), ("before:2026-02-01", ["m0"]),
        ("after:2026-02-01", ["m2", "m1"]), ("kind:episode", []), ("nowhere", []), ("%", ["m2"]),
        ("🍵", []), ("tea 🍵", []), ("tea %", ["m2"]), ('"% of" ""', ["m2"]), ('"%"', ["m2"]),
    ],
)  # fmt: skip
def test_what_is_typed_narrows_the_list(four: Database, typed: str, found: list[str]) -> None:
    wanted = parse_filter(typed)
    assert [memory.id for memory in memories.list_memories(on(four.read()), wanted)] == found
    assert memories.count_memories(on(four.read()), wanted) == len(found)


def test_a_day_begins_at_the_persons(database: Database, live_in: Callable[[str], None]) -> None:
    live_in("America/Los_Angeles")
    for name, created in (
        ("late on the 30th", 7),
        ("early on the 31st", 9),
        ("late on the 31st", 30),
    ):
        moment = datetime(2026, 1, 31, tzinfo=UTC) + timedelta(hours=created)
        apply(database, Created(fact(f"It is {name}.", NOW, id=f"m{created}", created_at=moment)))
    actual = listed(database, parse_filter("after:2026-01-31 before:2026-02-01"), Sort.OLDEST)
    assert actual == ["It is late on the 31st.", "It is early on the 31st."]


def test_the_trash_is_listed_by_words_too_although_no_index_has_it(four: Database) -> None:
    assert listed(four, replace(parse_filter("bags"), state=State.SOFT_DELETED)) == [
        "User dislikes tea bags."
    ]
    assert listed(four, replace(parse_filter("bags"), state=None)) == ["User dislikes tea bags."]
    assert listed(four, replace(parse_filter("cello"), state=None)) == []


def test_tags_and_the_trash_are_found_in_any_case_and_language(database: Database) -> None:
    apply(database, Created(fact("User übt Geige.", NOW, id="m0", tags=("Übung",))))
    apply(database, Created(fact("User mag Äpfel.", NOW, id="m1")))
    apply(database, SoftDeleted("m1", "person", LATER))
    assert (
        listed(database, parse_filter("tag:übung"))
        == listed(database, parse_filter("tag:ÜBUNG"))
        == ["User übt Geige."]
    )
    for typed in ("äpfel", "ÄPFEL", '"MAG ÄPF"'):
        assert listed(database, replace(parse_filter(typed), state=None)) == ["User mag Äpfel."]


def test_each_order(four: Database) -> None:
    apply(four, Updated("m0", importance=5))
    ids = {
        sort: [
            memory.id for memory in memories.list_memories(on(four.read()), MemoryFilter(), sort)
        ]
        for sort in Sort
    }
    assert ids[Sort.NEWEST] == ["m2", "m1", "m0"]
    assert ids[Sort.OLDEST] == ["m0", "m1", "m2"]
    assert ids[Sort.IMPORTANT] == ["m1", "m0", "m2"]
    assert set(ids[Sort.USED]) == set(ids[Sort.CHANGED]) == {"m0", "m1", "m2"}


def test_pages_follow_each_other_without_gap(four: Database) -> None:
    pages = [listed(four, MemoryFilter(), limit=1, offset=offset) for offset in range(4)]
    assert [len(page) for page in pages] == [1, 1, 1, 0]
    assert len({page[0] for page in pages[:3]}) == 3


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=60)
    | st.sampled_from(
        ['"a" OR "b"', "text:tea", "tea*", "NEAR(a b)", '""', "a\x00b", "^tea", "-tea", '"']
    )
)
def test_nothing_typed_reaches_the_query_language_of_the_index(four: Database, typed: str) -> None:
    listed(four, parse_filter(typed))
    assert memories.count_memories(on(four.read()), parse_filter(typed)) <= 3


def test_nobody_sees_the_memories_of_somebody_else(four: Database) -> None:
    assert memories.list_memories(on(four.read(), "somebody else"), parse_filter("tea")) == []


def test_what_names_something_is_found_among_the_oldest_and_the_newest(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "NAMING_AMONG", 2)
    for number, more in enumerate(("", " at home", " in May", " on foot", " by bike")):
        apply(database, Created(fact(f"User goes to Oslo{more}.", NOW, id=f"m{number}")))
    apply(database, Created(fact("User plays the cello.", NOW, id="m9")))
    apply(database, Pinned("m1", True))
    found = partial(memories.unpinned_texts_naming, on(database.read()))
    # the shortest first; m1 is pinned, m2 lies between
    assert list(found("oslo", 9)) == ["m0", "m3", "m4"]
    assert list(found("oslo", 1)) == ["m0"]
    assert found("🏠", 9) == {}


def test_what_overflows_is_unpinned_learned_least_important_and_oldest(database: Database) -> None:
    given = [
        ("a", "person", 1),
        ("b", "distilled", 3),
        ("c", "distilled", 1),
        ("d", "import", 1),
        ("e", "distilled", 1),
    ]
    for memory_id, origin, importance in given:
        made = fact(
            f"User has thing {memory_id}.", NOW, id=memory_id, origin=origin, importance=importance
        )
        apply(database, Created(made))
    assert memories.overflowing(on(database.read()), 3) == []
    assert memories.overflowing(on(database.read()), 1) == ["c", "e"]
    assert memories.overflowing(on(database.read()), 0) == ["c", "e", "b"]
    apply(database, Pinned("c", True))
    assert memories.overflowing(on(database.read()), 1) == ["e"]
    for number in range(60):
        apply(database, Created(fact(f"User saw bird {number}.", NOW, id=f"n{number:02}")))
    assert len(memories.overflowing(on(database.read()), 0)) == 50
