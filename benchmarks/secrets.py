"""Does a password or key get into a file, through any door? And are look-alikes left alone?

Secrets in the forms of `made_up/secrets` (`forms.txt`, of which the rules were made, and
`fresh.txt`, written before they were tried) are told through each door: added as a memory, said in
a chat and learned from, imported, run, and told by an agent. Afterwards no file below the home has
one. Passwords are of 16 random letters and digits; beside it stands how many shorter ones, and ones
that people make, the rules let through. Ordinary commands and messages (`made_up/secrets`,
`thefuck_traces`, `intercode_sql`; `clinc150`, `messages`, `synthetic_persona_chat`) must stay as
they are, and so must, but for one in fifty, the numbers of orders, parcels, parts, books and the
like (`identifiers.txt`, written before anybody had read the rules).

python -m benchmarks.secrets [--small] [--data ../shared/data]
"""

import argparse
import json
import random
import string
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import MADE_UP, MISSED
from benchmarks.lesson_attacks import agent, person, place
from memapp import bootstrap
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.language.secrets import without_secrets
from memapp.run import background
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.imports.import_file import import_file
from memapp.services.jobs import learn
from memapp.services.turn import take_turn

ALTERED = {"commands": 0.005, "messages": 0.005, "identifiers": 0.02}
EACH, SMALL_EACH = 2, 1
ORDINARY = 2000
MADE_BY_PEOPLE = (
    "hunter2",
    "Sunny4711",
    "Badger77!",
    "Sommer2024",
    "iloveyou1",
    "Pa$$w0rd",
    "rosebud",
)
LETTERS = string.ascii_letters + string.digits
FOLDER = MADE_UP / "secrets"
Told = tuple[str, Sequence[str]]
"""A text, and the secrets in it."""


def told(name: str, each: int, length: int, word: str = "") -> Iterator[Told]:
    """Yield the forms of a file with secrets in them."""
    chance = random.Random(name)

    def drawn(letters: str, count: int) -> str:
        return "".join(chance.choices(letters, k=count))

    for form in (FOLDER / name).read_text("utf-8").splitlines() * each:
        parts = {
            "word": word or drawn(LETTERS, length),
            **{name: drawn(LETTERS, size) for name, size in {"long": 36, "long40": 40}.items()},
            **{
                name: drawn(string.ascii_uppercase + "234567", size)
                for name, size in {"upper": 16, "upper27": 27}.items()
            },
            **{
                name: drawn("0123456789abcdef", size)
                for name, size in {"hex32": 32, "hex40": 40}.items()
            },
            "discord": f"M{drawn(LETTERS, 23)}.{drawn(LETTERS, 6)}.{drawn(LETTERS, 27)}",
        }
        yield (
            form.format(**parts, digits=drawn(string.digits, 9)),
            [parts[part] for part in parts if f"{{{part}}}" in form],
        )


def added(runtime: Runtime, texts: Sequence[str], _: Path) -> None:
    """A memory by hand."""
    for text in texts:
        with suppress(UsageError):
            curate.add(runtime, text)


def said(runtime: Runtime, texts: Sequence[str], _: Path) -> None:
    """A message, which is answered, and learned from."""
    thread = chats.new_thread(runtime).id
    for text in texts:
        chats.save_draft(runtime, thread, text)
        for _event in take_turn(runtime, thread, text):
            pass
    runtime.embedding.fill(bootstrap.open_embedder(runtime))
    for _learned in learn.run(runtime, Cancel(), None):
        pass


def imported(runtime: Runtime, texts: Sequence[str], folder: Path) -> None:
    """A chat of another program, and a list of facts."""
    turns: list[dict[str, Any]] = [
        {"uuid": str(number), "sender": "human", "text": text, "created_at": "2026-01-31T08:15:00Z"}
        for number, text in enumerate(texts)
    ]
    chat = {
        "uuid": "c",
        "name": texts[0][:80],
        "created_at": "2026-01-31T08:15:00Z",
        "updated_at": "2026-01-31T08:15:00Z",
    }
    contents = {
        "chat.json": json.dumps([{**chat, "chat_messages": turns}]),
        "facts.jsonl": "\n".join(json.dumps({"text": text[:300]}) for text in texts),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, "utf-8")
        import_file(runtime, folder / name)


DOORS: dict[str, Callable[[Runtime, Sequence[str], Path], None]] = {
    "add": added,
    "chat": said,
    "import": imported,
}


