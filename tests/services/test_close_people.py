"""What is said of somebody close, by a list of 260 sentences: the sensitive waits, the ordinary
needs no yes.
"""

import json

import pytest

from benchmarks import MADE_UP
from memapp.services.learning import reader
from memapp.services.learning.sentence_storage import Sentence
from tests.builders import Reader

ROWS = [json.loads(line) for line in (MADE_UP / "close_list.jsonl").read_text("utf-8").splitlines()]
OFTEN, SELDOM = 0.9, 0.06


@pytest.fixture(scope="module")
def becomes() -> dict[str, str]:
    """Return for each sentence whether it is known, asked about, or nothing."""
    said = [Sentence(row["t"]) for row in ROWS]
    decided = [
        reader._decide(sentence, judged)
        for sentence, judged in zip(said, reader._judge_sentences(Reader(), said), strict=True)
    ]  # type: ignore[arg-type]
    kinds = [
        ("asked" if what.needs_approval else "known") if isinstance(what, Sentence) else ""
        for what in decided
    ]
    return dict(zip([sentence.text for sentence in said], kinds, strict=True))


def test_what_is_sensitive_of_close_people_waits_for_a_yes(
    becomes: dict[str, str],
) -> None:
    sensitive = [row["t"] for row in ROWS if row["f"]]
    assert sum(becomes[statement] == "known" for statement in sensitive) <= SELDOM * len(sensitive)
    assert sum(becomes[statement] == "asked" for statement in sensitive) >= OFTEN * len(
        sensitive
    ), "it waits, it is not lost"


def test_what_is_ordinary_of_somebody_close_needs_no_yes(becomes: dict[str, str]) -> None:
    ordinary = [row["t"] for row in ROWS if not row["f"]]
    assert sum(becomes[statement] == "known" for statement in ordinary) >= OFTEN * len(ordinary)
