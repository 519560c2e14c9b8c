"""Conversation memory of personas: history in the prompt, budget, no repetition, remarks, old
saves.
"""

import json
from pathlib import Path

import pytest

from memapp.domain.turn_events import Completed, Restarted
from memapp.errors import UsageError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chat_files, chats, curate
from memapp.services.turn import remark
from tests.builders import make_runtime, new_chat, only, recorded, say

FROST = "Tom, what do you think about the frost?"


def whole(model: ScriptedModel) -> str:
    """Everything the model read in its last call."""
    prompt = model.seen[-1]
    return "\n".join([prompt.system, *(turn.content for turn in prompt.turns), prompt.suffix])


def test_tom_references_past_conversation_in_follow_ups(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime, "tom")
    model.enqueue("Frost on the OUTSIDE of the window. Where was the spell cast from?")
    say(runtime, thread, FROST)
    say(runtime, thread, "I think it was cast from inside.")
    assert FROST in whole(model)
    assert "Frost on the OUTSIDE of the window." in whole(model)


def test_history_stands_between_evidence_and_message(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime, "tom")
    chats.add_context_card(runtime, thread, "Scorch marks on the inner sill")
    model.enqueue("Curious.")
    say(runtime, thread, FROST)
    say(runtime, thread, "What now?")
    text = whole(model)
    assert (
        text.index("Scorch marks on the inner sill") < text.index(FROST) < text.rindex("What now?")
    )


def test_only_the_last_three_exchanges_are_in_the_prompt(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime, "tom")
    for number in range(5):
        model.enqueue(f"Reply number {number} on its own subject, {'abcde'[number] * 9}.")
        say(runtime, thread, f"Question number {number}")
    say(runtime, thread, "And the last one?")
    shown = [number for number in range(5) if f"Question number {number}" in whole(model)]
    assert shown == [2, 3, 4]


def test_no_previous_conversation_is_said_when_there_is_none(
    runtime: Runtime, model: ScriptedModel
) -> None:
    say(runtime, new_chat(runtime, "tom"), FROST)
    assert "No previous conversation" in whole(model)


def test_no_repetition_of_same_comment_within_three_exchanges(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime, "tom")
    model.enqueue("Frost on the OUTSIDE of the window. Where was the spell cast from?")
    say(runtime, thread, FROST)
    model.enqueue("Frost on the OUTSIDE of the window. Where was the spell cast from?")
    model.enqueue("Inside scorch marks, outside frost. There is your answer.")
    happened = say(runtime, thread, "I found scorch marks inside.")
    assert "Where was the spell cast from?" in only(Restarted, happened).repeated
    assert (
        only(Completed, happened).reply.text
        == "Inside scorch marks, outside frost. There is your answer."
    )
    assert "Where was the spell cast from?" in model.samplings[-1].said[-1], (
        "which makes its tokens unlikely"
    )


@pytest.mark.parametrize("persona", ["tom", "companion"])
def test_no_sentence_comes_again_inside_a_longer_reply_within_three_exchanges(
    runtime: Runtime, model: ScriptedModel, persona: str
) -> None:
    thread = new_chat(runtime, persona)
    model.enqueue("The key was inside. But what about the frost?")
    say(runtime, thread, "Who was it?")
    model.enqueue(
        "Vera had a key made, and she knew the caretaker's hours well. But what about the frost?"
    )
    model.enqueue("Vera had a key made, and she knew the caretaker's hours well.")
    happened = say(runtime, thread, "Vera, I think.")
    assert only(Restarted, happened).repeated == "But what about the frost?"
    assert "frost" not in only(Completed, happened).reply.text
    assert "But what about the frost?" in model.samplings[-1].said[-1]


def test_a_remark_that_was_made_before_is_asked_for_in_other_words(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime, "tom")
    said = "I wonder what the garden looks like in the rain tonight."
    for reply in (said, said, "That window bothers me."):
        model.enqueue(reply)
    list(remark(runtime, thread))
    happened = list(remark(runtime, thread))
    assert only(Restarted, happened).repeated == said
    assert only(Completed, happened).reply.text == "That window bothers me."
    sampled, resampled = model.samplings[-2:]
    assert resampled.said == (said,)
    assert resampled.seed != sampled.seed


