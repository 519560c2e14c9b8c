"""Cleaning text of what could act on a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.text import around, clean, is_slip, one_line, shorten


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\nline", "plain\ttext\nline"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]52;c;aGVsbG8=\x1b\\after", "after"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1bP payload \x1b\\after", "after"),
        ("\x1b]0;never ended, so the words stay", "0;never ended, so the words stay"),
        ("\x1b\x1b[A[31mx", "[31mx"),
        ("\u202eabc\u2066d", "abcd"),
        ("a\x00b\x07c\x7fd\x9fe", "abcde"),
        ("\ud800x", "x"),
        ("👩‍👩‍👧 שלום مرحبا ñ", "👩‍👩‍👧 שלום مرحبا ñ"),
        (
            (
                "👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 🏴‍☠️ "
                "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
            ),
            None,
        ),
        ("می‌روم क्‍ष ක්‍ර", None),
        ("Qzx\u00advorb pi\u200ber\ufeff wo\u2060rd \u3164", "Qzxvorb pier word "),
        ("a\u200db \u200dc d\u200c é\u200d", "ab c d é"),
        ("see\U000e0068\U000e0069 this", "see this"),
    ],
)
def test_clean(text: str, expected: str | None) -> None:
    assert clean(text) == (text if expected is None else expected)


@given(st.text(st.characters(codec=None, categories=["Cc", "Cf", "Cs", "L", "P"]), max_size=60))
def test_nothing_that_acts_survives_and_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not [
        text for text in once if (ord(text) < 32 and text not in "\n\t") or 127 <= ord(text) < 160
    ]
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068") & set(once)
    once.encode("utf-8")


def test_a_text_is_cut_around_a_place_only_when_it_does_not_fit() -> None:
    text = "one two three four five"
    assert around(text, text.index("five"), 23, 7) == text
    assert around(text, text.index("three"), 10, 4) == "…two three …"


def test_shortening_cuts_at_a_word_and_marks_it() -> None:
    assert shorten("one two three four", 14) == "one two three…"
    assert shorten("short", 14) == "short"
    assert len(shorten("x" * 50, 14)) == 14
    assert one_line(" a\n\tb  c ") == "a b c"


@pytest.mark.parametrize(
    ("typed", "meant", "slip"),
    [
        ("serach", "search", True), ("Serch", "search", True), ("searchh", "search", True),
        ("trahs", "trash", True), ("crash", "trash", False), ("last", "list", False),
        ("how", "show", False), ("search", "search", False),
    ],
)  # fmt: skip
def test_a_slip_is_no_other_word(typed: str, meant: str, slip: bool) -> None:
    assert is_slip(typed, meant) is slip
