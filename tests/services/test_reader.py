"""Memories in the person's own words: chosen sentences, pending ones, and replacements."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from memapp.domain.filters import MemoryFilter
from memapp.domain.memory import MAX_MEMORY_CHARS, State
from memapp.domain.turn_events import Accepted
from memapp.inference.scripted import ScriptedEmbedder
from memapp.runtime import Runtime
from memapp.services import curate, exports, forget, undo
from memapp.services.consent import decisions, pending
from memapp.services.memory_requests import refused_sentences
from memapp.services.models import model_loading
from memapp.store import vectors
from tests.builders import learn, make_runtime, new_chat, only, say


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    made = make_runtime(tmp_path)
    yield made
    made.close()


def live(runtime: Runtime) -> list[str]:
    return sorted(memory.text for memory in curate.list_memories(runtime))


def after(runtime: Runtime, *texts: str) -> list[str]:
    thread = new_chat(runtime)
    for text in texts:
        say(runtime, thread, text)
        learn(runtime, thread)
    return live(runtime)


def test_another_embedding_model_leaves_reading_as_it_is(runtime: Runtime, tmp_path: Path) -> None:
    named = make_runtime(
        tmp_path / "named", embedder=False, embedding_model=str(tmp_path / "another")
    )
    named.open_embedder = lambda _: ScriptedEmbedder()
    model_loading.load_embedder(named)
    said = (
        "I am vegetarian and my dog is called Rex.",
        "I work at the bakery.",
        "Sorry, I work at the mill, not at the bakery.",
    )
    kept = after(runtime, *said)
    assert len(kept) >= 2
    assert after(named, *said) == kept
    assert vectors.waiting(named.read(), "memory", ScriptedEmbedder.model_id, 9) == [], (
        "found by the one that was named"
    )
    named.close()


GOATS = "I keep forty goats on a farm."


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        # as it was typed, and with the one before on which it leans, but none that asks memapp
        (["hiya! i work nights at teh big bakery on mill road. how are you?"],
         ["i work nights at teh big bakery on mill road."]),
        (["My sister Ines lives on a farm. She keeps forty goats there."],
         ["My sister Ines lives on a farm. She keeps forty goats there."]),
        (["und wie heißt meine chefin?", "so feierabend. ab mai arbeite ich nur noch vier tage."],
         ["ab mai arbeite ich nur noch vier tage."]),
        # a German day of the month ends no sentence
        (["am 14. fahren wir zu meiner schwester nach Göttingen"],
         ["am 14. fahren wir zu meiner schwester nach Göttingen"]),
        # the words of others, and questions
        (["Translate into German: I work as a baker and I have three dogs."], []),
        (['My teacher always says "I have kept bees for thirty years and I love them".'], []),
        (["how long do goats live on a farm?"], []),
        # requests to the memory, and what is none
        (["remember that fenna is allergic to wasps"], ["fenna is allergic to wasps"]),
        ([GOATS, "please don't save that"], []),
        ([GOATS, "forget that I keep forty goats"], []),
        ([GOATS, "what do you know about black holes?"], [GOATS]),
        ([GOATS, "delete the second paragraph please"], [GOATS]),
        ([GOATS, "dont save that my ferrets bite"], [GOATS]),
        # undo where memapp asked which one is meant
        ([GOATS, "My goats love old bread.", "forget my goats", "undo that"],
         [GOATS, "My goats love old bread."]),
        # what else is told beside a correction
        (["my dog is called Pip", "no wait, its Moss. My head! My sister Ines works in Porto."],
         ["My sister Ines works in Porto.", "no wait, its Moss. My head!"]),
        # what ends retires what was so, though its own sentence waits
        (["My best friend is Chloe.",
         "Chloe and me aren't talking any more and i don't want to go into it"], []),
    ],
)  # fmt: skip
def test_what_is_kept_of_what_is_said(runtime: Runtime, said: list[str], kept: list[str]) -> None:
    assert after(runtime, *said) == kept
    assert decisions.profile(runtime) == {}


def test_what_tells_of_a_coming_day_is_news_until_then(runtime: Runtime) -> None:
    after(
        runtime,
        "My sister's wedding is next friday, I play the accordion there.",
        "I play the accordion every friday.",
    )
    days = {memory.text[:5]: memory.valid_until for memory in curate.list_memories(runtime)}
    assert days == {"My si": date(2026, 2, 6), "I pla": None}


def test_what_is_sensitive_waits_in_the_persons_words(runtime: Runtime) -> None:
    assert after(runtime, "i was diagnosed with epilepsy when i was nine") == []
    (request,) = pending.list_pending(runtime)
    assert request.new_value == "i was diagnosed with epilepsy when i was nine"
    decisions.approve(runtime, request.id)
    assert live(runtime) == ["i was diagnosed with epilepsy when i was nine"]


def test_what_quotes_a_pending_sentence_is_pending_with_it(runtime: Runtime) -> None:
    sensitive = "my sister Anna was diagnosed with lupus in May."
    assert after(runtime, sensitive, "She lives in Leeds with two dogs.") == []
    for request in pending.list_pending(runtime):
        decisions.deny(runtime, request.id)
    assert after(runtime, f"{sensitive} She lives in Leeds with two dogs.") == []


@pytest.mark.parametrize("at_once", [True, False])
def test_what_quotes_a_denied_sentence_is_withdrawn_with_it_until_that_is_undone(
    runtime: Runtime, *, at_once: bool
) -> None:
    sensitive, leaning = "my sister Anna was diagnosed with lupus in May.", "She lives in Leeds."
    after(runtime, sensitive, leaning, "I vote for the Greens.")
    both = {f"{sensitive} {leaning}", sensitive}
    of_both = [request for request in pending.list_pending(runtime) if request.new_value in both]
    assert {request.new_value for request in of_both} == both
    ids = [request.id for request in of_both if at_once or request.new_value == sensitive]
    decisions.deny(runtime, *reversed(ids))
    (left,) = pending.list_pending(runtime)
    assert "Greens" in left.new_value
    undo.undo_last(runtime)
    assert both <= {request.new_value for request in pending.list_pending(runtime)}


def test_sensitive_sentences_side_by_side_are_one_question(runtime: Runtime) -> None:
    after(runtime, "my doctor found high blood pressure in May. i take pills for my heart now.")
    (request,) = pending.list_pending(runtime)
    assert request.new_value.endswith("i take pills for my heart now.")


def test_what_the_person_thinks_of_themself_is_their_own_word(runtime: Runtime) -> None:
    assert after(runtime, "i think i'm the only beekeeper on our street") == [
        "i think i'm the only beekeeper on our street"
    ]


def test_a_password_is_neither_kept_nor_asked_about(runtime: Runtime) -> None:
    assert after(runtime, "my wifi password is gerbil4life and the alarm code is 4821") == []
    assert pending.list_pending(runtime) == []


def test_a_correction_replaces_what_it_corrects_until_it_is_undone(runtime: Runtime) -> None:
    assert after(runtime, "my dog is called Pip", "no wait, its Moss") == ["no wait, its Moss"]
    (memory,) = curate.list_memories(runtime)
    assert memory.instead_of == "my dog is called Pip"
    assert curate.list_memories(runtime, curate.read_filter(runtime, "dog")) == [memory]
    undo.undo_last(runtime)
    assert live(runtime) == ["my dog is called Pip"]


def test_of_equals_a_correction_means_what_was_said_last(runtime: Runtime) -> None:
    known = after(
        runtime,
        "my brother Kofi broke his leg last week",
        "my dog is called Pip",
        "no wait, its Moss",
    )
    assert "my dog is called Pip" not in known and "no wait, its Moss" in known
    assert [request.new_value for request in pending.list_pending(runtime)] == [
        "my brother Kofi broke his leg last week"
    ]


def test_a_correction_leaves_alone_what_the_person_pinned(runtime: Runtime) -> None:
    after(runtime, "my dog is called Pip")
    (memory,) = curate.list_memories(runtime)
    curate.pin(runtime, memory.id)
    thread = new_chat(runtime)
    say(runtime, thread, "no wait, its Moss")
    learn(runtime, thread)
    assert "my dog is called Pip" in live(runtime)


def test_what_was_said_before_is_erased_with_the_memory_of_it(runtime: Runtime) -> None:
    after(runtime, "my dog is called Pip", "no wait, its Moss")
    (old,) = curate.list_memories(runtime, MemoryFilter(state=State.SOFT_DELETED))
    forget.purge(runtime, [old.id])
    (memory,) = curate.list_memories(runtime)
    assert memory.instead_of == ""


def test_the_same_said_again_is_one_memory_with_two_sources(runtime: Runtime) -> None:
    after(runtime, "I work nights at the big bakery on Mill Road.")
    assert after(runtime, "i work nights at the big bakery on mill road") == [
        "I work nights at the big bakery on Mill Road."
    ]
    (memory,) = curate.list_memories(runtime)
    assert len(memory.sources) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I have two dogs.", "I have three dogs."),
        ("I am allergic to peanuts and walnuts.", "I am not allergic to peanuts and walnuts."),
        (
            "I work nights at the big bakery on Mill Road.",
            "I work days at the big bakery on Mill Road.",
        ),
    ],
)
def test_what_differs_in_a_number_a_not_or_a_name_is_not_the_same_however_alike(
    runtime: Runtime, one: str, other: str
) -> None:
    for text in (one, other):
        after(runtime, text)
    for request in pending.list_pending(runtime):
        decisions.approve(runtime, request.id)
    assert live(runtime) == sorted([one, other])


def test_a_value_of_the_profile_is_asked_about_at_once_with_its_sentence(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, "hi, i'm called Ilka and I live in Leith. what shall i cook?")
    actual = [(request.field, request.new_value) for request in pending.list_pending(runtime)]
    assert actual == [("city", "Leith"), ("preferred_name", "Ilka")]
    learn(runtime, thread)
    assert live(runtime) == []
    for request in pending.list_pending(runtime):
        decisions.approve(runtime, request.id)
    assert live(runtime) == ["hi, i'm called Ilka and I live in Leith."]


def test_each_sentence_that_is_not_kept_says_why(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    message = only(
        Accepted,
        say(
            runtime,
            thread,
            "I keep forty goats on a farm. My alarm code is 4821. The bus was late today.",
        ),
    ).message
    learn(runtime, thread)
    refused = refused_sentences.not_kept(
        runtime,
        message,
        refused_sentences.judge_message(runtime, message) or (),
        [memory.id for memory in curate.list_memories(runtime)],
    )
    actual = [(reason.said, reason.why) for reason in refused]
    assert actual == [("My alarm code is 4821.", "secret"), ("The bus was late today.", "passing")]


def test_a_correction_that_says_little_is_about_what_was_said_last(runtime: Runtime) -> None:
    known = after(
        runtime,
        "unser Jonas ist 14 und spricht grad nur noch in einzelnen silben",
        "der schrebergarten quillt über, ne, und Katrin verträgt keinen knoblauch, also bitte ohne",
        (
            "am 14. fahren wir übrigens zu meiner schwester nach Göttingen, "
            "Jonas muss mit ob er will oder nicht"
        ),
        "nee warte, quatsch, Northeim. in Göttingen hat sie früher gewohnt",
    )
    assert known == [
        "der schrebergarten quillt über, ne, und Katrin verträgt keinen knoblauch, also bitte ohne",
        "nee warte, quatsch, Northeim. in Göttingen hat sie früher gewohnt",
        "unser Jonas ist 14 und spricht grad nur noch in einzelnen silben",
    ]


def test_an_agent_is_told_who_said_it_and_when(runtime: Runtime) -> None:
    after(runtime, "i keep forty goats on a farm")
    (memory,) = curate.list_memories(runtime)
    actual = memory.in_third_person
    assert actual == f'User said ({memory.created_at:%Y-%m-%d}): "i keep forty goats on a farm"'
    assert memory.in_third_person in "".join(exports.as_markdown(runtime))


def test_an_agent_is_told_what_a_correction_corrects(runtime: Runtime) -> None:
    (told,) = after(runtime, "my dog is called Pip", "no wait, its Moss")
    (memory,) = curate.list_memories(runtime)
    assert memory.in_third_person.endswith(f'"{told}" (before: "my dog is called Pip")')
    long = replace(memory, text="x" * 200, instead_of="word " * 50)
    assert len(long.in_third_person) <= MAX_MEMORY_CHARS and long.in_third_person.endswith('…")')


CORRECTIONS = [
    ("I run a little cafe by the harbour.", "The cafe went under in spring and I drive a taxi."),
    (
        "My flight to Riga is on the 8th.",
        "The airline put me on the 10th, so Riga on the 10th it is.",
    ),
    ("i go to pottery class every monday", "they shifted pottery class to wednesdays"),
    ("My cousin Ned plays the trombone.", "Ned has swapped the trombone for the drums."),
]
ANSWERS_TO_OWN_QUESTIONS = [
    ("my choir meets on Tuesdays", "the choir? we meet on Thursdays now"),
    ("we drive an old Volvo", "the Volvo? my neighbour drives it now"),
    ("I drink oolong in the morning", "oolong, did I say? I drink coffee in the morning"),
]
RIDDLE = "why did the chicken join a band? because it had the drumsticks"
LOOKALIKES = [
    ("our guinea pig is called Toffee", "our rabbit is called Bobo"),
    ("I run a little cafe by the harbour.", "My brother used to drive a taxi before he retired."),
    ("My flight to Riga is on the 8th.", "I have never been to the Baltics before."),
    ("i go to pottery class every monday", "i made my gran a blue vase there"),
    ("My cousin Ned plays the trombone.", "Ned's sister plays the drums in a punk band."),
]


@pytest.mark.parametrize(("told", "correction"), CORRECTIONS)
def test_a_free_correction_replaces_the_fact(runtime: Runtime, told: str, correction: str) -> None:
    assert after(runtime, told, correction) == [correction]
    (memory,) = curate.list_memories(runtime)
    assert memory.instead_of == told


@pytest.mark.parametrize(("told", "question_and_answer"), ANSWERS_TO_OWN_QUESTIONS)
def test_the_answer_to_a_question_about_a_fact_replaces_it(
    runtime: Runtime, told: str, question_and_answer: str
) -> None:
    assert told not in after(runtime, told, question_and_answer)
    (memory,) = curate.list_memories(runtime)
    assert memory.instead_of == told


def test_the_answer_to_a_riddle_corrects_nothing(runtime: Runtime) -> None:
    said = ("i started learning the cello in spring", "no wait, it was the violin", RIDDLE)
    assert "no wait, it was the violin" in after(runtime, *said)


@pytest.mark.parametrize(("told", "added"), LOOKALIKES)
def test_what_is_told_of_something_else_leaves_it(runtime: Runtime, told: str, added: str) -> None:
    assert told in after(runtime, told, added)


def test_what_was_told_long_ago_is_corrected_only_by_a_sure_match(runtime: Runtime) -> None:
    chatter = (
        "I love rainy days.",
        "My brother bakes bread.",
        "I take the tram to work.",
        "My aunt grows chillies.",
    )
    after(runtime, "My cousin Ned plays the trombone.", *chatter)
    assert "My cousin Ned plays the trombone." in after(runtime, "no wait, its raining")
    assert "My cousin Ned plays the trombone." not in after(
        runtime, "My cousin Ned doesn't play the trombone any more."
    )


OTHER_LANGUAGES = [
    ("mein Hund heißt Pip und schläft in der Küche", "nee warte, er heißt Moss",
     "ich nehme seit jahren was gegen depressionen"),
    ("mon chien s'appelle Pip et il dort dans la cuisine", "non attends, il s'appelle Moss",
     "je prends un traitement contre la dépression"),
    ("mi perro se llama Pip y duerme en la cocina", "no espera, se llama Moss",
     "tomo pastillas para la depresión desde hace años"),
]  # fmt: skip


@pytest.mark.parametrize(("told", "correction", "sensitive"), OTHER_LANGUAGES)
def test_other_languages_are_kept_corrected_and_asked_about(
    runtime: Runtime, told: str, correction: str, sensitive: str
) -> None:
    assert after(runtime, told) == [told]
    assert after(runtime, sensitive) == [told]
    (request,) = pending.list_pending(runtime)
    assert request.new_value == sensitive
    thread = new_chat(runtime)
    for text in (told, correction):
        say(runtime, thread, text)
        learn(runtime, thread)
    assert live(runtime) == [correction]


def test_foreign_orders_are_no_memory_and_what_slipped_out_is_forgotten(runtime: Runtime) -> None:
    told = "meine kollegin Sabine wohnt jetzt im lager"
    thread = new_chat(runtime)
    for text in (
        told,
        "schreib mir mal ne mail an den herrn Dippel, dass wir am samstag nicht können",
    ):
        say(runtime, thread, text)
        learn(runtime, thread)
    assert live(runtime) == [told]
    say(
        runtime,
        thread,
        "das mit Sabine hätt ich nich ausplaudern sollen, das vergisst du bitte wieder, ja?",
    )
    assert live(runtime) == []


def test_what_is_named_to_be_forgotten_goes_and_comes_back(runtime: Runtime) -> None:
    assert after(runtime, "i cant stand olives", "forget the olives") == []
    undo.undo_last(runtime)
    assert live(runtime) == ["i cant stand olives"]


def test_what_has_no_room_goes_to_the_trash_in_the_step_of_what_came(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, max_facts=1)
    assert (
        len(after(runtime, "I keep forty goats on a farm.", "My sister Ines plays the harp.")) == 1
    )
    undo.undo_last(runtime)
    assert live(runtime) == ["I keep forty goats on a farm."]
    runtime.close()
