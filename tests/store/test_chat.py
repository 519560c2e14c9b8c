"""Threads, messages and drafts in the file."""

import sqlite3
from datetime import UTC, datetime

import pytest

from memapp.domain.chat import Message, MessageStatus, Origin, Role
from memapp.domain.prompt import Usage
from memapp.errors import NotFound
from memapp.store import chat
from memapp.store.database import Database
from tests.builders import on
from tests.store.conftest import NOW


def talk(database: Database, *texts: str) -> list[str]:
    """Write a thread of alternating messages; return the thread's id and the messages' ids."""
    with database.write() as conn:
        thread = chat.create_thread(on(conn), "Tea", "companion", NOW)
        ids = [thread.id]
        for number, text in enumerate(texts):
            role, origin = ((Role.USER, Origin.TYPED), (Role.ASSISTANT, Origin.MODEL))[number % 2]
            asked = ids[-1] if role is Role.ASSISTANT else None
            ids.append(
                chat.add_message(
                    on(conn), thread.id, role, text, NOW, origin=origin, reply_to=asked
                ).id
            )
    return ids


def begin_reply(conn: sqlite3.Connection, thread_id: str, question: str) -> Message:
    generating = MessageStatus.GENERATING
    return chat.add_message(
        on(conn),
        thread_id,
        Role.ASSISTANT,
        "",
        NOW,
        status=generating,
        origin=Origin.MODEL,
        reply_to=question,
    )


def found(database: Database, query: str) -> list[str]:
    rows = database.read().execute(
        (
            "SELECT m.text FROM messages_fts f JOIN messages m ON m.key = f.rowid "
            "WHERE messages_fts MATCH ?"
        ),
        (query,),
    )
    return [row["text"] for row in rows]


def test_messages_come_back_as_they_were_written(database: Database) -> None:
    with database.write() as conn:
        thread = chat.create_thread(on(conn), "Tea", "companion", NOW)
        written = chat.add_message(
            on(conn),
            thread.id,
            Role.USER,
            "I like tea pasted",
            NOW,
            origin=Origin.TYPED,
            pasted=[(11, 17)],
        )
    read = chat.get_message(on(database.read()), written.id)
    assert read == written
    assert read.typed_text == "I like tea"
    with pytest.raises(NotFound):
        chat.get_message(on(database.read(), "somebody else"), written.id)


def test_a_long_thread_is_read_page_by_page(database: Database) -> None:
    thread_id, *_ = talk(database, *(f"message {n}" for n in range(10)))
    last = chat.list_messages(on(database.read()), thread_id, limit=3)
    assert [message.text for message in last] == ["message 7", "message 8", "message 9"]
    before = chat.list_messages(on(database.read()), thread_id, before=last[0].seq, limit=3)
    assert [message.text for message in before] == ["message 4", "message 5", "message 6"]


def test_what_was_said_in_a_day_month_or_year_is_found_unless_deleted(database: Database) -> None:
    days = [
        datetime(2024, 5, 2, 12, tzinfo=UTC),
        datetime(2025, 5, 2, 12, tzinfo=UTC),
        datetime(2025, 5, 3, 12, tzinfo=UTC),
    ]
    with database.write() as conn:
        session = on(conn)
        kept, gone = (
            chat.create_thread(session, name, "companion", NOW).id for name in ("kept", "gone")
        )
        for day in days:
            chat.add_message(
                session,
                kept,
                Role.USER,
                f"said in {day.year}, day {day.day}",
                day,
                origin=Origin.TYPED,
            )
            chat.add_message(session, gone, Role.USER, "deleted", day, origin=Origin.TYPED)
        chat.set_thread_deleted(session, gone, NOW)
    read = on(database.read())
    actual = [message.text for message in chat.said_in(read, None, 5, 2)]
    assert actual == ["said in 2024, day 2", "said in 2025, day 2"]
    actual = [message.text for message in chat.said_in(read, 2025, 5, None)]
    assert actual == ["said in 2025, day 2", "said in 2025, day 3"]
    assert [message.text for message in chat.said_in(read, None, 5, None, limit=1)] == [
        "said in 2025, day 3"
    ]
    assert chat.said_in(read, 2025, 6, None) == []


def test_an_unfinished_reply_is_in_no_index_and_is_marked_after_a_crash(database: Database) -> None:
    thread_id, question = talk(database, "Which tea?")
    with database.write() as conn:
        reply = begin_reply(conn, thread_id, question)
        chat.save_partial(on(conn), reply.id, "Perhaps oolong")
    assert found(database, "oolong") == []
    with database.write() as conn:
        assert chat.interrupt_abandoned(on(conn)) == 1
    assert chat.get_message(on(database.read()), reply.id).status is MessageStatus.INTERRUPTED
    assert found(database, "text: oolong") == ["Perhaps oolong"]


def test_neighbours_are_found_through_a_message_but_no_retried_reply(database: Database) -> None:
    thread_id, question, answer = talk(database, "Which tea?", "Oolong suits the morning.")
    assert found(database, "context: oolong") == ["Which tea?"]
    assert found(database, "context: tea") == ["Oolong suits the morning."]
    with database.write() as conn:
        chat.set_active(on(conn), [answer], active=False)
        new = begin_reply(conn, thread_id, question)
        chat.finish_message(
            on(conn), new.id, "Sencha.", MessageStatus.COMPLETE, Usage(decode_tokens=3), "m"
        )
    assert found(database, "oolong") == []
    assert found(database, "context: sencha") == ["Which tea?"]
    actual = [message.text for message in chat.variants(on(database.read()), question)]
    assert actual == ["Oolong suits the morning.", "Sencha."]
    actual = [message.text for message in chat.list_messages(on(database.read()), thread_id)]
    assert actual == ["Which tea?", "Sencha."]


