"""Consolidation killed after each of its commits, and started again: in the end all is as if nobody
had killed it.
"""

import shutil
from pathlib import Path

import pytest

from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, jobs
from tests.builders import make_runtime, trust
from tests.reliability.test_replayed import Killed, Known, killed_after, known
from tests.services.test_consolidate import JOB, UNSURE, learned, says

FACTS = (
    *("I have two hens.", "I really have two hens."),
    *("My dog Rex limps.", "And my dog Rex limps."),
    *("I have a boat named Mia.", "I have a red boat."),
    *UNSURE,
)
BY_HAND = ("I am Catholic.", "I am a Buddhist.")


def opened(home: Path) -> Runtime:
    runtime = make_runtime(home, ScriptedModel(answers))
    trust(runtime, "same fact")
    return runtime


def answers(prompt: Prompt, sampling: Sampling) -> str | None:
    """Answer that the pair written by hand is a conflict, and that any other is a duplicate."""
    return says("not_both" if BY_HAND[0] in prompt.turns[-1].content else "same")(prompt, sampling)


def work(runtime: Runtime) -> None:
    list(jobs.run(runtime, Cancel(), [JOB]))


def without_leases(runtime: Runtime) -> Known:
    return {name: rows for name, rows in known(runtime).items() if name != "leases"}


@pytest.mark.slow
def test_any_kill_changes_nothing_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # that of a killed process ends by itself
    monkeypatch.setattr("memapp.store.leases.LEASE_SECONDS", 0.0)
    runtime = opened(tmp_path / "planted")
    learned(runtime, *FACTS)
    for text in BY_HAND:
        curate.add(runtime, text)
    learned(runtime)
    runtime.close()
    whole = opened(Path(shutil.copytree(tmp_path / "planted", tmp_path / "whole")))
    work(whole)
    expected = without_leases(whole)
    assert len(curate.list_memories(whole)) == len(FACTS) + len(BY_HAND) - 3, (
        "three pairs became one each"
    )
    whole.close()
    kills = 0
    for commits in range(100):
        home = Path(shutil.copytree(tmp_path / "planted", tmp_path / f"killed{commits}"))
        runtime = opened(home)
        with killed_after(commits, runtime, monkeypatch) as after:
            try:
                work(runtime)
            except Killed:
                kills += 1
            runtime.close()
        if not after.exists():
            break
        again = opened(after)
        work(again)
        assert without_leases(again) == expected, f"after {commits} commits"
        again.close()
    assert kills >= 8
