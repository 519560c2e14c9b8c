"""Learns from a message: which of its sentences are worth remembering, in the words they were typed
in. A message that was to be kept out (`don't save this`) never comes here.

A sentence is kept by what the judge says of it: that it lasts, and is meant. A sensitive one waits
for the person's yes. What takes back or ends something retires the memory of that, which stands
beside the new one as what it is in place of. No sentence is reworded, so that a memory can be wrong
in nothing but its being kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from memapp.domain.changes import Actor, Created, Event, SoftDeleted, Updated, is_memapp
from memapp.domain.chat import Message, Role
from memapp.domain.consent import FACT, FORGOTTEN, ConsentRequest
from memapp.domain.filters import MemoryFilter
from memapp.domain.memory import MAX_SAID_CHARS, Kind, Memory, State
from memapp.domain.prediction import Surprise
from memapp.domain.profile import CLOSE_PEOPLE, has_value
from memapp.domain.provenance import WhyNot
from memapp.domain.text import one_line
from memapp.domain.turn import Remembered, Retracted
from memapp.domain.utterance import DEFAULT_IMPORTANCE, RULES, Judgement
from memapp.inference import Embedder
from memapp.language.asked import content
from memapp.language.corrections import likelihoods
from memapp.language.days import last_day
from memapp.language.grammar import sentences
from memapp.language.judge import judge, judges
from memapp.language.own_words import own_words, plays
from memapp.language.profile import stated, takes_sentence
from memapp.language.requests import asked
from memapp.language.same import is_respelt
from memapp.language.sentence import (
    category,
    corrects,
    cut_at_clause,
    is_for_now,
    is_question,
    is_sensitive,
    leans,
    may_tell_secret,
    tells_secret,
    without_mark,
)
from memapp.language.word_file import WordFile, words_of
from memapp.runtime import Runtime
from memapp.services import howtos
from memapp.services.consent import decisions, pending, requests
from memapp.services.forget import is_forgotten
from memapp.services.likeness import Near, near, same_as
from memapp.services.trust import leave
from memapp.store import changes, chat, events, expectations, history, memories, search
from memapp.store.session import Session

LASTS, MEANT = 0.7, 0.7
"""How sure the judge must be of what is kept."""
SENSITIVE = 0.35
"""How sure the judge must be to ask; it would rather ask once too often."""
TOPIC = 0.5
"""How sure the judge must be of a topic to name it; a bakery that costs sleep is no matter of
health.
"""
JUDGED_LANGUAGE = "en"
"""The language that the judge was fitted to: in others it hears too little of what is sensitive,
and their words tell.
"""
MAY_LAST = 0.3
"""What is sensitive, and perhaps lasts, it asks about rather than drops."""
SECRET = "secret"
"""A topic of the judge: what is of it is never kept."""
SECRET_AT_ALL = 0.2
"""How sure the judge must be of a secret; it would rather drop too much."""
OF_OTHERS = 0.5
RELATIONSHIPS = "relationships"
"""The category of a memory of somebody close; sensitive news of them wait for the topic
`CLOSE_PEOPLE`.
"""
MOST_SENTENCES = 40
MEMORIES_PER_DAY = 100
"""More than anybody tells of themselves; what is left is learned on the next day."""
FEWEST_WORDS = 3
"""Fewer say nothing but as the answer to a question."""
RECENT = 3
"""Messages of the person in which a correction finds what it is about; elsewhere it must be near in
meaning.
"""
PLAYED = 8
"""Messages a play goes on for."""
CORRECTS, CORRECTS_LONG_AGO = 0.3, 0.5
"""How sure a sentence must correct what was said of late, and what was said long ago."""
GOES_ON_CORRECTING = 0.1
"""The same where the sentence says that it corrects (`no wait`), or goes on with a correction."""
NEAR, NEAR_IN_WORDS, NEAR_OF_LATE = 0.5, 0.25, 0.2
"""Cosines from which on a correction may be about what was said long ago, about that if they share
a word, and, if the sentence does not say itself that it corrects, about what was said of late.
"""
AS_SURE = 0.05
"""Of what it is as sure to be about, what was said last is meant: `no wait, its Moss` says nothing
of a dog.
"""
LATE_BONUS = 0.1
"""Added to how sure it is about what was said of late, where that is weighed against what was said
long ago.
"""
EMBEDDER_SECONDS = 20.0
"""How long learning waits for the embedding model that is being loaded; nobody waits for learning.
"""


@dataclass(frozen=True, slots=True)
class Correctable:
    """What a sentence may correct: a memory, or one that waits for a yes."""

    memory: Memory
    requests: tuple[ConsentRequest, ...] = ()
    """Those it waits with; none where it is known."""
    is_recent: bool = False


class Pairing(NamedTuple):
    """A sentence beside what it may correct."""

    what: Correctable
    likeness: float
    """Cosine of the two, the sentence without the words that mark it as a correction."""
    shares: bool
    """Both have a word that says what they are about."""
    sure: float
    """How sure the sentence takes back, ends or changes what the memory says."""

    @property
    def is_related(self) -> bool:
        return self.likeness >= (NEAR_IN_WORDS if self.shares else NEAR)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message that may be worth remembering."""

    text: str
    before: str = ""
    """The sentence it leans on."""
    corrects: Correctable | None = None
    """What it takes the place of."""
    topic: str = ""
    """The field of the profile that it needs a yes for."""
    category: str = ""

    @property
    def whole(self) -> str:
        return f"{self.before} {self.text}".strip()


