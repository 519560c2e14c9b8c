"""Corrections: what does not hold is gone, what holds instead is known, and nothing else is touched."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from benchmarks import MADE_UP
from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import State
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn import Completed, Retracted
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel, call_kind
from memapp.runtime import Runtime
from memapp.services import curate, learning, undo, upkeep
from memapp.services.consent import decisions, pending
from memapp.services.merge import Written
from memapp.store import memories
from tests.builders import make_runtime, new_chat, only, say

SINCE = ("I like tea.", "My brother plays the drums.", "We have a boat.", "I used to sing in a band.")
"""What is told of others in between, so that a correction is not of what was said just before."""


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    with store(tmp_path) as opened:
        yield opened


@contextmanager
def store(home: Path) -> Iterator[Runtime]:
    opened = make_runtime(home, ScriptedModel(parameters=135_000_000), speculate=False)
    yield opened
    opened.database.close()


def tell(runtime: Runtime, *texts: str, thread: str = "") -> list[Any]:
    """Say something, each message learned from before the next; return the news of the last."""
    thread, made = thread or new_chat(runtime), []
    for text in texts:
        say(runtime, thread, text)
        made = list(upkeep.work(runtime, thread, Cancel()))
    return made


def live(runtime: Runtime) -> list[str]:
    return sorted(one.text for one in memories.list_memories(runtime.read(), ALL_LIVE))


def waiting(runtime: Runtime) -> list[str]:
    return [one.new_value for one in pending.list_pending(runtime)]


def own(runtime: Runtime, question: str) -> str:
    reply = only(Completed, say(runtime, new_chat(runtime), question)).reply
    return str(reply.text)


def cases(name: str) -> list[Any]:
    """Return the cases of a file; each day every second of those on which no rules were made is looked at."""
    rows = [json.loads(line) for line in (MADE_UP / "corrections" / f"{name}.jsonl").read_text("utf-8").splitlines()]
    slow = [name.endswith("dev") or at % 2 == 1 for at in range(len(rows))]
    marks = [[pytest.mark.slow] if one else [] for one in slow]
    return [pytest.param(row, id=row["turns"][1], marks=some) for row, some in zip(rows, marks, strict=True)]


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (
            ("I baked a chocolate cake for my sister.", "my brother Tim lives in Oslo", "no wait, it was a carrot cake"),
            ["User baked a carrot cake for User's sister.", "User's brother Tim lives in Oslo."],
        ),
        (
            ("I have choir on Tuesdays.", "I love tulips.", "haha", "no wait, wednesdays"),
            ["User has choir on Wednesdays.", "User loves tulips."],
        ),
        (
            ("My dog is called Biscuit.", "I play the cello.", "no wait, it's Bisou"),
            ["User plays the cello.", "User's dog is called Bisou."],
        ),
    ],
)
def test_a_correction_finds_what_it_corrects_behind_what_was_told_since(
    runtime: Runtime, turns: tuple[str, ...], known: list[str]
) -> None:
    tell(runtime, *turns)
    assert live(runtime) == known
    undo.undo_last(runtime)
    assert live(runtime) != known, "it can be taken back"


@pytest.mark.parametrize(
    "turns",
    [
        ("I have choir on Tuesdays.", "the bin man comes on mondays", "no wait, fridays"),
        ("I love pizza.", "I had a sandwich for lunch", "no wait, it was a burger"),
        ("I play the cello.", "I love the sea.", "no wait, the mountains"),
    ],
)
def test_a_correction_of_what_nothing_is_known_of_changes_nothing_else(runtime: Runtime, turns: tuple[str, ...]) -> None:
    tell(runtime, *turns[:1])
    known = live(runtime)
    tell(runtime, *turns)
    assert set(known) <= set(live(runtime))


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (("I drink green tea every evening.", "actually i switched to cocoa"), ["User drinks cocoa."]),
        (("my landlord is called marek", "no wait, his name is Mirek"), ["User's landlord is called Mirek."]),
        (
            ("I play chess on Tuesdays with Bo.", "I no longer play chess on Tuesdays, we've moved it to Sundays."),
            ["User plays chess on Sundays with Bo."],
        ),
        (
            ("my hairdresser appointment is on 5 March", "no sorry, it's on the 6th"),
            ["User's hairdresser appointment is on Friday 6 March 2026."],
        ),
        (("my sister Ines plays the harp", "no wait, it's the cello"), ["User's sister Ines plays the cello."]),
        (("my brother keeps bees", "nope, ducks"), ["User's brother keeps ducks."]),
        (("my mother makes jam from quinces", "no, plums, sorry"), ["User's mother makes jam from plums."]),
        (("I write with a green pen", "no wait, it's a blue one"), ["User writes with a blue pen."]),
        (("I have 5 goldfish", "I said 5 goldfish but it's 6"), ["User has 6 goldfish."]),
        (("my brother Kees has a boat", "wait, his name is Cees"), ["User's brother Cees has a boat."]),
        (("my friend Ana lives in Porto", "no wait, she's called Anna"), ["User's friend Anna lives in Porto."]),
        (
            ("we have two guinea pigs called Pip and Mog", "no wait, its Pip and Moss"),
            ["User has two guinea pigs called Pip and Moss."],
        ),
        (
            ("my goldfish are called Bonnie and Clyde", "no sorry, Thelma and Louise"),
            ["User's goldfish are called Thelma and Louise."],
        ),
        (("my friends Tom and Anna have a boat", "wait, its Tom and Hanna"), ["User's friends Tom and Hanna have a boat."]),
        (("I have a cat and a dog", "no wait, a cat and a rabbit"), ["User has a cat and a rabbit."]),
        (("I play chess and poker", "sorry, I meant chess and bridge"), ["User plays chess and bridge."]),
        (("Our flight leaves at 6", "no wait, our flight leaves at 7"), ["User's flight leaves at 7."]),
        (
            ("My cousin Salma's wedding is in June", "actually Salma's wedding is in July"),
            ["User's cousin Salma's wedding is in July 2026."],
        ),
        (
            ("My sister is a nurse", "actually my sister's wedding is in July"),
            ["User's sister is a nurse.", "User's sister's wedding is in July 2026."],
        ),
        (("I like tea", "actually I like coffee"), ["User likes coffee.", "User likes tea."]),
        (("My sister Mia is a teacher", "actually mia is a nurse"), ["User's sister Mia is a nurse."]),
        (("My brother Ota is 40", "no wait, ota is at the door"), ["User's brother Ota is 40."]),
        (
            ("We have choir on Mondays", "oh wait, we have choir on Wednesdays too"),
            ["User has choir on Mondays.", "User has choir on Wednesdays."],
        ),
        (
            ("I play chess with Ida", "actually I play chess with Max"),
            ["User plays chess with Ida.", "User plays chess with Max."],
        ),
    ],
)
def test_another_value_stands_in_the_place_of_what_was_told_just_before(
    runtime: Runtime, turns: tuple[str, ...], known: list[str]
) -> None:
    tell(runtime, *turns)
    assert live(runtime) == known


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (("my nephew Jo is 6", "ok", "he's 7 not 6"), "User's nephew Jo is 7."),
        (("my choir meets on Tuesdays", "nice", "did I say Tuesday? Thursday."), "User's choir meets on Thursdays."),
        (("my colleague is called Ines", "ha", "it's spelled Inez, with a z"), "User's colleague is called Inez."),
        (("my shop opens at 9", "how do I get more customers?", "it opens at 10, not 9"), "User's shop opens at 10."),
        (
            ("my sister's wedding is on the 12th of May", "ok", "the wedding's on the 14th, I mixed that up"),
            "User's sister's wedding is on Thursday 14 May 2026.",
        ),
    ],
)
def test_a_name_a_number_or_a_day_is_put_right_some_messages_later(runtime: Runtime, turns: tuple[str, ...], known: str) -> None:
    tell(runtime, *turns)
    assert live(runtime) == [known]


@pytest.mark.parametrize(
    ("turns", "asked"),
    [
        (("my sister Lotte got engaged yesterday", "no wait, her name is Lot"), "sister Lot got engaged"),
        (("my brother Kees is in hospital", "wait, his name is Cees"), "brother Cees is in hospital"),
        (("I got engaged to Ana", "no wait, her name is Anna"), "engaged"),
    ],
)
def test_what_waits_is_asked_about_as_corrected(runtime: Runtime, turns: tuple[str, ...], asked: str) -> None:
    tell(runtime, *turns)
    (request,) = pending.list_pending(runtime)
    memory = pending.brought_by(runtime.read(), request)
    assert request.new_value.startswith(asked) and memory is not None
    assert "Lotte" not in memory.text and "Kees" not in memory.text and "Ana." not in memory.text
    assert live(runtime) == []


@pytest.mark.parametrize(
    "turns",
    [
        ("I bake rye bread every Sunday", "oops, the oven"),
        ("my dog's name is Bruno", "no wait, that's Anna at the door"),
        ("I ride a moped to work", "sorry, traffic"),
        ("I do not have sister", "no, joke, she got more hours"),
        ("my sister Ines plays the harp", "no wait, it's raining"),
        ("my favourite bands are Blur and Pulp", "actually, Oasis and Blur are touring"),
        ("I drink tea and coffee", "no wait, milk and sugar are out"),
    ],
)
def test_what_only_interrupts_takes_no_place(runtime: Runtime, turns: tuple[str, ...]) -> None:
    thread = new_chat(runtime)
    tell(runtime, turns[0], thread=thread)
    told = live(runtime)
    tell(runtime, turns[1], thread=thread)
    assert live(runtime) == told


def rows(name: str) -> list[dict[str, list[str]]]:
    return [json.loads(line) for line in (MADE_UP / "corrections" / f"{name}.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least", "most_lost"), [("dev", 37, 1), ("test", 25, 1), ("later", 23, 2)])
def test_corrections_as_they_are_spoken_replace_and_interruptions_do_not(
    tmp_path: Path, name: str, least: int, most_lost: int
) -> None:
    """The first half was seen while rules were made, the second once, the last only after them."""
    replaced, lost = [], []
    for place, row in enumerate(rows(f"spoken_{name}")):
        with store(tmp_path / f"{place}") as runtime:
            tell(runtime, *row["turns"])
            known = " ".join([*live(runtime), *waiting(runtime), ""]).casefold()
            replaced += [row] if not any(map(known.__contains__, row["gone"])) and row["known"][0] in known else []
    for place, row in enumerate(rows(f"spoken_lookalikes_{name}")):
        with store(tmp_path / f"like{place}") as runtime:
            thread = new_chat(runtime)
            tell(runtime, row["turns"][0], thread=thread)
            before = {*live(runtime), *waiting(runtime)}
            tell(runtime, *row["turns"][1:], thread=thread)
            lost += [row] if before - {*live(runtime), *waiting(runtime)} else []
    assert len(replaced) >= least
    assert len(lost) <= most_lost


@pytest.mark.parametrize("case", [*cases("dev"), *cases("test")])
def test_what_is_corrected_is_gone_and_what_holds_instead_is_known(runtime: Runtime, case: dict[str, list[str]]) -> None:
    tell(runtime, *case["turns"])
    known = " ".join([*live(runtime), *waiting(runtime)]).casefold()
    assert [one for one in case["gone"] if one in known] == []
    assert [one for one in case["known"] if one not in known] == []


@pytest.mark.parametrize("case", [*cases("lookalikes_dev"), *cases("lookalikes_test")])
def test_what_only_looks_like_a_correction_retires_nothing(runtime: Runtime, case: dict[str, list[str]]) -> None:
    tell(runtime, *case["turns"])
    known = " ".join([*live(runtime), *waiting(runtime)]).casefold()
    assert [one for one in case["stays"] if one not in known] == []


def test_a_replaced_fact_and_its_new_value_are_one_step_that_can_be_taken_back(runtime: Runtime) -> None:
    (news,) = tell(runtime, "My daughter started piano lessons with Mr. Huang.", "oh my mistake, it's violin")
    assert isinstance(news, Written) and news.before
    assert (news.memory.text, news.before.text) == (
        "User's daughter started violin lessons with Mr Huang.",
        "User's daughter started piano lessons with Mr Huang.",
    )
    undo.undo(runtime, news.step)
    assert live(runtime) == [news.before.text]


def test_what_ends_without_another_in_its_place_is_told_and_can_be_taken_back(runtime: Runtime) -> None:
    news = only(Retracted, tell(runtime, "My best friend is Priya.", "Priya and I don't talk anymore"))
    assert news.texts == ("User's best friend is Priya.",)
    assert news.texts[0] not in live(runtime)
    undo.undo(runtime, news.step)
    assert news.texts[0] in live(runtime)


@pytest.mark.parametrize(
    "said", [("My best friend is Priya.", "Priya and I don't talk anymore"), ("Priya and I don't talk anymore",)]
)
def test_half_of_what_ended_for_two_is_no_fact(runtime: Runtime, said: tuple[str, ...]) -> None:
    tell(runtime, *said)
    assert live(runtime) == []


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (("My uncle has a farm near Split.", "sorry, near Zadar"), ["User's uncle has a farm near Zadar."]),
        (("I work at a bank.", "I left the bank in June"), []),
        (("My mother has the flu.", "she's fine again"), []),
        (("my uncle's in hospital", "he's home again"), []),
        (("We keep chickens in the yard.", "no more chickens, the fox got them"), []),
        (("I play tennis.", "thursday I mean"), ["User plays tennis."]),
    ],
)
def test_nothing_is_asked_about_a_sentence_that_only_corrects(runtime: Runtime, turns: tuple[str, ...], known: list[str]) -> None:
    tell(runtime, *turns)
    assert (live(runtime), waiting(runtime)) == (known, [])


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (
            ("We have a puppy called Waffles.", "no wait, his name is Waldo, Waffles is the neighbour's", "Waldo hates cats"),
            ["User has a puppy called Waldo.", "User's puppy Waldo hates cats."],
        ),
        (
            (
                "My brother Tim has a dog called Biscuit.",
                "no wait, Tim's dog isn't called Biscuit, he's called Bisou, i mixed it up",
            ),
            ["User's brother Tim has a dog called Bisou."],
        ),
        (("My best friend Teo moved to York.", "where does Teo live?", "no, I meant Leo moved to york, Teo is still here"), []),
        (("My sister Ida plays the cello.", "sorry, I meant that Anna plays the cello"), []),
        (("My sister Ida plays the cello.", "I meant to say that Anna likes tea"), ["User's sister Ida plays the cello."]),
    ],
)
def test_a_name_that_was_mixed_up_leaves_nothing_of_it(runtime: Runtime, turns: tuple[str, ...], known: list[str]) -> None:
    tell(runtime, *turns)
    assert live(runtime) == known


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (("I cycle to work", "since the move I take the bus"), ["User takes the bus since the move."]),
        (("I drive to work", "nowadays i walk to work"), ["User walks to work."]),
        (("I drink tea in the morning", "these days I drink coffee in the morning"), ["User drinks coffee in the morning."]),
        (
            ("I drink tea in the morning", "I drink wine in the evening now"),
            ["User drinks tea in the morning.", "User drinks wine in the evening."],
        ),
        (
            ("I drink tea in the morning", "I drink coffee in the morning"),
            ["User drinks coffee in the morning.", "User drinks tea in the morning."],
        ),
        (("I walk to school", "the bus is late, now I take a taxi"), ["User walks to school."]),
        (
            ("I drive to work", "I cycle to the lake on Sundays now"),
            ["User cycles to the lake on Sundays.", "User drives to work."],
        ),
    ],
)
def test_what_is_done_by_now_replaces_what_was_done_for_the_same(
    runtime: Runtime, turns: tuple[str, ...], known: list[str]
) -> None:
    tell(runtime, *turns)
    assert sorted(live(runtime)) == known


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (("I play the cello", "I gave up the cello, it was torture"), ["User gave up the cello."]),
        (("I play the cello", "I gave up the cello, it's the viola now"), ["User gave up the cello.", "User plays the viola."]),
    ],
)
def test_what_is_said_of_an_end_stands_in_the_place_of_nothing(tmp_path: Path, turns: tuple[str, ...], known: list[str]) -> None:
    small = make_runtime(tmp_path, ScriptedModel(parameters=1))
    tell(small, *turns)
    assert sorted(live(small)) == known
    small.close()


def test_one_thing_is_put_in_the_place_of_another_without_a_comma(runtime: Runtime) -> None:
    tell(runtime, "my sister Lotte works at the brewery", "no wait, its the bakery not the brewery")
    assert live(runtime) == ["User's sister Lotte works at the bakery."]


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (("I work in a brewery", "i mean the bakery not the brewery"), ["User works in a bakery."]),
        (("I work in a brewery", "I meant bakery not brewery"), ["User works in a bakery."]),
        (("I play tennis", "I mean it not badly"), ["User plays tennis."]),
    ],
)
def test_what_is_meant_stands_in_the_place_of_what_is_not(runtime: Runtime, turns: tuple[str, ...], known: list[str]) -> None:
    tell(runtime, *turns)
    assert live(runtime) == known


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (
            ("I have piano lessons on Mondays", "I moved my lessons, they are on Tuesdays now"),
            "User has piano lessons on Tuesdays.",
        ),
        (("I have choir on Wednesdays", "they moved the choir to Thursdays"), "User has choir on Thursdays."),
        (
            ("I have choir on Wednesdays", "Now they moved it to Thursdays because of the football."),
            "User has choir on Thursdays.",
        ),
        (("We train on Tuesdays.", "it rains", "training moved to wednesday now not tuesday"), "User trains on Wednesdays."),
        (("My exam is on Tuesday.", "my exam got pushed back to Friday"), "User's exam is on Friday 6 February 2026."),
    ],
)
def test_what_is_moved_is_on_the_day_to_which_it_is_moved(runtime: Runtime, turns: tuple[str, ...], known: str) -> None:
    tell(runtime, *turns)
    assert live(runtime) == [known]


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (("I work as a sous chef at Noma", "I got promoted! head chef from monday"), "User works as a head chef at Noma."),
        (("I work as a sous chef at Noma", "I've been promoted to head chef"), "User works as a head chef at Noma."),
        (
            ("I am a junior designer at a studio", "got a promotion, senior designer now"),
            "User is a senior designer at a studio.",
        ),
        (
            ("My sister works as a nurse in Ghent", "My sister got promoted to ward manager"),
            "User's sister works as a ward manager in Ghent.",
        ),
    ],
)
def test_who_is_promoted_works_as_something_else_at_the_same_place(runtime: Runtime, turns: tuple[str, ...], known: str) -> None:
    tell(runtime, *turns)
    told = live(runtime)
    assert known in told and not [one for one in told if "sous" in one or "junior" in one or "nurse" in one]


@pytest.mark.parametrize(
    "said", ["I got promoted! so happy", "I promoted Leo to manager", "I was made fun of", "I got promoted! cake for everyone"]
)
def test_who_is_promoted_is_what_they_were_besides(runtime: Runtime, said: str) -> None:
    tell(runtime, "I am a vegetarian", "I work as a sous chef at Noma", "my boss is a dancer")
    known = live(runtime)
    tell(runtime, said, "my boss got promoted")
    assert known and set(known) <= set(live(runtime))


def test_what_is_moved_moves_nothing_else(runtime: Runtime) -> None:
    tell(runtime, "I have choir on Wednesdays", "I have piano lessons on Mondays", "they moved the meeting to Fridays")
    assert sorted(live(runtime)) == ["User has choir on Wednesdays.", "User has piano lessons on Mondays."]


def test_a_remark_on_an_end_becomes_nothing_that_somebody_said(tmp_path: Path) -> None:
    small = make_runtime(tmp_path, ScriptedModel(parameters=1))
    tell(small, "Bas puts cheese on everything.", "Bas has given up cheese, a miracle. He is a plumber, he loves it.")
    assert not [one for one in live(small) if "miracle" in one and "given up cheese" not in one]
    small.close()


@pytest.mark.parametrize(
    ("turns", "known"),
    [
        (
            ("i'm thinking of leaving nursing and opening a bakery", "i've decided to stay in nursing"),
            ["User has decided to stay in nursing."],
        ),
        (("I want to quit my job", "I've decided to keep my job"), ["User has decided to keep User's job."]),
        (("i'm planning to buy a boat", "we decided not to buy a boat"), ["User decided not to buy a boat."]),
        (("I'm considering buying a boat", "changed my mind, boats are too expensive"), []),
        (
            ("I want to quit my job", "decided to stay in Lisbon for another week"),
            ["User decided to stay in Lisbon for another week.", "User wants to quit User's job."],
        ),
        (("I work in nursing", "decided to stay in nursing"), ["User decided to stay in nursing.", "User works in nursing."]),
        (("I keep two goats", "changed my mind, give me a soup recipe"), ["User keeps two goats."]),
    ],
)
def test_what_was_decided_ends_what_was_only_thought_of(runtime: Runtime, turns: tuple[str, ...], known: list[str]) -> None:
    tell(runtime, *turns)
    assert sorted(live(runtime)) == known
    assert waiting(runtime) == (["quit my job"] if "User wants to quit User's job." in known else [])


def test_another_place_takes_that_of_one_that_was_only_planned(runtime: Runtime) -> None:
    tell(runtime, "We're going to Texel for a week in March.")
    tell(runtime, *SINCE, "we're not going to Texel after all, it's double booked. it'll be Terschelling, same week")
    assert [one for one in live(runtime) if "Te" in one] == ["User is going to Terschelling."]


def test_a_number_is_put_right_in_another_chat_by_both_its_values(runtime: Runtime) -> None:
    tell(runtime, "The allotment committee finally gave us plot 14.")
    tell(runtime, *SINCE, "I was wrong about the plot by the way, it's 41 not 14")
    assert [one for one in live(runtime) if "plot" in one] == ["The allotment committee finally gave User plot 41."]


@pytest.mark.parametrize(
    ("told", "ends", "gone"),
    [
        ("I work at the harbour office.", "I quit my job today", True),
        ("I'm a nurse at Haukeland.", "I got fired this morning", True),
        ("I'm a nurse at Haukeland.", "they let me go on Friday", True),
        ("I'm a nurse at Haukeland.", "I was let go last week", True),
        ("I'm a nurse at Haukeland.", "they made me redundant", True),
        ("I'm a nurse at Haukeland.", "they let me go on the big slide", False),
        ("I work at the harbour office.", "today was my last day at the office", True),
        ("My dad is a plumber.", "Dad retired in June", True),
        ("My dad works for the railway.", "my dad retired", True),
        ("I'm a nurse.", "I retired last month", True),
        ("I'm a nurse at Haukeland.", "my boss fired me today", True),
        ("My husband works for the railway.", "they let my husband go today", True),
        ("I'm a nurse.", "I quit my job today", False),
        ("I'm a keen swimmer at the lido.", "I got fired today", False),
        ("I'm a left-hander.", "I retired last month", False),
        ("My dad is a plumber.", "My uncle retired in June", False),
        ("My dad is a plumber.", "my dad retired early to bed", False),
        ("I work as a nurse at St Mary's.", "they let me go after lunch because it was quiet", False),
        ("I work as a nurse at St Mary's.", "I got the sack of potatoes up the stairs", False),
        ("I work as a nurse at St Mary's.", "I quit on the last level", False),
        ("I work as a nurse at St Mary's.", "I resigned from the board of the chess club", False),
        ("I work as a nurse at St Mary's.", "yesterday was her last day at work", False),
        ("I work as a nurse at St Mary's.", "today was my last day at work before the holidays", False),
        ("I work as a nurse at St Mary's.", "they sacked me when I was 17", False),
        ("I have a new job at the zoo.", "I quit my old job", False),
        ("I have a new job at the zoo.", "I quit as captain of the team", False),
        ("Uncle Des works at the post office.", "Uncle Des retired last week.", True),
        ("My mother in law works at the bakery.", "my mother in law quit her job", True),
        ("My sister Ada works at the bank.", "my sister's quit her job", True),
        ("My older sister works at the bank.", "my younger sister quit her job", False),
        ("My eldest works at the bank.", "my eldest quit her job", True),
        ("My friend Beth works at the bank.", "Beth is retired now", True),
        ("I work front desk at a dentist.", "they let me go today", True),
        ("I work at the bank with Beth.", "Beth quit her job", False),
    ],
)
def test_a_job_that_is_told_to_be_over_ends_whenever_it_was_told(runtime: Runtime, told: str, ends: str, gone: bool) -> None:
    tell(runtime, told)
    (known,) = live(runtime)
    tell(runtime, *SINCE, ends)
    assert (known in live(runtime)) is not gone


def test_what_tells_that_a_job_is_over_stays_as_it_is_told_more_of(runtime: Runtime) -> None:
    tell(runtime, "I work at the harbour office.", "I quit my job today", "they fired my sister")
    assert "User works at the harbour office." not in live(runtime)
    assert any(one.startswith("User quit User's job") for one in live(runtime))


@pytest.mark.parametrize(
    "denies",
    ["no wait, I did not quit", "wait no i didnt quit my job", "Sorry, I actually did not quit my job.", "I did not quit."],
)
def test_what_is_denied_at_once_goes_and_what_it_had_ended_holds_again(runtime: Runtime, denies: str) -> None:
    thread = new_chat(runtime)
    tell(runtime, "I work at the harbour office.", "I quit my job today", thread=thread)
    assert "User works at the harbour office." not in live(runtime)
    news = tell(runtime, denies, thread=thread)
    assert live(runtime) == ["User works at the harbour office."]
    assert only(Retracted, news).again == ("User works at the harbour office.",)
    tell(runtime, "I quit my job yesterday", thread=thread)
    assert "User works at the harbour office." not in live(runtime)


@pytest.mark.parametrize(
    "said",
    [
        "I did not quit singing",
        "no, I did not like the film",
        "sorry, I do not work tomorrow",
        "no, I do not like films that much",
    ],
)
def test_what_is_denied_of_another_takes_nothing_back(runtime: Runtime, said: str) -> None:
    thread = new_chat(runtime)
    tell(runtime, "I work at the harbour office.", "I like films.", said, thread=thread)
    assert {"User likes films.", "User works at the harbour office."} <= set(live(runtime))


def test_with_somebody_ends_where_they_lived_and_what_they_did(runtime: Runtime) -> None:
    tell(runtime, "My gran lives in Leeds.", "My gran is 92.", "My gran taught me to knit.", "My aunt lives in Hull.", *SINCE)
    known = {one for one in live(runtime) if "gran" in one or "aunt" in one}
    news = tell(runtime, "my gran passed away last night")
    left = {one for one in live(runtime) if "gran" in one or "aunt" in one}
    assert known - left == {"User's gran lives in Leeds.", "User's gran is 92."}
    assert left == {"User's gran taught User to knit.", "User's aunt lives in Hull."}
    undo.undo(runtime, only(Retracted, news).step)
    assert known <= set(live(runtime))


@pytest.mark.parametrize(
    "said",
    ["she is dead funny", "my gran died laughing", "my gran passed on her recipe", "my gran's phone died", "my aunt died today"],
)
def test_who_did_not_die_is_known_as_before(runtime: Runtime, said: str) -> None:
    tell(runtime, "My gran lives in Leeds.", said)
    assert "User's gran lives in Leeds." in live(runtime)


def test_an_end_that_waits_for_a_yes_is_taken_back_with_it(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    tell(runtime, "My gran lives in Leeds.", "My gran is 92.", "my gran died last night", thread=thread)
    assert (live(runtime), len(waiting(runtime))) == ([], 1)
    tell(runtime, "no wait, she did not die", thread=thread)
    assert (live(runtime), waiting(runtime)) == (["User's gran is 92.", "User's gran lives in Leeds."], [])


@pytest.mark.parametrize("told", ["we are moving to stone mountain on the 20th", "we move to Stone Mountain on the 20th"])
def test_another_day_of_what_waits_waits_in_its_place(runtime: Runtime, told: str) -> None:
    thread = new_chat(runtime)
    tell(runtime, told, thread=thread)
    (before,) = waiting(runtime)
    tell(runtime, "wait no, it's the 22nd", thread=thread)
    (after,) = waiting(runtime)
    assert " 20 " in before and after == re.sub(r"\w+ 20 ", "Sunday 22 ", before)


def test_what_is_known_of_somebody_for_long_is_put_right_by_their_name(runtime: Runtime) -> None:
    tell(runtime, "My daughter Eliska is 11 and beats me at chess.", *SINCE, "actually eliska is 12 now")
    assert [one for one in live(runtime) if "liska" in one] == ["User's daughter Eliska is 12 and beats User at chess."]


def test_what_is_said_beside_a_correction_is_still_asked_about(runtime: Runtime) -> None:
    tell(runtime, "I play tennis.", "not anymore, I'm pregnant now")
    assert (live(runtime), waiting(runtime)) == ([], ["pregnant"])
    said = "not anymore, the knee that I broke in March never healed"
    tell(runtime, "I play chess.", said)
    assert (live(runtime), waiting(runtime)) == ([], [said, "pregnant"])


def test_what_waits_in_the_persons_words_is_asked_about_as_corrected(runtime: Runtime) -> None:
    flat = "The flat is in Gdansk, near the old shipyard."
    tell(runtime, flat)
    assert (live(runtime), waiting(runtime)) == ([], [flat])
    tell(runtime, flat, "I meant Gdynia! I always write the wrong one.")
    assert waiting(runtime) == ["The flat is in Gdynia, near the old shipyard."]


@pytest.mark.parametrize("first", ["The flats are in Gdansk and Sopot.", "Off the record: the flat is in Gdansk."])
def test_a_message_is_not_read_again_where_several_are_meant_or_it_is_no_evidence(runtime: Runtime, first: str) -> None:
    tell(runtime, first, "I meant Gdynia!")
    assert [one for one in [*live(runtime), *waiting(runtime)] if "Gdynia" in one] == []


def test_what_waits_is_withdrawn_and_the_new_value_waits(runtime: Runtime) -> None:
    tell(runtime, "I live in Utrecht.", "I meant Ghent")
    assert (waiting(runtime), live(runtime)) == (["Ghent"], [])


def test_a_sensitive_value_in_place_of_an_ordinary_one_waits(runtime: Runtime) -> None:
    tell(runtime, "I take the bus to work.", "I switched to antidepressants")
    assert "antidepressants" not in " ".join(live(runtime))


def test_a_place_that_somebody_moved_to_does_not_end_itself(runtime: Runtime) -> None:
    tell(runtime, "I live in Utrecht.", "I moved to Utrecht in 2019 with my dog Rex.")
    assert waiting(runtime) == ["Utrecht"]


def test_something_known_for_long_is_ended_by_its_own_words(runtime: Runtime) -> None:
    tell(runtime, "I drink tea every morning.", "I play tennis with Oleg.", "I run a bookshop.", "I'm learning Italian.")
    tell(runtime, "I switched to coffee")
    tell(runtime, "I gave up italian")
    tell(runtime, "I don't run anymore")
    tell(runtime, "I drink wine at dinner")
    tell(runtime, "I'm giving up wine, my doctor is right")
    # Who no longer runs is asked to no run, though nobody knew that they ran.
    still = ["User does not run anymore.", "User drinks coffee.", "User plays tennis with Oleg.", "User runs a bookshop."]
    assert sorted(live(runtime)) == still


def test_what_the_person_switched_to_is_nothing_that_somebody_of_theirs_has(runtime: Runtime) -> None:
    tell(runtime, "my uncle Ted has a hamster called Fig", "actually i switched to coffee")
    assert "User's uncle Ted has a hamster called Fig." in live(runtime)
    assert not any("Ted has a coffee" in one for one in live(runtime))


def test_what_once_happened_does_not_end_and_hides_nothing_that_does(runtime: Runtime) -> None:
    tell(runtime, "I sing alto in the Harbour Choir, every Tuesday")
    tell(runtime, "skipped choir, honestly I don't enjoy it that much any more")
    assert live(runtime) == ["User sings alto in the Harbour Choir, every Tuesday.", "User skipped choir."]
    tell(runtime, "I've left the choir. Done. Feels strange")
    assert live(runtime) == ["User has left the choir.", "User skipped choir."]


def test_words_that_point_back_are_about_the_last_message_alone(runtime: Runtime) -> None:
    tell(runtime, "I play tennis.", "what a day", "not anymore")
    assert live(runtime) == ["User plays tennis."]


def test_of_two_facts_of_one_message_none_is_guessed(runtime: Runtime) -> None:
    tell(runtime, "I play tennis. I collect stamps.", "not anymore")
    assert live(runtime) == ["User collects stamps.", "User plays tennis."]


def test_a_no_to_what_the_reply_asked_corrects_nothing(tmp_path: Path) -> None:
    def script(prompt: Prompt, sampling: Sampling) -> str | None:
        return "Do you still need help with the letter?" if call_kind(prompt, sampling) == "reply" else None

    model = ScriptedModel(script)
    runtime = make_runtime(tmp_path / "asked", model, speculate=False)
    tell(runtime, "I play tennis.", "not anymore")
    assert live(runtime) == ["User plays tennis."]
    runtime.database.close()


@pytest.mark.parametrize("by_hand", [True, False])
def test_what_the_person_wrote_or_pinned_stays(runtime: Runtime, by_hand: bool) -> None:
    tell(runtime, "I drink tea every morning.")
    (fact,) = curate.list_memories(runtime)
    if by_hand:
        curate.edit(runtime, fact.id, text="User drinks green tea every morning.")
    else:
        curate.pin(runtime, fact.id)
    tell(runtime, "I switched to coffee")
    assert curate.get(runtime, fact.id).state is State.LIVE


def test_what_was_before_can_still_be_asked(runtime: Runtime) -> None:
    tell(runtime, "I drink tea every morning.", "I switched to coffee")
    assert own(runtime, "what did I drink before?") == "Until today: You drink tea every morning. Since then: You drink coffee."
    assert own(runtime, "what do I drink?") == "You drink coffee."


def test_where_the_person_lived_before_is_known_after_a_yes(runtime: Runtime) -> None:
    for text in ("I live in Utrecht.", "I moved to Ghent last month"):
        tell(runtime, text)
        decisions.approve(runtime, pending.list_pending(runtime)[0].id)
        list(upkeep.work(runtime, None, Cancel()))
    assert own(runtime, "where did I live before?").startswith("Until today: You live in Utrecht.")


def test_what_was_a_mistake_is_not_told_as_what_was_before(runtime: Runtime) -> None:
    tell(runtime, "My daughter plays handball.", "oh my mistake, it's volleyball")
    assert "handball" not in own(runtime, "what did my daughter play before?")


@pytest.mark.parametrize(
    "typed", ["I forgot my lunch again", "forgot the umbrella", "I always get up at six", "I always write at night"]
)
def test_what_is_told_of_something_else_takes_nothing_back(runtime: Runtime, typed: str) -> None:
    tell(runtime, "I have a dog called Rex.", typed)
    assert "User has a dog called Rex." in live(runtime)


def test_a_bug_in_reading_one_message_keeps_no_other_from_being_learned(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    with patch.object(learning, "learn", side_effect=IndexError), pytest.raises(IndexError):
        tell(runtime, "I keep goats.", thread=thread)
    tell(runtime, "I keep bees.", thread=thread)
    assert (live(runtime), learning.waiting(runtime)) == (["User keeps bees."], 0)
