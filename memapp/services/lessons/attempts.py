"""Attempts without secrets, and the fingerprints of their failures."""

import hashlib
import os

from memapp.domain.lessons import fingerprint
from memapp.domain.lessons.failure_tags import tags_of
from memapp.domain.lessons.feedback import Channel, Feedback, ToolAttempt
from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.domain.lessons.lesson import MAX_ACTION_CHARS
from memapp.language.failures import staying_words, tag_patterns
from memapp.language.secrets import without_secrets

SCOPE_CHARS = 32


def clean_attempt(attempt: ToolAttempt) -> ToolAttempt:
    """Return an attempt without secrets, the home folder shortened: only this is stored."""
    action, output, before, after, reason = (
        clean_text(text)
        for text in (
            attempt.action,
            attempt.output,
            attempt.state_before,
            attempt.state_after,
            attempt.reason,
        )
    )
    return attempt._replace(
        action=action[:MAX_ACTION_CHARS],
        output=output,
        state_before=before,
        state_after=after,
        reason=reason,
    )


def clean_text(text: str) -> str:
    """Return a text without secrets, the home folder shortened."""
    home = os.path.expanduser("~")  # noqa: PTH111  (unlike that of `Path` it fails nowhere)
    return without_secrets(text.replace("\0", ""), in_command=True).replace(home, "~")


def scope_hash(scope: str) -> str:
    """Return the stored name of a place, which reveals nothing about it."""
    return hashlib.sha256(scope.encode(errors="replace")).hexdigest()[:SCOPE_CHARS]


def fingerprint_of(tool: str, scope: str, attempt: ToolAttempt) -> Fingerprint:
    """Return the fingerprint of a failed attempt in a place, named by its hash."""
    return fingerprint.fingerprint(tool, scope, attempt, staying_words())


def tags(
    attempt: ToolAttempt, feedback: Feedback, channel: Channel, before: float | None
) -> tuple[str, ...]:
    """Return the tags of a failed attempt; `before` is how near the goal was before it."""
    return tags_of(attempt, tag_patterns(), channel, feedback, before)
