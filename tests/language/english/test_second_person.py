"""Facts and messages as they are told to the person they are about."""

import pytest

from memapp.language.english.second_person import addressed, as_said, as_stored


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("User likes green tea.", "You like green tea."),
        ("User's doctor says User needs the iron.", "Your doctor says you need the iron."),
        ("User's sister Mira lives in Ghent.", "Your sister Mira lives in Ghent."),
        ("User always misses the bus, so User's brother drives User.", "You always miss the bus, so your brother drives you."),
        ("User is a nurse.", "You are a nurse."),
        ("User sails.", "You sail."),
        ("User was born in Oslo.", "You were born in Oslo."),
        ("User doesn't eat meat.", "You don't eat meat."),
        ("User studies law.", "You study law."),
        ("User fixes bikes.", "You fix bikes."),
        ("User focuses on chess.", "You focus on chess."),
        ("User refuses to fly.", "You refuse to fly."),
        ("User buses tables.", "You bus tables."),
        ("User pauses often.", "You pause often."),
        ("User moved to Bruges.", "You moved to Bruges."),
        ("User can swim.", "You can swim."),
        ("Rex belongs to User.", "Rex belongs to you."),
        ("User has two cats and lives in Oslo.", "You have two cats and live in Oslo."),
        ("User no longer drinks coffee.", "You no longer drink coffee."),
        ("User likes food and drinks.", "You like food and drinks."),
        ("User's sister has two cats and lives in Oslo.", "Your sister has two cats and lives in Oslo."),
        ("Rex belongs to User and lives in Oslo.", "Rex belongs to you and lives in Oslo."),
        ("The boiler leaks.", "The boiler leaks."),
        ("The alto next to User is Fenna.", "The alto next to you is Fenna."),
        ("User often sails.", "You often sail."),
        ("Bob calls User sometimes.", "Bob calls you sometimes."),
        ("User eats early or User falls asleep.", "You eat early or you fall asleep."),
        ("Anna says User sometimes snores.", "Anna says you sometimes snore."),
        ("User withdrew and is glad.", "You withdrew and are glad."),
        ("User manual is in the drawer.", "User manual is in the drawer."),
        ("User feedback helps User.", "User feedback helps you."),
    ],
)
def test_a_fact_is_told_to_the_one_it_is_about(fact: str, told: str) -> None:
    assert addressed(fact) == told


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("User likes green tea.", "I like green tea."),
        ("User is a nurse and has two kids.", "I am a nurse and have two kids."),
        ("User was born in Oslo.", "I was born in Oslo."),
        ("User's doctor says User needs the iron.", "My doctor says I need the iron."),
        ("User's sister calls User every day.", "My sister calls me every day."),
        ("User often misses the bus, so User's brother drives User.", "I often miss the bus, so my brother drives me."),
        ("The alto next to User is Fenna.", "The alto next to me is Fenna."),
        ("User sings when User cooks.", "I sing when I cook."),
        ("User coughs if User stares at snow.", "I cough if I stare at snow."),
        ("User isn't vegan. User cannot eat gluten.", "I am not vegan. I cannot eat gluten."),
        ("The boiler leaks.", "The boiler leaks."),
    ],
)
def test_a_fact_is_told_as_the_one_it_is_about_says_it(fact: str, said: str) -> None:
    assert as_said(fact) == said


@pytest.mark.parametrize(
    ("fact", "written", "stored"),
    [
        ("User hates mushrooms.", "You hate olives.", "User hates olives."),
        ("User hates mushrooms.", "You no longer love mushrooms.", "User no longer loves mushrooms."),
        ("User's boss hates User.", "Your old boss hates you.", "User's old boss hates User."),
        (
            "User has two cats and lives in Oslo.",
            "You have three cats and live in Oslo.",
            "User has three cats and lives in Oslo.",
        ),
        ("User is a nurse.", "You were a nurse, and now you are a doctor.", "User was a nurse, and now User is a doctor."),
        ("User sings.", "You always sing.", "User always sings."),
        ("User hates mushrooms.", "Mushrooms make you sick.", "Mushrooms make User sick."),
        ("User lives in Porto.", "I live in Braga.", "I live in Braga."),
        ("User lives in Porto.", "User lives in Braga.", "User lives in Braga."),
        ("The boiler leaks.", "The boiler leaks at night.", "The boiler leaks at night."),
    ],
)
def test_what_is_written_as_it_is_told_is_stored_as_a_fact(fact: str, written: str, stored: str) -> None:
    assert as_stored(written, fact) == stored
