"""One reading of a message: its statements, and each as a sentence about User."""

import pytest

from memapp.language.english.statements import plain, read, stands_alone


def facts(text: str) -> list[str]:
    return [one.fact for one in read(text) if one.fact]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Been mending clocks for a living since 2009.", ["User has been mending clocks for a living since 2009."]),
        ("Working as a welder these days, mostly ships.", ["User is working as a welder these days, mostly ships."]),
        ("tbh i cant stand opera", ["User cannot stand opera."]),
        ("I'm also a keen sailor.", ["User is a keen sailor."]),
        ("should have said, I'm vegetarian, so no soup", ["User is vegetarian."]),
        ("did I mention that my brother keeps bees?", ["User's brother keeps bees."]),
        ("did I tell you my name?", []),
        ("did I tell you where I live?", []),
        ("u know my bro luvs chess", ["User's brother loves chess."]),
        ("im alergic to penicilin", ["User is allergic to penicillin."]),
        ("I don't enjoy meditation.", ["User does not enjoy meditation."]),
        ("Lotte and I both love chess", ["User and Lotte both love chess."]),
        ("hubby works nights", ["User's husband works nights."]),
        ("We rent a boat every August and sleep on it.", ["User rents a boat every August."]),
        ("no coriander for me please", ["User wants no coriander."]),
        ("The cat is called Mog.", ["User's cat is called Mog."]),
        ("Quick update: our shop opens in May.", ["User's shop opens in May."]),
        ("From June on I'll only work three days.", ["From June on User will only work three days."]),
        ("I never want soup with fennel in it.", ["User never wants soup with fennel."]),
        ("I sign my letters R. J. Hale.", ["User signs User's letters R. J. Hale."]),
        ("My pension is 1,450 a month.", ["User's pension is 1,450 a month."]),
        ("met Olga at the fair, Olga works for the council", ["User met Olga at the fair."]),
        ("my choir's tour is in may", ["User's choir's tour is in may."]),
        ("i cant bear liver so none for me", ["User cannot bear liver."]),
        ("I'm a drummer, is that too loud for a flat?", ["User is a drummer."]),
        ("i loathe my job", ["User loathes User's job."]),
        ("My boss is Ida, she's based in Ghent.", ["User's boss is Ida.", "User's boss is based in Ghent."]),
        ("my bro is called sven hes 12", ["User's brother is called sven.", "User's brother is 12."]),
        ("i love the boat he is building", []),
        ("my sister's a vet, bless her", ["User's sister is a vet."]),
        ("I'm a tester, mostly Go and Java", ["User is a tester, mostly Go and Java."]),
        ("were moving the choir to mondays", ["User is moving the choir to mondays."]),
        ("My favourite song is Stand By Me", []),
        ("we know us since school", []),
        ("our flatmate is loud its driving me mad", ["User's flatmate is loud."]),
        ("im jo, just moved to hull for work", ["User is jo.", "User moved to hull for work."]),
        ("what can i bake, cant have eggs", ["User cannot have eggs."]),
        ("nothing with mushrooms please, can't stand them", ["User cannot stand mushrooms."]),
        ("no peanuts please, i'm allergic to them", ["User is allergic to peanuts."]),
        ("no thanks, i dont eat that", []),
        ("we were going to hike in Peru, maybe the coast instead", []),
        ("I was going to study law but dropped out", ["User was going to study law but dropped out."]),
        ("we met on a ferry in 2003", []),
        ("so me and my sister Ilse inherited a vineyard", ["User and User's sister Ilse inherited a vineyard."]),
        ("no job, i hate it", ["User wants no job."]),
        ("I hate this night shift", []),
        ("I was going to night school for years", ["User was going to night school for years."]),
        ("my boss dont like noise", ["User's boss does not like noise."]),
        ("any film tips, loathe westerns", ["User loathes westerns."]),
        ("I like rowing, sailing and chess", ["User likes rowing, sailing and chess."]),
        ("my sisters getting married", ["User's sister is getting married."]),
        ("my uncle's in hospital again", ["User's uncle is in hospital again."]),
        ("my aunt's living room is blue", ["User's aunt's living room is blue."]),
    ],
)
def test_a_statement_is_told_of_user(typed: str, told: list[str]) -> None:
    assert facts(typed) == told


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("its harmless!", "it is harmless!"),
        ("the x-ray came, its only a sprain", "the x-ray came, it is only a sprain"),
        ("its parked behind the barn", "it is parked behind the barn"),
        ("its roof leaks", "its roof leaks"),
        ("I like its colour", "I like its colour"),
        ("a boat and its engine", "a boat and its engine"),
    ],
)
def test_its_without_a_noun_of_its_own_is_it_is(typed: str, meant: str) -> None:
    assert plain(typed) == meant


