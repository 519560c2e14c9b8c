"""The test results of models, by the hash of the file, or the server's address and model name."""

from collections.abc import Mapping

from memapp.domain.model_jobs import MODEL_JOBS, JobTest, ModelJob
from memapp.store.saved_values import get_value, set_value
from memapp.store.session import Session


def get_tests(session: Session, model_key: str) -> dict[ModelJob, JobTest]:
    """Return the results of a model by job, without untested jobs."""
    results = get_value(session, _name(model_key), {})
    return {job: JobTest(*results[job]) for job in MODEL_JOBS if job in results}


def save_tests(session: Session, model_key: str, tests: Mapping[ModelJob, JobTest]) -> None:
    """Save the results of a model, replacing earlier ones of the same jobs."""
    results = {**get_tests(session, model_key), **tests}
    set_value(
        session, _name(model_key), {job: [test.passed, test.of] for job, test in results.items()}
    )


def _name(model_key: str) -> str:
    return f"model jobs {model_key}"
