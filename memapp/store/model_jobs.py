"""The test results of models, each under what the model is known by: the hash of its file, or a
server's address and its name.
"""

from collections.abc import Mapping

from memapp.domain.model_jobs import MODEL_JOBS, JobTest, ModelJob
from memapp.store.interface import get_interface, set_interface
from memapp.store.session import Session


def get_tests(session: Session, model_key: str) -> dict[ModelJob, JobTest]:
    """Return the results of a model by job; none for a job that it was never tested in."""
    kept = get_interface(session, _name(model_key), {})
    return {job: JobTest(*kept[job]) for job in MODEL_JOBS if job in kept}


def save_tests(session: Session, model_key: str, tests: Mapping[ModelJob, JobTest]) -> None:
    """Keep the results of a model, in the place of earlier ones of the same jobs."""
    known = {**get_tests(session, model_key), **tests}
    set_interface(
        session, _name(model_key), {job: [test.passed, test.of] for job, test in known.items()}
    )


def _name(model_key: str) -> str:
    return f"model jobs {model_key}"
