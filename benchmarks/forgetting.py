"""Is what was forgotten gone from every file?

Forty made-up words are planted in every place that can hold what a person or a model wrote, and
found there (the control). They are then erased: in one file by purging the memory with its
messages, in another by forgetting the word everywhere. Nothing may be left: not in the bytes of any
file (as UTF-8, UTF-16 or base64), not as a term of an index, not as the numbers of a vector. The
same again with the process killed at random moments and started once more: each word is then wholly
there or wholly gone.

The search is written anew here, and shares nothing with the scan that the receipt comes from. Each
word begins with a pair of letters that no other word begins with, since a full-text index stores
shared beginnings once.

python -m benchmarks.forgetting [--small]
"""

import argparse
import base64
import hashlib
import multiprocessing
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import MISSED
from memapp import bootstrap, paths
from memapp.domain.changes import Actor, Created, Linked, ProfileChanged, Updated
from memapp.domain.chat import Message
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.consent import FORGOTTEN, ConsentRequest
from memapp.domain.memory import Kind, Memory, OwnerKind, State
from memapp.domain.turn_events import Accepted, Completed
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget, runs
from memapp.services.consent import proposals
from memapp.services.imports.lessons import import_lessons
from memapp.services.runs import Client
from memapp.services.turn import take_turn
from memapp.store import agents, changes, checkpoints, consents, expectations, vectors
from memapp.store.encoding import new_id, to_text
from memapp.store.file_copies import ASIDE, BACKUPS, new_copy, read_id
from memapp.store.schema import statements
from memapp.tools.scripted import ScriptedTool

WORDS = [f"{first}{second}anokterwilo" for first in "qxzjv" for second in "bcdfghkm"]
FIELDS = (
    "city",
    "language",
    "pronouns",
    "preferred_name",
    "health",
    "contact",
    "address",
    "birth_date",
    "religion",
    "money",
)
KILLED_ROUNDS = 40
PRELOADED = [
    "memapp.bootstrap",
    "memapp.inference.scripted",
    "memapp.services.chats",
    "memapp.services.turn.turns",
]
COLUMNS = {
    "message": "SELECT count(*) FROM messages WHERE instr(lower(text), ?)",
    "context of a message": "SELECT count(*) FROM messages WHERE instr(lower(context), ?)",
    "title": "SELECT count(*) FROM threads WHERE instr(lower(title), ?)",
    "memory": "SELECT count(*) FROM memories WHERE instr(lower(text || normal_text), ?)",
    "tag": "SELECT count(*) FROM memories WHERE instr(lower(tags), ?)",
    "step": "SELECT count(*) FROM memories WHERE instr(lower(steps), ?)",
    "version": "SELECT count(*) FROM versions WHERE instr(lower(snapshot), ?)",
    "expectation": "SELECT count(*) FROM predictions WHERE instr(lower(text), ?)",
    "needed information": "SELECT count(*) FROM predictions WHERE instr(lower(needed_info), ?)",
    "checkpoint": """SELECT count(*) FROM supervisor_checkpoints
                     WHERE instr(lower(checkpoint_data), ?)""",
    "held memory": "SELECT count(*) FROM consent_requests WHERE instr(lower(memory), ?)",
}
"""Planted for both ways of forgetting. `history`, `relations` and `surprises` have no column for
words: they hold ids; nor have the log of changes and that of events.
"""
ONLY_WORDS = {
    "draft": "SELECT count(*) FROM drafts WHERE instr(lower(text), ?)",
    "screen": "SELECT count(*) FROM interface WHERE instr(lower(value), ?)",
    "request": """SELECT count(*) FROM consent_requests
                  WHERE instr(lower(new_value || old_value), ?)""",
    "quote of an agent": "SELECT count(*) FROM consent_requests WHERE instr(lower(quote), ?)",
    "file": "SELECT count(*) FROM imported_files WHERE instr(lower(name), ?)",
    "context card": "SELECT count(*) FROM context_cards WHERE instr(lower(text), ?)",
    "command": "SELECT count(*) FROM run_steps WHERE instr(lower(action), ?)",
    "error text": "SELECT count(*) FROM error_events WHERE instr(lower(excerpt), ?)",
    "fingerprint": "SELECT count(*) FROM fingerprints WHERE instr(lower(shape || subject), ?)",
    "task": "SELECT count(*) FROM runs WHERE instr(lower(task), ?)",
    "lesson": "SELECT count(*) FROM lessons WHERE instr(lower(rule_text || wrong || correct), ?)",
    "version of a lesson": "SELECT count(*) FROM lesson_versions WHERE instr(lower(snapshot), ?)",
    "row of a lesson": "SELECT count(*) FROM lesson_rows WHERE instr(lower(said), ?)",
    "row of a failure": "SELECT count(*) FROM error_rows WHERE instr(lower(said), ?)",
    "round": """SELECT count(*) FROM rounds
                WHERE instr(lower(task || draft || revision || final), ?)""",
    "dissent": "SELECT count(*) FROM dissents WHERE instr(lower(text || quote), ?)",
    "file of an agent": "SELECT count(*) FROM agents WHERE instr(lower(imported), ?)",
    "profile": "SELECT count(*) FROM profile WHERE instr(lower(value), ?)",
}
"""A person who purges a memory does not mean these; who forgets a word everywhere does."""
PLANTED_BY_RUNS = (
    "command",
    "error text",
    "fingerprint",
    "task",
    "lesson",
    "version of a lesson",
    "row of a lesson",
    "row of a failure",
)
GOES_BEFORE = (
    "expectation",
    "needed information",
    "checkpoint",
    "older backup",
    "damaged copy",
    "index of memories",
)
"""May go with another word: what followed from a prompt that held both, and a copy that cannot be
cleaned. The trash, from which a memory is erased, is in no index.
"""

