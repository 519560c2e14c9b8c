"""The category of a fact: labelled by hand before they were judged, as the app judges them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memapp.domain.memory import Kind
from memapp.language.english.category import category_of, draft_of

LABELLED = Path(__file__).parents[3] / "benchmarks" / "made_up" / "categories.jsonl"


@pytest.mark.parametrize(
    ("fact", "category"),
    [
        ("User is a welder.", "profile"),
        ("User has two brothers.", "relationships"),
        ("User's sister Ida keeps bees.", "relationships"),
        ("User hates jazz.", "preferences"),
        ("User is learning Basque.", "goals"),
        ("User is moving to Malta in June.", "goals"),
        ("User sold the boat last year.", "event"),
        ("User used to keep bees.", "profile"),
        ("User plays the cello on Fridays.", "activity"),
    ],
)
def test_whom_it_is_about_and_its_verb_tell_the_category(fact: str, category: str) -> None:
    assert category_of(fact) == category


def test_most_are_as_people_label_them() -> None:
    rows = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]
    assert sum(category_of(row["t"]) == row["c"] for row in rows) >= 0.75 * len(rows), (
        "more with the judge, who knows whom it is about"
    )


def test_what_happened_once_is_an_episode() -> None:
    draft = draft_of("User sold the boat last year.")
    assert draft == replace(draft, category="event", kind=Kind.EPISODIC)
