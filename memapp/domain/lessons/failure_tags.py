"""The tags of a failure: what kind of mistake it was, in words that hold for any tool."""

import re
from collections.abc import Mapping

from memapp.domain.lessons.feedback import Channel, Feedback

MAX_TAGS = 4
OTHER_TAGS = ("no_progress", "constraint_failed", "goal_distance_increase", "state_stall")
"""Those that no error text gives."""


def tags_of(
    text: str, patterns: Mapping[str, re.Pattern[str]], channel: Channel, feedback: Feedback, before: float | None
) -> tuple[str, ...]:
    """Return the tags of a failed step, from its error text and its other channels; those of the text in the patterns' order."""
    lower = text.lower()
    found = [name for name, pattern in patterns.items() if pattern.search(lower)]
    if channel != "hard_failure":
        found.append("no_progress" if channel == "no_progress" else "constraint_failed")
    if before is not None and feedback.progress_signal is not None:
        found += ["goal_distance_increase"] * (feedback.progress_signal < before) + ["state_stall"] * (
            feedback.progress_signal == before
        )
    return tuple(dict.fromkeys(found))[:MAX_TAGS]
