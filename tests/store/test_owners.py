"""Whose rows a statement touches: every one on a table that belongs to people names the person, or
says here why not.
"""

import ast
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from memapp import paths
from memapp.store import schema

FIRST_WORDS = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|EXISTS)\b")
TABLES = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)")
NAMES_A_PERSON = re.compile(
    r"user_id|:user\b|\{(?:where|whose|scope\.where|_CONTEXT|_WAITING|_PENDING|_LESSON)\}"
)
WITHOUT_A_PERSON = {
    "consents._REQUESTS": "only a beginning; whoever uses it goes on with the person",
    "restore.look_at": "a backup is counted as a whole",
    "restore._prepare": "a backup is put in place as a whole: nobody's yes in it counts any more",
    "scope._CONDITIONS": "over `memories o`, of which `Scope.where` names the person",
    "sync._PARTS": "within a row of the person's",
    "sync._VERSION": "within a row of the person's",
    "vectors.Matrix": "up to which number the embeddings were read, whoever's they are",
    "vectors._TEXT": "one row by its key, which `waiting` found for the person",
}


def tables_of_people() -> set[str]:
    with closing(sqlite3.connect(":memory:")) as conn:
        schema.add_functions(conn)
        for script in schema.scripts():
            for statement in schema.statements(script.read_text("utf-8")):
                conn.execute(statement)
        names = [
            row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        owned = {
            name
            for name in names
            if "user_id" in {row[1] for row in conn.execute(f"PRAGMA table_info({name})")}
        }
    return owned | {
        "memories_fts",
        "messages_fts",
        "lessons_fts",
    }  # what their rows say is somebody's too


def statements() -> Iterator[tuple[str, str]]:
    """Yield every SQL text of the store, with the function or constant around the text."""
    for file in sorted((paths.bundled("memapp") / "store").rglob("*.py")):
        for place in ast.parse(file.read_text("utf-8")).body:
            name = getattr(place, "name", "") or next(
                (part.id for part in ast.walk(place) if isinstance(part, ast.Name)), ""
            )
            for text in _texts(place):
                if FIRST_WORDS.match(text):
                    yield f"{file.stem}.{name}", text


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield "".join(
            str(expr.value) if isinstance(expr, ast.Constant) else ast.unparse(expr)
            for expr in node.values
        )
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def test_every_statement_on_what_belongs_to_people_names_the_person() -> None:
    owned = tables_of_people()
    touching = {(where, text) for where, text in statements() if owned & set(TABLES.findall(text))}
    assert len(touching) > 100, "the search below has found the statements"
    nameless = {where: text for where, text in touching if not NAMES_A_PERSON.search(text)}
    assert {where: text for where, text in nameless.items() if where not in WITHOUT_A_PERSON} == {}
    assert WITHOUT_A_PERSON.keys() == nameless.keys(), "a reason that nothing needs any more"
