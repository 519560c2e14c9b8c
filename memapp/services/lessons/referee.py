"""The job `referee`: in idle time, a model judges steps of ended runs blindly.

It sees the commands up to a step, and nothing of their outcome. Most outcomes are known, and
calibrate the model; its judgement of the others counts in the utility of lessons while it is right
often enough (`domain.lessons.referee`). A model whose manifest entry leaves out the job is not
asked.
"""

from collections.abc import Iterator

from memapp.domain.jobs import Pace
from memapp.domain.lessons.lesson import PAUSE
from memapp.domain.lessons.referee import MOST, Calibration
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.prompts import referee as words
from memapp.runtime import Runtime
from memapp.services.models import is_trusted_with
from memapp.services.store_reads import reading
from memapp.store import referee as store
from memapp.store import runs

AT_ONCE = 20
"""Steps judged in one run of the job."""
calibrations = reading(store.calibrations)


def run_job(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Judge steps; yield 1 for each, and stop at an unreadable answer. Raises `ModelError`."""
    model = runtime.chat.ready()
    for run_id, seq in _to_judge(runtime):
        if model is None or cancel.is_set() or not _judge(runtime, model, run_id, seq, cancel):
            return
        yield 1


def waiting(runtime: Runtime) -> int:
    """Count the steps the loaded model would judge now."""
    return len(_to_judge(runtime))


def _to_judge(runtime: Runtime) -> list[tuple[str, int]]:
    """Return steps with a known outcome until the model is calibrated, then those without."""
    model = runtime.chat.ready()
    if model is None or not is_trusted_with(runtime, model, "referee"):
        return []
    session, key = runtime.read(), _key(model)
    calibration = next(
        (calibration for calibration in store.calibrations(session) if calibration.model == key),
        Calibration(key, model.name),
    )
    is_measured = calibration.known >= MOST
    if is_measured and calibration.standing != "counts":
        return []
    return store.unjudged(session, key, session.now - PAUSE, AT_ONCE, known=not is_measured)


def _judge(runtime: Runtime, model: ChatModel, run_id: str, seq: int, cancel: Cancel) -> bool:
    """Let a model judge a step; return True if it did."""
    session = runtime.read()
    steps = [step for step in runs.steps_of(session, run_id) if step.seq <= seq]
    if not steps:
        return False
    worked = words.parse(
        whole_reply(model, *words.request(runs.get_run(session, run_id).task, steps), cancel)
    )
    if worked is None or cancel.is_set():
        return False
    with runtime.write() as session:
        store.add(session, steps[-1].id, key=_key(model), name=model.name, worked=worked)
    return True


def _key(model: ChatModel) -> str:
    return model.key or model.name
