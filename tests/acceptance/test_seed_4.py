"""The memory of agents, by the goals and phases of its specification: the app's own services and
file.
"""

from collections import Counter
from datetime import timedelta
from pathlib import Path
from random import Random

import numpy as np
import pytest

from memapp.domain import trust as rules
from memapp.domain.changes import Actor, Created
from memapp.domain.model_jobs import REVIEWS
from memapp.domain.trust import Agent
from memapp.domain.turn_events import CouncilSat
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import agent_files, council, curate, rubric, trust, undo
from memapp.services.consent import decisions, pending, requests
from memapp.services.jobs import trust_upkeep
from memapp.store import agents, changes
from tests.builders import Clock, fact, make_runtime, new_chat
from tests.builders import trust as model_jobs_trusted
from tests.services.test_council import DRAFT, QUESTION, REVISED, opening

pytestmark = pytest.mark.made_with(model=None, embedder=False)

RUN = "run_20250214_153000"


def remember(runtime: Runtime, text: str, agent: str = "model:tiny") -> str:
    with runtime.write() as session:
        memory = fact(text, runtime.clock())
        changes.apply(session, Created(memory), Actor(agent))
    return memory.id


def dissent(
    runtime: Runtime,
    text: str,
    *citations: str,
    impact: bool,
    agent: str = "persona:tom",
    seq: int = 1,
) -> float:
    """Let an agent dissent in a round; return the depth of that, by its past dissents."""
    vector = np.zeros(26, np.float32)
    for letter in text.lower():
        if "a" <= letter <= "z":
            vector[ord(letter) - ord("a")] += 1
    vector /= np.linalg.norm(vector)
    with runtime.write() as session:
        held = agents.add_round(
            session, RUN, "Write ADR for GraphQL migration", "curator", artifact_type="adr"
        )
        past = agents.past_vectors(session, agent, "letters")
        depth = rules.dissent_depth(
            text, citations, rules.novelty(float(vector @ item) for item in past)
        )
        number = agents.add_dissent(
            session,
            held,
            agent,
            text,
            citations,
            depth,
            vector=vector.tobytes(),
            model_id="letters",
        )
        agents.judge_dissent(session, number, impact=impact, incorporated=impact)
        agents.count_round(session, agent, "reviewer")
    return depth


def of(runtime: Runtime, name: str) -> Agent:
    return trust.get_agent(runtime, name)


# Goals --------------------------------------------------------------------------------------------


def test_capture_agent_behavior_over_time_every_dissent_every_human_override_and_their_outcomes(
    runtime: Runtime,
) -> None:
    memory_id = remember(runtime, "I keep bees.")
    step = curate.edit(runtime, memory_id, "I keep hens.").step
    (override,) = trust.list_overrides(runtime, "model:tiny")
    assert (override.output, override.decision, override.kind) == (
        "I keep bees.",
        "I keep hens.",
        "edit",
    )
    assert override.deadline - override.at == timedelta(hours=24)
    assert override.outcome(runtime.clock()) == "open"
    assert override.outcome(runtime.clock() + timedelta(hours=25)) == "stood"
    undo.undo(runtime, step)
    assert trust.list_overrides(runtime)[0].outcome(runtime.clock()) == "regretted", (
        "undone by the person: at once"
    )

    dissent(
        runtime,
        "The decision ignores existing REST tooling.",
        "Accuracy",
        "Completeness",
        impact=True,
    )
    (said,) = agent_files.export_agent(runtime, of(runtime, "persona:tom"))["dissent_history"]
    assert said["round_id"] == f"{RUN}/round_1"
    assert (said["rubric_citations"], said["impact"], said["feedback_incorporated"]) == (
        ["Accuracy", "Completeness"],
        True,
        True,
    )


def test_compute_dynamic_trust_scores_that_quantify_how_reliable_critiques_and_generations_are(
    runtime: Runtime,
) -> None:
    critiques = [("No tests at all.", True), ("It is slow, quite", False), ("Who said so?", True)]
    depths = [
        dissent(runtime, text, "Accuracy", impact=impact, seq=seq)
        for seq, (text, impact) in enumerate(critiques, 1)
    ]
    agent = of(runtime, "persona:tom")
    expected = 0.4 * 2 / 3 + 0.3 * (sum(depths) / 3) / 2 + 0.3
    assert rules.formula(agent.total) == pytest.approx(expected, abs=1e-9)
    assert agent.trust == pytest.approx((3 * expected + 5 * 0.6) / 8, abs=1e-9)


