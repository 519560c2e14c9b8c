"""Looks up the expected next message in idle time, which saves the first model call when it comes."""

from dataclasses import dataclass

from memapp.domain.chat import OWN_WORDS, Message, MessageStatus, Role
from memapp.domain.prediction import Prediction
from memapp.runtime import Runtime
from memapp.services.retrieved import Retrieved, look_up
from memapp.store import checkpoints, expectations


@dataclass(frozen=True, slots=True)
class Prefetched:
    """What the first model call said in idle time for the expected message."""

    expected: str
    needed_info: tuple[str, ...]


def expectation(runtime: Runtime, messages: list[Message]) -> Prediction | None:
    """Return what the model's last reply expects next, if nothing but memapp's own words followed it."""
    last = next((one for one in reversed(messages) if one.model != OWN_WORDS), None)
    if last is None or last.role is not Role.ASSISTANT or last.status in (MessageStatus.INTERRUPTED, MessageStatus.GENERATING):
        return None
    found = expectations.prediction_for(runtime.read(), last.id, "responder")
    return found if found and found.text else None


def prefetched(runtime: Runtime, thread_id: str, expected: Prediction | None) -> Prefetched | None:
    """Return the first call made in idle time for the expected message, if there was one."""
    done = checkpoints.load(runtime.read(), thread_id).prefetch
    if expected is None or done is None or done.prediction_id != expected.id:
        return None
    return Prefetched(expected.text, done.needed_info)


def search_prefetched(runtime: Runtime, thread_id: str, in_prompt: list[Message], prefetch: Prefetched) -> Retrieved:
    """Look up what the expected message needs: the same in idle time and in the turn, so that the cache fits."""
    return look_up(runtime, thread_id, prefetch.expected, prefetch.needed_info, in_prompt)
