"""Which remembered sentences may be about something sensitive. All sentences are made up here."""

import pytest

from memapp.domain.profile import FIELDS, Hint, is_sensitive
from memapp.language.english.profile_hints import is_secret, may_apply_by_itself, touches_sensitive, unknown_in
from memapp.language.english.profile_readers import EN


@pytest.mark.parametrize(
    ("fact", "field"),
    [
        ("User tested positive for HIV last week.", "health"),
        ("User went to rehab in March.", "health"),
        ("User uses a wheelchair.", "health"),
        ("User has a dog called Rex and depression.", "health"),
        ("User takes pills every morning.", "health"),
        ("User's therapist is patient.", "health"),
        ("User's wife drove User to rehab.", "health"),
        ("User works for the Labour party.", "politics"),
        ("User is an activist.", "politics"),
        ("User's cousin is a nazi.", "close_people"),
        ("User loves going to church on Sundays.", "religion"),
        ("User prays in the church basement.", "religion"),
        ("User helps out at the church.", "religion"),
        ("User prays five times a day.", "religion"),
        ("User is paying off a debt.", "money"),
        ("User went bankrupt in 2019.", "money"),
        ("User is going through a divorce.", "relationship"),
        ("User met User's girlfriend at a fair.", "relationship"),
        ("User uses ilse@example.org for work.", "contact"),
        ("User answers at 555 123 4567.", "contact"),
        ("User rents a room at 12 High Street.", "address"),
        ("User's blood group is B positive.", "health"),
        ("User's BMI is 27.", "health"),
        ("User weighs 70 kilos.", "health"),
        ("User's GP put User on ramipril.", "health"),
        ("User has an IUD.", "health"),
        ("User had an appendectomy.", "health"),
        ("User lost a baby in spring.", "health"),
        ("User is in AA.", "health"),
        ("User drinks tequila for breakfast.", "health"),
        ("User has a small brandy before work.", "health"),
        ("User drinks a lot.", "health"),
        ("User cannot digest leeks.", "health"),
        ("User drinks alone.", "health"),
        ("User has eight cans a night.", "health"),
        ("User was in the Komsomol.", "politics"),
        ("User has been clean for a year.", "health"),
        ("User carries the BRCA2 gene.", "health"),
        ("User is a widow.", "relationship"),
        ("User's husband walked out on User.", "relationship"),
        ("User came out last year.", "relationship"),
        ("User transitioned at thirty.", "relationship"),
        ("User is undocumented.", "law"),
        ("User has refugee status.", "law"),
        ("User is a union member.", "politics"),
        ("User is of Basque descent.", "ethnicity"),
        ("User is a person of colour.", "ethnicity"),
        ("User's phone ends in 12.", "contact"),
        ("User miscarried last winter.", "health"),
        ("User's marriage is over.", "relationship"),
        ("User has no papers.", "law"),
    ],
)
def test_a_sentence_that_speaks_of_a_sensitive_field_touches_it(fact: str, field: str) -> None:
    assert touches_sensitive(fact) == field


@pytest.mark.parametrize(
    "fact",
    [
        "User likes tea.",
        "User's choir meets in the church basement.",
        "User's bus stops opposite the mosque.",
        "User is expecting guests on saturday.",
        "User has a dog called Rex.",
        "User plays the cello.",
        "User works as a nurse.",
        "User works at a hospital.",
        "User loves seeing new places and old churches.",
        "User is vegetarian.",
        "User has a wife and two kids.",
        "User's sister Anna lives in Oslo.",
        "User's wife is from Bilbao.",
        "User is sick of winter.",
        "User has a new phone.",
        "User loves birthday parties.",
        "User hates Labour Day traffic.",
        "User is an animal lover.",
        "User follows current affairs.",
        "User is trying to quit smoking.",
        "User was born in Minsk.",
        "User is learning Basque.",
        "User's surname is Jones.",
        "User is from Ghent.",
        "User has a pin collection.",
        "User came out of the cinema.",
        "User came out fifth in a quiz.",
        "User lost a bet.",
        "User lost User's baby blanket.",
        "User likes the union of two rivers.",
        "User works for the European Union.",
        "User weighs flour by hand.",
        "User's wife left User a note.",
        "User split up the garden into beds.",
        "User has a black cat.",
        "User transitioned to a new job.",
        "User is a baggage carrier.",
        "User is a visa officer.",
        "User broke up a fight.",
        "User likes AAA batteries.",
        "User drinks a lot of water.",
        "User drinks ginger beer with breakfast.",
        "User drinks coffee alone.",
        "User owns a microscope for microscopy.",
    ],
)
def test_an_ordinary_sentence_touches_nothing(fact: str) -> None:
    assert touches_sensitive(fact) is None


