"""Decisions that meet over several exchanges, and entries that an erasure rewrote, replayed by a
machine that joins later: every machine comes to the same.
"""

from itertools import permutations

import pytest

from memapp.domain.chat import Role
from memapp.errors import UsageError
from memapp.services import chats, curate, forget
from memapp.services.consent import decisions
from memapp.services.lessons import curate as lessons
from memapp.services.sync.exchange import exchange
from memapp.store import chat, consents, memories
from tests.builders import erase
from tests.services.test_lesson_curate import do, every
from tests.sync.test_consent import ask, profile
from tests.sync.test_memories import Machine, settle, texts


@pytest.mark.parametrize("order", list(permutations(range(3)))[::2])
def test_a_value_comes_back_when_the_one_that_overruled_it_was_denied_before(
    machine: Machine, order: tuple[int, ...]
) -> None:
    laptop, desktop, phone = all_of_them = machine("laptop"), machine("desktop"), machine("phone")
    decisions.set_field(laptop, "city", "Oslo")
    asked = ask(laptop, "city", "Bergen", "I live in Bergen")
    settle(*all_of_them)
    now = max(runtime.clock() for runtime in all_of_them)  # type: ignore[type-var]
    for runtime in all_of_them:
        runtime.clock.now = now  # type: ignore[attr-defined]
    decisions.deny(phone, asked)
    desktop.clock()
    laptop.clock()
    decisions.set_field(laptop, "city", "Trondheim")
    decisions.approve(desktop, asked)
    for at in order:
        exchange(all_of_them[at])
    settle(*all_of_them)
    assert consents.get_request(laptop.read(), asked).state == "denied"
    assert profile(desktop) == {"city": ("Trondheim",)}
    assert texts(desktop) == set()
    tablet = machine("tablet")
    settle(tablet, laptop)


def test_of_three_cities_on_three_machines_the_last_stands_everywhere(machine: Machine) -> None:
    laptop, desktop, phone = all_of_them = machine("laptop"), machine("desktop"), machine("phone")
    for runtime, city in zip(all_of_them, ("Oslo", "Bergen", "Trondheim"), strict=True):
        decisions.set_field(runtime, "city", city)
    exchange(laptop)
    exchange(phone)
    exchange(desktop)
    settle(phone, desktop, laptop)
    assert profile(laptop) == {"city": ("Trondheim",)}
    decisions.clear_field(desktop, "city", "Trondheim")
    settle(desktop, laptop, phone)
    assert profile(phone) == {}
    tablet = machine("tablet")
    settle(tablet, laptop)


def test_a_city_that_lost_does_not_come_back_where_the_one_that_won_was_erased(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    decisions.set_field(laptop, "city", "Bergen")
    decisions.set_field(desktop, "city", "Trondheim")
    settle(laptop, desktop)
    forget.forget_everywhere(laptop, "Trondheim")
    settle(laptop, desktop)
    assert profile(desktop) == {}
    phone = machine("phone")
    settle(phone, laptop)
    assert profile(phone) == {}


def test_entries_that_two_erasures_rewrote_are_replayed_by_a_machine_that_joins(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    thread = chats.new_thread(laptop).id
    with laptop.write() as session:
        chat.add_message(session, thread, Role.USER, "Heliotrope, and gamboge?", session.now)
    chats.rename_thread(laptop, thread, "On heliotrope and gamboge")
    kept = curate.add(laptop, "I keep bees in heliotrope").memory_id
    curate.edit(laptop, kept, "I keep bees")
    gone = curate.add(laptop, "I like gamboge").memory_id
    settle(laptop, desktop)
    curate.edit(desktop, kept, "I keep black bees")
    forget.forget_everywhere(laptop, "heliotrope")
    settle(desktop, laptop)
    curate.pin(laptop, kept)
    erase(desktop, gone)
    forget.forget_everywhere(desktop, "gamboge")
    for _ in range(2):
        settle(laptop, desktop)
    phone = machine("phone")
    settle(phone, laptop, desktop)
    assert texts(phone) == {"I keep black bees"}
    assert curate.get(phone, kept).pinned


def test_failures_that_count_as_one_do_so_on_every_machine(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    do(laptop, "kiln frie", "kiln fire 900", "kiln wram", "kiln warm")
    first, other = every(laptop)
    settle(laptop, desktop)
    lessons.take_for_same(laptop, first, other)
    settle(laptop, desktop)
    with pytest.raises(UsageError, match="the same failure already"):
        lessons.take_for_same(desktop, first, other)
    lessons.tell_apart(desktop, other)
    settle(laptop, desktop)
    with pytest.raises(UsageError, match="was not merged"):
        lessons.tell_apart(laptop, other)


def test_a_request_that_was_approved_and_forgotten_elsewhere_forgets_its_memory(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    asked = ask(laptop, "health", "migraine", "I have migraine")
    settle(laptop, desktop)
    decisions.approve(desktop, asked)
    (known,) = memories.list_memories(desktop.read())
    erase(desktop, known.id)
    settle(desktop, laptop)
    assert consents.memory_of(laptop.read(), asked) is None
