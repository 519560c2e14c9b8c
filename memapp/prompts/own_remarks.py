"""Short remarks that memapp itself makes in a chat without a model, each in several wordings.

No wording is repeated in a chat while another one is unused.
"""

from collections.abc import Sequence

UNKNOWN = (
    "I don't know that yet. Tell me, and I remember it.",
    "You haven't told me that yet. I remember it if you do.",
    "That I don't know. I keep it when you tell me.",
)
"""The remark on what only the person can know, and memapp does not."""
WAITS = (
    "What you told me of that waits in the inbox for your yes or no.",
    "That is in the inbox, where it waits for your yes or no.",
)
"""The remark on a pending value, which confirms nothing that the question assumes."""
MAY_WAIT = (
    "Something in the inbox may be about that. It waits there for your yes or no.",
    "That may be in the inbox, where something waits for your yes or no.",
)
"""The remark on a pending value that may be another one than the question is about."""
APPROVED = (
    "Noted. It stands in your profile now.",
    "Good. From now on it stands in your profile.",
    "Thank you. Your profile has it now.",
)
DENIED = (
    "All right. I do not keep that.",
    "Then I do not keep it.",
    "As you wish: that is not kept.",
)
NO_ANSWER = (
    "The model found no answer to that. A larger one may: Models (F8) lists some.",
    "No answer of its own came from the model. Other words may help.",
    "The model only said again what was said. "
    "Ask in other words, or choose a larger model: Models (F8).",
)
"""The remark if the model wrote nothing but its message or the notes, twice."""

HEARD = (
    "Thank you for telling me.",
    "I see. Tell me more, if you like.",
    "All right. Go on, if you like.",
)
"""The remark in place of such a reply to a message that asks for nothing."""


def reworded(remark: str, said: Sequence[str]) -> str:
    """Return a remark in the wording least recently used in the chat; any other text unchanged.

    `said` is oldest first.
    """
    wordings = next(
        (
            variants
            for variants in (UNKNOWN, WAITS, MAY_WAIT, APPROVED, DENIED, NO_ANSWER, HEARD)
            if remark in variants
        ),
        (remark,),
    )
    last = [
        max((at for at, text in enumerate(said) if text == wording), default=-1)
        for wording in wordings
    ]
    return wordings[last.index(min(last))]