def test_who_was_spoken_of_is_named_again() -> None:
    assert facts("My sister Ida keeps bees. She sells the honey at fairs.") == [
        "User's sister Ida keeps bees.",
        "User's sister Ida sells the honey at fairs.",
    ]


@pytest.mark.parametrize(
    ("before", "typed", "told"),
    [
        (["my uncle Bo has a kiln"], "he sells pots at fairs", ["User's uncle Bo sells pots at fairs."]),
        (
            ["my niece's name is ines, she's lovely"],
            "her teacher is called Mr Holm",
            ["User's niece Ines' teacher is called Mr Holm."],
        ),
        (["my nephews are here", "ok"], "they play the drums", ["User's nephews play the drums."]),
        (["my wife Olga is away"], "Olga teaches pottery", ["User's wife Olga teaches pottery."]),
        (["my wife Olga is away"], "Olga is vegan, so we cook beans", ["User's wife Olga is vegan.", "User cooks beans."]),
        (
            ["my wife Olga is away"],
            "Olga's a potter, she sells mugs",
            ["User's wife Olga is a potter.", "User's wife Olga sells mugs."],
        ),
        (["my pal is my friend Per"], "Per and I row on Fridays", ["User and User's friend Per row on Fridays."]),
        (["my uncle studies at Ghent University"], "he teaches pottery", ["User's uncle teaches pottery."]),
        (["my mum was here. my aunt too"], "she teaches pottery", []),
        (["my uncle knows Piet"], "he teaches pottery", []),
        (["my uncle has a new friend"], "he teaches pottery", []),
        (["my sister's boyfriend cooks"], "he teaches pottery", []),
        (
            ["my aunt is here"],
            "her name's Ruth, she's had a stall for years",
            ["User's aunt's name is Ruth.", "User's aunt Ruth has had a stall for years."],
        ),
        (["my aunt Ruth was here", "Ruth laughed so loud her dog barked"], "she has a stall", ["User's aunt Ruth has a stall."]),
        (["my aunt Ruth was here, her brother too"], "he has a stall", []),
        (["neighbour called Agnes brought plums"], "she swims every morning", ["User's neighbour swims every morning."]),
        (["my aunt is here", "her name's Ruth"], "her stall is blue", ["User's aunt's stall is blue."]),
        (["my aunt is here"], "my uncle has her on sundays", []),
        (["my brother bought a dog"], "his names Rex", ["User's brother's dog's name is Rex."]),
        (["my sister's kid is 4 now"], "her name is Ada", ["User's sister's kid's name is Ada."]),
        (["my sister has a kid"], "her name is Ada", []),
        (["we got a dog"], "his name is Rex", ["User's dog's name is Rex."]),
        (["my friend and a dog were here"], "he is called Bo", ["User's friend is called Bo."]),
        (["my wife walks the dog"], "Her name is Eve.", ["User's wife's name is Eve."]),
        (["my uncle is here"], "she teaches pottery", []),
        (["my uncle is here"], "they teach pottery", []),
        (["my brother in law is here"], "he teaches pottery", []),
        (["my uncle is here", "I like soup", "I like pie", "I like tea"], "he teaches pottery", []),
    ],
)
def test_who_was_spoken_of_in_the_chat_is_named_where_it_is_clear(before: list[str], typed: str, told: list[str]) -> None:
    assert [one.fact for one in read(typed, tuple(before)) if one.fact] == told


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("uncle mo drives a taxi and knows every road", ["User's uncle mo drives a taxi and knows every road."]),
        ("Cousin Vera has a kiln", ["User's cousin Vera has a kiln."]),
        ("boss wants everything in a table", ["User's boss wants everything in a table."]),
        ("best friend moved to Calgary", ["User's best friend moved to Calgary."]),
        ("cousin's wedding is in May", ["User's cousin's wedding is in May."]),
        ("mate can you help me with a rhyme", []),
        ("boss fight was hard", []),
        ("friend of mine has a boat", []),
        ("Father Ted is the best of them", []),
        ("dog is called Moos, he's 11", ["User's dog is called Moos.", "User's dog is 11."]),
        ("cat's called Bo", ["User's cat is called Bo."]),
    ],
)
def test_somebody_close_is_known_without_my_where_a_verb_tells_of_them(typed: str, told: list[str]) -> None:
    assert [one.fact for one in read(typed) if one.fact] == told


