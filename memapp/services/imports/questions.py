"""Imports as requests what needs a yes: waiting requests, the profile, and memories that state something sensitive.

No memory hides behind a question of something else: it waits with the requests that say what it says, and comes with the last
yes to them (`consent.pending`), or not at all.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from memapp.domain.consent import FORGOTTEN
from memapp.domain.memory import Memory
from memapp.domain.portable import ProfileLine, RequestLine, RequestMemory
from memapp.domain.profile import VALUE_CHARS, is_sensitive, same_value
from memapp.domain.profile_hints import as_value, unknown_in
from memapp.services.consent import requests
from memapp.services.forget import is_forgotten
from memapp.services.imports.lines import live_memory
from memapp.services.imports.work import Work
from memapp.store import chat, consents, portable


def take_request(work: Work, line: RequestLine) -> None:
    """Let what waited wait here, with a week of its own. What was decided elsewhere was decided there."""
    evidence = [one.message_id for one in line.evidence]
    if portable.find(work.session, line) is not None:
        work.known += 1
    elif line.state == "applied":
        work.support[line.id] = evidence
    elif line.state in ("pending", "approved"):
        value = line.new_value
        memory = _memory(work, line.memory) if line.memory else None
        said = _said_by(line.field, value, memory.text) if memory else "none"
        _propose(work, line.field, value, memory if said != "none" else None, evidence)
        if memory and said != "all":
            _take_apart(work, memory)
    else:
        work.left_out += 1


def take_profile(work: Work, line: ProfileLine) -> None:
    """Propose what a profile says."""
    _propose(work, line.field, line.value, None, work.support.pop(line.request_id, []))


def asks(work: Work, memory: Memory) -> bool:
    """Hold a memory that says something sensitive which the profile does not: anybody could have written the file."""
    unknown = unknown_in(memory.text, consents.read_profile(work.session))
    for one in unknown:
        if one.value:
            _propose(work, one.field, one.value, memory, memory.sources)
        else:
            work.left_out += 1  # it may be about the field, but there is nothing to ask
    return bool(unknown)


def ask_again(work: Work, memory: Memory) -> None:
    """Put before the person what they once erased for good."""
    _propose(work, FORGOTTEN, memory.text, memory)


def _said_by(field: str, value: str, text: str) -> Literal["all", "part", "none"]:
    """Tell how much a consent request says of what is sensitive in a memory; with all, a yes to one is a yes to the other."""
    if is_sensitive(field) and same_value(field, text if field == FORGOTTEN else as_value(text), value):
        return "all"
    states = unknown_in(text, {})
    if not any(one.field == field and same_value(field, one.value, value) for one in states):
        return "none"
    return "all" if len(states) == 1 else "part"


def _take_apart(work: Work, memory: Memory) -> None:
    """Ask about a memory by itself that says something else than its consent request; leave it out if it says nothing to ask."""
    if is_forgotten(work.runtime, memory.text):
        ask_again(work, memory)
    elif not asks(work, memory):
        work.left_out += 1


def _memory(work: Work, memory: RequestMemory) -> Memory:
    return replace(live_memory(memory), sources=tuple(chat.still_there(work.session, memory.sources)))


def _propose(work: Work, field: str, value: str, memory: Memory | None, evidence: Iterable[str] = ()) -> None:
    request = requests.propose(work.runtime, field, value[:VALUE_CHARS], memory=memory, proposer="import")
    if request is None:
        work.known += 1
        return
    for message_id in chat.still_there(work.session, evidence):
        consents.add_evidence(work.session, request.id, message_id, typed=False)
    waiting = consents.memory_of(work.session, request.id)
    if memory and (waiting is None or waiting.text != memory.text):
        work.left_out += 1  # the same is asked about already, with another memory or none
    elif request.created_at < work.now:
        work.known += 1
    elif request.id not in work.requests:
        work.requests.append(request.id)
