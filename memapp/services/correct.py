"""Finds what a message corrects or ends: a fact, or one that waits for a yes, of which it says that it does not hold.

Looked at first is what came from the person's last messages in the same chat, then known facts near in meaning that have the
words by which the message names what it ends. At most one clear target is found, and nothing that the person pinned, wrote or
changed; where it stays unclear which one is meant, none is.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memapp.domain.chat import Message, Role
from memapp.domain.consent import CONFLICT, FACT, ConsentRequest
from memapp.domain.memory import Kind, Memory
from memapp.domain.utterance import Draft
from memapp.language.english import replacement
from memapp.language.english.correction import Correction, adds, correction_of, is_about, leads
from memapp.language.english.dates import typed_on_its_day
from memapp.language.english.grammar import join, stems, tokens
from memapp.language.english.habit import takes_place_of
from memapp.language.english.parsed_fact import verb_place
from memapp.language.english.recall import query_words
from memapp.language.english.replacement import Replacement, replacements, tells_otherwise
from memapp.language.english.tags import tags_for
from memapp.language.language_of import language_of
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.embed import embedded
from memapp.services.kind_of_life import of_kind
from memapp.services.merge import near
from memapp.services.retract import is_left_alone
from memapp.services.tellable import tellable
from memapp.store import chat, consents, memories
from memapp.store.session import Session

LAST = 3
"""Messages of the person before a correction that it may be about."""
AMONG = 20
"""Messages in which those are looked for."""
NEAR = 0.4
"""A noun less like another than this does not stand in its place."""
VERY_NEAR = 0.5
"""The same where nothing says that it was spoken of just before."""
NEAR_BEHIND_CUE = 0.25
"""The same behind words which say themselves that the old one does not hold."""
NEAR_LED_ALIKE = 0.28
"""The same right behind what it corrects, where both are said with the same article."""
CLEARLY = 0.05
"""So much nearer than any other must the fact be that is meant."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a message says no longer holds, or never did."""

    text: str
    """The fact, or what is asked about in the person's words."""
    known: Memory | None = None
    """The fact, where it is known; else it waits."""
    requests: tuple[ConsentRequest, ...] = ()
    """What it waits with."""
    is_in_words: bool = False
    """It waits in the person's words, without a fact."""
    is_over: bool = False
    """It was so, and is no more; else it never was."""
    is_denied: bool = False
    """It never was, and is denied in its own words."""
    beside: tuple[ConsentRequest, ...] = ()
    """What of a known fact is asked about, and is no more to be asked where that is gone."""
    with_it: tuple[Memory, ...] = ()
    """What is known besides and ends with it."""
    instead: Draft | None = None
    """The fact with another value in the place of its own, where the message gives one that fits."""

    @property
    def memory_id(self) -> str:
        """Return the id of the fact; empty for one that waits."""
        return self.known.id if self.known else ""


def find(runtime: Runtime, message: Message, learned: Collection[str] = ()) -> Corrected | None:
    """Return what a message corrects or ends, if that is clear; or what the person did until they began what is learned of it.

    `learned` is what the message tells, as facts or, where it waits, in the person's words.
    """
    correction = correction_of(message)
    found = (_find(runtime, message, correction) if correction else None) or _told_anew(runtime, message, learned)
    if correction is None or found is None:
        return found or _given_up(runtime, message, learned)
    beside = _asked_of(runtime.read(), found.known) if found.known else ()
    with_it = _ended_with(runtime, message, correction, found) if correction.ends_all else ()
    return replace(found, is_over=correction.is_over, is_denied=correction.is_denial, beside=beside, with_it=with_it)


def _told_anew(runtime: Runtime, message: Message, learned: Collection[str]) -> Corrected | None:
    """Return what a message that leads to a correction tells again with another value, if that is one thing said of late."""
    if not leads(message.typed_text) or adds(message.typed_text):
        return None
    came = [found for one in _said_before(runtime, message) for found in _came_from(runtime.read(), one)]
    gone = {one.text: one for one in came if any(tells_otherwise(told, one.text) for told in learned)}
    return next(iter(gone.values())) if len(gone) == 1 else None


def _given_up(runtime: Runtime, message: Message, learned: Collection[str]) -> Corrected | None:
    """Return what the person did until they began what a message says that they do by now, if that is one fact."""
    typed, session = message.typed_text, runtime.read()
    told = [one for one in language_of(typed).read(typed).statements if one.fact.startswith("User ")]
    if len(told) != 1 or told[0].fact not in learned:
        return None
    came = [found.known for one in _said_before(runtime, message) for found in _came_from(session, one) if found.known]
    (known,) = near(runtime, [told[0].fact])
    others = [one for one, _ in known if is_left_alone(session, one)]
    gone = {one.id: one for one in came if takes_place_of(told[0], one.text, is_next=True)}
    gone |= {one.id: one for one in others if takes_place_of(told[0], one.text, is_next=False)}
    if len(gone) != 1:
        return None
    (old,) = gone.values()
    return Corrected(old.text, old, is_over=True, beside=_asked_of(session, old))


