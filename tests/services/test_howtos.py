"""How-tos: written down, proposed, run down, undone; no chat reads them."""

from pathlib import Path
from typing import Any

import pytest

from memapp.domain.consent import HOWTO
from memapp.domain.howto import in_full, read_howto
from memapp.domain.memory import Kind
from memapp.domain.query import QueryRequest
from memapp.domain.turn_events import Accepted
from memapp.errors import Refused, UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.language.howto import told_way
from memapp.runtime import Runtime
from memapp.services import curate, exports, global_search, howtos, undo, upkeep
from memapp.services.consent import decisions, pending
from memapp.services.imports.import_file import import_file
from memapp.services.recall import RecallRequest, answer_query, conversation_scope, recall
from tests.builders import erase, new_chat, only, say
from tests.services.imports.builders import empty_store

TEA = "Make tea: 1. First I boil the water. 2. Pour it on the leaves; 3) wait four minutes"
STEPS = ("Boil the water", "Pour it on the leaves", "Wait four minutes")
WHOLE = f"Make tea: 1. {STEPS[0]}; 2. {STEPS[1]}; 3. {STEPS[2]}"
OWN_WAY = (
    "Here's how I make espresso: first I grind the beans, then I tamp them, "
    "and finally I pull the shot."
)


def ask(runtime: Runtime, agent: str, text: str, **more: Any) -> list[str]:
    request = QueryRequest(agent=agent, query=text, **more)
    return [
        bullet.text
        for bullet in answer_query(
            runtime, runtime.categories.capability(agent, runtime.user_id), request
        ).memories
    ]


def test_a_how_to_is_for_agents_that_carry_out_and_for_no_chat(runtime: Runtime) -> None:
    made = howtos.add(runtime, TEA)
    assert ask(runtime, "executor", "boil water") == [
        "[procedural] Make tea: 1. Boil the water; 2. Pour it on the leaves; 3. Wait four minutes"
    ]
    wanted = QueryRequest(agent="executor", query="tea", returned="full")
    (full,) = answer_query(
        runtime, runtime.categories.capability("executor", runtime.user_id), wanted
    ).memories
    assert full.model_dump()["steps"] == STEPS
    for agent in ("supervisor", "planner", "stylist", "researcher"):
        assert ask(runtime, agent, "How do I make tea?") == []
        with pytest.raises(Refused):
            ask(runtime, agent, "tea", categories=("procedural",))
    chat = RecallRequest("How do I make tea?", scope=conversation_scope(runtime))
    assert [hit for hit in recall(runtime, chat) if hit.kind == "memory"] == []
    assert [hit.id for hit in global_search.find(runtime, "leaves")] == [made.memory_id], (
        "the person finds it"
    )


def test_it_is_run_down_edited_and_taken_back(runtime: Runtime) -> None:
    made = howtos.add(runtime, TEA)
    howtos.tick(runtime, made.memory_id, 1, 3)
    actual = [at is not None for at in howtos.checklist(runtime, made.memory_id).done_at]
    assert actual == [True, False, True]
    assert howtos.tick(runtime, made.memory_id, 1).next_step == 1
    curate.edit(runtime, made.memory_id, "Make green tea")
    assert howtos.checklist(runtime, made.memory_id).done == 1, "the steps are the same"
    howtos.edit(runtime, made.memory_id, "Make green tea\n1. Boil the water\n2. Let it cool")
    assert howtos.checklist(runtime, made.memory_id).done == 0
    undo.undo_last(runtime)
    undo.undo_last(runtime)
    assert in_full(curate.get(runtime, made.memory_id)) == WHOLE
    curate.discard(runtime, made.memory_id)
    assert howtos.checklists(runtime) == []
    with pytest.raises(UsageError):
        howtos.tick(runtime, made.memory_id, 1)
    curate.restore(runtime, made.memory_id)
    howtos.tick(runtime, made.memory_id, 2)
    receipt = erase(runtime, made.memory_id)
    assert not receipt.left
    assert runtime.read().value("SELECT count(*) FROM howto_ticks") == 0


