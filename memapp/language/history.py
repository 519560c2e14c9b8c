"""The words in which a step of the history is told, and who did it."""

from collections.abc import Mapping

from memapp.domain.changes import CLIENT, Event
from memapp.domain.history import AGENT, ROUND, RUBRIC, Step
from memapp.domain.text import counted, one_line, shorten
from memapp.language.labels import called

TEXT_CHARS = 60


def who(actor: str) -> str:
    """Return how an actor is called: `you`, `memapp`, `the model smollm2`."""
    kind, _, name = actor.partition(":")
    return f"{called('actors', kind)} {name}".strip()


def called_agent(name: str) -> str:
    """Return how an agent is called where it stands beside others: of memapp's own, which part it
    is.
    """
    return (
        name.removeprefix(CLIENT)
        if name.startswith(CLIENT)
        else called("agents", name, "") or who(name)
    )


def in_words(one: Step) -> str:
    """Return what a step did to memories, in a sentence."""
    if one.memory_id.startswith((AGENT, RUBRIC, ROUND)):
        return _set(one)
    what = f"“{shorten(one_line(one.text), TEXT_CHARS)}”" if one.text else "a memory"
    if one.actor == "import":
        return _brought_in(what if one.text else "", one)
    more = f" and {one.memories - 1} more" if one.memories > 1 else ""
    match one.event:
        case Event.UNSAY:
            return f"Stopped bringing up {counted(one.memories, 'message')} of yours"
        case Event.DELETE if one.reason == "superseded":
            return f"Replaced {what} by something newer"
        case Event.DELETE | Event.TTL:
            return f"Trashed {what}{more}"
        case Event.PIN:
            return f"{'Pinned' if one.pinned else 'Unpinned'} {what}{more}"
        case Event.ADD if one.actor != "person" and (made := called("made", one.kind, "")):
            return f"{made} {what}"
        case _:
            return f"{one.event.told.capitalize()} {what}{more}"


def _set(one: Step) -> str:
    """Return what was done to an agent or the rubric, or taken after a council."""
    name = one.memory_id.partition(":")[2]
    if one.memory_id.startswith(ROUND):
        return called("choices", one.reason)
    if one.memory_id.startswith(RUBRIC):
        return f"Set the weight of {name} in the rubric"
    return (
        f"Brought in the record of {called_agent(name)}"
        if one.reason == "imported"
        else f"{one.reason.capitalize()} {called_agent(name)}"
    )


def upkept(counts: Mapping[str, int]) -> str:
    """Return what upkeep did in a few words: `2 insights noticed, 1 memory merged`."""
    words = {what: called("upkeep", what, "").partition(", ") for what in counts}
    return ", ".join(
        counted(times, words[what][0], words[what][2])
        for what, times in counts.items()
        if words[what][0]
    )


def _brought_in(first: str, one: Step) -> str:
    """Return what an import did; one entry of it is the file itself."""
    more = f" and {one.memories - 2} more" if first and one.memories > 2 else ""
    kept = (
        f"; {counted(one.kept, 'you went on with stays', 'you went on with stay')}"
        if one.kept
        else ""
    )
    facts, chats = (
        (counted(one.facts, "fact") if one.facts else ""),
        (f"{counted(one.chats, 'chat')}{kept}" if one.chats else ""),
    )
    brought = [part for part in (f"{first}{more}", facts, chats) if part]
    return f"Brought in a file: {', '.join(brought)}" if brought else "Brought in a file"
