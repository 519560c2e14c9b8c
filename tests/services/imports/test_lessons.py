"""Lessons and failures as files: imported ones are no evidence, and are exported unchanged."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memapp.domain.changes import LessonMoved
from memapp.errors import UsageError
from memapp.language.normal_form import normalise
from memapp.runtime import Runtime
from memapp.services import forget, runs, undo
from memapp.services.imports.lessons import ImportedLessons, import_lessons
from memapp.services.lessons import browse
from memapp.services.lessons.lesson_files import (
    failures_as_rows,
    lessons_as_rows,
    promoted_as_skill,
)
from memapp.services.runs import Client
from memapp.store import changes
from memapp.tools.scripted import ScriptedTool
from tests.builders import make_runtime
from tests.services.imports.builders import ROWS

LEGACY, LATER, FAILED = (ROWS[name] for name in ("lesson of the first form", "lesson", "failure"))
TEXT = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=25)
ANY = st.none() | st.integers(-5, 5) | st.floats(0, 1) | TEXT | st.lists(TEXT, max_size=2)
LESSON = st.sampled_from([LEGACY, LATER]).flatmap(
    lambda row: st.builds(
        lambda says, theirs, form: json.dumps({**row, form: says, "theirs": theirs}),
        TEXT.filter(lambda says: any(map(str.isalnum, says))),
        ANY,
        st.just("rule_text" if "rule_text" in row else "lesson"),
    )
)
FAILURE = st.builds(
    lambda shape, theirs: json.dumps({**FAILED, "fingerprint": shape, "theirs": theirs}), TEXT, ANY
)


def bring(runtime: Runtime, *rows: dict[str, Any] | str) -> ImportedLessons:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "lessons.jsonl"
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return import_lessons(runtime, file)


def says_the_same(row: str) -> str:
    """Return the key by which two lessons count as one."""
    said = json.loads(row)
    return normalise(said.get("rule_text") or said["lesson"])


def written(pieces: Iterator[str]) -> list[str]:
    return "".join(pieces).splitlines()


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(
    lessons=st.lists(LESSON, unique_by=says_the_same, max_size=5),
    failures=st.lists(FAILURE, unique=True, max_size=4),
)
def test_rows_go_out_as_they_came_in(lessons: list[str], failures: list[str]) -> None:
    with TemporaryDirectory() as home:
        runtime = make_runtime(Path(home), embedder=False)
        bring(runtime, *lessons, *failures)
        assert written(lessons_as_rows(runtime)) == lessons
        assert written(failures_as_rows(runtime)) == failures
        again = bring(runtime, *lessons, *failures)
        assert (again.lessons, again.failures, again.known) == (0, 0, len(lessons) + len(failures))
        runtime.close()


def test_what_was_learned_here_is_a_candidate_elsewhere(runtime: Runtime, tmp_path: Path) -> None:
    tool = ScriptedTool("kiln", "studio", {"kiln frie": "kiln: 'frie' is not a kiln command"})
    for action in ("kiln frie", "kiln fire", "kiln frie"):
        runs.attempt(runtime, tool, action)
    (here,) = browse.list_lessons(runtime)
    with runtime.write() as session:
        changes.apply(session, LessonMoved(here.id, "promoted", "person"), runtime.actor())
    skill = "".join(promoted_as_skill(runtime))
    assert skill.startswith("---\nname: what-works-here\n")
    assert "- Not `kiln frie`, but `kiln fire`" in skill
    lessons, failures = written(lessons_as_rows(runtime)), written(failures_as_rows(runtime))

    other = make_runtime(tmp_path / "other", embedder=False)
    actual = vars(bring(other, *lessons, *failures))
    assert actual == {"lessons": 1, "failures": 2, "known": 0, "refused": 0}
    (there,) = browse.list_lessons(other)
    assert there.status == "candidate"
    assert there.origin == "import"
    assert there.worked == 0
    assert there.retrieved == 0
    assert there.evidence_runs == 0
    assert there.wrong == here.wrong
    assert there.correct == here.correct
    assert there.scope == here.scope
    assert there.level == here.level
    assert written(failures_as_rows(other)) == failures
    (row,) = written(lessons_as_rows(other))
    assert json.loads(row) == {**json.loads(lessons[0]), "status": "candidate"}, (
        "no file promotes anything"
    )

    told = runs.attempt(other, tool, "kiln frie", Client("hook"))[1].hints
    shown = runs.attempt(other, tool, "kiln frie")[1].hints
    assert (told, [hint.lesson.correct for hint in shown]) == ((), ["kiln fire"]), (
        "a program gets no word from elsewhere"
    )
    other.close()


def test_an_import_is_taken_back_with_one_undo_and_forgotten_with_its_row(runtime: Runtime) -> None:
    bring(runtime, LATER, LEGACY, FAILED)
    undo.undo_last(runtime)
    assert not browse.list_lessons(runtime) and bring(runtime, LATER).refused == 1
    bring(
        runtime, {**LATER, "rule_text": "kiln opne -> kiln open", "theirs": "a glaze of selenium"}
    )
    forget.forget_everywhere(runtime, "selenium")
    assert not any("selenium" in line for line in lessons_as_rows(runtime))
    assert [lesson.rule_text for lesson in browse.list_lessons(runtime)] == [
        "kiln opne -> kiln open"
    ]


def test_advice_is_kept_but_is_no_hint_and_a_secret_is_not_kept(runtime: Runtime) -> None:
    secret = "hunter2hunter2"
    bring(
        runtime,
        {
            **LATER,
            "rule_text": f"Log in with --password {secret} first.",
            "theirs": [f"token={secret}"],
        },
    )
    tool = ScriptedTool("kiln", "studio", {"kiln frie": "kiln: 'frie' is not a kiln command"})
    assert not runs.attempt(runtime, tool, "kiln frie")[1].hints
    (row,) = written(lessons_as_rows(runtime))
    assert json.loads(row)["rule_text"] == "Log in with --password *** first."
    assert not any(
        secret.encode() in path.read_bytes()
        for path in runtime.paths.database.parent.glob("memapp.db*")
    )


def test_a_row_without_a_domain_is_a_hint_for_its_program(runtime: Runtime, tmp_path: Path) -> None:
    row = {
        "rule_text": "kiln frie -> kiln fire",
        "trigger_fingerprints": ["kiln: 'frie' is not a kiln command"],
    }
    (tmp_path / "lessons.jsonl").write_text(json.dumps(row))
    import_lessons(runtime, tmp_path / "lessons.jsonl")
    (lesson,) = browse.list_lessons(runtime)
    assert lesson.tool == "kiln"
    tool = ScriptedTool("kiln", "studio", {"kiln frie": "kiln: 'frie' is not a kiln command"})
    _, failed = runs.attempt(runtime, tool, "kiln frie")
    assert [hint.lesson.id for hint in failed.hints] == [lesson.id]


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        '"text"',
        "{}",
        '{"text": "a memory"}',
        '{"memapp": 1, "type": "header"}',
        '{"lesson": 3}',
        '{"lesson": " "}',
        '{"lesson": "…"}',
        '{"lesson": "x", "lesson": "y"}',
        '{"lesson": "x", "tags": "y"}',
        '{"fingerprint": ["x"]}',
        '{"fingerprint": "x", "progress_delta": NaN}',
        '{"lesson": "x", "memapp": {"wrong": "y"}}',
        "[" * 1000,
        '{"lesson": "x", "trigger_fingerprints": [' + '"f", ' * 1000 + '"f"]}',
    ],
)
def test_of_a_file_that_is_none_of_these_nothing_comes_in(runtime: Runtime, line: str) -> None:
    with pytest.raises(UsageError, match="Line 2") as refused:
        bring(runtime, LATER, line)
    assert "Nothing was imported" in str(refused.value)
    assert not browse.list_lessons(runtime) and not written(failures_as_rows(runtime))
