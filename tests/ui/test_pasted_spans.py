"""Pasted words never count as typed ones, however the text is edited."""

from hypothesis import given
from hypothesis import strategies as st

from memapp.ui.pasted_spans import PastedSpans

Edits = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.integers(0, 40),
        st.text(st.characters(codec="ascii"), max_size=8),
        st.booleans(),
    ),
    max_size=12,
)


@given(Edits)
def test_spans_follow_every_edit(edits: list[tuple[int, int, str, bool]]) -> None:
    letters: list[tuple[str, bool]] = []
    spans = PastedSpans()
    for first, last, inserted, pasted in edits:
        start, end = sorted((min(first, len(letters)), min(last, len(letters))))
        letters[start:end] = [(letter, pasted) for letter in inserted]
        spans.replace(start, end, len(inserted))
        if pasted:
            spans.add(start, start + len(inserted))
    text = "".join(letter for letter, _ in letters)
    covered = {at for start, end in spans.within(text) for at in range(start, end)}
    assert covered == {at for at, (_, pasted) in enumerate(letters) if pasted}


def test_spans_end_where_the_text_does() -> None:
    spans = PastedSpans(((2, 3),))
    spans.add(0, 5)
    assert spans.within("hello") == ((0, 5),)
    assert spans.within("hi") == ((0, 2),)


def test_empty_spans_are_dropped() -> None:
    assert not PastedSpans(((3, 3),))