def learn(runtime: Runtime, surprise: Surprise) -> Iterator[Remembered | Retracted]:
    """Learn from one message; yield each memory. It stays pending until the embedding model is
    there. Raises `ModelError`.

    A surprise is a message that call 1 did not foresee.
    """
    embedder = runtime.reading.ready(within=EMBEDDER_SECONDS)
    if embedder is None or is_enough_for_today(runtime):
        return
    message = chat.get_message(runtime.read(), surprise.message_id)
    howtos.propose(runtime, message)
    propose_profile(runtime, message)  # what failed or was cut off when the message came
    found = (
        _judged(embedder, _sentences(runtime, embedder, message))
        if judges(embedder.model_id)
        else []
    )
    yield from _store(
        runtime, surprise, message, found, near(runtime, [sentence.whole for sentence in found])
    )


def is_enough_for_today(runtime: Runtime) -> bool:
    """Return True where so much was learned today that the rest is left for tomorrow."""
    return (
        memories.count_memories(
            runtime.read(), MemoryFilter(after=runtime.clock().astimezone().date())
        )
        >= MEMORIES_PER_DAY
    )


def refusals(runtime: Runtime, message: Message) -> list[tuple[str, WhyNot | None]]:
    """Return the sentences of a message that state something, each with why it makes no memory;
    None where it does.

    Only what the person wrote as it stands is told: no sentence out of which somebody else's words
    were cut. Raises `ModelError`.
    """
    embedder = runtime.reading.ready()
    if embedder is None or not judges(embedder.model_id):
        return []
    typed = one_line(message.typed_text)
    found = [
        sentence for sentence in _sentences(runtime, embedder, message) if sentence.text in typed
    ]
    decided = [
        (sentence, _decided(sentence, readings))
        for sentence, readings in zip(found, _readings(embedder, found), strict=True)
    ]
    return [
        (sentence.text, None if isinstance(what, Sentence) else what) for sentence, what in decided
    ]


def propose_profile(runtime: Runtime, message: Message) -> None:
    """Propose the values of the profile that a message states, each with its sentence. Uses no
    model and takes milliseconds.
    """
    words = words_of(message.typed_text)
    if plays([*_said_before(runtime, message)[-PLAYED:], message.typed_text], words):
        return
    for text in map(_bare, sentences(own_words(message.typed_text, words))[:MOST_SENTENCES]):
        if len(text) <= MAX_SAID_CHARS and not is_question(text, words):
            sentence = Sentence(text, category=category(text, words))
            _propose(runtime, message, sentence, _memory(runtime.read(), message, sentence))


# Which sentences ----------------------------------------------------------------------------------


