"""Learns from typed messages: `notice` proposes profile values at once, `learn` stores facts in idle time.

Sensitive values are only proposed (`services.consent`), and a fact that states one waits with its consent request. A model that
can do with the full form of prompt proposes first, then the rules what they read besides; a smaller one is not asked. Whoever
made it, a draft goes through the same judge (`services.statements`), and what that refuses is counted. What a message says no
longer holds (`services.correct`) goes to the trash in the step of what takes its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Literal

from memapp.domain.categories import NOTES
from memapp.domain.changes import Actor, SoftDeleted, Updated
from memapp.domain.chat import Message
from memapp.domain.consent import FACT, FORGOTTEN
from memapp.domain.filters import ALL_LIVE, MemoryFilter
from memapp.domain.memory import Memory, State
from memapp.domain.prediction import Surprise
from memapp.domain.profile import Hint, Stated, has_many, same_value
from memapp.domain.turn import Retracted
from memapp.domain.utterance import Draft
from memapp.errors import ModelError
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.english.category import draft_of
from memapp.language.english.correction import (
    denies_what_happened,
    ends_for_both,
    only_ends,
    only_puts_off,
    only_says_meant,
    read_correction,
    says_no_more,
)
from memapp.language.english.dates import dated, lasting, local_day, typed_ahead_of_its_day, typed_on_its_day
from memapp.language.english.duplicates import duplicate_of, normalise
from memapp.language.english.framing import plays_a_part
from memapp.language.english.grammar import EN, expand, tokens
from memapp.language.english.grounding import SAID, UNSAID
from memapp.language.english.parsed_fact import parse
from memapp.language.english.profile_hints import needs_yes, takes_sentence, unknown_in
from memapp.language.english.statements import in_third_person
from memapp.language.english.writing import check_form
from memapp.language.language_of import language_of
from memapp.prompts import distil as words
from memapp.runtime import Runtime
from memapp.services import howtos
from memapp.services.consent import decisions, outdated, pending, requests
from memapp.services.correct import Corrected, find, restated
from memapp.services.forget import is_forgotten
from memapp.services.merge import Written, near, write
from memapp.services.prompt_form import prompt_form
from memapp.services.retract import ended_by, gave_way, restore
from memapp.services.statements import judged_draft, said_before, sensitive_topic, told_in, with_others
from memapp.store import changes, chat, consents, events, expectations, history, memories
from memapp.store.session import Session

FACTS_PER_TURN = 3
FACTS_PER_DAY = 100
"""More than anybody tells of themselves; what is left is learned on the next day."""
REQUESTS_PER_TURN = 20
"""More than anybody states in one message, so nothing is lost; the chat asks about only one of them."""
NAMING = frozenset({"name", "called", "named", "is"})
NOT_LASTING = "does not last, or is not meant"


def learn(runtime: Runtime, surprise: Surprise, model: ChatModel | None, cancel: Cancel) -> Iterator[Written | Retracted]:
    """Learn at most three facts from one surprising message; yield each new or changed fact, and what was ended without one.

    With more in it, it stays pending.

    Raises `ModelError` when the model failed: the rest is then still pending, and asked of it again.
    """
    if is_enough_for_today(runtime):
        return  # still pending
    message = chat.get_message(runtime.read(), surprise.message_id)
    howtos.propose(runtime, message)
    propose_profile_changes(runtime, message)  # what failed or was cut off when the message came
    typed, told_on = message.typed_text, local_day(message)
    before = said_before(runtime, message)
    told = told_in(runtime, typed_ahead_of_its_day(message), before)
    if told is None:
        return  # still pending: until the embedding model is there
    taught = history.texts_from(runtime.read(), message.id)  # it may be read again after a yes
    corrected = None if taught else find(runtime, message, [one.text or one.value for one in told])
    if not (corrected or taught) and (text := restated(runtime, message)):
        told = [*(told_in(runtime, text) or ()), *told]
    drafts, refused, failure = told, list[list[str]](), None
    if model and prompt_form(runtime, model) == "full" and language_of(typed).read(typed, before).may_tell:
        try:
            proposed, refused = _ask(runtime, model, surprise.expected, typed, cancel)
            drafts = with_others(proposed, told)
        except ModelError as error:  # what the rules read does not wait for a model, and nothing is corrected twice
            failure = None if corrected else error
    if cancel.is_set():
        return  # still pending: next time
    if plays_a_part([*before, typed]):  # it may be said of whom they play: that is asked
        drafts = [replace(one, topic=one.topic or FACT) for one in drafts]
    drafts = _with_instead(runtime, drafts, corrected)
    lasting_drafts = [_as_it_lasts(draft, told_on) for draft in drafts]
    refused += [[NOT_LASTING] for one in lasting_drafts if one is None]
    drafts = [one for one in lasting_drafts if one]
    fresh = [draft for draft in drafts if not draft.text or not duplicate_of(draft.text, taught)]
    if fresh or not failure:
        yield from _store(runtime, surprise, message, fresh, refused, corrected, is_all=failure is None)
    if failure:
        raise failure


def is_enough_for_today(runtime: Runtime) -> bool:
    """Say whether so much was learned today that the rest is left for tomorrow."""
    return memories.count_memories(runtime.read(), MemoryFilter(after=runtime.clock().astimezone().date())) >= FACTS_PER_DAY


def _as_it_lasts(draft: Draft, told_on: date) -> Draft | None:
    """Return a draft as it reads on any other day, None for a fact of that day alone; what needs a yes is asked about anyhow."""
    text, value = (lasting(one, told_on) or dated(one, told_on) for one in (draft.text, draft.value))
    return replace(draft, text=text, value=value) if draft.topic or lasting(draft.text, told_on) else None


def _with_instead(runtime: Runtime, drafts: list[Draft], corrected: Corrected | None) -> list[Draft]:
    """Put what a message says in the place of another before its facts, unless one of these says as much: `User drinks coffee`.

    Where something in it is sensitive in whatever words, the value may be that.
    """
    drafts = [one for one in drafts if not _only_corrects(one, corrected)]
    instead = corrected.instead if corrected else None
    if corrected is None or instead is None:
        return drafts
    drafts, named = _without_naming(drafts, instead)
    if any(not one.text or _says_whole(one, corrected) for one in drafts):
        return [*drafts, *named]
    drafts += named if corrected.requests else []
    value = {word for word in tokens(instead.text) if word not in tokens(corrected.text)}
    told = [one for one in drafts if _is_of_same(one, corrected) and value <= set(tokens(one.text))]
    topics = [one.topic for one in [instead, *told] if one.topic]
    topic = topics[0] if topics else sensitive_topic(runtime, instead.text)
    return [replace(instead, topic=topic), *(one for one in drafts if one not in told)]


def _without_naming(drafts: Sequence[Draft], instead: Draft) -> tuple[list[Draft], list[Draft]]:
    """Part from the facts of a message those that only name somebody as what holds instead does: `User's son is called Cees.`"""
    told = {word.removesuffix("'s") for word in tokens(instead.text.casefold())} | NAMING
    parted: tuple[list[Draft], list[Draft]] = ([], [])
    for one in drafts:
        words = {word.removesuffix("'s") for word in tokens(one.text.casefold())}
        parted[bool(words & NAMING) and words <= told].append(one)
    return parted


def _only_corrects(draft: Draft, corrected: Corrected | None) -> bool:
    """Say whether something tells no more than that another thing does not hold, and half of it where it held for two."""
    said = draft.text.removeprefix(SAID)
    if draft.text and said == draft.text:
        is_half = ends_for_both(draft.text) and not draft.topic
        is_denied = corrected is not None and parse(draft.text).is_denied and _is_of_corrected(draft, corrected)
        if corrected and corrected.instead and (is_denied or only_puts_off(draft.text)):
            return True  # `no longer on Thursdays`, where another day is told
        if corrected and corrected.is_denied and _is_of_same(draft, corrected) and denies_what_happened(draft.text):
            return True
        return is_half or only_says_meant(draft.text) or (corrected is not None and only_ends(draft.text))
    said = said or draft.value
    correction = read_correction(said) if corrected else None
    if corrected is None or correction is None:
        return False
    new = correction.instead if corrected.instead else None
    is_placed = new and (correction.old or draft.text or said.rstrip(" .!").endswith(new.text))
    return bool(is_placed) or says_no_more(said)


def _is_of_corrected(draft: Draft, corrected: Corrected) -> bool:
    """Say whether a denial is of what is corrected: of the same one the same, or with no word that this has not."""
    told, known = ({word.removesuffix("'s") for word in tokens(one.casefold())} for one in (draft.text, corrected.text))
    return _says_whole(draft, corrected) or told <= known | NAMING | EN.negations


def _says_whole(draft: Draft, corrected: Corrected) -> bool:
    """Say whether a fact tells of the same one the same that is corrected."""
    return _is_of_same(draft, corrected) and not parse(draft.text).verb.isdisjoint(parse(corrected.text).verb)


def _is_of_same(draft: Draft, corrected: Corrected) -> bool:
    return parse(draft.text).subject == parse(corrected.text).subject


def _ask(runtime: Runtime, model: ChatModel, expected: str, typed: str, cancel: Cancel) -> tuple[list[Draft], list[list[str]]]:
    """Let a model propose; return what the judge lets pass, and what is wrong with each of the others."""
    found = words.parse(whole_reply(model, *words.request(expected, typed), cancel))
    drafts, refused = list[Draft](), [[problem] for problem in found.refused]
    for draft in found.drafts:
        problems = check_form(draft.text) or language_of(typed).check_grounding(draft.text, typed)
        judged = None if problems else judged_draft(runtime, draft, typed)
        if judged:
            drafts.append(replace(judged, by=f"model:{model.name}"))
        else:
            refused.append(problems or [NOT_LASTING])
    return drafts, refused


def _store(
    runtime: Runtime,
    surprise: Surprise,
    message: Message,
    drafts: list[Draft],
    refused: Sequence[Sequence[str]],
    corrected: Corrected | None,
    *,
    is_all: bool,
) -> Iterator[Written | Retracted]:
    """The third commit of a turn: the facts, what they replace, the settled surprise and what was refused, together.

    The surprise stays pending where these are not all the facts.
    """
    stored: list[Written] = []
    _ask_about_the_untold(runtime, message, drafts)
    drafts = [draft for draft in drafts if draft.text]
    texts = [draft.text for draft in drafts]
    alike = dict(zip(texts, near(runtime, texts), strict=True))
    with runtime.write() as session:
        if not expectations.still_stands(session, surprise.id, message.text):
            return  # taken back, edited or erased while the facts were made
        listed = memories.list_memories(session, ALL_LIVE, limit=runtime.settings.max_facts)
        known = {in_third_person(one.text): one.id for one in listed if one.is_compared}
        standing, is_more = _still_standing(session, corrected), False
        for draft in drafts:
            if is_more := len(stored) == FACTS_PER_TURN:
                break
            memory = memory_of(runtime, session.new_id(), draft, message, session.now)
            actor = Actor(draft.by, message.thread_id)
            said = duplicate_of(draft.text, known)
            same = known[said] if said else memories.find_same(session, normalise(draft.text))
            if same:  # it holds as long as any message says it
                if message.id not in memories.get_memory(session, same).sources:
                    changes.apply(session, Updated(same, sources=(message.id,)), actor)
                standing = None if standing and standing.memory_id == same else standing  # it was said again
                continue
            if standing and standing.requests and standing.instead and standing.instead.text == draft.text:
                _end(session, runtime, standing, actor)  # first: the same value may be asked about anew
                standing = None
            if _waits(runtime, message, draft, memory):
                continue
            said_before = [(one.memory, 0.0) for one in stored]  # in this message: words alone decide
            old = standing.known if standing and _is_of_same(draft, standing) else None
            stored.append(write(runtime, session, memory, [*alike[draft.text], *said_before], actor, old))
            standing = _after_one(session, runtime, standing, replace(actor, step=stored[-1].step), is_placed=old is not None)
            known[memory.text] = stored[-1].memory.id
        actor = Actor("merge", message.thread_id, step=stored[0].step if stored else session.new_id())
        ended = _end_all(session, runtime, standing, corrected, actor)
        # What makes room is taken back with the last fact it was made for.
        actor_of_room = replace(actor, name="lifecycle", step=stored[-1].step if stored else session.new_id())
        learned = [one for one in stored if one.before is None or one.before.text != one.memory.text]
        for memory_id in memories.overflowing(session, runtime.settings.max_facts):
            changes.apply(session, SoftDeleted(memory_id, "overflow", runtime.purge_at()), actor_of_room)
        outdated.ask_of_work(session, runtime, message, [one.memory for one in learned])
        if is_all and not is_more:
            expectations.settle_surprise(session, surprise.id, "learned" if learned else "nothing")
        _count(session, message, len(learned), len(drafts) - len(learned), refused, is_ok=bool(learned or ended))
    yield from learned
    yield from ended


def _count(
    session: Session, message: Message, learned: int, known: int, refused: Sequence[Sequence[str]], *, is_ok: bool
) -> None:
    """Note how many facts a message taught, and what was wrong with those that were refused."""
    unsaid = sum(UNSAID.issuperset(problems) for problems in refused)
    passing = sum(problems == [NOT_LASTING] for problems in refused)
    meta = {
        "learned": learned,
        "known": known,
        "refused": len(refused) - unsaid - passing,
        "unsaid": unsaid,
        "passing": passing,
        "rejected": [problem for problems in refused for problem in problems],
    }
    status: Literal["ok", "skipped"] = "ok" if is_ok else "skipped"
    events.add_event(session, "worker", "distil", status, thread_id=message.thread_id, meta=meta)


def _waits(runtime: Runtime, message: Message, draft: Draft, memory: Memory) -> bool:
    """Propose a fact that needs a yes, and say whether it does: it waits with all of that, and comes with the last yes."""
    if is_forgotten(runtime, draft.text):
        requests.propose(runtime, FORGOTTEN, draft.text, message_id=message.id, typed=True, memory=memory, proposer=draft.by)
        return True
    unknown = _unknown(runtime, message, draft)
    for one in (hint for hint in unknown if hint.value):
        requests.propose(runtime, one.field, one.value, message_id=message.id, typed=True, memory=memory, proposer=draft.by)
    return bool(unknown)


def _still_standing(session: Session, corrected: Corrected | None) -> Corrected | None:
    """Return what a message corrects, if that was not retired or decided since it was found."""
    if corrected is None:
        return None
    waits = [one for one in corrected.requests if consents.get_request(session, one.id).state == "pending"]
    there = memories.get_memories(session, [corrected.memory_id])
    return replace(corrected, requests=tuple(waits)) if waits or any(one.state is State.LIVE for one in there) else None


def _end(session: Session, runtime: Runtime, corrected: Corrected, actor: Actor) -> list[Retracted]:
    """Retire a fact that nothing takes the place of, or withdraw what waits; return the news of what is known of it."""
    actor = replace(actor, name="merge", step=actor.step or session.new_id())
    _end_asked(runtime, corrected, actor)
    if corrected.known is None:
        evidence = [one for request in corrected.requests for one in request.evidence] if corrected.is_denied else []
        again = restore(session, ended_by(session, evidence), actor)
        return [Retracted((), actor.step, again)] if again else []
    reason: Literal["superseded", "person"] = "superseded" if corrected.is_over else "person"
    holds_again = [] if corrected.is_over else gave_way(session, runtime, corrected.known)
    changes.apply(session, SoftDeleted(corrected.memory_id, reason, runtime.purge_at()), actor)
    return [Retracted((corrected.text,), actor.step, restore(session, holds_again, actor))]


def _end_all(
    session: Session, runtime: Runtime, standing: Corrected | None, corrected: Corrected | None, actor: Actor
) -> list[Retracted]:
    """End what still stands of what is corrected, and what ends with it, in one step; return the news of all."""
    ended = _end(session, runtime, standing, actor) if standing else []
    with_it = memories.get_memories(session, [one.id for one in corrected.with_it]) if corrected else []
    gone = [one for one in with_it if one.state is State.LIVE]
    for one in gone:
        changes.apply(session, SoftDeleted(one.id, "superseded", runtime.purge_at()), actor)
    texts = [text for one in ended for text in one.texts] + [one.text for one in gone]
    again = [text for one in ended for text in one.again]
    return [Retracted(tuple(texts), actor.step, tuple(again))] if texts or again else []


def _end_asked(runtime: Runtime, corrected: Corrected, actor: Actor) -> None:
    """Withdraw what is corrected where it waits, and what is asked about beside what is known."""
    pending.end_all(runtime, [one.id for one in (*corrected.requests, *corrected.beside)], actor, "signals")


def _after_one(
    session: Session, runtime: Runtime, standing: Corrected | None, actor: Actor, *, is_placed: bool
) -> Corrected | None:
    """Return what is still corrected once a fact was written; what that replaced is asked about no more."""
    if standing and is_placed:
        _end_asked(runtime, standing, actor)
        return None
    return _still_standing(session, standing)


def _ask_about_the_untold(runtime: Runtime, message: Message, drafts: Sequence[Draft]) -> None:
    """Propose what is sensitive and makes no fact, in the person's words, unless it is asked about already."""
    asked = {one.field for one in pending.of_message(runtime.read(), message.id)}
    asked |= {draft.topic for draft in drafts if draft.text}
    for draft in (one for one in drafts if not one.text and one.topic not in asked):
        if _is_stated_in_parts(runtime, message, draft.value):
            continue
        if takes_sentence(draft.topic):
            requests.propose(runtime, draft.topic, draft.value, message_id=message.id, typed=True, proposer=draft.by)
            continue
        for one in language_of(draft.value).facts_in(draft.value):
            memory = memory_of(runtime, "", one, message, runtime.clock())
            requests.propose(runtime, FACT, one.text, message_id=message.id, typed=True, memory=memory, proposer=draft.by)


