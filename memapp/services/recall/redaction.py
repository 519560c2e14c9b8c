"""The tellable part of messages: the one place that redacts pending, denied or withdrawn text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from memapp.domain.chat import BY_MEMAPP, FROM_MEMORY, Message, Origin, Role
from memapp.domain.consent import CHAT
from memapp.domain.memory import Recalled
from memapp.domain.profile import Hint, has_value
from memapp.domain.ranking import Candidate
from memapp.language.redaction import has_word_of, says_again, says_any, told_beside, told_of_reply
from memapp.language.sensitive import unknown_in_message
from memapp.store import chat, consents, withdrawn
from memapp.store.profile import read_agreed
from memapp.store.session import Session

CUT_AMONG = 20
"""Messages of the person that are cut by sentences; further ones are dropped whole."""
Said = TypeVar("Said", Message, Candidate, Recalled)


def redact(session: Session, said: Sequence[Said]) -> list[Said]:
    """Redact messages: remove pending or denied text, drop withdrawn messages."""
    withdrawn_ids = withdrawn.withdrawn(session, [item.id for item in said]) if said else set()
    return redact_withheld(session, [item for item in said if item.id not in withdrawn_ids])


def redact_withheld(session: Session, said: Sequence[Said]) -> list[Said]:
    """Remove pending or denied text from messages; drop messages left empty."""
    withheld = _withheld(session, said) if said else {}
    rests = _tellable_texts(session, [item.id for item in said if item.id in withheld], withheld)
    kept = [_with_text(item, rests[item.id]) if item.id in rests else item for item in said]
    return [item for item in kept if item.text or item.id not in rests]


def drop_withheld(session: Session, texts: Sequence[str], said: str = "") -> list[str]:
    """Return the texts without a hint at pending or denied values, except those in `said`."""
    values = _unconfirmed(session, consents.withheld(session))
    values = [hint for hint in values if not says_any(said, [hint])]
    return [text for text in texts if not says_any(text, values)]


def _withheld(session: Session, said: Sequence[Said]) -> dict[str, list[Hint]]:
    """Return the pending or denied values in messages, and possible ones in unread messages."""
    of_messages = {
        message_id: _unconfirmed(session, hints)
        for message_id, hints in withdrawn.unconfirmed(session, [item.id for item in said]).items()
    }
    unread = withdrawn.unread(session, [item.id for item in said])
    agreed = read_agreed(session) if unread else {}
    for message_id, text in unread.items():  # the judge may still ask about these
        of_messages.setdefault(message_id, []).extend(unknown_in_message(text, agreed))
    values = _unconfirmed(session, consents.withheld(session))
    for item in said if values else ():
        if not isinstance(item, Recalled) or item.kind == "message":
            hints = of_messages.setdefault(item.id, [])
            hints += [
                value for value in values if value not in hints and says_again(item.text, value)
            ]
    return {message_id: hints for message_id, hints in of_messages.items() if hints}


def _unconfirmed(session: Session, hints: Sequence[Hint]) -> list[Hint]:
    """Return the values the person has not approved."""
    agreed = read_agreed(session) if hints else {}
    return [
        hint for hint in hints if not has_value(hint.field, agreed.get(hint.field, ()), hint.value)
    ]


def _tellable_texts(
    session: Session, ids: Sequence[str], withheld: Mapping[str, Sequence[Hint]]
) -> dict[str, str]:
    """Return the tellable text of messages with withheld values, which may be empty."""
    messages = [chat.get_message(session, message_id) for message_id in ids]
    own = [message for message in messages if message.role is Role.USER]
    unread = {message.id for message in own[CUT_AMONG:]}
    return {
        message.id: "" if message.id in unread else _tellable_text(message, withheld[message.id])
        for message in messages
    }


def _tellable_text(message: Message, withheld: Sequence[Hint]) -> str:
    if any(hint.field == CHAT for hint in withheld):
        return ""
    # memapp's own words about a value are nothing without it.
    if message.model in (
        BY_MEMAPP,
        FROM_MEMORY,
    ):
        return "" if has_word_of(message.text, withheld) else message.text
    if message.role is Role.ASSISTANT:
        return told_of_reply(message.text, withheld)
    return told_beside(
        message.typed_text if message.origin is Origin.TYPED else message.text, withheld
    )


def _with_text(message: Said, text: str) -> Said:
    if isinstance(message, Message):
        return replace(message, text=text, pasted=())
    return replace(message, text=text)
