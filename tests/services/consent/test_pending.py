"""Requests that wait: shown against the profile of now, hidden for a while, ended by time."""

from dataclasses import replace

import pytest

from memapp.domain.changes import Actor, Created, SoftDeleted
from memapp.domain.filters import MemoryFilter
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.consent import decisions, pending, questions, requests
from memapp.store import changes, consents, history
from memapp.store.encoding import new_id
from tests.builders import new_chat, on
from tests.services.consent.builders import later, live, proposed, requested_fact, typed


def test_a_request_changes_nothing_until_it_is_approved(runtime: Runtime) -> None:
    request = proposed(runtime)
    assert decisions.profile(runtime) == {}
    assert pending.count_pending(runtime) == 1
    assert [request.id for request in pending.list_pending(runtime)] == [request.id]
    decisions.approve(runtime, request.id)
    assert decisions.profile(runtime) == {"city": ("Oslo",)}
    assert pending.count_pending(runtime) == 0
    decided = consents.get_request(runtime.read(), request.id)
    assert (decided.state, decided.decided_by) == ("applied", "person")


def test_snoozing_hides_for_a_while_and_undo_shows_again(runtime: Runtime) -> None:
    request = proposed(runtime)
    decisions.snooze(runtime, request.id)
    assert pending.list_pending(runtime) == []
    undo.undo_last(runtime)
    assert [request.id for request in pending.list_pending(runtime)] == [request.id]
    decisions.snooze(runtime, request.id)
    later(runtime, hours=25)
    assert pending.count_pending(runtime) == 1


def test_a_field_with_several_values_grows(runtime: Runtime) -> None:
    one, other = proposed(runtime, "health", "asthma"), proposed(runtime, "health", "hay fever")
    decisions.approve(runtime, one.id)
    (shown,) = pending.list_pending(runtime)
    assert (shown.id, shown.old_value, shown.new_value) == (other.id, "", "hay fever")
    decisions.approve(runtime, other.id)
    assert decisions.profile(runtime) == {"health": ("asthma", "hay fever")}
    assert requests.propose(runtime, "health", "Asthma") is None
    undo.undo_last(runtime)
    assert decisions.profile(runtime) == {"health": ("asthma",)}


def test_a_request_expires_after_seven_days_and_cannot_be_approved_then(runtime: Runtime) -> None:
    request = proposed(runtime)
    later(runtime, days=6)
    assert (pending.expire_due(runtime), pending.count_pending(runtime)) == ([], 1)
    later(runtime, days=1, hours=1)
    with pytest.raises(UsageError, match="time to decide"):
        decisions.approve(runtime, request.id)
    for _ in range(3):
        later(runtime, days=1)
        typed(runtime, new_chat(runtime))
    assert [request.id for request in pending.expire_due(runtime)] == [request.id]
    assert consents.get_request(runtime.read(), request.id).decided_by == "clock"
    assert decisions.profile(runtime) == {}
    (entry,) = history.list_entries(runtime.read())
    assert (entry.actor, entry.meta["decision"]) == ("lifecycle", "expired")
    assert undo.describe(runtime, undo.undo_last(runtime)) == "Closed Home “Oslo” unanswered"
    assert [request.new_value for request in pending.list_pending(runtime)] == ["Oslo"], (
        "it waits again, for seven days more"
    )


def test_what_ends_soon_is_not_put_off_until_it_is_over(runtime: Runtime) -> None:
    request = proposed(runtime)
    later(runtime, days=5, hours=14)
    with pytest.raises(UsageError, match="Only 33 hours are left"):
        decisions.snooze(runtime, request.id)
    assert [request.id for request in pending.list_pending(runtime)] == [request.id]