Found = Counter[str]


class MadeUpEmbedder(ScriptedEmbedder):
    """Gives every text a vector of its own, so that a vector in a file identifies its text."""

    model_id = "made-up"
    dimension = 64

    def embed(self, texts: Sequence[str], *, wait: bool = True) -> NDArray[np.float32]:  # noqa: ARG002  # it never loads
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()) for text in texts]
        rows = np.array(
            [np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds],
            np.float32,
        )
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="fewer words and fewer kills, for CI")
    parser.add_argument("--data", help="not used: everything is made up")
    options = parser.parse_args()
    words = WORDS[::5] if options.small else WORDS
    rounds = 6 if options.small else KILLED_ROUNDS
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for way in ("purge", "everywhere"):
            missed += measure(Path(folder) / way, way, words, rounds)
    print("\nNothing is left anywhere." if not missed else f"\n{missed} bounds missed.")
    return MISSED if missed else 0


def measure(home: Path, way: str, words: list[str], rounds: int) -> int:
    """Plant, look, erase, look again; then with kills. Print a table and return how many bounds
    were missed.
    """
    in_a_process(plant_all, home, words, way)
    numbers = vectors_of(home, words)
    before = {word: find(home, word, numbers[word]) for word in words}
    gone = home.with_name(f"{way}-gone")
    shutil.copytree(home, gone)
    started = time.perf_counter()
    in_a_process(erase_all, gone, words, way)
    seconds = time.perf_counter() - started
    after = sum((find(gone, word, numbers[word]) for word in words), Counter())
    planted = dict.fromkeys(places(way), words)
    if way == "everywhere":
        planted["profile"] = words[: len(FIELDS)]
    print(f"\n{way}: {len(words)} words\n{'place':28} {'words found':>12} {'left':>6}")
    for place in sorted({*planted, *(name for found in before.values() for name in found)}):
        print(
            f"{place:28} {sum(place in found for found in before.values()):>12} {after[place]:>6}"
        )
    unseen = [
        place for place, there in planted.items() if any(not before[word][place] for word in there)
    ]
    torn, erased = kill_rounds(home, way, words, rounds, numbers, seconds)
    print(
        f"killed {rounds} times: {erased} words gone, {torn} half gone; "
        f"all {len(words)} words took {seconds:.1f} s unkilled"
    )
    if unseen:
        print(f"the control failed: not found before in {', '.join(unseen)}")
    return len(unseen) + (sum(after.values()) > 0) + (torn > 0)