def _is_stated_in_parts(runtime: Runtime, message: Message, sentence: str) -> bool:
    """Say whether a sentence is nothing but statements of values, which are asked about each: `I am Ana and live in Porto`."""
    told = language_of(sentence).read(sentence)
    said = {word for one in told.statements for word in tokens(one.said.casefold())}
    parts = [_unknown(runtime, message, draft_of(one.fact)) if one.fact else [] for one in told.statements]
    is_all = said | EN.coordinators | {","} >= set(tokens(expand(sentence).casefold()))
    return is_all and all(any(_says(part, one) for one in told.stated) for part in parts)


def propose_profile_changes(runtime: Runtime, message: Message) -> None:
    """Propose the profile values that a message states, each with its fact. Uses no model and takes milliseconds."""
    text = typed_on_its_day(message)
    language = language_of(text)
    told = language.read(text, said_before(runtime, message))  # as it is read again to learn from it: parsed once
    found = told.stated[:REQUESTS_PER_TURN]
    lasting_drafts = [_as_it_lasts(draft_of(one.fact), local_day(message)) for one in told.statements if one.fact and found]
    drafts = [draft for draft in lasting_drafts if draft]
    pasted = language.read(" ".join(message.text[start:end] for start, end in message.pasted)).stated
    is_own = not any(is_forgotten(runtime, draft.text) for draft in drafts)  # what was erased is no word for anything
    for one in found:
        typed = is_own and not any(other.field == one.field and same_value(one.field, other.value, one.value) for other in pasted)
        saying = [draft for draft in drafts if _says(_unknown(runtime, message, draft), one)]
        about_it = min(saying, key=lambda draft: len(_unknown(runtime, message, draft)), default=None)
        memory = memory_of(runtime, "", about_it, message, runtime.clock()) if about_it else None
        requests.propose(runtime, one.field, one.value, message_id=message.id, typed=typed, memory=memory)


