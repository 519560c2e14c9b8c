"""Fingerprints stay when names, paths and numbers change, and only then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.fingerprint import MAX_SHAPE_CHARS, fingerprint
from memapp.language.failures import staying_words

NAMES = st.from_regex(r"[a-z][a-z0-9_]{2,11}", fullmatch=True).filter(
    lambda one: one not in staying_words()
)
TEMPLATES = (
    ("git checkout {a}", "error: pathspec '{a}' did not match any file(s) known to git"),
    ("cat {p}/{a}.txt", "cat: {p}/{a}.txt: No such file or directory"),
    (
        "frob --depth={n} {a} {b}",
        "frob: cannot join {a} with {b}: depth {n} of 3 exceeded at 0x7ffd{n}",
    ),
    (
        "deploy {a}",
        (
            "\x1b[31mERROR\x1b[0m {a} failed after {n}ms, see https://ci.example/{n}/{a}\r\n"
            "can't open '{b}.log'"
        ),
    ),
    (
        "python {a}.py",
        (
            'Traceback (most recent call last):\n  File "{p}/{a}.py", line {n}\n'
            "NameError: name '{b}' is not defined"
        ),
    ),
)
"""Commands and outputs with names (a, b), a path and a number; only what the command names, a quote
or a form tells is a name.
"""


def shape(command: str, output: str) -> str:
    return fingerprint("tool", "here", ToolAttempt(command, output, 1), staying_words()).shape


@given(
    st.sampled_from(TEMPLATES),
    st.lists(
        st.tuples(NAMES, NAMES, st.lists(NAMES, min_size=1, max_size=4), st.integers(0, 10**9)),
        min_size=2,
        max_size=2,
    ),
)
def test_a_shape_stays_when_names_paths_and_numbers_change(
    template: tuple[str, str], two: list[tuple[str, str, list[str], int]]
) -> None:
    shapes = {
        shape(*(part.format(a=a, b=b, p="/" + "/".join(p), n=n) for part in template))
        for a, b, p, n in two
    }
    assert len(shapes) == 1


def test_the_templates_have_shapes_of_their_own() -> None:
    shapes = [
        shape(*(part.format(a="vase", b="bowl", p="/clay", n=7) for part in template))
        for template in TEMPLATES
    ]
    assert len(set(shapes)) == len(TEMPLATES)
    assert not any("vase" in shape or "bowl" in shape or "7" in shape for shape in shapes)


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        (
            "sql x",
            "Syntax error: unknown column, missing ')', expected ','",
            "syntax error: unknown column, missing *, expected *",
        ),
        # a word of the command that is also plain English
        ("frob file", "frob: file not found", "frob: file not found"),
        ("cat file", "cat: file: No such file or directory", "cat: *: no such file or directory"),
        ("x y", "50%\r100%\rdone\n", "done"),
        ("x y", "\x1b]0;title\x07\x1b[1;31mstuck\x1b[0m", "stuck"),
        ("make it", "same line 1\nsame line 2\n\nother", "same line *\nother"),
    ],
)
def test_what_stands_in_a_shape(command: str, output: str, expected: str) -> None:
    assert shape(command, output) == expected


def test_without_error_text_the_change_of_state_is_the_shape() -> None:
    def made(before: str, action: str, reason: str) -> str:
        attempt = ToolAttempt(
            action, " \n", None, state_before=before, state_after="at the wall", reason=reason
        )
        return fingerprint("robot", "hall", attempt, staying_words()).shape

    assert (
        made("facing 90", "forward 3", "stuck")
        == made("facing 270", "forward 12", "stuck")
        == "facing * | forward | at the wall | stuck"
    )
    assert made("facing 90", "forward 3", "no_progress") != made("facing 90", "forward 3", "stuck")


def test_the_subject_is_what_was_taken_out_and_all_of_it_has_an_end() -> None:
    found = fingerprint(
        "git",
        "repo",
        ToolAttempt("git checkout Vase", "error: pathspec 'vase' of 'bowl' " + "x y. " * 999),
        staying_words(),
    )
    assert (found.subject, found.scope, len(found.shape)) == ("vase\nbowl", "repo", MAX_SHAPE_CHARS)


def test_of_a_long_text_the_beginning_and_the_end_are_read_whatever_it_is_made_of() -> None:
    def shape(text: str) -> str:
        return fingerprint("kiln", "studio", ToolAttempt("kiln fire", text), staying_words()).shape

    for part in ("-", "a-"):
        assert shape(f"too cold {part * 1_000_000} at the end") == shape(
            f"too cold {part * 20_000} at the end"
        )
