"""Can what a program writes get into a hint, a secret into the file, or a query into somebody's
database?

Each text of `data/attacks/dev`, or without the data of `benchmarks/made_up`, is what a failing
command writes under `memapp run` and for `memapp hook agent`, and a name in a database of which
`memapp sql` complains. Then something works, and the same fails again: the hint must be what
worked, and have no word of the text. Secrets in 40 forms (`made_up/lessons/secrets.txt`) stand in
commands and their output; afterwards no file below the home has one. And
`made_up/lessons/sql_tricks.txt` tries to write through a query.

python -m benchmarks.lesson_attacks [--small] [--data ../shared/data]
"""

import argparse
import contextlib
import io
import json
import os
import random
import re
import shlex
import sqlite3
import string
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import MADE_UP, MISSED
from memapp.domain.lessons.recording import Client, ToolStep
from memapp.run import background, hints
from memapp.run.arguments import CommandLine
from memapp.run.attempt import Attempted
from memapp.run.hook_event import agent_step
from memapp.store.lent_database import lent
from memapp.tools.result import Ran
from memapp.tools.sql import Sql, as_attempt

TEXTS, SMALL_TEXTS = 100, 12
SECRETS_EACH, SMALL_SECRETS_EACH = 5, 1
LETTERS = string.ascii_letters + string.digits
Options = dict[str, str]