def in_files(home: Path, secrets: Sequence[str]) -> int:
    """Return how many secrets stand in a file below the home."""
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    return sum(secret.encode() in written for secret in secrets)


def by_door(door: str, all_told: Sequence[Told]) -> int:
    """Tell secrets through a door; return how many of them stand in a file."""
    texts, secrets = (
        [text for text, _ in all_told],
        [secret for _, each in all_told for secret in each],
    )
    with place() as where, tempfile.TemporaryDirectory() as beside:
        home = Path(where["home"])
        if door in DOORS:
            with closing(bootstrap.start(home=home)) as runtime:
                runtime.chat.fill(ScriptedModel())
                DOORS[door](runtime, texts, Path(beside))
                return in_files(home, secrets)
        tell = {"run": person, "hook": agent}[door]
        for number, text in enumerate(texts):
            for output, code in ((f"failed: {text}", 1), ("", 0)):
                with suppress(ValueError):  # one with an odd quote is no command line
                    tell(where, number, text, output, code)
        background.wait(home / "cache")
        return in_files(home, secrets)


def let_through(name: str, length: int, word: str = "") -> float:
    """Return the share of secrets in the forms of a file that the rules let through."""
    found = [
        any(secret in without_secrets(text) for secret in secrets)
        for text, secrets in told(name, 4, length, word)
        if secrets
    ]
    return sum(found) / len(found)


def ordinary(data: Path) -> dict[str, list[str]]:
    """Return ordinary commands and messages: those made up first, then those of the data."""

    def rows(name: str) -> list[dict[str, Any]]:
        file = data / name
        return (
            [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            if file.exists()
            else []
        )

    commands = (FOLDER / "ordinary_commands.txt").read_text("utf-8").splitlines()
    messages = (FOLDER / "ordinary_messages.txt").read_text("utf-8").splitlines()
    slips = [
        row
        for name in ("errors", "not_this_error")
        for row in rows(f"thefuck_traces/dev/{name}.jsonl")
    ]
    commands += [
        text
        for row in slips
        for text in (row["command"], row["output"], *(row.get("corrected") or ()))
    ]
    commands += [
        text
        for row in rows("intercode_sql/dev/wrong_right.jsonl")
        for text in row.values()
        if "select" in str(text).lower()
    ]
    commands += [row["gold"] for row in rows("intercode_sql/dev/episodes.jsonl")]
    messages += [
        text
        for row in rows("messages/dev/cases.jsonl")
        if row["kind"] != "secret"
        for text in row["turns"]
    ]
    for talk, quick in zip(
        (
            text
            for row in rows("synthetic_persona_chat/dev/chats.jsonl")
            for text in row["conversation"]
        ),
        (row["text"] for row in rows("clinc150/dev/utterances.jsonl")),
        strict=False,
    ):
        messages += [talk, quick]
    identifiers = (FOLDER / "identifiers.txt").read_text("utf-8").splitlines()
    kinds = zip(ALTERED, (commands, messages, identifiers), strict=True)
    return {name: list(islice(dict.fromkeys(texts), ORDINARY)) for name, texts in kinds}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help=f"{SMALL_EACH} secret a form")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    each = SMALL_EACH if options.small else EACH
    all_told = [pair for name in ("forms.txt", "fresh.txt") for pair in told(name, each, 16)]
    missed = False
    print(f"{'door':8} {'secrets':>8} {'in a file':>10}")
    for door in (*DOORS, "run", "hook"):
        kept = by_door(door, all_told)
        missed = missed or kept > 0
        print(f"{door:8} {sum(len(secrets) for _, secrets in all_told):8} {kept:10}", flush=True)
    print(f"\n{'let through':14} {'forms':>6} {'fresh':>6}")
    for name, length, words in (
        ("16 characters", 16, [""]),
        ("8 characters", 8, [""]),
        ("made by people", 0, MADE_BY_PEOPLE),
    ):
        shares = [
            sum(let_through(file, length, word) for word in words) / len(words)
            for file in ("forms.txt", "fresh.txt")
        ]
        print(f"{name:14} {shares[0]:6.3f} {shares[1]:6.3f}")
    print(f"\n{'ordinary':11} {'texts':>6} {'altered':>8}")
    for name, texts in ordinary(options.data).items():
        altered = [
            text for text in texts if without_secrets(text, in_command=name == "commands") != text
        ]
        missed = missed or len(altered) > ALTERED[name] * len(texts)
        print(f"{name:11} {len(texts):6} {len(altered):8}")
    return MISSED if missed else 0


if __name__ == "__main__":
    sys.exit(main())