def _unknown(runtime: Runtime, message: Message, draft: Draft) -> list[Hint]:
    """Return what a fact says that only the person's yes can make known, and that the profile does not say."""
    profile = decisions.profile(runtime)
    if draft.topic == FACT:
        return [one for one in unknown_in(draft.text, profile) if one.value] or [Hint(FACT, draft.text)]
    if draft.topic:
        return needs_yes(draft.text, draft.topic, profile)
    text = typed_on_its_day(message)
    return unknown_in(draft.text, profile, field=language_of(text).touches(draft.text, text))


def _says(unknown: Sequence[Hint], statement: Stated) -> bool:
    """Say whether a fact would make a statement known; another value of a field that has one is the same one."""
    values = [one.value for one in unknown if one.field == statement.field]
    return any(not has_many(statement.field) or same_value(statement.field, value, statement.value) for value in values)


def memory_of(runtime: Runtime, memory_id: str, draft: Draft, message: Message, now: datetime) -> Memory:
    """Return what a draft of a message becomes."""
    return Memory(
        id=memory_id,
        text=draft.text,
        tags=tuple(draft.tags),
        kind=draft.kind,
        category=draft.category or NOTES,
        importance=draft.importance,
        origin="distilled",
        sources=(message.id,),
        agent_id=chat.get_thread(runtime.read(), message.thread_id).persona,
        run_id=message.thread_id,
        created_at=now,
        updated_at=now,
    )
