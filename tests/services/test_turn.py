"""A turn whose memory steps fail: the person gets their answer all the same."""

import ast
import inspect
import sys
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from types import FrameType, SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from memapp.domain.chat import BY_MEMAPP, MAX_MESSAGE_CHARS, MessageStatus
from memapp.domain.prompt import Finished, Piece, Prompt, Sampling
from memapp.domain.turn_events import (
    Accepted,
    Compared,
    Completed,
    Failed,
    Restarted,
    Streamed,
    Thinking,
)
from memapp.errors import DiskFull, UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel, call_kind
from memapp.prompts.own_remarks import HEARD, NO_ANSWER
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.consent import decisions, pending
from memapp.services.turn import answering, turns
from memapp.store import chat, checkpoints, history, withdrawn
from tests.builders import chat_of, learn, make_runtime, new_chat, only, recorded, say

QUESTION = "Which tea goes with a bee sting?"
OF_ONESELF = "Where do I keep my hens?"
STEPS = {
    "secrets": ("turn.turns.without_secrets", QUESTION),
    "take_prefetched": ("turn.turns.take_typing_prefetch", QUESTION),
    "read_answer": ("consent.questions.says_yes", "yes"),
    "retract": ("turn.turns.learning.retract_withdrawn", QUESTION),
    "read_request": ("memory_requests.requests.read_message", QUESTION),
    "memory_request": ("memory_requests.requests.carry_out", QUESTION),
    "propose_profile": ("turn.turns.learning.propose_profile", QUESTION),
    "expectation": ("turn.turns.prediction_after", QUESTION),
    "prefetched": ("turn.turns.idle_prefetch", QUESTION),
    "classify": ("turn.turns.compare", QUESTION),
    "quotations": ("turn.turns.quotations.quoted_answer", OF_ONESELF),
    "is_held": ("turn.answering.is_held", OF_ONESELF),
    "checkpoint": ("turn.turns._mark_read", QUESTION),
    "look_up": ("turn.answering.retrieve", QUESTION),
    "remind": ("turn.answering.forgotten_limits", QUESTION),
    "unasked": ("turn.turns.questions.answered_unasked", QUESTION),
    "ask": ("consent.questions.consents.messages_since_question", QUESTION),
    "revert_answers": ("turn.turns.learning.revert_answers", "I keep hens."),
    "open_question": ("turn.turns.questions.open_question", "(retried)"),
}
"""The steps that read a message: where a bug is planted in each, and a message that reaches it."""


def bug(*_: object, **__: object) -> None:
    raise IndexError("list index out of range")