def test_the_state_is_nobodys_uncle() -> None:
    assert not any(one.fact.startswith("User's") for one in read("uncle sam wants his form from me"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["no wait, his name is Waldo, Waffles is the neighbour's"], ["User's puppy's name is Waldo."]),
        (
            ["sorry, he's called Waldo. Waffles is my brother's dog"],
            ["User's puppy is called Waldo.", "Waffles is User's brother's dog."],
        ),
        (["oops, his name's Waldo", "Waffles bites"], []),
        (["no wait, his name is Waldo", "he sleeps on my bed"], ["User's puppy Waldo sleeps on User's bed."]),
        (["no wait, his name is Waldo", "no, he's called Waffles", "he bites"], ["User's puppy Waffles bites."]),
        (["his brother's name is Waldo", "Waffles hates cats"], ["User's puppy Waffles hates cats."]),
    ],
)
def test_a_name_that_was_put_right_is_nobodys_any_more(said: list[str], told: list[str]) -> None:
    *before, typed = ["I have a puppy called Waffles", *said]
    assert [one.fact for one in read(typed, tuple(before)) if one.fact] == told


def test_a_name_is_put_right_of_who_was_named_just_before() -> None:
    before = ("my husband Kwame is a nurse", "we got a puppy called Waffles")
    assert [one.fact for one in read("no wait, his name is Waldo, Waffles is the neighbour's", before) if one.fact] == []


def test_what_breaks_off_or_passes_makes_no_fact() -> None:
    for typed in ("Fridays I can't.", "I think so.", "I need five rhymes.", "no wait", "it is what it is", "not sure"):
        assert facts(typed) == [], typed


@pytest.mark.parametrize(
    "typed",
    [
        "I'm totally hooked on it.",
        "I'm counting on them.",
        "I'd have to ask about it.",
        "I picked some of those.",
        "I adore their old songs.",
        "I keep one called Pepper.",
        "I play all sorts of card games, my favourites are rummy and whist.",
        "My favourite was the bronze horse.",
        "I collect lots of things.",
        "I have been playing both zithers since school.",
        "I get to work with a lot of potters and learn about clay.",
        "I know many favourites.",
        "I have always hoped to visit.",
        "I've never been on a zeppelin.",
        "I didn't have the time to oil the loom.",
        "I've never been sledging.",
        "He and I built a canoe together.",
        "My favourite genre is probably noir.",
        "I don't have a favourite song.",
        "I'm learning online.",
        "I grew up in the trade.",
        "My aunt Ida rang back.",
    ],
)
def test_what_is_whole_only_with_another_sentence_makes_no_fact_by_itself(typed: str) -> None:
    assert not [fact for fact in facts(typed) if fact != "User plays all sorts of card games."]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Write to me.", []),
        ("don't tell the twins", []),
        ("I'm the oldest, aren't I?", []),
        ("If I were a drummer, would that be too loud?", []),
        ("We can swap recipes.", []),
        ("We should see a play together.", []),
        ("I'll ask the chemist about a cream.", []),
        ("Maybe I'll bring a book.", []),
        ("Juggling is great too.", []),
        ("Playing the harp in public was a thrill.", []),
        ("My name is [name].", []),
        ("I'll weigh the costs and write my own plan.", []),
        ("I will teach in Riga from September.", ["User will teach in Riga from September."]),
        ("I usually read the paper in bed.", ["User usually reads the paper in bed."]),
        ("I mostly write letters, watch old films and nap.", []),
        ("My wife and I run a bakery together.", ["User and User's wife run a bakery together."]),
        ("I play a lot of cards with my aunt.", ["User plays a lot of cards with User's aunt."]),
    ],
)
def test_an_intention_an_offer_or_a_command_is_no_habit(typed: str, told: list[str]) -> None:
    assert facts(typed) == told


