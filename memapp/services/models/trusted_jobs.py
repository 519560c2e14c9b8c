"""The jobs a model is trusted with: by the manifest, else by its test (`services.model_test`)."""

from memapp.domain.model_jobs import MEASURED_AT_WORK, REVIEWS, JobTest, ModelJob
from memapp.inference import ChatModel
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services.models.manifest import known_jobs
from memapp.store import model_jobs as store


def is_trusted_with(runtime: Runtime, model: ChatModel | None, job: ModelJob) -> bool:
    """Return True if a model is trusted with a job."""
    return model is not None and job in jobs_of(runtime, model_key(model))


def is_trusted_to_review(runtime: Runtime, model: ChatModel) -> bool:
    """Return True if a model is trusted with reviewing answers in a council."""
    return all(is_trusted_with(runtime, model, job) for job in REVIEWS)


def jobs_of(runtime: Runtime, key: str) -> tuple[ModelJob, ...]:
    """Return the jobs of the model with a key."""
    listed = known_jobs(key)
    if listed is not None:
        return listed
    passed = (job for job, test in store.get_tests(runtime.read(), key).items() if test.holds(job))
    return (*passed, *MEASURED_AT_WORK)


def in_words(runtime: Runtime, key: str) -> str:
    """Return a sentence on the jobs of a model."""
    if known_jobs(key) is None and not store.get_tests(runtime.read(), key):
        return "Not tested yet: memapp models test."
    jobs = [called("model_jobs", job) for job in jobs_of(runtime, key)]
    return f"Trusted with: {', '.join(jobs) or 'nothing but chatting'}."


def results_of(runtime: Runtime, model: ChatModel) -> dict[ModelJob, JobTest]:
    """Return the test results of a model, by job."""
    return store.get_tests(runtime.read(), model_key(model))


def model_key(model: ChatModel) -> str:
    """Return the key of a model."""
    return model.key or model.name