def test_each_step_that_reads_a_message_is_tried_with_a_bug_in_it() -> None:
    calls = (
        node
        for module in (turns, answering)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
    )
    steps = {
        next(arg.value for arg in call.args if isinstance(arg, ast.Constant))
        for call in calls
        if isinstance(call, ast.Call)
        and any(isinstance(arg, ast.Constant) for arg in call.args)
        and ast.unparse(call.func) in ("attempt", "best_effort", "self._attempt")
    }
    assert steps == set(STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_a_bug_in_what_reads_a_message_costs_neither_the_message_nor_an_answer(
    runtime: Runtime, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    place, text = STEPS[step]
    thread = new_chat(runtime)
    first = say(runtime, thread, "I live in Oslo.")
    if text == OF_ONESELF:
        say(runtime, thread, "I keep my hens in the garden.")
        monkeypatch.setattr("memapp.services.turn.turns.is_trusted_with", lambda *_: True)
    with monkeypatch.context() as planted:
        planted.setattr(f"memapp.services.{place}", bug)
        match step:
            case "revert_answers":
                happened = list(turns.resend_turn(runtime, only(Accepted, first).message.id, text))
            case "open_question":
                happened = list(turns.retry_turn(runtime, only(Completed, first).reply.id))
                text = "I live in Oslo."
            case _:
                happened = say(runtime, thread, text)
    assert only(Completed, happened).reply.status is MessageStatus.COMPLETE
    assert chats.get_message(runtime, only(Accepted, happened).message.id).text == text
    (skipped, *_) = recorded(runtime, step)
    assert skipped["status"] == "skipped"
    assert skipped["thread_id"] == thread
    assert skipped["meta"] == {"error": "IndexError"}
    actual = only(Completed, say(runtime, thread, "Tell me about coffee.")).reply.status
    assert actual is MessageStatus.COMPLETE


@pytest.mark.parametrize("error", [UsageError("No."), DiskFull("No."), ValueError("No.")])
def test_whatever_goes_wrong_while_a_message_is_read_it_is_answered_and_learned_from(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    thread = new_chat(runtime)
    with monkeypatch.context() as planted:
        for step in (
            "learning.propose_profile",
            "compare",
            "learning.retract_withdrawn",
            "questions.ask_about",
        ):
            planted.setattr(f"memapp.services.turn.turns.{step}", fail)
        actual = only(Completed, say(runtime, thread, "I keep bees.")).reply.status
        assert actual is MessageStatus.COMPLETE
    assert learn(runtime), "it is learned from all the same"


def test_nothing_reads_a_message_before_it_is_saved(runtime: Runtime) -> None:
    thread = chat_of(runtime, "I live in Oslo.")  # which ends with a question of memapp
    called: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add(str(frame.f_globals.get("__name__")))

    taken = turns.take_turn(runtime, thread, "yes")
    sys.setprofile(note)
    try:
        accepted = next(taken)
    finally:
        sys.setprofile(None)
    assert isinstance(accepted, Accepted)
    assert list(taken), "the rest is read after that"
    readers = {name for name in called if name.startswith(("memapp.language", "memapp.prompts"))}
    services = {
        name.removeprefix("memapp.services.")
        for name in called
        if name.startswith("memapp.services")
    }
    assert readers == {"memapp.language.secrets"}
    assert services == {"turn.turns", "open_turn"}, "secrets are in no file for a moment"


def test_a_yes_counts_once_at_any_end(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = chat_of(runtime, "I live in Oslo.")
    begun = turns.take_turn(runtime, thread, "yes")
    next(begun)
    begun.close()  # type: ignore[attr-defined]
    with runtime.write() as session:
        session.run("UPDATE messages SET status = 'interrupted' WHERE status = 'generating'")
    reply = chats.page(runtime, thread).messages[-1]
    assert decisions.profile(runtime) == {}
    happened = list(turns.retry_turn(runtime, reply.id))
    assert decisions.profile(runtime) == {"city": ("Oslo",)}
    assert only(Completed, happened).reply.model == BY_MEMAPP
    decided = len(history.list_entries(runtime.read()))
    learn(runtime)
    assert decisions.profile(runtime) == {"city": ("Oslo",)}
    assert len(history.list_entries(runtime.read())) == decided


def test_a_yes_not_read_before_its_turn_ended_is_done_in_idle_time(runtime: Runtime) -> None:
    thread = chat_of(runtime, "I live in Oslo.")
    begun = turns.take_turn(runtime, thread, "yes")
    next(begun)
    begun.close()  # type: ignore[attr-defined]
    for _ in range(2):
        learn(runtime)
        assert decisions.profile(runtime) == {"city": ("Oslo",)}
    *_, said, reply = chats.page(runtime, thread).messages
    assert (said.text, reply.status, reply.model) == ("yes", MessageStatus.COMPLETE, BY_MEMAPP)
    assert pending.list_pending(runtime) == []


def test_what_stays_out_of_memory_teaches_nothing_despite_a_kill(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    begun = turns.take_turn(runtime, thread, "Off the record: I keep bees.")
    message = only(Accepted, [next(begun)]).message
    begun.close()  # type: ignore[attr-defined]
    assert learn(runtime) == [] and withdrawn.withdrawn(runtime.read(), [message.id])


def test_a_message_is_saved_before_all(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = new_chat(runtime)
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    model.enqueue("Hello.", prediction="I would like to talk about tea.")
    say(runtime, thread, "Hi!")
    learn(runtime, thread)
    assert (
        at := checkpoints.load(runtime.read(), thread)
    ).last_prediction == "I would like to talk about tea.", at
    texts: list[str] = []
    waited: list[bool] = []

    def look(wanted: Sequence[str], *, wait: bool) -> NDArray[np.float32]:
        waited.append(wait)
        texts.append(chats.page(runtime, thread).messages[-2].text)
        return embed(wanted)

    embedder = runtime.embedding.ready()
    assert embedder is not None
    embed = embedder.embed
    monkeypatch.setattr(embedder, "embed", look)
    assert only(Compared, say(runtime, thread, "Tell me about coffee.")).expected is not None
    assert set(texts) == {"Tell me about coffee."}
    assert set(waited) == {False}, "nor does a person wait for one that has to load"


def test_unsaved_words_replace_nothing(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = new_chat(runtime)
    sent = only(Accepted, say(runtime, thread, "I have two cats.")).message
    before = [message.text for message in chats.page(runtime, thread).messages]

    def full(*_: object, **__: object) -> None:
        raise DiskFull("No space is left.")

    monkeypatch.setattr(chat, "add_message", full)
    with pytest.raises(DiskFull):
        list(turns.resend_turn(runtime, sent.id, "I have three cats."))
    assert [message.text for message in chats.page(runtime, thread).messages] == before


def test_nobody_goes_on_in_a_deleted_chat_without_knowing(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    sent = only(Completed, say(runtime, thread, "I have two cats.")).reply
    chats.delete_thread(runtime, thread)
    for begin in (
        turns.take_turn(runtime, thread, "Hello?"),
        turns.retry_turn(runtime, sent.id),
        turns.remark(runtime, thread),
    ):
        with pytest.raises(UsageError, match="chat is deleted"):
            list(begin)
    chats.restore_thread(runtime, thread)
    actual = [message.text for message in chats.page(runtime, thread).messages]
    assert actual == ["I have two cats.", sent.text]


@pytest.mark.parametrize(
    ("begin", "retracts"),
    [("<think>They want tea.</think>", False), ("They want tea.\n</think>", True)],
)
def test_what_a_model_thinks_before_it_speaks_is_told_apart_and_not_kept(
    runtime: Runtime, model: ScriptedModel, begin: str, retracts: bool
) -> None:
    thread = new_chat(runtime)
    model.enqueue(f"{begin}\n\nOolong, then.")
    happened = say(runtime, thread, "Which tea?")
    thought = [event for event in happened if isinstance(event, Thinking)]
    assert "".join(event.text for event in thought).strip() == "They want tea."
    assert thought[-1].retracts is retracts
    after = happened[happened.index(thought[-1]) :]
    said = "".join(event.text for event in after if isinstance(event, Streamed))
    assert said == only(Completed, happened).reply.text == "Oolong, then."
    model.enqueue(f"{begin}\n\n" if retracts else "<think>They want tea. Or coffee")
    assert "only thought" in str(only(Failed, say(runtime, thread, "And then?")).error)
    assert not [prompt for prompt in model.seen if "They want tea" in str(prompt)]
    assert "They want tea" not in str(runtime.read().column("SELECT text FROM messages"))


def test_a_reply_that_goes_round_in_circles_is_cut(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue(
        "I am always here for you. I am always here for you. I am always here for you. And so on."
    )
    actual = only(Completed, say(runtime, thread, "Hello there, my friend.")).reply.text
    assert actual == "I am always here for you."
    with runtime.write() as session:
        session.run(
            "UPDATE messages SET text = 'I am here to help. I am here to help. ' "
            "WHERE role = 'assistant'"
        )
    say(runtime, thread, "Which tea is best at noon?")
    assert not [prompt for prompt in model.seen if "I am here to help" in str(prompt)]


@pytest.mark.parametrize("persona", ["tom", "companion"])
def test_a_reply_that_says_the_message_again_is_no_reply(
    runtime: Runtime, model: ScriptedModel, persona: str
) -> None:
    thread, asked = new_chat(runtime, persona), "Who had a motive, then?"
    model.enqueue(asked)
    model.enqueue("The baker, if anybody.")
    happened = say(runtime, thread, asked)
    assert only(Restarted, happened).repeated == asked
    assert only(Completed, happened).reply.text == "The baker, if anybody."
    told = "I found scorch marks inside the oven."
    for _ in range(2):
        model.enqueue(f"{told} What do you make of them?")
    assert only(Completed, say(runtime, thread, told)).reply.text == "What do you make of them?"


@pytest.mark.parametrize("persona", ["tom", "companion"])
def test_where_a_model_only_says_messages_again_memapp_says_that_it_found_no_answer(
    runtime: Runtime, model: ScriptedModel, persona: str
) -> None:
    thread = new_chat(runtime, persona)
    said = []
    for asked in ("Who had a motive, then?", "Who was out at noon?"):
        for _ in range(2):
            model.enqueue(asked)
        happened = say(runtime, thread, asked)
        shown = [event for event in happened if isinstance(event, Streamed | Restarted)]
        said.append(only(Completed, happened).reply.text)
        assert shown[-1] == Streamed(said[-1]), "and it is what is left on the screen"
    assert said == [*NO_ANSWER[:2]]


@pytest.mark.parametrize(
    ("told", "replied", "left"),
    [
        (
            "hi! i'm Tomas, i repair church organs",
            "Hello! I'm Tomas. I repair church organs, too.",
            "Hello!",
        ),
        ("i repair church organs in Ghent", "I repair church organs in Ghent.", HEARD[0]),
        (
            "Kannst du auch Deutsch? Ich fahre morgen zu meiner Schwester Lotte.",
            "Ja, das kann ich. Ich fahre morgen zu meiner Schwester Lotte.",
            "Ja, das kann ich.",
        ),
    ],
)
def test_of_a_reply_that_speaks_as_the_person_the_rest_stays(
    runtime: Runtime, model: ScriptedModel, told: str, replied: str, left: str
) -> None:
    for _ in range(2):
        model.enqueue(replied)
    assert only(Completed, say(runtime, new_chat(runtime), told)).reply.text == left


class Endless(ScriptedModel):
    """Replies with one piece that is longer than a message may be, and goes on."""

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        if call_kind(prompt, sampling) != "reply":
            yield from super().generate(prompt, sampling, cancel)
        while call_kind(prompt, sampling) == "reply":
            yield Piece("word " * 60_000)


def test_a_reply_ends_where_a_message_ends(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, Endless())
    happened = say(runtime, new_chat(runtime), "Tell me all.")
    reply = only(Completed, happened).reply
    assert reply.text == ("word " * 40_000).strip() and reply.usage.at_limit
    actual = sum(len(event.text) for event in happened if isinstance(event, Streamed))
    assert actual == MAX_MESSAGE_CHARS
    runtime.close()


def test_the_wait_and_both_calls_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = [0.0]

    def sleep(seconds: float) -> None:
        watch[0] += seconds

    for module in (turns, answering):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: watch[0]))
    runtime = make_runtime(tmp_path, ScriptedModel(delay_seconds=1.0, sleep=sleep))
    usage = only(
        Completed, say(runtime, new_chat(runtime), "Tell me about oolong tea.")
    ).reply.usage
    (answered,) = recorded(runtime, "respond")
    call_1, call_2 = answered["meta"]["call_1"], answered["meta"]["call_2"]
    assert call_1["prefill_tokens"] > 0 and call_1["decode_tokens"] > 0
    assert call_2["decode_tokens"] == usage.decode_tokens
    assert usage.waited_seconds == call_1["seconds"] + usage.first_token_seconds
    runtime.close()


def test_the_first_message_waits_a_moment_for_the_embedding_model(runtime: Runtime) -> None:
    embedder = runtime.embedding.ready()
    assert embedder is not None
    thread = chat_of(runtime, "I keep bees.")
    learn(runtime, thread)
    runtime.embedding.loading("Loading the embedding model…")
    happened = turns.take_turn(runtime, thread, "I keep hens.")
    next(happened)
    threading.Timer(0.05, runtime.embedding.fill, [embedder]).start()
    checked = only(Compared, list(happened)).expected
    assert checked is not None and "was not compared" not in checked.why


def test_no_message_waits_for_embedding(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "EMBEDDER_SECONDS", 0.01)
    thread = new_chat(runtime)
    runtime.embedding.loading("Loading the embedding model…")
    assert (
        only(Completed, say(runtime, thread, "I keep bees.")).reply.status is MessageStatus.COMPLETE
    )


@pytest.mark.parametrize(
    ("chosen", "window", "advice"),
    [
        ({"context_tokens": 1400}, 1400, "Raise `context_tokens` or lower `reply_tokens`."),
        ({"budget_tokens": 1400}, 4096, "Raise `budget_tokens` or lower `reply_tokens`."),
        (
            {},
            1350,
            (
                "This model has a window of 1,350 tokens: "
                "lower `reply_tokens`, or choose another model."
            ),
        ),
    ],
)
def test_a_limit_that_leaves_no_room_is_named_and_what_is_advised_helps(
    tmp_path: Path, chosen: dict[str, int], window: int, advice: str
) -> None:
    runtime = make_runtime(tmp_path, ScriptedModel(context_tokens=window), **chosen)
    thread = new_chat(runtime)
    assert advice in str(only(Failed, say(runtime, thread, "Which tea?")).error)
    runtime.close()
    for helps, enlarged in (
        ({"reply_tokens": 40}, window),
        (dict.fromkeys(chosen, 2048), 2048 if chosen else 0),
    ):
        runtime = make_runtime(
            tmp_path, ScriptedModel(context_tokens=enlarged or 4096), **{**chosen, **helps}
        )
        assert only(Completed, say(runtime, thread, "Which tea?")).reply.text
        runtime.close()


def test_a_reply_that_denies_what_a_note_says_gives_way_to_the_note(tmp_path: Path) -> None:
    model = ScriptedModel()
    runtime = make_runtime(tmp_path, model, answer_from_memory=False)
    curate.add(runtime, "Mira lives in Ghent, near the water.")
    model.enqueue("You haven't told me where Mira lives.")
    assert (
        "“Mira lives in Ghent, near the water.”"
        in only(Completed, say(runtime, new_chat(runtime), "where does Mira live?")).reply.text
    )
    model.enqueue("You haven't told me when Mira moved.")
    assert (
        "haven't"
        in only(Completed, say(runtime, new_chat(runtime), "when did Mira move?")).reply.text
    )
    runtime.close()
