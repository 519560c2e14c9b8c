"""Lessons in a chat turn: where a message is about doing, with a chip, in the prompt, and nowhere
else.
"""

import pytest

from memapp.domain.turn_events import Completed, Found
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.language.computer_tasks import goes_back, is_about_doing
from memapp.runtime import Runtime
from memapp.services import chats, run_in_chat, runs
from memapp.services.lessons import browse, curate
from memapp.services.lessons.recall import recall_lessons
from memapp.services.turn import take_turn
from memapp.tools.scripted import ScriptedTool
from tests.services.test_run_in_chat import command

WROTE = "fatal: the current branch vase has no upstream branch ZEBRA"


@pytest.fixture
def thread_id(runtime: Runtime) -> str:
    """A chat in a memory with a promoted, a candidate and a suppressed lesson."""
    done = {
        "git push": WROTE,
        "git pul": "git: 'pul' is not a git command",
        "mkdir a/b": "mkdir: a: No such file or directory",
    }
    for action in (
        "git push",
        "git push -u origin HEAD",
        "git pul",
        "git pull",
        "mkdir a/b",
        "mkdir -p a/b",
    ):
        runs.attempt(runtime, ScriptedTool(action.split()[0], "repo", done), action)
    by_tool = {lesson.correct: lesson.id for lesson in browse.list_lessons(runtime)}
    curate.promote(runtime, by_tool["git push -u origin HEAD"], by_tool["mkdir -p a/b"])
    curate.suppress(runtime, by_tool["mkdir -p a/b"])
    return chats.new_thread(runtime).id


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("how do I push this branch?", ["git push -u origin HEAD"]),
        ("My git push fails, it says there is no upstream", ["git push -u origin HEAD"]),
        ("How do I push my daughter to read more?", []),
        ("I pushed the branch to git upstream today, it went well", []),
        ("how do I pull with git?", []),
        ("how do I make a new directory with mkdir?", []),
        ("what went wrong there?", []),
    ],
)
def test_a_lesson_is_recalled_where_something_is_to_be_done_with_it(
    runtime: Runtime, thread_id: str, said: str, found: list[str]
) -> None:
    assert [hit.text for hit in recall_lessons(runtime, thread_id, said)] == found


def test_a_turn_tells_the_model_what_worked_and_no_word_of_the_error_and_keeps_a_chip(
    runtime: Runtime, model: ScriptedModel, thread_id: str
) -> None:
    events = list(take_turn(runtime, thread_id, "how do I push this branch?"))
    (chip,) = next(event.hits for event in events if isinstance(event, Found))
    assert (chip.kind, chip.text) == ("lesson", "git push -u origin HEAD")
    asked = str(model.seen[-1])
    assert "git push -u origin HEAD" in asked and "ZEBRA" not in asked
    reply = next(event.reply for event in events if isinstance(event, Completed))
    assert [(hit.kind, hit.id) for hit in chats.trace(runtime, reply).hits] == [("lesson", chip.id)]
    curate.discard(runtime, chip.id)
    assert chats.trace(runtime, reply).hits == ()


def test_what_went_wrong_just_now_is_told_by_the_lessons_shown_then(
    runtime: Runtime, thread_id: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    for written in ("/run git stauts", "/run git --version", "/run git version", "/run git stauts"):
        list(run_in_chat.run(runtime, thread_id, command(written), cancel=Cancel()))
    assert recall_lessons(runtime, thread_id, "what went wrong there?") == (), "nothing worked yet"
    for written in ("/run git branhc", "/run git branch --help", "/run git branhc --help"):
        list(run_in_chat.run(runtime, thread_id, command(written), cancel=Cancel()))
    assert [hit.text for hit in recall_lessons(runtime, thread_id, "what went wrong there?")] == [
        "git branch --help"
    ]


@pytest.mark.parametrize(
    "said",
    ["What's the command for that?", "it doesn’t work", "how to list files", "Which flag was it?"],
)
def test_talk_about_doing_is_told_from_other_talk(said: str) -> None:
    assert is_about_doing(said) and not goes_back(said)
    assert not is_about_doing("I work as a glazier and love it") and goes_back("why did that fail?")