def test_a_message_moved_to_the_end_has_its_new_neighbours_too(database: Database) -> None:
    thread, *ids = talk(database, "Oolong?", "Oolong suits.", "Sencha?", "Sencha too.")
    with database.write() as conn:
        moved = chat.put_last(on(conn), chat.get_message(on(conn), ids[1]))
        rows = conn.execute("SELECT seq, context FROM messages ORDER BY seq").fetchall()
        chat.refresh_contexts(on(conn), thread)
        anew = conn.execute("SELECT seq, context FROM messages ORDER BY seq").fetchall()
    assert chat.list_messages(on(database.read()), thread)[-1] == moved
    assert [tuple(row) for row in rows] == [tuple(row) for row in anew]
    assert set(found(database, "context: too")) == {"Sencha?", "Oolong suits."}


def test_the_search_index_stays_consistent(database: Database) -> None:
    thread_id, *ids = talk(database, "one", "two", "three", "four")
    with database.decide() as conn:
        chat.set_active(on(conn), ids[1:3], active=False)
        chat.set_active(on(conn), ids[1:2], active=True)
        conn.execute("DELETE FROM messages WHERE id = ?", (ids[3],))
        conn.execute("INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)")
        conn.execute("DELETE FROM threads WHERE id = ?", (thread_id,))
        conn.execute("INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)")
    assert found(database, "one") == []


def test_a_title_that_the_person_chose_stays(database: Database) -> None:
    thread_id, *_ = talk(database)
    with database.write() as conn:
        chat.rename_thread(on(conn), thread_id, "Mine", "person")
        chat.rename_thread(on(conn), thread_id, "Yours", "app")
    assert chat.get_thread(on(database.read()), thread_id).title == "Mine"


def test_a_deleted_thread_comes_back(database: Database) -> None:
    thread_id, *_ = talk(database, "hello")
    with database.write() as conn:
        chat.set_thread_deleted(on(conn), thread_id, NOW)
    assert chat.list_threads(on(database.read())) == []
    with database.write() as conn:
        chat.set_thread_deleted(on(conn), thread_id, None)
    assert [thread.id for thread in chat.list_threads(on(database.read()), matching="TEA")] == [
        thread_id
    ]


def test_a_title_is_found_in_small_and_large_letters_of_any_language(database: Database) -> None:
    with database.write() as conn:
        found = chat.create_thread(on(conn), "Überblick über STRASSEN", "companion", NOW)
        chat.create_thread(on(conn), "Wetter", "companion", NOW)
    for typed in ("überblick", "ÜBERBLICK", "straßen"):
        assert [thread.id for thread in chat.list_threads(on(database.read()), matching=typed)] == [
            found.id
        ]


def test_a_draft_is_kept_until_it_is_empty(database: Database) -> None:
    with database.write() as conn:
        chat.save_draft(on(conn), "", "half a")
        chat.save_draft(on(conn), "", "half a thought")
    assert chat.get_draft(on(database.read()), "") == "half a thought"
    with database.write() as conn:
        chat.save_draft(on(conn), "", "")
    assert chat.get_draft(on(database.read()), "") == ""


def test_typed_prompts_come_once_each(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(database, "sugar?", "no", "tea?", "yes", "milk?", "no", "tea?", "still yes")
    assert chat.typed_prompts(on(database.read())) == ["tea?", "milk?", "sugar?"]
    assert chat.typed_prompts(on(database.read()), limit=1) == ["tea?"]
    monkeypatch.setattr(chat, "PROMPTS_AMONG", 3)
    assert chat.typed_prompts(on(database.read())) == ["tea?", "milk?"], (
        "in a long life not all is read"
    )
    (thread,) = chat.list_threads(on(database.read()))
    with database.write() as conn:
        chat.erase_messages(
            on(conn),
            [
                message.id
                for message in chat.list_messages(on(conn), thread.id)
                if message.text == "milk?"
            ],
        )
    assert chat.typed_prompts(on(database.read())) == ["tea?", "sugar?"]
    with database.write() as conn:
        chat.set_thread_deleted(on(conn), thread.id, NOW)
    assert chat.typed_prompts(on(database.read())) == []


def test_nobody_reaches_the_messages_of_somebody_else(database: Database) -> None:
    thread_id, question = talk(database, "Which tea?")
    with database.write() as conn:
        reply = begin_reply(conn, thread_id, question)
        chat.save_partial(on(conn, "eve"), reply.id, "Poison.")
        chat.set_active(on(conn, "eve"), [question, reply.id], active=False)
        assert chat.interrupt_abandoned(on(conn, "eve")) == 0
        with pytest.raises(NotFound):
            chat.finish_message(
                on(conn, "eve"), reply.id, "Poison.", MessageStatus.COMPLETE, Usage(), ""
            )
    kept = chat.list_messages(on(database.read()), thread_id)
    actual = [(message.text, message.status) for message in kept]
    assert actual == [("Which tea?", MessageStatus.COMPLETE), ("", MessageStatus.GENERATING)]
