"""What memapp cannot do is known where it is asked for, and nothing that only sounds like it is taken for that."""

import pytest

from memapp.language.english.beyond import as_wish, read_beyond


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("remind me to call the plumber tomorrow", "remind"),
        ("can you set a reminder for the dentist on friday?", "remind"),
        ("I'm off. Remind me at 5 to feed the cat please", "remind"),
        ("set an alarm for 6", "alarm"),
        ("I need a 10 minute timer", "alarm"),
        ("please wake me up at seven", "alarm"),
        ("send my boss an email that I'm late", "send"),
        ("could you text Ana that I'm on my way", "send"),
        ("can you look that up online?", "online"),
        ("what's the weather like tomorrow?", "weather"),
        ("can you look up the weather in varna tomorrow", "weather"),
        ("what time is it", "time"),
        ("What's today's date?", "time"),
    ],
)
def test_what_memapp_cannot_do_is_known(typed: str, kind: str) -> None:
    request = read_beyond(typed)
    assert request is not None and request.beyond == kind


@pytest.mark.parametrize(
    "typed",
    [
        "remind me what I said about the plumber",
        "can you remind me of my sister's name?",
        "remind me never to do that again",
        "she always reminds me to lock up",
        "write an email to my boss that I'm late",
        "can you send me the recipe?",
        "I have to send a text to Bob",
        "would you call my brother lazy?",
        "I need an alarm clock for my bedroom",
        "what is the weather like in Oslo in summer?",
        "the weather is awful",
        "what time is it in the story when they meet?",
        "google is a company",
    ],
)
def test_what_only_sounds_like_it_is_left_to_the_memory_and_the_model(typed: str) -> None:
    assert read_beyond(typed) is None


@pytest.mark.parametrize(
    ("rest", "wish"),
    [
        ("to call Bo", "I want to be reminded to call Bo"),
        ("for the dentist on Friday", "I want to be reminded of the dentist on Friday"),
        ("for tomorrow to call Bo", "I want to be reminded tomorrow to call Bo"),
    ],
)
def test_what_of_is_told_as_a_wish(rest: str, wish: str) -> None:
    assert as_wish(rest) == wish
