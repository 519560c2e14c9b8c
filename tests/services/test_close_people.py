"""What is said of somebody close, by a list of 260 sentences: the sensitive waits, the ordinary needs no yes."""

import json

import pytest

from benchmarks import MADE_UP
from memapp.language.english.profile_hints import unknown_in
from memapp.services import statements
from tests.builders import Reader

ROWS = [json.loads(line) for line in (MADE_UP / "close_list.jsonl").read_text("utf-8").splitlines()]
OFTEN = 0.9


@pytest.fixture(scope="module")
def becomes() -> dict[str, str]:
    """Return for each sentence whether it is known, asked about, or nothing."""
    reader = Reader()
    found = {}
    for row in ROWS:
        drafts = statements.told_by(reader, row["t"])
        is_known = any(not (one.topic or unknown_in(one.text, {})) for one in drafts)
        found[row["t"]] = "known" if is_known else "asked" if drafts else ""
    return found


def test_nothing_sensitive_of_somebody_close_is_known_without_a_yes(becomes: dict[str, str]) -> None:
    sensitive = [row["t"] for row in ROWS if row["f"]]
    assert [one for one in sensitive if becomes[one] == "known"] == []
    assert sum(becomes[one] == "asked" for one in sensitive) >= OFTEN * len(sensitive), "it waits, it is not lost"


def test_what_is_ordinary_of_somebody_close_needs_no_yes(becomes: dict[str, str]) -> None:
    ordinary = [row["t"] for row in ROWS if not row["f"]]
    assert sum(becomes[one] == "known" for one in ordinary) >= OFTEN * len(ordinary)


@pytest.mark.parametrize("typed", ["Leo is 11", "Leo is 11. He only eats white food."])
def test_how_old_somebody_is_who_is_only_named_needs_no_yes(typed: str) -> None:
    assert next((one.topic, one.text) for one in statements.told_by(Reader(), typed)) == ("", "User said: Leo is 11.")