def _sentences(runtime: Runtime, embedder: Embedder, message: Message) -> list[Sentence]:
    """Return the sentences of a message that state something, each with what it leans on or
    corrects.
    """
    words = words_of(message.typed_text)
    said = _said_before(runtime, message)
    if plays([*said[-PLAYED:], message.typed_text], words):
        return []
    typed = [
        _bare(word) for word in sentences(own_words(message.typed_text, words))[:MOST_SENTENCES]
    ]
    last = (
        [
            _bare(word)
            for word in sentences(own_words(said[-1], words))[-1:]
            if not is_question(word, words)
        ]
        if said
        else []
    )
    beside = _beside(runtime, embedder, message, typed, words) if typed else []
    request = asked(message.typed_text, words)
    kept = (
        request.content if request and request.kind == "remember" else ""
    )  # at once, as it was asked for
    found: list[Sentence] = []
    for at, text in enumerate(typed):
        before = typed[at - 1] if at else "".join(last)
        if is_question(text, words) or is_for_now(text, words) or (kept and kept in text):
            continue
        last_corrects = found[-1].corrects if found else None
        if corrected := _corrected(beside[at], last_corrects, corrects(text, words)):
            begun = next(
                (place for place, sentence in enumerate(found) if sentence.corrects == corrected),
                None,
            )
            if begun is None:
                found.append(Sentence(text, corrects=corrected, category=category(text, words)))
            elif (
                len(found[begun].text) + len(text) < MAX_SAID_CHARS
            ):  # two sentences that correct one thing are one memory
                found[begun] = replace(found[begun], text=f"{found[begun].text} {text}")
            continue
        is_answer = len(text.split()) < FEWEST_WORDS
        if is_answer and not before.endswith("?") and not last_corrects:
            continue
        is_leaning = is_answer or leans(text, words, is_first=at == 0)
        found.append(Sentence(text, before if is_leaning else "", category=category(text, words)))
    cut = [_cut(sentence, words) for sentence in found]
    return [
        replace(sentence, topic=FACT)
        if words.code != JUDGED_LANGUAGE and is_sensitive(sentence.whole, words)
        else sentence
        for sentence in cut
    ]


def _cut(sentence: Sentence, words: WordFile) -> Sentence:
    """Return a sentence that is short enough for a memory: without the one before, or cut at a
    clause, where it is not.
    """
    if len(sentence.whole) <= MAX_SAID_CHARS:
        return sentence
    return replace(sentence, text=cut_at_clause(sentence.text, MAX_SAID_CHARS, words), before="")


def _bare(sentence: str) -> str:
    return one_line(sentence.strip(" -*•\t"))


def _said_before(runtime: Runtime, message: Message) -> list[str]:
    """Return what the person typed in the chat before a message, without what was taken back."""
    before = chat.list_messages(
        runtime.read(), message.thread_id, before=message.seq, limit=2 * PLAYED
    )
    said = [message for message in before if message.role is Role.USER]
    gone = search.taken_back(runtime.read(), [message.id for message in said])
    return [message.typed_text for message in said if message.id not in gone]


def _beside(
    runtime: Runtime, embedder: Embedder, message: Message, typed: Sequence[str], words: WordFile
) -> list[list[Pairing]]:
    """Return each sentence of a message beside what was told of late, and what is known of long
    ago. Raises `ModelError`.
    """
    known = _correctable(runtime, message)
    recent = {candidate.memory.id for candidate in known}
    bare = [without_mark(text, words) for text in typed]
    texts = list(dict.fromkeys([*typed, *bare, *(candidate.memory.text for candidate in known)]))
    vectors = dict(zip(texts, embedder.embed(texts, wait=True), strict=True))
    session = runtime.read()
    found = []
    for sentence, without_its, long_ago in zip(typed, bare, near(runtime, bare), strict=True):
        vector, without = vectors[sentence], vectors[without_its]
        alike = [
            (candidate, float(without @ vectors[candidate.memory.text])) for candidate in known
        ]
        others = [
            (memory, like)
            for memory, like in long_ago
            if memory.id not in recent and message.id not in memory.sources
        ]
        alike += [
            (Correctable(memory), like)
            for memory, like in others
            if like < NEAR_IN_WORDS or is_correctable(session, memory)
        ]
        sure = likelihoods(
            sentence, words, vector, [(candidate.memory.text, like) for candidate, like in alike]
        )
        said = frozenset(content(without_its, words))
        shared = (
            not said.isdisjoint(content(candidate.memory.text, words)) for candidate, _ in alike
        )
        beside = [
            Pairing(candidate, like, has, float(p))
            for (candidate, like), has, p in zip(alike, shared, sure, strict=True)
        ]
        found.append(
            [pairing for pairing in beside if not is_respelt(without_its, pairing.what.memory.text)]
        )
    return found


