"""Insights: what several messages and memories show together, made once a day in idle time: the job `insights`.

What comes up regularly is counted by rules. A model that can do with the full form of prompt concludes more; the small one that
comes with memapp is not asked. An insight rests on at least two messages or memories, on none that touches anything sensitive,
and goes with them. One that the person dismissed is not made again while it lies in the trash.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

import numpy as np

from memapp.domain.categories import NOTES
from memapp.domain.changes import Actor, Created, SoftDeleted
from memapp.domain.chat import Message
from memapp.domain.filters import MemoryFilter
from memapp.domain.jobs import Pace
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.profile import is_sensitive
from memapp.domain.text import shorten
from memapp.domain.utterance import DEFAULT_IMPORTANCE, RULES
from memapp.errors import UsageError
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.any import AnyLanguage
from memapp.language.english.duplicates import duplicate_of
from memapp.language.english.grammar import EN
from memapp.language.english.profile_forms import in_first_person
from memapp.language.english.profile_hints import touches_sensitive, unknown_in
from memapp.language.english.tags import tags_for
from memapp.language.english.topics import bare, root_of, roots_of
from memapp.language.english.writing import check_insight, check_tags
from memapp.prompts import insights as words
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.consent import requests
from memapp.services.embed import embedded
from memapp.services.episodes import may_be_told
from memapp.services.ordinary import ordinary_sentences, untouched
from memapp.services.prompt_form import prompt_form
from memapp.services.regularities import SURELY, Regularity, find
from memapp.services.statements import surely_ordinary
from memapp.services.tellable import without_words_of_withheld
from memapp.store import changes, chat, consents, history, memories, relations
from memapp.store import insights as store
from memapp.store.encoding import new_id
from memapp.store.session import Session

DYNAMIC = "relationship_dynamic"
LOOKED_BACK = timedelta(days=60)
MESSAGES = 600
"""The last messages that are counted in."""
AT_ONCE = 3
"""Insights that one run makes of what it counted."""
RENEWED = timedelta(days=7)
"""So old one must be for its numbers to be counted anew."""
ACTIVITIES, FACTS, SNIPPET_CHARS = 5, 3, 1000
"""What a model is shown: the latest activities, the newest other facts, and of what the person said last so much."""
NEAR = 0.3
"""Cosine of what a model concludes with what it has that from; below it, it is about something else."""


@dataclass(frozen=True, slots=True)
class Insight:
    """An insight with what it rests on."""

    memory: Memory
    memories: tuple[Memory, ...]
    messages: tuple[Message, ...]
    by: str
    """Who made it: the rules, or a model by its name."""

    @property
    def evidence(self) -> int:
        return len(self.memories) + len(self.messages)


def list_insights(runtime: Runtime) -> list[Insight]:
    """Return the insights that are held, pinned ones first, each with its evidence."""
    session = runtime.read()
    found = sorted(_held(session), key=lambda one: one.pinned, reverse=True)
    evidence = relations.evidence_of(session, [one.id for one in found])
    return [_with_evidence(session, one, evidence[one.id]) for one in found]


def keep_as_memory(runtime: Runtime, memory_id: str) -> str:
    """Make an insight a memory of the person's own, which rests on nothing; return its id. It is one step.

    Raises `UsageError` for what is no insight, or is in the trash.
    """
    actor = runtime.actor()
    with runtime.write() as session:
        insight = memories.get_memory(session, memory_id)
        if insight.kind is not Kind.INSIGHT:
            raise UsageError("This is no insight.")
        changes.apply(session, SoftDeleted(insight.id, "person", runtime.purge_at()), actor)
        own = replace(insight, id=session.new_id(), kind=Kind.SEMANTIC, category=NOTES, origin="person", sources=())
        own = replace(own, importance=curate.BY_HAND_IMPORTANCE, created_at=session.now, updated_at=session.now)
        return changes.apply(session, Created(own), actor).memory_id


def run(runtime: Runtime, cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """End the insights that rest on what may not be told any more, and make new ones if there is news; yield 1 for each."""
    yield from _end_stale(runtime)
    messages = store.list_typed(runtime.read(), runtime.clock() - LOOKED_BACK, MESSAGES)
    if not messages or (last and messages[-1].created_at <= last.ran_at):
        return
    erasures = runtime.database.erasures
    for one in find(runtime, messages, cancel)[:AT_ONCE]:
        if not cancel.is_set() and _save_regularity(runtime, one, erasures):
            yield 1
        if one.chance <= SURELY:
            _corroborate(runtime, one)
    model = runtime.chat.ready()
    if model and not cancel.is_set() and prompt_form(runtime, model) == "full":
        yield from _conclude(runtime, model, messages, cancel, erasures)


def waiting(runtime: Runtime) -> int:
    """Count the messages that a run would look at."""
    return len(store.list_typed(runtime.read(), runtime.clock() - LOOKED_BACK, MESSAGES))


def worded(one: Regularity) -> str:
    """Return what was counted, as a sentence about User."""
    first, last = (_written(day) for day in one.days)
    often = f"In {_counted(one.chats)} of {_counted(one.among)} chats from {first} to {last}"
    return f"{often} User talked about {one.topic}{f', mostly on {one.weekday}s' if one.weekday else ''}."


def _written(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _counted(number: int) -> str:
    spelt = {digits: word for word, digits in EN.forms("numbers").items()}
    return spelt.get(str(number), str(number))


def _held(session: Session) -> list[Memory]:
    return memories.list_memories(session, MemoryFilter(kind=Kind.INSIGHT))


def _dismissed(session: Session) -> list[Memory]:
    trash = memories.list_memories(session, MemoryFilter(state=State.SOFT_DELETED, kind=Kind.INSIGHT))
    return [one for one in trash if one.reason in ("person", "undone")]


def _with_evidence(session: Session, insight: Memory, evidence: Sequence[str]) -> Insight:
    said = chat.get_messages(session, insight.sources)
    made = history.list_entries(session, insight.id, limit=None)
    return Insight(insight, tuple(memories.get_memories(session, evidence)), tuple(said), made[-1].actor if made else RULES)


def _end_stale(runtime: Runtime) -> Iterator[int]:
    """Move to the trash what rests on a message that is gone, withheld or edited."""
    stale = [one for one in _held(runtime.read()) if not may_be_told(runtime, one)]
    for one in stale:
        with runtime.write() as session:
            actor = runtime.actor(name=RULES)
            changes.apply(session, SoftDeleted(one.id, "superseded", runtime.purge_at()), actor)
        yield 1


def _save_regularity(runtime: Runtime, one: Regularity, erasures: int) -> bool:
    """Store what was counted in the place of the same from before, unless that is pinned or new; return whether that is so."""
    text = worded(one)
    sources = tuple(dict.fromkeys(said.message.id for said in one.said))
    if len(sources) < 2 or check_insight(text) or not _may_be_known(runtime, text):
        return False
    with runtime.write() as session:
        if runtime.database.erasures != erasures or any(_is_about(old, one) for old in _dismissed(session)):
            return False
        before = [old for old in _held(session) if _is_about(old, one)]
        if any(old.pinned or session.now - old.updated_at < RENEWED or old.text == text for old in before):
            return False
        actor = runtime.actor(name=RULES)
        for old in before:
            changes.apply(session, SoftDeleted(old.id, "superseded", runtime.purge_at()), actor)
        learned = memories.list_learned_from(session, sources)
        facts = [fact.id for fact in learned if not fact.is_reflected and not one.roots.isdisjoint(roots_of(fact.text))]
        memory = _memory(text, (bare(one.topic),), sources, session.now)
        changes.apply(session, Created(memory, tuple(facts)), actor)
    return True


def _is_about(insight: Memory, one: Regularity) -> bool:
    return not one.roots.isdisjoint(root_of(word) for tag in insight.tags for word in tag.split())


def _may_be_known(runtime: Runtime, text: str) -> bool:
    """Say whether a text touches nothing sensitive, and has no word of what waits for a yes or was denied."""
    if touches_sensitive(text) or unknown_in(text, {}):
        return False
    return bool(without_words_of_withheld(runtime.read(), [text]))


def _corroborate(runtime: Runtime, one: Regularity) -> None:
    """Let what is sure be the second signal for a value of a benign field that waits and is about the same."""
    for request in consents.list_requests(runtime.read(), state="pending"):
        if not is_sensitive(request.field) and not one.roots.isdisjoint(roots_of(request.new_value)):
            message = next(said.message for said in one.said)
            requests.propose(runtime, request.field, request.new_value, message_id=message.id, typed=True)


def _conclude(runtime: Runtime, model: ChatModel, messages: Sequence[Message], cancel: Cancel, erasures: int) -> Iterator[int]:
    """Let a model conclude; yield 1 for each insight that is well written, grounded, new and touches nothing sensitive."""
    shown = _shown(runtime, messages, cancel)
    if len(shown) < 2 or cancel.is_set():
        return
    lines = [text for _, text in shown]
    for one in words.parse(whole_reply(model, *words.request(lines), cancel), len(lines)):
        cited = [shown[number - 1] for number in one.evidence]
        if cancel.is_set() or not _is_grounded(runtime, one, [text for _, text in cited]):
            continue
        sources = tuple(source.id for source, _ in cited if isinstance(source, Message))
        facts = tuple(source.id for source, _ in cited if isinstance(source, Memory))
        with runtime.write() as session:
            known = [old.text for old in (*_held(session), *_dismissed(session))]
            there = [fact for fact in memories.get_memories(session, facts) if fact.state is State.LIVE]
            if runtime.database.erasures != erasures or len(there) < len(set(facts)) or duplicate_of(one.text, known):
                continue
            tags = tuple(tags_for(one.text)) if check_tags(one.tags) else one.tags
            memory = _memory(one.text, tags, sources, session.now)
            changes.apply(session, Created(memory, facts), Actor(f"model:{model.name}"))
        yield 1


def _shown(runtime: Runtime, messages: Sequence[Message], cancel: Cancel) -> list[tuple[Memory | Message, str]]:
    """Return what a model may conclude from: the latest activities, the newest other facts, and what was said last."""
    facts = [one for one in memories.list_memories(runtime.read()) if not one.is_reflected and not unknown_in(one.text, {})]
    active = [one for one in facts if one.category in ("activity", "event")][:ACTIVITIES]
    others = [one for one in facts if one.category not in ("activity", "event")][:FACTS]
    shown: list[tuple[Memory | Message, str]] = [(one, one.text) for one in (*active, *others)]
    left = SNIPPET_CHARS
    for message in reversed(untouched(runtime, messages[-SNIPPET_CHARS // 20 :])):
        said = shorten(" ".join(ordinary_sentences(runtime, message)), SNIPPET_CHARS) if left > 0 and not cancel.is_set() else ""
        if said and len(said) <= left:
            shown.append((message, said))
        left -= len(said)
    return shown


def _is_grounded(runtime: Runtime, one: words.Concluded, evidence: Sequence[str]) -> bool:
    """Say whether an insight is well written, is about its evidence with its names and numbers, and may be known."""
    if check_insight(one.text) or AnyLanguage().check_grounding(one.text, " ".join(evidence)):
        return False
    if not _may_be_known(runtime, one.text) or not surely_ordinary(runtime, [in_first_person(one.text).rstrip(".")]):
        return False
    rows = embedded(runtime, [one.text, *evidence], wait=True)
    return rows is not None and float(rows[0] @ np.mean(rows[1:], axis=0)) >= NEAR


def _memory(text: str, tags: tuple[str, ...], sources: tuple[str, ...], now: datetime) -> Memory:
    return Memory(
        id=new_id(now),
        text=text,
        tags=tags,
        kind=Kind.INSIGHT,
        category=DYNAMIC,
        importance=DEFAULT_IMPORTANCE,
        origin="reflected",
        sources=sources,
        created_at=now,
        updated_at=now,
    )
