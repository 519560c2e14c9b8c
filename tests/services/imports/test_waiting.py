"""All statements of a file about a person are one pending question, which opens."""

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memapp.domain.consent import ImportedFile
from memapp.errors import NotFound, UsageError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, undo
from memapp.services.consent import decisions, past_decisions, pending
from memapp.services.imports.import_file import import_file
from memapp.services.recall import RecallRequest, conversation_scope, recall
from tests.builders import make_runtime
from tests.services.consent.builders import later, live

FACTS = ["I keep bees.", "I play chess on Sundays.", "I live in Ghent."]


def notes(tmp_path: Path, facts: list[str], name: str = "notes.json") -> Path:
    file = tmp_path / name
    file.write_text("".join(f"{json.dumps({'text': fact})}\n" for fact in facts), "utf-8")
    return file


def brought(runtime: Runtime, tmp_path: Path, facts: list[str] = FACTS) -> ImportedFile:
    import_file(runtime, notes(tmp_path, facts))
    (file,) = pending.list_files(runtime)
    return file


def test_all_that_a_file_says_waits_as_one_question(runtime: Runtime, tmp_path: Path) -> None:
    file = brought(runtime, tmp_path)
    assert str(file) == "3 facts from notes.json"
    assert pending.count_pending(runtime) == 1
    assert pending.list_pending(runtime) == []
    assert live(runtime) == []
    assert [
        (request.field, request.new_value) for request in pending.list_of_file(runtime, file.id)
    ] == [("city", "Ghent"), ("fact", "I keep bees."), ("fact", "I play chess on Sundays.")]


def test_nothing_of_a_waiting_file_is_recalled_or_found(runtime: Runtime, tmp_path: Path) -> None:
    brought(runtime, tmp_path)
    assert (
        recall(runtime, RecallRequest("bees chess Ghent", 10, scope=conversation_scope(runtime)))
        == []
    )


def test_one_yes_keeps_a_file_and_one_undo_asks_again(runtime: Runtime, tmp_path: Path) -> None:
    file = brought(runtime, tmp_path)
    step = decisions.approve(runtime, file.id)
    assert set(live(runtime)) == set(FACTS)
    assert (decisions.profile(runtime), pending.count_pending(runtime)) == ({"city": ("Ghent",)}, 0)
    assert past_decisions.describe(runtime, step) == "Approved 3 facts from notes.json"
    undo.undo_last(runtime)
    assert (live(runtime), decisions.profile(runtime)) == ([], {})
    assert [str(imported_file) for imported_file in pending.list_files(runtime)] == [
        "3 facts from notes.json"
    ]
    decisions.approve(runtime, file.id)
    assert set(live(runtime)) == set(FACTS)


def test_one_no_drops_a_file_that_is_not_asked_again(runtime: Runtime, tmp_path: Path) -> None:
    file = brought(runtime, tmp_path)
    step = decisions.deny(runtime, file.id)
    assert (live(runtime), pending.count_pending(runtime)) == ([], 0)
    assert past_decisions.describe(runtime, step) == "Denied 3 facts from notes.json"
    found = import_file(runtime, notes(tmp_path, FACTS))
    assert (found.facts, found.known, found.step) == (0, 3, "")
    undo.undo_last(runtime)
    assert [str(imported_file) for imported_file in pending.list_files(runtime)] == [
        "3 facts from notes.json"
    ]


def test_a_fact_of_a_file_is_decided_alone(runtime: Runtime, tmp_path: Path) -> None:
    file = brought(runtime, tmp_path)
    _, bees, chess = pending.list_of_file(runtime, file.id)
    decisions.approve(runtime, bees.id)
    decisions.deny(runtime, chess.id)
    assert live(runtime) == ["I keep bees."]
    assert [str(imported_file) for imported_file in pending.list_files(runtime)] == [
        "1 fact from notes.json"
    ]
    undo.undo_last(runtime)
    assert [str(imported_file) for imported_file in pending.list_files(runtime)] == [
        "2 facts from notes.json"
    ]


def test_a_fact_of_a_file_is_kept_in_the_persons_words(runtime: Runtime, tmp_path: Path) -> None:
    _, bees, _ = pending.list_of_file(runtime, brought(runtime, tmp_path).id)
    decisions.edit_then_approve(runtime, bees.id, "I keep bumblebees.")
    assert live(runtime) == ["I keep bumblebees."]


