"""The category of a fact: whom it is about, and what its verb says of them."""

from memapp.domain.memory import Kind
from memapp.domain.utterance import Draft
from memapp.language.english.grammar import EN, stems, tokens
from memapp.language.english.parsed_fact import parse, verb_place
from memapp.language.english.tags import tags_for

RELATIONSHIPS = "relationships"
EVENT = "event"
"""What happened once: kept as an episode."""


def draft_of(fact: str, topic: str = "") -> Draft:
    """Return a fact as it may be stored, with its tags and its category."""
    category = category_of(fact)
    kind = Kind.EPISODIC if category == EVENT else Kind.SEMANTIC
    return Draft(fact, tuple(tags_for(fact)), category, kind, topic)


def category_of(fact: str) -> str:
    """Return the category of a sentence about User."""
    parsed = parse(fact)
    written = tokens(fact)
    is_own = parsed.subject == {"user"}
    about = written[1:5] if is_own and parsed.verb == {"have"} else [] if is_own else written[: min(verb_place(written), 5)]
    if any(not EN.close.isdisjoint(stems(word)) for word in about):
        return RELATIONSHIPS
    if not EN.tastes.isdisjoint(parsed.verb) or EN.regex(r"\b{of_taste}\b").search(fact):
        return "preferences"
    if not parsed.is_past and (not EN.aims.isdisjoint(parsed.verb) or EN.regex(r"\b{of_aims}\b").search(fact)):
        return "goals"
    is_state = not EN.lasting_states.isdisjoint(parsed.verb) or {"can", "cannot"} & {*written}
    if EN.regex(r"\b{of_events}\b").search(fact) or (parsed.is_past and not (parsed.is_over or is_state)):
        return EVENT
    return "profile" if is_state or parsed.is_over or parsed.subject - {"user"} else "activity"
