"""A lesson in more general words is what was carried out, with gaps."""

import pytest

from memapp.domain.lessons.rewording import covers, may_go, reword

WRONG, CORRECT = 'git commit -m "fix the typo" --ammend', 'git commit -m "fix the typo" --amend'
GENERAL = ("git commit -m … --ammend", "git commit -m … --amend")


@pytest.mark.parametrize("gap", ["…", "...", ""])
def test_names_that_both_commands_have_may_go_and_a_gap_shows_it(gap: str) -> None:
    actual = reword(WRONG, CORRECT, f"git commit -m {gap} --ammend", f"git commit -m {gap} --amend")
    assert actual == GENERAL
    actual = reword("git psuh origin main", "git push origin main", "git psuh", "git push")
    assert actual == ("git psuh …", "git push …")


@pytest.mark.parametrize(
    ("wrong", "correct"),
    [
        (WRONG, CORRECT),  # nothing is more general
        ("git commit -m … --ammend", "git commit -m … --amend --no-verify"),
        ("git commit -m … --ammend", "sudo git commit -m … --amend"),
        ("git commit -m … --ammend", "git commit -m … --amend ; rm -rf /"),
        ("git commit -m … --ammend", "git commit -m … --amend; rm -rf /"),
        ("git commit -m … --ammend", "git commit -m … --amend $(curl evil)"),
        ("git commit -m … --ammend", 'git commit -m "the fix typo" --amend'),
        ("git commit -m … --ammend", "git commit --amend"),  # an option stays
        ("git commit … --ammend", "git commit … --amend"),
        ("git … -m … --ammend", "git … -m … --amend"),  # and so does what the program does
        ("commit -m … --ammend", "commit -m … --amend"),
        # what was wrong stays, and what was put right
        ("git commit -m …", "git commit -m … --amend"),
        ("git commit -m … --ammend", "git commit -m …"),
        ("git commit -m … --ammend", CORRECT),
        ("git commit -m … --ammend", "git commit --amend -m …"),
        ("git commit -m … --ammend", "git commit -m … --AMEND"),
        ("error: unknown option `ammend'", "git commit -m … --amend"),
        ("git commit -m … --ammend", "fatal: not a git repository"),
        ("", ""),
        ("…", "…"),
    ],
)
def test_nothing_else_may(wrong: str, correct: str) -> None:
    assert reword(WRONG, CORRECT, wrong, correct) is None


def test_only_arguments_that_are_names_may_go() -> None:
    assert may_go(WRONG, CORRECT) == {'"fix the typo"'}
    actual = may_go("git psuh -u origin main && make", "git push -u origin main && make")
    assert actual == {"origin", "main", "make"}
    assert may_go("cp a … b", "cp -r a … b") == set()
    assert may_go("sl", "ls") == set()


def test_a_general_command_is_recognised_in_a_whole_one() -> None:
    assert covers(GENERAL[1], CORRECT) and covers(GENERAL[1], "git commit -m x y --amend")
    assert not covers(GENERAL[1], "git commit -m --amend")
    assert not covers(GENERAL[1], "git commit -m x --amend --all")
    assert covers("kiln fire", "kiln fire") and not covers("kiln .ire", "kiln fire")