def test_a_yes_to_a_file_replaces_nothing_in_the_profile(runtime: Runtime, tmp_path: Path) -> None:
    decisions.set_field(runtime, "city", "Oslo")
    file = brought(runtime, tmp_path)
    decisions.approve(runtime, file.id)
    assert decisions.profile(runtime) == {"city": ("Oslo",)}
    assert set(live(runtime)) == set(FACTS[:2])
    with pytest.raises(UsageError, match="would replace"):
        decisions.approve(runtime, file.id)
    (left,) = pending.list_of_file(runtime, file.id)
    decisions.approve(runtime, left.id)
    assert decisions.profile(runtime) == {"city": ("Ghent",)}


def test_a_file_is_put_off_and_woken_as_one(runtime: Runtime, tmp_path: Path) -> None:
    file = brought(runtime, tmp_path)
    decisions.snooze(runtime, file.id)
    assert (pending.count_pending(runtime), len(pending.list_snoozed(runtime))) == (0, 1)
    past_decisions.wake_snoozed(runtime)
    assert (pending.list_files(runtime), pending.list_snoozed(runtime)) == ([file], [])


def test_the_same_file_twice_asks_once(runtime: Runtime, tmp_path: Path) -> None:
    brought(runtime, tmp_path)
    again = import_file(runtime, notes(tmp_path, ["i KEEP bees", *FACTS[1:]], "copy.json"))
    assert (again.facts, again.known, again.step) == (0, 3, "")
    (file,) = pending.list_files(runtime)
    decisions.approve(runtime, file.id)
    assert import_file(runtime, notes(tmp_path, FACTS)).known == 3
    assert pending.count_pending(runtime) == 0


def test_a_secret_in_a_file_is_not_even_asked_about(runtime: Runtime, tmp_path: Path) -> None:
    found = import_file(runtime, notes(tmp_path, ["User's password is hunter2.", "I keep bees."]))
    assert (found.facts, found.left_out) == (1, {"secret": 1})


def test_what_nobody_answers_becomes_a_no(runtime: Runtime, tmp_path: Path) -> None:
    file = brought(runtime, tmp_path)
    later(runtime, days=8)
    assert (pending.list_files(runtime), pending.count_pending(runtime)) == ([], 0)
    with pytest.raises(NotFound):
        decisions.approve(runtime, file.id)


CLAUDE = [
    {
        "uuid": "a",
        "name": "Pastries",
        "created_at": "2026-01-31T08:15:00Z",
        "chat_messages": [
            {"sender": "human", "text": "My sister Ines bakes pastéis de nata every Sunday."},
            {"sender": "assistant", "text": "What a treat that your sister Ines bakes!"},
        ],
    }
]


def test_a_chat_of_a_file_is_quoted_only_after_a_yes(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(CLAUDE), "utf-8")
    import_file(runtime, file)
    asked = RecallRequest(
        "What does my sister bake on Sundays?", 5, scope=conversation_scope(runtime)
    )
    assert recall(runtime, asked) == []
    (waits,) = pending.list_files(runtime)
    assert str(waits) == "1 chat from conversations.json"
    decisions.approve(runtime, waits.id)
    assert "nata" in " ".join(hit.text for hit in recall(runtime, asked))
    undo.undo_last(runtime)
    assert recall(runtime, asked) == []
    decisions.deny(runtime, waits.id)
    assert recall(runtime, asked) == []
    thread = chats.list_threads(runtime)[0].id
    assert len(chats.page(runtime, thread).messages) == 2, "the person reads it"


@pytest.mark.slow
def test_ten_times_the_facts_take_about_ten_times_as_long(tmp_path: Path) -> None:
    few, many = (seconds_of_each_step(tmp_path / str(count), count) for count in (250, 2_500))
    ratios = {step: round(many[step] / few[step], 1) for step in many}
    # 100 where each looks at all others
    assert all(value < 30 for value in ratios.values()), ratios


def seconds_of_each_step(home: Path, count: int) -> dict[str, float]:
    facts = [
        f"User collects the postcard number {number} of series {number % 97}."
        for number in range(count)
    ]
    taken = {}

    @contextmanager
    def timed(step: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        taken[step] = time.process_time() - begun

    home.mkdir()
    with closing(make_runtime(home, ScriptedModel())) as runtime:
        with timed("bring"):
            file = brought(runtime, home, facts)
        with timed("page"):
            page = pending.list_of_file(runtime, file.id, limit=50, offset=count - 50)
        assert len(page) == 50 and pending.count_pending(runtime) == 1
        with timed("approve"):
            step = decisions.approve(runtime, file.id)
        assert curate.count(runtime) == count
        with timed("undo"):
            undo.undo(runtime, step)
        with timed("deny"):
            decisions.deny(runtime, file.id)
    return taken