def _corrected(
    beside: Sequence[Pairing], begun: Correctable | None, mark: Literal["", "own", "over"]
) -> Correctable | None:
    """Return what a sentence takes back, ends or says otherwise: what one before it began to, else
    the likeliest.

    What was said of late need not be near in meaning where the sentence can only be about the
    person's own words (`no wait`). Of all these the surest is meant.
    """
    if any(pairing.what == begun and pairing.sure >= GOES_ON_CORRECTING for pairing in beside):
        return begun
    least, least_long_ago = (
        (GOES_ON_CORRECTING, GOES_ON_CORRECTING) if mark else (CORRECTS, CORRECTS_LONG_AGO)
    )
    of_late = [
        pairing
        for pairing in beside
        if pairing.what.is_recent
        and (mark == "own" or pairing.shares or pairing.likeness >= NEAR_OF_LATE)
    ]
    long_ago = [
        pairing
        for pairing in beside
        if not pairing.what.is_recent and pairing.sure >= least_long_ago and pairing.is_related
    ]
    if max((pairing.sure for pairing in of_late), default=0.0) < least:
        of_late = []
    likely = [
        *((pairing.sure + LATE_BONUS, pairing.what) for pairing in of_late),
        *((pairing.sure, pairing.what) for pairing in long_ago),
    ]
    surest = max((sure for sure, _ in likely), default=0.0)
    as_sure = [what for sure, what in likely if surest - sure <= AS_SURE]
    return max(as_sure, key=lambda what: what.memory.created_at, default=None)


def _correctable(runtime: Runtime, message: Message) -> list[Correctable]:
    """Return what is known, or waits, from the person's last messages in the chat: never what they
    wrote or changed by hand.
    """
    session = runtime.read()
    before = chat.list_messages(session, message.thread_id, before=message.seq, limit=4 * RECENT)
    said = [message.id for message in before if message.role is Role.USER][-RECENT:]
    live = [
        memory
        for memory in memories.list_learned_from(session, said)
        if is_correctable(session, memory)
    ]
    waiting: dict[str, list[ConsentRequest]] = {}
    by_text: dict[str, Memory] = {}
    for request in (
        request for message_id in said for request in pending.of_message(session, message_id)
    ):
        if memory := pending.brought_by(session, request):
            waiting.setdefault(memory.text, []).append(request)
            by_text[memory.text] = memory
    return [
        *(Correctable(memory, is_recent=True) for memory in live),
        *(
            Correctable(memory, tuple(waiting[text]), is_recent=True)
            for text, memory in by_text.items()
        ),
    ]


def is_correctable(session: Session, memory: Memory) -> bool:
    """Return True for a memory that a message may retire: the person neither pinned, wrote nor
    changed it, but for a yes.
    """
    made, *since = reversed(history.list_entries(session, memory_id=memory.id, limit=None))
    is_own = memory.pinned or memory.origin == "person"
    return not is_own and made.event is Event.ADD and all(is_memapp(entry.actor) for entry in since)


# Judging them -------------------------------------------------------------------------------------


