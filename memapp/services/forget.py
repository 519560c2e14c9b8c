"""Erasure for good: memories with their repetitions, chats, or a word wherever it stands.

A scan proves the receipt. An erasure cut short by a kill is completed by `finish` at the next
start. The copies beside the file are cleaned before the file itself, so that the words to look for
are known as long as they are needed.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Literal

from memapp.domain.consent import label
from memapp.domain.forget import ByteNeedles, Needles, Preview, Receipt
from memapp.domain.text import clean, one_line
from memapp.domain.text_cache import clear_text_caches
from memapp.errors import Damaged, ModelError, NotFound, StoreError, UsageError
from memapp.language.normal_form import normalise
from memapp.runtime import Runtime
from memapp.services import embed
from memapp.services.store_reads import reading
from memapp.services.sync import keyring
from memapp.store import chat, events, memories, sync, text_traces, vectors
from memapp.store.forget import erasing, finding, purge_jobs
from memapp.store.forget.purge_jobs import PurgeJob
from memapp.store.lock import COPIES, at_the_copies, held
from memapp.store.profile import read_profile
from memapp.store.session import Session
from memapp.store.text_traces import Fate
from memapp.tools import markers

log = logging.getLogger(__name__)

TELLING_CHARS = 12
"""The least length of a message that is looked for elsewhere; a shorter one is only erased."""
FEWEST_CHARS = 2

By = Literal["person", "lifecycle"]

is_forgotten = reading(erasing.is_forgotten)


@dataclass(frozen=True, slots=True)
class Heard:
    """The changes of other processes since the last look."""

    changed: bool
    erased: bool
    """Whether something was erased: earlier reads may not be shown or saved again."""
    wanted: bool
    """Whether a process waits for this one to close the file."""


def purge(
    runtime: Runtime, memory_ids: Sequence[str], *, messages: bool = False, by: By = "person"
) -> Receipt:
    """Erase memories in the trash, with merged memories and repetitions.

    A memory restored meanwhile is left out. With `messages` the source messages are erased, too,
    with the questions and replies around them. Raises `NotFound` if none is in the trash.
    """

    def job(session: Session) -> PurgeJob:
        ids = finding.with_absorbed(session, finding.in_trash(session, memory_ids))
        if not ids:
            raise NotFound("There is no such memory in the trash.")
        return PurgeJob(ids, finding.said_in(session, ids) if messages else ())

    receipt = _erase(runtime, job, by)
    return replace(receipt, left_out=len(memories.get_memories(runtime.read(), memory_ids)))


def purge_chats(runtime: Runtime, thread_ids: Sequence[str], *, by: By = "person") -> Receipt:
    """Erase chats with all their messages and pending requests; learned memories stay."""
    return _erase(runtime, lambda _: PurgeJob(thread_ids=tuple(thread_ids)), by)


def forget_everywhere(runtime: Runtime, words: str) -> Receipt:
    """Erase everything that holds a phrase, whatever its case: memories, messages, all the rest."""
    job = PurgeJob(words=(_valid_phrase(words),))
    return _erase(runtime, lambda _: job, "person")


def erase_as_told(runtime: Runtime, job: PurgeJob, by: By) -> Receipt:
    """Erase here too what was erased on another machine of the person's."""
    with at_the_copies(runtime.database.path):
        text_traces.remove_unfinished(runtime.database.path)
        return _carry_out(runtime, job, by, is_told=True)


def preview(runtime: Runtime, words: str) -> Preview:
    """Count the items that `forget_everywhere` would erase, by an erasure rolled back."""
    words = _valid_phrase(words)
    with at_the_copies(runtime.database.path), runtime.rehearse(), runtime.decide() as session:
        before = read_profile(session)
        erased = erasing.erase(session, runtime.actor(), PurgeJob(words=(words,)))
        after = read_profile(session)
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
    """Return the profile values that memories hold, too: `Health: epilepsy`.

    Erasing the memories leaves the profile as it is.
    """
    session = runtime.read()
    texts, profile = finding.texts_of(session, memory_ids), read_profile(session)
    shared = {
        field: [value for value in values if any(map(Needles([value]).held_by, texts))]
        for field, values in profile.items()
    }
    return _listed(shared)


