"""Writes the pages of docs/ that follow from the code: settings, command line and schema.

python docs/reference.py
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import click

from memapp import cli, settings
from memapp.store import schema
from memapp.store.vocabulary import VOCABULARY

ROOT = Path(__file__).parent.parent
NOTE = "<!-- Written by docs/reference.py from the code. Change the code and run `make docs`. -->\n"
COLUMNS = 80

TABLES = {
    "Chats": {
        "threads": "The chats: title, persona, times, and when a chat was deleted.",
        "messages": "The messages, with their role, status, and the spans that were pasted.",
        "drafts": "The text that is being typed in each chat.",
        "context_cards": "The context cards of a chat (`/evidence`).",
        "predictions": "The expected next messages, and how the real ones compared.",
        "surprises": "The queue of messages to learn from; those as predicted are settled unread.",
        "recalls": "The memories and messages that stood in the prompt of an answer.",
        "supervisor_checkpoints": "The state of each chat, so that a crash costs no turn.",
        "episode_ends": "The last message of each chat that an episode covers.",
    },
    "Memories": {
        "memories": "The memories: text, kind, category, importance, state, and erasure date.",
        "memory_sources": "The messages that a memory was read from.",
        "versions": "The earlier contents of each memory.",
        "history": "The log of every change: who, when, why. Undo reads this table.",
        "relations": "The links between memories, with a strength.",
        "embeddings": "The vectors of memories, messages and lessons, with their model.",
        "access_counts": "How often and when a memory was used.",
        "howto_ticks": "The steps of how-tos that are done.",
        "compared_pairs": "The pairs of memories that were compared for merging.",
        "consolidated": "The memories whose pairs were all compared, and when.",
    },
    "Consent": {
        "profile_fields": "The fields of the profile. A field that is not listed cannot exist.",
        "profile": "The approved values of the profile.",
        "consent_requests": "The consent requests: old and new value, proposer, state, expiry.",
        "request_evidence": "The messages that a request was read from.",
        "imported_files": "The imported files, each decided as one request.",
    },
    "Forgetting": {
        "forgotten": "Keyed hashes of erased texts, so that they are not learned again.",
        "forgotten_key": "The random key of these hashes.",
        "taken_back": "The messages that are no evidence any more.",
        "purge_jobs": "The erasures that are not finished, for the case of a crash.",
    },
    "Agents and reviews": {
        "agents": "The agents: everything that remembers, changes or proposes.",
        "agent_months": "The older events of an agent, summed up by month.",
        "rubric": "The weights of criteria that differ from `assets/rubric.toml`.",
        "rounds": "The reviews of answers: draft, revision, and what you chose.",
        "dissents": "The objections of reviewers.",
        "thread_revision": "The last change that each chat and agent was told of.",
        "change_log": "The changes that the delta header tells chats and agents.",
        "change_told": "The single changes that a chat was told of out of order.",
    },
    "Lessons": {
        "runs": "The runs: one attempt at a task, or commands of one program in one place.",
        "run_steps": "The commands of a run, and how they ended.",
        "judged_steps": "How a model judged steps without a known result.",
        "fingerprints": "The shapes by which failures are recognised.",
        "error_events": "The failed steps, and the step that solved each.",
        "lessons": "The lessons: the command that fails and the one that works.",
        "lesson_triggers": "The fingerprints that a lesson is for.",
        "lesson_tags": "The kinds of failure of a lesson.",
        "lesson_conflicts": "The lessons that solve one failure in different ways.",
        "lesson_versions": "The earlier contents of each lesson.",
        "activations": "The lessons that were shown or held back, and the outcome.",
        "lesson_rows": "The imported rows of lessons, for export.",
        "error_rows": "The imported rows of failures, for export.",
    },
    "The file": {
        "memory_file": "The id of the file, and a count of erasures.",
        "deleted_embeddings": "A count; as it rises, open processes reload their embeddings.",
        "events": "The operations, counted in Activity.",
        "jobs": "When each background job ran, and when it is due.",
        "leases": "The work that one process at a time does, such as answering in a chat.",
        "sync_machine": "This machine among yours; no row where nothing is shared.",
        "sync_things": "When each shared row was changed last, and if the others know.",
        "sync_entries": "The entries that were carried out, or sent, and what they were about.",
        "sync_erasures": "Erasures that the other machines do not know of yet, encrypted.",
        "sync_decisions": "A yes from another machine, for as long as it takes to write it down.",
        "interface": "What the screen remembers, such as the one-time hints.",
    },
}
"""One line for each table; tables that are not here are listed without one."""


def settings_page() -> str:
    lines = [
        f"{NOTE}\n# Settings\n",
        "`memapp config show` lists every setting with its value and its origin. Change one under",
        "Settings (F9), with `memapp config set NAME VALUE`, or in `config.toml`, whose path",
        "`memapp config path` prints.",
        "",
        "A command-line option comes first, then an environment variable (`MEMAPP_` and the name",
        "in capitals, such as `MEMAPP_TOP_K`), then `config.toml`, then the default.",
        f"{' and '.join(map('`{}`'.format, sorted(settings.WRITTEN)))} count only in this file.",
        "",
        "```toml",
        "# config.toml",
        'persona = "companion"',
        "reply_tokens = 640",
        "```",
    ]
    for heading, names in setting_groups():
        lines += [f"\n## {heading}\n", "| Setting | Default | Values | Meaning |"]
        lines += ["|---|---|---|---|"]
        lines += [setting_row(name) for name in names]
    return "\n".join(lines) + "\n"


def setting_groups() -> Iterator[tuple[str, list[str]]]:
    """Yield the headings of the settings in the source, with the names below each."""
    text = Path(settings.__file__).read_text("utf-8")
    for part in re.split(r"^    # (?=[A-Z])", text, flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        names = re.findall(r"^    (\w+): .*= Field\(", rest, re.MULTILINE)
        yield heading, names


def setting_row(name: str) -> str:
    field = settings.Settings.model_fields[name]
    default = settings.Settings().model_dump(mode="json")[name]
    said = str(default).lower() if isinstance(default, bool) else str(default)
    values = "text"
    if field.annotation is not str:
        values = settings.expected(name).partition(" is ")[2].rstrip(".")
    meaning = " ".join((field.description or "").split()).replace("|", "\\|")
    return f"| `{name}` | {f'`{said}`' if said else 'empty'} | {values} | {meaning} |"


def command_line_page() -> str:
    lines = [
        f"{NOTE}\n# Command line\n",
        "Data goes to standard output, everything else to standard error. Most commands take",
        "`--json`. An id can be shortened to its first or last characters.\n",
        "| Exit code | Meaning |",
        "|---|---|",
        "| 0 | done |",
        "| 1 | failed; the message says why |",
        "| 2 | wrong usage, or wrong settings |",
        "| 3 | busy: the file is in use, or the model is still loading |",
        "| 4 | needs your yes: add `--yes` |",
        "| 130 | stopped with ctrl+c |",
    ]
    for name, command, context in commands(cli.main, "memapp"):
        lines += [f"\n{'#' * min(4, 1 + len(name.split()))} {name}\n", "```text"]
        lines += [command.get_help(context).rstrip(), "```"]
    return "\n".join(lines) + "\n"


def commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield a command and the commands below it, in the order of the help."""
    widths = {"terminal_width": COLUMNS, "max_content_width": COLUMNS}
    given = {**command.context_settings, **widths}
    context = click.Context(command, info_name=name.split()[-1], parent=parent, **given)
    yield name, command, context
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            below = command.get_command(context, word)
            assert below
            yield from commands(below, f"{name} {word}", context)


