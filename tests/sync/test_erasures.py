"""What is erased on one machine is gone on all, in the database too, and no machine that was away
brings it back.
"""

from typing import Any

import psycopg
import pytest

from memapp.errors import SyncError
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget
from memapp.services.sync import exchange as exchanges
from memapp.services.sync import keyring, machines
from memapp.services.sync.exchange import exchange
from memapp.services.sync.sending import read
from memapp.store import chat
from memapp.store.encoding import to_time
from memapp.store.forget import erasing
from tests.builders import erase
from tests.sync.test_memories import Machine, settle, texts


def bytes_of(runtime: Runtime) -> bytes:
    folder = runtime.paths.database.parent
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def boxes(database: psycopg.Connection[Any], schema: str) -> list[bytes]:
    return [bytes(row[0]) for row in database.execute(f"SELECT box FROM {schema}.entries")]


def test_an_erased_memory_is_gone_from_every_machine_and_from_the_database(
    machine: Machine, database: psycopg.Connection[Any], schema: str
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    told = curate.add(laptop, "My password hint is heliotrope").memory_id
    curate.edit(laptop, told, "My password hint is periwinkle")
    settle(laptop, desktop)
    before = boxes(database, schema)
    curate.edit(desktop, told, "My password hint is gamboge")  # while it was away
    erase(laptop, told)
    exchange(laptop)
    assert machines.status(laptop).behind_erasure == ["desktop"]
    assert before != boxes(database, schema)[: len(before)]
    exchange(desktop)
    exchange(laptop)
    assert machines.status(laptop).behind_erasure == []
    settle(laptop, desktop)
    assert texts(laptop) == set()
    for word in (b"heliotrope", b"periwinkle", b"gamboge"):
        assert word not in bytes_of(laptop) + bytes_of(desktop)
    phone = machine("phone")
    settle(laptop, phone)


def test_words_are_erased_wherever_they_stand_on_any_machine(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    kept = curate.add(desktop, "I keep bees").memory_id
    settle(laptop, desktop)
    curate.add(desktop, "The heliotrope is in bloom")
    thread = chats.new_thread(desktop).id
    with desktop.write() as session:
        message = chat.add_message(session, thread, "user", "Do you know heliotrope?", session.now)
        chat.add_message(session, thread, "assistant", "Yes.", session.now, reply_to=message.id)
    chats.rename_thread(desktop, thread, "On heliotrope")
    exchange(desktop)
    chats.rename_thread(desktop, thread, "On flowers")
    edited = curate.add(desktop, "I like heliotrope").memory_id
    exchange(desktop)
    curate.edit(desktop, edited, "I like roses")
    exchange(desktop)
    forget.forget_everywhere(laptop, "heliotrope")  # before the laptop heard any of that
    settle(laptop, desktop)
    assert b"heliotrope" not in bytes_of(laptop) + bytes_of(desktop)
    assert curate.get(laptop, kept).text == "I keep bees"
    assert [message.text for message in chat.list_messages(desktop.read(), thread)] == [
        "[erased]",
        "Yes.",
    ]
    phone = machine("phone")
    settle(phone, laptop)
    assert b"heliotrope" not in bytes_of(phone)


def test_what_leaves_the_trash_by_itself_leaves_every_machine_unless_it_was_brought_back(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    first, last = (curate.add(laptop, text).memory_id for text in ("I drink oolong", "I keep bees"))
    curate.discard(laptop, first, last)
    settle(laptop, desktop)
    curate.restore(desktop, last)
    for runtime in (laptop, desktop):
        runtime.clock.now = to_time("2026-04-01T00:00:00.000Z")  # type: ignore[attr-defined]
    forget.purge(laptop, [first, last], by="lifecycle")
    settle(laptop, desktop)
    assert texts(laptop) == {"I keep bees"}
    assert b"oolong" not in bytes_of(desktop)


def test_what_was_erased_on_one_machine_is_not_learned_again_on_another(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    erase(desktop, curate.add(desktop, "I keep bees").memory_id)
    erase(laptop, curate.add(laptop, "I drink oolong").memory_id)  # the desktop never heard of it
    settle(laptop, desktop)
    phone = machine("phone")
    settle(laptop, desktop, phone)
    for runtime in (laptop, desktop, phone):
        assert forget.is_forgotten(runtime, "I drink Oolong")
        assert forget.is_forgotten(runtime, "I keep bees")
    with phone.decide() as session:
        erasing.let_be_known(session, "I drink oolong")
    settle(phone, laptop)
    assert not forget.is_forgotten(laptop, "I drink oolong")


def test_the_words_of_an_erasure_leave_the_database_once_every_machine_carried_it_out(
    machine: Machine, database: psycopg.Connection[Any], schema: str
) -> None:
    laptop, desktop, phone = machine("laptop"), machine("desktop"), machine("phone")
    curate.add(laptop, "The heliotrope is in bloom")
    kept = curate.add(laptop, "I keep bees").memory_id
    settle(laptop, desktop)
    forget.forget_everywhere(laptop, "heliotrope")
    settle(laptop, desktop)
    sql = f"SELECT box FROM {schema}.entries WHERE class = 'erasure' ORDER BY number LIMIT 1"
    (before,) = database.execute(sql.encode()).fetchone() or ()
    settle(laptop, desktop, phone)
    (after,) = database.execute(sql.encode()).fetchone() or ()
    assert before != after
    keys = keyring.load(laptop)
    with exchanges.connected(laptop) as (server, _):
        assert "heliotrope" not in str([read(keys, entry) for entry in server.entries(0, 1000)])
    assert machines.status(laptop).behind_erasure == []
    tablet = machine("tablet")
    settle(laptop, tablet)
    assert curate.get(tablet, kept).text == "I keep bees"


def test_a_database_that_lost_an_erasure_is_cleaned_again(
    machine: Machine, database: psycopg.Connection[Any], schema: str
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    told = curate.add(laptop, "My password hint is heliotrope").memory_id
    settle(laptop, desktop)
    database.execute(f"SET search_path TO {schema}")
    database.execute("CREATE TABLE yesterday AS SELECT * FROM entries")
    erase(laptop, told)
    settle(laptop, desktop)
    database.execute("TRUNCATE entries; INSERT INTO entries SELECT * FROM yesterday")
    for runtime in (laptop, desktop):
        exchanges.send_again(runtime)
        exchange(runtime)
    keys = keyring.load(laptop)
    with exchanges.connected(laptop) as (server, _):
        assert "heliotrope" not in str([read(keys, entry) for entry in server.entries(0, 1000)])
    phone = machine("phone")
    settle(laptop, desktop, phone)
    assert texts(phone) == set()


def test_a_database_that_puts_erased_words_back_is_found(
    machine: Machine, database: psycopg.Connection[Any], schema: str
) -> None:
    laptop = machine("laptop")
    told = curate.add(laptop, "My password hint is heliotrope").memory_id
    exchange(laptop)
    database.execute(f"SET search_path TO {schema}")
    database.execute("CREATE TABLE yesterday AS SELECT number, box FROM entries")
    erase(laptop, told)
    exchange(laptop)
    database.execute("UPDATE entries e SET box = y.box FROM yesterday y WHERE y.number = e.number")
    with pytest.raises(SyncError, match="was altered"):
        machine("phone")