def _asked_of(session: Session, known: Memory) -> tuple[ConsentRequest, ...]:
    """Return what waits that says no more than a fact, from the same messages: the goal of somebody who wants to move."""
    told = set(tokens(known.text.casefold()))
    waiting = (one for source in known.sources for one in consents.list_requests(session, state="pending", message_id=source))
    return tuple(one for one in waiting if one.field != CONFLICT and _same_words(one.new_value) <= told)


def _same_words(value: str) -> set[str]:
    return {"user's" if word == "my" else word for word in tokens(value.casefold())}


def restated(runtime: Runtime, message: Message) -> str:
    """Return the last message that this one may correct as it does, if nothing is known of it and nothing waits; else nothing."""
    if (correction := correction_of(message)) is None:
        return ""
    session = runtime.read()
    for one in _said_before(runtime, message):
        if replacement.has_place(correction, one.typed_text):
            may_be_told = [] if _came_from(session, one) else tellable(session, [one])
            return "".join(replacement.restated(correction, typed_on_its_day(told)) for told in may_be_told)
    return ""


def _said_before(runtime: Runtime, message: Message) -> list[Message]:
    """Return the person's messages before one that it may be about, the last first."""
    before = chat.list_messages(runtime.read(), message.thread_id, before=message.seq, limit=AMONG)
    return [one for one in reversed(before) if one.role is Role.USER][:LAST]


def _find(runtime: Runtime, message: Message, correction: Correction) -> Corrected | None:
    is_switch = correction.is_lead and correction.is_over and not correction.names_what
    is_own = is_switch and correction.instead is not None and correction.instead.kind == "noun"  # `I switched to coffee`
    least = NEAR_BEHIND_CUE if correction.points_back or is_switch else NEAR
    said = _said_before(runtime, message)
    said = said if correction.is_lead or not correction.is_denial else said[:1]
    passed: list[str] = []
    for one in said:
        came = [found for found in _came_from(runtime.read(), one) if not _says_again(message, found)]
        fitting = [one for one in came if not (is_own and one.text.startswith("User's "))]
        meant = _of_job(runtime, correction, [one for one in fitting if is_about(correction, one.text, is_recent=True)])
        if found := _among(runtime, correction, meant, message.typed_text, least, passed):
            return None if one is said[0] and _answers_another(runtime, message, correction, found) else found
        if not (correction.names_what or correction.instead or correction.about):
            return None  # it points at the last message, and at no other
        if not correction.names_what and ((came and not correction.instead) or replacement.has_place(correction, one.typed_text)):
            break  # it is about what was said last
        passed.append(one.typed_text)
        least = max(least, VERY_NEAR) if came else least
    may_be_known = (correction.names_what and not correction.is_denial) or (
        correction.is_lead and (correction.is_over or correction.about != ())
    )
    return _known(runtime, correction, message) if may_be_known else None


def _known(runtime: Runtime, correction: Correction, message: Message) -> Corrected | None:
    """Return the known fact, or the one that waits, that a message is about by its words. What happened is never over."""
    session, facts = runtime.read(), _near_facts(runtime, correction, message)
    found = [one for one in [*facts, *_waiting(session, consents.list_pending(session))] if not _says_again(message, one)]
    fitting = _of_job(runtime, correction, [one for one in found if is_about(correction, one.text, is_recent=False)])
    return _among(runtime, correction, fitting, message.typed_text, VERY_NEAR, ())


def _of_job(runtime: Runtime, correction: Correction, meant: list[Corrected]) -> list[Corrected]:
    """Return those that tell of a job where one is over, the likest first: who retired still is a keen swimmer at the lido."""
    if not correction.is_of_job:
        return meant
    told = [join(["User", *words[verb_place(words) :]]) for words in (tokens(one.text) for one in meant)]
    rated = [(like, one) for (like, _), one in zip(of_kind(runtime, "job", told), meant, strict=True) if like]
    return [one for _, one in sorted(rated, key=lambda pair: -pair[0])]


def _near_facts(runtime: Runtime, correction: Correction, message: Message) -> list[Corrected]:
    (known,) = near(runtime, [message.typed_text])
    session = runtime.read()
    lasting = [one for one, _ in known if not (correction.is_over and one.kind is Kind.EPISODIC)]
    return [Corrected(one.text, one) for one in lasting if is_left_alone(session, one)]


def _ended_with(runtime: Runtime, message: Message, correction: Correction, found: Corrected) -> tuple[Memory, ...]:
    """Return what else is over where all that fits is: what somebody who died did, and where they lived."""
    others = [one for one in _near_facts(runtime, correction, message) if not _says_again(message, one)]
    return tuple(
        one.known for one in others if one.known and one.text != found.text and is_about(correction, one.text, is_recent=False)
    )


def _says_again(message: Message, found: Corrected) -> bool:
    """Say whether a message is itself among those that something waits or was learned from."""
    sources = found.known.sources if found.known else ()
    return message.id in sources or any(message.id in one.evidence for one in found.requests)


