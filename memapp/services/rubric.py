"""The living rubric: what answers are reviewed by, in the person's own weights. Corrections propose
others, and set none.
"""

import tomllib
from dataclasses import dataclass

from memapp import paths
from memapp.domain.changes import Actor, Revision, RubricChanged
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.reads import reading
from memapp.store import agents, changes
from memapp.store.session import Session


@dataclass(frozen=True, slots=True)
class Criterion:
    name: str
    weight: float
    asks: str = ""
    denied_as: tuple[str, ...] = ()
    """The reasons of a denial that name it."""


def criteria(session: Session) -> list[Criterion]:
    """Return the criteria with the person's weights: those of the file in its order, then the
    person's own.
    """
    own = agents.read_rubric(session)
    with paths.bundled("assets", "rubric.toml").open("rb") as file:
        shipped = tomllib.load(file)
    asks = {
        name: (item["asks"], tuple(item.get("denied_as", ()))) for name, item in shipped.items()
    }
    known = [
        Criterion(name, own.get(name, item["weight"]), *asks[name])
        for name, item in shipped.items()
    ]
    return [
        *known,
        *(Criterion(name, weight) for name, weight in own.items() if name not in shipped),
    ]


list_criteria = reading(criteria)


def set_weight(runtime: Runtime, name: str, weight: float) -> Revision:
    """Give a criterion a weight of the person's own, or begin one."""
    if not 0 <= weight <= 1:
        raise UsageError("A weight is from 0 to 1.")
    known = {criterion.name.casefold(): criterion for criterion in list_criteria(runtime)}
    found = known.get(name.casefold())
    if found is not None and found.weight == weight:
        raise UsageError(f"{found.name} has that weight already.")
    with runtime.write() as session:
        return changes.apply(
            session, RubricChanged(found.name if found else name.strip(), weight), runtime.actor()
        )


def carry_out(session: Session, value: str, actor: Actor) -> None:
    """Set what a request proposes: `Accuracy 0.35`."""
    name, _, weight = value.rpartition(" ")
    try:
        change = RubricChanged(name, min(max(float(weight), 0.0), 1.0))
    except ValueError:
        raise UsageError("A criterion and its weight are wanted, like: Accuracy 0.35.") from None
    changes.apply(session, change, actor)
