"""Counts the habits of style that a reader of the code meets first.

Names of loop variables, first lines of docstrings, the length of the README, circles of imports,
and lines of the package (as they stand, and formatted at 100 columns).

python -m benchmarks.style [--small] [--wrapped]
"""

import argparse
import ast
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import MISSED

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "memapp"
VAGUE = re.compile(r"\b(it|that|what|whom|these)\b", re.IGNORECASE)
LOOPS_CALLED_ONE, VAGUE_SHARE, README_WORDS, CIRCLES = 0, 0.05, 1000, 0
COLUMNS = 100
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true", help="the same: it takes seconds")
    parser.add_argument("--data", help="not read: the code is the data")
    parser.add_argument("--wrapped", action="store_true", help="also format a copy at 100 columns")
    options = parser.parse_args()
    trees = {module_name(file): ast.parse(file.read_text("utf-8")) for file in python_files()}
    variables = [name for tree in trees.values() for name in loop_variables(tree)]
    first_lines = [line for tree in trees.values() for line in docstring_lines(tree)]
    vague = sum(len(VAGUE.findall(line)) > 1 for line in first_lines)
    words = len((ROOT / "README.md").read_text("utf-8").split())
    found = circles(imports_of(trees))
    ones = variables.count("one")
    held = [
        row("loop variables called `one`", ones, LOOPS_CALLED_ONE, f"of {len(variables)}"),
        row(
            "docstring first lines with two vague words",
            round(vague / len(first_lines), 3),
            VAGUE_SHARE,
            f"{vague} of {len(first_lines)}: it, that, what, whom, these",
        ),
        row("words in README.md", words, README_WORDS),
        row("circles of imports", len(found), CIRCLES, "; ".join(map(" - ".join, found))),
    ]
    print_lines(PACKAGE, "lines of the package")
    if options.wrapped:
        with tempfile.TemporaryDirectory() as folder:
            print_lines(wrapped(Path(folder)), f"the same, formatted at {COLUMNS} columns")
    return 0 if all(held) else MISSED


def row(name: str, count: float, bound: float, note: str = "") -> bool:
    """Print a figure beside its bound; return True if the bound holds."""
    verdict = "" if count <= bound else "MISSED"
    print(f"{name:44}{count:>8,}   <= {bound:<8,}{verdict:8}{note}".rstrip())
    return count <= bound


def print_lines(folder: Path, name: str) -> None:
    lines = [line for file in python_files(folder) for line in file.read_text("utf-8").splitlines()]
    long = sum(len(line) > COLUMNS for line in lines)
    print(f"{name:44}{len(lines):>8,}   {long:,} are longer than {COLUMNS} columns")


def python_files(folder: Path = PACKAGE) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def loop_variables(tree: ast.Module) -> Iterator[str]:
    """Yield the names that `for` binds, in loops and in comprehensions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    yield target.id


def docstring_lines(tree: ast.Module) -> Iterator[str]:
    """Yield the first line of each docstring."""
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
            yield text.partition("\n")[0]


def imports_of(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Return the modules of the package that each module imports, except for types only."""
    edges: dict[str, set[str]] = {name: set() for name in trees}
    for name, tree in trees.items():
        for node in outside_type_checking(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                deeper = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [each if each in trees else node.module for each in deeper]
            edges[name] |= {each for each in names if each in trees and each != name}
    return edges


def outside_type_checking(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from outside_type_checking(node)


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of modules of which each reaches every other."""
    reached = {name: reachable(name, edges) for name in edges}
    found = set()
    for name in edges:
        circle = sorted(other for other in reached[name] if name in reached[other])
        found.add(tuple(circle))
    return [list(circle) for circle in sorted(found) if circle]


def reachable(name: str, edges: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [*edges[name]]
    while waiting:
        if (current := waiting.pop()) not in seen:
            seen.add(current)
            waiting += edges[current]
    return seen


def wrapped(folder: Path) -> Path:
    """Return a copy of the package, formatted by ruff at 100 columns."""
    copy = shutil.copytree(PACKAGE, folder / "memapp", ignore=shutil.ignore_patterns("__pycache__"))
    ruff = [sys.executable, "-m", "ruff", "format", "--quiet", "--isolated"]
    subprocess.run([*ruff, f"--line-length={COLUMNS}", str(copy)], check=True)
    return copy


if __name__ == "__main__":
    sys.exit(main())
