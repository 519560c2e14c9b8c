"""The import and export of an agent's record: one JSON object, `memory/<agent>.json`.

An imported record that gained nothing here is exported unchanged.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memapp import paths
from memapp.domain import strict_json
from memapp.domain.changes import AgentChanged, Revision
from memapp.domain.council import Dissent
from memapp.domain.trust import RAW, Agent, Override
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.trust import list_agents, list_overrides
from memapp.store import agents, changes
from memapp.store.session import Rejected

MOST_BYTES = 4 * 1024 * 1024
TIMES = frozenset({"timestamp", "auto_check_deadline", "probation_until"})
MAY_BE_NULL = frozenset({"impact", "reverted_by", "probation_until"})
OPTIONAL = frozenset({"artifact_type", "probation_until"})


def import_agent(runtime: Runtime, path: Path) -> Revision:
    """Import the file of an agent without a record here. Raises `UsageError` otherwise."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ValueError("it is too large")
        data = strict_json.read(text.decode())
        check(data)
    except ValueError as error:
        raise UsageError(f"{path} is no record of an agent: {error}.") from None
    name, until = data["agent_name"], data.get("probation_until")
    agent = next((agent for agent in list_agents(runtime) if agent.name == name), Agent(name))
    if name in ("person", "undo") or agent.imported or agent.events or agent.undecided:
        raise UsageError(f"There is a record of {name} here already.", "The existing record stays.")
    probation = datetime.fromisoformat(until) if until else None
    identity = (data["model"], data["primary_role"])
    change = AgentChanged(
        name, None, strict_json.write(data), *identity, data["rounds_participated"], probation
    )
    try:
        with runtime.write() as session:
            return changes.apply(session, change, runtime.actor())
    except Rejected:
        raise UsageError(
            f"{path} is no record of an agent: its name, model, role or rounds are not valid."
        ) from None


def check(data: Any) -> None:
    """Raise `ValueError` for data that does not match `assets/agent.json`."""
    example = paths.bundled("assets", "agent.json").read_text("utf-8")
    _check(data, strict_json.read(example), "the file")


def _check(value: Any, example: Any, place: str) -> None:
    if isinstance(example, Mapping):
        if (
            not isinstance(value, Mapping)
            or value.keys() - example
            or example.keys() - value.keys() - OPTIONAL
        ):
            raise ValueError(f"{place} has other fields")
        for name, part in value.items():
            _check(part, example[name], name)
    elif isinstance(value, list) and isinstance(example, list):
        for part in value:
            _check(part, example[0], place)
    elif value is not None or place not in MAY_BE_NULL:
        if type(value) is not type(example) and (type(value), type(example)) != (int, float):
            raise ValueError(f"{place} is of another type")
        if place in TIMES and datetime.fromisoformat(value).tzinfo is None:
            raise ValueError(f"{place} has no time zone")


def export_agent(runtime: Runtime, agent: Agent) -> dict[str, Any]:
    """Return an agent's record as a JSON object.

    The record holds the last hundred dissents and overrides, and sums over all.
    """
    file = strict_json.read(agent.imported) if agent.imported else {}
    dissents = agents.list_dissents(runtime.read(), agent.name)
    overrides = sorted(list_overrides(runtime, agent.name), key=lambda override: override.at)
    if file and not (dissents or overrides or any(event.number for event in agent.events)):
        return dict(file)
    total, now, probation = agent.total, runtime.clock(), agent.probation_until
    noted = (
        {"timestamp": _time(event.at), "score": score, "reason": event.reason}
        for event, score in agent.history()
    )

    def last(name: str, own: Iterable[Any]) -> list[Any]:
        return [*file.get(name, ()), *own][-RAW:]

    return {
        **{"agent_name": agent.name, "model": agent.model, "primary_role": agent.primary_role},
        "dissent_history": last("dissent_history", map(_dissent, dissents)),
        "override_history": last(
            "override_history", (_override(override, now) for override in overrides)
        ),
        "trust_score": agent.trust,
        "trust_score_history": last("trust_score_history", noted),
        "long_term_stats": {
            "avg_dissent_depth_last_90d": total.depth / total.dissents if total.dissents else 0.0,
            "dissent_impact_ratio_last_90d": total.impactful / total.judged
            if total.judged
            else 0.0,
            "total_overrides": len(overrides)
            + file.get("long_term_stats", {}).get("total_overrides", 0),
            "regret_rate_last_90d": total.regretted / total.overrides if total.overrides else 0.0,
        },
        "rounds_participated": agent.rounds,
        "probation_until": _time(probation) if probation else None,
    }


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _dissent(dissent: Dissent) -> dict[str, Any]:
    return {
        "round_id": f"{dissent.run_id}/round_{dissent.seq}",
        "timestamp": _time(dissent.created_at),
        "context": {"task": dissent.task, "artifact_type": dissent.artifact_type},
        "dissent_text": dissent.text,
        "rubric_citations": list(dissent.citations),
        "impact": dissent.impact,
        "depth_score": dissent.depth,
        "feedback_incorporated": dissent.incorporated,
    }


def _override(override: Override, now: datetime) -> dict[str, Any]:
    regretted = override.outcome(now) == "regretted"
    return {
        "round_id": f"run_{override.act_at.astimezone(UTC):%Y%m%d_%H%M%S}/round_1",
        "timestamp": _time(override.at),
        "context": {"task": f"{override.kind} {override.memory_id}"},
        "agent_output": override.output,
        "human_decision": override.decision,
        "regret": regretted,
        "auto_check_deadline": _time(override.deadline),
        "reverted_by": (override.last_by or "person") if regretted else None,
    }
