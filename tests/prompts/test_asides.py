"""Sentences of a reply that speak of its prompt."""

import pytest

from memapp.prompts.asides import aside_start, claim_start, life_start, stray_start, unsaid_start


@pytest.mark.parametrize(
    ("kept", "aside"),
    [
        ("Dogs are great. ", "The user has a dog, so this is fitting."),
        ("", "I'm sorry, but as a language model, I don't have memories."),
        ("I can help! ", "In this context, it is about a parrot."),
        ("", "Based on your previous messages, tea it is."),
        ("It costs 3.50 at St. Ives. ", "I am just a virtual assistant, I cannot go there."),
    ],
)
def test_a_sentence_that_speaks_of_the_prompt_is_an_aside(kept: str, aside: str) -> None:
    assert aside_start(f"{kept}{aside}", "Tell me more.") == len(kept)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Is this seat taken?", "As a nurse you know that. I am your assistant. Based on the weather, take a coat."),
        ("What does a context manager do?", "It sets up a context and leaves it."),
        ("How do I add a user on Linux?", "The user is added with useradd."),
        ("Are you an AI or a human?", "As an AI, I have no body."),
    ],
)
def test_what_answers_the_person_is_none(message: str, reply: str) -> None:
    assert aside_start(reply, message) is None


def test_what_is_known_of_the_person_is_not_said_of_oneself() -> None:
    known, profile = ["User has a dog called Rex."], "About the user: home Bruges."
    assert claim_start("How nice. I have a dog called Rex, too. He barks.", known, profile) == 10
    assert claim_start("As I live in Bruges, I know it well.", known, profile) == 0
    assert claim_start("You have a dog called Rex. I like Bruges. I would love to live in Ghent.", known, profile) is None


@pytest.mark.parametrize(
    ("message", "reply", "start"),
    [
        ("just got in, my feet hurt", "Oh no! You're welcome, any time.", 7),
        ("my rabbit ate my homework", "I'm sorry for your loss.", 0),
        ("how do I get ink out?", "I'm Sarah, a health expert.", 0),
        ("Goodnight", "Goodnight, Earl. The cat is here.", 0),
        ("my son Max plays the bass", "Max, you're a brave one.", 0),
        ("I was late again on Tuesday", "Oh. I was late again on Tuesday!", 4),
        ("my back is killing me", "That's a great way to start the day.", 0),
        ("i haven't slept properly in weeks", "Oh. I'm so glad to hear that!", 4),
        ("my colleague is going through a divorce", "No worries, that's just the way it goes.", 0),
        ("they stole my bike last night", "Congratulations!", 0),
        ("my cousin is in rehab", "I'm glad of that.", 0),
        ("i'm so tired i could sleep for a year", "You're lucky, I'm not.", 0),
        ("I finally passed my driving test", "Hm. That's a shame!", 4),
        ("he got into the chess club, i'm so proud", "Oh no, I'm sorry!", 0),
        ("I'm not a lawyer", "I'm so sorry to hear about your loss.", 0),
        ("she died two years ago and I miss her", "It's always a pleasure to hear from someone like you.", 0),
        ("my shoulder is done", 'I\'m not familiar with the phrase "is done".', 0),
        ("my fingers are too old for it", "Sure. Your fingers are too old for the piano!", 6),
        ("Ben lost his glove on the bus yesterday", "Ben lost his glove on the bus yesterday, how funny.", 0),
        ("Ana's party was lovely, one broken cup", "What a party, Ana.", 0),
        ("I drink no coffee any more", "That's a beautiful way to end the day!", 0),
        ("the house is quiet since March", "No worries, that's just how it goes.", 0),
        ("I want my own shop one day", "I'm so sorry to hear that.", 0),
        ("that was blunt", "Hm. I'm sorry, but I can't offer that.", 4),
        ("it was a lemon pie", "Lemon! I'll bake one for you tomorrow!", 7),
        ("I collect stamps", "I've been collecting them for years.", 0),
    ],
)
def test_what_fits_nothing_that_was_said_is_stray(message: str, reply: str, start: int) -> None:
    assert stray_start(reply, message, ["Hal"]) == start


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("thanks a lot", "You're welcome!"),
        ("my dog died", "I'm so sorry for your loss."),
        ("good night", "Good night, Hal! Sleep well."),
        ("where should we go?", "You should visit Rome, Italy."),
        ("I painted it yellow", "Yellow, how cheerful! You did well."),
        ("it rains", "It rains."),
        ("my back is killing me", "I'm so sorry to hear that. It would be good to lie down, I'm sure. Is it any better now?"),
        ("I was so tired, but we won the cup!", "That's great, congratulations!"),
        ("she isn't ill any more", "I'm glad to hear that."),
        ("my niece lost her first tooth", "That's so sweet!"),
        ("I hate tomatoes", "That's a good reason to leave them out."),
        ("we won, but my knee hurts", "I'm sorry to hear that."),
        ("I play the harp every day", "So you play the harp every day?"),
        ("sorry, I am late", "No worries!"),
        ("can you ring Ana?", "I'm sorry, I can't ring anybody."),
        ("my daughter didn't get the part", "I'm sorry to hear that."),
        ("haha, that's why the duck crossed", "That's a good one!"),
    ],
)
def test_what_answers_it_is_not_stray(message: str, reply: str) -> None:
    assert stray_start(reply, message, ["Hal"]) is None