def test_a_question_states_nothing_and_the_statement_beside_it_is_read() -> None:
    assert facts("Any good books on locks? I collect old padlocks.") == ["User collects old padlocks."]
    assert facts("whos my best mate") == facts("no sorry, fridays") == []


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("my kettle drips at the lid, does descaler eat rubber", ["User's kettle drips at the lid."]),
        ("did Norway ever join the union, my quiz team wants to know", ["User's quiz team wants to know."]),
        ("short grain, long grain, is wild a rice or is my cook joking", []),
        ("I paint fans, which paper holds gold leaf", ["User paints fans."]),
        ("where do the trams turn, i sweep the depot on Sundays", ["User sweeps the depot on Sundays."]),
        ("I want no candles, so could the cake not have any, just lemon", ["User wants no candles."]),
        ("my sister, who is a nurse, lives in Leeds", ["User's sister, who is a nurse, lives in Leeds."]),
        ("my aunt lives in Ayr, has two kids", ["User's aunt lives in Ayr.", "User's aunt has two kids."]),
        ("did my apprenticeship in Leeds", ["User did User's apprenticeship in Leeds."]),
    ],
)
def test_a_question_without_a_mark_states_nothing_and_what_is_told_beside_it_is_read(typed: str, told: list[str]) -> None:
    assert facts(typed) == told


@pytest.mark.parametrize(
    "typed",
    [
        "Got this from a guest, what do I say?\n\nHello, I have two cats and I smoke outside. Kind regards, Peter",
        "Ana: I have three sons. I hate cheese.",
        "*steps into the inn* I am Orla of the marsh and I carry a lute.",
        "Which am I: a) I love crowds b) I prefer islands c) I climb trees?",
        "Start with: I was nine when we left the farm.",
        "Fix the grammar. I live in Madrid since two years and I have diabetes.",
        "Lyrics: I have two cats and I live in Oslo",
        "My flatmate wrote: I live in Oslo and I have two cats.",
        "In the story I live in Oslo and have two cats.",
        'profile = {"name": "Ana", "likes": ["surfing"]}',
        'He said "I have a house of seven doors".',
    ],
)
def test_the_words_of_others_are_nobodys_facts(typed: str) -> None:
    assert facts(typed) == []


def test_a_list_of_ones_own_is_no_dialogue() -> None:
    assert facts("Update: I play the oboe.\nMondays: I row.")[:1] == ["User plays the oboe."]


@pytest.mark.parametrize(
    "text",
    [
        "please find me a bus",
        "Show me what I have set.",
        "find me some chess clubs",
        "ring my phone at noon",
        "clear my list for Friday",
        "any news for me on the boat trip",
        "play the second song",
        "share my route with Ada",
        "need a rhyme for ladder",
        "did my parcel get lost",
        "will a lute fit in the rack",
        "jam or honey for the sponge, my cakes look flat",
    ],
)
def test_what_asks_for_something_is_no_fact(text: str) -> None:
    assert [one.fact for one in read(text) if one.fact] == []


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("does my nephew like spiders", []),
        ("how is my daughter named, and which class", []),
        ("which stretch can I do, I have a bad chair", ["User has a bad chair."]),
        ("did my degree in Leeds", ["User did User's degree in Leeds."]),
        ("i like olives now im a new man", ["User likes olives.", "User is a new man."]),
        ("I was myself a nurse for ten years", ["User was a nurse for ten years."]),
        ("I must give a talk at the club on Friday", ["User must give a talk at the club on Friday."]),
        ("I must give a talk", []),
        ("I worked thirty years for the post office when they had horses", ["User worked thirty years for the post office."]),
        ("my sister jodies comin up from bristol", ["User's sister Jodie is coming up from bristol."]),
        ("my sister studies coming movements", ["User's sister studies coming movements."]),
        ("i dont fly, never", ["User does not fly."]),
        ("mums in leeds", ["User's mum is in leeds."]),
        ("Her successor is one of whom I have hopes", []),
        ("mums not to know", []),
        ("I feed that awful cat of his. The cat is named Bismarck.", []),
        ("I have a cat. The cat is named Bismarck.", ["User has a cat.", "User's cat is named Bismarck."]),
    ],
)
def test_what_is_typed_in_a_hurry_or_formally_is_read(typed: str, told: list[str]) -> None:
    assert [one.fact for one in read(typed) if one.fact] == told


