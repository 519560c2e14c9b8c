"""What may be the answer to a question put to the memory, though not for sure: what is near in meaning, or waits for a yes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from memapp.domain.chat import Message, Role
from memapp.domain.consent import ConsentRequest, label
from memapp.domain.memory import Recalled
from memapp.domain.profile import Hint
from memapp.domain.text import one_line, shorten
from memapp.language.english.answering_sentence import (
    certain,
    has_job,
    is_about_same,
    is_held_half,
    may_answer,
    may_tell_job,
    names,
    names_workplace,
    says_kind,
    speaks_of_same,
    whole_sentences,
    with_subject,
)
from memapp.language.english.authorship import own_words
from memapp.language.english.grammar import EN
from memapp.language.english.memory_question import EN as EN_MEMORY
from memapp.language.english.memory_question import MemoryQuestion, kind_of_life, looked_up_beside
from memapp.language.english.second_person import answered
from memapp.language.english.withheld import says_any, told_beside
from memapp.prompts import own_remarks, quotes
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.embed import embedded
from memapp.services.quoted import LINES, ToldLine, as_quote, quotable_of, said_before, with_room
from memapp.store import chat, memories

WAITS = own_remarks.WAITS[0]
TOLD_HERE = 'You told me here: "{}". Whether I may keep it waits in the inbox for your yes or no.'
UNSURE = "I am not sure. This is what I know of it:"
QUOTE_CHARS = 200
NEAR = 0.35
"""A sentence less like the question than this has nothing to do with it."""
OF_RANK, OF_WANTED = 0.7, 0.1
"""How much it counts beside likeness in meaning that a search finds a message, and that a sentence has what is asked for."""
LIKELY, LESS = 0.9, 0.05
"""How likely an answer must be to be told as unsure, and how much less or more in cases (chosen by `benchmarks.own_answers`)."""
FAR = 0.3
"""What is less like a question has nothing to do with it, however well it was found, or wherever it was said."""
LEAST_WORDS = 4
"""Of fewer words, what somebody answers says nothing: `of course`."""
SECOND = 0.3
"""So much less likely may a second line be."""
OF_KIND = 0.38
"""How like the examples of a kind a fact of that kind is."""
OF_WORKPLACE, NEARLY_OF_KIND = 0.3, 0.1
"""The same of a fact that names where people work; and so much more may it be like examples of another kind."""
AMONG = 20
"""The waiting requests that are read for what they wait with."""


def likeness(runtime: Runtime, asked: str, question: MemoryQuestion, said: Sequence[str]) -> list[float]:
    """Return how near in meaning sentences are to a question, as it was asked or as it was read.

    Without an embedding model, those that hold half its words are near. Of a day, or somebody, and no more, all is.
    """
    texts = [asked, f"{question.text}?", *(f"{question.text} {one}" for one in looked_up_beside(question))]
    rows = embedded(runtime, [*texts, *said]) if said else None
    if rows is None:
        return [float(is_held_half(question, one)) for one in said]
    near = (rows[len(texts) :] @ rows[: len(texts)].T).max(axis=1)
    return [max(float(like), NEAR) if _is_all_of(question, one) else float(like) for one, like in zip(said, near, strict=True)]


def nearest(runtime: Runtime, question: MemoryQuestion, asked: Message, hits: Sequence[Recalled]) -> list[ToldLine]:
    """Return what may answer a question, though not for sure: it is told as it was said, and the person judges.

    Asked what was said, that are the hits themselves; else sentences about the same person that are near in meaning.
    """
    if question.is_told:
        told = (_nearly(runtime, question, asked.thread_id, hit) for hit in quotes.choose(question.text, hits, LINES))
        lines_told = [line for line in told if line is not None]
        alike = likeness(runtime, asked.text, question, [line.said for line in lines_told])
        return [line for line, like in zip(lines_told, alike, strict=True) if like >= NEAR or is_held_half(question, line.said)]
    found = [
        line
        for hit in {hit.id: hit for hit in reversed(hits)}.values()
        for line in _may_be(runtime, question, asked.thread_id, hit)
    ]
    alike = likeness(runtime, asked.text, question, [line.said for line in found])
    less = 0.0 if question.is_personal and question.wants != "reason" else -LESS
    if question.kin:  # of the same person something less like the question may be meant
        less += LESS
    likely: list[tuple[float, ToldLine]] = []
    for line, like in zip(found, alike, strict=True):
        rate = line.sure + like + OF_RANK * line.hit.score
        if like >= FAR and (rate >= LIKELY - less or (line.sure and like >= NEAR - less)):
            likely.append((rate, replace(line, sure=like)))
    told_whole = {line.hit.id for _, line in likely if line.hit.kind == "message"}
    facts = memories.get_memories(runtime.read(), [line.hit.id for _, line in likely if line.hit.kind == "memory"])
    in_part = {fact.id for fact in facts if not told_whole.isdisjoint(fact.sources)}  # the message says it, and what is beside it
    likely = sorted(((rate, line) for rate, line in likely if line.hit.id not in in_part), key=lambda rated: -rated[0])
    lines: list[ToldLine] = []
    for rate, line in likely:
        is_other = line.hit.id not in (one.hit.id for one in lines)
        if len(lines) < LINES and rate >= likely[0][0] - SECOND and is_other:
            lines.append(line)
    return lines


def _may_be(runtime: Runtime, question: MemoryQuestion, thread_id: str, hit: Recalled) -> Iterator[ToldLine]:
    """Yield the sentences of a hit that speak of whom a question names; surer is what has the kind of thing that is asked for."""
    if hit.kind == "memory":
        if speaks_of_same(question, hit.text):
            yield ToldLine(hit, answered(hit.text), OF_WANTED * may_answer(question, hit.text, is_fact=True), hit.text)
        return
    message = chat.get_message(runtime.read(), hit.id)
    told = quotable_of(runtime, question, thread_id, message)
    for at, one in enumerate(told):
        meant = with_subject(one, said_before(runtime, message, one))
        if speaks_of_same(question, meant) and not quotes.is_small_talk(one):
            sure = OF_WANTED * may_answer(question, meant, is_fact=False)
            yield ToldLine(hit, as_quote(runtime, question, hit, [with_room(told[at:])], message), sure, one)


def _nearly(runtime: Runtime, question: MemoryQuestion, thread_id: str, hit: Recalled) -> ToldLine | None:
    """Return the line of a hit if it is about what was said and may be told."""
    is_fact = hit.kind == "memory"
    told = [hit.text] if is_fact else quotable_of(runtime, question, thread_id, chat.get_message(runtime.read(), hit.id))
    text = " ".join(told)
    if not names(question, text) or all(map(quotes.is_small_talk, told)):
        return None
    return ToldLine(hit, answered(text) if is_fact else as_quote(runtime, question, hit, told), 0.0, text)


def with_what_followed(runtime: Runtime, question: MemoryQuestion, thread_id: str, lines: Sequence[ToldLine]) -> list[ToldLine]:
    """Put what the person said next, when they were asked about what the first line tells, in the place of a less likely one.

    "I am upset today" tells nothing of why; what follows on "What happened?" does.
    """
    if not lines:
        return []
    first, *others = lines
    following = _followed(runtime, question, thread_id, first.hit)
    if following is None or following.hit.id in (line.hit.id for line in lines):
        return [*lines]
    alike = likeness(runtime, question.core, question, [following.said, *(line.said or line.hit.text for line in others)])
    least = max([0.0 if question.is_told else FAR, *alike[1:]])
    return [first, following] if alike[0] >= least else [*lines]


def _followed(runtime: Runtime, question: MemoryQuestion, thread_id: str, hit: Recalled) -> ToldLine | None:
    """Return what the person said next in a chat, if the reply in between asked for more."""
    if hit.kind != "message" or hit.said_by != "user":
        return None
    session = runtime.read()
    at = chat.get_message(session, hit.id)
    after = chat.messages_after(session, at.thread_id, at.seq + 1)[:2]
    if [one.role for one in after] != [Role.ASSISTANT, Role.USER] or "?" not in after[0].text:
        return None
    told = [one for one in quotable_of(runtime, question, thread_id, after[1]) if len(one.split()) >= LEAST_WORDS]
    said_next = Recalled.of_message(after[1], "said next")
    return ToldLine(said_next, as_quote(runtime, question, said_next, told), hit.score, " ".join(told)) if told else None


def of_kind(runtime: Runtime, kind: str, facts: Sequence[str]) -> list[tuple[float, bool]]:
    """Return how near each fact is to what is asked for, a job or a hobby, 0 if not about it; and whether that is sure."""
    examples = [(name, one) for name, listed in EN_MEMORY.table("kinds").items() for one in listed]
    rows = embedded(runtime, [*(one for _, one in examples), *facts]) if facts else None
    if rows is None:
        return [(float(says_kind(kind, one)), True) for one in facts]
    alike = rows[len(examples) :] @ rows[: len(examples)].T  # of the likest two: one alone may share only a word
    kinds = np.array([name for name, _ in examples])
    likest = {name: np.sort(alike[:, kinds == name], axis=1)[:, -2:].mean(axis=1) for name in set(kinds)}
    other = np.max([likest[name] for name in likest if name != kind], axis=0)
    return [_rated(kind, *one) for one in zip(facts, map(float, likest[kind]), map(float, other), strict=True)]


def _rated(kind: str, fact: str, like: float, other: float) -> tuple[float, bool]:
    if says_kind(kind, fact):
        return max(like, OF_KIND), True
    is_in_place = kind == "job" and names_workplace(fact)
    if like < (OF_WORKPLACE if is_in_place else OF_KIND) or like < other - (NEARLY_OF_KIND if is_in_place else 0.0):
        return 0.0, False
    return like, kind != "job" or (like >= other and (is_in_place or has_job(fact)))


def _is_all_of(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a question asks no more than of whom, or of what day, a sentence is."""
    is_of_it = question.kin or quotes.shares_subject(question.text, sentence)
    return not question.other and bool(is_of_it) and names(question, sentence)


