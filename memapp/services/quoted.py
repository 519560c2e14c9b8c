"""A line that is told from memory: a fact, or a quote of what somebody said, with the sentences that it needs to be understood.

Only what may be told is quoted: nothing that waits for a yes, was denied or taken back, nor what memapp itself said.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from memapp.domain.chat import FROM_MEMORY, OWN_WORDS, Message, Origin, Role
from memapp.domain.memory import Recalled
from memapp.domain.text import one_line, shorten
from memapp.language.english.answering_sentence import meant_by, quotable
from memapp.language.english.dates import days_meant
from memapp.language.english.given_names import given_names, with_kin
from memapp.language.english.grammar import sentences
from memapp.language.english.memory_question import MemoryQuestion, has_pronoun, looked_up_beside
from memapp.language.english.when import told_day
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.people import introducing
from memapp.services.tellable import tellable
from memapp.store import chat

LINES = 2
"""So many are told at most."""
QUOTE_CHARS = 240
EARLIER = 3
"""Messages before a question in which whoever a pronoun stands for may be named."""


@dataclass(frozen=True, slots=True)
class ToldLine:
    """A line of an answer, with the hit that it is from."""

    hit: Recalled
    text: str
    sure: float
    """How much of the question it holds; of what is not sure, how near it is."""
    said: str = ""
    """The sentence that is told, where it is to be compared."""


def quotable_of(runtime: Runtime, question: MemoryQuestion, thread_id: str, message: Message) -> list[str]:
    """Return the sentences of a message that may be quoted; none of what memapp itself said."""
    if message.model in (OWN_WORDS, FROM_MEMORY):
        return []
    texts = [one.typed_text if one.origin is Origin.TYPED else one.text for one in tellable(runtime.read(), [message])]
    told = question.is_told or question.of_anybody
    return [one for text in texts for one in quotable(text, told=told, here=message.thread_id == thread_id)]


def said_before(runtime: Runtime, message: Message, sentence: str) -> list[str]:
    """Return what was said before a sentence of a message, where somebody was named whom a pronoun in it stands for."""
    if message.role is not Role.USER or not has_pronoun(sentence):
        return []
    before = chat.list_messages(runtime.read(), message.thread_id, before=message.seq, limit=2 * EARLIER)
    beside = takewhile(lambda one: not sentence.startswith(one), sentences(message.typed_text))
    return called_by_kin(runtime, [*(one.text for one in before if one.role is Role.USER), *beside])


def as_quote(
    runtime: Runtime, question: MemoryQuestion, hit: Recalled, told: Sequence[str], message: Message | None = None
) -> str:
    best = _best(runtime, question, told)
    whom = meant_by(best, said_before(runtime, message, best)) if message else ""
    of_whom = f" of {whom.replace('my ', 'your ', 1)}" if whom else ""
    who = "I said" if hit.said_by == "assistant" else "You told me"
    day = hit.at.astimezone().date()
    meant = days_meant(best, day) if question.wants == "time" else []
    is_meant = f" ({', '.join(meant)})" if meant else ""
    return f'{who} {told_day(day, runtime.clock().astimezone().date())}{of_whom}: "{best}"{is_meant}'


def answered_by(runtime: Runtime, reply: Message) -> list[str]:
    """Return the message that a reply is to: what was asked need not be said again in the answer."""
    return [one.text for one in chat.get_messages(runtime.read(), [reply.reply_to])] if reply.reply_to else []


def _best(runtime: Runtime, question: MemoryQuestion, told: Sequence[str]) -> str:
    """Return the sentence that is nearest to the question; of what was told all that there is room for."""
    at = 0
    if question.is_narrative and len(whole := one_line(" ".join(told))) <= QUOTE_CHARS:
        return whole
    asked = [question.text, *looked_up_beside(question)]
    if len(told) > 1 and (rows := embedded(runtime, [*asked, *told])) is not None:
        at = int((rows[len(asked) :] @ rows[: len(asked)].T).max(axis=1).argmax())
    return with_room(told[at:]) if question.is_told else shorten(one_line(told[at]), QUOTE_CHARS)


def said_to(runtime: Runtime, hit: Recalled) -> list[str]:
    """Return what the other one said just before."""
    message = chat.get_message(runtime.read(), hit.id)
    before = chat.list_messages(runtime.read(), message.thread_id, before=message.seq, limit=1)
    own = (OWN_WORDS, FROM_MEMORY)
    return [shorten(one_line(one.text), QUOTE_CHARS) for one in before if one.role is not message.role and one.model not in own]


def with_room(told: Sequence[str]) -> str:
    """Return the first of some sentences and those behind it that there is room for: what it was about may follow."""
    kept = one_line(told[0])
    for one in told[1:]:
        if len(kept) + len(one) >= QUOTE_CHARS:
            break
        kept += f" {one_line(one)}"
    return shorten(kept, QUOTE_CHARS)


def around(told: Sequence[str], at: int) -> str:
    """Return a sentence with those behind and before it that there is room for."""
    first, last, size = at, at, len(told[at])
    while True:
        if last + 1 < len(told) and size + len(told[last + 1]) < QUOTE_CHARS:
            last += 1
            size += len(told[last]) + 1
        elif first > 0 and size + len(told[first - 1]) < QUOTE_CHARS:
            first -= 1
            size += len(told[first]) + 1
        else:
            return shorten(one_line(" ".join(told[first : last + 1])), QUOTE_CHARS)


def called_by_kin(runtime: Runtime, said: Sequence[str]) -> list[str]:
    """Return what was said with those of the person's who have a name in it called what they are to them."""
    given = [one for text in introducing(runtime, said) for one in given_names(text)]
    return [with_kin(text, given) for text in said]