@pytest.mark.parametrize(
    ("sentence", "is_clear"),
    [
        ("She came out arguing.", False),
        ("They came out like inner tubes.", False),
        ("They want me to wear a box on my chest for two weeks.", True),
        ("A friend of mine found a lump.", True),
        ("Lost my job.", True),
        ("Half of them are my cousins.", False),
        ("Half of the hens are mine.", True),
    ],
)
def test_what_is_said_of_somebody_without_a_name_cannot_be_asked_about_alone(sentence: str, is_clear: bool) -> None:
    assert stands_alone(sentence) == is_clear


def test_what_somebody_named_in_the_same_sentence_has_is_told_of_them() -> None:
    told = read("I am knitting a cardigan for my granddaughter Suzie, her birthday is on the 12th of June.")
    assert [one.fact for one in told] == [
        "User is knitting a cardigan for User's granddaughter Suzie.",
        "User's granddaughter Suzie's birthday is on the 12th of June.",
    ]
    assert [one.fact for one in read("I sat beside a woman and her boss sang.")] == ["User sat beside a woman."]


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("What can I get my brother Per? He turns 45 on Saturday.", "User's brother Per turns 45 on Saturday."),
        ("Please write a toast for my brother Per. He turns 45 on Saturday.", "User's brother Per turns 45 on Saturday."),
        ("help me plan a party for my son. he turns 6 on saturday", "User's son turns 6 on saturday."),
        ("Can you write a greeting to my son-in-law Ed? He likes boats.", "User's son-in-law Ed likes boats."),
    ],
)
def test_of_whom_is_asked_the_next_sentence_may_tell(message: str, fact: str) -> None:
    assert fact in [one.fact for one in read(message)]


@pytest.mark.parametrize(
    "message",
    [
        "Write a story about my brother Per. He turns into a frog.",
        "Can you write a card for my sister: she is the best, she plays the harp",
        "Write a poem for my sister. She sings like a bird.",
        "School says our daughter may stay at home. She is sixteen.",
    ],
)
def test_of_whom_a_text_is_written_nothing_is_told(message: str) -> None:
    assert not [one.fact for one in read(message) if one.fact]


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("no more pottery for me i quit, too much clay in my hair", ["User wants no more pottery."]),
        ("my girl Tia is here. she dont like chocolate", ["User's girl Tia does not like chocolate."]),
        ("my girl Tia is here. she studying to be a nurse", ["User's girl Tia is studying to be a nurse."]),
        ("I never learned, thirty-one years on the sea and I can not swim.", ["User cannot swim."]),
        ("no mushrooms please, can't stand them", ["User cannot stand mushrooms."]),
        ("I swim, mostly in the lake", ["User swims, mostly in the lake."]),
    ],
)
def test_what_is_said_in_a_few_loose_words_is_not_bent(message: str, facts: list[str]) -> None:
    assert [one.fact for one in read(message) if one.fact] == facts


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("used to row but I quit in 2019", ["User used to row but quit in 2019."]),
        ("I played the cello for ten years and then I stopped", ["User played the cello for ten years and then stopped."]),
        ("I rowed for years but gave it up when Ida was born", ["User rowed for years but gave up when Ida was born."]),
        ("I sang in a choir, but then I gave up", ["User sang in a choir, but then gave up."]),
        ("my uncle Bo boxed but he stopped in 1990", ["User's uncle Bo boxed but stopped in 1990."]),
        ("My mum lives with my dad but he left in May.", ["User's mum lives with User's dad."]),
        ("My brother has a girlfriend but she left", ["User's brother has a girlfriend."]),
        ("I used to fence and I quit my job in May", ["User used to fence.", "User quit User's job in May."]),
        ("my dad rows but I quit", ["User's dad rows."]),
        ("I stopped in 2019", []),
        ("I quit last year", []),
    ],
)
def test_what_ended_belongs_to_that_it_did(message: str, facts: list[str]) -> None:
    assert [one.fact for one in read(message) if one.fact] == facts


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("I have a small yawl, the Petrel, built in 1961", ["User has a small yawl, the Petrel, built in 1961."]),
        ("I own a kiln, bought at a fair", ["User owns a kiln, bought at a fair."]),
        ("I have a stall, sold two pots", ["User has a stall, sold two pots."]),
        ("I was born in Ely and raised in Hull", ["User was born in Ely and raised in Hull."]),
        ("I was hired and fired in a week", ["User was hired and fired in a week."]),
        ("I was hired and worked in Oslo for a year", ["User was hired.", "User worked in Oslo for a year."]),
        ("I was fired and took the train home", ["User was fired.", "User took the train home."]),
        ("they let me go today", ["User was let go today."]),
    ],
)
def test_what_was_done_to_a_thing_the_person_did_not_do(message: str, facts: list[str]) -> None:
    assert [one.fact for one in read(message) if one.fact] == facts


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("I mend watches, mostly old Omegas and Soviet ones", ["User mends watches, mostly old Omegas and Soviet ones."]),
        ("I only like the small ones", []),
        ("I have a bike, an old one", ["User has a bike, an old one."]),
        ("I have one", []),
        ("I like the red one", []),
    ],
)
def test_ones_stands_for_what_was_named_before_it(message: str, facts: list[str]) -> None:
    assert [one.fact for one in read(message) if one.fact] == facts


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("heyyy I keep bees", ["User keeps bees."]),
        ("okkk my sister paints boats", ["User's sister paints boats."]),
        ("i hate hate hate opera", ["User hates opera."]),
        ("my loom's called Bertha, dont ask", ["User's loom is called Bertha."]),
        ("My friends called Hugo.", ["User's friends called Hugo."]),
        ("My sister's called Anna", ["User's sister is called Anna."]),
        ("flatmates name is Freya", ["User's flatmate's name is Freya."]),
        ("my dogs name is Rex, his name is long", ["User's dog's name is Rex.", "User's dog's name is long."]),
        ("On Thursdays I read to the kids", ["User reads to the kids on Thursdays."]),
        ("yes I know, on an island", []),
        ("the sailing exam's on the 14th of january", []),
        ("sailing exam's on the 14th of january", []),
    ],
)
def test_what_is_stretched_or_said_again_is_read_once(message: str, facts: list[str]) -> None:
    assert [one.fact for one in read(message) if one.fact] == facts


