"""The tags of a failure, each by something that a tool says or reports."""

import pytest

from memapp.domain.lessons.failure_tags import tags_of
from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.language.failures import tag_patterns


@pytest.mark.parametrize(
    ("tag", "output"),
    [
        ("syntax_structure", 'near "from": syntax error'),
        ("unknown_symbol", "no such table: vases"),
        ("path_quote", "cat: vase.txt: No such file or directory"),
        ("operator_mismatch", "TypeError: unsupported operand type(s) for +"),
        ("arity_mismatch", "kiln: missing operand"),
        ("column_reference", "no such column: colour"),
        ("function_case", "misuse of aggregate: COUNT()"),
        ("sort_direction", "ORDER BY term does not match"),
        ("unknown_command", "frie: command not found"),
        ("unsafe_action", "refusing to merge unrelated histories"),
    ],
)
def test_what_an_error_text_says(tag: str, output: str) -> None:
    assert tag in tags_of(
        ToolAttempt("", output), tag_patterns(), "hard_failure", Feedback(hard_failure=True), None
    )


@pytest.mark.parametrize(
    ("feedback", "before", "states", "tags"),
    [
        (Feedback(progress_signal=0.5), 0.5, ("", ""), ("no_progress", "state_stall")),
        (Feedback(progress_signal=0.2), 0.5, ("", ""), ("no_progress", "goal_distance_increase")),
        (Feedback(constraint_failure=True), None, ("", ""), ("constraint_failed",)),
        (
            Feedback(constraint_failure=True),
            None,
            ("hall", "hall"),
            ("constraint_failed", "state_stall"),
        ),
        (Feedback(constraint_failure=True), None, ("hall", "door"), ("constraint_failed",)),
        (Feedback(hard_failure=True), None, ("", ""), ()),
    ],
)
def test_what_the_other_channels_and_the_states_say(
    feedback: Feedback, before: float | None, states: tuple[str, str], tags: tuple[str, ...]
) -> None:
    attempt = ToolAttempt("go left", state_before=states[0], state_after=states[1])
    channel = feedback.channel(before)
    assert channel is not None
    assert tags_of(attempt, tag_patterns(), channel, feedback, before) == tags
    crowded = ToolAttempt(
        "go",
        "usage: permission denied, no such column, missing operand, not found",
        state_before=states[0],
    )
    assert tags_of(crowded, tag_patterns(), channel, feedback, before)[:1] == (
        tags[:1] or ("permission",)
    ), "they are kept"
