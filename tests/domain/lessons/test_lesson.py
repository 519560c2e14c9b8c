"""Which command puts which right, and for which commands a lesson is."""

import pytest

from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.fingerprint import fingerprint, signs
from memapp.domain.lessons.lesson import (
    MAX_RULE_CHARS,
    applies,
    carried_over,
    corrects,
    level_of,
    names_left_open,
    put_right,
    rule,
)
from memapp.domain.lessons.recording import is_left_out
from memapp.domain.lessons.similarity import Rarity, same_use, shape_likeness


@pytest.mark.parametrize(
    ("wrong", "right", "is_correction"),
    [
        ("git psuh", "git push", True),
        ("git push", "git push -u origin main", True),
        ("cp vase shelf", "cp -r vase shelf", True),
        ("ls --colour --al", "ls --color --all", True),
        ("apt install clay", "sudo apt install clay", True),
        ("gti status", "git status", True),
        ("ln target link -s", "ln link target -s", True),
        ("kiln add clay", "kiln put clay", True),
        ("git chekcout vase", "git checkout bowl", True),
        ("git checkout -b vase", "git push -u origin vase", False),
        ("git psuh", "git status", False),
        ("kiln -c 'load vase'", "kiln -c 'load bowl'", False),
        ("ls vase", "ls", False),
        ("git push", "git push", False),
        ("make", "ls", False),
        ("git", "git status", False),
        ("git --vrsn", "git status", False),
        ("kiln --al", "kiln", True),
        ("frobnicate x", "ls x", False),
        ("rmdir vase", "rm -r vase", True),  # a program and its family
        ("pip install clay", "pip3 install clay", True),
        ("docker-compose up", "docker compose up", True),
        ("rmdir vase", "rm -r bowl", False),
        ("kilnctl", "kiln fire", False),
        ("make", "make CFLAGS=-Iinclude", True),
        ("make", "make --always-make", True),
        ("make", "make CFLAGS=-Iinclude vase", False),
        ("kiln merge vas", "kiln branch -d vase", False),  # another use of the program
        ("kiln branch -d vase", "kiln rebase vase", False),
        ("kiln rebase --continu", "kiln rebase vase", False),
        ("kiln branch -D vas", "kiln branch --list", False),
        ("kiln stash pop", "kiln stash", False),
        ("ln vase shelf bowl", "ln vase shelf", True),
        # another file of the same folder
        ("cat clay/glaze/vase.toml", "cat clay/glaze/bowl.toml", False),
        ("diff old.toml new.toml", "diff old.toml vase.toml", False),
        ("pytest -n 0 tests/test_vase.py", "pytest -n 0 tests/test_recall.py", False),
        ("chmod 999 vase", "chmod 644 vase", True),
        ("cat clay/glaze/vsae.toml", "cat clay/glaze/vase.toml", True),
        ("cat clya/vase.toml", "cat clay/vase.toml", True),
    ],
)
def test_what_worked_then_corrects_or_does_not(wrong: str, right: str, is_correction: bool) -> None:
    assert corrects(right, wrong) is is_correction


@pytest.mark.parametrize(
    ("wrong", "right", "is_correction"),
    [
        ("kiln checkout vase", "kiln checkout bowls", False),
        ("kiln checkout master", "kiln checkout main", True),
        ("tar xf vaes.tar -C shelf", "tar xf vase.tar", True),
    ],
)
def test_for_what_is_not_there_only_what_has_a_name_like_it_may_stand(
    wrong: str, right: str, is_correction: bool
) -> None:
    assert corrects(right, wrong)
    assert corrects(right, wrong, is_missing=True) is is_correction


def test_of_several_things_taken_out_the_option_counts_that_the_error_named() -> None:
    two = ("du -sh --max-deph=1 src", "du -h --max-depth=1 src", "du --max-deph=2 tests")
    assert not applies(*two)
    assert applies(*two, "du: unrecognized option *\n--max-deph=1")
    assert not applies(
        two[0], two[1], "du -h --al tests", "du: unrecognized option *\n--max-deph=1"
    )