def test_what_waits_with_a_request_and_what_was_asked_are_one_persons(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    request = proposed(runtime, memory=requested_fact(runtime))
    question = questions.ask(runtime, request.id, thread)
    conn, me = runtime.database.read(), runtime.user_id
    for user, text, asked, since in (
        (me, True, question.id, 0),
        ("somebody else", False, "", None),
    ):
        assert (consents.memory_of(on(conn, user), request.id) is not None) is text
        assert consents.question_of(on(conn, user), request.id) == asked
        assert consents.messages_since_question(on(conn, user), thread) == since


def test_a_memory_that_states_what_waits_comes_back_only_with_the_yes(runtime: Runtime) -> None:
    request = proposed(runtime, memory=requested_fact(runtime))
    undo.undo(runtime, decisions.approve(runtime, request.id))
    (lost,) = trash(runtime)
    (again,) = pending.list_pending(runtime)
    back = curate.restore(runtime, lost)
    assert (back.revisions, back.known, back.asked) == ((), (), (lost,))
    assert [request.id for request in pending.list_pending(runtime)] == [again.id], (
        "what waits already is not asked twice"
    )
    decisions.deny(runtime, again.id)
    assert curate.restore(runtime, lost).asked == (lost,)
    (asked,) = pending.list_pending(runtime)
    assert asked.field == "city"
    assert asked.old_value == ""
    assert asked.new_value == "Oslo"
    assert live(runtime) == []
    assert pending.memory_text(runtime, asked.id) == "I live in Oslo near the harbour."
    step = decisions.approve(runtime, asked.id)
    assert live(runtime) == ["I live in Oslo near the harbour."]
    assert trash(runtime) == [], "it came back itself, not as a copy"
    undo.undo(runtime, step)
    assert (live(runtime), trash(runtime)) == ([], [lost])


def test_a_memory_that_states_two_such_things_waits_for_both(runtime: Runtime) -> None:
    decisions.set_field(runtime, "pronouns", "she/her")
    both = "I live in Oslo and my pronouns are she/her."
    request = proposed(runtime, memory=requested_fact(runtime, both))
    undo.undo(runtime, decisions.approve(runtime, request.id))
    (lost,) = trash(runtime)
    for other in pending.list_pending(runtime):
        decisions.deny(runtime, other.id)
    decisions.clear_field(runtime, "pronouns")
    assert curate.restore(runtime, lost).asked == (lost,)
    actual = {(request.field, request.new_value) for request in pending.list_pending(runtime)}
    assert actual == {("pronouns", "she/her"), ("city", "Oslo")}
    first, second = pending.list_pending(runtime)
    decisions.approve(runtime, first.id)
    assert (live(runtime), trash(runtime)) == ([], [lost])
    decisions.approve(runtime, second.id)
    assert (live(runtime), trash(runtime)) == ([both], [])


def test_what_the_person_wrote_or_approved_is_restored_unasked(runtime: Runtime) -> None:
    own = curate.add(runtime, "I live in Oslo.").memory_id
    request = proposed(
        runtime, "health", "asthma", memory=requested_fact(runtime, "I have asthma.")
    )
    decisions.approve(runtime, request.id)
    (learned,) = (memory.id for memory in curate.list_memories(runtime) if memory.id != own)
    curate.discard(runtime, own, learned)
    assert len(curate.restore(runtime, own, learned).revisions) == 2
    assert pending.list_pending(runtime) == []


@pytest.mark.parametrize(
    ("field", "text"),
    [("health", "I get low in the dark months."), ("fact", "Ich nehme Tabletten.")],
)
def test_a_sentence_that_was_asked_about_waits_again_when_it_is_restored_without_its_yes(
    runtime: Runtime, field: str, text: str
) -> None:
    undo.undo(
        runtime,
        decisions.approve(
            runtime, proposed(runtime, field, text, memory=requested_fact(runtime, text)).id
        ),
    )
    (lost,) = trash(runtime)
    assert curate.restore(runtime, lost).asked == (lost,)
    (asked,) = pending.list_pending(runtime)
    assert (live(runtime), asked.new_value) == ([], text)
    decisions.approve(runtime, asked.id)
    (known,) = curate.list_memories(runtime)
    curate.discard(runtime, known.id)
    assert len(curate.restore(runtime, known.id).revisions) == 1, "it has its yes"


def test_a_memory_of_two_requests_comes_with_the_second_yes_and_no_no(runtime: Runtime) -> None:
    for text, decide in (
        ("I run with asthma in Oslo.", decisions.approve),
        ("I row with gout in Bergen.", decisions.deny),
    ):
        illness, town = text.split()[3], text.split()[5].strip(".")
        first = proposed(runtime, "health", illness, memory=requested_fact(runtime, text))
        second = proposed(runtime, "city", town, memory=requested_fact(runtime, text))
        decide(runtime, first.id)
        assert text not in live(runtime)
        decisions.approve(runtime, second.id)
        assert (text in live(runtime)) is (decide is decisions.approve)


def test_what_the_judge_let_pass_comes_back_whatever_its_words_here(runtime: Runtime) -> None:
    sentence, now = requested_fact(runtime, "My aunt sings in the church."), runtime.clock()
    for actor, is_back in (("rules", True), ("import", False)):
        lost = replace(sentence, id=new_id(now), text=f"{sentence.text} {actor}")
        with runtime.write() as session:
            changes.apply(session, Created(lost), Actor(actor))
            changes.apply(
                session, SoftDeleted(lost.id, "person", runtime.purge_at()), Actor("person")
            )
        assert bool(curate.restore(runtime, lost.id).revisions) is is_back


def test_a_secret_stays_in_the_trash(runtime: Runtime) -> None:
    lost = replace(requested_fact(runtime), id=new_id(runtime.clock()), text="My PIN is 4711.")
    with runtime.write() as session:
        changes.apply(session, Created(lost), Actor("rules"))
        changes.apply(session, SoftDeleted(lost.id, "person", runtime.purge_at()), Actor("person"))
    assert curate.restore(runtime, lost.id).barred == (lost.id,)


def trash(runtime: Runtime) -> list[str]:
    """Return the learned memories in the trash, among them those of `held_fact`."""
    return [
        memory.id
        for memory in curate.list_memories(runtime, MemoryFilter(state=None))
        if memory.origin == "said"
    ]
