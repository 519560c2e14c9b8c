"""Unused memories go to the trash, and from there for good; no clock can hurry that."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memapp.domain.changes import Actor, Created, Event
from memapp.domain.consent import FORGOTTEN
from memapp.domain.memory import Memory, State
from memapp.errors import NotFound, UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget, jobs, undo
from memapp.services.consent import decisions, pending, requests
from memapp.services.jobs import retention
from memapp.store import changes, consents, history, memories
from memapp.store import lifecycle as store
from tests.builders import (
    Clock,
    fact,
    learn,
    make_runtime,
    new_chat,
    recorded,
    say,
    tidy,
    typed_message,
)

pytestmark = pytest.mark.made_with(model=None, embedder=False)

START = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)


def at(runtime: Runtime, moment: datetime) -> None:
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now = moment


def add(runtime: Runtime, text: str, importance: int = 2, *, pinned: bool = False) -> str:
    memory_id = curate.add(runtime, text, pinned=pinned).memory_id
    with runtime.database.write() as conn:
        conn.execute("UPDATE memories SET importance = ? WHERE id = ?", (importance, memory_id))
    return memory_id


def end_what_is_over(runtime: Runtime) -> None:
    """Do those jobs that are due and go by time alone."""
    ends = [job for job in jobs.NOW_AND_THEN if job.name in ("expire", "unused", "purge")]
    assert all(isinstance(event, int) for event in jobs.run_due(runtime, Cancel(), ends))
    assert len(ends) == 3


def live_on(runtime: Runtime, since: datetime, days: int, *, talking: bool = False) -> None:
    """Let days go by on which memapp is open, with a run of what time ends in the morning and one
    in the evening.
    """
    thread = new_chat(runtime) if talking else ""
    for day in range(1, days + 1):
        at(runtime, since + timedelta(days=day))
        if talking:
            with runtime.write() as session:
                typed_message(session, thread, "Hello.")
        end_what_is_over(runtime)
        at(runtime, since + timedelta(days=day, hours=10))
        end_what_is_over(runtime)


def state(runtime: Runtime, memory_id: str) -> Memory:
    return memories.get_memory(runtime.read(), memory_id)


def gone(runtime: Runtime) -> set[str]:
    return {
        entry.subject_id
        for entry in history.list_entries(runtime.read())
        if entry.event is Event.PURGE
    }


def test_what_is_unused_for_sixty_days_goes_to_the_trash_for_thirty(runtime: Runtime) -> None:
    forgotten = add(runtime, "One.")
    important = add(runtime, "Two.", 3)
    pinned = add(runtime, "Three.", pinned=True)
    live_on(runtime, START + timedelta(days=52), 7, talking=True)
    assert state(runtime, forgotten).state is State.LIVE
    live_on(runtime, START + timedelta(days=59), 5, talking=True)
    moved = state(runtime, forgotten)
    assert (moved.state, moved.reason) == (State.SOFT_DELETED, "unused")
    assert moved.purge_at is not None
    assert moved.purge_at - moved.updated_at < timedelta(days=30, minutes=1)
    assert state(runtime, important).state is state(runtime, pinned).state is State.LIVE
    assert [memory.id for memory in retention.trash(runtime)] == [forgotten]
    (entry,) = [entry for entry in history.list_entries(runtime.read()) if entry.event is Event.TTL]
    assert (entry.subject_id, entry.actor) == (forgotten, "lifecycle")


def test_what_stood_in_a_prompt_stays(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, ScriptedModel())
    used, unused = add(runtime, "User's cat is called Tom."), add(runtime, "User owns a bicycle.")
    at(runtime, START + timedelta(days=40))
    say(runtime, new_chat(runtime), "What is my cat called?")
    (row,) = runtime.database.read().execute("SELECT * FROM access_counts").fetchall()
    assert (row["memory_id"], row["uses"]) == (used, 1)
    live_on(runtime, START + timedelta(days=56), 9, talking=True)
    assert state(runtime, used).state is State.LIVE
    assert state(runtime, unused).state is State.SOFT_DELETED
    runtime.close()


def test_what_was_brought_back_or_in_is_not_moved_again_at_once(runtime: Runtime) -> None:
    restored, undone = add(runtime, "One."), add(runtime, "Two.")
    live_on(runtime, START + timedelta(days=56), 8, talking=True)
    assert [state(runtime, text).reason for text in (restored, undone)] == ["unused", "unused"]
    curate.restore(runtime, restored)
    undo.undo(runtime, undo.undoable(runtime, 2)[1].id)
    with runtime.write() as session:  # as an import does, with the times of its file
        imported = fact("Three.", START)
        changes.apply(session, Created(imported), Actor("import"))
    live_on(runtime, START + timedelta(days=64), 20, talking=True)
    assert {state(runtime, text).state for text in (restored, undone, imported.id)} == {State.LIVE}


def test_the_trash_is_emptied_when_its_time_is_over_and_memapp_was_used(runtime: Runtime) -> None:
    memory, kept = add(runtime, "One.", 3), add(runtime, "Two.", 3)
    at(runtime, START + timedelta(days=3650))  # the clock is ahead for a moment
    chat_id = new_chat(runtime)
    at(runtime, START)
    kept_chat = new_chat(runtime)
    curate.discard(runtime, memory)
    chats.delete_thread(runtime, chat_id)
    live_on(runtime, START, 29, talking=True)
    assert gone(runtime) == set()
    curate.discard(runtime, kept)
    chats.delete_thread(runtime, kept_chat)
    actual = [thread.id for thread in chats.list_threads(runtime, deleted=True)]
    assert actual == [kept_chat, chat_id]
    live_on(runtime, START + timedelta(days=29), 4, talking=True)
    assert gone(runtime) == {memory}
    assert [thread.id for thread in chats.list_threads(runtime, deleted=True)] == [kept_chat]
    with pytest.raises(NotFound):
        chats.restore_thread(runtime, chat_id)
    assert state(runtime, kept).state is State.SOFT_DELETED


def test_what_is_brought_back_or_pinned_at_the_last_moment_stays(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    unused, trashed = add(runtime, "One."), add(runtime, "Two.", 3)
    curate.discard(runtime, trashed)
    live_on(runtime, START, 29, talking=True)
    chosen: list[str] = []

    def bring_back(*args: Any) -> Any:
        curate.restore(runtime, trashed)
        chosen.append(trashed)
        return days_of_use(*args)

    def pin(*args: Any) -> Any:
        found = least_used(*args)
        if found and not chosen.count(unused):
            curate.pin(runtime, unused)
            chosen.append(unused)
        return found

    days_of_use, least_used = store.days_of_use, store.least_used
    monkeypatch.setattr(store, "days_of_use", bring_back)
    live_on(runtime, START + timedelta(days=29), 3, talking=True)
    monkeypatch.setattr(store, "least_used", pin)
    live_on(runtime, START + timedelta(days=32), 40, talking=True)
    assert set(chosen) == {unused, trashed}
    assert gone(runtime) == set()
    assert state(runtime, trashed).state == State.LIVE
    assert state(runtime, unused).state == State.LIVE


def test_only_what_the_person_threw_away_is_asked_about_if_said_again(runtime: Runtime) -> None:
    unused, disliked = add(runtime, "User keeps bees."), add(runtime, "User keeps hens.", 3)
    curate.discard(runtime, disliked)
    live_on(runtime, START, 100, talking=True)
    assert gone(runtime) == {unused, disliked}
    assert not forget.is_forgotten(runtime, "User keeps bees.")
    assert forget.is_forgotten(runtime, "User keeps hens.")


def test_without_days_of_use_nothing_is_erased_by_the_clock(runtime: Runtime) -> None:
    memory = add(runtime, "One.", 3)
    curate.discard(runtime, memory)
    live_on(runtime, START, 60)
    assert gone(runtime) == set()
    assert retention.empty(runtime).memories == 1
    assert gone(runtime) == {memory}


@pytest.mark.parametrize("years", [10, -10])
def test_no_leap_of_the_clock_erases_or_moves_anything(runtime: Runtime, years: int) -> None:
    for number in range(100):
        add(runtime, f"Fact number {number}.")
    trashed = [add(runtime, f"Trashed number {number}.") for number in range(20)]
    for memory in trashed:
        curate.discard(runtime, memory)
    chats.delete_thread(runtime, new_chat(runtime))
    live_on(runtime, START, 8, talking=True)
    there = START + timedelta(days=365 * years)
    at(runtime, there)
    tidy(runtime)
    assert len(retention.trash(runtime)) == 20
    (skipped,) = recorded(runtime, "ttl")
    assert (skipped["status"], skipped["meta"]) == ("skipped", {"reason": "the clock leapt"})
    for hours in (1, 2, 4, 30):  # it stays wrong, or nobody looked in for years
        at(runtime, there + timedelta(hours=hours))
        tidy(runtime)
    assert len(retention.trash(runtime)) == 20
    at(runtime, START + timedelta(days=9))
    tidy(runtime)
    live_on(runtime, START + timedelta(days=9), 3, talking=True)
    assert gone(runtime) == set()
    assert len(chats.list_threads(runtime, deleted=True)) == 1


@pytest.mark.parametrize("looked", [True, False])
def test_what_was_put_away_by_a_slow_clock_has_its_time(runtime: Runtime, looked: bool) -> None:
    at(runtime, START - timedelta(days=310))
    old = new_chat(runtime)  # from before what the clock will show
    at(runtime, START)
    memory, recent = add(runtime, "One.", 3), new_chat(runtime)
    live_on(runtime, START, 10, talking=True)
    say(runtime, recent, "Hello.")
    behind, right = START - timedelta(days=300), START + timedelta(days=11)
    at(runtime, behind)
    if looked:
        tidy(runtime)
    for thread in (old, recent):
        chats.delete_thread(runtime, thread)
    at(runtime, behind + timedelta(minutes=1))
    curate.discard(runtime, memory)
    requests.propose(runtime, "city", "Oslo")
    live_on(runtime, right, 1, talking=True)
    assert (gone(runtime), pending.count_pending(runtime)) == (set(), 1)
    live_on(runtime, right + timedelta(days=1), 25, talking=True)
    assert [memory.id for memory in retention.trash(runtime)] == [memory]
    assert [thread.id for thread in chats.list_threads(runtime, deleted=True)] == [recent, old]
    live_on(runtime, right + timedelta(days=26), 10, talking=True)
    assert (gone(runtime), chats.list_threads(runtime, deleted=True)) == ({memory}, [])


def test_no_leap_of_the_clock_ends_a_request(runtime: Runtime) -> None:
    tidy(runtime)
    requests.propose(runtime, "city", "Oslo")
    thread = new_chat(runtime)
    for minutes in (0, 1, 5, 20, 60):  # it stays wrong for an hour
        at(runtime, START + timedelta(days=400, minutes=minutes))
        say(runtime, thread, "Hello.")
        learn(runtime)
    at(runtime, START + timedelta(hours=1))
    learn(runtime)
    assert pending.count_pending(runtime) == 1
    at(runtime, START + timedelta(days=3650))
    requests.propose(runtime, "health", "asthma")
    live_on(runtime, START, days=9, talking=True)
    assert pending.count_pending(runtime) == 0
    live_on(runtime, START + timedelta(days=9), days=2, talking=True)
    actual = {request.state for request in consents.list_requests(runtime.read())}
    assert actual == {"expired", "withdrawn"}


def test_who_comes_once_a_week_finds_the_trash_empty_and_requests_closed(runtime: Runtime) -> None:
    trashed = add(runtime, "One.", 3)
    curate.discard(runtime, trashed)
    requests.propose(runtime, "city", "Oslo")
    again = requests.propose(runtime, FORGOTTEN, "User has a cat.")
    assert again is not None
    decisions.deny(runtime, again.id)
    states = []
    for week in range(1, 11):
        assert gone(runtime) == ({trashed} if week > 7 else set())
        live_on(runtime, START + timedelta(weeks=week), days=1, talking=True)
        listed = consents.list_requests(runtime.read())
        states += [request.state for request in listed if request.field == "city"]
        assert (again.id in [request.id for request in listed]) == (week < 7), (
            "what was erased before goes sooner"
        )
    assert states == ["pending"] * 2 + ["expired"] * 7, (
        "and erased as long after as the trash is kept"
    )


def test_a_leap_in_a_run_erases_nothing(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    trashed = [add(runtime, f"Trashed number {number}.") for number in range(5)]
    for memory in trashed:
        curate.discard(runtime, memory)
    live_on(runtime, START, 10, talking=True)
    moments = iter(
        [
            START + timedelta(days=11),
            *[START + timedelta(days=3650, seconds=number) for number in range(500)],
        ]
    )
    monkeypatch.setattr(runtime, "clock", lambda: next(moments))
    tidy(runtime)
    assert gone(runtime) == set()


@pytest.mark.parametrize("hours", [1, -1])
def test_daylight_saving_is_nothing(runtime: Runtime, hours: int) -> None:
    add(runtime, "One.")
    live_on(runtime, START, 2)
    at(runtime, START + timedelta(days=2, hours=12 + hours))
    tidy(runtime)
    assert retention.trash(runtime) == []
    assert recorded(runtime, "ttl") == []


def test_a_run_is_at_most_once_an_hour_and_moves_one_in_twenty(runtime: Runtime) -> None:
    for number in range(100):
        add(runtime, f"Fact number {number}.")
    live_on(runtime, START + timedelta(days=55), 7, talking=True)
    at(runtime, START + timedelta(days=63))
    tidy(runtime)
    assert len(retention.trash(runtime)) == 5
    tidy(runtime)
    assert len(retention.trash(runtime)) == 5
    at(runtime, START + timedelta(days=63, hours=1, minutes=1))
    tidy(runtime)
    assert len(retention.trash(runtime)) == 10


def test_exactly_the_due_ones_are_erased(runtime: Runtime) -> None:
    due = [add(runtime, f"Due number {number}.", 3) for number in range(20)]
    for memory in due:
        curate.discard(runtime, memory)
    live_on(runtime, START, 20, talking=True)
    for number in range(20):
        curate.discard(runtime, add(runtime, f"Not due number {number}.", 3))
    live_on(runtime, START + timedelta(days=20), 20, talking=True)
    assert gone(runtime) == set(due)
    assert len(retention.trash(runtime)) == 20
    with runtime.database.write() as conn:
        conn.execute("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")


def test_an_empty_trash_cannot_be_emptied(runtime: Runtime) -> None:
    with pytest.raises(NotFound):
        retention.empty(runtime)


def test_idle_work_looks_after_the_trash(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, ScriptedModel())
    learn(runtime)
    assert all(jobs.pace(runtime, job) for job in jobs.NOW_AND_THEN if job.every != jobs.EACH_TIME)
    runtime.close()


@pytest.mark.parametrize("every", [1, 7, 14, 30])
def test_what_ended_is_told_however_seldom_somebody_comes(runtime: Runtime, every: int) -> None:
    memory_id = add(runtime, "One.")
    curate.discard(runtime, memory_id)
    request = requests.propose(runtime, "city", "Bergen")
    assert request is not None
    thread, promised = new_chat(runtime), list[int]()
    for visit in range(1, 60):
        at(runtime, START + timedelta(days=visit * every, hours=1))
        with runtime.write() as session:
            typed_message(session, thread, "Hello.")
        is_over = runtime.clock() > request.expires_at
        assert (pending.list_pending(runtime) == []) is is_over, (
            "unanswered it is a no at the hour that was told"
        )
        if is_over and pending.get(runtime, request.id).state == "pending":
            with pytest.raises(UsageError, match="time to decide on this is over"):
                decisions.approve(runtime, request.id)
        promised += retention.missing(runtime, retention.trash(runtime)).values()
        tidy(runtime)
        if gone(runtime):
            break
    assert promised == list(range(promised[0], -1, -1)), (
        "so many days of use, told before each, and no more"
    )
    assert pending.get(runtime, request.id).state == "expired"