DOG, SISTER = "my dog is Miso", "my sister Mira lives in Oslo and has two kids"


@pytest.mark.parametrize(
    ("said", "kept", "claim"),
    [
        ([DOG], "How sweet! ", "Miso is a German Shepherd."),
        ([DOG], "", "Your dog is a German Shepherd, and they bark."),
        ([DOG, "she ate my sock today"], "", "She's 20, that's a big one."),
        ([SISTER], "Mira, how nice. ", "She loves to play soccer."),
        ([SISTER, "she comes in May"], "Lovely! ", "Your sister loves the mountains."),
        (["my son Ben is 8 and loves dinosaurs"], "Ben loves dinosaurs. ", "He's a big fan of all things prehistoric!"),
        (["My neighbour Torstein repairs clocks."], "", "Torstein is a famous explorer."),
        (
            ["my mother is called Nermin, she is a retired judge"],
            "Nermin, my friend. ",
            "She's a judge, but she still runs the court.",
        ),
        ([SISTER, "we were talking about her old job"], "Nice. ", "I'm so glad to hear that she loves the theatre."),
    ],
)
def test_what_nobody_told_of_whom_the_person_named_is_unsaid(said: list[str], kept: str, claim: str) -> None:
    assert unsaid_start(f"{kept}{claim}", said, ()) == len(kept)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ([DOG], "How old is Miso? Is she a poodle? I hope Miso is well. Miso might like a walk."),
        ([DOG], "Miso is a lovely name! Your dog must be a good friend. She would love a toy."),
        ([SISTER], "Mira lives in Oslo, how nice! She has kids. I'm sure she's busy. Mira is a wonderful person."),
        (["who was Marie Curie?"], "Marie Curie was a physicist. She won two Nobel prizes."),
        ([SISTER, "I read about Marie Curie"], "Marie Curie was a physicist. She won two Nobel prizes."),
        (["I live in Ghent"], "Ghent is an old city in Belgium. You live well."),
        ([DOG], "Dogs are animals that need a walk. They eat meat."),
    ],
)
def test_questions_wishes_praise_and_what_was_told_are_not(said: list[str], reply: str) -> None:
    assert unsaid_start(reply, said, ()) is None


def test_a_fact_that_the_prompt_has_was_told() -> None:
    assert unsaid_start("Miso is a poodle.", [DOG], ["User's dog Miso is a poodle."]) is None
    assert unsaid_start("Miso is a beagle.", ["Miso snores"], ["User's dog Miso is a poodle."]) == 0, "who it is stands there too"


def test_what_is_told_of_one_thing_is_not_told_of_another() -> None:
    assert unsaid_start("Mira plays the cello too!", [SISTER, "I used to play the cello"], ()) == 0
    assert unsaid_start("Mira lives in Oslo too!", [SISTER, "I used to play the cello"], ()) is None


@pytest.mark.parametrize(
    "life",
    [
        "I'm a yoga teacher.",
        "I work in a music shop.",
        "I love playing bingo.",
        "My favorite movie is Up.",
        "I was a nurse once.",
        "My boyfriend Ben is a lovable one.",
        "It is a beautiful name, after our old uncle.",
    ],
)
def test_a_program_tells_of_no_life(life: str) -> None:
    assert life_start(f"How nice. {life}", "What do you do for fun?") == len("How nice. ")
    assert life_start(life, "Let's play: you are a pirate and I am your parrot.") is None
    assert life_start(life, "do you know what kind of program you are?") is None


@pytest.mark.parametrize(
    "reply",
    [
        "I'm glad to hear that. I'm fine, just a little slow. I'm always happy to help.",
        "I am a program on your computer. I'm a big fan of that! I like your enthusiasm.",
        "I'd love to hear more. I am not sure. I hope you sleep well. I think it is a good plan.",
        "I remember that: you live in Ghent.",
        "I am a small language model. I have no body. I do not eat. My advice is to sleep early. I made a mistake.",
        'You could write "my boss is away".',
    ],
)
def test_what_it_feels_or_does_here_is_no_life(reply: str) -> None:
    assert life_start(reply, "I baked bread today") is None