def kill_rounds(
    home: Path,
    way: str,
    words: list[str],
    rounds: int,
    numbers: dict[str, list[bytes]],
    seconds: float,
) -> tuple[int, int]:
    """Kill the erasing process at random moments, start again, and return how many words were half
    gone, and wholly.
    """
    chance = random.Random(11)
    torn = erased = 0
    for number in range(rounds):
        copy = home.with_name(f"{way}-{number}")
        shutil.copytree(home, copy)
        in_a_process(erase_all, copy, words, way, kill_after=chance.uniform(0.02, seconds))
        in_a_process(start_again, copy)
        assert not list(copy.rglob("*.partial*"))
        for word in words:
            left = find(copy, word, numbers[word])
            erased += not left
            torn += bool(left) and not all(
                left[place] for place in places(way) if place not in GOES_BEFORE
            )
        shutil.rmtree(copy)
    return torn, erased


def places(way: str) -> list[str]:
    """Return where each word must be found before."""
    everywhere = [
        *COLUMNS,
        "index of memories",
        "index of messages",
        "vector",
        "backup",
        "older backup",
        "damaged copy",
        "memapp.db",
    ]
    return everywhere + (
        ["draft", "screen", "request", "context card", *PLANTED_BY_RUNS]
        if way == "everywhere"
        else []
    )


# In processes of their own: they end without closing the file, as a crash would -------------------


def in_a_process(
    work: Callable[..., None], *arguments: object, kill_after: float | None = None
) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=_run, args=(work, *arguments))
    process.start()
    process.join(kill_after)
    if process.is_alive():
        process.kill()
        process.join()
    elif process.exitcode != 0:
        raise RuntimeError(f"{work.__name__} failed")


def _run(work: Callable[..., None], *arguments: object) -> None:
    work(*arguments)
    os._exit(0)


def opened(home: Path) -> Runtime:
    runtime = bootstrap.start(home=home, flags={"answer_from_memory": False})
    runtime.chat.fill(ScriptedModel())
    runtime.embedding.fill(MadeUpEmbedder())
    return runtime


def start_again(home: Path) -> None:
    bootstrap.start(home=home)


def erase_all(home: Path, words: list[str], way: str) -> None:
    runtime = opened(home)
    for word in words:
        if way == "everywhere":
            receipt = forget.forget_everywhere(runtime, word.title())
        else:
            found = (
                runtime.database.read()
                .execute("SELECT id FROM memories WHERE instr(lower(text), ?)", (word,))
                .fetchall()
            )
            found_ids = [row["id"] for row in found]
            curate.discard(runtime, *found_ids)
            receipt = forget.purge(runtime, found_ids, messages=True)
        assert receipt.settled and not receipt.left, receipt


def plant_all(home: Path, words: list[str], way: str) -> None:
    runtime = opened(home)
    actor = Actor("person")
    anchor = memory_of(runtime, "User likes long walks.", ())
    with runtime.write() as session:
        changes.apply(session, Created(anchor), actor)
    for number, word in enumerate(words):
        plant(runtime, word, way, anchor.id)
        if way == "everywhere":
            plant_only_words(runtime, word, number)
    embed(runtime)
    path, now = runtime.paths.database, runtime.clock()
    runtime.database.backup(new_copy(path, BACKUPS, "schema1", now))
    said = [row["text"] for row in runtime.database.read().execute("SELECT text FROM memories")]
    older_backup(new_copy(path, BACKUPS, "schema0", now), said)
    new_copy(path, ASIDE, "before-restore", now).write_bytes(
        b"\0\1\2 no database " + "\n".join(said).encode()
    )


def plant(runtime: Runtime, word: str, way: str, anchor: str) -> None:
    """Put a word into every place of a memory and its copies."""
    actor, fact = Actor("person"), f"User knows {word.title()} from the pottery class of long ago."
    thread = chats.new_thread(runtime)
    message = turn(
        runtime,
        thread.id,
        f"I know {word.title()} from pottery.",
        f"So {word.title()} it is.",
        word,
    )
    memory = memory_of(runtime, f"User met {word.title()}.", (message.id,), (word,))
    with runtime.write() as session:
        now = runtime.clock()
        changes.apply(session, Created(memory), actor)
        changes.apply(session, Updated(memory.id, text=fact), actor)
        changes.apply(session, Linked(memory.id, ((anchor, 0.5),)), actor)
        value = word if way == "everywhere" else "kept"
        request = ConsentRequest(
            new_id(now), runtime.user_id, FORGOTTEN, "", value, (), "rules", "pending", now, now
        )
        consents.add_request(session, request, memory=memory_of(runtime, fact, ()))
    turn(runtime, thread.id, "What happens in long ago pottery classes?", "Clay happens.", word)
    with runtime.write() as session:
        with_prefetch = partial(Checkpoint.with_prefetch, prediction_id="", needed_info=[word])
        checkpoints.advance(session, thread.id, with_prefetch)


