"""The expectation check: both rules, the dialogue acts, and what happens without an embedder or
with odd input.
"""

import pytest

from memapp.domain.expectation import DialogueAct, MismatchRule, Verdict
from memapp.language.expectation import READ_CHARACTERS, mismatch, writable

NEAR, FAR = 0.7, 0.05


def surprised(expected: str, actual: str, similarity: float | None) -> bool:
    return mismatch(expected, actual, similarity=similarity).surprised


def acts_of(text: str) -> frozenset[DialogueAct]:
    named = mismatch("", text, similarity=None).why.partition("got ")[2].partition(";")[0]
    return frozenset(DialogueAct(name) for name in named.split(" + ") if name != "nothing")


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("Yes, please.", {DialogueAct.AFFIRM}),
        ("that sounds great", {DialogueAct.AFFIRM}),
        ("That’s fine", {DialogueAct.AFFIRM}),
        ("No thanks", {DialogueAct.NEGATE, DialogueAct.THANKS}),
        ("Not now", {DialogueAct.NEGATE}),
        ("Thanks, that's all. Bye!", {DialogueAct.THANKS, DialogueAct.CLOSING}),
        ("What else is there?", {DialogueAct.QUESTION, DialogueAct.ALTERNATIVES}),
        ("How tall is the tower?", {DialogueAct.QUESTION, DialogueAct.INFORM}),
        ("tell me when the library opens", {DialogueAct.QUESTION, DialogueAct.INFORM}),
        ("Could you water the plants?", {DialogueAct.INFORM}),
        ("Do that", set()),
        ("I keep bees.", {DialogueAct.INFORM}),
        ("", set()),
    ],
)
def test_dialogue_acts_are_read_from_cues(text: str, acts: set[DialogueAct]) -> None:
    assert acts_of(text) == acts


@pytest.mark.parametrize(
    "text",
    [
        "I have no idea about chess",
        "good morning",
        "I like jazz",
        "a room with no view",
        "right now it rains",
        "Later today it rains",
    ],
)
def test_a_cue_that_is_no_answer_is_neither_yes_nor_no(text: str) -> None:
    assert acts_of(text).isdisjoint({DialogueAct.AFFIRM, DialogueAct.NEGATE})


def test_the_first_yes_or_no_counts() -> None:
    assert DialogueAct.NEGATE not in acts_of("Yes, no problem")
    assert DialogueAct.AFFIRM not in acts_of("No, great as it is")


def test_the_fuzzy_rule_is_the_ratio_of_letters_against_the_threshold() -> None:
    at = mismatch("abcd", "abxy", similarity=NEAR, rule=MismatchRule.FUZZY, fuzzy_threshold=50)
    above = mismatch("abcd", "abxy", similarity=NEAR, rule=MismatchRule.FUZZY, fuzzy_threshold=51)
    assert (at.fuzzy, at.surprised, above.surprised) == (50.0, False, True)


def test_the_fuzzy_rule_does_not_look_at_meaning() -> None:
    verdicts = [
        mismatch("I keep bees", "Honey is my trade", similarity=similarity, rule=MismatchRule.FUZZY)
        for similarity in (None, FAR, NEAR)
    ]
    assert [verdict.surprised for verdict in verdicts] == [True, True, True]


def test_the_same_meaning_in_other_words_is_no_surprise_by_default() -> None:
    expected = "How do I look after my hives?"
    actual = "What does a beekeeper have to do in winter?"
    assert not surprised(expected, actual, NEAR)
    assert mismatch(expected, actual, similarity=NEAR, rule=MismatchRule.FUZZY).surprised


def test_another_subject_is_a_surprise() -> None:
    assert surprised("How do I look after my hives?", "What is the capital of Peru?", FAR)


@pytest.mark.parametrize("similarity", [None, 0.45])
def test_a_no_for_a_yes_is_a_surprise_though_the_words_are_near(similarity: float | None) -> None:
    assert surprised("Yes, do that", "No, leave it", similarity)
    assert surprised("No, leave it", "Yes, do that", similarity)


def test_a_bare_no_for_a_bare_yes_is_a_surprise() -> None:
    assert surprised("Yes, do that", "No, not now", 0.42)


def test_yes_and_no_do_not_oppose_each_other_in_a_goodbye() -> None:
    assert not surprised("No, that's all.", "Yes, that will be all.", 0.45)


@pytest.mark.parametrize("similarity", [None, 0.35])
def test_one_goodbye_is_as_good_as_another(similarity: float | None) -> None:
    assert not surprised("No, that's all, thanks.", "Thanks, that's it!", similarity)