def schema_page() -> str:
    lines = [
        f"{NOTE}\n# The file's schema\n",
        "Everything memapp knows is in one SQLite file, `memapp.db`; `memapp locate db` prints its",
        "path. `migrations/` creates the tables; all are `STRICT`. Triggers guard the profile,",
        "consent requests and lessons; no code above the database gets around these rules. Ids are",
        "ULIDs, times are UTC text. Read the file with any SQLite program; close memapp before you",
        "write to it.",
    ]
    with closing(sqlite3.connect(":memory:")) as fresh:
        schema.add_functions(fresh)
        for file in schema.scripts():
            for statement in schema.statements(file.read_text("utf-8")):
                fresh.execute(statement)
        described = {name for group in TABLES.values() for name in group}
        names = table_names(fresh)
        rest = {name: "" for name in names if name not in described}
        for heading, group in {**TABLES, "Other tables": rest}.items():
            if group:
                lines += [f"\n## {heading}\n", "| Table | Content | Columns |", "|---|---|---|"]
                lines += [table_row(fresh, name, group[name]) for name in group if name in names]
        lines += ["\n## Words\n", "A column that holds one of a few words refers to one of these"]
        lines += ["tables. A new word is an `INSERT` in the next migration.\n"]
        lines += ["| Table | Words |", "|---|---|"]
        for name in sorted(VOCABULARY):
            found = fresh.execute(f"SELECT name FROM {name}")  # noqa: S608
            lines.append(f"| `{name}` | {', '.join(f'`{word}`' for (word,) in found if word)} |")
    return "\n".join(lines) + "\n"


def table_names(connection: sqlite3.Connection) -> list[str]:
    """Return the tables of memapp, without words, full-text indexes and SQLite's own."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    others = re.compile(r"sqlite_|.*_fts")
    return [name for (name,) in rows if name not in VOCABULARY and not others.match(name)]


def table_row(connection: sqlite3.Connection, name: str, content: str) -> str:
    columns = connection.execute("SELECT name FROM pragma_table_info(?)", [name])
    return f"| `{name}` | {content} | {', '.join(column for (column,) in columns)} |"


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "command-line.md": command_line_page,
    "schema.md": schema_page,
}

if __name__ == "__main__":
    for page, text in PAGES.items():
        (ROOT / "docs" / page).write_text(text(), "utf-8")