def waiting_for(runtime: Runtime, asked: str, question: MemoryQuestion, told: float) -> tuple[ConsentRequest, str] | None:
    """Return what waits for the person's yes and would answer, for sure or nearer than what may be `told`, and its sentence."""
    requests = pending.list_pending(runtime)[:AMONG]
    said = [(request, one) for request in requests for _, one in _said(runtime, request)]
    of_field = [(one, "") for one in requests if question.field and one.field == question.field]
    sure = ((request, one) for request, one in said if certain(question, f"{one} {request.new_value}", is_fact=False))
    if found := next(chain(of_field, sure), None):
        return found
    if (kind := kind_of_life(question)) == "job":
        jobs = [(request, one) for request, one in said if may_tell_job(request.new_value)]
        rated = of_kind(runtime, kind, [request.new_value for request, _ in jobs])
        if told_job := next((job for job, (like, _) in zip(jobs, rated, strict=True) if like > told), None):
            return told_job
    of_anything = question.wants == "reason"
    theirs = [(request, one) for request, one in said if of_anything or is_about_same(question, one, is_fact=False)]
    asked_of = replace(question, is_yes_or_no=False)  # nothing is claimed: it may be this that is asked about
    near = [(request, one) for request, one in theirs if may_answer(asked_of, one, is_fact=False)]
    alike = likeness(runtime, asked, question, [f"{label(request.field)}: {one}" for request, one in near])
    likely = [(like, place) for place, like in enumerate(alike) if like >= NEAR and like > told]
    return near[max(likely)[1]] if likely else None


