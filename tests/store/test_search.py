"""The indexes find what they should, and only for its owner."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memapp.domain.changes import Actor, Created, SoftDeleted, Updated
from memapp.language.filters import parse_filter
from memapp.language.normal_form import WORDING
from memapp.language.query_words import MAX_WORDS, query_words
from memapp.store import changes, chat, full_text, memories, schema, search, vectors
from memapp.store.database import Database
from memapp.store.opening import open_database
from memapp.store.scope import Scope
from memapp.store.vectors import Likeness
from tests.builders import fact, on, typed_message, word_list
from tests.store.conftest import NOW, USER


def add_fact(
    database: Database,
    text: str,
    tags: tuple[str, ...] = (),
    user: str = USER,
    sources: tuple[str, ...] = (),
) -> str:
    memory = fact(text, NOW, tags=tags, sources=sources)
    with database.write() as conn:
        changes.apply(on(conn, user), Created(memory), Actor("person"))
    return memory.id


def talk(database: Database, *texts: str, user: str = USER) -> tuple[str, list[str]]:
    with database.write() as conn:
        thread = chat.create_thread(on(conn, user), "Talk", "companion", NOW)
        ids = [typed_message(on(conn, user), thread.id, text).id for text in texts]
    return thread.id, ids


def facts(database: Database, query: str, **how: bool) -> list[str]:
    found = search.search_memories(on(database.read()), Scope(USER), query_words(query), **how)
    return [candidate.text for candidate in sorted(found, key=lambda one: -one.bm25)]


def messages(database: Database, query: str, **how: bool) -> list[str]:
    found = search.search_messages(on(database.read()), query_words(query), **how)
    return [candidate.text for candidate in sorted(found, key=lambda one: -one.bm25)]


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    conn = sqlite3.connect(":memory:")
    conn.execute(
        "CREATE VIRTUAL TABLE notes USING fts5 (category, text, tokenize = 'porter unicode61')"
    )
    conn.execute("INSERT INTO notes VALUES ('secret', 'green tea')")
    yield conn
    conn.close()


HOSTILE = (
    "AND", "OR", "NOT", "NEAR(a b, 2)", "category:secret", "{category} : secret", '"', "'", "*",
    "^", "-", "+", "(", ")", "\0",
)  # fmt: skip


def asked(text: str, *, unfinished: bool = False) -> str | None:
    return full_text.match_any(query_words(text), unfinished=unfinished)


@settings(max_examples=300)
@given(
    st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30)), max_size=30).map(" ".join),
    st.booleans(),
)
def test_no_input_breaks_a_query(index: sqlite3.Connection, text: str, unfinished: bool) -> None:
    query = asked(text, unfinished=unfinished)
    if query is not None:
        index.execute("SELECT * FROM notes WHERE notes MATCH ?", (query,)).fetchall()
        assert query.count('"') <= 2 * (MAX_WORDS + full_text.MOST_PARTS)


def test_operators_are_words_like_any_other_and_a_nul_hides_none() -> None:
    assert asked('tea AND NOT "milk" NEAR category:secret*') == " OR ".join(
        f'"{word}"' for word in word_list("tea not milk near category secret")
    )
    assert asked("tea\0milk") == '"tea" OR "milk"'


@pytest.mark.parametrize("text", ["", " ", "?!", "\0", "the of and", '""', "***"])
def test_there_is_no_query_for_what_holds_no_word(text: str) -> None:
    assert asked(text) is None


@pytest.mark.parametrize(
    ("known", "query", "found"),
    [
        (["User likes भाषा.", "User likes भाला."], "भाषा", ["User likes भाषा."]),
        (["User likes İstanbul."], "İstanbul", ["User likes İstanbul."]),
        (["User likes İstanbul."], "istanbul", ["User likes İstanbul."]),
        (["User hikes here.", "User has a cat."], "hiking or sailing?", ["User hikes here."]),
        # a word that some fact holds is not taken for a slip
        (["User rides a horse.", "User has a house."], "horse", ["User rides a horse."]),
    ],
)
def test_any_word_is_enough_in_any_of_its_forms(
    database: Database, known: list[str], query: str, found: list[str]
) -> None:
    for text in known:
        add_fact(database, text)
    assert facts(database, query) == found


UNSPACED = (
    ("我喜欢喝绿茶和红茶。", "绿茶", "咖啡"),
    ("夜に緑茶を飲むのが好きです", "緑茶", "珈琲"),
    ("ฉันชอบกินข้าวผัด", "ข้าวผัด", "ปลา"),
    ("ຂ້ອຍມັກກິນໝາກໂປມ", "ໝາກໂປມ", "ປາ"),
    ("ខ្ញុំចូលចិត្តនំប៉័ង", "នំប៉័ង", "ត្រី"),
    ("ကျွန်တော်လက်ဖက်ရည်ကြိုက်တယ်", "လက်ဖက်ရည်", "ငါး"),
    ("저는 녹차를 좋아해요", "녹차", "커피"),
    ("iPhone手机壳在桌上", "手机壳", "平板"),
)


@pytest.mark.parametrize(("text", "word", "other"), UNSPACED)
def test_a_word_is_found_in_a_sentence_without_spaces_and_another_is_not(
    database: Database, text: str, word: str, other: str
) -> None:
    for any_text, *_ in UNSPACED:
        add_fact(database, any_text)
        talk(database, any_text)
    assert facts(database, word)[0] == text
    assert facts(database, word, unfinished=True)[0] == text
    assert messages(database, word) == [text]
    assert facts(database, other) == messages(database, other) == []
    for typed in (word, word[:-1], f'"{word}"'):
        assert text in [
            memory.text
            for memory in memories.list_memories(on(database.read()), parse_filter(typed))
        ]
    assert memories.list_memories(on(database.read()), parse_filter(other)) == []


def test_a_text_without_spaces_leaves_the_index_with_the_memory(database: Database) -> None:
    memory = add_fact(database, "我喜欢喝绿茶")
    with database.write() as conn:
        changes.apply(on(conn), Updated(memory, text="我喜欢喝咖啡"), Actor("person"))
    assert (facts(database, "绿茶"), facts(database, "咖啡")) == ([], ["我喜欢喝咖啡"])
    with database.write() as conn:
        changes.apply(on(conn), SoftDeleted(memory, "person", NOW), Actor("person"))
    assert facts(database, "咖啡") == []
    with closing(sqlite3.connect(database.path)) as conn:
        conn.execute(
            "CREATE VIRTUAL TABLE temp.terms USING fts5vocab ('main', 'memories_fts', 'row')"
        )
        assert conn.execute("SELECT * FROM temp.terms").fetchall() == []


def test_old_rows_are_in_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = schema.scripts()
    monkeypatch.setattr(
        schema,
        "scripts",
        lambda: list(takewhile(lambda one: "in_pairs" not in one.read_text("utf-8"), whole)),
    )
    old = open_database(tmp_path / "memapp.db", WORDING)
    for text in ("我喜欢喝绿茶", "User drinks tea."):
        add_fact(old, text)
        talk(old, text)
    with old.write() as conn:
        for kind in ("memory", "message"):
            embedded = vectors.waiting(on(conn), kind, "all-MiniLM-L6-v2@x", 9)  # type: ignore[arg-type]
            vectors.save(on(conn), kind, "all-MiniLM-L6-v2@x", embedded, np.eye(2, dtype="f4"))  # type: ignore[arg-type]
    assert facts(old, "绿茶") == []
    old.close()
    monkeypatch.setattr(schema, "scripts", lambda: whole)
    new = open_database(tmp_path / "memapp.db", WORDING)
    assert facts(new, "绿茶") == messages(new, "绿茶") == ["我喜欢喝绿茶"]
    assert facts(new, "tea") == ["User drinks tea."]
    left = [
        vectors.waiting(on(new.read()), kind, "all-MiniLM-L6-v2@x", 9)
        for kind in ("memory", "message")
    ]  # type: ignore[arg-type]
    assert [text for rows in left for _, text in rows] == ["我喜欢喝绿茶"] * 2, (
        "its vector may have been of unknown words only"
    )
    new.close()


def test_a_word_is_looked_up_and_not_searched_for_in_every_fact(database: Database) -> None:
    add_fact(database, "User plays the harpsichord.")
    few = steps_to_find(database, "harpsichord")
    for number in range(200):
        add_fact(database, f"User knows the number {number}.")
    assert steps_to_find(database, "harpsichord") < 2 * few


def steps_to_find(database: Database, text: str) -> int:
    """Return how many steps of SQLite's machine it takes to find the one fact."""
    steps = []
    conn = database.read()
    conn.set_progress_handler(lambda: steps.append(1), 1)
    assert len(facts(database, text)) == 1
    conn.set_progress_handler(None, 1)
    return len(steps)


