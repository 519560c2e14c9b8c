"""Forgetting for good: memories with all that repeats them, chats, or a word wherever it stands; a
scan proves the receipt.

What is begun is finished: what a kill leaves undone is done at the next start, by `finish`. The
copies beside the file are cleaned before the file itself, so that the words to look for are known
as long as they are needed.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Literal

from memapp.domain.consent import label
from memapp.domain.forget import ByteNeedles, Needles, Preview, Receipt
from memapp.domain.text import clean, one_line
from memapp.errors import Damaged, ModelError, NotFound, StoreError, UsageError
from memapp.language.wording import normalise
from memapp.runtime import Runtime
from memapp.services import embed
from memapp.services.reads import reading
from memapp.store import chat, consents, events, memories, text_traces, vectors
from memapp.store.forget import erasing, finding, purge_jobs
from memapp.store.forget.purge_jobs import PurgeJob
from memapp.store.lock import COPIES, at_the_copies, held
from memapp.store.session import Session
from memapp.store.text_traces import Fate
from memapp.tools import markers

log = logging.getLogger(__name__)

TELLING_CHARS = 12
"""A shorter message says nothing that could be told apart from others: it is erased, but not looked
for elsewhere.
"""
FEWEST_CHARS = 2

By = Literal["person", "lifecycle"]

is_forgotten = reading(erasing.is_forgotten)


@dataclass(frozen=True, slots=True)
class Heard:
    """What other processes did since the last look."""

    changed: bool
    erased: bool
    """Something was erased for good: nothing that was read before may be shown or saved again."""
    wanted: bool
    """One of them waits for this process to close the file."""


def purge(
    runtime: Runtime, memory_ids: Sequence[str], *, messages: bool = False, by: By = "person"
) -> Receipt:
    """Erase memories in the trash for good, with those that they took in and with what repeats
    them.

    One that is live by then is left out. `messages` also erases the messages that they came from,
    with what was asked and replied. Raises `NotFound` if none is there.
    """

    def job(session: Session) -> PurgeJob:
        ids = finding.with_absorbed(session, finding.in_trash(session, memory_ids))
        if not ids:
            raise NotFound("There is no such memory in the trash.")
        return PurgeJob(ids, finding.said_in(session, ids) if messages else ())

    receipt = _erase(runtime, job, by)
    return replace(receipt, left_out=len(memories.get_memories(runtime.read(), memory_ids)))


def purge_chats(runtime: Runtime, thread_ids: Sequence[str], *, by: By = "person") -> Receipt:
    """Erase chats for good, with all that belongs to them, and what nobody agreed to yet. What
    memapp learned from them stays.
    """
    return _erase(runtime, lambda _: PurgeJob(thread_ids=tuple(thread_ids)), by)


def forget_everywhere(runtime: Runtime, words: str) -> Receipt:
    """Erase everything that holds some words, one after the other, whatever their case: memories,
    messages, all the rest.
    """
    job = PurgeJob(words=(_checked(words),))
    return _erase(runtime, lambda _: job, "person")


def preview(runtime: Runtime, words: str) -> Preview:
    """Say what `forget_everywhere` would erase: do it, count, and let nothing of it stay."""
    words = _checked(words)
    with at_the_copies(runtime.database.path), runtime.rehearse(), runtime.decide() as session:
        before = consents.read_profile(session)
        erased = erasing.erase(session, runtime.actor(), PurgeJob(words=(words,)))
        after = consents.read_profile(session)
    needles = ByteNeedles([words])
    backups = sum(
        text_traces.may_hold(path, needles) for path in text_traces.copies(runtime.database)
    )
    lost = {
        field: [value for value in values if value not in after.get(field, ())]
        for field, values in before.items()
    }
    return Preview(erased.memories, erased.messages, erased.others, backups, _listed(lost))


def said_in_profile(runtime: Runtime, memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return what the profile says that memories say too: `Health: epilepsy`. Erasing them takes
    nothing from it.
    """
    session = runtime.read()
    texts, known = finding.texts_of(session, memory_ids), consents.read_profile(session)
    said = {
        field: [value for value in values if any(map(Needles([value]).held_by, texts))]
        for field, values in known.items()
    }
    return _listed(said)


def finish(runtime: Runtime) -> None:
    """Finish what a kill interrupted: a backup, or an erasure. Called at each start; what another
    process is at is its own.

    Where that fails it is tried again at the next start: it keeps nobody from their memory.
    """
    with held(runtime.database.path, COPIES) as mine:
        if not mine:
            return
        text_traces.remove_unfinished(runtime.database.path)
        if not is_unfinished(runtime):
            return
        try:
            receipt = _carry_out_plan(runtime)
            log.info(
                "an erasure was finished: %d items, settled: %s",
                receipt.memories + receipt.messages,
                receipt.settled,
            )
        except Damaged:
            raise
        except (StoreError, OSError) as error:
            log.warning("an erasure could not be finished: %s", type(error).__name__)


def is_unfinished(runtime: Runtime) -> bool:
    """Say whether an erasure was begun that is not finished."""
    return purge_jobs.planned(runtime.read())[1]


