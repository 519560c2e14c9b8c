"""Answers by quotation, where a model does not answer from the messages or says more."""

import json
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from memapp.domain.chat import FROM_MEMORY, Message
from memapp.domain.turn_events import Completed, Found, Restarted
from memapp.inference.scripted import ScriptedModel
from memapp.prompts.own_remarks import MAY_WAIT, WAITS
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending, requests
from memapp.services.imports.import_file import import_file
from memapp.services.recall.quotations import NOT_TOLD
from memapp.services.turn import retry_turn
from tests.builders import Clock, chat_of, learn, make_runtime, new_chat, only, say
from tests.services.imports.builders import say_yes


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the model word answers about the person."""
    monkeypatch.setattr(
        "memapp.services.turn.turns.is_trusted_with", lambda runtime, model, job: job == "answers"
    )


def tell(runtime: Runtime, *texts: str) -> None:
    """Say something in a chat of its own, which is learned from; the next day begins."""
    thread = chat_of(runtime, *texts)
    learn(runtime, thread)
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(days=1)


def ask(runtime: Runtime, question: str) -> Message:
    reply: Message = only(Completed, say(runtime, new_chat(runtime), question)).reply
    return reply


@pytest.mark.usefixtures("trusted")
def test_a_reply_that_the_quotations_hold_stays(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "my cat is called Miso, she came from a farm")
    model.enqueue("Your cat is called Miso.")
    happened = say(runtime, new_chat(runtime), "what's my cat called?")
    assert only(Completed, happened).reply.text == "Your cat is called Miso."
    assert [hit.text for hit in only(Found, happened).hits] == [
        "my cat is called Miso, she came from a farm"
    ]
    assert "she came from a farm" in str(model.seen[-1])
    assert not [event for event in happened if isinstance(event, Restarted)]


@pytest.mark.usefixtures("trusted")
def test_an_invention_gives_way_to_the_quotations(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "my cat is called Miso, she came from a farm")
    model.enqueue("Your cat is called Minka.")
    happened = say(runtime, new_chat(runtime), "what's my cat called?")
    reply = only(Completed, happened).reply
    assert reply.text == "You told me on 31 January: “my cat is called Miso, she came from a farm”"
    assert reply.model == FROM_MEMORY
    assert only(Restarted, happened).repeated == "Your cat is called Minka."


@pytest.mark.usefixtures("trusted")
def test_a_retry_is_held_to_them_too(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "my cat is called Miso, she came from a farm")
    model.enqueue("Your cat is called Miso.")
    reply = ask(runtime, "what's my cat called?")
    model.enqueue("Your cat is called Minka.")
    assert only(Completed, retry_turn(runtime, reply.id)).reply.model == FROM_MEMORY


def test_what_was_never_told_is_not_left_to_a_model(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "my cat is called Miso, she came from a farm", "my son Tom turned eight in May")
    calls = len(model.seen)
    reply = ask(runtime, "when is my dentist appointment?")
    assert (reply.text, reply.model, len(model.seen)) == (NOT_TOLD, FROM_MEMORY, calls)


@pytest.mark.usefixtures("trusted")
def test_any_other_message_is_the_models(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "my cat is called Miso, she came from a farm")
    for text in (
        "good morning!",
        "how are you?",
        "what could I give Miso for dinner?",
        "why is the sky blue?",
    ):
        model.enqueue("Minka says hello from Rome.")
        assert ask(runtime, text).text == "Minka says hello from Rome."


@pytest.mark.parametrize(
    ("told", "question", "quoted"),
    [
        (["i work nights at the big bakery on mill road. do you like bread?"], "where do I work?",
         ["“i work nights at the big bakery on mill road.”"]),
        (["Mein Bruder Karl wohnt seit 2019 in Graz."], "where does Karl live, did I tell you?",
         ["“Mein Bruder Karl wohnt seit 2019 in Graz.”"]),
        (["my dog is called Pip", "no wait, its Moss"], "what is my dog called?",
         ["(no longer so): “my dog is called Pip”", "“no wait, its Moss”"]),
        (["my flight to Riga is next friday"], "where is my flight to?",
         ["(until 6 Feb): “my flight to Riga is next friday”"]),
    ],
    ids=["the sentence alone", "another language", "what gave way, and what came", "a coming day"],
)  # fmt: skip
def test_a_model_not_measured_to_answer_is_not_asked(
    runtime: Runtime, model: ScriptedModel, told: list[str], question: str, quoted: list[str]
) -> None:
    tell(runtime, *told)
    calls = len(model.seen)
    lines = ask(runtime, question).text.splitlines()
    begins = "You told me on 31 January"
    assert lines == [begins + (" " if said.startswith("(") else ": ") + said for said in quoted]
    assert len(model.seen) == calls


def test_what_held_for_days_is_quoted_with_its_end(runtime: Runtime) -> None:
    tell(runtime, "my dog is called Pip")
    tell(runtime, "actually my dog is called Moss")
    lines = ask(runtime, "what is my dog called?").text.splitlines()
    assert lines[0] == "You told me on 31 January (until 1 February): “my dog is called Pip”"


def test_no_quotations_are_looked_for_where_a_model_answers(
    runtime: Runtime, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "memapp.services.turn.turns.quotations.quoted_answer",
        lambda runtime, message: asked.append(message.text),
    )
    model.enqueue("Chamomile.")
    assert ask(runtime, "Which tea goes with a bee sting?").text == "Chamomile."
    assert asked == []


def test_without_a_model_the_quotations_are_the_answer(tmp_path: Path) -> None:
    with closing(make_runtime(tmp_path, ScriptedModel())) as runtime:
        tell(runtime, "i work nights at the big bakery on mill road.")
    with closing(make_runtime(tmp_path)) as runtime:
        actual = ask(runtime, "where do I work?").text
        assert actual == "You told me today: “i work nights at the big bakery on mill road.”"


def test_what_waits_for_a_yes_is_not_quoted(runtime: Runtime) -> None:
    tell(runtime, "i was diagnosed with epilepsy when i was nine")
    assert ask(runtime, "what was I diagnosed with?").text == WAITS[0]


def test_what_waits_is_quoted_with_its_own_punctuation_in_its_chat(runtime: Runtime) -> None:
    chat_id = chat_of(runtime, "I was diagnosed with epilepsy when I was nine.")
    learn(runtime, chat_id)
    happened = say(runtime, chat_id, "what was I diagnosed with?")
    assert only(Completed, happened).reply.text == (
        "You told me here: “I was diagnosed with epilepsy when I was nine.”\n"
        "It waits in the inbox for your yes or no."
    )


def test_a_question_for_a_value_that_waits_says_that_it_waits(runtime: Runtime) -> None:
    tell(runtime, "I moved to Tromsø last autumn.", "I drive an old yellow van.")
    assert ask(runtime, "where do i live now?").text in WAITS


@pytest.mark.parametrize("question", ["where does my aunt work?", "when did I last see my aunt?"])
def test_what_may_be_about_something_else_is_not_said_to_wait(
    runtime: Runtime, question: str
) -> None:
    tell(runtime, "I owe my aunt 4000 euros.")
    assert ask(runtime, question).text in MAY_WAIT
    assert ask(runtime, "what do I owe my aunt?").text in WAITS


def test_a_question_asked_before_answers_none(runtime: Runtime) -> None:
    assert ask(runtime, "what's my brother called?").text == NOT_TOLD
    assert ask(runtime, "what's my brother called?").text == NOT_TOLD


def test_a_yes_is_no_quotation(runtime: Runtime) -> None:
    said = "long day today, i spent it inside a bellows"
    tell(runtime, said, "what did you do today?", "yes")
    told = ask(runtime, "what did i tell you yesterday?").text
    assert told == f"You told me on 31 January: “{said}”"


def test_beside_a_quotation_with_the_whole_subject_stands_none_without(runtime: Runtime) -> None:
    tell(
        runtime,
        "My brother is called Hugo and he is a vet.",
        "I work as a dental technician.",
        "I have a parrot named Zorro.",
    )
    assert ask(runtime, "how is my parrot called?").text == (
        "You told me on 31 January: “I have a parrot named Zorro.”"
    )


def test_memapps_own_advice_is_quoted_as_such(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Try Lemon balm or valerian tea before you go to bed.")
    tell(runtime, "Do you know a tea that helps to sleep?")
    model.enqueue("It was green tea from Kyoto.")
    assert ask(runtime, "which tea did you recommend?").text == (
        "I said on 31 January: “Try Lemon balm or valerian tea before you go to bed.”"
    )


def test_an_imports_words_are_not_told_as_the_persons(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "facts.jsonl").write_text(
        '{"text": "User has a dog called Rufus.", "created_at": "2025-01-31T08:15:00Z"}'
    )
    import_file(runtime, tmp_path / "facts.jsonl")
    say_yes(runtime)
    said = "What you imported said on 31 January 2025: “User has a dog called Rufus.”"
    assert ask(runtime, "What is my dog called?").text == said


def test_what_was_said_in_an_imported_chat_is_told_as_that(
    runtime: Runtime, tmp_path: Path
) -> None:
    at = "2025-01-31T08:15:00Z"
    said = [
        {"uuid": str(number), "sender": by, "text": text, "created_at": at}
        for number, (by, text) in enumerate(
            (
                ("human", "I keep two hens called Ada and Bea."),
                ("assistant", "I recommend oyster shells for your hens."),
            )
        )
    ]
    talk = {"uuid": "c", "name": "hens", "created_at": at, "updated_at": at, "chat_messages": said}
    (tmp_path / "conversations.json").write_text(json.dumps([talk]))
    import_file(runtime, tmp_path / "conversations.json")
    say_yes(runtime)
    quoted = "In a chat you imported you said on 31 January 2025: “I keep two hens called Ada"
    assert ask(runtime, "What are my hens called?").text.startswith(quoted)
    answered = "In a chat you imported the answer said on 31 January 2025: “I recommend oyster"
    assert ask(runtime, "What did you recommend for my hens?").text.startswith(answered)


def test_a_value_of_an_imported_profile_is_told_as_imported(runtime: Runtime) -> None:
    request = requests.propose(runtime, "city", "Bruges", proposer="import")
    assert request is not None
    decisions.approve(runtime, request.id)
    said = "What you imported said today: “Home: Bruges”"
    assert ask(runtime, "Where do I live?").text == said


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Where do I live?", "I moved to Bruges last week, and the flat is quiet."),
        ("what city do I live in?", "I moved to Bruges last week, and the flat is quiet."),
        ("wo wohne ich?", "I moved to Bruges last week, and the flat is quiet."),
        ("what's my name?", "Name: Ana"),
        ("what's my dog's name?", ""),
        ("what's my birthday?", ""),
        ("how old is my phone?", ""),
    ],
)
def test_a_value_of_the_profile_answers(runtime: Runtime, question: str, quoted: str) -> None:
    tell(runtime, "I moved to Bruges last week, and the flat is quiet.")
    assert quoted not in ask(runtime, question).text or not quoted, "nobody said yes yet"
    for request in pending.list_pending(runtime):
        decisions.approve(runtime, request.id)
    decisions.set_field(runtime, "preferred_name", "Ana")
    answer = ask(runtime, question).text
    assert f"“{quoted}”" in answer if quoted else answer == NOT_TOLD
