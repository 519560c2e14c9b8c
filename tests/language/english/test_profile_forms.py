"""One plain wording of what is so now."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memapp.language.english.profile_forms import in_first_person, plain_forms


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I've always been living in Oslo", "I live in Oslo"),
        ("I have lived at 7 Elm Lane since May", "I live at 7 Elm Lane since May"),
        ("I still happily live in Oslo and always work there", "I live in Oslo and work there"),
        ("I'm happily married", "I'm married"),
        ("I've been married for ten years", "I am married for ten years"),
        ("I've had asthma since I was ten", "I have asthma since I was ten"),
        ("I've got asthma", "I have asthma"),
        ("I love living in Oslo", "I live in Oslo"),
        ("I like being called Sam", "I am called Sam"),
        ("I hate being called Sam", "I hate being called Sam"),
        ("my wife and I are both Catholics", "my wife and I am Catholics"),
        ("I hardly live in Oslo", "I hardly live in Oslo"),
        ("I probably have asthma", "I probably have asthma"),
        ("I have never lived in Oslo", "I have never lived in Oslo"),
        ("I love reading", "I love reading"),
    ],
)
def test_what_is_so_now_is_put_in_the_simple_present(text: str, plain: str) -> None:
    assert plain_forms(text).split() == plain.split()


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("User still goes by Sam.", "I still go by Sam."),
        ("User has been living in Oslo.", "I have been living in Oslo."),
        ("User and User's wife live in Oslo.", "my wife and I live in Oslo."),
        ("User likes Oslo, where User lives.", "I like Oslo, where I live."),
        ("User's mother calls User Sam.", "my mother calls me Sam."),
        ("The nurse gave User exercises.", "The nurse gave me exercises."),
        ("The bells wake User.", "The bells wake me."),
        ("The user lives in Oslo.", "I live in Oslo."),
        ("Lives in Oslo.", "I live in Oslo."),
        ("Is married.", "I am married."),
        ("User never votes and prays.", "I never vote and pray."),
    ],
)
def test_a_sentence_about_the_person_is_put_in_their_mouth(fact: str, told: str) -> None:
    assert in_first_person(fact) == told


_PIECES = st.sampled_from(
    ["I", "I've", "have", "been", "living", "lived", "and", "are", "still", "love", "being", " ", "\n", ", "]
)


@example("I love living in Oslo, and I've been loving it")
@example("I've been being careful")
@example("Ana and I are home, and I've always lived here")
@given(st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=20).map(" ".join)))
def test_no_word_that_stays_changes_its_place(text: str) -> None:
    plain = plain_forms(text)
    assert len(plain) == len(text)
    moved = [found for found in re.finditer(r"\w+", plain) if not text.startswith(found[0], found.start())]
    assert {found[0] for found in moved} <= {"am", "have", "live", "love"}, "what is put in place of the person's words"
