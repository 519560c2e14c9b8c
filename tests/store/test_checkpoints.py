"""One checkpoint a thread, written and read whole."""

import json

from memapp.domain.checkpoint import Checkpoint
from memapp.store import chat, checkpoints
from memapp.store.database import Database
from tests.builders import on
from tests.store.conftest import NOW


def test_each_thread_has_one_checkpoint_which_the_next_replaces(database: Database) -> None:
    with database.write() as conn:
        one, other = (
            chat.create_thread(on(conn), title, "companion", NOW).id for title in ("one", "other")
        )
        checkpoints.advance(on(conn), one, lambda at: at.accepted("reply", 3, ["tea"]))
        checkpoints.advance(on(conn), one, lambda at: at.recalled(["a", "b"], 9))
        checkpoints.advance(on(conn), one, lambda at: at.with_prefetch("p", ["cake"]))
    expected = (
        Checkpoint()
        .accepted("reply", 3, ["tea"])
        .recalled(["a", "b"], 9)
        .with_prefetch("p", ["cake"])
    )
    assert checkpoints.load(on(database.read()), one) == expected
    assert checkpoints.load(on(database.read()), other) == Checkpoint()
    rows = (
        database.read()
        .execute("SELECT thread_id, checkpoint_data FROM supervisor_checkpoints")
        .fetchall()
    )
    assert [row["thread_id"] for row in rows] == [one]
    assert json.loads(rows[0]["checkpoint_data"])["stage"] == "recalled"
