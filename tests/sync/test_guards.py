"""What comes from another machine makes nothing sensitive known without a yes that holds here."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from memapp.domain.sync import Clock, Thing, ThingChange
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.consent import decisions, past_decisions, pending, proposals
from memapp.services.consent.proposals import Proposed
from memapp.services.sync.exchange import exchange
from memapp.store import consents, received, snapshots, sync
from memapp.store.encoding import new_id, to_text
from tests.builders import fact
from tests.sync.test_consent import ask, profile
from tests.sync.test_memories import Machine, settle, texts


def come(runtime: Runtime, **values: Mapping[str, Any]) -> None:
    """Carry out rows, each of a kind, as if they came from another machine."""
    keys = {"consent_requests": "id", "memories": "id", "profile": "request_id"}
    came = [
        ThingChange(Thing(kind, value[keys[kind]]), Clock(10**13, "f" * 16), value)
        for kind, value in values.items()
    ]
    with runtime.decide() as session:
        received.carry_out(session, came, {}, {})


def test_a_memory_that_was_denied_first_is_not_known_where_it_was_denied(machine: Machine) -> None:
    """Whichever machine speaks first, and also if the other one never does again."""
    laptop, desktop = machine("laptop"), machine("desktop")
    health = ask(laptop, "health", "migraine", "I have migraine")
    settle(laptop, desktop)
    desktop.clock.now = laptop.clock.now  # type: ignore[attr-defined]
    decisions.deny(laptop, health)
    desktop.clock.now += timedelta(minutes=1)  # type: ignore[attr-defined]
    decisions.approve(desktop, health)
    exchange(desktop)
    exchange(laptop)
    assert profile(laptop) == {}
    assert texts(laptop) == set()
    settle(laptop, desktop)
    assert texts(desktop) == set()


def test_what_a_rival_of_an_approved_value_stored_elsewhere_is_not_known(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    oslo, bergen = (ask(laptop, "city", city, f"I live in {city}") for city in ("Oslo", "Bergen"))
    settle(laptop, desktop)
    desktop.clock.now = laptop.clock.now  # type: ignore[attr-defined]
    decisions.approve(laptop, oslo)
    desktop.clock.now += timedelta(minutes=1)  # type: ignore[attr-defined]
    decisions.approve(desktop, bergen)
    exchange(desktop)
    exchange(laptop)
    assert profile(laptop) == {"city": ("Oslo",)}
    assert texts(laptop) == {"I live in Oslo"}
    settle(laptop, desktop)
    assert texts(desktop) == {"I live in Oslo"}
    assert past_decisions.overruled(desktop) == [
        "Your yes to Home “Bergen” here came after another answer on laptop: it does not count."
    ]


def test_what_an_agent_brought_and_the_person_edited_comes_to_every_machine(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    said = Proposed("I work in Lund", "", "")
    request = proposals.propose(laptop, "client:editor", said, 5)
    decisions.approve(laptop, request.id)
    settle(laptop, desktop)
    request = proposals.propose(laptop, "client:editor", Proposed("I keep bees", "", ""), 5)
    decisions.approve(laptop, request.id)
    told = next(iter(curate.list_memories(laptop, curate.read_filter(laptop, "bees"))))
    curate.edit(laptop, told.id, "I keep black bees")
    settle(laptop, desktop)
    assert texts(desktop) == {"I work in Lund", "I keep black bees"}


@pytest.mark.parametrize("decision", ["pending", "denied", "expired"])
def test_a_value_of_the_profile_without_a_yes_is_not_taken_over(
    machine: Machine, decision: str
) -> None:
    laptop = machine("laptop")
    health = ask(laptop, "health", "migraine", "I have migraine")
    if decision != "pending":
        with laptop.decide() as session:
            pending.end(session, consents.get_request(session, health), decision, "person",
                        laptop.actor())  # type: ignore[arg-type]  # fmt: skip
    row = {"field": "health", "value": "migraine", "request_id": health, "updated_at": "2026-02-01"}
    come(laptop, profile=row)
    assert profile(laptop) == {}


@pytest.mark.parametrize(
    "forged",
    [
        {"decided_by": "signals"},
        {"decided_by": "clock"},
        {"proposer": "client:editor", "decided_by": "chat"},
        {"decided_at": "2027-01-01T00:00:00.000Z"},
    ],
)
def test_a_yes_that_no_machine_may_take_makes_nothing_known(
    machine: Machine, forged: dict[str, str]
) -> None:
    laptop = machine("laptop")
    request_id = ask(laptop, "religion", "Quaker")
    now = laptop.clock()
    memory = fact("I have migraine", now)
    value = sync.value_of(laptop.read(), Thing("consent_requests", request_id)) or {}
    value |= {"id": new_id(now), "field": "health", "new_value": "migraine", "state": "applied"}
    value |= {
        "decided_by": "person",
        "decided_at": to_text(now),
        "memory": snapshots.write_memory(memory),
    }
    value |= forged
    row = {"field": "health", "value": "migraine", "request_id": value["id"], "updated_at": "2026"}
    held = json.loads(value["memory"])
    come(laptop, consent_requests=value, profile=row, memories=held)
    assert profile(laptop) == {}
    assert texts(laptop) == set()