@pytest.mark.parametrize(
    ("wrong", "correct", "action", "is_for_it"),
    [
        ("git psuh", "git push", "git psuh --tags", True),
        ("git psuh", "git push", "git comit", False),
        ("git push", "git push -u origin main", "git push", True),
        ("git push", "git push -u origin main", "git push -u origin main", False),
        ("rm vase", "rm -r vase", "rm bowl", True),
        ("sqlite3 a 'select nme from vases'", "sqlite3 a 'select name from vases'",
         "sqlite3 b 'select id, nme'", True),
        ("sqlite3 a 'select nme from vases'", "sqlite3 a 'select name from vases'",
         "sqlite3 b 'select glze'", False),
    ],
)  # fmt: skip
def test_a_lesson_is_for_commands_that_have_what_it_takes_out(
    wrong: str, correct: str, action: str, is_for_it: bool
) -> None:
    assert applies(wrong, correct, action) is is_for_it


@pytest.mark.parametrize(
    ("action", "other", "is_same"),
    [
        ("git push origin", "git push", True),
        ("git push", "git pull", False),
        ("find . -nam x", "find tests -nam x", True),
        ("kiln frie", "kiln fire", False),
        ("cc -o count main.c", "cc -o t main.c", True),  # what stands behind -o is no use of it
        ("git -C vase push", "git push", True),
        ("git -C vase push", "git pull", False),
    ],
)
def test_uses_are_the_same_if_the_subcommand_is(action: str, other: str, is_same: bool) -> None:
    assert same_use(action.split()[0], action, "frie", other, "") is is_same


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("the shelf bowl is full.\nuse: kiln put bowl", True),  # another name, wherever it stands
        ("the shelf bowl is full.\nuse: kiln put vase", False),
        ("the glaze vase is cold.\nuse: kiln put vase", False),
        # a word that stands there once may mean anything
        ("the shelf vase was full.\nuse: kiln put vase", False),
    ],
)
def test_failures_that_differ_by_one_name_are_the_same(other: str, is_same: bool) -> None:
    alike = shape_likeness("the shelf vase is full.\nuse: kiln put vase", other, Rarity([]))
    assert (alike == 1.0) is is_same


@pytest.mark.parametrize(
    ("wrong", "correct", "action", "instead"),
    [
        ("cp vase shelf", "cp -r vase shelf", "cp bowl mug", "cp -r bowl mug"),
        (
            "tar xzf vase.tar -C kiln",
            "tar xf vase.tar -C kiln",
            "tar xzf bowl.tar",
            "tar xf bowl.tar",
        ),
        ("ruff chek vase", "ruff check vase", "ruff chek bowl", "ruff check bowl"),
        ("kiln fire vase", "kiln fire vase --slow", "kiln fire bowl", "kiln fire bowl --slow"),
        ("git push", "git push -u origin vase", "git push --tags", ""),  # the name was of then
        ("mkdir -v vase/a", "mkdir -v -p vase/a", "mkdir bowl/a", ""),
        ("kiln a x", "kiln b x", "kiln a a", ""),
    ],
)
def test_the_change_of_a_lesson_is_made_in_another_command_where_its_place_is_plain(
    wrong: str, correct: str, action: str, instead: str
) -> None:
    assert carried_over(wrong, correct, action) == tuple(instead.split())


def test_in_a_query_a_name_is_changed_wherever_it_stands() -> None:
    change = (
        "select glaze from vase",
        "select colour from vase",
        "select glaze, size from vase group by glaze",
    )
    assert "".join(carried_over(*change, signs)) == "select colour, size from vase group by colour"


@pytest.mark.parametrize(
    ("wrong", "correct", "action", "instead"),
    [
        ("git swich vase", "git switch vase", "git swich -c bowl", "git switch -c bowl"),
        ("du -sh --max-depht=1 .", "du -h --max-depth=1 .", "du --max-depht=2 kiln",
         "du --max-depth=2 kiln"),
        ("find . -exce wc {} +", "find . -exec wc {} +", "find kiln -exce head {} +",
         "find kiln -exec head {} +"),
        # another name is no slip put right
        ("kiln fire vase", "kiln fire shelf", "kiln fire vase", ""),
        ("git push", "git push -u origin vase", "git push", ""),
        ("kiln frie vase", "kiln fire vase", "kiln fire bowl", ""),
    ],
)  # fmt: skip
def test_a_slip_alone_is_put_right(wrong: str, correct: str, action: str, instead: str) -> None:
    assert put_right(wrong, correct, action) == tuple(instead.split())