@pytest.mark.parametrize(
    ("before", "message", "facts"),
    [
        ([], "My flatmate dont like pumpkin", ["User's flatmate does not like pumpkin."]),
        (["I have a son, Radu."], "Radu dont eat nothing with lumps", ["User's son Radu does not eat nothing with lumps."]),
        ([], "My parents dont fly", ["User's parents do not fly."]),
        ([], "my boats called Pluto btw", ["User's boat is called Pluto."]),
        ([], "my hens called Pip and Pap", ["User's hens called Pip and Pap."]),
        (
            [],
            "We're taking the ferry to Bari in May, Odile and I, for the regatta.",
            ["User is taking the ferry to Bari in May, Odile and User, for the regatta."],
        ),
        ([], "had to leave the list open, ive got 14", ["User had to leave the list open."]),
        ([], "I'm not one for zoos.", ["User is not one for zoos."]),
        ([], "start 5 may at the mill", ["User starts 5 may at the mill."]),
        ([], "start on monday at the mill", ["User starts on monday at the mill."]),
        ([], "start with the easy one", []),
        ([], "mum's retired", ["User's mum is retired."]),
        ([], "my brother's moved to Leeds", ["User's brother has moved to Leeds."]),
        ([], "my wife's left-handed", ["User's wife is left-handed."]),
        ([], "my sister's retired teacher lives in Hull", ["User's sister's retired teacher lives in Hull."]),
        ([], "my brother's left knee hurts", ["User's brother's left knee hurts."]),
        ([], "hiya! im tendai", ["User is tendai."]),
    ],
)
def test_what_is_clipped_or_of_two_is_read_as_it_is_meant(before: list[str], message: str, facts: list[str]) -> None:
    assert [one.fact for one in read(message, tuple(before)) if one.fact] == facts


def test_who_was_named_is_known_in_small_letters_beside_the_person_too() -> None:
    said = read("mia is 12, her birthday was in May and i forgot it", ("my daughter Mia plays chess",))
    assert [one.fact for one in said][:2] == ["User's daughter Mia is 12.", "User's daughter Mia's birthday was in May."]
