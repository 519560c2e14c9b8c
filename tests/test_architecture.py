"""The shape of the code: permitted imports, late loading, and forbidden texts.

> Imports go down, never up, never sideways. Only `bootstrap` sees everything.
"""

import ast
import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from memapp.language.normal_form import WORDING
from memapp.store.opening import open_database

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "memapp"
FILES = sorted(PACKAGE.rglob("*.py"))


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEAVY = words("llama_cpp sentence_transformers torch transformers huggingface_hub textual")
LONGEST_FUNCTION = 60


@dataclass(frozen=True)
class Rule:
    """What one package may import."""

    ours: frozenset[str]
    theirs: frozenset[str]
    inside_functions: frozenset[str] = frozenset()
    """Slow to import, so only where it is used."""
    standard: frozenset[str] = frozenset(sys.stdlib_module_names)
    """What it may use of the standard library."""


NETWORK = words(
    "socket ssl http urllib ftplib smtplib imaplib poplib telnetlib xmlrpc socketserver webbrowser"
)
PURE = words(
    "bisect collections dataclasses datetime difflib enum functools html itertools json math re "
    "types typing unicodedata"
)
"""What reads no file, no clock and no environment."""


def rule(
    ours: str,
    theirs: str = "",
    inside_functions: str = "",
    standard: frozenset[str] = Rule.standard - NETWORK,
) -> Rule:
    return Rule(words(ours), words(theirs), words(inside_functions), standard)


# Packages first, then the single modules beside them. A name may stand for a module of a package:
# `store.database`.
RULES = {
    # `random` draws the same from the same seed, which is always given, and `zlib` has a checksum.
    "domain": rule(
        "domain errors", "pydantic rapidfuzz", "yaml", standard=PURE | {"random", "zlib"}
    ),
    # Word lists are data; `language.lexicon` reads them once and hands them on.
    "language": rule("language domain errors paths", "rapidfuzz numpy",
     standard=PURE | {"fractions", "tomllib", "zlib"}),
    "store": rule("store domain errors paths", "sqlite_utils numpy"),
    "tools": rule("tools domain.lessons errors", inside_functions="platformdirs"),
    "prompts": rule("prompts language domain errors paths toml_file", "pydantic"),
    "inference": rule("inference domain errors", "jinja2 httpx numpy psutil pydantic",
     inside_functions="llama_cpp gguf sentence_transformers torch huggingface_hub threadpoolctl",
     standard=Rule.standard),
    # `inference` itself is the Protocols; its modules, the real models, are for `bootstrap`. What
    # only looks at a file or an address, or fetches a file, and loads nothing, may be asked before
    # it is chosen.
    "services": rule(
        "services store tools prompts language inference.Protocols inference.gguf_file "
        "inference.model_folder"
        " inference.server_http inference.server_key inference.llama_build inference.crashes "
        "inference.download"
        " inference.other_programs inference.cached_copies inference.templates domain runtime"
        " settings errors paths",
        "psutil numpy pydantic",
        inside_functions="sync",
    ),
    # The keys of sync and the database between machines: an extra, so `services` imports this in
    # functions only.
    "sync": rule(
        "sync domain inference.network errors", "certifi psycopg nacl", standard=Rule.standard
    ),
    "ui": rule(
        "ui services language domain runtime errors paths crash",
        "textual rich markdown_it rapidfuzz",
    ),
    "cli": rule(
        "cli run services tools language domain inference.Protocols runtime settings errors paths"
        " crash",
        "click rapidfuzz psutil rich",
        inside_functions="ui bootstrap inference store prompts mcp",
    ),
    # Beside `cli`: another way to talk to the services. The package `mcp` is an extra, so `cli`
    # imports this in functions only.
    "mcp": rule("mcp services domain runtime errors toml_file", "mcp pydantic tomlkit yaml"),
    # Below `cli`; it runs commands, and loads the rest of memapp only after one that failed.
    "run": rule(
        "run services tools language.normal_form domain runtime"
        " store.fingerprints store.connection store.session store.opening"
        " settings environment categories paths crash errors toml_file"
    ),
    "bootstrap": rule(
        "domain language store prompts services inference runtime settings categories errors paths"
        " run.background"
    ),
    "categories": rule("domain errors toml_file", "pydantic"),
    "runtime": rule(
        "domain inference.Protocols store.database store.saved_values store.session store.encoding "
        "settings errors paths"
    ),
    "settings": rule("domain errors environment toml_file", "pydantic rapidfuzz tomlkit"),
    "paths": rule("errors", "platformdirs"),
    "toml_file": rule("errors"),
    "crash": rule(""),
    "errors": rule(""),
    "__init__": rule(""),
    "environment": rule(""),
    "__main__": rule("cli run.arguments run.command run.hook"),
}  # fmt: skip