def test_auto_comments_and_player_messages_are_both_tracked(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime, "tom")
    model.enqueue("That window bothers me.")
    done = only(Completed, list(remark(runtime, thread)))
    assert done.reply.unprompted
    say(runtime, thread, FROST)
    assert "Tom (earlier): That window bothers me." in whole(model)
    assert [message.unprompted for message in chats.page(runtime, thread).messages] == [
        True,
        False,
        False,
    ]


def test_conversation_persists_across_sessions(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model)
    thread = new_chat(runtime, "tom")
    model.enqueue("Check the sill for residue.")
    say(runtime, thread, FROST)
    runtime.close()
    again = make_runtime(tmp_path, ScriptedModel())
    say(again, thread, "What did you tell me?")
    prompt = again.chat.ready().seen[-1]  # type: ignore[union-attr]
    assert "Check the sill for residue." in prompt.turns[-1].content or any(
        "Check the sill for residue." in turn.content for turn in prompt.turns
    )
    again.close()


@pytest.mark.parametrize("letters", [10, 2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_token_budget_below_4000_per_request(
    tmp_path: Path, model: ScriptedModel, letters: int
) -> None:
    runtime = make_runtime(tmp_path, model, prompt_memories=12, top_k=20)
    thread = new_chat(runtime)
    for number in range(12):
        curate.add(
            runtime, f"User found frost on window {number} {'and scorch marks below it ' * 9}"
        )
    text = ("frost and scorch marks " * (letters // 23 + 1))[:letters]
    for number in range(4):
        for _ in range(2):  # the second try is a request too
            model.enqueue(" ".join(f"frost{place}" for place in range(5_000))[:5_000])
        say(runtime, thread, f"{number} {text}")
    costs: dict[str, int] = {}
    for prompt, sampling in zip(model.seen, model.samplings, strict=True):
        cost = model.prompt_tokens(prompt) + sampling.max_tokens
        costs[prompt.slot] = max(cost, costs.get(prompt.slot, 0))
    assert max(costs.values()) < 4_000
    assert costs["look-up"] + costs["chat"] <= model.context_tokens, "both stay in the cache"
    assert letters == 10 or costs["look-up"] + costs["chat"] > 3_900
    runtime.close()


@pytest.mark.parametrize("exchanges", [0, 3])
def test_a_reply_that_no_prompt_showed_any_more_is_not_repeated(
    tmp_path: Path, exchanges: int
) -> None:
    model = ScriptedModel()
    runtime = make_runtime(tmp_path, model, history_exchanges=exchanges)
    thread = new_chat(runtime)
    for reply in (
        said := "The door is what I would look at first.",
        "Ask him.",
        said,
        "Look at the window.",
    ):
        model.enqueue(reply)
    say(runtime, thread, "Begin with the door.")
    say(runtime, thread, "word " * 20_000)
    assert only(Restarted, say(runtime, thread, "And then?")).repeated == said
    runtime.close()


def test_prompt_sizes_are_logged_for_each_turn(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime, "tom"), FROST)
    (event,) = recorded(runtime, "respond")
    assert event["meta"]["call_2"]["prefill_tokens"] + event["meta"]["call_2"]["reused_tokens"] > 0


OLD_SAVE = {
    "inner_voice_state": {
        "trust_level": 0.5,
        "conversation_history": [
            {
                "user": FROST,
                "tom": "Where was it cast from?",
                "timestamp": "2024-01-09T12:34:56.789Z",
            },
            {
                "user": "[auto-comment]",
                "tom": "That window bothers me.",
                "timestamp": "2024-01-09T12:35:56.789Z",
            },
        ],
    }
}


def test_backward_compatible_with_old_saves(
    runtime: Runtime, model: ScriptedModel, tmp_path: Path
) -> None:
    save = tmp_path / "save.json"
    save.write_text(json.dumps(OLD_SAVE), "utf-8")
    thread, count = chat_files.import_save(runtime, save, "tom")
    assert count == 3
    say(runtime, thread.id, "So?")
    assert FROST in whole(model)
    assert "Tom (earlier): That window bothers me." in whole(model)


def test_the_trust_of_an_old_save_is_kept_and_speaks(
    runtime: Runtime, model: ScriptedModel, tmp_path: Path
) -> None:
    save = tmp_path / "save.json"
    systems = []
    for trust in (0.1, 0.9):
        save.write_text(
            json.dumps(
                {"inner_voice_state": {**OLD_SAVE["inner_voice_state"], "trust_level": trust}}
            ),
            "utf-8",
        )
        thread, _ = chat_files.import_save(runtime, save, "tom")
        assert (
            json.loads(chat_files.export_thread(runtime, thread.id, "json"))["trust_level"] == trust
        )
        say(runtime, thread.id, "So?")
        systems.append(model.seen[-1].system)
    assert "do not trust" in systems[0] and "trust the investigator fully" in systems[1]
    say(runtime, new_chat(runtime, "tom"), "So?")
    assert "you say what you think" in model.seen[-1].system, (
        "a new chat begins with the persona's own"
    )


@pytest.mark.parametrize("trust", [7, -1, "much"])
def test_a_trust_that_is_none_is_named(runtime: Runtime, tmp_path: Path, trust: object) -> None:
    save = tmp_path / "save.json"
    save.write_text(json.dumps({"conversation_history": [], "trust_level": trust}), "utf-8")
    with pytest.raises(UsageError, match="its trust_level is not a number from 0 to 1"):
        chat_files.import_save(runtime, save, "tom")


def test_a_save_with_a_very_long_name_imports_under_the_beginning_of_it(
    runtime: Runtime, tmp_path: Path
) -> None:
    save = tmp_path / f"{'frost' * 45}.json"
    save.write_text(json.dumps(OLD_SAVE), "utf-8")
    thread, _ = chat_files.import_save(runtime, save, "tom")
    assert thread.title == f"{('frost' * 45)[:199]}…"


def test_saves_without_history_import_as_an_empty_chat(runtime: Runtime, tmp_path: Path) -> None:
    save = tmp_path / "save.json"
    save.write_text('{"trust_level": 0.2}', "utf-8")
    thread, count = chat_files.import_save(runtime, save, "tom")
    assert count == 0
    assert chats.page(runtime, thread.id).messages == ()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no json",
        "[1]",
        "[" * 100_000,
        '{"conversation_history": [{"user": "a"}]}',
        '{"conversation_history": 7}',
    ],
)
def test_a_broken_save_imports_nothing(runtime: Runtime, tmp_path: Path, content: str) -> None:
    save = tmp_path / "save.json"
    save.write_text(content, "utf-8")
    with pytest.raises(UsageError):
        chat_files.import_save(runtime, save, "tom")
    assert chats.list_threads(runtime) == []


def format_tom_conversation_history(history: list[dict[str, str]]) -> str:
    """The old program's own function, as seed 1 gives it."""
    if not history:
        return "No previous conversation"
    recent = history[-3:]
    lines = []
    for exchange in recent:
        user_msg = exchange.get("user", "")
        tom_msg = exchange.get("tom", "")
        if user_msg == "[auto-comment]":
            lines.append(f"Tom (earlier): {tom_msg}")
        else:
            lines.append(f"Player: {user_msg}")
            lines.append(f"Tom: {tom_msg}")
            lines.append("")
    return "\n".join(lines).strip()


def test_the_old_program_reads_an_exported_chat(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime, "tom")
    for reply in ("Frost outside.", "That window bothers me."):
        model.enqueue(reply)
    say(runtime, thread, FROST)
    list(remark(runtime, thread))
    history = json.loads(chat_files.export_thread(runtime, thread, "json"))["conversation_history"]
    assert format_tom_conversation_history(history) == (
        f"Player: {FROST}\nTom: Frost outside.\n\nTom (earlier): That window bothers me."
    )
    assert all(exchange.keys() == {"user", "tom", "timestamp"} for exchange in history)


def test_an_exported_chat_imports_again(runtime: Runtime, tmp_path: Path) -> None:
    save = tmp_path / "save.json"
    save.write_text(json.dumps(OLD_SAVE), "utf-8")
    first, _ = chat_files.import_save(runtime, save, "tom")
    save.write_text(chat_files.export_thread(runtime, first.id, "json"), "utf-8")
    second, _ = chat_files.import_save(runtime, save, "tom")
    texts = [
        [message.text for message in chats.page(runtime, thread.id).messages]
        for thread in (first, second)
    ]
    assert texts[0] == texts[1]