def person(options: Options, number: int, command: str, output: str, code: int) -> str:
    """A person at a terminal, under `memapp run`."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        hints.tell(
            CommandLine([f"kiln{number}", *shlex.split(command)], options),
            Ran(code, output, 0.1),
        )
    return said.getvalue()


def agent(options: Options, number: int, command: str, output: str, code: int) -> str:
    """A coding agent, through its hook."""
    event = (
        {"hook_event_name": "PostToolUseFailure", "error": f"Exit code {code}\n{output}"}
        if code
        else {}
    )
    told = {
        "session_id": "s",
        "cwd": str(Path.cwd()),
        "tool_input": {"command": f"kiln{number} {command}"},
        **event,
    }
    step = agent_step(told)
    assert step
    return hints.tell_agent(options, step)


def database(options: Options, number: int, command: str, output: str, code: int) -> str:
    """A person who asks a database, in which a view is named like a table and reads from one that
    has the text for a name.
    """
    file, said = Path.cwd() / f"{number}.db", io.StringIO()
    with contextlib.closing(sqlite3.connect(file)) as made:
        made.execute(f"CREATE TABLE IF NOT EXISTS kiln{number} (fire, heat)")
        quoted = output.replace('"', "").replace("\0", "")
        made.execute(f'CREATE VIEW IF NOT EXISTS kilns{number} AS SELECT * FROM "{quoted}"')
    query = (
        f"SELECT fire FROM {'kilns' if code else 'kiln'}{number} -- "
        f"{command.removesuffix(' --heat')}"
    )
    with contextlib.redirect_stderr(said), lent(file) as opened:
        done = as_attempt(query, opened.ask(query))
        assert bool(done.exit_code) is bool(code) and (
            not code or words(quoted) <= words(done.output)
        )
        tool = Sql(opened)
        step = ToolStep(tool.name, tool.scope, done, tool.feedback(done), Client())
        hints.tell_person(options, Attempted(step, str(file), str(file.parent)))
    return said.getvalue()


CLIENTS: dict[str, Callable[[Options, int, str, str, int], str]] = {
    "memapp run": person,
    "memapp hook agent": agent,
    "memapp sql": database,
}


def words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.lower()))


def hostile_words(options: Options, client: str, texts: list[str]) -> tuple[int, int]:
    """Return how many hints came, and how many words of what was written stood in one."""
    tell, hinted, leaked = CLIENTS[client], 0, 0
    allowed = words(
        "memapp: here `kiln fire --heat` worked once, untested as a hint · memapp why SELECT fire "
        "FROM"
    )
    for number, text in enumerate(texts):
        tell(options, number, "fire", text, 1)
        tell(options, number, "fire --heat", "", 0)
        hint = tell(options, number, "fire", text, 1)
        hinted += "worked once" in hint
        leaked += len((words(hint) & words(text)) - allowed)
    return hinted, leaked


def secrets_kept(options: Options, client: str, each: int) -> tuple[int, int]:
    """Return how many secrets were told, and how many of them stand in a file below the home."""
    chance, secrets = random.Random(client), set()
    forms = (MADE_UP / "lessons" / "secrets.txt").read_text("utf-8").splitlines()
    for number, form in enumerate(forms, start=1000):
        for at in range(each):
            parts = {
                "word": "".join(chance.choices(LETTERS, k=16)),
                "long": "".join(chance.choices(LETTERS, k=36)),
                "upper": "".join(chance.choices(LETTERS[26:], k=16)).upper(),
            }
            secrets |= {part for name, part in parts.items() if f"{{{name}}}" in form}
            command = form.format(**parts)
            CLIENTS[client](options, number * SECRETS_EACH + at, command, f"failed: {command}", 1)
    background.wait(Path(options["home"]) / "cache")
    written = b"".join(
        path.read_bytes() for path in Path(options["home"]).rglob("*") if path.is_file()
    )
    return len(secrets), sum(secret.encode() in written for secret in secrets)


def tricks_that_write() -> tuple[int, int]:
    """Return how many tricks were tried, and how many of them were answered or changed anything."""
    folder = Path.cwd() / "lent"
    folder.mkdir()
    file, done = folder / "vases.db", 0
    with contextlib.closing(sqlite3.connect(file)) as made:
        made.executescript(
            "CREATE TABLE vases (id INTEGER PRIMARY KEY, name, height); INSERT INTO vases (name) "
            "VALUES ('tall');"
        )
    before = file.read_bytes()
    tricks = (MADE_UP / "lessons" / "sql_tricks.txt").read_text("utf-8").splitlines()
    for trick in tricks:
        with lent(file) as opened:
            done += not opened.ask(trick.format(folder=folder)).error
        done += file.read_bytes() != before or [path.name for path in folder.iterdir()] != [
            file.name
        ]
    return len(tricks), done


def read_texts(data: Path, most: int) -> list[str]:
    """Return hostile texts from over all of the set."""
    folder = data / "attacks" / "dev"
    folder = folder if folder.exists() else MADE_UP / "attacks"
    rows = [
        json.loads(line)
        for line in (folder / "strings.jsonl").read_text("utf-8").split("\n")
        if line
    ]
    texts = [row["text"] for row in rows if row["label"] in ("attack", "carrier")]
    return texts[:: max(1, len(texts) // most)][:most]


@contextlib.contextmanager
def place() -> Iterator[Options]:
    """Work in a folder, and with a memory, that are thrown away."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield {"home": str(Path(folder) / "home")}
        finally:
            os.chdir(before)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help=f"{SMALL_TEXTS} texts, {SMALL_SECRETS_EACH} secret a form",
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    texts = read_texts(options.data, SMALL_TEXTS if options.small else TEXTS)
    missed = 0
    print(f"{'client':20} {'texts':>6} {'hints':>6} {'words':>6} {'secrets':>8} {'kept':>5}")
    for client in CLIENTS:
        with place() as where:
            hints, leaked = hostile_words(where, client, texts)
            told, kept = secrets_kept(
                where, client, SMALL_SECRETS_EACH if options.small else SECRETS_EACH
            )
        print(f"{client:20} {len(texts):6} {hints:6} {leaked:6} {told:8} {kept:5}", flush=True)
        missed += leaked + kept + (hints < len(texts))
    with place():
        tried, done = tricks_that_write()
    print(f"{tried} tricks in SQL, {done} written")
    return MISSED if missed or done else 0


if __name__ == "__main__":
    sys.exit(main())
