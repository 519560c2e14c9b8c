"""The documentation: generated pages match the code, and commands, paths and links in it exist."""

import re
import runpy
import shlex
from pathlib import Path

import click
import pytest

from memapp import cli

ROOT = Path(__file__).parent.parent
REFERENCE = runpy.run_path(str(ROOT / "docs/reference.py"))
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += [ROOT / folder / "README.md" for folder in ("benchmarks", "models")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
WRITTEN = [page for page in PAGES if page.name not in REFERENCE["PAGES"]]


@pytest.mark.parametrize("page", REFERENCE["PAGES"])
def test_a_generated_page_is_what_the_code_says(page: str) -> None:
    written = text_of(ROOT / "docs" / page)
    assert written == REFERENCE["PAGES"][page](), "Run `make docs`."


def test_every_table_has_its_line_in_the_schema() -> None:
    page = text_of(ROOT / "docs/schema.md")
    described = {name for group in REFERENCE["TABLES"].values() for name in group}
    assert "## Other tables" not in page, "Describe the table in docs/reference.py."
    assert [name for name in described if f"| `{name}` |" not in page] == []


def test_every_command_and_option_in_the_documentation_exists() -> None:
    lines = [(page.name, line) for page in WRITTEN for line in commands_in(page)]
    assert [(name, line) for name, line in lines if not exists(line)] == []


def commands_in(page: Path) -> list[str]:
    """Return the memapp commands in code spans and in sessions."""
    text = text_of(page)
    sessions = re.findall(r"^\$ (memapp .+)$", text, re.MULTILINE)
    return sessions + re.findall(r"`(memapp [^`\n]+)`", text)


def exists(line: str) -> bool:
    """Return True if a line names a command, or asks a question, with options that exist."""
    words = shlex.split(line, comments=True)[1:]
    command: click.Command = cli.main
    context = click.Context(command)
    options = [*command.get_params(context)]
    while words and isinstance(command, click.Group):
        below = command.get_command(context, words[0])
        if below is None:
            break
        command, words = below, words[1:]
        options += command.get_params(context)
    named = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    end = words.index("--") if "--" in words else len(words)
    asked = {word.partition("=")[0] for word in words[:end] if word.startswith("-")}
    is_question = bool(words) and (" " in words[0] or words[0].startswith("-"))
    return asked <= {*named, "-"} and (command is not cli.main or is_question)


def test_every_path_in_contributing_exists() -> None:
    text = text_of(ROOT / "CONTRIBUTING.md")
    folders = r"memapp|assets|benchmarks|docs|migrations|tests|\.ci"
    paths = re.findall(rf"`((?:{folders})/[\w./-]+)`", text)
    templates = {"assets/language/CODE.toml", "migrations/00NN_name.sql"}
    assert [path for path in paths if path not in templates and not (ROOT / path).exists()] == []


def test_every_benchmark_in_the_documentation_exists() -> None:
    text = "".join(map(text_of, PAGES))
    named = set(re.findall(r"python -m benchmarks\.([a-z]\w+)", text))
    assert [name for name in sorted(named) if not (ROOT / f"benchmarks/{name}.py").exists()] == []


def test_every_link_between_pages_leads_somewhere() -> None:
    links = [
        (page, link.partition("#"))
        for page in PAGES
        for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page))
        if not link.startswith("http") and "pictures/" not in link
    ]
    broken = []
    for page, (file, _, anchor) in links:
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{page.name}: {file}#{anchor}")
    assert broken == []


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and Zensical make them."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def text_of(page: Path) -> str:
    return page.read_text("utf-8")


def test_the_readme_is_short() -> None:
    text = text_of(ROOT / "README.md")
    assert len(text.splitlines()) <= 120
    assert len(text.split()) <= 1000
