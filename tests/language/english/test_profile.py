"""What a typed message states about its writer. All sentences are made up here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.profile import FIELDS, Stated, is_sensitive
from memapp.language.english.profile import said_instead, stated, stated_by


def read(text: str) -> list[tuple[str, str]]:
    return [(one.field, one.value) for one in stated(text)]


@pytest.mark.parametrize(
    ("typed", "field", "value"),
    [
        ("call me Ilse", "preferred_name", "Ilse"),
        ("please call me ilse from now on", "preferred_name", "Ilse"),
        ("can you call me Ilse instead of Lise?", "preferred_name", "Ilse"),
        ("stop calling me Lise and call me Ilse", "preferred_name", "Ilse"),
        ("my name is Robert but call me Bob", "preferred_name", "Bob"),
        ("Hi Anton! My name is Ilse.", "preferred_name", "Ilse"),
        ("my name's ilse", "preferred_name", "Ilse"),
        ("Mirko is my name", "preferred_name", "Mirko"),
        ("I'm Ilse, what's your name?", "preferred_name", "Ilse"),
        ("I’m Zoë.", "preferred_name", "Zoë"),
        ("my name is 李明", "preferred_name", "李明"),
        ("Hi, Dele here. Any film tips?", "preferred_name", "Dele"),
        ("I go by Tess", "preferred_name", "Tess"),
        ("everyone calls me nothing, my friends call me Mo", "preferred_name", "Mo"),
        ("My pronouns are they/them", "pronouns", "they/them"),
        ("my pronouns are She / Her", "pronouns", "she/her"),
        ("I use he/him pronouns", "pronouns", "he/him"),
        ("please use they/them for me", "pronouns", "they/them"),
        ("I moved to Oslo last week", "city", "Oslo"),
        ("I live in Porto, Portugal, with two cats.", "city", "Porto, Portugal"),
        ("i live in bergen", "city", "Bergen"),
        ("I live with my aunt in Ghent", "city", "Ghent"),
        ("I live in a small village in Wales", "city", "Wales"),
        ("I live in St. Ives now.", "city", "St. Ives"),
        ("I'm from Ghent but I live in Lyon", "city", "Lyon"),
        ("I am a welder and live in Rome", "city", "Rome"),
        ("I just moved from Berlin to the Netherlands", "city", "the Netherlands"),
        ("I speak Danish", "language", "Danish"),
        ("I'm fluent in Danish, Basque and Thai", "language", "Danish, Basque, Thai"),
        ("Could you answer me in Danish?", "language", "Danish"),
        ("switch your language from Danish to Basque please", "language", "Basque"),
        ("I'm diabetic", "health", "diabetic"),
        ("I'm 34 and diabetic", "health", "diabetic"),
        ("im allergic to walnuts and figs", "health", "allergic to walnuts and figs"),
        ("I have type 2 diabetes", "health", "type 2 diabetes"),
        ("i've got diabetes type 2", "health", "diabetes type 2"),
        ("I'm type 1 diabetic", "health", "type 1 diabetic"),
        ("My blood group is O negative", "health", "O negative"),
        ("I'm allergic to walnuts btw", "health", "allergic to walnuts"),
        ("I'm on insulin at the moment", "health", "on insulin"),
        ("I live in Bergen atm", "city", "Bergen"),
        ("It's Dave by the way", "preferred_name", "Dave"),
        ("My wife left me", "relationship", "wife left me"),
        ("my husband and I split up last month", "relationship", "husband and I split up"),
        ("dm me at ilse@example.org", "contact", "ilse@example.org"),
        ("I was diagnosed with lupus last year", "health", "lupus"),
        ("They diagnosed me with lupus", "health", "lupus"),
        ("Doctor says I have gout", "health", "gout"),
        ("my phone number is +47 555 01 23", "contact", "+47 555 01 23"),
        ("you can reach me at ilse@example.org", "contact", "ilse@example.org"),
        ("I live at 12 High Street, Leeds", "address", "12 High Street, Leeds"),
        ("I was born on 4 May 1984", "birth_date", "4 May 1984"),
        ("I was born in Minsk in 1984.", "birth_date", "1984"),
        ("my birthday is May 4th", "birth_date", "May 4th"),
        ("My birthday is on the 4th of May.", "birth_date", "4th of May"),
        ("I was born in Oct. 1984.", "birth_date", "Oct. 1984"),
        ("I was born in March 1984.", "birth_date", "March 1984"),
        ("I'm married to Jo", "relationship", "married to Jo"),
        ("I have a girlfriend", "relationship", "a girlfriend"),
        ("I'm a Buddhist", "religion", "Buddhist"),
        ("I don't believe in God", "religion", "don't believe in God"),
        ("I go to mass every Sunday.", "religion", "goes to mass"),
        ("I belong to a Baptist church", "religion", "belongs to a Baptist church"),
        ("I vote Labour", "politics", "Labour"),
        ("I earn $54,000 a year", "money", "$54,000 a year"),
        ("my salary is 3000 euros a month", "money", "3000 euros a month"),
        ("I was convicted of theft in 2009", "law", "convicted of theft"),
        ("I have a criminal record", "law", "a criminal record"),
        ("I spent two years in prison for fraud.", "law", "spent two years in prison for fraud"),
        ("please be more formal", "tone", "formal"),
        ("I prefer short answers", "tone", "short answers"),
        ("make your answers longer please", "tone", "answers longer"),
        ("my goal is to run a marathon", "goals_add", "run a marathon"),
        ("I'm trying to quit smoking", "goals_add", "quit smoking"),
    ],
)
def test_a_plain_statement_is_read_with_its_value(typed: str, field: str, value: str) -> None:
    assert (field, value) in read(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "my dog's name is Rex",
        "I'll try to be brief",
        "I want to be brief",
        "my number is 4000 0000 0000 0002",
        "My sister's name is Ilse.",
        "My sister lives in Oslo",
        "my brother is diabetic",
        "my mother speaks Danish",
        "Her name is Ilse. She lives in Rome.",
        "My boss is a Buddhist",
        "Do I live in Oslo?",
        "what is my name",
        "is Ilse a nice name?",
        "should I call my son Anton?",
        "If I'm diabetic can I eat sugar?",
        "I wish I lived in Paris",
        "I used to live in Oslo",
        "I don't live in Oslo",
        "I'm not diabetic",
        "I think I'm pregnant",
        "don't call me Bob",
        "She said I live in Oslo",
        "I told him my name is Bob",
        '"I live in Oslo" is the first line',
        "> I live in Oslo",
        "```\nI live in Oslo\n```",
        "the code says `my name is Bob`",
        "Translate: I live in Oslo",
        "How do you say my name is Anton in Danish",
        "Pretend my name is Bob. I live in Narnia.",
        "In my story I live in Narnia",
        "Summarise this:\nI live in Oslo. I'm diabetic.",
        "Anna: I live in Oslo",
        "my name is Bob, just kidding",
        "Call me tomorrow",
        "call me crazy but I like rain",
        "Call me a taxi",
        "My name was misspelled",
        "my name is on the list",
        "Nobody here.",
        "Lisbon here we come",
        "I'm Anton's mother",
        "I'm tired",
        "I live in a big city",
        "i live in the suburbs",
        "I live for music",
        "I'm learning Danish",
        "I love Danish pastry",
        "switch to the other tab",
        "change your name to Max",
        "change the language model",
        "email me when done",
        "I make bread",
        "set a timer to 5",
        "Let's talk about Spanish history",
        "I use Swedish furniture",
        "reply to my French teacher",
        "do you speak French?",
        "don't answer in French",
        "set the language to python",
        "I moved to Python 3",
        "I moved to the couch",
        "I moved to Oslo when I was five",
        "my address is a mess",
        "I live on 5 dollars a day",
        "I'm blind to it",
        "I'm engaged in a project",
        "I vote no",
        "I prefer Linux",
        "I hate when people call me Bob",
        "my wife's name is Mia",
        "talk to me gently",
        "my username is sam99",
        "I use he/him for my dog",
        "I only speak a little Danish",
        "I hate being called Samuel",
        "my psychiatrist is great",
        "I'm married to my job",
        "I was born in Marrakesh",
        "I no longer live in Oslo",
        "I'm from Ghent originally",
        "I'm from Ghent",
        "my surname is Raman, with one a",
        "It's Dave who eats all the cake",
        "It's summer by the way",
        "My wife left me a note",
        "My wife and I separated the yolks and the whites",
        "make it shorter",  # the last reply, and not all to come
        "please make it casual",
    ],
)
def test_what_is_not_said_of_oneself_or_not_meant_states_nothing(typed: str) -> None:
    assert read(typed) == []


def test_the_place_of_a_statement_is_where_it_stands_in_the_message() -> None:
    typed = "Well “so be it” 🙂 I’m diabetic. And I live in Oslo, you know."
    assert [(one.field, typed[one.start : one.end]) for one in stated(typed)] == [
        ("health", "I’m diabetic"),
        ("city", "I live in Oslo"),
    ]


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("can you call me something else", "preferred_name"),
        ("change your language please", "language"),
        ("please update my pronouns", "pronouns"),
    ],
)
def test_a_change_asked_for_without_a_value_is_read_without_one(typed: str, field: str) -> None:
    assert read(typed) == [(field, "")]


def test_a_new_address_also_tells_the_city() -> None:
    assert read("my new address is 7 Elm Lane, Leuven, Belgium 3000") == [
        ("address", "7 Elm Lane, Leuven, Belgium 3000"),
        ("city", "Leuven"),
    ]


def test_a_field_with_one_value_is_read_once_and_others_as_often_as_they_are_said() -> None:
    found = read("I live in Oslo. Sorry, I live in Bergen. I'm diabetic. I have asthma.")
    assert found == [("city", "Bergen"), ("health", "diabetic"), ("health", "asthma")]


@pytest.mark.parametrize(
    ("fact", "fields"),
    [
        ("User lives in Oslo.", ["city"]),
        ("User is a nurse and lives in Rome.", ["city"]),
        ("User is diabetic.", ["health"]),
        ("User has asthma.", ["health"]),
        ("User's name is Ilse.", ["preferred_name"]),
        ("User is called Zoe.", ["preferred_name"]),
        ("User's pronouns are they/them.", ["pronouns"]),
        ("User speaks Danish.", ["language"]),
        ("User was born in Minsk in 1984.", ["birth_date"]),
        ("User has been married for six years.", ["relationship"]),
        ("User does not believe in God.", ["religion"]),
        ("User votes Labour.", ["politics"]),
        ("User earns 50000 dollars a year.", ["money"]),
        ("User's phone number is 555 1234567.", ["contact"]),
        ("User's sister Anna lives in Oslo.", []),
        ("User was convicted of theft.", ["law"]),
        ("User is a criminal lawyer.", []),
        ("User served time as a tutor.", []),
        ("User likes tea.", []),
        ("User is trying to quit smoking.", []),
    ],
)
def test_a_retold_fact_states_the_same_sensitive_fields(fact: str, fields: list[str]) -> None:
    assert [one.field for one in stated_by(fact) if is_sensitive(one.field)] == fields
    assert all(list(stated_by(fact, field)) == [one for one in stated_by(fact) if one.field == field] for field in FIELDS)


_PIECES = st.sampled_from(
    [
        "I live in Oslo",
        "call me Ana",
        '"',
        "'",
        "\n",
        "? ",
        ". ",
        ", ",
        "and ",
        "i am ",
        "my name is ",
        "if ",
        "Ana",
        " in ",
        "``",
        "🙂",
        "İ",
        "ß",
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=25).map("".join)))
def test_any_text_is_read_without_failing_and_with_places_inside_it(text: str) -> None:
    for one in stated(text):
        assert isinstance(one, Stated)
        assert one.field in FIELDS
        assert 0 <= one.start <= one.end <= len(text)
        assert one.value == one.value.strip()


@given(
    st.sampled_from(["I live in Oslo", "call me Ana", "I'm diabetic", "I speak Danish"]),
    st.sampled_from(['"{}"', "“{}”", "`{}`", "> {}", "«{}»"]),
)
def test_a_quotation_states_nothing(statement: str, quotation: str) -> None:
    assert not stated(quotation.format(statement))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("My address is 12 Main Street", [("address", "12 Main Street")]),
        ("My sister and I have diabetes", [("health", "diabetes")]),
        ("My husband and I are getting divorced", [("relationship", "getting divorced")]),
        ("I was born in March", [("birth_date", "March")]),
        ("I still make 80k a year", [("money", "80k a year")]),
        ("I'm happily in the Oslo area. I live in the Oslo area", [("city", "Oslo")]),
    ],
)
def test_nothing_is_read_beside_what_is_stated(typed: str, found: list[tuple[str, str]]) -> None:
    assert read(typed) == found


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("No, Bergen", "Bergen"),
        ("No! I said New York.", "New York"),
        ("No, thanks", ""),
        ("Nope. Stop asking.", ""),
        ("No. Never.", ""),
        ("Bergen", ""),
        ("No, I moved", ""),
    ],
)
def test_a_no_may_give_another_value(reply: str, value: str) -> None:
    assert said_instead(reply, "city") == value