def test_a_tag_counts_but_less_than_the_text(database: Database) -> None:
    add_fact(database, "User waters them on Mondays.", tags=("plants",))
    add_fact(database, "User loves plants.")
    add_fact(database, "User has a cat.")
    assert facts(database, "plants") == ["User loves plants.", "User waters them on Mondays."]


def test_what_belongs_to_somebody_else_is_not_found_and_takes_no_place(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FACTS_BY_WORDS", 1)
    monkeypatch.setattr(search, "MESSAGES_BY_WORDS", 1)
    for number in range(2 * search.LIKELY_ENOUGH):
        add_fact(database, f"tea tea tea {number}", user="somebody else")
        talk(database, f"tea tea tea {number}", user="somebody else")
    add_fact(database, "User drinks a lot of tea with friends.")
    talk(database, "I drink a lot of tea with friends.")
    assert facts(database, "tea") == ["User drinks a lot of tea with friends."]
    assert messages(database, "tea") == ["I drink a lot of tea with friends."]


def test_a_misspelt_word_finds_the_fact_that_nearly_holds_it(database: Database) -> None:
    add_fact(database, "User is vegetarian.")
    add_fact(database, "User has a cat.")
    (found,) = search.search_memories(on(database.read()), Scope(USER), ["vegatarian", "dinner"])
    assert (found.text, found.misspelt, found.bm25) == ("User is vegetarian.", 0.5, 0.0)


def test_searches_at_one_moment_share_the_newest_facts(database: Database) -> None:
    add_fact(database, "User is vegetarian.")
    session, scope = on(database.read()), Scope(USER)
    newest = search.NewestFacts(session, scope)
    find = partial(search.search_memories, session, scope, newest=newest)
    assert [found.misspelt for found in find(["vegatarian", "dinner"])] == [0.5]
    assert [found.misspelt for found in find(["vegatarian"])] == [1.0]
    assert find(["dinner"]) == []


def test_the_last_word_may_be_unfinished(database: Database) -> None:
    add_fact(database, "User is vegetarian.")
    (whole,) = search.search_memories(on(database.read()), Scope(USER), ["veget"])
    (begun,) = search.search_memories(on(database.read()), Scope(USER), ["veget"], unfinished=True)
    assert whole.bm25 == 0 < begun.bm25


def test_a_message_is_found_by_its_neighbours_but_after_the_one_itself(database: Database) -> None:
    talk(
        database,
        "Is your dog well?",
        "He is at the vet today.",
        "Oh no.",
        "It is nothing.",
        "Good.",
    )
    found = messages(database, "vet")
    assert found[0] == "He is at the vet today."
    assert set(found[1:]) == {"Is your dog well?", "Oh no."}


def test_messages_of_a_deleted_chat_or_that_left_one_are_not_found(database: Database) -> None:
    deleted, _ = talk(database, "I like oolong.")
    _, (left, _) = talk(database, "I like oolong.", "I like sencha.")
    assert len(messages(database, "oolong")) == 3
    with database.write() as conn:
        chat.set_thread_deleted(on(conn), deleted, NOW)
        chat.set_active(on(conn), [left], active=False)
    assert messages(database, "oolong") == []


def test_what_means_something_alike_is_found_without_a_common_word(database: Database) -> None:
    add_fact(database, "User has a cat.")
    key = database.read().execute("SELECT key FROM memories").fetchone()["key"]
    alike = Likeness(np.array([key]), np.array([0.7], np.float32), {key: 0})
    (found,) = search.search_memories(on(database.read()), Scope(USER), ["pets"], likeness=alike)
    assert (found.text, found.cosine) == ("User has a cat.", pytest.approx(0.7))


def test_vectors_of_a_deleted_chat_leave_their_place_to_others(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BY_MEANING", 1)
    thread_id, _ = talk(database, "one", "two", "three")
    _, kept = talk(database, "four")
    with database.write() as conn:
        chat.set_thread_deleted(on(conn), thread_id, NOW)
    keys = [row["key"] for row in database.read().execute("SELECT key FROM messages ORDER BY key")]
    cosines = np.array([0.9, 0.8, 0.7, 0.6], np.float32)
    alike = Likeness(np.array(keys), cosines, {key: place for place, key in enumerate(keys)})
    assert [
        candidate.id
        for candidate in search.search_messages(on(database.read()), [], likeness=alike)
    ] == kept


def test_the_sources_of_facts_are_told_to_their_owner_only(database: Database) -> None:
    _, (said,) = talk(database, "I like oolong.")
    fact = add_fact(database, "User likes oolong.", sources=(said,))
    assert search.sources_of(on(database.read()), [fact]) == {fact: {said}}
    assert search.sources_of(on(database.read(), "somebody else"), [fact]) == {fact: set()}


def test_the_words_of_somebody_else_do_not_tell_what_is_misspelt(database: Database) -> None:
    add_fact(database, "User drinks oolong.")
    assert facts(database, "oolang") == ["User drinks oolong."]
    add_fact(database, "User said oolang.", user="eve")
    assert facts(database, "oolang") == ["User drinks oolong."]
