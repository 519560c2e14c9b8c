"""Corrections of agents by the person, on a real file: overrides, outcomes, and consequences."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memapp.domain import strict_json
from memapp.domain.changes import Actor, Created, Linked, Merged, SoftDeleted, Updated
from memapp.domain.filters import ALL_LIVE
from memapp.domain.jobs import Pace
from memapp.domain.trust import TrustSums, formula
from memapp.domain.turn_events import Accepted
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import agent_files, curate, forget, rubric, trust, undo, write_gate
from memapp.services.consent import decisions, pending, requests
from memapp.services.jobs import insights, retention, trust_upkeep
from memapp.services.turn import resend_turn
from memapp.store import agents, changes, history, memories
from memapp.store.session import Session
from tests.builders import fact, learn, make_runtime, new_chat, only, say, word_list

AGENT_SAID, MODEL_SAID, OTHER = "I keep three hens.", "User keeps three hens.", "I have hens."


class Person:
    """A person, and the agents whose work they correct, one step of a script at a time."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.runtime = make_runtime(home, embedder=False)
        self.memory_id = self.other_id = ""

    def follow(self, script: str) -> None:
        for step in script.split(", "):
            word, *rest = step.split(" ", 1)
            getattr(self, word)(*rest)

    @property
    def outcomes(self) -> str:
        overrides = sorted(trust.list_overrides(self.runtime), key=lambda one: one.number)
        return ", ".join(
            f"{override.agent} {override.kind} {override.outcome(self.runtime.clock())}"
            for override in overrides
        )

    def _apply(self, agent: str, change: changes.Change) -> None:
        with self.runtime.write() as session:
            changes.apply(session, change, Actor(agent))

    def _last_step(self, actor: str) -> str:
        entries = history.list_entries(self.runtime.read(), limit=None)
        return next(entry.step for entry in entries if entry.actor == actor and not entry.undoes)

    # What agents do

    def adds(self, agent: str) -> None:
        memory = fact(AGENT_SAID, self.runtime.clock(), origin="said")
        self.memory_id = memory.id
        self._apply(agent, Created(memory))

    def rewords(self, agent: str) -> None:
        self._apply(agent, Updated(self.memory_id, text=MODEL_SAID))

    def links(self, agent: str) -> None:
        other = fact(OTHER, self.runtime.clock())
        self._apply("person", Created(other))
        self._apply(agent, Linked(self.memory_id, ((other.id, 0.9),)))

    def trashes(self, agent: str) -> None:
        self._apply(agent, SoftDeleted(self.memory_id, "unused", self.runtime.purge_at()))

    def merges(self, agent: str) -> None:
        other = fact(OTHER, self.runtime.clock())
        self.other_id = other.id
        self._apply("person", Created(other))
        self._apply(agent, Merged(self.memory_id, other.id, self.runtime.purge_at()))

    def asks(self, value: str) -> None:
        requests.propose(self.runtime, "city", value)

    # What the person does

    def edits(self, text: str) -> None:
        curate.edit(self.runtime, self.memory_id, text)

    def rewrites_as_it_was(self) -> None:
        curate.edit(self.runtime, self.memory_id, AGENT_SAID.upper())

    def tags(self) -> None:
        curate.edit(self.runtime, self.memory_id, tags=["farm"])

    def pins(self) -> None:
        curate.pin(self.runtime, self.memory_id)

    def discards(self) -> None:
        curate.discard(self.runtime, self.memory_id)

    def restores(self) -> None:
        curate.restore(self.runtime, self.memory_id)

    def erases(self) -> None:
        forget.purge(self.runtime, [self.memory_id])

    def forgets(self, words: str) -> None:
        forget.forget_everywhere(self.runtime, words)

    def undoes(self, actor: str = "person") -> None:
        undo.undo(self.runtime, self._last_step(actor))

    def keeps_as_own(self) -> None:
        with self.runtime.write() as session:
            session.run("UPDATE memories SET kind = 'insight' WHERE id = :id", id=self.memory_id)
        insights.keep_as_memory(self.runtime, self.memory_id)

    def says_yes(self) -> None:
        decisions.approve(self.runtime, pending.list_pending(self.runtime)[0].id)

    def says_no(self) -> None:
        decisions.deny(self.runtime, pending.list_pending(self.runtime)[0].id)

    def says_instead(self, value: str) -> None:
        decisions.edit_then_approve(self.runtime, pending.list_pending(self.runtime)[0].id, value)

    # Time

    def waits(self, hours: str) -> None:
        self.runtime.clock.now += timedelta(hours=int(hours))  # type: ignore[attr-defined]

    def closes_memapp_for(self, hours: str) -> None:
        now = self.runtime.clock()
        self.runtime.close()
        self.runtime = make_runtime(self.home, embedder=False)
        self.runtime.clock.now = now + timedelta(hours=int(hours))  # type: ignore[attr-defined]


