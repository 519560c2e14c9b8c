"""The file of categories: the bundled one, the person's own, and errors."""

from pathlib import Path

import pytest

from memapp import paths
from memapp.categories import load_categories
from memapp.errors import ConfigError
from tests.builders import word_list

SHIPPED = paths.bundled("assets", "categories.toml")
SPECIFIED = {
    *word_list(
        "profile event activity goals preferences relationships tasks projects tone "
        "style knowledge interests history"
    ),
    *["recent_activity", "constraints", "relationship_dynamic", "procedural"],
}


def test_every_category_that_the_specification_names_is_defined(tmp_path: Path) -> None:
    assert load_categories(SHIPPED, tmp_path / "none.toml").categories.keys() >= SPECIFIED


def test_the_persons_own_file_replaces_what_it_names_and_adds_what_is_new(tmp_path: Path) -> None:
    own = tmp_path / "categories.toml"
    own.write_text(
        '[categories]\ngarden = { context = "all" }\n[allowlists]\nplanner = ["garden"]\n', "utf-8"
    )
    categories = load_categories(SHIPPED, own)
    assert categories.capability("planner", "me").categories == {"garden"}
    assert "goals" in categories.capability("supervisor", "me").categories


def test_an_agent_that_nobody_listed_may_read_nothing(tmp_path: Path) -> None:
    assert (
        load_categories(SHIPPED, tmp_path / "none.toml").capability("stranger", "me").categories
        == frozenset()
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[allowlists]\nplanner = [\n  "goals",\n  "gaols"]\n', "line 4: .*'gaols'"),
        ('[categories]\ngarden = { context = "most" }\n', "line 2"),
        ('[categories]\ngarden = { context = "all", length = 3 }\n', "line 2"),
        ("[agents]\nplanner = []\n", "line 1: there is no table 'agents'"),
        ("[categories\n", "not valid TOML"),
        ("\x00\xff", "categories.toml"),
    ],
)
def test_a_wrong_file_is_an_error_with_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "categories.toml"
    own.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match=said):
        load_categories(SHIPPED, own)
