"""Consent requests: their expiry, and the cases that need none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.consent import corroborated


@pytest.mark.parametrize(
    ("signals", "enough"),
    [
        ([], False),
        ([("m1", True)], False),
        ([("m1", True), ("m1", True)], False),
        ([("m1", True), ("m2", True)], True),
        ([("m1", True), ("m2", False), ("m3", False)], False),
        ([("m1", True), ("m2", True), ("m2", False)], False),
        ([("m1", False), ("m2", True), ("m3", True)], True),
    ],
)
def test_two_typed_messages_are_needed(signals: list[tuple[str, bool]], enough: bool) -> None:
    assert corroborated(signals) is enough


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.just(False))))
def test_nothing_but_typed_text_ever_corroborates(signals: list[tuple[str, bool]]) -> None:
    assert not corroborated(signals)
    assert not corroborated([*signals, ("d", True)])
