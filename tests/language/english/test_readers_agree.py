"""What is read as a fact and what is read as a value of the profile agree on whether a message states it.

Hundreds of frames around a statement are made of openers, what stands around it, and tails: a telling of it, or a mention.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

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


FEW = {said: STATEMENTS[said] for said in ("I live in Porto", "my name is Ana", "I have diabetes")}


def readings(frame: str, statements: Mapping[str, str] = STATEMENTS) -> dict[str, tuple[bool, bool]]:
    """Return for each statement in a frame whether a fact says it, and whether a value of the profile does."""
    texts = {frame.format(s=said, S=said[0].upper() + said[1:]): value for said, value in statements.items()}
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


OPENERS = ("", "Hi! ", "ok so ", "Thanks, that helps. ", "well, ")
AROUND = [
    "{s}", "btw {s}", "as I said, {s}", "I should tell you that {s}", "Just so you know: {s}", "honestly, {s}", "by the way {s}",
    "the thing is, {s}", "I forgot to mention that {s}", "for what it's worth, {s}",
]  # fmt: skip
TAILS = (".", ", you know.", " and I like it.", ". What can I do at the weekend?", " lol")
BEFORE_A_MENTION = ("", "Hi! ", "Thanks, that helps. ", "one more. ")
OTHERS = {"my flatmate": "my flatmate", "Ana": "Ana", "my boss": "my boss", "she": "her", "a friend": "a friend"}
SAYS = ["{w} wrote: {S}.", '{w} said "{S}".', "{w} says {s}.", "according to {o} {s}.", "{w} thinks {s}."]
SHOWN = [
    "Lyrics: {S}.", "Translate into German: {S}.", "Fix the grammar. {S}.", "Please correct my text. {S}.", "> {S}.", "Ana: {S}.",
    "Write a poem that begins: {S}.", "In the story {s}.", "Exercise 3: {S}.", 'Is this right? "{S}"', "Summarize: {S}.",
    "The song goes: {S}.", "Send me a text for a card: {S}.", "Text: {S}.", "Subject: hello\n{S}.",
    "User: {S}", "Rewrite this: {S}.",
]  # fmt: skip
UNREAL = [
    "If {s}, what then?", "Suppose {s}.", "Imagine {s}.", "I wish {s}.", "Pretend {s}.", "Let's say {s}.", "What if {s}?",
    "I dreamed that {s}.", "It is not true that {s}.", "Is it bad that {s}?", "Some people say {s}.", "In the game {s}.",
    "My character says {s}.", "Assume {s}.", "say {s}, what would you do?",
]  # fmt: skip
DISAGREED = [
    "Lyrics: I have two cats and I live in Oslo",
    "Ana: I live in Oslo. I have two cats.",
    "In the story I live in Oslo and have two cats",
    "My flatmate wrote: I live in Oslo and I have two cats.",
    "Please correct my text. I was born on 4 May 1984 and I am married.",
    "Fix the grammar. I live in Madrid since two years and I have diabetes.",
]
"""Of these one reader read a statement and the other did not, or both did."""


def tellings() -> Iterator[str]:
    return (before + around + behind for before, around, behind in product(OPENERS, AROUND, TAILS))


def mentions() -> Iterator[str]:
    said = (one.format(w=who[0].upper() + who[1:], o=of, s="{s}", S="{S}") for (who, of), one in product(OTHERS.items(), SAYS))
    return (before + frame for before, frame in product(BEFORE_A_MENTION, [*SHOWN, *UNREAL, *said]))


@pytest.mark.parametrize(("frames", "is_told"), [(tellings, True), (mentions, False)])
def test_hundreds_of_frames_are_read_alike(frames: Callable[[], Iterator[str]], is_told: bool) -> None:
    made = list(frames())
    assert len(made) >= 200
    wrong = {text: by for frame in made for text, by in readings(frame, FEW).items() if by != (is_told, is_told)}
    assert wrong == {}


@pytest.mark.parametrize("text", DISAGREED)
def test_what_the_readers_once_disagreed_on_is_read_by_neither(text: str) -> None:
    assert ([one.fact for one in read(text) if one.fact], list(stated(text))) == ([], [])


def test_what_goes_on_behind_an_order_is_read_by_both() -> None:
    assert readings("Send me ideas for dinner. {S}.") == dict.fromkeys(readings("Send me ideas for dinner. {S}."), (True, True))
