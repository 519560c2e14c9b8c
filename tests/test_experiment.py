"""The experiment of the specification, held with the scripted models: its arms, its file, its
statistics.
"""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.experiment import ARMS, Arm, Conversation, hold, hold_all, read_rows, report
from benchmarks.paired import Plan, compare
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel, call_kind
from tests.builders import Reader

pytestmark = pytest.mark.slow
TALK = Conversation(
    "one",
    "made up",
    told=(("I have a dog called Rex.", "Good to know."),),
    exchanges=(
        ("What is my dog called?", "Go to the park!"),
        ("I have a dog called Rex.", "I know."),
        ("Rex likes the park.", "Good."),
    ),
)


class Watched:
    """A scripted model with given guesses, which notes its calls."""

    def __init__(self) -> None:
        self.model = ScriptedModel()
        self.model.script = self._answer  # type: ignore[assignment]
        self.calls: list[tuple[str, str]] = []

    def _answer(self, prompt: Prompt, sampling: Sampling) -> str | None:
        is_guess = prompt.head.endswith('": "')
        kind = "guess" if is_guess else call_kind(prompt, sampling)
        notes = prompt.turns[-1].content.rpartition("\n\n")[0]
        self.calls.append((kind, notes + prompt.suffix))
        return "I have a dog called Rex." if is_guess else None


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_each_arm_makes_the_calls_that_it_is_named_after(arm: Arm) -> None:
    watched = Watched()
    row = hold(TALK, arm, watched.model, Reader(), "Something else.")
    assert any(kind == "predict" for kind, _ in watched.calls) == arm.predictor
    assert any("Rex" in notes for kind, notes in watched.calls if kind == "reply") == arm.loop
    first, second = row.guesses
    assert first.needed == "I have a dog called Rex." and first.matches and not second.matches
    assert (first.kept, first.found, first.used_in_guess) == (arm.loop, arm.loop, True)
    assert (first.used_in_reply is None) == (not arm.loop)
    assert second.text == "" or second.similarity < 0.6


def test_a_cut_run_goes_on_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talks = [TALK, Conversation("two", "made up", (), TALK.exchanges)]
    model, embedder = ScriptedModel(), ScriptedEmbedder()
    rows = list(hold_all(talks, (), model, embedder))
    actual = [(row.arm, row.conversation) for row in rows[:3]]
    assert actual == [("neither", "one"), ("both", "one"), ("neither", "two")]
    file = tmp_path / "experiment.jsonl"
    lines = [json.dumps(asdict(row)) for row in rows]
    file.write_text("\n".join(lines[:3]) + "\n" + lines[3][:50])
    kept = list(read_rows(file))
    assert kept == rows[:3]
    actual = next((row.arm, row.conversation) for row in hold_all(talks, kept, model, embedder))
    assert actual == ("both", "two")
    report(rows, 2)
    told = capsys.readouterr().out
    assert "2 of 2 conversations" in told
    assert "no result yet" in told
    assert "the parts, with both:" in told


def test_guesses_of_one_conversation_count_less_than_guesses_of_many() -> None:
    none = [[False] * 8 for _ in range(12)]
    found = compare(none, [[True] * 8 if at < 3 else [False] * 8 for at in range(12)])
    assert (found.base, found.change, found.only_with) == (0.0, 0.25, 24)
    # three of twelve are no proof, whatever they repeat
    assert found.chi_square_p < 0.001 < 0.2 < found.paired_p
    assert compare(none, none).paired_p == 1.0
    assert Plan(0.1, 0.1, 0.0, 5).conversations(0.02) < Plan(0.1, 0.1, 0.3, 5).conversations(0.02)
    plan = Plan(0.1, 0.1, 0.1, 5)
    assert plan.detectable(plan.conversations(0.02)) == pytest.approx(0.02, rel=0.02)
