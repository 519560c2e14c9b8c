"""Whatever stands in an export of another program, reading it ends in a conversation, a fact, or a refusal."""

import contextlib
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memapp.domain.chat import MAX_MESSAGE_CHARS
from memapp.domain.foreign import ForeignConversation, ForeignFact, read_chatgpt, read_claude, read_note
from memapp.domain.memory import MAX_MEMORY_CHARS

names = st.sampled_from([
    *("mapping", "current_node", "parent", "message", "author", "role", "content", "content_type", "parts", "create_time", "id"),
    *("chat_messages", "sender", "text", "uuid", "name", "created_at", "title", "metadata", "recipient", "tags", "memory", "a"),
])  # fmt: skip
words = (
    names
    | st.sampled_from(["user", "assistant", "human", "all", "2026-01-31", "0001-01-01T00:00:00+14:00"])
    | st.text(max_size=5)
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=6),
    max_leaves=25,
)


@settings(max_examples=300)
@given(anything, anything)
def test_nothing_but_a_refusal_comes_of_what_is_none(one: Any, other: Any) -> None:
    odd_chatgpt = {"mapping": {"a": {"message": one, "parent": "b"}, "b": other}, "current_node": "a", "title": one, "id": "x"}
    odd_claude = {"chat_messages": [one, {"sender": "human", "text": "x", "content": other}], "uuid": "x", "name": other}
    endless = {**odd_chatgpt, "current_node": None}
    for read, data in (
        (read_chatgpt, odd_chatgpt),
        (read_chatgpt, endless),
        (read_claude, odd_claude),
        (read_chatgpt, one),
        (read_claude, one),
    ):
        with contextlib.suppress(ValueError):
            found = read(data)
            assert isinstance(found, ForeignConversation)
            assert all(0 < len(said.text) <= MAX_MESSAGE_CHARS for said in found.said)
            assert all(one.role != next_one.role for one, next_one in zip(found.said, found.said[1:], strict=False))
            assert found.created_at <= found.updated_at
    with contextlib.suppress(ValueError):
        note = read_note(one)
        assert isinstance(note, ForeignFact)
        assert 0 < len(note.text) <= MAX_MEMORY_CHARS


def test_a_fact_is_read_by_the_names_that_others_give_it() -> None:
    note = read_note({"memory": "I keep\n bees.", "tags": ["bees", "bees", " "], "created_at": "2026-01-31T08:15:00Z"})
    assert note == ForeignFact("I keep bees.", ("bees",), datetime(2026, 1, 31, 8, 15, tzinfo=UTC))


def node(text: str, parent: str | None, at: float) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"parent": parent, "message": {"author": {"role": "user"}, "content": content, "create_time": at}}


def test_a_conversation_that_does_not_say_where_it_ended_ends_at_its_newest_message() -> None:
    mapping = {"a": node("Which tea?", None, 1.0), "b": node("Oolong?", "a", 3.0), "c": node("Sencha?", "a", 2.0)}
    for ending in ({}, {"current_node": None}, {"current_node": "gone"}):
        (said,) = read_chatgpt({"id": "x", "title": "Tea", "mapping": mapping, **ending}).said
        assert said.text == "Which tea?\n\nOolong?"
    (said,) = read_chatgpt({"id": "x", "title": "Tea", "mapping": mapping, "current_node": "c"}).said
    assert said.text == "Which tea?\n\nSencha?"