def finish(runtime: Runtime) -> None:
    """Complete a backup or an erasure that a kill interrupted; called at each start.

    The work of another process is left alone. A failure is retried at the next start: nobody is
    kept from their memory.
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
    """Return True if an erasure was begun and is not finished."""
    return purge_jobs.planned(runtime.read())[1]


def hear_others(runtime: Runtime) -> Heard:
    """Notice the changes of other processes; free cached words that another process erased."""
    database = runtime.database
    wanted = database.is_wanted()
    if not database.changed_elsewhere():
        return Heard(False, False, wanted)
    erased = database.erasures != database.heard_erasures
    if erased:
        _free_erased(runtime)
    return Heard(True, erased, wanted)


def _free_erased(runtime: Runtime) -> None:
    """Free the caches and the model context, which may hold erased words."""
    runtime.database.heard_erasures = runtime.database.erasures
    vectors.let_go(runtime.database)
    embed.let_go()
    clear_text_caches()
    runtime.typed, runtime.doubted = None, ""
    if model := runtime.chat.ready():
        with suppress(ModelError):  # a closed model keeps nothing
            model.forget()


def _erase(runtime: Runtime, job: Callable[[Session], PurgeJob], by: By) -> Receipt:
    """Erase on the person's wish, with a plan on disk; or erase overdue items, without one.

    Overdue items need no plan: after a kill they are still overdue.
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
    """Carry out all planned erasures, which only the person can plan."""
    return _carry_out(runtime, purge_jobs.planned(runtime.read())[0], "person")


def _carry_out(runtime: Runtime, job: PurgeJob, by: By, *, is_told: bool = False) -> Receipt:
    """Erase all of a job, then scan for remains."""
    actor, session = runtime.actor(name=by), runtime.read()
    in_profile = said_in_profile(runtime, job.memory_ids) if by == "person" else ()
    said = finding.texts_of(session, job.memory_ids)
    sent = finding.texts_of_messages(
        session, (*job.message_ids, *chat.message_ids_of(session, job.thread_ids))
    )
    # All of this must be gone afterwards.
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
    # The wish to forget also decides the pending requests.
    with runtime.decide() as session:
        over = session.now if by == "lifecycle" else None
        if by == "lifecycle" or not is_told:  # The person may have restored a memory meanwhile.
            job = replace(job, memory_ids=finding.in_trash(session, job.memory_ids, over))
        if by == "lifecycle":
            before = session.now - timedelta(days=runtime.settings.purge_days)
            job = replace(job, thread_ids=finding.overdue_threads(session, job.thread_ids, before))
        with sync.erasing(session):
            erased = erasing.erase(session, actor, job)
        if sync.is_shared(session) and not is_told:
            sync.plan_erasure(session, keyring.close_job(runtime, {"job": asdict(job), "by": by}))
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
    plain = [normal for text in texts if (normal := normalise(text)) not in text.lower()]
    files = [runtime.paths.log, runtime.paths.personas, runtime.paths.config]
    scan = text_traces.scan(runtime.database, files, ByteNeedles([*texts, *plain]))
    also_in = finding.memories_with(runtime.read(), texts) if by == "person" else ()
    barred = {*scan.unread, *(path.name for path, fate in fates.items() if fate is Fate.BARRED)}
    counts = (erased.memories, erased.messages, erased.others, cleaned, dropped, scan.files)
    clear_text_caches()  # last: the scan, too, reads what was erased
    rest = (scan.left, settled, also_in, in_profile)
    return Receipt(*counts, *rest, by_words=bool(job.words), barred=tuple(sorted(barred)))


def _settle(runtime: Runtime) -> bool:
    """Clean the deleted text that SQLite and the models keep."""
    settled = text_traces.settle(runtime.database)
    _free_erased(runtime)
    if settled:
        with runtime.decide() as session:
            purge_jobs.mark_settled(session)
    return settled


def _listed(said: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return profile values, each with its field: `Health: migraine`."""
    return tuple(f"{label(field)}: {value}" for field, values in said.items() for value in values)


def _valid_phrase(words: str) -> str:
    words = one_line(clean(words))
    if len(words) < FEWEST_CHARS:
        raise UsageError(
            "Name the words to erase everywhere.",
            f"At least {FEWEST_CHARS} characters.",
        )
    return words
