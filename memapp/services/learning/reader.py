"""Learning from a message: its sentences worth remembering, in the words they were typed in.

The judge keeps a sentence that is lasting and meant. A sensitive one waits for the person's
approval. A correction retires the memory it is about, and names it in the new one. No sentence is
reworded, so a memory can only be wrong in being kept. A message to be kept out of memory (`don't
save this`) never comes here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memapp.domain.chat import Message, Role
from memapp.domain.consent import FACT
from memapp.domain.filters import MemoryFilter
from memapp.domain.judgement import Judgement
from memapp.domain.learning_queue import QueuedMessage
from memapp.domain.memory import MAX_SAID_CHARS
from memapp.domain.profile import CLOSE_PEOPLE
from memapp.domain.provenance import JudgedSentences, WhyNot
from memapp.domain.text import one_line
from memapp.domain.turn_events import Remembered, Retracted
from memapp.inference import Embedder
from memapp.language.grammar import sentences
from memapp.language.judge import judge, judges
from memapp.language.own_words import own_words, plays
from memapp.language.profile import stated, takes_sentence
from memapp.language.requests import asked
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
)
from memapp.language.word_file import WordFile, words_of
from memapp.runtime import Runtime
from memapp.services import howtos
from memapp.services.forget import is_forgotten
from memapp.services.learning.corrections import Correctable, find_corrected, pair_with_memories
from memapp.services.learning.sentence_storage import Sentence, memory_for, propose, store_sentences
from memapp.services.recall import nearest_memories, redact
from memapp.store import chat, memories, withdrawn

LASTS, MEANT = 0.7, 0.7
"""Least probabilities of a sentence that is kept."""
SENSITIVE = 0.35
"""Least probability of a sentence that is asked about; better one question too many."""
SURE_OF_TOPIC = 0.5
"""Least probability of a sensitive topic for asking under its own profile field, else under `FACT`;
a bakery that costs sleep is no matter of health.
"""
JUDGED_LANGUAGE = "en"
"""The language the judge was fitted to. In others it misses sensitive sentences, so that words
decide, too.
"""
MAY_LAST = 0.3
"""Least probability that a sensitive sentence lasts, to ask about it rather than drop it."""
SECRET = "secret"
"""The judge's topic of sentences that are never kept."""
SECRET_AT_ALL = 0.2
"""Least probability of a secret; better one dropped too many."""
OF_OTHERS = 0.5
RELATIONSHIPS = "relationships"
"""The category of memories of close people; sensitive ones need approval under `CLOSE_PEOPLE`."""
MOST_SENTENCES = 40
MEMORIES_PER_DAY = 100
"""More than anybody tells; the rest is learned on the next day."""
FEWEST_WORDS = 3
"""Shorter sentences count only as the answer to a question."""
ROLE_PLAY_MESSAGES = 8
"""Messages that a play goes on for."""
EMBEDDER_SECONDS = 20.0
"""How long learning waits for an embedding model that is loading; nobody waits for learning."""


def learn(runtime: Runtime, queued: QueuedMessage) -> Iterator[Remembered | Retracted]:
    """Learn from a message of the queue; yield each memory.

    The message stays pending until the embedding model is loaded. Raises `ModelError`.
    """
    embedder = runtime.judge_embedder.ready(within=EMBEDDER_SECONDS)
    if embedder is None or is_enough_for_today(runtime):
        return
    message = chat.get_message(runtime.read(), queued.message_id)
    howtos.propose(runtime, message)
    propose_profile(runtime, message)  # again, in case it failed or was cut off in the turn
    learned = (
        _sentences_to_keep(embedder, _statements(runtime, embedder, message))
        if judges(embedder.model_id)
        else []
    )
    yield from store_sentences(
        runtime,
        queued,
        message,
        learned,
        nearest_memories(runtime, [sentence.whole for sentence in learned]),
    )


def is_enough_for_today(runtime: Runtime) -> bool:
    """Return True if the rest is left for tomorrow."""
    return (
        memories.count_memories(
            runtime.read(), MemoryFilter(after=runtime.clock().astimezone().date())
        )
        >= MEMORIES_PER_DAY
    )


def judged_sentences(runtime: Runtime, message: Message) -> JudgedSentences:
    """Return the statements of a message, each with the reason against it; None if kept.

    Only whole sentences of the person: none from which words of others were cut. Raises
    `ModelError`.
    """
    embedder = runtime.judge_embedder.ready()
    if embedder is None or not judges(embedder.model_id):
        return []
    typed = one_line(message.typed_text)
    statements = [
        sentence for sentence in _statements(runtime, embedder, message) if sentence.text in typed
    ]
    decided = [
        (sentence, _decide(sentence, judgements))
        for sentence, judgements in zip(
            statements, _judge_sentences(embedder, statements), strict=True
        )
    ]
    return [
        (sentence.text, None if isinstance(decision, Sentence) else decision)
        for sentence, decision in decided
    ]


