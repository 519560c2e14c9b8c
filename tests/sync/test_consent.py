"""What waits for the person waits on every machine, the first decision counts, and the guards hold
for what comes in.
"""

from memapp.services import curate
from memapp.services.consent import decisions, pending
from memapp.services.sync.exchange import exchange
from memapp.store import consents
from memapp.store.profile import read_profile
from tests.builders import fact
from tests.sync.test_memories import Machine, settle, texts


def ask(runtime, field: str, value: str, text: str = "") -> str:  # type: ignore[no-untyped-def]
    with runtime.write() as session:
        memory = fact(text, session.now) if text else None
        return pending.add(session, field, "", value, "rules", memory).id


def profile(runtime) -> dict[str, tuple[str, ...]]:  # type: ignore[no-untyped-def]
    return read_profile(runtime.read())


def test_a_question_waits_everywhere_and_an_answer_settles_it_everywhere(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    health = ask(laptop, "health", "migraine", "I have migraine")
    city = ask(desktop, "city", "Bergen")
    settle(laptop, desktop)
    assert {request.id for request in pending.list_pending(desktop)} == {health, city}
    decisions.approve(desktop, health)
    decisions.deny(laptop, city)
    settle(laptop, desktop)
    assert profile(laptop) == {"health": ("migraine",)}
    assert texts(laptop) == {"I have migraine"}
    assert not pending.list_pending(desktop)
    assert consents.get_request(desktop.read(), city).state == "denied"


def test_of_a_no_and_a_later_yes_the_no_counts(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    decisions.set_field(laptop, "city", "Oslo")
    city = ask(laptop, "city", "Bergen", "I live in Bergen")
    health = ask(laptop, "health", "migraine", "I have migraine")
    settle(laptop, desktop)
    desktop.clock.now = laptop.clock.now  # type: ignore[attr-defined]
    decisions.deny(laptop, city)
    decisions.approve(desktop, city)
    decisions.approve(desktop, health)
    decisions.deny(laptop, health)
    settle(desktop, laptop)
    assert profile(laptop)["city"] == ("Oslo",)
    assert consents.get_request(desktop.read(), city).state == "denied"
    assert profile(laptop) == profile(desktop)


def test_a_yes_that_came_first_counts_whichever_machine_speaks_first(machine: Machine) -> None:
    laptop, desktop, phone = machine("laptop"), machine("desktop"), machine("phone")
    health = ask(laptop, "health", "migraine", "I have migraine")
    settle(laptop, desktop, phone)
    phone.clock.now = laptop.clock.now = desktop.clock.now  # type: ignore[attr-defined]
    decisions.approve(laptop, health)
    laptop.clock.now, desktop.clock.now = desktop.clock.now, laptop.clock.now  # type: ignore[attr-defined]
    desktop.clock()  # type: ignore[operator]
    decisions.deny(desktop, health)
    exchange(desktop)
    exchange(phone)
    settle(laptop, phone, desktop)
    first = min(
        request.decided_at
        for request in [
            consents.get_request(runtime.read(), health) for runtime in (laptop, desktop)
        ]
        if request.decided_at
    )
    assert consents.get_request(phone.read(), health).decided_at == first


def test_of_two_cities_the_later_stands_and_many_values_stand_beside_each_other(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    decisions.set_field(laptop, "city", "Oslo")
    settle(laptop, desktop)
    decisions.set_field(laptop, "city", "Bergen")
    decisions.set_field(laptop, "health", "migraine")
    decisions.set_field(desktop, "city", "Trondheim")
    decisions.set_field(desktop, "health", "asthma")
    settle(laptop, desktop)
    assert profile(laptop) == {"city": ("Trondheim",), "health": ("asthma", "migraine")}
    decisions.clear_field(laptop, "health", "asthma")
    decisions.set_field(desktop, "city", "Oslo")
    curate.add(desktop, "I keep bees")
    settle(desktop, laptop)
    assert profile(desktop) == {"city": ("Oslo",), "health": ("migraine",)}