def _came_from(session: Session, message: Message) -> list[Corrected]:
    """Return what a message taught and what of it waits, without what the person did something with."""
    taught = [one for one in memories.list_learned_from(session, [message.id]) if not one.is_reflected]
    learned = [one for one in taught if is_left_alone(session, one)]
    requests = consents.list_requests(session, state="pending", message_id=message.id)
    return [*(Corrected(one.text, one) for one in learned), *_waiting(session, requests)]


def _waiting(session: Session, requests: Sequence[ConsentRequest]) -> list[Corrected]:
    """Return what waits with requests which were read from chats here, each with all that it waits with."""
    held: dict[str, Corrected] = {}
    for request in requests:
        if request.proposer in ("person", "import") or request.field == CONFLICT or not pending.is_open(session, request):
            continue
        memory = consents.memory_of(session, request.id)
        text = memory.text if memory else request.new_value
        is_in_words = memory is None or (request.field == FACT and "User" not in text)
        there = held.get(text, Corrected(text, is_in_words=is_in_words))
        held[text] = replace(there, requests=(*there.requests, request))
    return list(held.values())


def _among(
    runtime: Runtime, correction: Correction, meant: Sequence[Corrected], typed: str, least: float, passed: Sequence[str]
) -> Corrected | None:
    """Return the one that a message is clearly about; more clearly than about what was said after it."""
    if correction.instead and (placed := _placed(runtime, correction, meant, least, passed)):
        return placed
    is_ended = correction.names_what and (correction.is_over or correction.is_denial)
    if correction.is_role or not (correction.points_back or is_ended):
        return None
    if meant and (len(meant) == 1 or correction.is_of_job):
        return meant[0]
    if not meant or not correction.names_what:
        return None
    rows = embedded(runtime, [typed, *(one.text for one in meant)], wait=True)
    if rows is None:
        return None
    likeness = [float(one) for one in rows[1:] @ rows[0]]
    first, second = sorted(likeness, reverse=True)[:2]
    is_clear = first - second >= CLEARLY or correction.fact  # of those that end with something, each ends
    return meant[likeness.index(first)] if is_clear else None


def _placed(
    runtime: Runtime, correction: Correction, meant: Sequence[Corrected], least: float, passed: Sequence[str]
) -> Corrected | None:
    """Put what holds instead in the place of the value that it is most like; None where nothing is, or several are as much."""
    anew = [(one, text) for one in meant if one.is_in_words and (text := replacement.restated(correction, one.text))]
    if len(anew) == 1:
        ((one, text),) = anew
        return replace(one, instead=Draft("", (), topic=one.requests[0].field, value=text))
    ways = [(one, way) for one in meant for way in replacements(correction, one.text)]
    sure = [(one, way) for one, way in ways if way.is_sure]
    if not sure and correction.instead:
        sure = _nearest(runtime, correction, ways, least, passed)
    if len(sure) != 1:
        return None
    ((one, way),) = sure
    tags = tuple(tags_for(way.text))
    if one.known:
        return replace(one, instead=Draft(way.text, tags, one.known.category, one.known.kind))
    return replace(one, instead=Draft(way.text, tags, topic=one.requests[0].field))


def _nearest(
    runtime: Runtime,
    correction: Correction,
    ways: Sequence[tuple[Corrected, Replacement]],
    least: float,
    passed: Sequence[str],
) -> list[tuple[Corrected, Replacement]]:
    """Return the way that gives up the words most like what holds instead, if they are like it; without vectors none is.

    Where something was said since then, nothing in that may be as like it.
    """
    value = correction.instead.text if correction.instead else ""
    since = [noun for text in passed for noun in replacement.nouns_in(text)]
    rows = embedded(runtime, [value, *since, *(way.gives_way for _, way in ways)], wait=True) if ways else None
    if rows is None:
        return []
    likeness_of = [float(one) for one in rows[1:] @ rows[0]]
    alike = sorted(zip(likeness_of[len(since) :], ways, strict=True), key=lambda pair: -pair[0])
    (likeness, best), *others = alike
    is_clear = all(one[0] is best[0] or likeness - other >= CLEARLY for other, one in others)
    is_clear = is_clear and likeness - max(likeness_of[: len(since)], default=0.0) >= CLEARLY
    return [best] if likeness >= _least(correction, best[1], least) and is_clear else []


def _least(correction: Correction, way: Replacement, least: float) -> float:
    """Return how like the words that give way a value must be; what says itself that the old does not hold needs no article."""
    if way.is_led_otherwise and least >= NEAR:
        return max(least, VERY_NEAR)
    return min(least, NEAR_LED_ALIKE) if way.is_led_alike and not correction.is_bare and least < VERY_NEAR else least


def _answers_another(runtime: Runtime, message: Message, correction: Correction, found: Corrected) -> bool:
    """Say whether words that only point back answer a question which the last reply asked of something else."""
    if correction.is_of_own_words:
        return False
    (last,) = chat.list_messages(runtime.read(), message.thread_id, before=message.seq, limit=1)
    if correction.names_what or correction.instead or last.role is Role.USER or not last.text.rstrip().endswith("?"):
        return False
    asked = {stem for word in query_words(last.text) for stem in stems(word)}
    return asked.isdisjoint(stem for word in tokens(found.text) for stem in stems(word))
