"""What a person types into the search of memories."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.filters import MemoryFilter
from memapp.domain.memory import Kind
from memapp.language.filters import parse_filter


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("", MemoryFilter()),
        ("oolong tea", MemoryFilter(words=("oolong", "tea"))),
        ("the", MemoryFilter(words=("the",))),
        ('"the green tea" honey', MemoryFilter(phrases=("the green tea",), words=("honey",))),
        ("tag:tea category:Goals", MemoryFilter(tags=("tea",), category="goals")),
        ('tag:"black tea"', MemoryFilter(tags=("black tea",))),
        ("kind:fact", MemoryFilter(kind=Kind.SEMANTIC)),
        ("pinned:yes", MemoryFilter(pinned=True)),
        ("pinned:no", MemoryFilter(pinned=False)),
        ("before:2026-02", MemoryFilter(before=date(2026, 2, 1))),
        ("after:2026-01-31", MemoryFilter(after=date(2026, 1, 31))),
        ("tag:tea Tag:green", MemoryFilter(tags=("tea", "green"))),
        ("kind:fact kind:episode",
         MemoryFilter(kind=Kind.SEMANTIC, problems=("kind: is there twice",))),
        ("pinned: yes", MemoryFilter(words=("yes",), problems=("pinned: is yes or no",))),
        ("tag:", MemoryFilter(problems=("tag: wants a tag, e.g. tag:tea",))),
        ("at 10:30 http://a.b", MemoryFilter(words=("at", "10", "30", "http", "b"))),
        ("🍵 tea !!!", MemoryFilter(words=("🍵", "tea", "!!!"))),
        ('"begun', MemoryFilter(phrases=("begun",))),
        ("secret:x", MemoryFilter(words=("secret", "x"),
         problems=("secret: is not known; in quotes it is a word",))),
        ("tags:tea",
         MemoryFilter(words=("tags", "tea"), problems=("tags: is not known, tag: is",))),
        ("before:soon", MemoryFilter(problems=("before: wants a date, e.g. 2026-01-31",))),
        ("before:0001", MemoryFilter(problems=("before: wants a date, e.g. 2026-01-31",))),
        ("before:2026-13", MemoryFilter(problems=("before: wants a date, e.g. 2026-01-31",))),
        ("pinned:maybe", MemoryFilter(problems=("pinned: is yes or no",))),
    ],
)  # fmt: skip
def test_what_is_typed_becomes_a_filter(typed: str, wanted: MemoryFilter) -> None:
    assert parse_filter(typed) == wanted


@given(st.text(max_size=200))
def test_anything_typed_is_read(typed: str) -> None:
    wanted = parse_filter(typed)
    assert len(wanted.words) + len(wanted.phrases) <= len(typed)
