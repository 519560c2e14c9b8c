"""A model is trusted with the jobs of its entry in the list, or of its passed test."""

from collections import Counter

from memapp.domain.model_jobs import JobTest
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.cached_copies import KEY_CHARS
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import model_test
from memapp.services.models import is_trusted_with
from memapp.services.models.manifest import recommended
from memapp.services.models.trusted_jobs import in_words, results_of


def test_a_listed_model_is_trusted_with_the_jobs_of_its_entry(runtime: Runtime) -> None:
    entry = next(other for other in recommended() if other.jobs)
    listed = ScriptedModel(key=entry.sha256[:KEY_CHARS])
    actual = [is_trusted_with(runtime, listed, job) for job in ("referee", "distil", "insights")]
    assert actual == [True, False, False]
    assert not is_trusted_with(runtime, None, "referee")


def test_another_is_trusted_with_what_it_passed(runtime: Runtime) -> None:
    def script(prompt: Prompt, _: Sampling) -> str | None:
        """Answer as a model that can say memories again, and nothing else."""
        told = prompt.turns[-1].content.rpartition("Told: ")[2]
        return (
            f" told: {told}" if prompt.head == "User" and told != prompt.turns[-1].content else "{}"
        )

    model = ScriptedModel(script, key="another")
    assert not is_trusted_with(runtime, model, "same fact")
    assert is_trusted_with(runtime, model, "referee"), "that is measured at work"
    assert in_words(runtime, "another").startswith("Not tested yet")
    made = list(model_test.test(runtime, model, Cancel(), ["same fact", "insights"]))
    assert Counter(result.job for result in made) == {"same fact": 22, "insights": 20}
    assert results_of(runtime, model)["same fact"] == JobTest(0, 22)
    assert not is_trusted_with(runtime, model, "same fact") and not is_trusted_with(
        runtime, model, "insights"
    )


def test_a_test_that_is_stopped_keeps_what_came_to_its_end(runtime: Runtime) -> None:
    model, cancel = ScriptedModel(lambda *_: "{}"), Cancel()
    for result in model_test.test(runtime, model, cancel):
        if result.job == "same fact":
            cancel.set()
    assert list(results_of(runtime, model)) == ["distil"]


def test_nine_cases_of_ten_are_enough() -> None:
    assert [JobTest(passed, 20).holds("distil") for passed in (17, 18, 20)] == [False, True, True]
    assert not JobTest(0, 0).holds("distil")
    assert [JobTest(passed, 12).holds("finds flaws") for passed in (8, 9)] == [False, True]
    assert [JobTest(passed, 12).holds("lets sound pass") for passed in (9, 10)] == [False, True]
