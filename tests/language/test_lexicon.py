"""The English word lists: every one that is asked for is there, and none lies unused."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from memapp.language.lexicon import lexicon

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "assets" / "language" / "en").glob("*.toml"))
SOURCES = "\n".join(file.read_text("utf-8") for file in (ROOT / "memapp").rglob("*.py"))
TEXTS = "\n".join(file.read_text("utf-8") for file in FILES)


def test_every_list_that_is_asked_for_is_there() -> None:
    asked = {
        (file, *found)
        for file in (ROOT / "memapp").rglob("*.py")
        for found in re.findall(r"\b(_?EN)\.([a-z_]+)\b(?!\()", file.read_text("utf-8"))
    }
    assert asked
    for file, words, name in asked:
        module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        assert getattr(getattr(module, words), name), name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_entry_is_used_and_every_name_in_braces_is_an_entry(file: Path) -> None:
    words, entries = lexicon(file.stem), tomllib.loads(file.read_text("utf-8"))
    named = set(re.findall(r"\{([a-z_]+)\}", f"{SOURCES}\n{TEXTS}"))
    named |= {
        name for pair in re.findall(r"[\"']([a-z_]+)[\"']|\.([a-z_]+)\b", SOURCES) for name in pair
    }
    assert entries.keys() - named == set()
    for name in set(re.findall(r"\{([a-z_]+)\}", file.read_text("utf-8"))) - {"name"}:
        assert words.entry(name), name


def test_words_of_other_lists_come_in_and_words_go_out() -> None:
    words = lexicon("words")
    assert words.says_little >= words.function_words | words.fillers | {"got"}
    assert words.forms("plurals")["mice"] == "mouse"
    assert words.regex(r"an? {months}").fullmatch("a May")
    with pytest.raises(AttributeError):
        _ = words.nothing_like_it
