"""Facts learned from a message with the judge: the bundled embedding model decides, so it is the real one."""

import json
from pathlib import Path

import pytest

from memapp.domain.filters import ALL_LIVE
from memapp.domain.utterance import Draft, Judgement, Statement
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel, call_kind
from memapp.language.english.judge import judges
from memapp.runtime import Runtime
from memapp.services import learning, statements
from memapp.services.consent import decisions, pending
from memapp.store import memories
from tests.builders import Reader, chat_of, learn, make_runtime, recorded


def learned(runtime: Runtime, text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Type a message in a new chat; return what is known then, and what waits, oldest first."""
    thread = chat_of(runtime, text)
    learn(runtime, thread)
    live = [one.text for one in memories.list_memories(runtime.read(), ALL_LIVE)]
    return live[::-1], [(one.field, one.new_value) for one in pending.list_pending(runtime)][::-1]


def test_the_judge_knows_the_bundled_embedding_model_and_no_other() -> None:
    assert judges(Reader().model_id)
    assert not judges("scripted")


def test_what_lasts_is_kept_in_whatever_words(runtime: Runtime) -> None:
    live, waiting = learned(
        runtime, "Been mending clocks for a living since 2009. My brother luvs chess. The soup was too hot today."
    )
    assert sorted(live) == ["User has been mending clocks for a living since 2009.", "User's brother loves chess."]
    assert waiting == []


@pytest.mark.parametrize("typed", ["no olives tho cant stand them never could", "Nobody here likes aubergine."])
def test_what_surely_lasts_and_makes_no_fact_is_kept_as_it_was_said(tmp_path: Path, typed: str) -> None:
    small = make_runtime(tmp_path, ScriptedModel(parameters=1))
    assert learned(small, typed) == ([f"User said: {typed.rstrip('.')}."], [])
    small.close()


def test_a_capable_model_is_left_to_put_it_into_words(runtime: Runtime) -> None:
    assert learned(runtime, "no olives tho cant stand them never could") == ([], [])


def test_what_may_be_a_way_in_waits_for_a_field_that_there_is() -> None:
    statement = Statement(
        "I cannot get the shed open", "I cannot get the shed open, the cold is in my hands", "User cannot get in."
    )
    own = Judgement(lasts=0.9, is_meant=0.9, is_of_others=0.0, topics={"health": 0.14, "secret": 0.17})
    whole = Judgement(lasts=0.9, is_meant=0.9, is_of_others=0.0, topics={"health": 0.5, "secret": 0.05})
    waiting = list(statements._of_sentence([(statement, (own, whole))]))
    assert [one.topic for one in waiting] == ["health"], "else nothing of the message was learned"


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("write a quiz about volcanoes, 10 questions. Context: I'm a primary teacher.", "User is a primary teacher."),
        ("Background: I run a small bakery in a village", "User runs a small bakery in a village."),
        ("three exams on Tuesday", "User said: three exams on Tuesday."),
    ],
)
def test_what_a_task_is_for_and_what_is_due_is_kept(typed: str, known: str) -> None:
    assert [(one.topic, one.text) for one in statements.told_by(Reader(), typed)] == [("", known)]


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("our parrot died this morning", "User's parrot died this morning."),
        ("I gave notice at the bakery today", "User gave notice at the bakery today."),
        ("my aunt opened her café this afternoon", "User's aunt opened her café this afternoon."),
    ],
)
def test_what_changes_a_life_is_kept_on_the_very_day(typed: str, known: str) -> None:
    assert [(one.topic, one.text) for one in statements.told_by(Reader(), typed)] == [("", known)]


@pytest.mark.parametrize(
    "typed",
    [
        "my husband moved out today",
        "I became a deacon this morning",
        "I failed the drug test yesterday",
        "my nephew tried to kill himself last night",
        "my brother punched a policeman last night",
        "no gluten please, i'm allergic to it",
    ],
)
def test_the_day_on_which_it_is_told_makes_nothing_ordinary(typed: str) -> None:
    told = statements.told_by(Reader(), typed)
    assert told and all(one.topic for one in told)


@pytest.mark.parametrize("typed", ["I nearly quit my job today", "lol I quit my job today jk"])
def test_what_did_not_happen_is_not_kept_either(typed: str) -> None:
    assert statements.told_by(Reader(), typed) == []


@pytest.mark.parametrize("typed", ["I had eggs this morning", "my train was late again today", "my cat yawned this evening"])
def test_what_is_over_with_the_day_is_not_kept(typed: str) -> None:
    assert statements.told_by(Reader(), typed) == []


@pytest.mark.parametrize("typed", ["Nobody was at the bus stop again.", "tides are about fifty minutes later each day"])
def test_what_passes_or_is_about_the_world_is_not_kept_as_it_was_said(typed: str) -> None:
    assert statements.told_by(Reader(), typed) == []


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("I have been seeing a psychiatrist about my panic attacks since spring.", "health"),
        ("We are two mortgage payments behind and the savings are gone.", "money"),
        ("My sister has started chemo and hates it.", "close_people"),
        ("My uncle got eight months for fraud.", "close_people"),
    ],
)
def test_what_is_sensitive_waits_and_is_not_known(runtime: Runtime, typed: str, field: str) -> None:
    live, waiting = learned(runtime, typed)
    assert live == []
    assert [name for name, _ in waiting] == [field]


def test_of_a_party_that_only_its_name_tells_nothing_is_known_before_a_yes(runtime: Runtime) -> None:
    live, waiting = learned(runtime, "I was in the Komsomol, we baked bread at night in a bunker")
    assert live == []
    assert [name for name, _ in waiting] == ["politics"]


@pytest.mark.parametrize(
    "typed", ["I drink ouzo in the morning.", "I drink lots.", "I drink gin all day.", "I drink kratom every morning."]
)
def test_a_drink_that_is_no_ordinary_one_waits(runtime: Runtime, typed: str) -> None:
    live, waiting = learned(runtime, typed)
    assert (live, [name for name, _ in waiting]) == ([], ["health"])


@pytest.mark.parametrize("typed", ["My neighbour is from Kerala.", "My parents moved to Lyon.", "My friend Tom moved to Leeds."])
def test_where_somebody_of_theirs_is_from_and_lives_needs_no_yes(runtime: Runtime, typed: str) -> None:
    assert learned(runtime, typed) == ([typed.replace("My", "User's")], [])


def test_where_somebody_of_theirs_lives_needs_no_yes(runtime: Runtime) -> None:
    assert learned(runtime, "My brother lives in Utrecht.") == (["User's brother lives in Utrecht."], [])


def test_what_goes_on_about_somebody_is_kept_with_the_sentence_that_names_them() -> None:
    typed = "Marta is a potter. She shares a workshop with two glass blowers and a violin maker, they have a kiln for each."
    kept = [one.text for one in statements.told_by(Reader(), typed)]
    assert not any(text.startswith(("User said: She", "User said: they")) for text in kept)
    assert any("Marta" in text and "kiln" in text for text in kept)


@pytest.mark.parametrize(
    "typed", ["I've used it twice.", "not that one", "n who did i say was coming sunday", "12 names for a goat"]
)
def test_what_points_elsewhere_or_asks_without_a_mark_is_not_kept_as_it_was_said(typed: str) -> None:
    assert statements.told_by(Reader(), typed) == []


@pytest.mark.parametrize(("clause", "sentence"), [(0.01, 0.15), (0.15, 0.01)])
def test_what_is_not_surely_ordinary_by_itself_and_in_its_sentence_waits(clause: float, sentence: float) -> None:
    statement = Statement("I changed shifts", "I changed shifts.", "User changed shifts.")
    by = [Judgement(lasts=1, is_meant=1, is_of_others=0, topics={"health": sure, "secret": 0}) for sure in (clause, sentence)]
    assert [draft.topic for draft in statements._of_sentence([(statement, (by[0], by[1]))])] == ["health"]


def test_two_readings_of_a_statement_are_surer_of_it_than_one() -> None:
    statement = Statement("I changed shifts", "I changed shifts.", "User changed shifts.")
    by = [Judgement(lasts=1, is_meant=1, is_of_others=0, topics={"health": sure, "secret": 0}) for sure in (0.001, 0.08)]
    assert [draft.topic for draft in statements._of_sentence([(statement, (by[0], by[1]))])] == [""]
    assert [draft.topic for draft in statements._of_sentence([(statement, (by[1], by[1]))])] == ["health"]


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("how do i train for a marathon, i run 3 times a week", "User runs 3 times a week."),
        ("what amp is loud enough for a pub, i play bass in a band", "User plays bass in a band."),
    ],
)
def test_what_a_sentence_asks_makes_what_it_tells_no_less_meant(runtime: Runtime, typed: str, known: str) -> None:
    assert learned(runtime, typed) == ([known], [])


def test_a_sentence_is_judged_with_whom_it_is_about(runtime: Runtime) -> None:
    thread = chat_of(runtime, "we have a dog called Rex", "he sleeps on my bed")
    learn(runtime, thread)
    live = [one.text for one in memories.list_memories(runtime.read(), ALL_LIVE)]
    assert "User's dog Rex sleeps on User's bed." in live
    assert pending.list_pending(runtime) == []


def test_what_is_sensitive_only_as_it_was_typed_waits_as_a_fact(runtime: Runtime) -> None:
    assert learned(runtime, "used to smoke but quit in 2019") == ([], [("health", "used to smoke but quit in 2019")])
    (request,) = pending.list_pending(runtime)
    assert pending.memory_text(runtime, request.id) == "User used to smoke but quit in 2019."


def test_a_sensitive_sentence_that_makes_no_fact_is_asked_about_in_the_persons_words(runtime: Runtime) -> None:
    typed = "The chemo days are Tuesdays and nobody at work knows about it."
    live, waiting = learned(runtime, typed)
    assert (live, waiting) == ([], [("health", typed)])


def test_a_sentence_whose_parts_are_each_asked_about_is_not_asked_about_as_well(runtime: Runtime) -> None:
    _, waiting = learned(runtime, "my name is Ana Silva and i live in porto")
    assert sorted(waiting) == [("city", "Porto"), ("preferred_name", "Ana Silva")]


@pytest.mark.parametrize(
    "typed",
    [
        "Oh great, another night of no sleep, I just LOVE newborn fireworks!!",
        "If I won a million I would buy a lighthouse.",
        "my wifi password is tulip-River-93",
        "thanks, that was helpful",
    ],
)
def test_what_is_not_meant_or_secret_is_neither_known_nor_asked_about(runtime: Runtime, typed: str) -> None:
    assert learned(runtime, typed) == ([], [])


def test_with_another_embedding_model_only_the_chat_model_proposes(tmp_path: Path) -> None:
    written = json.dumps({"fact": "User plays the cello.", "tags": ["cello"]})
    model = ScriptedModel(lambda prompt, sampling: written if call_kind(prompt, sampling) == "other" else None)
    runtime = make_runtime(tmp_path, model, embedder=False)
    runtime.embedding.fill(ScriptedEmbedder())
    assert statements.told_in(runtime, "I mend clocks.") == []
    assert learned(runtime, "I play the cello. I mend clocks.") == (["User plays the cello."], [])
    runtime.database.close()


def test_without_an_embedding_model_messages_wait_to_be_learned_from(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, ScriptedModel(), embedder=False)
    assert learned(runtime, "I play the cello.") == ([], [])
    assert learning.waiting(runtime) == 1
    runtime.embedding.fill(Reader())
    learn(runtime)
    assert [one.text for one in memories.list_memories(runtime.read(), ALL_LIVE)] == ["User plays the cello."]
    runtime.database.close()


def test_a_message_with_many_facts_is_learned_a_few_at_a_time_and_none_is_lost(runtime: Runtime) -> None:
    typed = "I have two dogs. I play the cello. I work as a baker. I love hiking. I collect stamps. My brother Tom rows."
    live, _ = learned(runtime, typed)
    assert len(live) == 6
    assert [one["meta"]["learned"] for one in recorded(runtime, "distil")] == [3, 3]


def test_what_a_model_writes_is_judged_like_what_rules_write(runtime: Runtime) -> None:
    typed = "oh great, another monday meeting, I just LOVE meetings"
    assert statements.judged_draft(runtime, Draft("User loves meetings.", ("meetings",)), typed) is None
    kept = statements.judged_draft(runtime, Draft("User restores pianos.", ("pianos",)), "I restore pianos, mostly uprights.")
    assert kept is not None and kept.topic == ""
    waits = statements.judged_draft(runtime, Draft("User has epilepsy.", ("epilepsy",)), "Since school I have epilepsy.")
    assert waits is not None and waits.topic == "health"


@pytest.mark.parametrize(
    "typed", ["I go to mass every Sunday in Ghent.", "Since the divorce I live in Ghent.", "I take insulin for my diabetes."]
)
def test_a_value_that_the_person_corrects_teaches_nothing_of_what_it_was(runtime: Runtime, typed: str) -> None:
    learned(runtime, typed)
    for request in pending.list_pending(runtime):
        decisions.edit_then_approve(runtime, request.id, "something else")
    assert learned(runtime, "Thanks.") == ([], [])
    assert {value for values in decisions.profile(runtime).values() for value in values} == {"something else"}


def test_whoever_was_introduced_in_another_chat_is_known_by_name(runtime: Runtime) -> None:
    learned(runtime, "My cousin Tobias has a van.")
    thread = chat_of(runtime, "Tobias helps me move on Saturday.", "He is a plumber in Lincoln.")
    learn(runtime, thread)
    assert "User's cousin Tobias is a plumber in Lincoln." in [
        one.text for one in memories.list_memories(runtime.read(), ALL_LIVE)
    ]


def judged(
    said: str, fact: str, own: dict[str, float], whole: dict[str, float], of_others: float
) -> tuple[Statement, statements.Judged]:
    one, sentence = (Judgement(1.0, 1.0, of_others, topics={"secret": 0.0} | topics) for topics in (own, whole))
    return Statement(said, "a sentence of some words", fact), (one, sentence)


def test_a_clause_that_makes_no_fact_is_judged_with_its_sentence() -> None:
    parts = [
        judged("I hate fennel", "User hates fennel.", {"health": 0.001}, {"health": 0.002}, 0.0),
        judged("my wife puts it on everything", "", {"health": 0.7}, {"health": 0.002}, 0.9),
    ]
    assert [(one.topic, one.text) for one in statements._of_sentence(parts)] == [("", "User hates fennel.")]


def test_what_needs_no_yes_of_somebody_close_needs_none_beside_something_ordinary() -> None:
    parts = [
        judged("my mum turns 70 in May", "User's mum turns 70 in May.", {"birth_date": 0.9}, {"birth_date": 0.8}, 0.7),
        judged("I sing in a choir", "User sings in a choir.", {"birth_date": 0.001}, {"birth_date": 0.0001}, 0.0),
    ]
    assert [one.topic for one in statements._of_sentence(parts)] == ["", ""]


@pytest.mark.parametrize(("read", "asked"), [((), ["health"]), (("used to box till my eye went",), [])])
def test_what_is_sensitive_and_surely_lasts_is_asked_about_where_it_makes_no_fact(
    read: tuple[str, ...], asked: list[str]
) -> None:
    said = "used to box till my eye went"
    sure = Judgement(1.0, 1.0, 0.0, topics={"health": statements.SENSITIVE + 0.1, "secret": 0.0})
    drafts = statements._as_said([(Statement(said, said, f"User said: {said}."), (sure, sure))], (), read)
    assert [one.topic for one in drafts] == asked
    assert not any(one.text for one in drafts)


def test_what_is_surely_sensitive_and_may_be_no_joke_is_asked_about() -> None:
    def topics(is_meant: float) -> list[str]:
        own = Judgement(lasts=0.9, is_meant=is_meant, is_of_others=1.0, topics={"close_people": 1.0, "secret": 0.0})
        statement = Statement("my boss is a marxist", "my boss is a marxist", "User's boss is a marxist.")
        return [one.topic for one in statements._of_sentence([(statement, (own, own))])]

    assert topics(statements.IN_DOUBT + 0.1) == ["close_people"]
    assert topics(statements.IN_DOUBT - 0.1) == []


@pytest.mark.parametrize(("of_others", "topics"), [(1.0, ["close_people", "close_people"]), (0.0, ["health", ""])])
def test_what_a_sentence_tells_of_somebody_close_beside_something_sensitive_waits_too(
    of_others: float, topics: list[str]
) -> None:
    def judgement(sensitive: float) -> Judgement:
        return Judgement(lasts=1.0, is_meant=1.0, is_of_others=of_others, topics={"health": sensitive, "secret": 0.0})

    sentence = "Their hands shake and their tea is cold"
    parts = [
        ("their hands shake", "User's parents' hands shake.", 0.9),
        ("their tea is cold", "User's parents' tea is cold.", 0.01),
    ]
    judged = [(Statement(said, sentence, fact), (judgement(sure), judgement(0.05))) for said, fact, sure in parts]
    assert [one.topic for one in statements._of_sentence(judged)] == topics
