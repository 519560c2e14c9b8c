"""Corrections: the memories a message takes back, ends or states otherwise.

A correction refers to a recent statement in the chat, or to an older memory near in meaning.
Memories the person wrote, changed or pinned by hand are never corrected.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memapp.domain.changes import Event, is_memapp
from memapp.domain.chat import Message, Role
from memapp.domain.consent import ConsentRequest
from memapp.domain.memory import Memory
from memapp.inference import Embedder
from memapp.language.corrections import likelihoods
from memapp.language.questions import content
from memapp.language.same_content import is_respelt
from memapp.language.sentence import without_mark
from memapp.language.word_file import WordFile
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.recall import nearest_memories
from memapp.store import chat, history, memories
from memapp.store.session import Session

RECENT = 3
"""Messages of the person in which a correction finds its subject; further back it must be near in
meaning.
"""
CORRECTS, CORRECTS_LONG_AGO = 0.3, 0.5
"""Least probability of a correction, for recent statements and for older memories."""
GOES_ON_CORRECTING = 0.1
"""The same for an explicit correction (`no wait`), or one that continues another."""
NEAR, NEAR_IN_WORDS, NEAR_OF_LATE = 0.5, 0.25, 0.2
"""Least cosines of a correction: to an older memory, to one that shares a word, and to a recent
statement if the sentence is no explicit correction.
"""
AS_SURE = 0.05
"""Of candidates this close to the most probable one, the latest is meant: `no wait, its Moss` does
not name a dog.
"""
LATE_BONUS = 0.1
"""Added to the probability of recent statements, as compared with older memories."""


@dataclass(frozen=True, slots=True)
class Correctable:
    """A memory that a sentence may correct, stored or pending."""

    memory: Memory
    requests: tuple[ConsentRequest, ...] = ()
    """Pending requests that hold the memory; none if it is stored."""
    is_recent: bool = False

    @property
    def subject(self) -> str:
        """Return the text with what it corrected: `no wait, the violin` alone has no subject."""
        return f"{self.memory.instead_of} {self.memory.text}".strip()


class Pairing(NamedTuple):
    """A sentence beside a memory it may correct."""

    target: Correctable
    likeness: float
    """Cosine of the two, without the words that mark a correction."""
    shares_subject: bool
    """Both have a word that says their subject."""
    probability: float
    """That the sentence takes back, ends or changes the memory."""

    @property
    def is_related(self) -> bool:
        return self.likeness >= (NEAR_IN_WORDS if self.shares_subject else NEAR)


def pair_with_memories(
    runtime: Runtime, embedder: Embedder, message: Message, typed: Sequence[str], words: WordFile
) -> list[list[Pairing]]:
    """Return the recent and older memories beside each sentence of a message.

    Raises `ModelError`.
    """
    candidates = _candidates(runtime, message)
    recent = {candidate.memory.id for candidate in candidates}
    bare = [without_mark(text, words) for text in typed]
    texts = list(dict.fromkeys([*typed, *bare, *(candidate.subject for candidate in candidates)]))
    vectors = dict(zip(texts, embedder.embed(texts, wait=True), strict=True))
    session = runtime.read()
    pairings = []
    for sentence, bare_sentence, long_ago in zip(
        typed, bare, nearest_memories(runtime, bare), strict=True
    ):
        bare_vector = vectors[bare_sentence]
        likenesses = [
            (candidate, float(bare_vector @ vectors[candidate.subject])) for candidate in candidates
        ]
        older = [
            (memory, like)
            for memory, like in long_ago
            if memory.id not in recent and message.id not in memory.sources
        ]
        likenesses += [
            (Correctable(memory), like)
            for memory, like in older
            if like < NEAR_IN_WORDS or is_correctable(session, memory)
        ]
        sure = likelihoods(
            sentence,
            words,
            vectors[sentence],
            [(candidate.memory.text, like) for candidate, like in likenesses],
        )
        subject = frozenset(content(bare_sentence, words))
        shared = (
            not subject.isdisjoint(content(candidate.memory.text, words))
            for candidate, _ in likenesses
        )
        beside = [
            Pairing(candidate, like, shares, float(probability))
            for (candidate, like), shares, probability in zip(likenesses, shared, sure, strict=True)
        ]
        pairings.append(
            [
                pairing
                for pairing in beside
                if not is_respelt(bare_sentence, pairing.target.memory.text)
            ]
        )
    return pairings


def find_corrected(
    beside: Sequence[Pairing],
    begun: Correctable | None,
    mark: Literal["", "own", "over"],
    *,
    is_answer: bool = False,
) -> Correctable | None:
    """Return the memory a sentence corrects: the one of the correction before, else the likeliest.

    A recent statement need not be near in meaning if the sentence can only be about the person's
    own words (`no wait`). It must be if the sentence answers a question of the same message, which
    may be a riddle.
    """
    if any(
        pairing.target == begun and pairing.probability >= GOES_ON_CORRECTING for pairing in beside
    ):
        return begun
    least, least_long_ago = (
        (GOES_ON_CORRECTING, GOES_ON_CORRECTING) if mark else (CORRECTS, CORRECTS_LONG_AGO)
    )
    of_late = [
        pairing
        for pairing in beside
        if pairing.target.is_recent
        and (
            pairing.is_related
            if is_answer
            else mark == "own" or pairing.shares_subject or pairing.likeness >= NEAR_OF_LATE
        )
    ]
    long_ago = [
        pairing
        for pairing in beside
        if not pairing.target.is_recent
        and pairing.probability >= least_long_ago
        and pairing.is_related
    ]
    if max((pairing.probability for pairing in of_late), default=0.0) < least:
        of_late = []
    likely = [
        *((pairing.probability + LATE_BONUS, pairing.target) for pairing in of_late),
        *((pairing.probability, pairing.target) for pairing in long_ago),
    ]
    surest = max((sure for sure, _ in likely), default=0.0)
    as_sure = [target for sure, target in likely if surest - sure <= AS_SURE]
    return max(as_sure, key=lambda target: target.memory.created_at, default=None)


def _candidates(runtime: Runtime, message: Message) -> list[Correctable]:
    """Return the memories, stored or pending, of the person's last messages in the chat.

    Without those the person wrote or changed by hand.
    """
    session = runtime.read()
    before = chat.list_messages(session, message.thread_id, before=message.seq, limit=4 * RECENT)
    message_ids = [message.id for message in before if message.role is Role.USER][-RECENT:]
    live = [
        memory
        for memory in memories.list_learned_from(session, message_ids)
        if is_correctable(session, memory)
    ]
    requests_by_text: dict[str, list[ConsentRequest]] = {}
    by_text: dict[str, Memory] = {}
    for request in (
        request for message_id in message_ids for request in pending.of_message(session, message_id)
    ):
        if memory := pending.held_memory(session, request):
            requests_by_text.setdefault(memory.text, []).append(request)
            by_text[memory.text] = memory
    return [
        *(Correctable(memory, is_recent=True) for memory in live),
        *(
            Correctable(memory, tuple(requests_by_text[memory_text]), is_recent=True)
            for memory_text, memory in by_text.items()
        ),
    ]


def is_correctable(session: Session, memory: Memory) -> bool:
    """Return True unless the person pinned, wrote or changed a memory, except by approval."""
    creation, *since = reversed(history.list_entries(session, subject_id=memory.id, limit=None))
    is_own = memory.pinned or memory.origin == "person"
    return (
        not is_own
        and creation.event is Event.ADD
        and all(is_memapp(entry.actor) for entry in since)
    )