@pytest.mark.parametrize(
    "fact",
    [
        "User's boss is a heavy drinker.",
        "User's friend Mila is pregnant.",
        "User's nephew cuts himself.",
        "User's parents are getting divorced.",
        "User's gay brother is a baker.",
        "User's brother owes 20 grand.",
        "User's mum prays the rosary every night.",
        "User's sister's marriage is over.",
        "User's neighbour Uwe is in the afd.",
        "User's uncle is awaiting trial.",
    ],
)
def test_of_somebody_close_it_waits_as_theirs(fact: str) -> None:
    assert touches_sensitive(fact) == "close_people"


@pytest.mark.parametrize(
    "fact",
    [
        "User's partner is a therapist.",
        "User's sister works in a hospital.",
        "User's friend Faith lives in Bath.",
        "User's friend Christian plays left wing.",
        "User's brother earned his black belt.",
        "User's cousin designs crutches.",
        "User's sister's boyfriend is a pilot.",
        "User's aunt turned 60 in May.",
        "User's dog is deaf.",
        "User's daughter is ill today.",
    ],
)
def test_of_somebody_close_more_is_ordinary(fact: str) -> None:
    assert touches_sensitive(fact) is None


@pytest.mark.parametrize(
    ("fact", "hint"),
    [
        ("User uses a wheelchair.", Hint("health", "uses a wheelchair")),
        ("User needs a hand with User's wheelchair.", Hint("health", "needs a hand with my wheelchair")),
        ("User's wheelchair is blue.", Hint("health", "wheelchair is blue")),
        ("I pray with friends.", Hint("religion", "pray with friends")),
        ("My wheelchair is blue.", Hint("health", "wheelchair is blue")),
        ("My mother has cancer.", Hint("close_people", "mother has cancer")),
        ("My mother and I pray together.", Hint("religion", "mother and I pray together")),
        ("User and User's wife pray together.", Hint("religion", "wife and I pray together")),
        ("User's oncologist is Dr Smith.", Hint("health", "oncologist is Dr Smith")),
        ("User hates being called Samuel.", Hint("preferred_name", "")),
        ("User likes tea.", None),
    ],
)
def test_where_no_value_is_read_all_that_a_sentence_says_is_the_value(fact: str, hint: Hint | None) -> None:
    assert unknown_in(fact, {}) == ([hint] if hint else [])


@pytest.mark.parametrize(
    ("fact", "field"),
    [
        ("User likes Oslo, where User lives.", "city"),
        ("User enjoys User's life in Oslo.", "city"),
        ("User loves User's flat in Oslo.", "city"),
        ("User loves Oslo, User's home town.", "city"),
        ("User rents at Storgata 5.", "address"),
        ("User loves the flat at 12 Karl Johans gate.", "address"),
        ("User's mother calls User Sam.", "preferred_name"),
        ("User's new name is Ida.", "preferred_name"),
        ("User uses they/them.", "pronouns"),
        ("User can speak Danish.", "language"),
        ("User grew up speaking Danish.", "language"),
        ("User turned 40 in March.", "birth_date"),
        ("User smokes weed.", "health"),
        ("User feels suicidal.", "health"),
        ("User's goal is to stop cutting.", "health"),
        ("User cannot hear well.", "health"),
        ("User sleeps with men.", "relationship"),
        ("User likes girls and boys.", "relationship"),
        ("User's party is Labour.", "politics"),
        ("User wants to marry User's colleague.", "relationship"),
        ("User's username is sam99.", "contact"),
    ],
)
def test_other_wordings_of_a_sensitive_field_touch_it_too(fact: str, field: str) -> None:
    assert touches_sensitive(fact) == field


@pytest.mark.parametrize(
    "fact",
    [
        "User lives in a small town.",
        "User lives in the moment.",
        "User used to live in Rome.",
        "User wants to live by the sea.",
        "User's parents live in Oslo.",
        "User only speaks a little Danish.",
        "User goes by bike.",
        "User loves the Backstreet Boys.",
        "User likes men's shoes.",
        "User makes bread.",
    ],
)
def test_what_only_sounds_like_it_touches_nothing(fact: str) -> None:
    assert touches_sensitive(fact) is None


def test_every_sensitive_field_has_its_topic() -> None:
    assert set(EN.entry("topics")) == {field for field in FIELDS if is_sensitive(field)} - {"close_people"}


