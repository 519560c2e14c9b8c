"""What is read as a fact and what is read as a value of the profile agree on whether a message states it."""

import pytest

from memapp.language.english.profile import stated
from memapp.language.english.statements import read

STATEMENTS = {
    "I live in Porto": "Porto",
    "I live in a flat in Ghent": "Ghent",
    "I am allergic to nuts": "nuts",
    "my name is Ana": "Ana",
    "I earn 3000 euros a month": "3000",
    "I am a Muslim": "Muslim",
    "I have diabetes": "diabetes",
    "I am gay": "gay",
    "I am divorced": "divorced",
    "I suffer from asthma": "asthma",
}
TOLD = [
    "{S}.", "btw {s}", "as I said, {s}", "like I told you before, {s}", "{S}, you know.", "hi! {S}. How are you?", "well, {s}",
    "Just so you know: {s}.", "I should tell you that {s}.", "I have to admit, {s}.", "{S} and I like it.", "Honestly, {s}.",
    "fyi {s} lol", "Yes, {s}.", "I think I told you that {s}.", "Since you ask, {s}.",
]  # fmt: skip
NOT_TOLD = [
    "If {s}, what should I do?", "Suppose {s}.", '"{S}", she said.', 'My friend wrote me: "{S}."', "Translate into German: {S}.",
    "> {S}.", "Imagine {s}.", "Write a story that begins with: {S}.", "In the song it goes: {S}, oh yeah.",
    "Tim: {S}.\nAna: oh no",
    "He said {s}.", 'Is the sentence "{S}" right?', "I wish {s}.", "Pretend that {s}.", "Let's say {s}.", "What if {s}?",
    "My character in the novel says: {S}.", "Correct this: {S}.", "It is not true that {s}.", "Some people say {s}.",
    "I dreamed that {s}.", "My boss thinks {s}.", "According to her {s}.",
]  # fmt: skip


def readings(frame: str) -> dict[str, tuple[bool, bool]]:
    """Return for each statement in a frame whether a fact says it, and whether a value of the profile does."""
    texts = {frame.format(s=said, S=said[0].upper() + said[1:]): value for said, value in STATEMENTS.items()}
    return {
        text: (any(value in one.fact for one in read(text)), any(value in one.value for one in stated(text)))
        for text, value in texts.items()
    }


@pytest.mark.parametrize("frame", TOLD)
def test_what_is_told_is_read_by_both(frame: str) -> None:
    assert {text for text, by in readings(frame).items() if by != (True, True)} == set()


@pytest.mark.parametrize("frame", NOT_TOLD)
def test_what_is_only_mentioned_is_read_by_neither(frame: str) -> None:
    assert {text for text, by in readings(frame).items() if by != (False, False)} == set()
