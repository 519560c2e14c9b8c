"""Says truly what memapp cannot do, where somebody asks for it; what they are to be reminded of it keeps, if that is ordinary."""

from memapp.domain.changes import Actor
from memapp.domain.chat import Message
from memapp.domain.memory import FromMemory
from memapp.domain.memory_request import MemoryRequest
from memapp.language.english.beyond import as_wish, clauses_of, tells_something
from memapp.language.english.dates import dated, local_day
from memapp.language.english.grounding import SAID
from memapp.language.english.memory_question import refers_back
from memapp.language.english.profile_hints import unknown_in
from memapp.language.english.spoken_of import LAST
from memapp.language.english.statements import sentences_told
from memapp.language.language_of import language_of
from memapp.runtime import Runtime
from memapp.services.asked_to_remember import remember
from memapp.services.statements import is_ordinary_wish, said_before

CANNOT = {
    "remind": "I cannot remind you at a time: I speak only when you write.",
    "alarm": "I cannot set an alarm or a timer: I speak only when you write.",
    "send": "I cannot send anything, or call anybody: nothing leaves this machine. I can help you to write it.",
    "online": "I cannot look anything up online: nothing leaves this machine.",
    "weather": "I cannot know the weather: I look nothing up, and nothing leaves this machine.",
}
ASK_ME = "Begin with `remember that`, and I keep it."
"""Of what may be sensitive, or cannot be judged: a yes of theirs, and not a guess, keeps it."""


def answer(runtime: Runtime, request: MemoryRequest, message: Message, actor: Actor) -> FromMemory | None:
    """Return what there is to say to what memapp cannot do; the time it can tell."""
    if request.beyond is None:
        return None
    if request.beyond == "time":
        now = runtime.clock().astimezone()
        return FromMemory(f"It is {now:%H:%M} on {now:%A} {now.day} {now:%B %Y}.", is_own_word=True)
    return FromMemory(f"{CANNOT[request.beyond]} {_kept(runtime, request, message, actor)}".strip(), is_own_word=True)


def _kept(runtime: Runtime, request: MemoryRequest, message: Message, actor: Actor) -> str:
    """Keep what somebody wants to be reminded of, and say so."""
    if not request.content:
        return ""
    said = as_wish(request.content)
    wish = dated(said, local_day(message), is_ahead=True)
    language = language_of(wish)
    facts = [one.text for one in language.facts_in(wish)]
    deeds = clauses_of(request.content)  # judged as typed: a date written out is no birthday
    before = sentences_told(" ".join([*said_before(runtime, message)[-LAST:], message.text[: request.start]]))
    meant = before if any(map(refers_back, deeds)) else []
    is_stated = tells_something(request.content) or language.read(wish).stated or any(unknown_in(one, {}) for one in facts)
    if is_stated or not is_ordinary_wish(runtime, said, deeds, meant):
        return ASK_ME
    is_told = all(one.startswith("User ") for one in facts)
    asked = dated(message.text[request.start : request.end].strip(" .!"), local_day(message), is_ahead=True)
    return remember(runtime, wish, message, actor, fact="" if is_told else f"{SAID}{asked}.")
