"""Knows what somebody does by now in place of what they did: `since the accident I take the bus`, after `I cycle to work`."""

import re
from dataclasses import dataclass

from memapp.domain.utterance import Statement
from memapp.language.english.grammar import stems, tokens
from memapp.language.lexicon import lexicon

EN = lexicon("correction")
TRAVEL = "travel"


@dataclass(frozen=True, slots=True)
class _Habit:
    verb: str
    """As its stem; `TRAVEL` for any way to get somewhere."""
    what: str
    when: str
    """Where to, or when: what the old and the new one have in common."""


def takes_place_of(new: Statement, old: str, *, is_next: bool) -> bool:
    """Say whether what somebody says that they do by now is another way to do what a fact tells of them.

    `is_next`: the fact was told just before, so that where to need not be said again.
    """
    then, now = _habit(old), _habit(new.fact)
    if then is None or now is None or not then.when or EN.regex("{by_now}").search(new.said) is None:
        return False
    is_same_time = now.when == then.when or (is_next and not now.when and now.verb == TRAVEL)
    return then.verb == now.verb and is_same_time and then.what != now.what


def _habit(fact: str) -> _Habit | None:
    """Return what a fact about the person tells that they do; None for any other."""
    bare = EN.regex("{since_then}").sub("", fact.rstrip("."))
    found = EN.regex(r"User (?P<travels>{travels})(?P<when> to .+)?").fullmatch(bare)
    if found:
        return _Habit(TRAVEL, found["travels"].casefold(), (found["when"] or "").strip().casefold())
    found = re.fullmatch(
        r"User (?P<verb>[a-z]+s) (?P<what>(?:(?!(?:in|at|on|for|to|with|before|after)\b)[\w'-]+ )+)(?P<when>\w+ .+)", bare
    )
    is_timed = found is not None and EN.regex("{at_times}").fullmatch(found["when"]) is not None
    if found is None or not is_timed or not tokens(found["what"]):
        return None
    return _Habit(min(stems(found["verb"])), found["what"].strip().casefold(), found["when"].casefold())
