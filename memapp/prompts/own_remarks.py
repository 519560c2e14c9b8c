"""The short remarks that memapp makes itself in a chat, where no model speaks: each in several
wordings.

None is made twice in a chat while another wording of it fits.
"""

from collections.abc import Sequence

UNKNOWN = (
    "I don't know that yet. Tell me, and I remember it.",
    "You haven't told me that yet. I remember it if you do.",
    "That I don't know. I keep it when you tell me.",
)
"""Of what nobody but the person can know, and memapp does not."""
WAITS = (
    "What you told me of that waits in the inbox for your yes or no.",
    "That is in the inbox, where it waits for your yes or no.",
)
"""It confirms nothing that a question takes for so."""
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
    "The model only said again what was said. Ask in other words, or choose a larger model: Models (F8).",
)
"""Where all that a model wrote, twice, was the message that it had to answer, or the notes."""


def reworded(remark: str, said: Sequence[str]) -> str:
    """Return a remark in the wording that was not made yet, or longest ago; anything else as it is.
    `said`: oldest first.
    """
    wordings = next(
        (some for some in (UNKNOWN, WAITS, APPROVED, DENIED, NO_ANSWER) if remark in some),
        (remark,),
    )
    last = [
        max((at for at, text in enumerate(said) if text == wording), default=-1)
        for wording in wordings
    ]
    return wordings[last.index(min(last))]