def plant_only_words(runtime: Runtime, word: str, number: int) -> None:
    """Put a word where only somebody who wants it gone everywhere would look."""
    thread = chats.new_thread(runtime)
    chats.add_context_card(runtime, thread.id, f"Seen on the table: {word.title()}'s cup.")
    chats.save_draft(runtime, thread.id, f"Once more: {word.title()}.")
    chats.remember_choice(runtime, f"planted {number}", [word.title()])
    proposals.propose(
        runtime,
        f"client:{number}",
        proposals.Proposed(f"User made vase {number}.", f"a {word}", "notes"),
        20,
    )
    with runtime.write() as session:
        consents.add_file(session, new_id(session.now), f"{word} notes.json")
        said = {
            "draft": f"{word} it is",
            "revision": f"{word} it may be",
            "final": f"{word} it was",
        }
        held = agents.add_round(session, f"run {number}", f"Is it {word}?", "persona:tom", **said)
        agents.add_dissent(session, held, "persona:tom", f"Nobody said {word}.", ("Evidence",), 0.5)
        agents.add_dissent(
            session, held, "persona:tom", "Nobody said that.", ("Evidence",), 0.5, quote=f"a {word}"
        )
        agents.set_agent(
            session, f"client:{number}", imported=f'{{"dissent_history": [], "theirs": "{word}"}}'
        )
    kiln = ScriptedTool("kiln", "pottery", {f"fire {word} -h": f"kiln: {word} is too hot"})
    for action in (f"fire {word} -h", f"fire {word} -l"):
        runs.attempt(runtime, kiln, action, Client(task=f"the {word} vase"))
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(f'{{"lesson": "glaze thinly, number {number}", "theirs": "{word}"}}\n')
        file.write(f'{{"fingerprint": "too thick, number {number}", "theirs": ["{word}"]}}\n')
        file.flush()
        import_lessons(runtime, Path(file.name))
    if number >= len(FIELDS):
        return
    with runtime.decide() as session:
        now = runtime.clock()
        request = new_id(now)
        session.conn.execute(
            """INSERT INTO consent_requests
               (id, user_id, field, old_value, new_value, proposer, created_at, expires_at)
               VALUES (?, ?, ?, '', ?, 'person', ?, ?)""",
            (request, runtime.user_id, FIELDS[number], word.title(), to_text(now), to_text(now)),
        )
        session.conn.execute(
            (
                "UPDATE consent_requests SET state = 'approved', decided_at = created_at, "
                "decided_by = 'person' WHERE id = ?"
            ),
            (request,),
        )
        changes.apply(session, ProfileChanged(request), Actor("person"))


def turn(runtime: Runtime, thread_id: str, text: str, reply: str, word: str) -> Message:
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    model.enqueue(reply, needed_info=[word])
    happened = list(take_turn(runtime, thread_id, text))
    (message,) = [event.message for event in happened if isinstance(event, Accepted)]
    (reply,) = [event.reply for event in happened if isinstance(event, Completed)]
    assert message is not None
    with runtime.write() as session:  # as idle time does it
        expects = f"What else does {word.title()} make?"
        expectations.save_prediction(session, thread_id, reply.id, "predictor", expects, (word,))
        checkpoints.advance(session, thread_id, lambda at: at.with_prediction(expects))
    return message


def memory_of(
    runtime: Runtime, text: str, sources: tuple[str, ...], words: tuple[str, ...] = ()
) -> Memory:
    now = runtime.clock()
    return Memory(
        id=new_id(now),
        text=text,
        tags=words,
        steps=words,
        kind=Kind.SEMANTIC,
        category="notes",
        importance=2,
        pinned=False,
        state=State.LIVE,
        reason="",
        origin="distilled",
        sources=sources,
        created_at=now,
        updated_at=now,
    )