@pytest.mark.parametrize(
    ("correct", "then", "now", "shown"),
    [
        ("git push -u origin vase", "vase has none: git push -u origin vase",
         "bowl: git push -u origin bowl", "…"),
        ("git push -u origin vase", "vase has none: git push -u origin vase",
         "vase: git push -u origin", "vase"),
        # the failure did not say which
        ("git push -u origin vase", "no upstream", "no upstream", "vase"),
        ("git push -u origin vase-1", "vase-1: git push -u origin vase-1",
         "vase-2: git push -u origin vase-2", "…"),
        (
            "git push -u origin glaze/a",
            "glaze/a: git push -u origin",
            "glaze/b: git push -u origin",
            "…",
        ),
    ],
)  # fmt: skip
def test_a_name_that_the_failure_of_then_said_and_this_one_does_not_is_left_open(
    correct: str, then: str, now: str, shown: str
) -> None:
    texts = [fingerprint("git", "", ToolAttempt("git push", text), ()) for text in (then, now)]
    open_ = names_left_open(
        "git push", correct, *((fingerprint.shape, fingerprint.subject) for fingerprint in texts)
    )
    assert open_ == f"git push -u origin {shown}"


def test_what_puts_another_word_in_the_place_of_a_slip_is_said_in_full() -> None:
    then, now = ("meant: git push -u origin vase", ""), ("-u origin bowl", "")
    actual = names_left_open("git psuh", "git push -u origin vase", then, now)
    assert actual == "git push -u origin vase"


@pytest.mark.parametrize(
    ("wrong", "right", "is_correction"),
    [
        ("rg -n glaze src", "grep -rn glaze src", True),
        ("rg -n glaze src", "grep -rn glaze tests", False),
        ("rg", "grep -rn glaze", False),
        ("pip install clay", "python3 -m pip install clay", True),
    ],
)
def test_any_may_stand_for_a_missing_program(wrong: str, right: str, is_correction: bool) -> None:
    assert corrects(right, wrong, is_unknown=True) is is_correction
    assert not corrects(right, wrong)
    assert not is_correction or applies(
        wrong, right, f"{wrong.partition(' ')[0]} -l src", tool=wrong.partition(" ")[0]
    )


def test_a_lesson_without_names_counts_wherever_the_tool_is_used() -> None:
    levels = [
        level_of(item)
        for item in (
            "git push",
            "git push --force",
            "git push origin vase",
            "./build.sh",
            "cat notes.txt",
        )
    ]
    assert levels == ["domain", "domain", "task", "domain", "task"]


def test_a_rule_has_an_end() -> None:
    assert len(rule("x" * 1000, "y" * 1000)) <= MAX_RULE_CHARS


@pytest.mark.parametrize(
    ("feedback", "before", "channel"),
    [
        (Feedback(hard_failure=True, constraint_failure=True), None, "hard_failure"),
        (Feedback(constraint_failure=True, progress_signal=2), 1, "constraint_failure"),
        (Feedback(progress_signal=1), 1, "no_progress"),
        (Feedback(progress_signal=1.5), 1, None),
        (Feedback(progress_signal=0), None, None),
        (Feedback(), 3, None),
    ],
)
def test_a_step_fails_in_one_of_three_channels(
    feedback: Feedback, before: float | None, channel: str | None
) -> None:
    assert feedback.channel(before) == channel


@pytest.mark.parametrize(
    ("left_out", "action", "is_kept"),
    [
        ("", "kiln fire", True),
        ("", " kiln fire", False),
        ("kiln", "kiln fire", False),
        ("/home/me/secret/, pot", "kiln fire", False),
        ("/home/me/sec, kil", "kiln fire", True),
    ],
)
def test_what_the_person_leaves_out_is_not_kept(left_out: str, action: str, is_kept: bool) -> None:
    assert is_left_out(left_out, action, "kiln", "/home/me/secret/plans") is not is_kept