@pytest.mark.parametrize(
    ("fact", "hint"),
    [
        ("User likes Oslo, where User lives.", Hint("city", "Oslo")),
        ("User's name is on the list.", Hint("preferred_name", "")),
        ("User is bilingual in Danish.", Hint("language", "Danish")),
        ("User is bilingual in danish.", Hint("language", "Danish")),
    ],
)
def test_a_field_of_one_kind_of_value_takes_no_sentence_for_its_value(fact: str, hint: Hint) -> None:
    assert unknown_in(fact, {}) == [hint]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("goals_add", "come out as gay"),
        ("goals_add", "get sober"),
        ("goals_add", "beat my depression"),
        ("goals_add", "get a divorce"),
        ("goals_add", "pay off my debts"),
        ("goals_add", "get pregnant"),
        ("goals_add", "become a Catholic"),
        ("goals_add", "stop cutting"),
        ("tone", "gentle, I have cancer"),
        ("city", "Oslo"),
    ],
)
def test_nothing_that_tells_something_sensitive_applies_by_itself(field: str, value: str) -> None:
    assert not may_apply_by_itself(field, value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("goals_add", "learn Danish"), ("goals_add", "run a marathon"), ("tone", "short"), ("tone", "answers without emojis")],
)
def test_what_is_benign_applies_by_itself(field: str, value: str) -> None:
    assert may_apply_by_itself(field, value)


def test_the_day_on_which_something_was_told_is_no_part_of_its_value() -> None:
    assert unknown_in("User was diagnosed with lupus on Sunday 1 November 2026.", {}) == [Hint("health", "lupus")]
    assert unknown_in("User voted for the greens in the week of 26 October 2026.", {}) == [Hint("politics", "the greens")]


def test_where_somebody_does_not_live_is_neither_learned_nor_asked() -> None:
    assert unknown_in("User does not live in Oslo.", {}) == [Hint("city", "")]


@pytest.mark.parametrize(
    "fact",
    [
        "User's PIN is 1234.",
        "User's wifi password is hunter3.",
        "User's password for the router is hunter3.",
        "User's door code is 0000.",
        "The gate code at the yard is now 4410.",
        "User's passport number is X1234567.",
        "User's card number is 4000 0000 0000 0002.",
        "User's credit card ends in 0002.",
        "User's number is 4000 0000 0000 0002.",
    ],
)
def test_what_opens_something_is_neither_learned_nor_asked(fact: str) -> None:
    assert unknown_in(fact, {}) == [Hint("contact", "")]


@pytest.mark.parametrize(
    "fact",
    [
        "User's card trick is famous.",
        "User has a library card.",
        "User's gym code of conduct has 212 pages.",
        "User likes the number 4471.",
    ],
)
def test_what_only_sounds_like_a_secret_is_learned(fact: str) -> None:
    assert unknown_in(fact, {}) == []


def test_a_yes_to_a_value_is_none_to_what_else_the_sentence_tells() -> None:
    fact = "User is diabetic and Catholic."
    assert [one.field for one in unknown_in(fact, {})] == ["health", "religion"]
    assert [one.field for one in unknown_in(fact, {"health": ("diabetic",)})] == ["religion"]
    assert unknown_in("User lives in Oslo.", {"city": ("Oslo",)}) == []


@pytest.mark.parametrize(
    "said",
    [
        "I keep my passwords in a notebook in the drawer",
        "I always use my cat's name and a year for logins",
        "my passwords are all footballers with their shirt number",
        "I wrote my PIN on the back of the card",
        "I use the same password for everything",
        "all my passwords start with the dog's name",
        "my alarm code is my wedding day backwards",
        "I put my mum's birthday as my bank pin",
        "my seed phrase is taped under the desk",
        "the safe combination is in the red cookbook",
        "for security questions I always give the same street",
        "I take the first letters of a song for my passwords",
        "my login is always my nickname and the year",
        "I store my recovery phrase in a tin in the shed",
        "my laptop password is on a yellow note by the screen",
        "the key box code is written inside the meter cupboard",
        "I have one password for all my shops, with the shop's name behind it",
    ],
)
def test_a_hint_of_a_way_in_is_a_secret(said: str) -> None:
    assert is_secret(said)


@pytest.mark.parametrize(
    "said",
    [
        "I keep forgetting my passwords",
        "I use a password manager",
        "I collect pins from every town",
        "I keep bees in the garden",
        "I keep my wool in a basket",
        "I lost my house keys on the bus",
        "I use pins for my quilts",
        "I use Excel for my accounts",
        "I need a new password",
        "my sister is a locksmith, she cuts keys",
        "I write in a notebook every morning",
        "I reset passwords for people at work",
        "I teach people how to choose good passwords",
        "the password policy at work is silly",
        "I forgot the code again",
        "I hang my keys on a hook",
        "I make keys for a living",
        "I put my phone in the drawer at night",
        "I always use cinnamon and a clove for the stew",
        "I code in the evenings",
        "I play the piano in a key of C",
    ],
)
def test_what_only_sounds_like_a_way_in_is_none(said: str) -> None:
    assert not is_secret(said)