def test_a_question_for_a_statement_makes_a_close_call_a_surprise() -> None:
    assert not surprised("I paint my old boat", "We varnish a wooden canoe", 0.35)
    assert surprised("I paint my old boat", "Is a wooden canoe cheaper?", 0.35)


@pytest.mark.parametrize("rule", MismatchRule)
def test_a_higher_threshold_is_surprised_more_easily(rule: MismatchRule) -> None:
    grades = [
        mismatch(
            "I paint my boat",
            "I paint the fence",
            similarity=0.2,
            rule=rule,
            fuzzy_threshold=threshold,
        ).surprised
        for threshold in (0, 100)
    ]
    assert grades == [False, True]


@pytest.mark.parametrize("rule", MismatchRule)
@pytest.mark.parametrize(
    "text", ["Yes", "I keep bees", "What else is there?", "养蜂很有趣", "🐝", "...", ""]
)
@pytest.mark.parametrize("similarity", [None, 1.0])
def test_a_guess_that_comes_true_to_the_letter_never_surprises(
    rule: MismatchRule, text: str, similarity: float | None
) -> None:
    assert not mismatch(text, text, similarity=similarity, rule=rule).surprised


def test_upper_case_is_no_surprise() -> None:
    assert mismatch("I keep bees", "I KEEP BEES", similarity=None).fuzzy == 100


def test_without_an_embedder_a_word_in_common_speaks_for_the_guess() -> None:
    assert not surprised("I am playing the violin", "She played a violin sonata", None)
    assert surprised("I am playing the violin", "He repaired some clocks", None)


def test_the_verdict_says_why() -> None:
    assert mismatch("Yes, do that", "No, not now", similarity=0.42) == Verdict(
        surprised=True,
        fuzzy=pytest.approx(34.8, abs=0.1),
        similarity=0.42,
        why="meaning 42 of 100, letters 35 of 100; expected yes, got no; a yes against a no",
    )


def test_the_verdict_says_when_meaning_was_not_compared() -> None:
    assert (
        "meaning was not compared (no embedder)"
        in mismatch("I keep bees", "bye", similarity=None).why
    )
    assert "no embedder" not in mismatch("I keep bees", "bye", similarity=FAR).why


def test_the_verdict_of_the_fuzzy_rule_names_the_threshold() -> None:
    assert mismatch("I keep bees", "I keep ants", similarity=None, rule=MismatchRule.FUZZY).why == (
        "letters 73 of 100, a surprise below 60"
    )


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    start = "word " * (READ_CHARACTERS // 5)
    assert mismatch(start + "What else?", start + "No, bye", similarity=None).fuzzy == 100


HOSTILE = [
    "", "\0\x1b[31m\xff", "so " * 70_000, "that will be very " * 12_000, "?" * 200_000,
    "x" * 200_000, "[/INST]<|im_end|>",
]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "actual"),
    [*zip(HOSTILE, HOSTILE, strict=True), *zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1], strict=True)],
)
def test_odd_and_huge_texts_get_a_verdict(expected: str, actual: str) -> None:
    for rule, similarity in (
        (MismatchRule.FUZZY, None),
        (MismatchRule.MEANING, None),
        (MismatchRule.MEANING, 1.0),
    ):
        assert 0 <= mismatch(expected, actual, similarity=similarity, rule=rule).fuzzy <= 100


REPLY = (
    "I'm glad you asked! Green tea is brewed at 80 degrees. "
    "Would you like to know about black tea, too?"
)


@pytest.mark.parametrize(
    ("guess", "shown"),
    [
        ("And how long should it steep?", "And how long should it steep?"),
        ("I love it... What about the cup? I always", "I love it... What about the cup?"),
        ("no thanks", "no thanks"),
        ("Thank you!", "Thank you!"),
        ("", ""),
        ("green tea, taste", ""),
        ("timberland", ""),
        ("Beverages.", ""),
        ("I'm going to Japan in 5 months, I'll bring all my favourite teas with", ""),
        ("1. Warm the pot. 2. Pour the water.", ""),
        ("User: I love tea.", ""),
        ("[name] would like some tea.", ""),
        ("2018-04-30 15:57:59.6328888.", ""),
        ("The user wants to know what will happen next.", ""),
        ("How can I assist you today?", ""),
        ("You’ll have a delicious meal!", ""),
        ("Green tea is brewed at 80 degrees.", ""),
        ("How do I make a green tea?", ""),
    ],
)
def test_a_guess_is_a_sentence_that_a_person_could_write_and_is_new(guess: str, shown: str) -> None:
    assert writable(guess, [REPLY, "How do I make green tea?"]) == shown