def _judged(embedder: Embedder, found: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences that are kept or wait, those that lean on one just kept joined with it.
    Raises `ModelError`.
    """
    kept: list[Sentence] = []
    for sentence, readings in zip(found, _readings(embedder, found), strict=True):
        decided = _decided(sentence, readings)
        if kept and (
            _goes_on(kept[-1], decided)
            if isinstance(decided, Sentence)
            else _is_rest(kept[-1], sentence, readings)
        ):
            kept[-1] = replace(kept[-1], text=f"{kept[-1].text} {sentence.text}")
        elif isinstance(decided, Sentence):
            kept.append(decided)
    return kept


def _readings(embedder: Embedder, found: Sequence[Sentence]) -> list[list[Judgement]]:
    """Judge each sentence by itself, and with what it leans on or corrects. Raises `ModelError`."""
    read = [
        [
            sentence.text,
            f"{sentence.corrects.memory.text} {sentence.text}"
            if sentence.corrects
            else sentence.whole,
        ]
        for sentence in found
    ]
    texts = list(dict.fromkeys(text for each in read for text in each))
    judged = (
        dict(zip(texts, judge(texts, embedder.embed(texts, wait=True)), strict=True))
        if texts
        else {}
    )
    return [[judged[text] for text in each] for each in read]


def _decided(sentence: Sentence, readings: Sequence[Judgement]) -> Sentence | WhyNot:
    """Return a sentence that is kept, or that waits with its topic; or why it is neither."""
    own, whole = readings
    if _tells_secret(sentence, readings):
        return "secret"
    # What takes the place of a memory lasts as that did, however little it says alone.
    lasts = 1.0 if sentence.corrects else max(own.lasts, whole.lasts)
    meant = 1.0 if sentence.corrects else max(own.is_meant, whole.is_meant)
    if (is_judged := _is_sensitive(readings)) or sentence.topic:
        topic = (
            _topic(max(readings, key=lambda one: one.sensitive)) if is_judged else sentence.topic
        )
        return replace(sentence, topic=topic) if lasts >= MAY_LAST else "passing"
    if lasts < LASTS or meant < MEANT:
        return (
            "not meant" if meant < min(lasts, MEANT) else "passing"
        )  # the weaker of the two is the reason
    return (
        replace(sentence, category=RELATIONSHIPS) if whole.is_of_others >= OF_OTHERS else sentence
    )


def _goes_on(last: Sentence, sentence: Sentence) -> bool:
    """Return True for a sentence that leans on the one just kept, where both are one memory."""
    is_next = (
        bool(sentence.before)
        and last.text.endswith(sentence.before)
        and last.topic == sentence.topic
    )
    return is_next and _fits(last, sentence)


def _is_rest(last: Sentence, sentence: Sentence, readings: Sequence[Judgement]) -> bool:
    """Return True for what a message says after a correction and is no memory of its own: the
    correction may need it.
    """
    is_plain = not (sentence.topic or _is_sensitive(readings) or _tells_secret(sentence, readings))
    return last.corrects is not None and is_plain and _fits(last, sentence)


def _fits(last: Sentence, sentence: Sentence) -> bool:
    return len(last.whole) + len(sentence.text) < MAX_SAID_CHARS


def _tells_secret(sentence: Sentence, readings: Sequence[Judgement]) -> bool:
    is_named = tells_secret(sentence.whole) or may_tell_secret(sentence.text)
    return is_named or max(judgement.topics[SECRET] for judgement in readings) >= SECRET_AT_ALL


def _is_sensitive(readings: Sequence[Judgement]) -> bool:
    return sum(judgement.sensitive for judgement in readings) / len(readings) >= SENSITIVE


def _topic(judged: Judgement) -> str:
    """Return the field of the profile that a sensitive sentence waits for."""
    if judged.is_of_others >= OF_OTHERS:
        return CLOSE_PEOPLE
    topics = {name: sure for name, sure in judged.topics.items() if name != SECRET}
    topic = max(topics, key=topics.__getitem__)
    return topic if topics[topic] >= TOPIC and takes_sentence(topic) else FACT


# Storing them -------------------------------------------------------------------------------------


def _store(
    runtime: Runtime,
    surprise: Surprise,
    message: Message,
    found: Sequence[Sentence],
    alike: Sequence[Near],
) -> Iterator[Remembered | Retracted]:
    """Store what is kept and propose what waits, with what each takes the place of and the settled
    surprise, together.
    """
    stored: list[Remembered] = []
    retired: list[Retracted] = []
    with runtime.write() as session:
        if not expectations.still_stands(session, surprise.id, message.text):
            return  # taken back, edited or erased meanwhile
        taught = history.texts_from(session, message.id)  # it may be read again after a yes
        may_write = leave(session, RULES) == "write"
        for sentence, known in zip(found, alike, strict=True):
            memory = _memory(session, message, sentence)
            if memory.text in taught:
                continue
            actor = Actor(RULES, message.thread_id, step=session.new_id())
            old = (
                _retire(runtime, session, sentence.corrects, actor, may_write=may_write)
                if sentence.corrects
                else None
            )
            waits = _propose(runtime, message, sentence, memory, may_write=may_write)
            same = None if waits else same_as(session, memory.text, known)
            if same:
                changes.apply(session, Updated(same, sources=(message.id,)), actor)
            if waits or same:
                retired += [Retracted((old.text,), actor.step)] if old else []
                continue
            changes.apply(session, Created(memory), actor)
            stored.append(Remembered(memories.get_memory(session, memory.id), actor.step, old))
        if stored:
            _make_room(session, runtime, Actor(RULES, message.thread_id, step=stored[-1].step))
        expectations.settle_surprise(
            session, surprise.id, "learned" if stored or taught else "nothing"
        )
        _count(
            session, message, len(stored), len(found) - len(stored), is_ok=bool(stored or retired)
        )
    yield from stored
    yield from retired


def _retire(
    runtime: Runtime, session: Session, corrected: Correctable, actor: Actor, *, may_write: bool
) -> Memory | None:
    """Move what is corrected to the trash, or withdraw it where it waits; return the memory that
    went.
    """
    pending.end_all(runtime, [request.id for request in corrected.requests], actor, "signals")
    live = [
        memory
        for memory in memories.get_memories(session, [corrected.memory.id])
        if memory.state is State.LIVE and may_write
    ]
    for memory in live:
        changes.apply(
            session,
            SoftDeleted(memory.id, "superseded", runtime.purge_at()),
            replace(actor, name="merge"),
        )
    return next(iter(live), None)


def _propose(
    runtime: Runtime,
    message: Message,
    sentence: Sentence,
    memory: Memory,
    *,
    may_write: bool = True,
) -> bool:
    """Propose what of a sentence needs a yes, and return whether anything does: then the yes brings
    the memory, too.

    A value that the profile has already, in the same or another wording, had its yes. Where nothing
    may be stored unasked, all needs one.
    """
    profile = decisions.profile(runtime)
    values = [
        hint
        for hint in stated(sentence.text, words_of(sentence.text))
        if not has_value(hint.field, profile.get(hint.field, ()), hint.value)
    ]
    for hint in values:
        requests.propose(
            runtime, hint.field, hint.value, message_id=message.id, typed=True, memory=memory
        )
    if values:
        return True
    field = FORGOTTEN if is_forgotten(runtime, memory.text) else sentence.topic
    if sentence.corrects and sentence.corrects.requests:
        field = field or FACT  # what it corrects was asked about, too
    if field or not may_write:
        field, old = field or FACT, "" if may_write else memory.instead_of
        requests.propose(
            runtime, field, memory.text, message_id=message.id, typed=True, memory=memory, old=old
        )
    return bool(field)


def _memory(session: Session, message: Message, sentence: Sentence) -> Memory:
    old = sentence.corrects.memory if sentence.corrects else None
    memory = memory_of(session, message, sentence.whole, sentence.category)
    return (
        replace(memory, importance=max(memory.importance, old.importance), instead_of=old.text)
        if old
        else memory
    )


def memory_of(session: Session, message: Message, text: str, category: str) -> Memory:
    """Return what words of a message become as a memory, of the day they were said."""
    return Memory(
        id=session.new_id(),
        text=text,
        tags=(),
        kind=Kind.SEMANTIC,
        category=category,
        importance=DEFAULT_IMPORTANCE,
        origin="said",
        sources=(message.id,),
        agent_id=chat.get_thread(session, message.thread_id).persona,
        run_id=message.thread_id,
        valid_until=last_day(text, message.created_at.astimezone().date(), words_of(text)),
        created_at=message.created_at,
        updated_at=message.created_at,
    )


def _make_room(session: Session, runtime: Runtime, actor: Actor) -> None:
    """Move what there is no room for to the trash, in the step of the last new memory: they are
    taken back together.
    """
    for memory_id in memories.overflowing(session, runtime.settings.max_facts):
        changes.apply(
            session,
            SoftDeleted(memory_id, "overflow", runtime.purge_at()),
            replace(actor, name="lifecycle"),
        )


def _count(session: Session, message: Message, learned: int, known: int, *, is_ok: bool) -> None:
    """Note how many memories a message brought, and how many sentences made none, since they wait
    or were known.
    """
    status: Literal["ok", "skipped"] = "ok" if is_ok else "skipped"
    meta = {"learned": learned, "known": known}
    events.add_event(session, "worker", "distil", status, thread_id=message.thread_id, meta=meta)