def propose_profile(runtime: Runtime, message: Message) -> None:
    """Propose the profile values a message states, each with its sentence.

    Uses no model and takes milliseconds.
    """
    words = words_of(message.typed_text)
    if plays([*_texts(_said_before(runtime, message)), message.typed_text], words):
        return
    for text in _own_sentences(message.typed_text, words)[:MOST_SENTENCES]:
        if len(text) > MAX_SAID_CHARS or is_question(text, words):
            continue
        if any(stated(text, words_of(text))) or is_forgotten(runtime, text):
            sentence = Sentence(text, category=category(text, words))
            propose(runtime, message, sentence, memory_for(runtime.read(), message, sentence))


# Statements ---------------------------------------------------------------------------------------


def _statements(runtime: Runtime, embedder: Embedder, message: Message) -> list[Sentence]:
    """Return the statements of a message, with the sentence before or the memory they correct."""
    words = words_of(message.typed_text)
    earlier = _said_before(runtime, message)
    if plays([*_texts(earlier), message.typed_text], words):
        return []
    typed = _own_sentences(message.typed_text, words)[:MOST_SENTENCES]
    last_statement = _last_statement(earlier, words)
    # A sentence that leans on a pending or denied one needs approval, too.
    redacted = _last_statement(redact(runtime.read(), earlier[-1:]), words)
    field_of_last = FACT if redacted != last_statement else ""
    # An answer to a question of the same message has its subject there: `did I say six? seven`.
    in_context = [
        f"{before} {text}" if is_question(before, words) else text
        for before, text in zip(["", *typed], typed, strict=False)
    ]
    beside = pair_with_memories(runtime, embedder, message, in_context, words) if typed else []
    request = asked(message.typed_text, words)
    # A request to remember was carried out in the turn.
    asked_to_keep = request.content if request and request.kind == "remember" else ""
    statements: list[Sentence] = []
    for at, text in enumerate(typed):
        before = typed[at - 1] if at else last_statement
        if (
            is_question(text, words)
            or is_for_now(text, words)
            or (asked_to_keep and asked_to_keep in text)
        ):
            continue
        last_corrects = statements[-1].corrects if statements else None
        if corrected := find_corrected(
            beside[at],
            last_corrects,
            corrects(in_context[at], words),
            is_answer=in_context[at] != text,
        ):
            _add_correction(statements, corrected, text, words)
            continue
        is_short = len(text.split()) < FEWEST_WORDS
        if is_short and not before.endswith("?") and not last_corrects:
            continue
        is_leaning = is_short or leans(text, words, is_first=at == 0)
        statements.append(
            Sentence(
                text,
                before if is_leaning else "",
                approval_field=field_of_last if is_leaning and at == 0 else "",
                category=category(text, words),
            )
        )
    cut = [_cut(sentence, words) for sentence in statements]
    return [
        replace(sentence, approval_field=FACT)
        if words.code != JUDGED_LANGUAGE and is_sensitive(sentence.whole, words)
        else sentence
        for sentence in cut
    ]


def _add_correction(
    statements: list[Sentence], corrected: Correctable, text: str, words: WordFile
) -> None:
    """Add a correction, or join it with one of the same memory if there is room."""
    for place, sentence in enumerate(statements):
        if sentence.corrects == corrected:
            if len(sentence.text) + len(text) < MAX_SAID_CHARS:
                statements[place] = replace(sentence, text=f"{sentence.text} {text}")
            return
    statements.append(Sentence(text, corrects=corrected, category=category(text, words)))


def _cut(sentence: Sentence, words: WordFile) -> Sentence:
    """Return a sentence short enough for a memory: without the one before, or cut at a clause."""
    if len(sentence.whole) <= MAX_SAID_CHARS:
        return sentence
    return replace(sentence, text=cut_at_clause(sentence.text, MAX_SAID_CHARS, words), before="")


def _own_sentences(text: str, words: WordFile) -> list[str]:
    """Return the sentences in the person's own words, without marks of a list."""
    return [one_line(sentence.strip(" -*•\t")) for sentence in sentences(own_words(text, words))]


def _said_before(runtime: Runtime, message: Message) -> list[Message]:
    """Return the person's messages before this one in the chat, without withdrawn ones."""
    before = chat.list_messages(
        runtime.read(), message.thread_id, before=message.seq, limit=2 * ROLE_PLAY_MESSAGES
    )
    own_messages = [message for message in before if message.role is Role.USER]
    withdrawn_ids = withdrawn.withdrawn(runtime.read(), [message.id for message in own_messages])
    return [message for message in own_messages if message.id not in withdrawn_ids][
        -ROLE_PLAY_MESSAGES:
    ]


def _texts(messages: Sequence[Message]) -> list[str]:
    return [message.typed_text for message in messages]


def _last_statement(messages: Sequence[Message], words: WordFile) -> str:
    """Return the last sentence of the last message, unless it is a question."""
    last = _own_sentences(messages[-1].typed_text, words)[-1:] if messages else []
    return "".join(sentence for sentence in last if not is_question(sentence, words))


