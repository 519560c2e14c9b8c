"""Tells what the profile says of the person, a field at a time, or all that is known of them."""

from collections.abc import Sequence

from memapp.domain.memory import FromMemory, Memory, Recalled
from memapp.domain.profile import FIELDS, Hint, same_value
from memapp.language.english.duplicates import normalise
from memapp.language.english.profile_hints import unknown_in
from memapp.language.english.second_person import answered, as_said
from memapp.language.lexicon import lexicon
from memapp.runtime import Runtime
from memapp.services.consent import decisions
from memapp.services.query import conversation_scope
from memapp.services.tellable import tellable
from memapp.store import chat, memories

NOTHING = "I do not know anything about you yet. Tell me, and I remember it."
LISTED = 8
"""Memories that are listed at once."""
LINES = 2
_ASKED = lexicon("consent_questions")


def everything(runtime: Runtime) -> FromMemory:
    """List the profile, and what is pinned, important or new."""
    facts = memories.in_scope(runtime.read(), conversation_scope(runtime), runtime.settings.max_facts)
    values = [Hint(field, value) for field, values in decisions.profile(runtime).items() for value in values]
    return listed(*beside(values, facts), "always")


def beside(values: Sequence[Hint], facts: Sequence[Memory]) -> tuple[list[str], list[Memory]]:
    """Return values of the profile as they are told, and facts: of a value and a fact that say the same what says it better."""
    said_by = {one.text: unknown_in(one.text, {}) for one in facts}
    lines, left = [], list(facts)
    for one in values:
        saying = [text for text, hints in said_by.items() if any(_says(hint, one) for hint in hints) or _is_in(one.value, text)]
        if _sentence_of(one.field) or not saying:  # else the fact says it better
            lines.append(told(one.field, one.value))
            left = [fact for fact in left if fact.text not in saying]
    return lines, left


def listed(lines: Sequence[str], facts: Sequence[Memory], why: str) -> FromMemory:
    """Return lines and facts, each once, and how many more facts there are."""
    more = [f"And {len(facts) - LISTED} more, in Memories."] if len(facts) > LISTED else []
    told = [*dict.fromkeys([*lines, *(answered(one.text) for one in facts[:LISTED])]), *more]
    hits = tuple(Recalled.of(one, 0.0, why, one.updated_at) for one in facts[:LISTED])
    return FromMemory("\n".join(told) or NOTHING, hits)


def _says(hint: Hint, value: Hint) -> bool:
    return hint.field == value.field and same_value(hint.field, hint.value, value.value)


def _is_in(value: str, fact: str) -> bool:
    """Say whether a fact has a value in it as it is: `sister Ilse is a potter`, of `User's sister Ilse is a potter.`"""
    return len(value.split()) > 2 and f" {normalise(value)} " in f" {normalise(as_said(fact))} "


def in_field(runtime: Runtime, field: str) -> FromMemory | None:
    """Return what the profile says in a field, with the messages that it is from."""
    standing = [one for one in decisions.standing(runtime) if one.field == field]
    if not standing:
        return None
    session = runtime.read()
    from_messages = chat.get_messages(session, standing[0].evidence[:1])
    hits = tuple(Recalled.of_message(one, "always") for one in tellable(session, from_messages) if one.active)
    return FromMemory("\n".join(told(field, one.new_value) for one in standing[:LINES]), hits)


def told(field: str, value: str) -> str:
    """Put a value of the profile as one tells it: `You live in Bruges.`"""
    if told := _sentence_of(field).format(value):
        return f"{told[0].upper()}{told[1:]}."
    return f"{FIELDS[field].label}: {value}."


def _sentence_of(field: str) -> str:
    """Return the sentence that a value of a field fills; empty where it is no sentence that fits any value."""
    words: str = _ASKED.table(field)["value"]
    return words.removeprefix("that ") if words.startswith("that ") else ""
