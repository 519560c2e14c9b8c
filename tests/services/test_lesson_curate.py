"""The person's hand on lessons: each thing that can be done to them is one step, and can be taken
back.
"""

from collections.abc import Callable

import pytest

from memapp.domain.lessons.lesson import Lesson
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import undo
from memapp.services.lessons import browse, curate
from memapp.store import fingerprints
from tests.services.test_runs import do, hints, kiln, rules


def state(runtime: Runtime) -> list[tuple[str, str, str, bool, tuple[int, ...]]]:
    found = [browse.get_lesson(runtime, lesson_id) for lesson_id in every(runtime)]
    return [
        (
            lesson.rule_text,
            lesson.status,
            lesson.reason,
            lesson.purge_at is not None,
            groups(runtime, lesson),
        )
        for lesson in found
    ]


def groups(runtime: Runtime, lesson: Lesson) -> tuple[int, ...]:
    """Return for each failure of a lesson how many are taken for it."""
    return tuple(len(fingerprints.groups(runtime.read(), [trigger])) for trigger in lesson.triggers)


def every(runtime: Runtime) -> list[str]:
    return runtime.read().column("SELECT id FROM lessons ORDER BY id")


@pytest.mark.parametrize(
    "deed",
    [
        lambda runtime, one, _: curate.promote(runtime, one),
        lambda runtime, one, other: curate.suppress(runtime, one, other),
        lambda runtime, one, _: curate.archive(runtime, one),
        lambda runtime, one, other: curate.discard(runtime, one, other),
        lambda runtime, one, _: curate.edit(runtime, one, correct="kiln fire --low"),
        lambda runtime, one, other: curate.merge(runtime, one, other),
        lambda runtime, one, other: curate.take_for_same(runtime, one, other),
        lambda runtime, _, __: curate.add(runtime, "kiln", "studio", "kiln bake", "kiln fire"),
    ],
)
def test_each_deed_is_one_step_that_is_taken_back(
    runtime: Runtime, deed: Callable[[Runtime, str, str], object]
) -> None:
    do(runtime, "kiln frie", "kiln fire 900", "kiln wram", "kiln warm")
    before = state(runtime)
    deed(runtime, *every(runtime)[:2])
    assert state(runtime)[:2] != before or len(every(runtime)) == 3
    undo.undo_last(runtime)
    after = state(runtime)
    assert [pair[:2] + pair[3:] for pair in after[:2]] == [pair[:2] + pair[3:] for pair in before]
    assert all(in_trash for *_, in_trash, _ in after[2:])


def test_what_is_put_away_is_neither_shown_nor_learned_and_comes_back(runtime: Runtime) -> None:
    do(runtime, "kiln frie", "kiln fire 900")
    (lesson_id,) = every(runtime)
    for put_away in (curate.suppress, curate.archive, curate.discard):
        put_away(runtime, lesson_id)
        assert hints(do(runtime, "kiln frie")) == []
        do(runtime, "kiln fire 900")
        assert every(runtime) == [lesson_id]
        curate.restore(runtime, lesson_id)
        if browse.get_lesson(runtime, lesson_id).status == "archived":
            curate.restore(runtime, lesson_id)
        assert hints(do(runtime, "kiln frie")) == [("kiln fire 900", "the same failure")]
        do(runtime, "kiln fire 900")
    with pytest.raises(UsageError, match="neither"):
        curate.restore(runtime, lesson_id)


def test_a_lesson_of_ones_own_waits_for_its_failure(runtime: Runtime) -> None:
    curate.add(runtime, "kiln", "studio", "kiln fire", "kiln fire --heat --token=abcdefgh12345678")
    assert hints(do(runtime, "kiln fire", tool=kiln("garden"))) == [], (
        "it names something, so it counts where it was written"
    )
    undo.undo_last(runtime)
    do(runtime, "kiln wram")
    curate.add(runtime, "kiln", "studio", "kiln wram", "kiln warm")
    curate.add(runtime, "kiln", "studio", "kiln frie", "kiln fire")
    assert hints(do(runtime, "kiln wram")) == [("kiln warm", "the same failure")]
    assert hints(do(runtime, "kiln frie")) == [("kiln fire", "the same failure")]
    with pytest.raises(UsageError, match="already a lesson with this rule"):
        curate.add(runtime, "kiln", "studio", "kiln wram", "kiln warm")


def test_what_nobody_carried_out_is_not_said_to_have_worked(runtime: Runtime) -> None:
    do(runtime, "kiln frie", "kiln fire 900")
    curate.edit(runtime, *every(runtime), correct="kiln fire --low")
    assert do(runtime, "kiln frie").hints[0].in_a_line == "you wrote down `kiln fire --low`"
    undo.undo_last(runtime)
    assert "worked once" in do(runtime, "kiln frie").hints[0].in_a_line


def test_no_secret_of_the_persons_own_words_is_kept(runtime: Runtime) -> None:
    curate.add(runtime, "kiln", "studio", "kiln fire", "kiln fire --password hunter2hunter2")
    assert rules(runtime) == {"kiln fire -> kiln fire --password ***"}


def test_of_lessons_that_were_merged_one_is_for_the_failures_of_both(runtime: Runtime) -> None:
    do(runtime, "kiln fire", "kiln fire --heat", "kiln fire --dry", "kiln fire --dry --warm")
    one, other = every(runtime)
    curate.merge(runtime, one, other)
    assert [(found.id, found.reason) for found in browse.list_lessons(runtime, ("archived",))] == [
        (other, "merged")
    ]
    assert hints(do(runtime, "kiln fire --dry")) == [("kiln fire --heat", "the same failure")]
    do(runtime, "kiln fire --dry --heat")
    assert len(every(runtime)) == 2
    with pytest.raises(UsageError, match="itself"):
        curate.merge(runtime, one, one)


def test_failures_that_were_parted_are_taken_for_the_same_again_by_undo(runtime: Runtime) -> None:
    do(runtime, "kiln frie", "kiln fire 900", "kiln wram", "kiln warm")
    one, other = every(runtime)
    curate.take_for_same(runtime, one, other)
    together = state(runtime)
    with pytest.raises(UsageError, match="already"):
        curate.take_for_same(runtime, one, other)
    curate.tell_apart(runtime, other)
    assert state(runtime) != together
    undo.undo_last(runtime)
    assert state(runtime) == [
        (*row[:2], "undone" if row[0].startswith("kiln wram") else row[2], *row[3:])
        for row in together
    ]
    undo.undo_last(runtime)
    assert [row[4] for row in state(runtime)] == [(1,), (1,)]
