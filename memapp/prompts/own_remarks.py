"""The short remarks that memapp makes itself in a chat, where no model speaks: each in several wordings.

None is made twice in a chat while another wording of it fits.
"""

from collections.abc import Sequence

from memapp.language.english.memory_question import possessed
from memapp.prompts.asides import is_hard
from memapp.prompts.quotes import is_small_talk, wants_something

UNKNOWN = (
    "I do not know that yet. Tell me, and I remember it.",
    "I know nothing of that so far. I remember it if you tell me.",
    "That I do not know. I keep it when you tell me.",
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
DENIED = ("All right. I do not keep that.", "Then I do not keep it.", "As you wish: that is not kept.")
AT_A_LOSS = (
    "I do not know a good answer to that. A larger model may: Models (F8) lists some.",
    "I have no good answer to that.",
    "That is more than I can answer well. One of the larger models in Models (F8) may.",
)
"""Where nothing that a small model wrote, twice, was a reply to what was asked."""
HEARD = ("Thanks for telling me.", "I see.", "I hear you.", "Go on, I am listening.")
"""The same where nothing was asked."""
HEARD_OF = ("Thanks for telling me about {}.", "Tell me more about {}.")
SORRY = ("I am sorry to hear that.", "That sounds hard.", "I hear you.")
SORRY_FOR = ("I am sorry about {}.",)
ALL_RIGHT = ("All right.", "Good.", "Fine.")
NOT_HEARD = frozenset(["god", "goodness", "bad", "gosh", "lord", "life", "turn", "way", "point", "pleasure", "word", "self"])
"""What follows `my` and is nothing of theirs: `oh my god`."""


def reworded(remark: str, said: Sequence[str]) -> str:
    """Return a remark in the wording that was not made yet, or longest ago; anything else as it is. `said`: oldest first."""
    wordings = next((some for some in (UNKNOWN, WAITS, APPROVED, DENIED) if remark in some), (remark,))
    return _unsaid(wordings, said)


def at_a_loss(message: str, said: Sequence[str] = ()) -> str:
    """Return what is said where nothing came that could be."""
    if wants_something(message):
        return _unsaid(AT_A_LOSS, said)
    if is_small_talk(message):
        return _unsaid(ALL_RIGHT, said)
    fitting, of_theirs = (SORRY, SORRY_FOR) if is_hard(message) else (HEARD, HEARD_OF)
    theirs = possessed(message)
    named = [one.format(f"your {theirs}") for one in of_theirs] if theirs and theirs.casefold() not in NOT_HEARD else []
    return _unsaid([*named, *fitting], said)


def is_plain(reply: str) -> bool:
    """Say whether a reply is a plain word of memapp's that says nothing of the message."""
    return reply in (*HEARD, *SORRY, *ALL_RIGHT)


def _unsaid(wordings: Sequence[str], said: Sequence[str]) -> str:
    last = {one: at for at, one in enumerate(said)}
    return min(wordings, key=lambda one: last.get(one, -1))
