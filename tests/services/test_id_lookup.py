"""Ids as a person reads and types them."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.errors import NotFound, UsageError
from memapp.runtime import Runtime
from memapp.services import curate, id_lookup
from memapp.store import id_lookup as store


def test_the_ending_that_is_shown_means_one_memory_and_is_short(runtime: Runtime) -> None:
    made = [curate.add(runtime, f"Fact number {number}.").memory_id for number in range(200)]
    shown = id_lookup.endings(runtime, "memories")
    assert [id_lookup.memory(runtime, shown[text]) for text in made] == made
    assert max(map(len, shown.values())) <= 8


@given(st.sets(st.text("01AZ", min_size=8, max_size=8), max_size=60))
def test_no_ending_is_the_beginning_or_the_ending_of_another(known: set[str]) -> None:
    nobody: Any = SimpleNamespace(read=lambda: None)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "all_ids", lambda *_: sorted(known))
        shown = id_lookup.endings(nobody, "memories")
    assert shown.keys() == known
    for item, ending in shown.items():
        meant = {other for other in known if other.startswith(ending) or other.endswith(ending)}
        assert meant == {item}


def test_too_little_of_an_id_and_one_of_nobody_are_told_apart(runtime: Runtime) -> None:
    for number in range(3):
        curate.add(runtime, f"Fact number {number}.")
    with pytest.raises(NotFound, match="too little"):
        id_lookup.memory(runtime, "0")
    with pytest.raises(UsageError, match="may be several"):
        id_lookup.memory(runtime, "01K")
    with pytest.raises(NotFound, match="no memory"):
        id_lookup.memory(runtime, "ZZZZZZ")