def that_it_waits(runtime: Runtime, waiting: Sequence[ConsentRequest], thread_id: str, answer: str = "") -> str:
    """Say that something waits for a yes; only in the chat where it was told, where it stands anyway, with what was said.

    Of several sentences that is the one with the answer, if it is known.
    """
    told = [said for request in waiting for thread, said in _said(runtime, request) if thread == thread_id]
    told = [one for one in told if one == answer] or told
    return TOLD_HERE.format(shorten(one_line(told[-1]), QUOTE_CHARS)) if told else WAITS


def _said(runtime: Runtime, request: ConsentRequest) -> Iterator[tuple[str, str]]:
    """Yield what says what a request proposes, with the chat it was said in: of each sentence that which may not be told."""
    for message in chat.get_messages(runtime.read(), request.evidence):
        hints = [Hint(request.field, request.new_value)]
        for sentence in whole_sentences(own_words(message.typed_text)):
            left = sentence
            for told in told_beside(sentence, hints).splitlines():
                left = left.replace(told.removesuffix("…"), "")
            if says_any(left, hints) and not quotes.asks(sentence):
                yield message.thread_id, _whole(left)


def _whole(left: str) -> str:
    """Return what is left of a sentence without the `and` or the comma that led to what is not."""
    words = left.strip(" ,;:").split(" ")
    kept = [at for at, word in enumerate(words) if word.casefold() not in EN.coordinators]
    return " ".join(words[kept[0] : kept[-1] + 1]).strip(" ,;:") if kept else ""
