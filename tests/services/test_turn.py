"""A turn whose memory steps fail: the person gets their answer all the same."""

import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from memapp.domain.chat import MAX_MESSAGE_CHARS, MessageStatus
from memapp.domain.prompt import Finished, Piece, Prompt, Sampling
from memapp.domain.turn import Accepted, Checked, Completed, Failed, Restarted, Streamed, Thinking
from memapp.errors import DiskFull, UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel, call_kind
from memapp.prompts.own_remarks import AT_A_LOSS, HEARD, HEARD_OF, HEARD_THAT, SORRY, SORRY_FOR
from memapp.runtime import Runtime
from memapp.services import answer, chats, curate, turn
from memapp.services.consent import decisions, pending
from memapp.store import chat
from tests.builders import chat_of, learn, make_runtime, new_chat, only, recorded, say, use_simple_form


@pytest.mark.parametrize("error", [UsageError("No."), DiskFull("No."), ValueError("No.")])
def test_an_error_while_noticing_costs_no_answer_and_is_counted(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(turn, "propose_profile_changes", fail)
    thread = new_chat(runtime)
    happened = say(runtime, thread, "I live in Oslo.")
    assert only(Completed, happened).reply.status is MessageStatus.COMPLETE
    assert chats.get_message(runtime, only(Accepted, happened).message.id).text == "I live in Oslo."
    (skipped,) = recorded(runtime, "propose_profile_changes")
    assert (skipped["status"], skipped["thread_id"], skipped["meta"]) == ("skipped", thread, {"error": type(error).__name__})


@pytest.mark.parametrize("step", ["compare", "retract", "questions.ask_about"])
def test_an_error_after_the_message_is_saved_costs_no_answer(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DiskFull("No space is left.")

    monkeypatch.setattr(f"memapp.services.turn.{step}", fail)
    thread = new_chat(runtime)
    assert only(Completed, say(runtime, thread, "I keep bees.")).reply.status is MessageStatus.COMPLETE
    assert {one.text for one in chats.page(runtime, thread).messages} >= {"I keep bees."}
    assert learn(runtime), "it is learned from all the same"


def test_a_message_is_saved_before_any_model_compares_what_it_means(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    use_simple_form(runtime)
    thread = new_chat(runtime)
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    model.enqueue("Hello.", prediction="Let us talk about tea.")
    say(runtime, thread, "Hi!")
    texts: list[str] = []
    waited: list[bool] = []

    def look(wanted: Sequence[str], *, wait: bool) -> NDArray[np.float32]:
        waited.append(wait)
        texts.append(chats.page(runtime, thread).messages[-2].text)
        return ScriptedEmbedder().embed(wanted)

    monkeypatch.setattr(runtime.embedding.ready(), "embed", look)
    assert only(Checked, say(runtime, thread, "Tell me about coffee.")).expected is not None
    assert (set(texts), set(waited)) == ({"Tell me about coffee."}, {False}), "nor does a person wait for one that has to load"


def test_words_that_cannot_be_saved_replace_nothing(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = new_chat(runtime)
    sent = only(Accepted, say(runtime, thread, "I have two cats.")).message
    before = [one.text for one in chats.page(runtime, thread).messages]

    def full(*_: object, **__: object) -> None:
        raise DiskFull("No space is left.")

    monkeypatch.setattr(chat, "add_message", full)
    with pytest.raises(DiskFull):
        list(turn.resend_turn(runtime, sent.id, "I have three cats."))
    assert [one.text for one in chats.page(runtime, thread).messages] == before


def test_nobody_goes_on_in_a_deleted_chat_without_knowing(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    sent = only(Completed, say(runtime, thread, "I have two cats.")).reply
    chats.delete_thread(runtime, thread)
    for begin in (turn.take_turn(runtime, thread, "Hello?"), turn.retry_turn(runtime, sent.id), turn.remark(runtime, thread)):
        with pytest.raises(UsageError, match="chat is deleted"):
            list(begin)
    chats.restore_thread(runtime, thread)
    assert [one.text for one in chats.page(runtime, thread).messages] == ["I have two cats.", sent.text]


def test_what_a_model_thinks_before_it_speaks_is_neither_shown_nor_kept(runtime: Runtime) -> None:
    thread, model = new_chat(runtime), runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    model.enqueue("<think>They want tea.</think>\n\nOolong, then.")
    happened = say(runtime, thread, "Which tea?")
    assert only(Thinking, happened)
    assert "".join(event.text for event in happened if isinstance(event, Streamed)) == "Oolong, then."
    assert only(Completed, happened).reply.text == "Oolong, then."
    model.enqueue("<think>They want tea. Or coffee")
    assert "only thought" in str(only(Failed, say(runtime, thread, "And then?")).error)
    assert not [prompt for prompt in model.seen if "They want tea" in str(prompt)]


def test_a_reply_that_goes_round_in_circles_is_cut_and_degenerate_ones_enter_no_prompt(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime)
    model.enqueue("I am always here for you. I am always here for you. I am always here for you. And so on.")
    assert only(Completed, say(runtime, thread, "Hello there, my friend.")).reply.text == "I am always here for you."
    with runtime.write() as session:
        session.run("UPDATE messages SET text = 'I am here to help. I am here to help. ' WHERE role = 'assistant'")
    say(runtime, thread, "Which tea is best at noon?")
    assert not [prompt for prompt in model.seen if "I am here to help" in str(prompt)]


def test_a_reply_leaves_out_a_food_that_could_hurt_while_the_allergy_only_waits(runtime: Runtime, model: ScriptedModel) -> None:
    say(runtime, new_chat(runtime), "I'm allergic to walnuts.")
    (waits,) = pending.list_pending(runtime)
    model.enqueue("Try rye bread. A walnut loaf is lovely! Or bake scones.")
    happened = say(runtime, new_chat(runtime), "Which bread should I bake?")
    shown = "".join(event.text for event in happened if isinstance(event, Streamed))
    assert shown == only(Completed, happened).reply.text == "Try rye bread. Or bake scones."
    model.enqueue("Yes, walnuts are good for the heart.")
    asked = say(runtime, new_chat(runtime), "Are walnuts healthy?")
    assert only(Completed, asked).reply.text == "Yes, walnuts are good for the heart."
    decisions.deny(runtime, waits.id)
    model.enqueue("Try rye bread. A walnut loaf is lovely! Or bake scones.")
    anew = say(runtime, new_chat(runtime), "Which bread should I bake?")
    assert "walnut" in only(Completed, anew).reply.text  # what was denied is not gone by


@pytest.mark.parametrize("before", [[], ["I don't eat fish."]])
def test_a_reply_leaves_out_what_somebody_does_not_eat(runtime: Runtime, model: ScriptedModel, before: list[str]) -> None:
    for told in before:
        learn(runtime, chat_of(runtime, told))
    model.enqueue("Try a bean stew. Grilled salmon is lovely! Or bake a quiche.")
    asked = "What could I cook tonight?" if before else "What could I cook tonight? I don't eat fish."
    assert only(Completed, say(runtime, new_chat(runtime), asked)).reply.text == "Try a bean stew. Or bake a quiche."


@pytest.mark.parametrize("before", [[], ["I can't stand mushrooms."]])
def test_a_reply_leaves_out_what_somebody_does_not_like(runtime: Runtime, model: ScriptedModel, before: list[str]) -> None:
    for told in before:
        learn(runtime, chat_of(runtime, told))
    model.enqueue("Try a bean stew. Fried mushrooms are lovely! Or bake a quiche.")
    asked = "What could I cook tonight?" if before else "recipe for tonight please, no mushrooms pls"
    assert only(Completed, say(runtime, new_chat(runtime), asked)).reply.text == "Try a bean stew. Or bake a quiche."


def test_what_somebody_does_not_touch_is_no_food_where_none_is_spoken_of(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Keep the savings where they are.")
    asked = say(runtime, new_chat(runtime), "I don't touch my savings. Is that wise?")
    assert only(Completed, asked).reply.text == "Keep the savings where they are."


def test_a_small_model_reads_no_news_and_what_it_says_of_its_prompt_is_cut(tmp_path: Path) -> None:
    model = ScriptedModel(parameters=135_000_000)
    runtime = make_runtime(tmp_path, model)
    thread = new_chat(runtime)
    curate.add(runtime, "User moved the desk.")
    model.enqueue("What a day! The user is back. I mean it.")
    assert only(Completed, say(runtime, thread, "I came home late again.")).reply.text == "What a day!"
    model.enqueue("As a language model, I don't eat. Soup is warm.")
    assert only(Completed, say(runtime, thread, "Which dish is warm?")).reply.text == "Soup is warm."
    assert "Memory updates" not in str(model.seen) and "created" not in str(model.seen)
    runtime.close()


def test_a_small_model_that_only_speaks_of_its_prompt_is_asked_once_more(tmp_path: Path) -> None:
    model = ScriptedModel(parameters=135_000_000)
    runtime = make_runtime(tmp_path, model)
    aside = "The user has told this in the context."
    model.enqueue(aside)
    model.enqueue("Birds of course.")
    happened = say(runtime, new_chat(runtime), "Who sings at dawn?")
    assert only(Completed, happened).reply.text == "Birds of course." and only(Restarted, happened)
    model.enqueue(aside)
    model.enqueue(aside)
    assert only(Completed, say(runtime, new_chat(runtime), "Who sings at dusk?")).reply.text == AT_A_LOSS[0]
    model.enqueue(aside)
    model.enqueue("Morning!")
    assert only(Completed, say(runtime, new_chat(runtime), "good morning!")).reply.text == "Morning!", "a greeting is greeted"
    thread = new_chat(runtime)
    model.enqueue(aside)
    happened = say(runtime, thread, "The birds sang so loudly at dawn.")
    assert only(Completed, happened).reply.text == HEARD[0] and not [one for one in happened if isinstance(one, Restarted)]
    model.enqueue(aside)
    model.enqueue("How lovely.")
    assert only(Completed, say(runtime, thread, "The bees hummed all day long.")).reply.text == "How lovely."
    for told, said in (
        ("The bees fly to the roof.", HEARD[1]),
        ("my back is killing me", SORRY_FOR[0].format("your back")),
        ("My brother Anton called today. My sister sang.", HEARD_OF[0].format("your brother Anton")),
        ("I've delivered over 100 babies.", HEARD_THAT[0].format("you have delivered over 100 babies")),
        ("I collect old stamps.", HEARD_THAT[1].format("you collect old stamps")),
        ("I want to die.", SORRY[0]),
        ("it aches and aches", SORRY[1]),
        ("The roof is made of slate.", HEARD[2]),
        ("The bees fly over the roof.", HEARD[3]),
    ):
        model.enqueue(aside)
        model.enqueue(aside)
        assert only(Completed, say(runtime, thread, told)).reply.text == said, "not again while another wording fits"
    curate.add(runtime, "User lives in Bruges.")
    model.enqueue("I live in Bruges, too. The canals are lovely.")
    reply = only(Completed, say(runtime, new_chat(runtime), "What is worth seeing in Bruges?")).reply
    assert reply.text == "The canals are lovely."
    runtime.close()


class Endless(ScriptedModel):
    """Replies with one piece that is longer than a message may be, and goes on."""

    def generate(self, prompt: Prompt, sampling: Sampling, cancel: Cancel) -> Generator[Piece | Finished, None, None]:
        if call_kind(prompt, sampling) != "reply":
            yield from super().generate(prompt, sampling, cancel)
        while call_kind(prompt, sampling) == "reply":
            yield Piece("word " * 60_000)


def test_a_reply_ends_where_a_message_ends(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, Endless())
    happened = say(runtime, new_chat(runtime), "Tell me all.")
    reply = only(Completed, happened).reply
    assert reply.text == ("word " * 40_000).strip() and reply.usage.at_limit
    assert sum(len(event.text) for event in happened if isinstance(event, Streamed)) == MAX_MESSAGE_CHARS
    runtime.close()


def test_the_wait_for_the_first_word_counts_everything_and_both_calls_are_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = [0.0]

    def sleep(seconds: float) -> None:
        watch[0] += seconds

    for module in (turn, answer):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: watch[0]))
    runtime = make_runtime(tmp_path, ScriptedModel(delay_seconds=1.0, sleep=sleep))
    usage = only(Completed, say(runtime, new_chat(runtime), "Tell me about oolong tea.")).reply.usage
    (answered,) = recorded(runtime, "respond")
    call_1, call_2 = answered["meta"]["call_1"], answered["meta"]["call_2"]
    assert call_1["prefill_tokens"] > 0 and call_1["decode_tokens"] > 0
    assert call_2["decode_tokens"] == usage.decode_tokens
    assert usage.waited_seconds == call_1["seconds"] + usage.first_token_seconds
    runtime.close()


def test_the_first_message_waits_a_moment_for_the_embedding_model(runtime: Runtime) -> None:
    use_simple_form(runtime)
    embedder = runtime.embedding.ready()
    assert embedder is not None
    thread = chat_of(runtime, "I keep bees.")
    runtime.embedding.loading("Loading the embedding model…")
    happened = turn.take_turn(runtime, thread, "I keep hens.")
    next(happened)
    threading.Timer(0.05, runtime.embedding.fill, [embedder]).start()
    checked = only(Checked, list(happened)).expected
    assert checked is not None and "was not compared" not in checked.why


def test_a_message_does_not_wait_long_for_an_embedding_model(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "EMBEDDER_SECONDS", 0.01)
    thread = new_chat(runtime)
    runtime.embedding.loading("Loading the embedding model…")
    assert only(Completed, say(runtime, thread, "I keep bees.")).reply.status is MessageStatus.COMPLETE
