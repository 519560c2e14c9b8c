"""The text of a reply is parted in the same places wherever tokens cut it."""

import pytest

from memapp.domain.prompt import Piece
from memapp.inference.reply_text import ReplyText


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
def test_the_line_after_the_tail_is_not_for_the_reader_and_ends_with_its_line(size: int) -> None:
    text, reply = ReplyText(("STOP",), "\nNEXT:"), "Fine. NEXT:\n asks more\nand on"
    pieces = [piece for at in range(0, len(reply), size) for piece in text.feed(reply[at : at + size])]
    assert "".join(piece.text for piece in pieces if not piece.tail) == "Fine. "
    assert "".join(piece.text for piece in pieces if piece.tail) == "asks more"
    assert text.in_tail and text.done


def test_a_tail_may_begin_after_a_stop_string() -> None:
    text = ReplyText(("STOP",), "\nNEXT:")
    assert fed(text, "Fine.STOP and on") == "Fine."
    text.begin_tail()
    assert [*text.feed(" asks more"), *text.end()] == [Piece("asks more", tail=True)]


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    "reply, aloud",
    [
        ("<think>Hm. STOP?</think>\n\nIt is <think>.", "It is <think>."),
        ("\n<think>\n\n</think>\n\nYes.", "Yes."),
        (" <thin ice.", " <thin ice."),
        ("<thi", "<thi"),
        ("<think>and on", ""),
        ("<think>and on</think>", ""),
        ("\n", "\n"),
        ("So STOP <think>", "So "),
    ],
)
def test_thoughts_before_a_reply_are_left_out_wherever_tokens_cut_them(reply: str, aloud: str, size: int) -> None:
    text = ReplyText(("STOP",))
    shown = "".join(fed(text, reply[at : at + size]) for at in range(0, len(reply), size))
    assert shown + rest(text) == aloud


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("Oh! Dr. Lee has it, e.g. 3.5 litres. It is blue. And old.", "Oh! Dr. Lee has it, e.g. 3.5 litres. It is blue."),
        ('You asked "who is it?" I do not know.  More.', 'You asked "who is it?" I do not know.'),
        ("Only one sentence.", "Only one sentence."),
    ],
)
def test_words_end_with_so_many_sentences_and_the_tail_comes_after(reply: str, shown: str, size: int) -> None:
    text = ReplyText((), "\nNEXT:", sentences=2)
    said = "".join(fed(text, reply[at : at + size]) for at in range(0, len(reply), size))
    assert said + rest(text) == shown
    assert text.done == (shown != reply)
    text.begin_tail()
    assert fed(text, "asks. more. and more.") == "asks. more. and more."