# Judging ------------------------------------------------------------------------------------------


def _sentences_to_keep(embedder: Embedder, statements: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences to keep or ask about, those that go on with the one before joined.

    Raises `ModelError`.
    """
    kept: list[Sentence] = []
    ended_kept = False
    for sentence, judgements in zip(
        statements, _judge_sentences(embedder, statements), strict=True
    ):
        decided = _decide(sentence, judgements)
        if kept and isinstance(decided, Sentence) and _leans_on(kept[-1], decided):
            # A sentence that leans on one in need of approval needs approval with it.
            field = kept[-1].approval_field or decided.approval_field
            decided = replace(decided, approval_field=field)
        if kept and (
            _goes_on(kept[-1], decided, is_next=ended_kept)
            if isinstance(decided, Sentence)
            else _is_rest(kept[-1], sentence, judgements)
        ):
            kept[-1] = replace(kept[-1], text=f"{kept[-1].text} {sentence.text}")
        elif isinstance(decided, Sentence):
            kept.append(decided)
        ended_kept = bool(kept) and kept[-1].text.endswith(sentence.text)
    return kept


def _judge_sentences(embedder: Embedder, statements: Sequence[Sentence]) -> list[list[Judgement]]:
    """Judge each sentence alone, and with the one it leans on or corrects. Raises `ModelError`."""
    read = [
        [
            sentence.text,
            f"{sentence.corrects.memory.text} {sentence.text}"
            if sentence.corrects
            else sentence.whole,
        ]
        for sentence in statements
    ]
    texts = list(dict.fromkeys(text for variants in read for text in variants))
    judged = (
        dict(zip(texts, judge(texts, embedder.embed(texts, wait=True)), strict=True))
        if texts
        else {}
    )
    return [[judged[text] for text in variants] for variants in read]


def _decide(sentence: Sentence, judgements: Sequence[Judgement]) -> Sentence | WhyNot:
    """Return a sentence to keep, or to ask about under a field; else the reason against it."""
    alone, whole = judgements
    if _tells_secret(sentence, judgements):
        return "secret"
    # A correction lasts like the corrected memory, however little it says alone.
    lasts = 1.0 if sentence.corrects else max(alone.lasts, whole.lasts)
    meant = 1.0 if sentence.corrects else max(alone.is_meant, whole.is_meant)
    if _is_sensitive(judgements):
        field = _approval_field(max(judgements, key=lambda judgement: judgement.sensitive))
        sentence = replace(sentence, approval_field=field)
    if sentence.needs_approval:
        return sentence if lasts >= MAY_LAST else "passing"
    if lasts < LASTS or meant < MEANT:
        # The weaker of the two is the reason.
        return "not meant" if meant < min(lasts, MEANT) else "passing"
    return (
        replace(sentence, category=RELATIONSHIPS) if whole.is_of_others >= OF_OTHERS else sentence
    )


def _goes_on(last: Sentence, sentence: Sentence, *, is_next: bool) -> bool:
    """Return True for a sentence that belongs to the memory of the last kept one.

    It leans on that one, or both are pending and stand side by side: one question, not two.
    """
    both_pending = last.needs_approval and sentence.needs_approval
    is_one_question = is_next and both_pending and not sentence.corrects
    is_leaning = _leans_on(last, sentence) and last.approval_field == sentence.approval_field
    return (is_leaning or is_one_question) and _fits(last, sentence)


def _leans_on(last: Sentence, sentence: Sentence) -> bool:
    return bool(sentence.before) and last.text.endswith(sentence.before)


def _is_rest(last: Sentence, sentence: Sentence, judgements: Sequence[Judgement]) -> bool:
    """Return True for the rest of a correction, which is no memory of its own."""
    is_plain = not (
        sentence.needs_approval or _is_sensitive(judgements) or _tells_secret(sentence, judgements)
    )
    return last.corrects is not None and is_plain and _fits(last, sentence)


def _fits(last: Sentence, sentence: Sentence) -> bool:
    return len(last.whole) + len(sentence.text) < MAX_SAID_CHARS


def _tells_secret(sentence: Sentence, judgements: Sequence[Judgement]) -> bool:
    is_named = tells_secret(sentence.whole) or may_tell_secret(sentence.text)
    return is_named or max(judgement.topics[SECRET] for judgement in judgements) >= SECRET_AT_ALL


def _is_sensitive(judgements: Sequence[Judgement]) -> bool:
    return sum(judgement.sensitive for judgement in judgements) / len(judgements) >= SENSITIVE


def _approval_field(judged: Judgement) -> str:
    """Return the profile field under which the person is asked about a sensitive sentence."""
    if judged.is_of_others >= OF_OTHERS:
        return CLOSE_PEOPLE
    topics = {name: sure for name, sure in judged.topics.items() if name != SECRET}
    topic = max(topics, key=topics.__getitem__)
    return topic if topics[topic] >= SURE_OF_TOPIC and takes_sentence(topic) else FACT
