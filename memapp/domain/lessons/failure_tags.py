"""The tags of a failure: the kind of mistake, in words for any tool."""

import re
from collections.abc import Mapping

from memapp.domain.lessons.feedback import Channel, Feedback, ToolAttempt

MAX_TAGS = 4
UNKNOWN_COMMAND, NOT_THERE = "unknown_command", "path_quote"
OTHER_TAGS = ("no_progress", "constraint_failed", "goal_distance_increase", "state_stall")
"""Tags that no error text gives."""


def tags_of(
    attempt: ToolAttempt,
    patterns: Mapping[str, re.Pattern[str]],
    channel: Channel,
    feedback: Feedback,
    before: float | None,
) -> tuple[str, ...]:
    """Return the tags of a failed step: by channel, by change of state, then by error text."""
    tags = (
        []
        if channel == "hard_failure"
        else ["no_progress" if channel == "no_progress" else "constraint_failed"]
    )
    now = feedback.progress_signal
    if before is not None and now is not None and now < before:
        tags.append("goal_distance_increase")
    if (now is not None and now == before) or (
        attempt.state_before and attempt.state_before == attempt.state_after
    ):
        tags.append("state_stall")
    lower = attempt.output.lower()
    tags += [name for name, pattern in patterns.items() if pattern.search(lower)]
    return tuple(tags[:MAX_TAGS])
