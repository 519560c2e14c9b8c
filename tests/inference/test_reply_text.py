"""The text of a reply is parted in the same places wherever tokens cut it."""

import pytest

from memapp.inference.reply_text import ReplyText
from memapp.inference.thoughts import Thoughts


def fed(text: ReplyText, part: str) -> str:
    return "".join(piece.text for piece in text.feed(part))


def rest(text: ReplyText) -> str:
    return "".join(piece.text for piece in text.end())


def test_a_possible_stop_string_is_held_back_until_it_is_none() -> None:
    text = ReplyText(("STOP", "\n\n"))
    assert [fed(text, part) for part in ("a S", "TO", "x\n", "b")] == ["a ", "", "STOx", "\nb"]
    assert not text.done


def test_a_stop_string_ends_the_text_wherever_tokens_cut_it() -> None:
    text = ReplyText(("STOP",))
    assert [fed(text, part) for part in ("go S", "TOP and on", " and on")] == ["go ", "", ""]
    assert text.done and rest(text) == ""


def test_the_earliest_stop_string_counts() -> None:
    text = ReplyText(("later", "early"))
    assert fed(text, "so early or later") == "so "
    assert text.done


def test_what_was_held_back_comes_at_the_end() -> None:
    text = ReplyText(("STOP",))
    assert fed(text, "a STO") + rest(text) == "a STO"


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("<think>Hm. STOP?</think>\n\nIt is <think>.", "It is <think>."),
        ("So STOP <think>", "So "),
        ("Let us see. One. Two.</think>\n\nYes. No. STOP", "Yes. No. "),
    ],
)
def test_a_stop_string_in_a_thought_ends_nothing(reply: str, shown: str, size: int) -> None:
    thoughts, text = Thoughts(), ReplyText(("STOP",))
    found = ""
    for at in range(0, len(reply), size):
        for piece in text.take_all(thoughts.feed(reply[at : at + size])):
            found = piece.joined_to(found)
    for piece in [*text.take_all(thoughts.end()), *text.end()]:
        found = piece.joined_to(found)
    assert found == shown
