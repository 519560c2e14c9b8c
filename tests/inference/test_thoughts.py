"""Thoughts are told from the reply in each form that public models write them, wherever tokens cut
it.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.prompt import Piece
from memapp.inference.thoughts import MARKS, Thoughts

CHANNELS = "<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>y"


def parted(reply: str, size: int = 1, *, begun: bool = False) -> tuple[str, str]:
    """Return the thoughts and the spoken part of a reply."""
    thoughts = Thoughts(begun=begun)
    parts = [reply[at : at + size] for at in range(0, len(reply), size)]
    pieces = [piece for part in parts for piece in thoughts.feed(part)] + list(thoughts.end())
    thought = said = ""
    for piece in pieces:
        assert piece.text or piece.thought or piece.retracts
        thought, said = thought + piece.thought, piece.joined_to(said)
    return thought, said


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(
    ("reply", "thought", "said"),
    [
        ("<think>x</think>\n\ny", "x", "y"),
        ("<thinking>x</thinking>y", "x", "y"),
        ("<thought>x</thought>y", "x", "y"),
        ("\n<reasoning>\nx\n</reasoning>\ny", "\nx\n", "y"),
        ("[THINK]x[/THINK]y", "x", "y"),
        ("◁think▷x◁/think▷y", "x", "y"),
        ("x </think> y", "x ", "y"),
        ("x\n[/THINK]y", "x\n", "y"),
        ("</think>\n\ny", "", "y"),
        ("<think>x</think>\n</think>\ny", "x", "y"),
        ("<think>x</think><think>z</think>y", "xz", "y"),
        (CHANNELS, "x", "y"),
        (CHANNELS + "<|return|>", "x", "y<|return|>"),
        (CHANNELS + "<|end|><|start|>user<|message|>z", "x", "y"),
        ("<|start|>assistant" + CHANNELS, "x", "y"),
        ("<|start|>assistant<|message|>y", "", "y"),
        ("<|channel|>final<|message|>y", "", "y"),
        (
            "<|channel|>commentary to=f <|constrain|>json<|message|>x"
            + CHANNELS[CHANNELS.index("<|end|>") :],
            "x",
            "y",
        ),
        ("<|channel|>analysis<|message|>x<|start|>assistant<|channel|>final<|message|>y", "x", "y"),
        ("<|channel|>analysis<|message|>x<|end|>y", "x", "y"),
        ("analysisWe say y.assistantfinaly", "We say y.", "y"),
    ],
)
def test_thoughts_are_told_from_the_reply(reply: str, thought: str, said: str, size: int) -> None:
    assert parted(reply, size) == (thought, said)


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    "reply",
    [
        "It is <think>.",
        " <thin ice.",
        "<thi",
        "\n",
        "",
        "  indented\n",
        "analysis of the poem: a is b, assistantfinal",
        "An analysis. <|end|> is no <|channel|>.",
        "Write <thought>idea</thought> around it.",
        "Close it with `</think>`, then go on.",
        "[THIN",
        "a <",
        "<|im_end|>",
        "1 < 2 and [a]",
    ],
)
def test_a_reply_that_thinks_nothing_is_passed_on_as_it_is(reply: str, size: int) -> None:
    assert parted(reply, size) == ("", reply)


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    "reply",
    [
        "<think>x",
        "<think>x</think>",
        "<|channel|>analysis<|message|>x",
        "<|channel|>analysis<|message|>x<|end|>",
    ],
)
def test_a_model_that_only_thinks_says_nothing(reply: str, size: int) -> None:
    assert parted(reply, size) == ("x", "")


def test_words_are_passed_on_at_once_and_a_thought_too() -> None:
    thoughts = Thoughts()
    assert list(thoughts.feed("<think>x")) == [Piece("", thought="x")]
    assert list(thoughts.feed("</think> y")) == [Piece("y")]
    assert list(thoughts.feed(" and")) == [Piece(" and")]


def test_the_missing_opening_tag_is_noticed_and_the_next_reply_can_begin_in_thought() -> None:
    thoughts = Thoughts()
    actual = [*thoughts.feed("x y"), *thoughts.feed("</think>z")]
    assert actual == [Piece("x y"), Piece("", thought="x y", retracts=True), Piece("z")]
    assert thoughts.unopened
    following = Thoughts(begun=True)
    actual = [*following.feed("x</think>"), *following.feed("z")]
    assert actual == [Piece("", thought="x"), Piece("z")]
    assert following.unopened


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("\nx</think>\ny", ("\nx", "y", True)),
        ("<think>x</think>y", ("x", "y", False)),
        (
            "y with <b> and no thought",
            ("y with <b> and no thought", "y with <b> and no thought", False),
        ),
        ("", ("", "", False)),
    ],
)
def test_a_reply_that_may_begin_in_thought_is_the_reply_if_no_closing_tag_comes(
    reply: str, expected: tuple[str, str, bool], size: int
) -> None:
    thoughts = Thoughts(begun=True)
    pieces = [
        piece for at in range(0, len(reply), size) for piece in thoughts.feed(reply[at : at + size])
    ]
    pieces += thoughts.end()
    assert (
        "".join(p.thought for p in pieces),
        "".join(p.text for p in pieces),
        thoughts.unopened,
    ) == expected


@given(
    parts=st.lists(
        st.sampled_from([*MARKS, "a", " ", "\n", "analysis", "final", "assistant", "<", "`", "Xy"]),
        max_size=12,
    ),
    cuts=st.lists(st.integers(1, 9), max_size=20),
)
def test_where_the_network_cuts_changes_nothing(parts: list[str], cuts: list[int]) -> None:
    reply = "".join(parts)
    thoughts, pieces, at = Thoughts(), list[Piece](), 0
    for cut in [*cuts, len(reply)]:
        pieces += thoughts.feed(reply[at : at + cut])
        at += cut
    pieces += thoughts.end()
    said = thought = ""
    for piece in pieces:
        thought, said = thought + piece.thought, piece.joined_to(said)
    assert (thought, said) == parted(reply, 1)