def test_influence_agent_roles_low_quality_dissenters_are_no_devils_advocate(
    runtime: Runtime,
) -> None:
    for seq in range(1, 6):
        dissent(runtime, f"Objection {'abcdef'[seq]}, and why.", "Accuracy", impact=True, seq=seq)
    tom = of(runtime, "persona:tom")
    assert tom.rounds == 5
    low = Agent("low", trust=0.2, rounds=9)
    drawn = {
        rules.devils_advocate([tom, low, Agent("new")], runtime.clock(), Random(at)).name
        for at in range(50)
    }
    assert drawn == {"persona:tom"}


def test_enable_living_rubric_adjustments_human_overrides_trigger_a_proposal(
    runtime: Runtime,
) -> None:
    for value in ("A", "B", "C"):
        request = requests.propose(runtime, "fact", value, proposer="model:tiny")
        assert request
        decisions.deny(runtime, request.id, reason="wrong")
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(days=2)
    list(trust_upkeep.run_job(runtime, Cancel(), None))
    (proposal,) = pending.list_pending(runtime)
    decisions.approve(runtime, proposal.id)
    assert {criterion.name: criterion.weight for criterion in rubric.list_criteria(runtime)}[
        "Accuracy"
    ] == 0.35


def test_support_resume_capability_reload_agent_state_when_continuing(tmp_path: Path) -> None:
    first = make_runtime(tmp_path, embedder=False)
    dissent(first, "Not proven.", "Evidence", impact=True)
    curate.discard(first, remember(first, "I keep bees."))
    before = [(agent.name, agent.trust, agent.rounds) for agent in trust.list_agents(first)]
    first.close()
    again = make_runtime(tmp_path, embedder=False)
    assert [(agent.name, agent.trust, agent.rounds) for agent in trust.list_agents(again)] == before
    again.close()


def test_provide_data_for_metrics_dissent_impact_regret_rate_and_escalation_usefulness(
    runtime: Runtime,
) -> None:
    dissent(runtime, "Not proven.", "Evidence", impact=True)
    dissent(runtime, "Too long.", "Brevity", impact=False, seq=2)
    ids = [remember(runtime, f"I keep {what}.") for what in ("bees", "hens", "goats")]
    curate.discard(runtime, ids[0])
    curate.restore(runtime, ids[0])
    curate.discard(runtime, ids[1])
    for value, decide in (("Bergen", decisions.approve), ("Oslo", decisions.deny)):
        request = requests.propose(runtime, "city", value, proposer="model:tiny")
        assert request
        decide(runtime, request.id)
    assert {name: str(rate) for name, rate in trust.metrics(runtime).items()} == {
        "dissents that changed the outcome": "50% (1 of 2)",
        "corrections undone": "33% (1 of 3)",
        "corrections changed again": "33% (1 of 3)",
        "decisions other than the default": "50% (1 of 2)",
    }


# Phases -------------------------------------------------------------------------------------------


def test_phase_4_1_core_memory_system_and_its_json_schema(runtime: Runtime) -> None:
    curate.edit(runtime, remember(runtime, "I keep bees."), "I keep hens.")
    record = agent_files.export_agent(runtime, of(runtime, "model:tiny"))
    agent_files.check(record)
    assert (record["model"], record["primary_role"]) == ("tiny", "creator")


def test_phase_4_2_depth_decay_and_probation(runtime: Runtime) -> None:
    first = dissent(runtime, "word " * 50, "A", "B", "C", impact=True)
    again = dissent(runtime, "word " * 50, "A", "B", "C", impact=True, seq=2)
    assert (first, again) == (pytest.approx(1.5), pytest.approx(1.5, abs=1e-6)), (
        "a repeated text is not new"
    )
    assert not rules.may_be_critical(of(runtime, "persona:tom"), runtime.clock()), (
        "two rounds are too few"
    )
    for seq in range(3, 13):
        dissent(runtime, "word", impact=False, seq=seq)
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(days=80)
    for seq in range(13, 19):
        dissent(runtime, "other", impact=True, seq=seq)
    runtime.clock.now += timedelta(days=20)
    assert of(runtime, "persona:tom").total.judged == 6, "what is older than 90 days counts no more"
    for seq in range(19, 104):
        dissent(runtime, "other", impact=True, seq=seq)
    before = of(runtime, "persona:tom").total
    list(trust_upkeep.run_job(runtime, Cancel(), None))
    record = of(runtime, "persona:tom")
    assert (len(record.events), record.total) == (100, before), "the last hundred stay raw"
    assert sum(sums.dissents for sums in record.months.values()) == 3


