"""Facts by rule. All sentences are made up here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.language.english.distil import Draft, distil, states_something
from memapp.language.english.writing import check_fact, check_tags


def facts(typed: str) -> list[str]:
    return [draft.text for draft in distil(typed)]


@pytest.mark.parametrize(
    ("typed", "fact"),
    [
        ("I'm vegetarian", "User is vegetarian."),
        ("im vegetarian", "User is vegetarian."),
        ("I’m a welder.", "User is a welder."),
        ("I'm a child psychologist", "User is a child psychologist."),
        ("I am 41 years old", "User is 41 years old."),
        ("I'm from Ghent.", "User is from Ghent."),
        ("I'm allergic to walnuts!", "User is allergic to walnuts."),
        ("Well, I'm not really a morning person.", "User is not a morning person."),
        ("My name's Ilse", "User's name is Ilse."),
        ("Please call me Zoe", "User is called Zoe."),
        ("you can call me zoe from now on", "User is called Zoe."),
        ("My pronouns are they/them.", "User's pronouns are they/them."),
        ("I was born in Minsk in 1984.", "User was born in Minsk in 1984."),
        ("I live in Porto, Portugal.", "User lives in Porto, Portugal."),
        ("I work as a welder at St. Mary's shipyard.", "User works as a welder at St Mary's shipyard."),
        ("I've been playing the oboe for ten years", "User has been playing the oboe for ten years."),
        ("I have been married for six years.", "User has been married for six years."),
        ("I used to keep bees.", "User used to keep bees."),
        ("I grew up on an island.", "User grew up on an island."),
        ("I just quit my job.", "User quit the job."),
        ("I like to fence with my friends in my spare time", "User likes to fence with friends in spare time."),
        ("I love my dog and my job", "User loves User's dog and the job."),
        ("I moved from Lyon to Ghent last year", "User moved from Lyon to Ghent last year."),
        ("I don't like olives.", "User does not like olives."),
        ("I can't stand loud music.", "User cannot stand loud music."),
        ("I never drink alcohol.", "User never drinks alcohol."),
        ("I absolutely love fencing too!", "User loves fencing."),
        ("I prefer tea to coffee.", "User prefers tea to coffee."),
        ("I dislike films that have sad endings.", "User dislikes films that have sad endings."),
        ("I have two ferrets named Pim and Pom.", "User has two ferrets named Pim and Pom."),
        ("I've got a tandem.", "User has got a tandem."),
        ("I don't have any siblings.", "User does not have any siblings."),
        ("I faint when I see needles.", "User faints when User sees needles."),
        ("I study chemistry at night school.", "User studies chemistry at night school."),
        ("On Tuesdays, I fence with a club.", "User fences with a club on Tuesdays."),
        ("When I was a child, I lived in Cork.", "User lived in Cork when User was a child."),
        ("I'm learning Basque.", "User is learning Basque."),
        ("I want to become a midwife.", "User wants to become a midwife."),
        ("I'm planning to move to Malta next spring.", "User is planning to move to Malta next spring."),
        ("my sister Anna lives in Oslo", "User's sister Anna lives in Oslo."),
        ("My wife, Kate, works at a bakery.", "User's wife, Kate, works at a bakery."),
        ("My best friend is a pilot.", "User's best friend is a pilot."),
        ("My husband and I have three kids.", "User and User's husband have three kids."),
        ("Risotto is my favourite dish.", "Risotto is User's favourite dish."),
        ("My favorite colour is teal.", "User's favorite colour is teal."),
        ('I love "War and Peace".', "User loves War and Peace."),
        ("I like The Great Gatsby.", "User likes The Great Gatsby."),
        ("I hate the color orange.", "User hates the color orange."),
        ("I play the cello.", "User plays the cello."),
        ("I've always wanted to keep bees.", "User has always wanted to keep bees."),
    ],
)
def test_a_lasting_statement_becomes_a_fact(typed: str, fact: str) -> None:
    assert facts(typed) == [fact]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("I keep bees and I hate jazz", ["User hates jazz."]),
        ("I've been knitting for ten years and I hate jazz", ["User has been knitting for ten years.", "User hates jazz."]),
        (
            "I'm a welder, I live in Ghent, and I love olives.",
            ["User is a welder.", "User lives in Ghent.", "User loves olives."],
        ),
        ("I work as a welder and have two ferrets.", ["User works as a welder.", "User has two ferrets."]),
        ("I love cats but I don't like dogs.", ["User loves cats.", "User does not like dogs."]),
        ("I'm a nurse. I'm a nurse!", ["User is a nurse."]),
        ("I'm learning Basque because my wife is from Bilbao.", ["User is learning Basque.", "User's wife is from Bilbao."]),
    ],
)
def test_each_statement_of_a_message_becomes_its_own_fact(typed: str, expected: list[str]) -> None:
    assert [fact for fact in facts(typed) if not fact.startswith("User keeps")] == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("I love my ferret, he is old", ["User loves User's ferret."]),
        ("I'm from Ghent, which is lovely.", ["User is from Ghent."]),
        ("I have a ferret and I love him.", ["User has a ferret."]),
        ("I live with her.", []),
        ("I dislike dishes that she cooks.", []),
        ("I want a safe and quiet place for these birds.", []),
        ("I have two of them.", []),
        ("I'm a big fan of that film.", []),
        ("I love helping people find what they need.", []),
        ("I love to cook with my wife and our children.", ["User loves to cook with User's wife."]),
    ],
)
def test_what_points_elsewhere_is_left_off_where_that_is_safe(typed: str, expected: list[str]) -> None:
    assert facts(typed) == expected


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   \n ",
        "?!",
        # questions
        "Am I a vegetarian?",
        "Do you know where my sister lives?",
        "where is my parcel",
        "I want to see Malta do I need a visa",
        # requests
        "I want you to write a poem.",
        "I need help with my tax return.",
        "I'd like to book a table for two.",
        "I'm looking for a cheap hotel in Malta.",
        "Call me tomorrow.",
        "call me later",
        "Translate this: I am a nurse.",
        "Write a letter. I am an angry customer.",
        "Please proofread:\nI have a dog and I live in Ghent.",
        # chit-chat
        "I agree.",
        "I see.",
        "I'm fine, thanks!",
        "I think so.",
        "I'm sorry to hear that.",
        "I'm so excited!",
        "I know what you mean.",
        "I love it!",
        "I like your answer.",
        "I like this one better.",
        "I have a question about knitting.",
        "I have no idea.",
        "I had a great time.",
        "I'm a bit tired.",
        "I'm a human like you.",
        "I'm a guest here.",
        "I'm running late.",
        "My day was lovely.",
        "My mistake.",
        "I appreciate that.",
        "I love the food.",
        # hypotheticals and guesses
        "If I had a boat, I would sail to Crete.",
        "I wish I lived in Crete.",
        "I might get a cat.",
        "I would love a cat.",
        "Imagine I am a pirate. I have a parrot.",
        "I think I am allergic to bees.",
        # others
        'He said "I am a thief".',
        "She told me I am lazy.",
        "You are a nurse.",
        "> I am a plumber",
        # code
        "```\nI am a nurse\n```",
        "I run the script and get an error",
        "I have the following list",
        "I have x = [1, 2]",
        "`I am a nurse`",
        "I love the food.",
        "I'm a big fan.",
        "I've always wanted to try gymnastics.",
        "I've always wanted to go.",
    ],
)
def test_what_does_not_last_or_is_not_said_of_oneself_gives_nothing(typed: str) -> None:
    assert facts(typed) == []


@pytest.mark.parametrize(
    ("typed", "states"),
    [
        ("Last year we moved from Bonn to a farm", True),
        ("My knees hurt in the rain.", True),
        ("My knees hurt when it rains.", False),
        ("There are two cats in my flat.", True),
        ("I teach my students this year.", True),
        ("It is great! I love it.", False),
        ("I would love that!", False),
        ("I'll bring my boyfriend to the party.", False),
        ("Maybe I visit my aunt", False),
        ("My wedding anniversary is in May.", True),
        ("I know, right? I am so proud of her.", False),
        ("I have never read Emma, but I hear good things about it.", True),
        ("I see. I agree with you, thanks!", False),
        ("I'm fine", False),
        ("What is my name?", False),
        ("Tell me a joke.", False),
        ("Translate this: I am a nurse.", False),
        ("If I had a boat, I would sail.", False),
        ("I own a boat. I was joking.", False),
    ],
)
def test_a_message_that_states_nothing_is_known_as_one(typed: str, states: bool) -> None:
    assert states_something(typed) is states


def test_whose_verb_it_is_is_not_guessed() -> None:
    assert "User works at a zoo." not in facts("I have a friend who lives in Bern and works at a zoo.")
    assert facts("I've made you a picture, take a look!") == []


def test_a_draft_has_tags_and_a_category() -> None:
    assert distil("My sister Anna lives in Oslo.") == [
        Draft("User's sister Anna lives in Oslo.", ("sister Anna", "Oslo"), "relationships")
    ]
    assert [draft.category for draft in distil("I love olives. I'm a welder. I plan to move to Malta. I grew up in Cork.")] == [
        "preferences",
        "profile",
        "goals",
        "event",
    ]


@given(
    st.lists(
        st.sampled_from(
            [
                "I",
                "my",
                "am",
                "have",
                "and",
                "but",
                "love",
                "live",
                "not",
                "never",
                "used",
                "to",
                "work",
                "as",
                "a",
                "nurse",
                "dog",
                ",",
                ".",
                "who",
                "that",
                "it",
                "when",
                "Anna",
                "in",
                "Oslo",
                "can",
                "2",
            ]
        )
    )
)
def test_whatever_is_typed_each_draft_passes_the_checks(words: list[str]) -> None:
    typed = " ".join(words)
    for draft in distil(typed):
        assert check_fact(draft.text, typed) == []
        assert check_tags(draft.tags) == []


@given(st.text(max_size=400))
def test_any_text_can_be_distilled(typed: str) -> None:
    assert isinstance(distil("I love " + typed), list)


def test_a_very_long_message_is_read_only_in_part() -> None:
    assert facts("I love olives. " + "Hm, well. " * 3_000 + "I love figs.") == ["User loves olives."]
