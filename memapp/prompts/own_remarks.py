"""The short remarks that memapp makes itself in a chat, where no model speaks: each in several wordings.

None is made twice in a chat while another wording of it fits.
"""

import re
from collections.abc import Sequence

from memapp.language.english import statements
from memapp.language.english.memory_question import possessed
from memapp.language.english.second_person import addressed
from memapp.prompts.asides import is_hard, life_start
from memapp.prompts.quotes import asks, is_small_talk, wants_something

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
ENGLISH_ALONE = (
    "I am sorry, with this model I understand English only. `/remember` keeps your words in any language, and a larger model may "
    "speak yours: Models (F8).",
    "Sorry, this model reads English alone, and so do I. What you begin with `/remember` I keep as it is.",
    "That I cannot read, I am afraid: it is not English. One of the larger models in Models (F8) may.",
)
"""To a message in another language, where the model was made for English: what it would write is nonsense."""
AT_A_LOSS = (
    "I do not know a good answer to that. A larger model may: Models (F8) lists some.",
    "I have no good answer to that.",
    "That is more than I can answer well. One of the larger models in Models (F8) may.",
)
"""Where nothing that a small model wrote, twice, was a reply to what was asked."""
NO_LIFE = (
    "I am a program, so I have nothing of the kind to tell. What about you?",
    "Of that I have none: I only run on your computer. And you?",
    "Nothing of that kind happens to a program. How is it with you?",
    "That takes a life, and I am a program. Tell me of yours.",
)
"""To a question of what it likes, has or does, where a small model made up a life."""
HEARD = ("Thanks for telling me.", "I see.", "I hear you.", "Go on, I am listening.")
"""The same where nothing was asked."""
HEARD_THAT = ("So {}.", "I see: {}.", "Thanks for telling me that {}.")
HEARD_OF = ("Thanks for telling me about {}.", "Tell me more about {}.")
SORRY = ("I am sorry to hear that.", "That sounds hard.", "I hear you.")
SORRY_FOR = ("I am sorry about {}.",)
ALL_RIGHT = ("All right.", "Good.", "Fine.")
MOST_WORDS = 14
"""Nobody is told back more than this."""
_HEDGE = re.compile(r",? you (?:think|guess|suppose|hope)$")
_TO_MEMAPP = re.compile(r"\byour?s?\b", re.IGNORECASE)
NOT_HEARD = frozenset(["god", "goodness", "bad", "gosh", "lord", "life", "turn", "way", "point", "pleasure", "word", "self"])
"""What follows `my` and is nothing of theirs: `oh my god`."""


def reworded(remark: str, said: Sequence[str]) -> str:
    """Return a remark in the wording that was not made yet, or longest ago; anything else as it is. `said`: oldest first."""
    wordings = next((some for some in (UNKNOWN, WAITS, APPROVED, DENIED, ENGLISH_ALONE) if remark in some), (remark,))
    return _unsaid(wordings, said)


def at_a_loss(message: str, said: Sequence[str] = (), unfit: str = "") -> str:
    """Return what is said where nothing came that could be; `unfit` did come."""
    if asks(message) and _TO_MEMAPP.search(message) and life_start(unfit, message) is not None:
        return _unsaid(NO_LIFE, said)
    if wants_something(message) and (asks(message) or not is_hard(message)):
        return _unsaid(AT_A_LOSS, said)
    if is_small_talk(message):
        return _unsaid(ALL_RIGHT, said)
    theirs, fact = possessed(message), _only_fact(message)
    that = {} if is_hard(message) or not fact else dict.fromkeys(HEARD_THAT, fact)
    fitting, of_theirs = (SORRY, SORRY_FOR) if is_hard(message) else (HEARD, HEARD_OF)
    of = dict.fromkeys(of_theirs, f"your {theirs}") if theirs and theirs.split()[0].casefold() not in NOT_HEARD else {}
    named = that | of | dict.fromkeys(fitting, "")
    chosen = _unsaid([*named], said)
    return chosen.format(named[chosen])


def is_plain(reply: str) -> bool:
    """Say whether a reply is a remark that memapp made where no reply came."""
    made = (*HEARD, *HEARD_THAT, *HEARD_OF, *SORRY, *SORRY_FOR, *ALL_RIGHT)
    return any(_is_made_of(reply, *one.partition("{}")) for one in made)


def _unsaid(wordings: Sequence[str], said: Sequence[str]) -> str:
    """Return the wording that was made longest ago, whatever it named then."""
    parts = [one.partition("{}") for one in wordings]
    last = [max((at for at, one in enumerate(said) if _is_made_of(one, *part)), default=-1) for part in parts]
    return wordings[last.index(min(last))]


def _is_made_of(remark: str, begun: str, gap: str, end: str) -> bool:
    return remark.startswith(begun) and remark.endswith(end) if gap else remark == begun


def _only_fact(message: str) -> str:
    """Return what a message says of the person or theirs, told to them, if it says one short thing: `you collect stamps`."""
    facts = [one.fact for one in statements.read(message)]
    if len(facts) != 1 or not facts[0].startswith("User"):
        return ""
    told = _HEDGE.sub("", addressed(facts[0]).rstrip("."))
    return told[0].lower() + told[1:] if len(told.split()) <= MOST_WORDS else ""
