"""What comes in as a question only: proposals, the profile, and memories that say something of the person that is sensitive.

No memory hides behind a question of something else: it waits with a proposal that says what it says, or not at all.
"""

from collections.abc import Iterable

from memapp.domain.consent import FORGOTTEN
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.portable import Held, PatchLine, ProfileLine
from memapp.domain.profile import is_sensitive, same_value
from memapp.domain.profile_hints import as_value, unknown_in
from memapp.domain.profile_values import BETWEEN, VALUE_CHARS, added_value, adds_up
from memapp.services.consent import proposals
from memapp.services.forget import is_forgotten
from memapp.services.imports.work import Work
from memapp.store import consents, portable
from memapp.store.rows import to_time


def take_patch(work: Work, line: PatchLine) -> None:
    """Let what waited wait here, with a week of its own. What was decided elsewhere was decided there."""
    evidence = [one.message_id for one in line.evidence]
    if portable.find(work.conn, work.user_id, line) is not None:
        work.known += 1
    elif line.state == "applied":
        work.support[line.id] = evidence
    elif line.state in ("pending", "approved"):
        value = added_value(line.field, line.old_value, line.new_value)
        held = _held(work, line.held) if line.held else None
        goes_along = held is not None and _shows(line.field, value, held.text)
        _propose(work, line.field, value, held if goes_along else None, evidence)
        if held and not goes_along:
            _take_apart(work, held)
    else:
        work.left_out += 1


def take_profile(work: Work, line: ProfileLine) -> None:
    """Propose what a profile says."""
    evidence = work.support.pop(line.patch_id, [])
    for value in line.value.split(BETWEEN) if adds_up(line.field) else [line.value]:
        if value:
            _propose(work, line.field, value, None, evidence)


def asks(work: Work, memory: Memory) -> bool:
    """Hold a memory that says something sensitive which the profile does not: anybody could have written the file."""
    unknown = unknown_in(memory.text, consents.read_profile(work.conn, work.user_id))
    for one in unknown:
        if one.value:
            _propose(work, one.field, one.value, memory if len(unknown) == 1 else None, memory.sources)
        else:
            work.left_out += 1  # it may be about the field, but there is nothing to ask
    return bool(unknown)


def ask_again(work: Work, memory: Memory) -> None:
    """Put before the person what they once erased for good."""
    _propose(work, FORGOTTEN, memory.text, memory)


def _shows(field: str, value: str, text: str) -> bool:
    """Tell whether a proposal says all of a memory, or what is sensitive in it, so that a yes to one is a yes to the other."""
    if field == FORGOTTEN:
        return same_value(field, text, value)
    if is_sensitive(field) and same_value(field, as_value(text), value):
        return True
    said = unknown_in(text, {})
    return len(said) == 1 and said[0].field == field and same_value(field, said[0].value, value)


def _take_apart(work: Work, held: Memory) -> None:
    """Ask about a memory by itself that came with a proposal of something else; leave it out if it says nothing to ask."""
    if is_forgotten(work.runtime, held.text):
        ask_again(work, held)
    elif not asks(work, held):
        work.left_out += 1


def _propose(work: Work, field: str, value: str, held: Memory | None, evidence: Iterable[str] = ()) -> None:
    patch = proposals.propose(work.runtime, field, value[:VALUE_CHARS], held=held, proposer="import")
    if patch is None:
        work.known += 1
        return
    for message_id in portable.existing(work.conn, work.user_id, list(evidence)):
        consents.add_evidence(work.conn, patch.id, message_id, typed=False)
    waiting = consents.held(work.conn, work.user_id, patch.id)
    if held and (waiting is None or waiting.text != held.text):
        work.left_out += 1  # the same is asked about already, with another memory or none
    elif patch.id in work.patches or patch.created_at < work.now:
        work.known += 1
    else:
        work.patches.append(patch.id)


def _held(work: Work, held: Held) -> Memory:
    return Memory(
        id=held.id,
        text=held.text,
        tags=tuple(held.tags),
        kind=Kind(held.kind),
        category=held.category,
        importance=held.importance,
        pinned=held.pinned,
        state=State.LIVE,
        reason="",
        origin=held.origin,
        sources=tuple(portable.existing(work.conn, work.user_id, held.sources)),
        created_at=to_time(held.created_at),
        updated_at=to_time(held.created_at),
        agent_id=held.agent_id,
        run_id=held.run_id,
    )