def test_phase_4_3_revert_detection_and_controversy_tracking(runtime: Runtime) -> None:
    memory_id = remember(runtime, "I keep bees.")
    curate.edit(runtime, memory_id, "I keep hens.")
    curate.edit(runtime, memory_id, "I keep  BEES.")
    (override,) = trust.list_overrides(runtime)
    assert override.outcome(runtime.clock()) == "regretted", (
        "back to the agent's words, by comparing them"
    )
    assert override.last_by == "person"
    assert of(runtime, "model:tiny").total.impactful == 1, "the agent was right after all"
    assert trust.metrics(runtime)["corrections changed again"].held == 1


def test_phase_4_4_probabilistic_inclusion_and_trust_weighted_roles(runtime: Runtime) -> None:
    candidates = [Agent("high", trust=0.9, rounds=5), Agent("low", trust=0.3, rounds=5)]
    draws = Counter(
        rules.devils_advocate(candidates, runtime.clock(), random).name
        for random in [Random(3)]
        for _ in range(10_000)
    )
    assert draws["low"] / 10_000 == pytest.approx(0.25, abs=0.02), "low trust keeps a chance"
    fallback = [Agent("a", trust=0.1), Agent("b", trust=0.2, rounds=9)]
    assert rules.devils_advocate(fallback, runtime.clock(), Random(3)).name in ("a", "b"), (
        "somebody is always there"
    )


def test_phase_4_5_the_metrics_are_fed_by_a_whole_round_until_the_human_decides(
    tmp_path: Path,
) -> None:
    runtime = opening(tmp_path)
    model_jobs_trusted(runtime, *REVIEWS)
    sat = [
        event
        for event in council.ask(runtime, new_chat(runtime), QUESTION)
        if isinstance(event, CouncilSat)
    ]
    held = sat[-1].round
    assert held.draft == DRAFT, "agents write"
    reviewers = [f"reviewer:{criterion.name}" for criterion in rubric.list_criteria(runtime)]
    assert {of(runtime, name).rounds for name in reviewers} == {1}, "each reviews, once"
    dissents = [
        file
        for name in reviewers
        for file in agent_files.export_agent(runtime, of(runtime, name))["dissent_history"]
    ]
    assert sorted(dissent["rubric_citations"] for dissent in dissents) == [
        ["Completeness"],
        ["Consistency"],
    ], "they dissent"
    assert {(dissent["impact"], dissent["context"]["task"]) for dissent in dissents} == {
        (None, QUESTION)
    }, "nobody has decided"
    assert held.revision == REVISED, "they converge"

    step = council.decide(runtime, held.id, "edit", "Stay in bed.").step
    (override,) = agent_files.export_agent(runtime, of(runtime, "council"))["override_history"]
    assert (override["agent_output"], override["human_decision"], override["regret"]) == (
        REVISED,
        "Stay in bed.",
        False,
    )
    impact, regret, _, useful = map(str, trust.metrics(runtime).values())
    assert (impact, regret, useful) == ("100% (2 of 2)", "0% (0 of 1)", "100% (1 of 1)"), (
        "what they objected to is gone"
    )
    record = agent_files.export_agent(runtime, of(runtime, "reviewer:Consistency"))
    assert [entry["reason"] for entry in record["trust_score_history"]] == [
        "initial",
        "dissent_impact_true",
    ]
    assert record["long_term_stats"]["dissent_impact_ratio_last_90d"] == 1.0
    undo.undo(runtime, step)
    assert str(trust.metrics(runtime)["corrections undone"]) == "100% (1 of 1)", (
        "the human took the override back"
    )
    runtime.close()