@dataclass(frozen=True)
class Import:
    file: Path
    line: int
    name: str
    """Dotted, with what is imported from it: `memapp.store.chat`, `numpy.typing.NDArray`."""
    in_function: bool
    for_types: bool

    @property
    def place(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}"

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]


@pytest.fixture(scope="module", autouse=True)
def no_garbage_is_collected() -> Iterator[None]:
    """Keep the collector from walking through the trees again and again: half of the time."""
    gc.disable()
    yield
    tree.cache_clear()
    gc.enable()


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"), file)


def imports(file: Path) -> Iterator[Import]:
    """Yield every import of a file, however deep it stands."""

    def walk(node: ast.AST, in_function: bool, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.Import(names=names):
                    for alias in names:
                        yield Import(file, child.lineno, alias.name, in_function, for_types)
                case ast.ImportFrom(module=module, names=names, level=level):
                    assert not level, (
                        f"{file.name}:{child.lineno}: write imports in full, from memapp"
                    )
                    for alias in names:
                        yield Import(
                            file, child.lineno, f"{module}.{alias.name}", in_function, for_types
                        )
                case ast.expr():
                    pass  # there is no import in it
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield from walk(child, True, for_types)
                case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                    yield from walk(child, in_function, True)
                case _:
                    yield from walk(child, in_function, for_types)

    yield from walk(tree(file), False, False)


def owner(file: Path) -> str:
    """Return the package, or the module beside the packages, that a file belongs to."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def module_of(name: str) -> str:
    """Return what an import of ours leads to: `store.chat`, `errors`, or `inference.Protocols` for
    a name in `__init__`.
    """
    parts = name.split(".")[1:]
    folder = PACKAGE / parts[0]
    if not folder.is_dir():
        return parts[0]
    if len(parts) > 1 and ((folder / f"{parts[1]}.py").exists() or (folder / parts[1]).is_dir()):
        return ".".join(parts[:2])
    return f"{parts[0]}.Protocols" if parts[0] == "inference" else parts[0]


def allowed(found: Import, rule: Rule) -> bool:
    if found.top in sys.stdlib_module_names:
        return found.top in rule.standard
    names = rule.ours
    module = found.top
    if found.top == "memapp":
        if found.name == "memapp":
            return False
        module = module_of(found.name)
        here = {module, module.partition(".")[0]}
    else:
        names, here = rule.theirs, {module}
    return bool(here & names) or (
        bool(here & rule.inside_functions) and (found.in_function or found.for_types)
    )


def test_every_module_imports_only_what_its_layer_may() -> None:
    wrong = [
        f"{found.place}: {owner(file)} must not import {found.name}"
        for file in FILES
        for found in imports(file)
        if not allowed(found, RULES[owner(file)])
    ]
    assert not wrong, "\n".join(wrong)


def test_a_new_package_needs_a_line_in_the_table() -> None:
    assert {owner(file) for file in FILES} - set(RULES) == set()


def test_the_layers_have_no_way_back_up() -> None:
    below = {
        package: {name.partition(".")[0] for name in rule.ours} - {package}
        for package, rule in RULES.items()
    }
    assert "domain" in TopologicalSorter(below).static_order(), "a way back raises CycleError"


@pytest.mark.parametrize(
    ("file", "source", "wrong"),
    [
        ("domain/x.py", "import json", False),
        ("domain/x.py", "import sqlite3", True),
        ("domain/x.py", "from pathlib import Path", True),
        ("domain/x.py", "from memapp.language.lexicon import lexicon", True),
        ("language/x.py", "from memapp.domain.memory import Memory", False),
        ("language/x.py", "from memapp.store import chat", True),
        ("language/x.py", "import pydantic", True),
        ("language/lexicon.py", "import os", True),
        ("store/x.py", "from memapp.language.normal_form import normalise", True),
        ("inference/x.py", "from memapp.language.lexicon import lexicon", True),
        ("prompts/x.py", "from memapp.language.query_words import query_words", False),
        ("services/x.py", "import socket", True),
        ("ui/x.py", "from urllib.request import urlopen", True),
        ("domain/x.py", "from memapp.store import chat", True),
        ("domain/x.py", "def f():\n    from memapp.store import chat", True),
        ("prompts/x.py", "import memapp.store.chat", True),
        ("prompts/x.py", "from memapp import store", True),
        ("inference/x.py", "from memapp.store import chat", True),
        ("inference/x.py", "import llama_cpp", True),
        ("tools/x.py", "from memapp.store import chat", True),
        ("run/x.py", "from memapp.ui.app import MemappApp", True),
        ("inference/x.py", "def f():\n    import llama_cpp", False),
        ("services/x.py", "from memapp.inference import ChatModel", False),
        ("services/x.py", "from memapp.inference.llama import LlamaModel", True),
        ("services/x.py", "from memapp.inference import llama", True),
        ("services/x.py", "import textual", True),
        ("ui/x.py", "from memapp.store import chat", True),
        ("ui/x.py", "from memapp import bootstrap", True),
        ("cli/x.py", "from memapp.ui.app import MemappApp", True),
        ("cli/x.py", "def f():\n    from memapp.ui.app import MemappApp", False),
    ],
)
def test_the_check_itself_tells_right_from_wrong(
    file: str, source: str, wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = PACKAGE / file
    monkeypatch.setitem(globals(), "tree", lambda _: ast.parse(source))
    assert all(allowed(found, RULES[owner(path)]) for found in imports(path)) is not wrong


# The layers of the screen -------------------------------------------------------------------------

UI_LAYERS = tuple(
    words(layer)
    for layer in (
        "safe_text themes garbage pasted_spans keys terminal terminal_app modes messages",
        "background read_models streaming worker_threads session",
        "widgets",
        "memories.memory_rows",
        "dialogs memories.form screens.find",  # they show what they are given, and return an answer
        "panels activity inbox memories learned",
        "chat",
        "screens",
        "palette navigation app",
    )
)
"""From the bottom. A folder stands for all in it that is not named more closely. What is above is
told by messages.
"""


@cache
def ui_module(name: str) -> str:
    """Return the module of the screen that an import leads to: `widgets.composer`; empty for
    anything else.
    """
    parts = name.split(".")
    places = (".".join(parts[2:end]) for end in (4, 3) if parts[:2] == ["memapp", "ui"])
    return next(
        (place for place in places if (PACKAGE / "ui" / f"{place.replace('.', '/')}.py").exists()),
        "",
    )


def ui_layer(module: str) -> int:
    named = (
        (len(name), number)
        for number, layer in enumerate(UI_LAYERS)
        for name in layer
        if f"{module}.".startswith(f"{name}.")
    )
    return max(named)[1]


def ui_imports() -> dict[str, set[str]]:
    """Return the imports between modules of the screen, for types and inside functions too."""
    files = [file for file in FILES if owner(file) == "ui" and file.name != "__init__.py"]
    modules = {
        ".".join(file.relative_to(PACKAGE / "ui").with_suffix("").parts): file for file in files
    }
    return {
        name: {ui_module(found.name) for found in imports(file)} - {""}
        for name, file in modules.items()
    }


def test_no_file_of_the_screen_imports_upward() -> None:
    upward = [
        f"{module} must not import {other}"
        for module, others in ui_imports().items()
        for other in others
        if ui_layer(other) > ui_layer(module)
    ]
    assert upward == []


def test_no_files_of_the_screen_import_each_other_in_a_circle() -> None:
    in_order = list(TopologicalSorter(ui_imports()).static_order())
    assert "app" in in_order, "a circle raises CycleError"


@pytest.mark.parametrize(
    "source",
    [
        "from memapp.ui.app import MemappApp",
        "from memapp.ui import app",
        "if TYPE_CHECKING:\n    from memapp.ui.app import MemappApp",
        "class X:\n    if TYPE_CHECKING:\n        import memapp.ui.app",
        "def f():\n    from memapp.ui.app import MemappApp",
    ],
)
def test_the_screens_check_sees_every_import(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "tree", lambda _: ast.parse(source))
    found = ui_imports()
    assert found["widgets.topbar"] == {"app"}
    assert ui_layer("app") > ui_layer("screens.chat") > ui_layer("widgets.topbar")
    with pytest.raises(CycleError):
        TopologicalSorter(found).prepare()


# What is loaded when ------------------------------------------------------------------------------


def loaded_by(source: str, home: Path, among: frozenset[str] = HEAVY) -> set[str]:
    """Run a program in a fresh interpreter and return which of some modules it loaded."""
    report = f"\nimport sys; print('loaded:', *({set(among)} & set(sys.modules)), file=sys.stderr)"
    environment = {**os.environ, "MEMAPP_HOME": str(home)}
    command = [sys.executable, "-c", source + report]
    done = subprocess.run(
        command, env=environment, cwd=home, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].removeprefix("loaded:").split())


def test_the_services_load_neither_the_screen_nor_a_model_library(tmp_path: Path) -> None:
    files = (PACKAGE / "services").rglob("[!_]*.py")
    modules = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    assert modules
    assert loaded_by(f"import {', '.join(modules)}", tmp_path) == set()


def test_commands_that_need_no_model_load_none_and_no_screen(tmp_path: Path) -> None:
    commands = (
        ["--help"],
        ["add", "oolong in the morning"],
        ["search", "oolong"],
        ["list"],
        ["chats", "list"],
    )
    source = (
        f"from memapp.cli import run\nfor command in {commands}: assert run(command) == 0, command"
    )
    assert loaded_by(source, tmp_path) == set()


def test_the_list_of_commands_loads_none_of_them(tmp_path: Path) -> None:
    late = words("numpy pydantic memapp.store memapp.services memapp.cli.trash")
    assert loaded_by("from memapp.cli import run; run(['--help'])", tmp_path, HEAVY | late) == set()


def test_the_first_picture_waits_for_no_store_or_unused_command(tmp_path: Path) -> None:
    late = words(
        "numpy sqlite_utils memapp.store memapp.services memapp.inference memapp.settings "
        "memapp.cli.trash"
    )
    # the word lists, and what reads them
    late |= words("rapidfuzz memapp.language.lexicon memapp.domain.turn_events")
    terminal = "import sys; sys.stdin.isatty = sys.stdout.isatty = sys.stderr.isatty = lambda: True"
    opening = (
        "from memapp.cli import run; from memapp.ui.app import MemappApp; "
        "MemappApp.run = lambda app: None; run([])"
    )
    assert loaded_by(f"{terminal}\n{opening}", tmp_path, HEAVY | late) == {"textual"}


def test_a_command_that_works_waits_for_nothing_of_memapp(tmp_path: Path) -> None:
    late = words(
        "click pydantic dataclasses subprocess memapp.run.hints memapp.paths memapp.store "
        "memapp.settings"
    )
    source = (
        "from memapp.run import arguments, command;"
        " assert command.main(arguments.read_run(['run', '--', 'true'])) == 0"
    )
    assert loaded_by(source, tmp_path, HEAVY | late) == set()


def test_after_a_failed_command_a_hint_waits_only_for_what_finds_it(tmp_path: Path) -> None:
    late = words(
        "click dataclasses pydantic tomllib subprocess rapidfuzz memapp.settings memapp.runtime "
        "memapp.store.database memapp.store.opening memapp.store.changes "
        "memapp.language.lexicon memapp.domain.lessons.utility"
    )
    source = (
        "from memapp.run import arguments, command;"
        " assert command.main(arguments.read_run(['run', '--', 'cat', 'no such vase'])) == 1"
    )
    open_database(tmp_path / "memapp.db", WORDING).close()
    assert loaded_by(source, tmp_path, HEAVY | late) == set()


# What is never written ----------------------------------------------------------------------------

NEVER = {
    r"\bpickle\b|\bmarshal\.load|\bshelve\b": "runs whatever the file says",
    r"(?<![.\w])(?:eval|exec)\(": "runs text",
    r"\byaml\.load\b": "builds any object; files are TOML",
    r"\bLlamaDiskCache\b|\bLlamaRAMCache\b": "pickles, or copies 100 MB a turn",
    r"\bfrom_pretrained\b": "may reach for the network; models are opened from their folder",
    r"\btrust_remote_code\s*=\s*True\b": "runs code that came with a model",
    r"\.executescript\(": "commits the open transaction",
    r"\.transform\(": "drops triggers without a word",
    r"\bmarkup\s*=\s*True\b|\.from_markup\(": (
        "lets data act as markup; everything goes through ui/safe_text.py"
    ),
    r"\bshell\s*=\s*True\b|\bos\.system\(": "lets data act as a command",
    r"\bsqlite3\.connect\((?!\":memory:\")": "only what `ALLOWED_IN` names opens a file",
    r"\blru_cache\b": "keeps what was erased; `domain/text_cache.py` empties its caches",
}
ALLOWED_IN = {
    "sqlite3": words(
        "store/database.py store/connection.py store/file_identity.py store/untrusted_files.py "
        "store/lock.py store/file_copies.py"
    ),
    "markup": {"ui/safe_text.py"},
    "lru_cache": {"domain/text_cache.py"},
}
SQL = re.compile(
    r"^\s*(?:SELECT\b.+\bFROM\b|INSERT\s+(?:OR\s+\w+\s+)?INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b|PRAGMA\s+\w|WITH\s+\w+.*\bAS\s*\("
    r"|CREATE\s+(?:\w+\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\b|BEGIN\s+IMMEDIATE|VACUUM\b)",
    re.DOTALL,
)


@cache
def code_lines(file: Path) -> list[tuple[int, str]]:
    """Return the lines of a file with their numbers, without comments."""
    lines = enumerate(file.read_text("utf-8").splitlines(), start=1)
    return [
        (number, line.partition("  # ")[0])
        for number, line in lines
        if not line.lstrip().startswith("#")
    ]


def lines_with(pattern: str, files: list[Path]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in files
        for number, line in code_lines(file)
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize(("pattern", "why"), NEVER.items(), ids=NEVER)
def test_is_never_written(pattern: str, why: str) -> None:
    allowed_in = next((names for part, names in ALLOWED_IN.items() if part in pattern), ())
    assert not lines_with(
        pattern, [file for file in FILES if str(file.relative_to(PACKAGE)) not in allowed_in]
    ), why


def test_the_domain_and_the_language_know_no_clock() -> None:
    assert not lines_with(
        r"\.(?:now|today|utcnow)\(",
        [file for file in FILES if owner(file) in ("domain", "language")],
    )


def draws_markup(file: Path) -> Iterator[int]:
    """Yield the lines that make a `Static` or `Label` which would read its text as markup: theirs
    is on unless it is put off.
    """
    widgets = {"Static", "Label"}
    for node in ast.walk(tree(file)):
        made: list[ast.Call] = []
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in widgets:
                made = [node]
            case ast.ClassDef(bases=bases) if {
                expr.id for expr in bases if isinstance(expr, ast.Name)
            } & widgets:
                calls = (other for other in ast.walk(node) if isinstance(other, ast.Call))
                made = [call for call in calls if ast.unparse(call.func) == "super().__init__"]
                if not made:
                    yield node.lineno
        for call in made:
            if not any(
                keyword.arg == "markup" and ast.unparse(keyword.value) == "False"
                for keyword in call.keywords
            ):
                yield call.lineno


def test_no_text_is_read_as_markup() -> None:
    assert [
        f"{file.relative_to(ROOT)}:{line}" for file in FILES for line in draws_markup(file)
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "Static(text)",
        "Label(text, id='x')",
        "class X(Static): pass",
        "class X(Static):\n def __init__(self):\n  super().__init__('')",
    ],
)
def test_the_check_of_markup_sees_it(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "tree", lambda _: ast.parse(source))
    assert list(draws_markup(PACKAGE / "ui" / "x.py"))


def docstrings(module: ast.Module) -> set[ast.expr]:
    """Return the strings that stand alone as statements: they are read by people only."""
    return {node.value for node in ast.walk(module) if isinstance(node, ast.Expr)}


def sql_in(file: Path) -> Iterator[ast.Constant | ast.JoinedStr]:
    skipped = docstrings(tree(file))
    for node in ast.walk(tree(file)):
        if node in skipped:
            continue
        match node:
            case ast.Constant(value=str(text)) if SQL.search(text):
                yield node
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) if SQL.search(
                text + " x FROM x"
            ):
                yield node


def test_sql_stands_in_the_store_only() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{sql.lineno}"
        for file in FILES
        if owner(file) not in ("store", "sync")
        for sql in sql_in(file)
    ]
    assert not found, f"SQL outside memapp/store, and of the database between machines: {found}"


def test_the_store_is_where_sql_is_found() -> None:
    assert sum(1 for file in FILES if owner(file) == "store" for _ in sql_in(file)) > 20


def defined_names() -> Iterator[tuple[Path, str]]:
    for file in FILES:
        yield file, file.stem
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.ClassDef):
                yield file, node.name


def test_only_the_store_knows_sqlite() -> None:
    found = [
        other.place
        for file in FILES
        if owner(file) != "store"
        for other in imports(file)
        if other.top == "sqlite3"
    ]
    assert found == [], "services get a session from the runtime"


def test_no_name_says_manager_helper_or_util() -> None:
    vague = re.compile(
        r"manager|helper|util(?!ity)|handler$|factory|^(?-i:words|rows|reading)$", re.I
    )
    assert [
        f"{file.relative_to(ROOT)}: {name}" for file, name in defined_names() if vague.search(name)
    ] == []


def test_a_class_name_exists_once() -> None:
    places: dict[str, list[str]] = {}
    for file in FILES:
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_every_module_says_what_it_owns() -> None:
    silent = [
        str(file.relative_to(ROOT))
        for file in FILES
        if file.stat().st_size and not ast.get_docstring(tree(file))
    ]
    assert silent == []


def test_functions_can_be_read_on_one_screen() -> None:
    long = [
        f"{file.relative_to(ROOT)}:{node.lineno}: {node.name} has {length} lines"
        for file in FILES
        for node in ast.walk(tree(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name != "compose"  # a list of widgets may be long
        and (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert long == []


def test_nothing_in_the_tree_names_the_machine_it_was_written_on() -> None:
    folders = ("memapp", "migrations", "models", "assets", "benchmarks", "docs", "tests", ".ci")
    files = [
        file
        for folder in folders
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    ]
    files += [
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")
    ]
    here = re.compile(rf"{re.escape(str(ROOT))}\b|/root/\w")
    named = [
        str(file.relative_to(ROOT))
        for file in files
        if here.search(file.read_bytes().decode("utf-8", "ignore"))
    ]
    assert named == []


@pytest.mark.slow
def test_every_benchmark_can_be_imported() -> None:
    for file in (ROOT / "benchmarks").glob("*.py"):
        assert import_module(f"benchmarks.{file.stem}").__doc__, file
