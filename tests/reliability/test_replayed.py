"""Turns and idle work repeated, killed and reordered give the same memories as done once."""

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memapp import bootstrap
from memapp.domain.chat import BY_MEMAPP, MessageStatus, Role
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel, call_kind
from memapp.runtime import Runtime
from memapp.services import chats, learning, upkeep
from memapp.services.turn import retry_turn, take_turn
from memapp.store.database import Database
from tests.builders import Reader, new_chat, word_list
from tests.reliability.killed_processes import usually

SAID = (
    "I have a dog named Rex.",
    "I drink oolong tea every morning.",
    "I live in Bruges.",
    "I play the harp and I collect old maps.",
    "I drink oolong tea every morning.",
    "My name is Ana.",
    "I am allergic to peanuts.",
    "I planted tall sunflowers in the garden.",
)
Known = dict[str, Counter[tuple[Any, ...]]]
PASSING = {
    *word_list(
        "events jobs recalls interface supervisor_checkpoints drafts memory_file _sqlite_migrations"
    ),
    "deleted_embeddings",
}
"""Tables that tell what was done when, where the last turn stood, which file this is, and how many
embeddings it dropped.
"""
SEEN = {
    "messages": (
        "SELECT role, text, status, reply_to FROM messages WHERE active = 1 "
        f"AND model <> '{BY_MEMAPP}'"
    ),
    "predictions": "SELECT message_id, source, checked_by, surprised, why FROM predictions",
    "consent_requests": (
        "SELECT field, old_value, new_value, memory, proposer, state, decided_by "
        "FROM consent_requests"
    ),
    "episode_ends": "SELECT thread_id FROM episode_ends",
    "embeddings": (
        "SELECT text, vector FROM embeddings JOIN memories ON owner_kind = 'memory' "
        "AND owner_key = key"
    ),
}
"""What counts of some tables; of episodes, that one was looked for: a second try at a reply has
another number.

A question that a kill kept memapp from asking is not asked later; it waits in the inbox.
"""
ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?")


def scripted(prompt: Prompt, sampling: Sampling) -> str | None:
    """Answer the same whatever is known, so that only memapp decides."""
    return "I see." if call_kind(prompt, sampling) == "reply" else None


def known(runtime: Runtime, seen: Mapping[str, str] = SEEN) -> Known:
    """Return everything the file says, with words in place of ids, and without times and what
    nobody sees.
    """
    conn = runtime.database.read()
    named = {
        row[0]: f"<{row[1]}>"
        for row in conn.execute("SELECT id, text FROM messages UNION SELECT id, text FROM memories")
    }

    def plain(value: Any) -> Any:
        return (
            TIME.sub("@", ID.sub(lambda found: named.get(found[0], "#"), value))
            if isinstance(value, str)
            else value
        )

    tables = [
        row[0]
        for row in conn.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    rows = {name: f"SELECT * FROM {name}" for name in tables if "_fts" not in name} | dict(seen)
    return {
        name: Counter(tuple(map(plain, row)) for row in conn.execute(sql))
        for name, sql in rows.items()
        if name not in PASSING
    }


# Killing and starting again -----------------------------------------------------------------------


class Killed(BaseException):
    """Ends a process as a kill would: no running code reaches the files used afterwards."""


@contextmanager
def killed_after(commits: int, runtime: Runtime, request: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield where the files stand as they are after so many commits, when `Killed` is raised; or
    never, if there are fewer.
    """
    home = runtime.paths.database.parent
    left, write = iter(range(commits)), Database.write

    @contextmanager
    def counted(database: Database) -> Iterator[Any]:
        with write(database) as conn:
            yield conn
        if not (conn.in_transaction or after.exists()) and next(left, None) is None:
            shutil.copytree(home, after)
            raise Killed

    after = home.with_name(f"{home.name}k")
    with request.context() as inside:
        inside.setattr(Database, "write", counted)
        yield after


def start(home: Path) -> Runtime:
    home.mkdir(exist_ok=True, mode=0o700)
    runtime = bootstrap.start(home=home)
    runtime.chat.fill(ScriptedModel(scripted))
    runtime.embedding.fill(Reader())  # type: ignore[arg-type]
    return runtime


@dataclass
class Storm:
    """A store in which each job is killed now and then, and done again."""

    runtime: Runtime
    chance: random.Random
    request: pytest.MonkeyPatch
    kills: int = 0

    def do(self, job: Callable[[Runtime], object]) -> None:
        """Run a job to its end, through at most two kills."""
        for _ in range(2):
            with killed_after(self.chance.randint(0, 12), self.runtime, self.request) as home:
                try:
                    job(self.runtime)
                except Killed:
                    self.kills += 1
                    self.runtime.close()
                else:
                    return
            self.runtime = start(home)
        job(self.runtime)

    def idle(self, thread: str) -> None:
        """Do everything that is done between two turns, in any order, up to five times."""
        todo = [job for job in JOBS for _ in range(self.chance.randint(1, 5))]
        self.chance.shuffle(todo)
        for job in todo:
            self.do(partial(job, thread=thread))


def work(runtime: Runtime, thread: str) -> None:
    list(upkeep.work(runtime, thread, Cancel()))


def work_without_a_chat(runtime: Runtime, thread: str) -> None:
    list(upkeep.work(runtime, None, Cancel()))


def notice_again(runtime: Runtime, thread: str) -> None:
    for message in chats.page(runtime, thread).messages:
        if message.role is Role.USER:
            learning.propose_profile(runtime, message)


JOBS = (work, work_without_a_chat, notice_again)


def say(text: str, runtime: Runtime, thread: str) -> None:
    """Send a message, or retry an interrupted reply if the message was sent before a kill."""
    messages = chats.page(runtime, thread).messages
    sent = next((message for message in reversed(messages) if message.role is Role.USER), None)
    if sent is None or sent.text != text:
        list(take_turn(runtime, thread, text))
        return
    reply = next(message for message in reversed(messages) if message.reply_to == sent.id)
    if reply.status is not MessageStatus.COMPLETE:
        list(retry_turn(runtime, reply.id))


@pytest.fixture(scope="module")
def done_once(tmp_path_factory: pytest.TempPathFactory) -> Known:
    runtime = start(tmp_path_factory.mktemp("once") / "home")
    thread = new_chat(runtime)
    for text in SAID:
        say(text, runtime, thread)
        work(runtime, thread)
    work(runtime, thread)  # what the last work made may be embedded and linked by the next
    try:
        return known(runtime)
    finally:
        runtime.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(usually(2, thorough=6)))
def test_what_is_done_again_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, done_once: Known
) -> None:
    storm = Storm(start(tmp_path / "again"), random.Random(seed), monkeypatch)
    thread = new_chat(storm.runtime)
    for text in SAID:
        storm.do(partial(say, text, thread=thread))
        storm.idle(thread)
    assert storm.kills > 3
    assert known(storm.runtime) == done_once
    storm.runtime.close()
