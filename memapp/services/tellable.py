"""The tellable part of messages: the one place that withholds what waits for the person's yes, was
denied, or was taken back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from memapp.domain.chat import FROM_MEMORY, OWN_WORDS, Message, Origin, Role
from memapp.domain.consent import CHAT
from memapp.domain.memory import Recalled
from memapp.domain.profile import Hint, has_value
from memapp.domain.ranking import Candidate
from memapp.language.sensitive import unknown_in_message
from memapp.language.withheld import has_word_of, says_again, says_any, told_beside, told_of_reply
from memapp.store import chat, consents, search
from memapp.store.profile import read_agreed
from memapp.store.session import Session

CUT_AMONG = 20
"""Of the person's messages with something to withhold, the first are read for what else they say;
others are left out whole.
"""
Said = TypeVar("Said", Message, Candidate, Recalled)


def tellable(session: Session, said: Sequence[Said]) -> list[Said]:
    """Return what was said, each with those of its words that may be told, and without what was
    taken back.
    """
    gone = search.taken_back(session, [item.id for item in said]) if said else set()
    return without_withheld(session, [item for item in said if item.id not in gone])


def without_withheld(session: Session, said: Sequence[Said]) -> list[Said]:
    """Return what was said, each without what waits for a yes or was denied; where nothing is left
    of it, it is left out.
    """
    withheld = _withheld(session, said) if said else {}
    told = _rests(session, [item.id for item in said if item.id in withheld], withheld)
    kept = [_with_text(item, told[item.id]) if item.id in told else item for item in said]
    return [item for item in kept if item.text or item.id not in told]


def without_words_of_withheld(session: Session, texts: Sequence[str], said: str = "") -> list[str]:
    """Return the texts that hint at nothing that waits or was denied, but for what the person says
    just now.
    """
    values = _unconfirmed(session, consents.withheld(session))
    values = [hint for hint in values if not says_any(said, [hint])]
    return [text for text in texts if not says_any(text, values)]


def _withheld(session: Session, said: Sequence[Said]) -> dict[str, list[Hint]]:
    """Return what messages say that waits or was denied, whether or not it was read in them, or
    that is not read and may wait.
    """
    of_messages = {
        id: _unconfirmed(session, hints)
        for id, hints in search.unconfirmed(session, [item.id for item in said]).items()
    }
    unread = search.unread(session, [item.id for item in said])
    agreed = read_agreed(session) if unread else {}
    for id, text in unread.items():  # the judge may ask about them
        of_messages.setdefault(id, []).extend(unknown_in_message(text, agreed))
    values = _unconfirmed(session, consents.withheld(session))
    for item in said if values else ():
        if not isinstance(item, Recalled) or item.kind == "message":
            hints = of_messages.setdefault(item.id, [])
            hints += [
                value for value in values if value not in hints and says_again(item.text, value)
            ]
    return {id: hints for id, hints in of_messages.items() if hints}


def _unconfirmed(session: Session, hints: Sequence[Hint]) -> list[Hint]:
    """Return what the person has not said yes to by now."""
    agreed = read_agreed(session) if hints else {}
    return [
        hint for hint in hints if not has_value(hint.field, agreed.get(hint.field, ()), hint.value)
    ]


def _rests(
    session: Session, ids: Sequence[str], withheld: Mapping[str, Sequence[Hint]]
) -> dict[str, str]:
    """Return what may be told of messages with something to withhold, empty where that is nothing."""
    found = [chat.get_message(session, id) for id in ids]
    unread = {
        message.id for message in [other for other in found if other.role is Role.USER][CUT_AMONG:]
    }
    return {
        message.id: "" if message.id in unread else _told(message, withheld[message.id])
        for message in found
    }


def _told(message: Message, withheld: Sequence[Hint]) -> str:
    if any(hint.field == CHAT for hint in withheld):
        return ""
    if message.model in (
        OWN_WORDS,
        FROM_MEMORY,
    ):  # what memapp asks or tells of a value is nothing without it
        return "" if has_word_of(message.text, withheld) else message.text
    if message.role is Role.ASSISTANT:
        return told_of_reply(message.text, withheld)
    return told_beside(
        message.typed_text if message.origin is Origin.TYPED else message.text, withheld
    )


def _with_text(one: Said, text: str) -> Said:
    if isinstance(one, Message):
        return replace(one, text=text, pasted=())
    return replace(one, text=text)
