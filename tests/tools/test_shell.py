"""The shell as a tool that nobody watches, and its four channels."""

import shlex
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.lessons.feedback import Feedback
from memapp.domain.lessons.fingerprint import words
from memapp.tools.child_process import TIMED_OUT
from memapp.tools.shell import Shell, command_line
from memapp.tools.terminal import HEAD_BYTES, TAIL_BYTES


def test_a_program_is_run_without_a_shell_and_its_output_kept_to_a_limit(tmp_path: Path) -> None:
    shell = Shell("echo", tmp_path)
    assert shell.attempt("echo '$HOME; ls' >x").output == "$HOME; ls >x\n"
    kept = (
        Shell("python", tmp_path)
        .attempt(f"{sys.executable} -c \"print('a' * 5 + 'b' * 10**6 + 'c' * 5)\"")
        .output
    )
    assert (kept[:6], kept[-6:], len(kept)) == ("aaaaab", "ccccc\n", HEAD_BYTES + TAIL_BYTES)


def test_one_that_does_not_end_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    attempt = Shell("sh", tmp_path, seconds=0.3).attempt("sh -c 'echo begun; sleep 60 & sleep 60'")
    assert (attempt.exit_code, attempt.output) == (TIMED_OUT, "begun\n")
    assert attempt.seconds < 20


def test_the_channels_tell_a_failure_from_a_missing_result(tmp_path: Path) -> None:
    shell = Shell("sh", tmp_path, expect=Path("vase.txt"))

    def signals(action: str) -> tuple[bool | None, bool]:
        attempt = shell.attempt(action)
        found: Feedback = shell.feedback(attempt)
        assert found.efficiency_signal.seconds == attempt.seconds
        return found.hard_failure, found.constraint_failure

    assert signals("sh -c 'exit 3'") == (True, False)
    assert signals("true") == (False, True)
    assert signals("touch vase.txt") == (False, False)
    assert signals("sh -c 'exit 130'") == (None, False), "the person stopped it"
    assert signals("test -e bowl.txt") == (None, False), "it says no"
    assert signals("sh -c 'echo no rule; exit 1'") == (True, False)
    assert signals("no-such-program") == (True, False)
    assert signals("echo 'open") == (True, False)


def test_its_scope_is_the_repository_else_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "src" / "x"
    inner.mkdir(parents=True)
    assert Shell("git", inner).scope == str(inner)
    (tmp_path / "repo" / ".git").mkdir()
    assert Shell("git", inner).scope == str(tmp_path / "repo")


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=1)
)
def test_a_shell_reads_a_command_line_as_what_it_is_of(argv: list[str]) -> None:
    assert shlex.split(command_line(argv)) == argv


def test_a_command_line_has_no_more_quotes_than_it_needs() -> None:
    typed = "git diff HEAD~1 '~vase' -- '*.py' {} '{a,b}' '' x=1 'x=~' 'a b'"
    assert command_line(shlex.split(typed)) == typed
    assert words("git diff HEAD~1 '*.py'") == ("git", "diff", "HEAD~1", "*.py")
