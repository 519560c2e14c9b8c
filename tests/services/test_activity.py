"""The counts of what memapp did, from its own events."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from memapp.domain.activity import Rate
from memapp.domain.expectation import Verdict
from memapp.domain.turn_events import Completed
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, undo
from memapp.store import expectations
from tests.builders import chat_of, learn, new_chat, only, say


def test_operations_are_counted_by_kind_and_time(runtime: Runtime) -> None:
    curate.add(runtime, "User drinks oolong.")
    runtime.clock.now += timedelta(days=2)  # type: ignore[attr-defined]
    curate.discard(runtime, curate.add(runtime, "User drinks coffee.").memory_id)
    found = {
        (count.node, count.op): (count.today, count.week, count.total, count.failed)
        for count in activity.counts(runtime)
    }
    assert found == {("hotpath", "create"): (1, 2, 2, 0), ("hotpath", "delete"): (1, 1, 1, 0)}


def test_days_without_anything_are_counted_as_nothing(runtime: Runtime) -> None:
    curate.add(runtime, "User drinks oolong.")
    runtime.clock.now += timedelta(days=2)  # type: ignore[attr-defined]
    curate.add(runtime, "User drinks coffee.")
    days = activity.by_day(runtime, 4)
    assert [day.count for day in days] == [0, 1, 0, 1]
    assert days[-1].day == runtime.clock().date()


def test_today_is_where_the_person_is(runtime: Runtime, live_in: Callable[[str], None]) -> None:
    live_in("America/Los_Angeles")
    for hour in (
        7,
        23,
        25,
    ):  # the 9th of January, late, there; the 10th at three, and at five, the 11th in London
        runtime.clock.now = datetime(2026, 1, 10, tzinfo=UTC) + timedelta(hours=hour)  # type: ignore[attr-defined]
        curate.add(runtime, f"User was at work at {hour}.")
    assert [(count.op, count.today) for count in activity.counts(runtime)] == [("create", 2)]
    actual = [(day.day.day, day.count) for day in activity.by_day(runtime, 3)]
    assert actual == [(8, 0), (9, 1), (10, 2)]


def test_a_day_of_23_hours_is_one_day(runtime: Runtime, live_in: Callable[[str], None]) -> None:
    live_in("America/Los_Angeles")
    for day in (8, 9):  # at half past midnight there, before and after the clock is put forward
        runtime.clock.now = datetime(2026, 3, day, 16 - day, 30, tzinfo=UTC)  # type: ignore[attr-defined]
        curate.add(runtime, f"User was awake on the {day}th.")
    actual = [(day.day.day, day.count) for day in activity.by_day(runtime, 3)]
    assert actual == [(7, 0), (8, 1), (9, 1)]


def test_rates_come_from_what_happened_and_say_so_when_nothing_did(runtime: Runtime) -> None:
    assert str(activity.rates(runtime).recalled_on_demand) == "nothing counted yet"
    thread = chat_of(runtime, "I play the accordion.")
    learn(runtime, thread)
    assert activity.rates(runtime).recalled_on_demand == Rate(0, 1)
    say(runtime, thread, "Where do penguins live?")
    assert activity.rates(runtime).guesses.as_predicted.of == 1
    assert str(Rate(1, 4)) == "25% (1 of 4)"


def test_a_message_as_predicted_is_told_from_one_on_the_same_topic(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    replies = [only(Completed, say(runtime, thread, "Hello")).reply for _ in range(5)]
    verdicts = ((False, 0.8), (False, 0.5), (False, None), (True, 0.7), (True, 0.1))
    for reply, (surprised, similarity) in zip(replies, verdicts, strict=True):
        message = chats.get_message(runtime, reply.reply_to or "")
        with runtime.write() as session:
            expectations.save_prediction(session, thread, reply.id, "predictor", "Hi.", ())
            guess = expectations.prediction_for(session, reply.id, "predictor")
            assert guess is not None
            expectations.save_comparison(
                session, guess.id, message.id, Verdict(surprised, 50.0, similarity, "")
            )
    rates = expectations.hit_rates(runtime.read())
    assert (rates.as_predicted, rates.same_topic) == (Rate(1, 5), Rate(2, 5))
    assert expectations.hit_rates(runtime.read(), last=2).same_topic == Rate(0, 2)


def test_the_history_of_one_memory_and_of_all(runtime: Runtime) -> None:
    one = curate.add(runtime, "User drinks oolong.").memory_id
    curate.add(runtime, "User drinks coffee.")
    curate.edit(runtime, one, "User drinks green tea.")
    assert [entry.event for entry in activity.entries(runtime, one)] == ["UPDATE", "ADD"]
    newest, *rest = activity.entries(runtime)
    assert [entry.number for entry in activity.entries(runtime, before=newest.number)] == [
        entry.number for entry in rest
    ]
    first, second = activity.versions(runtime, one)
    assert first.text == "User drinks oolong."
    assert activity.version(runtime, second.id).text == "User drinks green tea."
    assert [step.event for step in undo.undoable(runtime)] == ["UPDATE", "ADD", "ADD"]