SCRIPTS = {
    # An edit
    "adds rules, edits Four hens.": "rules edit open",
    "adds rules, edits Four hens., waits 23": "rules edit open",
    "adds rules, edits Four hens., waits 25": "rules edit stood",
    "adds rules, edits Four hens., closes_memapp_for 25": "rules edit stood",
    "adds rules, edits Four hens., closes_memapp_for 1": "rules edit open",
    "adds rules, edits Four hens., waits -72": "rules edit open",
    "adds rules, waits -72, edits Four hens., waits 25": "rules edit stood",
    "adds rules, edits Four hens., undoes": "rules edit regretted",
    "adds rules, edits Four hens., waits 25, undoes": "rules edit regretted",
    "adds rules, edits Four hens., closes_memapp_for 40, undoes": "rules edit regretted",
    "adds rules, edits Four hens., rewrites_as_it_was": "rules edit regretted",
    "adds rules, edits Four hens., waits -48, rewrites_as_it_was": "rules edit regretted",
    "adds rules, edits Four hens., edits Five hens.": "rules edit revised",
    "adds rules, edits Four hens., discards": "rules edit revised",
    "adds rules, edits Four hens., undoes, edits Five hens.": (
        "rules edit regretted, rules edit open"
    ),
    "adds rules, edits Four hens., discards, erases, waits 25": "rules edit stood",
    "adds rules, tags": "",
    "adds rules, pins, edits Four hens.": "rules edit open",
    "adds rules, links model:embedder, edits Four hens.": "rules edit open",
    "adds person, edits Four hens.": "",
    # The last actor is meant
    "adds rules, rewords model:tiny, edits Four hens.": "model:tiny edit open",
    "adds rules, rewords model:tiny, undoes model:tiny": "model:tiny undo open",
    "adds rules, rewords model:tiny, undoes model:tiny, waits 25, edits Four hens.": (
        "model:tiny undo revised, rules edit open"
    ),
    "adds rules, rewords model:tiny, discards": "model:tiny delete open",
    "adds model:editor, edits Four hens., waits 25": "model:editor edit stood",
    "adds persona:tom, discards": "persona:tom delete open",
    # A deletion, an undo, an undo of the undo
    "adds rules, discards, waits 25": "rules delete stood",
    "adds rules, discards, restores": "rules delete regretted",
    "adds rules, discards, undoes, discards": "rules delete regretted, rules delete open",
    "adds rules, discards, restores, discards, waits 25": "rules delete stood",
    "adds rules, undoes rules, waits 25": "rules undo stood",
    "adds rules, undoes rules, restores": "rules undo regretted",
    "adds rules, discards, erases, waits 25": "rules delete stood",
    "adds rules, forgets hens, waits 25": "rules delete stood",
    "adds rules, keeps_as_own": "",
    # An import
    "adds import, edits Four hens., waits 25": "import edit stood",
    "adds import, discards, closes_memapp_for 100, restores": "import delete regretted",
    # What was trashed and merged
    "adds rules, trashes lifecycle, restores, waits 25": "lifecycle restore stood",
    "adds rules, trashes lifecycle, restores, discards": "lifecycle restore regretted",
    "adds rules, trashes lifecycle, undoes lifecycle": "lifecycle undo open",
    "adds rules, merges merge, undoes merge, waits 25": "merge undo stood",
    "adds rules, merges merge, restores": "merge restore open",
    # A denial
    "asks Bergen, says_no": "rules deny open",
    "asks Bergen, says_no, closes_memapp_for 30": "rules deny stood",
    "asks Bergen, says_no, undoes": "rules deny regretted",
    "asks Bergen, says_no, undoes, says_no, waits 25": "rules deny stood",
    "asks Bergen, says_yes": "",
    "asks Bergen, says_yes, undoes": "",
    "asks Bergen, says_instead Oslo, waits 25": "rules edit stood",
    "asks Bergen, asks Oslo, says_yes": "",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_overrides_and_their_outcomes(script: str, tmp_path: Path) -> None:
    person = Person(tmp_path)
    try:
        person.follow(script)
        assert person.outcomes == SCRIPTS[script]
    finally:
        person.runtime.close()


# What follows for the agent -----------------------------------------------------------------------


def judged(runtime: Runtime, kept: int, corrected: int, agent: str = "rules") -> None:
    """Give an agent a record: so many proposals kept and corrected."""
    for number in range(kept + corrected):
        request = requests.propose(runtime, "fact", f"Fact {agent} {number}", proposer=agent)
        assert request
        decide = decisions.deny if number >= kept else decisions.approve
        decide(runtime, request.id)


HABITS = (
    "I grow {} behind the house.",
    "My favourite soup has {} in it.",
    "I paint pictures of {}.",
    "Every autumn I pickle {}.",
    "I have a tattoo of {}.",
    "I collect stamps with {} on them.",
    "I bake bread with {}.",
)
PLANTS = (
    "leeks carrots beans peas beets onions garlic lemons plums pears apples cherries figs melons "
    "radishes spinach kale mint"
)


def told(number: int) -> str:
    """Return eighteen sentences that are worth remembering."""
    return " ".join(HABITS[number].format(thing) for thing in PLANTS.split())


def count(runtime: Runtime) -> tuple[int, int]:
    """Return how many memories there are, and how many wait as facts."""
    waiting = [request for request in pending.list_pending(runtime) if request.field == "fact"]
    return memories.count_memories(runtime.read(), ALL_LIVE), len(waiting)


def test_at_its_share_an_agent_asks_and_above_another_it_writes_again(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, told(0))
    free = len(learn(runtime, thread))
    assert free > 14, "an agent without a record writes"
    assert trust.get_agent(runtime, "rules").total == TrustSums(), "nobody had time for these yet"

    judged(runtime, 4, 11)
    assert trust.get_agent(runtime, "rules").counted.endswith("(kept 4 of 15)"), "7 / 20 is .35"
    stored, _ = count(runtime)
    for number in (1, 2):
        say(runtime, new_chat(runtime), told(number))
        learn(runtime)
    assert count(runtime)[0] == stored, "of 36 sentences nothing is written"
    waiting = count(runtime)[1]
    assert waiting > 27

    for request in [
        request for request in pending.list_pending(runtime) if request.field == "fact"
    ][:3]:
        decisions.approve(runtime, request.id)
    assert trust.get_agent(runtime, "rules").leave == "ask", "10 / 23 is .43"
    assert count(runtime) == (stored + 3, waiting - 3), "a yes stores what waited"
    decisions.approve(runtime, pending.list_pending(runtime)[0].id)
    assert trust.get_agent(runtime, "rules").leave == "write", "11 / 24 is .46"
    stored, waiting = count(runtime)
    say(runtime, new_chat(runtime), told(3))
    learn(runtime)
    assert count(runtime)[0] > stored + 14
    assert count(runtime)[1] == waiting, "nothing waits any more for being an agent's"


def test_a_correction_that_asks_first_leaves_the_old_memory_until_the_yes(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, "I keep three hens in the garden.")
    (known,) = learn(runtime, thread)
    judged(runtime, 0, 5)
    say(runtime, thread, "No wait, I keep four hens in the garden.")
    learn(runtime, thread)
    assert curate.get(runtime, known.memory.id).state == "live", "nothing is written unasked"
    request = next(
        request for request in pending.list_pending(runtime) if "four" in request.new_value
    )
    assert request.old_value == known.memory.text
    step = decisions.approve(runtime, request.id)
    (now,) = [
        memory.text for memory in curate.list_memories(runtime, ALL_LIVE) if "hens" in memory.text
    ]
    assert "four" in now
    undo.undo(runtime, step)
    assert curate.get(runtime, known.memory.id).state == "live"


def test_a_model_that_asks_first_waits_and_a_yes_puts_its_words_in_place(runtime: Runtime) -> None:
    judged(runtime, 0, 5, "model:tiny")
    with runtime.write() as session:
        memory = fact(AGENT_SAID, session.now, origin="said")
        changes.apply(session, Created(memory), Actor("rules"))
        edit = Updated(memory.id, text=MODEL_SAID, origin="distilled")
        assert not write_gate.store_or_ask(runtime, session, edit, Actor("model:tiny"))
        assert not write_gate.store_or_ask(runtime, session, edit, Actor("model:tiny")), (
            "it is asked about once"
        )
    assert curate.get(runtime, memory.id).text == AGENT_SAID
    (request,) = pending.list_pending(runtime)
    step = decisions.approve(runtime, request.id)
    assert curate.get(runtime, memory.id).text == MODEL_SAID, "the same memory has other words"
    undo.undo(runtime, step)
    assert curate.get(runtime, memory.id).text == AGENT_SAID


def test_other_agents_ask_or_leave_it_where_they_were_corrected_too_often(runtime: Runtime) -> None:
    judged(runtime, 0, 5, "lifecycle")
    with runtime.write() as session:
        memory = fact(
            "I once saw an owl.", session.now - timedelta(days=200), origin="said", importance=1
        )
        changes.apply(session, Created(memory), Actor("rules"))
    assert (
        list(retention.move_unused(runtime, Cancel(), Pace(runtime.clock(), runtime.clock()))) == []
    )
    assert curate.get(runtime, memory.id).state == "live"


def test_a_blocked_agent_stores_and_proposes_nothing_until_unblocked(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, "I keep three hens in the garden.")
    learn(runtime, thread)
    step = trust.set_blocked(runtime, "rules", blocked=True).step
    with pytest.raises(UsageError, match="blocked already"):
        trust.set_blocked(runtime, "memapp's reading", blocked=True)
    say(runtime, thread, "I play the cello in a quartet. My name is Ana.")
    assert learn(runtime, thread) == []
    assert memories.count_memories(runtime.read(), ALL_LIVE) == 1
    assert pending.count_pending(runtime) == 0

    assert undo.describe(runtime, undo.undoable(runtime, 1)[0]) == "Blocked memapp's reading"
    undo.undo(runtime, step)
    say(runtime, thread, "I sing in a choir on Mondays.")
    assert len(learn(runtime, thread)) == 1
    with pytest.raises(UsageError):
        trust.set_blocked(runtime, "import", blocked=True)


def test_what_goes_with_a_message_that_is_written_anew_corrects_nobody(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    accepted = only(Accepted, say(runtime, thread, "I keep three hens in the garden."))
    learn(runtime, thread)
    list(resend_turn(runtime, accepted.message.id, "I keep four goats in the garden."))
    learn(runtime, thread)
    assert [memory.text for memory in curate.list_memories(runtime, ALL_LIVE)] == [
        "I keep four goats in the garden."
    ]
    assert trust.list_overrides(runtime) == []
    say(runtime, thread, "Forget the goats.")
    assert [(override.agent, override.kind) for override in trust.list_overrides(runtime)] == [
        ("rules", "delete")
    ]


# The rubric ---------------------------------------------------------------------------------------


def deny_as(runtime: Runtime, reason: str, *values: str) -> None:
    for value in values:
        request = requests.propose(runtime, "fact", value)
        assert request
        decisions.deny(runtime, request.id, reason=reason)  # type: ignore[arg-type]


def tidy_later(runtime: Runtime, days: int = 2) -> None:
    runtime.clock.now += timedelta(days=days)  # type: ignore[attr-defined]
    list(trust_upkeep.run_job(runtime, Cancel(), None))


def test_three_lasting_corrections_propose_a_weight_and_set_none(runtime: Runtime) -> None:
    deny_as(runtime, "wrong", "A", "B")
    deny_as(runtime, "private", "C")
    tidy_later(runtime)
    assert pending.list_pending(runtime) == [], "two are too few"
    deny_as(runtime, "wrong", "D")
    list(trust_upkeep.run_job(runtime, Cancel(), None))
    assert pending.list_pending(runtime) == [], "the third has not stood for a day"
    tidy_later(runtime)
    (request,) = pending.list_pending(runtime)
    assert request.field == "rubric"
    assert request.old_value == "Accuracy 0.25"
    assert request.new_value == "Accuracy 0.35"
    assert rubric.list_criteria(runtime)[0].weight == 0.25

    step = decisions.approve(runtime, request.id)
    assert rubric.list_criteria(runtime)[0].weight == 0.35
    tidy_later(runtime)
    assert pending.list_pending(runtime) == [], "the same three propose nothing more"
    undo.undo(runtime, step)
    assert rubric.list_criteria(runtime)[0].weight == 0.25
    assert trust.get_agent(runtime, "rules").total.judged == 4, "the proposal itself is nobody's"


def test_corrections_long_ago_and_those_taken_back_propose_nothing(runtime: Runtime) -> None:
    deny_as(runtime, "wrong", "A")
    tidy_later(runtime, days=91)
    deny_as(runtime, "wrong", "B", "C", "D")
    undo.undo_last(runtime)
    tidy_later(runtime)
    assert [request for request in pending.list_pending(runtime) if request.field == "rubric"] == []


def test_the_person_weighs_criteria_and_begins_new_ones(runtime: Runtime) -> None:
    rubric.set_weight(runtime, "evidence", 0.5)
    rubric.set_weight(runtime, "Kindness", 0.2)
    weights = {criterion.name: criterion.weight for criterion in rubric.list_criteria(runtime)}
    assert (weights["Evidence"], weights["Kindness"]) == (0.5, 0.2)
    for _ in range(2):
        undo.undo_last(runtime)
    assert "Kindness" not in {criterion.name for criterion in rubric.list_criteria(runtime)}
    with pytest.raises(UsageError):
        rubric.set_weight(runtime, "Evidence", 0.2)


# What is kept of it -------------------------------------------------------------------------------


def test_older_events_become_sums_that_change_no_trust(runtime: Runtime) -> None:
    judged(runtime, 90, 40)
    then = Pace(runtime.clock(), runtime.clock())
    runtime.clock.now += timedelta(days=3)  # type: ignore[attr-defined]
    before = trust.get_agent(runtime, "rules")
    assert [event.reason for event, _ in before.history(131)[:2]] == ["initial", "approved"]
    assert before.history()[-1][1] == pytest.approx(before.trust, abs=1e-9)
    assert trust.history(runtime, before)[0][2] == "you said no: Fact rules 129"
    runtime.clock.now += timedelta(days=2_000)  # type: ignore[attr-defined]
    assert list(trust_upkeep.run_job(runtime, Cancel(), then)) == [], (
        "a clock that leapt is not believed"
    )
    runtime.clock.now -= timedelta(days=2_000)  # type: ignore[attr-defined]
    assert trust_upkeep.waiting(runtime) == 1
    assert list(trust_upkeep.run_job(runtime, Cancel(), None)) == [1]
    assert trust_upkeep.waiting(runtime) == 0
    after = trust.get_agent(runtime, "rules")
    assert (len(before.events), len(after.events)) == (130, 100)
    assert after.months and sum(trust_sums.judged for trust_sums in after.months.values()) == 30
    assert after.total.judged in (100, 130), "a month counts where all of it is in the window"
    runtime.clock.now += timedelta(days=200)  # type: ignore[attr-defined]
    assert trust.get_agent(runtime, "rules").total == before.total, (
        "when nothing is recent, all there is counts"
    )


def test_very_low_trust_puts_an_agent_on_probation(runtime: Runtime) -> None:
    with runtime.write() as session:
        held = agents.add_round(session, "run_20260131_081500", "Is it so?", "persona:tom")
        for _ in range(40):
            agents.judge_dissent(
                session,
                agents.add_dissent(session, held, "persona:ana", "No.", (), 0.0),
                impact=False,
                incorporated=False,
            )
        for number in range(60):  # decisions for it that the person took back a week later
            made = session.now - timedelta(days=20)
            memory = fact(f"Thing {number}", made)
            changes.apply(
                Session(session.conn, session.user_id, made), Created(memory), Actor("persona:ana")
            )
            changes.apply(session, SoftDeleted(memory.id, "person", session.now), Actor("person"))
    list(trust_upkeep.run_job(runtime, Cancel(), None))
    agent = trust.get_agent(runtime, "persona:ana")
    assert agent.trust <= 0.2
    assert agent.probation_until and agent.probation_until - runtime.clock() > timedelta(days=13)


# Files --------------------------------------------------------------------------------------------


def test_the_file_of_an_agent_comes_back_as_it_went(runtime: Runtime, tmp_path: Path) -> None:
    judged(runtime, 2, 3)
    with runtime.write() as session:
        held = agents.add_round(
            session, "run_20260131_081500", "Write it down", "rules", artifact_type="adr"
        )
        number = agents.add_dissent(
            session, held, "rules", "It ignores the tooling.", ("Accuracy", "Completeness"), 1.4
        )
        agents.judge_dissent(session, number, impact=True, incorporated=True)
    list(trust_upkeep.run_job(runtime, Cancel(), None))
    record = agent_files.export_agent(runtime, trust.get_agent(runtime, "rules"))
    assert set(record) == {
        *word_list(
            "agent_name model primary_role dissent_history override_history trust_score "
            "trust_score_history"
        ),
        *("long_term_stats", "rounds_participated", "probation_until"),
    }
    (dissent,) = record["dissent_history"]
    assert dissent["round_id"] == "run_20260131_081500/round_1"
    assert dissent["context"] == {"task": "Write it down", "artifact_type": "adr"}
    override = record["override_history"][0]
    assert override["agent_output"] == "Fact rules 2"
    assert override["human_decision"] == ""
    assert override["regret"] is False
    deadline, at = (
        datetime.fromisoformat(override[name]) for name in ("auto_check_deadline", "timestamp")
    )
    assert deadline - at == timedelta(hours=24)

    path = tmp_path / "rules.json"
    path.write_text(strict_json.write(record, indent=2))
    other = make_runtime(tmp_path / "other", embedder=False)
    step = agent_files.import_agent(other, path).step
    again = trust.get_agent(other, "rules")
    assert agent_files.export_agent(other, again) == record
    assert again.total.overrides == 3
    with pytest.raises(UsageError, match="already"):
        agent_files.import_agent(other, path)
    undo.undo(other, step)
    assert trust.list_agents(other) == []
    agent_files.import_agent(other, path)
    forget.forget_everywhere(other, "tooling")
    assert [agent.imported for agent in trust.list_agents(other)] in ([], [""])
    other.close()


def test_an_imported_file_keeps_its_own_count_of_regret(runtime: Runtime, tmp_path: Path) -> None:
    text = Path(__file__).with_name("agent_of_another_program.json").read_text("utf-8")
    record = json.loads(text)
    path = tmp_path / "Creator1.json"
    path.write_text(text, "utf-8")
    agent_files.import_agent(runtime, path)
    agent = trust.get_agent(runtime, "Creator1")
    assert formula(agent.total) == pytest.approx(0.3 * 3 / 4, abs=1e-9)
    assert agent.imported
    assert agent.rounds == 24

    wrong = [("agent_name", ""), ("more", 1), ("rounds_participated", -1), ("primary_role", "king")]
    wrong += [("trust_score", True), ("probation_until", "2026-01-31"), ("probation_until", 3)]
    wrong += [("dissent_history", {})]
    new = record | {"agent_name": "Creator2"}
    for broken in ("[]", "{}", "{", *(strict_json.write(new | {key: to}) for key, to in wrong)):
        path.write_text(broken)
        with pytest.raises(UsageError, match="no record of an agent"):
            agent_files.import_agent(runtime, path)