def embed(runtime: Runtime) -> None:
    embedder = runtime.embedding.ready()
    assert embedder is not None
    kinds: tuple[OwnerKind, ...] = ("memory", "message")
    for kind in kinds:
        waiting = vectors.waiting(runtime.read(), kind, embedder.model_id, 10_000)
        rows = embedder.embed([text for _, text in waiting])
        with runtime.write() as session:
            vectors.save(session, kind, embedder.model_id, waiting, rows)


def older_backup(path: Path, said: list[str]) -> None:
    """Write a copy whose schema is not of this version."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        for statement in statements(
            (paths.bundled("migrations") / "0001_memapp.sql").read_text("utf-8")
        ):
            conn.execute(statement)
        conn.execute("PRAGMA application_id = 0x4D454D41")
        conn.execute("PRAGMA user_version = 0")
        conn.execute(
            "UPDATE memory_file SET id = ?", (read_id(path.parent.parent / "memapp.db"),)
        )  # a copy has the id of its file
        for number, text in enumerate(said):
            conn.execute(
                """INSERT INTO memories
                   (id, user_id, text, normal_text, origin, created_at, updated_at)
                   VALUES (?, 'me', ?, ?, 'person', '', '')""",
                (str(number), text, text),
            )


# Looking, with nothing of the program -------------------------------------------------------------


def find(home: Path, word: str, numbers: list[bytes]) -> Found:
    """Return the places in which a word, or one of its vectors, stands; with how often."""
    found: Found = Counter()
    for file in home.rglob("*"):
        if file.is_file():
            count = sum(file.read_bytes().lower().count(form) for form in forms(word))
            count += sum(file.read_bytes().count(vector) for vector in numbers)
            found[name_of(file)] += count
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("", "-wal"):
            if (home / f"memapp.db{suffix}").exists():
                shutil.copy(home / f"memapp.db{suffix}", folder)
        with closing(sqlite3.connect(Path(folder) / "memapp.db")) as conn:
            found.update(dict(in_columns(conn, word)))
            kept = {row[0] for row in conn.execute("SELECT vector FROM embeddings")}
            found["vector"] = len(kept.intersection(numbers))
    return +found


def in_columns(conn: sqlite3.Connection, word: str) -> Iterator[tuple[str, int]]:
    for place, sql in (*COLUMNS.items(), *ONLY_WORDS.items()):
        yield place, conn.execute(sql, (word,)).fetchone()[0]
    for table in ("memories", "messages"):
        conn.execute(
            f"CREATE VIRTUAL TABLE temp.{table}_terms USING fts5vocab ('main', '{table}_fts', "
            "'row')"
        )
        terms = conn.execute(
            f"SELECT count(*) FROM temp.{table}_terms WHERE substr(term, 1, 2) = ?", (word[:2],)
        )
        yield f"index of {table}", terms.fetchone()[0]


def vectors_of(home: Path, words: list[str]) -> dict[str, list[bytes]]:
    """Return the vectors of what holds each word."""
    sql = """SELECT vector FROM embeddings e WHERE
               owner_kind = 'memory'
               AND owner_key IN (SELECT key FROM memories WHERE instr(lower(text), :word))
               OR owner_kind = 'message'
               AND owner_key IN (SELECT key FROM messages WHERE instr(lower(text), :word))"""
    with closing(sqlite3.connect(home / "memapp.db")) as conn:
        return {word: [row[0] for row in conn.execute(sql, {"word": word})] for word in words}


def forms(word: str) -> list[bytes]:
    plain = [word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be")]
    inner = [
        base64.b64encode(b"x" * shift + text.encode())[4:-4].lower()
        for text in (word, word.title())
        for shift in range(3)
    ]
    return [*plain, *inner]


def name_of(file: Path) -> str:
    kinds = {
        "memapp.db-schema1": "backup",
        "memapp.db-schema0": "older backup",
        "memapp.db-before-restore": "damaged copy",
    }
    return next((kind for start, kind in kinds.items() if file.name.startswith(start)), file.name)


if __name__ == "__main__":
    sys.exit(main())
