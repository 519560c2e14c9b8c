"""The wording of history: a step and its actor."""

from collections.abc import Mapping

from memapp.domain.changes import CLIENT, Event
from memapp.domain.history import AGENT, ROUND, RUBRIC, Step
from memapp.domain.text import counted, one_line, shorten
from memapp.language.labels import called

TEXT_CHARS = 60


def who(actor: str) -> str:
    """Return the name of an actor: `you`, `memapp`, `the model smollm2`."""
    kind, _, name = actor.partition(":")
    return f"{called('actors', kind)} {name}".strip()


def called_agent(name: str) -> str:
    """Return the name of an agent in a list; for memapp's own agents, their part."""
    return (
        name.removeprefix(CLIENT)
        if name.startswith(CLIENT)
        else called("agents", name, "") or who(name)
    )


def in_words(step: Step) -> str:
    """Return the sentence for a step."""
    if step.subject_id.startswith((AGENT, RUBRIC, ROUND)):
        return _set(step)
    subject = f"“{shorten(one_line(step.text), TEXT_CHARS)}”" if step.text else "a memory"
    if step.actor == "import":
        return _brought_in(subject if step.text else "", step)
    more = f" and {step.memories - 1} more" if step.memories > 1 else ""
    match step.event:
        case Event.UNSAY:
            return f"Stopped bringing up {counted(step.memories, 'message')} of yours"
        case Event.DELETE if step.reason == "superseded":
            return f"Replaced {subject} by something newer"
        case Event.DELETE | Event.TTL:
            return f"Trashed {subject}{more}"
        case Event.SYNC:
            return f"Overruled by a change on {step.reason}: {subject}"
        case Event.PIN:
            return f"{'Pinned' if step.pinned else 'Unpinned'} {subject}{more}"
        case Event.ADD if step.actor != "person" and (verb := called("made", step.kind, "")):
            return f"{verb} {subject}"
        case _:
            return f"{step.event.verb.capitalize()} {subject}{more}"


def _set(step: Step) -> str:
    """Return the sentence for a change of an agent or the rubric, or for a council's decision."""
    name = step.subject_id.partition(":")[2]
    if step.subject_id.startswith(ROUND):
        return called("choices", step.reason)
    if step.subject_id.startswith(RUBRIC):
        return f"Set the weight of {name} in the rubric"
    return (
        f"Imported the record of {called_agent(name)}"
        if step.reason == "imported"
        else f"{step.reason.capitalize()} {called_agent(name)}"
    )


def upkept(counts: Mapping[str, int]) -> str:
    """Return the results of upkeep in a few words: `2 insights noticed, 1 memory merged`."""
    words = {code: called("upkeep", code, "").partition(", ") for code in counts}
    return ", ".join(
        counted(times, words[code][0], words[code][2])
        for code, times in counts.items()
        if words[code][0]
    )


def _brought_in(first: str, step: Step) -> str:
    """Return the sentence for an import; one of its entries is the file itself."""
    more = f" and {step.memories - 2} more" if first and step.memories > 2 else ""
    staying = (
        f"; {counted(step.kept, 'you went on with stays', 'you went on with stay')}"
        if step.kept
        else ""
    )
    facts = counted(step.facts, "fact") if step.facts else ""
    chats = f"{counted(step.chats, 'chat')}{staying}" if step.chats else ""
    brought = [part for part in (f"{first}{more}", facts, chats) if part]
    return f"Imported a file: {', '.join(brought)}" if brought else "Imported a file"