def hear_others(runtime: Runtime) -> Heard:
    """Look what other processes did, and free what this one keeps of words that were erased."""
    database = runtime.database
    wanted = database.is_wanted()
    if not database.changed_elsewhere():
        return Heard(False, False, wanted)
    erased = database.erasures != database.heard_erasures
    if erased:
        _free_erased(runtime)
    return Heard(True, erased, wanted)


def _free_erased(runtime: Runtime) -> None:
    """Free what this process keeps of words that were erased."""
    runtime.database.heard_erasures = runtime.database.erasures
    vectors.let_go(runtime.database)
    embed.let_go()
    if model := runtime.chat.ready():
        with suppress(ModelError):  # one that was closed keeps nothing
            model.forget()


def _erase(runtime: Runtime, job: Callable[[Session], PurgeJob], by: By) -> Receipt:
    """Plan and do what the person wishes; or do what is due, which is not planned: what a kill
    leaves is due afterwards too.
    """
    with at_the_copies(runtime.database.path):
        text_traces.remove_unfinished(runtime.database.path)
        with runtime.decide() as session:
            wanted = job(session)
            if by == "person":
                purge_jobs.plan(session, wanted)
        if by == "person":
            return _carry_out_plan(runtime)
        if purge_jobs.planned(runtime.read())[0] != PurgeJob():
            _carry_out_plan(runtime)
        return _carry_out(runtime, wanted, by)


def _carry_out_plan(runtime: Runtime) -> Receipt:
    """Do all that is planned: only what the person wished is."""
    return _carry_out(runtime, purge_jobs.planned(runtime.read())[0], "person")


def _carry_out(runtime: Runtime, job: PurgeJob, by: By) -> Receipt:
    """Do all of a job, and then look whether anything of it is left."""
    actor, session = runtime.actor(name=by), runtime.read()
    in_profile = said_in_profile(runtime, job.memory_ids) if by == "person" else ()
    said = finding.texts_of(session, job.memory_ids)
    sent = finding.texts_of_messages(
        session, (*job.message_ids, *chat.message_ids_of(session, job.thread_ids))
    )
    # All that has to be gone afterwards.
    texts = [*said, *(text for text in sent if len(text) >= TELLING_CHARS), *job.words]
    erase = partial(erasing.erase, actor=actor, job=job, said=said, sent=sent)
    needles = ByteNeedles([*texts, *job.memory_ids, *job.thread_ids])
    database = runtime.database
    clean = partial(
        text_traces.clean_copy,
        user_id=runtime.user_id,
        wording=database.wording,
        traces=needles,
        erase=erase,
    )
    fates = {path: clean(path) for path in text_traces.copies(database)}
    with (
        runtime.decide() as session
    ):  # the wish to forget is the person's decision on what waits for one, too
        over = session.now if by == "lifecycle" else None
        still = finding.in_trash(
            session, job.memory_ids, over
        )  # the person may have brought something back since
        job = replace(job, memory_ids=still)
        if by == "lifecycle":
            before = session.now - timedelta(days=runtime.settings.purge_days)
            job = replace(job, thread_ids=finding.overdue_threads(session, job.thread_ids, before))
        erased = erasing.erase(session, actor, job)
        if by == "person":  # the trash, which is cleared by itself, is in no prompt
            purge_jobs.count_erasure(session)
            runtime.database.heard_erasures += 1
        purge_jobs.mark_erased(session)
        meta = {"memories": erased.memories, "messages": erased.messages, "others": erased.others}
        events.add_event(session, "worker", "forget", "ok", meta=meta)
    if job.words:
        markers.forget(str(runtime.paths.cache))
    cleaned, dropped = (list(fates.values()).count(fate) for fate in (Fate.CLEANED, Fate.DROPPED))
    settled = _settle(runtime)
    scan = text_traces.scan(
        runtime.database,
        [runtime.paths.log, runtime.paths.personas, runtime.paths.config],
        ByteNeedles(
            [*texts, *(plain for text in texts if (plain := normalise(text)) not in text.lower())]
        ),
    )
    also_in = finding.memories_with(runtime.read(), texts) if by == "person" else ()
    barred = {*scan.unread, *(path.name for path, fate in fates.items() if fate is Fate.BARRED)}
    counts = (erased.memories, erased.messages, erased.others, cleaned, dropped, scan.files)
    return Receipt(
        *counts,
        scan.left,
        settled,
        also_in,
        in_profile,
        by_words=bool(job.words),
        barred=tuple(sorted(barred)),
    )


def _settle(runtime: Runtime) -> bool:
    """Clean what SQLite and the models keep of deleted text."""
    settled = text_traces.settle(runtime.database)
    _free_erased(runtime)
    if settled:
        with runtime.decide() as session:
            purge_jobs.mark_settled(session)
    return settled


def _listed(said: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return values of a profile, each with its field: `Health: migraine`."""
    return tuple(f"{label(field)}: {value}" for field, values in said.items() for value in values)


def _checked(words: str) -> str:
    words = one_line(clean(words))
    if len(words) < FEWEST_CHARS:
        raise UsageError(
            "Say which words are to be forgotten everywhere.",
            f"At least {FEWEST_CHARS} characters.",
        )
    return words
