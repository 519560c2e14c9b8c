"""Answers what somebody asks about themselves from their profile and memory, in memapp's own words and without the model.

Only what is sure is told: what the profile says, a fact or a message that holds all that was asked for. Of what nobody but the
person can know and memapp does not, it says so. Everything else is the model's.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from memapp.domain.chat import FROM_MEMORY, Message, Role
from memapp.domain.memory import FromMemory, Recalled
from memapp.domain.repetition import repeated
from memapp.domain.text import one_line, shorten
from memapp.domain.when import NamedTime
from memapp.language.english.answering_sentence import (
    asked_name,
    certain,
    has_wanted,
    is_held_half,
    is_of_theirs,
    is_of_what_is_named,
    names_kind,
    quotable,
    tells,
    tells_of_past,
    with_subject,
    without_apposition,
    without_question_behind,
)
from memapp.language.english.asked_sentence import asks_what_was_talked_about, names_nobody
from memapp.language.english.correction import is_about, read_correction
from memapp.language.english.dates import dated, local_day
from memapp.language.english.duplicates import duplicate_of
from memapp.language.english.given_names import given_names
from memapp.language.english.grammar import sentences
from memapp.language.english.grounding import SAID
from memapp.language.english.memory_question import (
    MemoryQuestion,
    asked_formerly,
    asked_openly,
    asks_of_a_way,
    asks_of_last,
    asks_own_words,
    asks_which,
    has_pronoun,
    is_about_memapp,
    looked_up_beside,
    may_be_theirs,
    named_alone,
    of_somebody,
    read,
    with_names,
)
from memapp.language.english.past_asked import SUREST, PastOf
from memapp.language.english.profile import stated
from memapp.language.english.second_person import answered
from memapp.language.english.spoken_of import introduces, speaks_of
from memapp.language.english.when import named_times
from memapp.prompts import own_remarks, quotes
from memapp.runtime import Runtime
from memapp.services import from_profile
from memapp.services.kind_of_life import known_of_kind
from memapp.services.likest import (
    LIKELY,
    NEAR,
    UNSURE,
    likeness,
    nearest,
    past_asked,
    said_like,
    with_replies,
    with_what_followed,
)
from memapp.services.named import said_of
from memapp.services.over_time import NOTHING_BEFORE, held_once, known_over_time, told_lately
from memapp.services.people import with_capitals
from memapp.services.query import conversation_scope, find
from memapp.services.quoted import (
    EARLIER,
    LINES,
    QUOTE_CHARS,
    ToldLine,
    answered_by,
    as_quote,
    called_by_kin,
    quotable_of,
    said_before,
)
from memapp.services.recall import RecallRequest
from memapp.services.talked_about import said_at, talked_about
from memapp.services.tellable import tellable, without_withheld
from memapp.services.waiting_answer import WAITS, that_it_waits, waiting_for
from memapp.store import chat, memories, recalls

UNKNOWN = own_remarks.UNKNOWN[0]
KNOWN_OF_IT = "This is what I know of it:"
"""Where something else is known than a question takes for so: it is neither confirmed nor denied."""
NOBODY = "I do not know whom you mean. Tell me the name."
UNSAID = "I find nothing that I said about that."
MYSELF = (
    "I am memapp, a program on your computer. A small language model writes my answers; what you ask me about yourself I answer "
    "from what you told me."
)
OPEN = (UNKNOWN, UNSAID, WAITS)
"""Answers that leave it open."""
LOOKED_UP = 10
AMONG = 60
"""So many hits are looked through for those: replies, and what was asked before, are most like a question and answer none."""
TOLD_SCORE = 0.5
"""Of a message that is quoted without holding all words of the question; below it the quote was about something else."""
NEARLY = 0.25
"""So much less than the best may a second one score."""
SAID_THEN = 0.7
"""How well found that counts which was said on a day that a question names."""
NEXT = 3
"""So near behind a message stands the next one of the person."""


def known(runtime: Runtime, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    """Return what memapp answers to a message by itself; None leaves it to the model.

    Asked again for what it replied, it quotes that; else what is likest to a question only where nothing is sure.
    """
    message = replace(message, text=with_capitals(runtime, message.text))
    if is_about_memapp(message.text) and runtime.persona_in(chat.get_thread(runtime.read(), message.thread_id)).is_program:
        return FromMemory(MYSELF)
    if asks_what_was_talked_about(message.text):
        return talked_about(runtime, message)
    asked_of, sure = past_asked(runtime, message.text)
    question = read(message.text)
    asked_of = "" if question and question.is_yes_or_no else asked_of  # whether something was said, nothing like it tells
    asked_of = "told" if asked_of and asks_own_words(message.text) else asked_of
    if asked_of == "said" and sure >= SUREST and (told := _likest(runtime, message, asked_of)):
        return told
    answer = _surely_known(runtime, message, earlier)
    if asked_of and (answer is None or answer.text.startswith(UNSURE)):
        nothing = FromMemory(UNKNOWN) if asked_of == "told" and sure >= SUREST else None
        return _likest(runtime, message, asked_of) or answer or nothing
    if asked_of and answer and answer.text in OPEN:
        names_time = bool(named_times(message.text, local_day(message)))
        if names_time or asked_of == "said" or question is None or question.is_told:  # what is theirs is known or not
            return _likest(runtime, message, asked_of, 0.0 if names_time else LIKELY) or answer
    return answer


def _likest(runtime: Runtime, message: Message, asked_of: PastOf, least: float = 0.0) -> FromMemory | None:
    """Return the quotes that are likest to a message, as unsure where they are not very like it."""
    lines = [line for line in said_like(runtime, message, asked_of) if line.sure >= least]
    is_sure = asked_of == "said" and bool(lines) and lines[0].sure >= LIKELY
    return _told(runtime, lines, *([] if is_sure else [UNSURE])) if lines else None


def _surely_known(runtime: Runtime, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    before = known_over_time(runtime, message)
    is_found = before is not None and before.text != NOTHING_BEFORE
    if told := (before if is_found else None) or told_lately(runtime, message) or _of_last(runtime, message, earlier):
        return told
    answer = _known(runtime, message, earlier)
    is_known = answer is not None and answer.text != UNKNOWN
    is_sure = answer is not None and is_known and not answer.text.startswith(UNSURE)
    if answer and is_known and asked_formerly(message.text) and not any(tells_of_past(hit.text) for hit in answer.hits):
        return before or FromMemory(UNKNOWN)  # what is so now is no answer
    return answer if is_sure else (None if is_known else before) or held_once(runtime, message) or answer


def _of_last(runtime: Runtime, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    """Quote what was told or said last that has the time, the place or the like of it, if that is all a message asks."""
    question = asks_of_last(message.text)
    if question is None or not question.wants:
        return None
    if told_again := _told_just_now(runtime, question, earlier):
        return told_again
    for one in tellable(runtime.read(), [one for one in earlier if one.role is Role.USER][-EARLIER:][::-1]):
        hit = Recalled.of_message(one, "said last")
        told = [said for said in quotable_of(runtime, question, message.thread_id, one) if has_wanted(question, said)]
        if told and not (quotes.asks(one.text) or quotes.is_task(one.text)):
            return FromMemory(as_quote(runtime, question, hit, told[-1:]), (hit,))
    return None


def _told_just_now(runtime: Runtime, question: MemoryQuestion, earlier: Sequence[Message]) -> FromMemory | None:
    """Return the lines of the answer before a question that tell what it asks, with their sources, if these are still there."""
    if not earlier or earlier[-1].model != FROM_MEMORY:
        return None
    hits = tuple(without_withheld(runtime.read(), recalls.list_recalls(runtime.read(), earlier[-1].id)))
    told = [line for line in earlier[-1].text.splitlines() if has_wanted(question, line.partition(': "')[2] or line)]
    return FromMemory("\n".join(told), hits) if told and hits else None


def _known(runtime: Runtime, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    if not earlier and names_nobody(message.text):
        return FromMemory(NOBODY)
    said = [_as_theirs(one) for one in earlier if one.role is Role.USER or one.model == FROM_MEMORY][-2 * EARLIER :]
    asked = dated(message.text, local_day(message))  # as facts are
    question = read(asked, called_by_kin(runtime, said) if has_pronoun(message.text) else said)
    if question is None:
        return None
    if question.about == "everything":
        return from_profile.everything(runtime)
    if (field := question.field or _premise(question)) and (told := from_profile.in_field(runtime, field)):
        return told
    times = named_times(question.text, runtime.clock().astimezone().date())
    question = replace(question, is_told=question.is_told or (bool(times) and not question.wants))
    look = partial(_found, runtime, without=message.id, times=times)
    hits = look(question, ("message",)) if question.is_told else []  # their own words, where these are asked for
    hits = hits or look(question)
    naming = [*hits, *_found(runtime, question, without=message.id, times=())] if times else hits  # who is whose, no day tells
    texts = [hit.text for hit in naming if hit.said_by != "assistant"]
    texts += [one.typed_text for one in earlier if one.role is Role.USER]  # of whom it waits for a yes is known by name here, too
    question = with_names(question, [one for text in texts for one in given_names(text)])
    if question.names:
        hits = look(replace(question, text=f"{question.text} {' '.join(question.names | question.kin)}"))
    if not question.is_personal and (name := named_alone(question)):
        if question.wants == "person" and (hit := next((hit for hit in hits if introduces(hit.text, name)), None)):
            return _told(runtime, [ToldLine(hit, answered(hit.text), 1.0)])
        question = of_somebody(question, name) if _is_spoken_of(runtime, name, message) else question
    if question.wants == "reason" or question.by_name:
        hits = [*look(question, ("message",)), *hits]  # why something is so, a fact often leaves out
    if times:  # of a day, all that was said may answer
        there = {message.id, *(hit.id for hit in hits)}
        hits += [
            replace(Recalled.of_message(one, "always"), score=SAID_THEN) for one in said_at(runtime, times) if one.id not in there
        ]
    if question.wants and any(hit.kind == "memory" and is_of_theirs(question, hit.text) for hit in hits):
        question = replace(question, is_personal=True)
    of_kind_asked, is_sure = known_of_kind(runtime, question)
    if lines := (of_kind_asked if is_sure else []) or _answering(runtime, question, message.thread_id, hits):
        return _told(runtime, lines)
    if of_kind_asked:
        return _told(runtime, of_kind_asked, UNSURE)
    openly = asked_openly(question)
    if openly and (told := _known(runtime, replace(message, text=openly), earlier)) and told.text != UNKNOWN:
        is_sure = bool(told.hits) and not told.text.startswith(UNSURE)
        return replace(told, text=f"{KNOWN_OF_IT}\n{told.text}") if is_sure else told
    if not (question.is_personal or question.wants == "reason" or may_be_theirs(question)):
        return None
    hits = [*look(question, ("message",)), *hits]  # a message may say more than its fact
    return _not_sure(runtime, question, message, hits, times)


def _as_theirs(message: Message) -> str:
    """Return a message as the person would say it: whom memapp told them of is theirs, `my son` for `Your son`."""
    return message.text if message.role is Role.USER else message.text.replace("Your ", "My ").replace("your ", "my ")


def _is_spoken_of(runtime: Runtime, name: str, message: Message) -> bool:
    """Say whether the person spoke of somebody by this name, whatever of that may be told."""
    said = chat.get_messages(runtime.read(), said_of(runtime, name))
    return any(one.role is Role.USER and one.id != message.id and speaks_of(one.typed_text, name) for one in said)


def _not_sure(
    runtime: Runtime, question: MemoryQuestion, message: Message, hits: Sequence[Recalled], times: Sequence[NamedTime]
) -> FromMemory | None:
    """Return what may be the answer, or that it waits for a yes, or is not known; None where the person need not know it."""
    near = nearest(runtime, question, message, hits, times)
    near = [one for one in near if is_of_what_is_named(question, one.hit.text)]
    lines = with_what_followed(runtime, question, message.thread_id, near)
    told = max((line.sure for line in lines), default=0.0)
    is_of_person = question.about == "person" and question.is_personal
    if is_of_person and (waiting := waiting_for(runtime, message.text, question, told)):
        request, said = waiting
        return FromMemory(that_it_waits(runtime, [request], message.thread_id, said))
    if lines:
        return _told(runtime, lines, *([] if question.is_told else [UNSURE]))  # asked what was said, that is the answer
    if not question.is_personal or asks_of_a_way(question.core):
        return None
    return FromMemory(UNSAID if question.about == "replied" else UNKNOWN)


def _told(runtime: Runtime, lines: Sequence[ToldLine], *before: str) -> FromMemory:
    told = [f"{line.text}{_correction(runtime, line.hit)}" for line in lines]
    return FromMemory("\n".join([*before, *told]), tuple(line.hit for line in lines))


def _correction(runtime: Runtime, hit: Recalled) -> str:
    """Quote what the person said next, where that takes back or dates what a hit says: both are told, and nothing is decided."""
    session = runtime.read()
    sources = [source for one in memories.get_memories(session, [hit.id]) for source in one.sources]
    said = chat.get_messages(session, [hit.id, *sources][-1:])
    for message in said:
        following = chat.list_messages(session, message.thread_id, before=message.seq + NEXT + 1, limit=NEXT)
        nxt = tellable(session, [one for one in following if one.role is Role.USER and one.seq > message.seq][:1])
        corrections = [one.typed_text for one in nxt if _corrects(one.typed_text, hit.text)]
        if kept := [sentence for one in corrections for sentence in quotable(one, told=False)]:
            return f' Then you said: "{shorten(one_line(" ".join(kept)), QUOTE_CHARS)}"'
    return ""


def _corrects(typed: str, told: str) -> bool:
    correction = read_correction(typed)
    return correction is not None and is_about(correction, told, is_recent=True)


def _premise(question: MemoryQuestion) -> str:
    """Return the field of the profile that a question supposes something of: `I live in Paris, right?`"""
    return next((one.field for one in stated(question.text)), "") if question.is_yes_or_no else ""


def _found(
    runtime: Runtime,
    question: MemoryQuestion,
    kinds: tuple[Literal["memory", "message"], ...] = ("memory", "message"),
    *,
    without: str,
    times: Sequence[NamedTime],
) -> list[Recalled]:
    """Look a question up, also in the messages of this chat but for the one that asks it."""
    text = " ".join([question.text, *looked_up_beside(question)])
    hits = find(runtime, RecallRequest(text, AMONG, frozenset({without}), kinds, conversation_scope(runtime)))
    hits = with_replies(runtime, hits) if question.about == "replied" else hits
    return [hit for hit in hits if _is_source(question, hit) and (not times or _is_of(hit, times))][:LOOKED_UP]


def _is_source(question: MemoryQuestion, hit: Recalled) -> bool:
    """Say whether a hit is from the one who is asked about, and more than a question."""
    if hit.kind == "memory":
        return not hit.text.startswith(SAID)  # the message answers, with its day
    is_question = len(sentences(hit.text)) == 1 and quotes.asks(without_apposition(without_question_behind(hit.text)))
    return (hit.said_by == "assistant") == (question.about == "replied") and not is_question


def _is_of(hit: Recalled, times: Sequence[NamedTime]) -> bool:
    if hit.kind == "message" and any(time.fits(hit.at) for time in times):
        return True
    return any(time.holds(one) for one in named_times(hit.text, hit.at.date()) for time in times)


def _answering(runtime: Runtime, question: MemoryQuestion, thread_id: str, hits: Sequence[Recalled]) -> list[ToldLine]:
    """Return the lines that answer a question for sure, best first: facts before lines of old chats."""
    found = []
    for hit in hits:
        line = _told_fact(question, hit) if hit.kind == "memory" else _quoted(runtime, question, thread_id, hit)
        if line is not None and (tells_of_past(hit.text) or not asked_formerly(question.text)):
            found.append(line)
    found = _of_asked_kind(runtime, question, found)
    if question.is_told:
        found.sort(key=lambda line: -line.sure)
    elif not question.is_narrative:
        found.sort(key=lambda line: (line.hit.kind != "memory", -line.sure))
    if question.wants in ("reason", "place") or asks_which(question):
        found.sort(key=lambda line: not tells(question, line.text))
    lines: list[ToldLine] = []
    for line in found:
        if len(lines) < LINES and (_belongs_beside(question, line, lines[0]) if lines else line.sure):
            lines.append(line)
    if question.is_narrative:
        lines = with_what_followed(runtime, question, thread_id, lines)
    return lines[:1] if lines and question.wants not in ("", "name", "hobby") and lines[0].hit.kind == "memory" else lines


def _of_asked_kind(runtime: Runtime, question: MemoryQuestion, lines: Sequence[ToldLine]) -> list[ToldLine]:
    """Leave out lines about another kind of thing than is asked for: `what books do I like` is not answered by a taste in music.

    A line that does not name the kind must be near the question in meaning.
    """
    unnamed = [line for line in lines if not (question.wants or question.is_told or names_kind(question, line.text))]
    alike = likeness(runtime, question.text, question, [line.text for line in unnamed])
    far = [line for line, like in zip(unnamed, alike, strict=True) if like < NEAR]
    return [line for line in lines if line not in far]


def _belongs_beside(question: MemoryQuestion, line: ToldLine, first: ToldLine) -> bool:
    """Say whether a second line tells more: as surely as the first, or what was said beside it."""
    is_beside = question.is_told and line.hit.thread_id == first.hit.thread_id
    if line.hit.kind != first.hit.kind or line.hit.score < first.hit.score - NEARLY or not (line.sure >= first.sure or is_beside):
        return False
    return not duplicate_of(line.hit.text, [first.hit.text]) and not repeated(line.text, [first.text])


def _told_fact(question: MemoryQuestion, hit: Recalled) -> ToldLine | None:
    sure = certain(question, hit.text, is_fact=True) if question.about == "person" else 0.0
    return ToldLine(hit, asked_name(question, hit.text) or answered(hit.text), sure) if sure else None


def _quoted(runtime: Runtime, question: MemoryQuestion, thread_id: str, hit: Recalled) -> ToldLine | None:
    """Quote of a message the sentences that answer."""
    if (hit.said_by == "assistant") != (question.about == "replied") or not (
        question.is_personal or question.of_anybody or question.wants == "reason"
    ):
        return None
    least = quotes.ON_DEMAND_SCORE if question.names else quotes.LEAST_SCORE  # a name holds it together as well
    if hit.score < (TOLD_SCORE if question.is_told and not is_held_half(question, hit.text) else least):
        return None
    message = chat.get_message(runtime.read(), hit.id)
    told = [one for one in quotable_of(runtime, question, thread_id, message) if not quotes.is_small_talk(one)]
    meant = {one: with_subject(one, said_before(runtime, message, one)) for one in told}
    chosen = [one for one in told if question.is_narrative or certain(question, meant[one], is_fact=False)]
    if not question.is_told and (answers := [one for one in chosen if certain(question, meant[one], is_fact=False)]):
        chosen = answers
    sure = certain(question, " ".join([*answered_by(runtime, message), *(meant[one] for one in chosen)]), is_fact=False)
    if not chosen or not (sure or question.is_told):
        return None
    if name := asked_name(question, " ".join(told)):
        return ToldLine(hit, name, sure)
    return ToldLine(hit, as_quote(runtime, question, hit, chosen, message), sure)
