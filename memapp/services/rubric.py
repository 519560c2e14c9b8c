"""The rubric of reviews, with the person's own weights; corrections only propose weights."""

import tomllib
from dataclasses import dataclass

from memapp import paths
from memapp.domain.changes import Actor, Revision, RubricChanged
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.store_reads import reading
from memapp.store import agents, changes
from memapp.store.session import Session


@dataclass(frozen=True, slots=True)
class Criterion:
    name: str
    weight: float
    asks: str = ""
    denied_as: tuple[str, ...] = ()
    """Reasons of a denial that count for the criterion."""


def criteria(session: Session) -> list[Criterion]:
    """Return the criteria with the person's weights, shipped ones first, then their own."""
    weights = agents.read_rubric(session)
    with paths.bundled("assets", "rubric.toml").open("rb") as file:
        shipped = tomllib.load(file)
    asks = {
        name: (entry["asks"], tuple(entry.get("denied_as", ()))) for name, entry in shipped.items()
    }
    shipped_criteria = [
        Criterion(name, weights.get(name, entry["weight"]), *asks[name])
        for name, entry in shipped.items()
    ]
    return [
        *shipped_criteria,
        *(Criterion(name, weight) for name, weight in weights.items() if name not in shipped),
    ]


list_criteria = reading(criteria)


def set_weight(runtime: Runtime, name: str, weight: float) -> Revision:
    """Set the weight of a criterion, or add a criterion."""
    if not 0 <= weight <= 1:
        raise UsageError("A weight is from 0 to 1.")
    criteria_by_name = {
        criterion.name.casefold(): criterion for criterion in list_criteria(runtime)
    }
    criterion = criteria_by_name.get(name.casefold())
    if criterion is not None and criterion.weight == weight:
        raise UsageError(f"{criterion.name} has that weight already.")
    with runtime.write() as session:
        return changes.apply(
            session,
            RubricChanged(criterion.name if criterion else name.strip(), weight),
            runtime.actor(),
        )


def carry_out(session: Session, value: str, actor: Actor) -> None:
    """Apply a proposed weight: `Accuracy 0.35`."""
    name, _, weight = value.rpartition(" ")
    try:
        change = RubricChanged(name, min(max(float(weight), 0.0), 1.0))
    except ValueError:
        raise UsageError("Write a criterion and its weight, like: Accuracy 0.35.") from None
    changes.apply(session, change, actor)