def test_a_how_to_stays_one_and_a_fact_becomes_none(runtime: Runtime) -> None:
    made, fact = howtos.add(runtime, TEA).memory_id, curate.add(runtime, "I drink tea.").memory_id
    for refused in (
        lambda: curate.rate(runtime, made, category="notes"),
        lambda: curate.edit(runtime, made, steps=()),
        lambda: curate.edit(runtime, fact, steps=STEPS),
        lambda: curate.rate(runtime, fact, category="procedural"),
        lambda: howtos.add(runtime, "Make coffee"),
        lambda: howtos.add(
            runtime, "Open the safe: 1. Enter the password hunter2. 2. Turn the wheel."
        ),
        lambda: howtos.tick(runtime, made, 4),
        lambda: howtos.tick(runtime, fact, 1),
    ):
        with pytest.raises(UsageError):
            refused()
    actual = [memory.kind for memory in curate.list_memories(runtime)]
    assert actual == [Kind.SEMANTIC, Kind.PROCEDURAL]


def test_steps_that_are_told_wait_in_the_inbox(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    said = only(Accepted, say(runtime, thread, OWN_WAY)).message
    list(upkeep.work(runtime, thread, Cancel()))
    list(upkeep.work(runtime, thread, Cancel()))
    (request,) = [request for request in pending.list_pending(runtime) if request.field == HOWTO]
    assert (request.new_value, request.evidence) == ("Make espresso", (said.id,))
    assert howtos.checklists(runtime) == []
    hits = recall(runtime, RecallRequest("espresso beans", scope=conversation_scope(runtime)))
    assert any("grind the beans" in hit.text for hit in hits if hit.kind == "message"), (
        "it is no secret"
    )
    decisions.approve(runtime, request.id)
    (made,) = howtos.checklists(runtime)
    assert made.howto.steps == ("Grind the beans", "Tamp them", "Pull the shot")
    assert made.howto.sources == (said.id,)
    undo.undo_last(runtime)
    assert howtos.checklists(runtime) == []
    assert [request.field for request in pending.list_pending(runtime)] == [HOWTO]


@pytest.mark.parametrize(
    "text",
    [
        "First I went to Rome, then I went to Paris, and finally home.",
        "My bread recipe:\n1. flour\n2. water\n3. salt",
        "Can you improve this? How I deploy: 1. Run the tests 2. Push the tag 3. Watch the logs",
        "This is how we met: first he called me, then I moved to Rome, then we married.",
        "Write the steps: 1. Boil water 2. Add pasta 3. Drain it",
        "1. Buy milk\n2. Call Anna\n3. Pay the rent",
        "How I make tea: I just boil water.",
        (
            "This is how I do it: first I put the early shifts, then I fill the gaps, "
            "and at the end I print it twice."
        ),
    ],
)
def test_what_is_no_way_of_ones_own_for_sure_is_not_proposed(text: str) -> None:
    assert told_way(text) is None


@pytest.mark.parametrize(
    ("text", "title", "count"),
    [
        (
            "Water the plants\n- fill the can\n[ ] look at the soil\n3) pour slowly",
            "Water the plants",
            3,
        ),
        ("Tidy up: sort the post; file the bills", "Tidy up", 2),
        ("Send v2.0: 1. Tag it at 12:30. 2. Write 3 lines to Anna.", "Send v2.0", 2),
    ],
)
def test_it_is_read_however_it_is_written(text: str, title: str, count: int) -> None:
    howto = read_howto(text)
    assert (howto.title, len(howto.steps)) == (title, count)
    assert not any(step[0] in "-[123" for step in howto.steps)


def test_it_moves_house_as_it_is(runtime: Runtime, tmp_path: Path) -> None:
    made = howtos.add(runtime, TEA)
    (tmp_path / "all.jsonl").write_text("".join(exports.as_lines(runtime)), "utf-8")
    with empty_store() as other:
        import_file(other, tmp_path / "all.jsonl")
        (file,) = pending.list_files(other)
        decisions.approve(other, file.id)
        assert [
            (checklist.howto.id, checklist.howto.steps) for checklist in howtos.checklists(other)
        ] == [(made.memory_id, STEPS)]
