"""The form of prompt that a model gets, why it does, and what follows from that for a turn.

What the person set holds. Else a model whose answers could not be read in its last turns gets the simple form; else the word of
the manifest holds, else that of the self-test, and until there is one its size.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memapp.domain.persona import Persona
from memapp.domain.prediction import Prediction, Source
from memapp.domain.prompt import FormRule, PromptForm
from memapp.domain.self_test import BROKEN, CHECKS, OF_TURNS, SelfTest
from memapp.inference import ChatModel, gguf_file, prepared
from memapp.runtime import Runtime
from memapp.services.manifest import known_form
from memapp.store import expectations
from memapp.store.self_tests import count_broken, get_self_test, save_self_test
from memapp.store.session import Session

log = logging.getLogger(__name__)

SMALL_PARAMETERS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class FormChoice:
    """A form of prompt, and why it was chosen, in words."""

    form: PromptForm
    why: str
    is_tested: bool = True
    """No self-test could change it."""

    def __str__(self) -> str:
        return f"{self.form} form ({self.why})"


def prompt_form(runtime: Runtime, model: ChatModel | None) -> PromptForm:
    """Return the form of prompt that a model can do with; without a model there is no use for more than the simple one."""
    return "simple" if model is None else form_of(runtime, model).form


def form_of(runtime: Runtime, model: ChatModel) -> FormChoice:
    """Return the form for a model that is loaded, and why it is that."""
    return form_of_key(runtime, model.key, by_size(model))


def form_of_file(runtime: Runtime, file: Path) -> FormChoice:
    """Return the form for a model's file, and why it is that. Raises `ModelError`."""
    size: PromptForm = "simple" if gguf_file.read(file).parameters < SMALL_PARAMETERS else "full"
    return form_of_key(runtime, prepared.known_hash(file, runtime.paths.cache), size)


def by_size(model: ChatModel) -> PromptForm:
    """Return the form for a model of which nothing else is known; one that does not tell its size is no small one."""
    return "simple" if 0 < model.parameters < SMALL_PARAMETERS else "full"


def is_untested(runtime: Runtime, model: ChatModel) -> bool:
    """Say whether a self-test would say what nothing else does."""
    return bool(model.key) and not form_of(runtime, model).is_tested


def form_of_key(runtime: Runtime, key: str, size: PromptForm) -> FormChoice:
    """Return the form for what is known by a key, and by its size."""
    match runtime.settings.prompt_form:
        case FormRule.SIMPLE:
            return FormChoice("simple", "your setting")
        case FormRule.FULL:
            return FormChoice("full", "your setting")
    kept = get_self_test(runtime.read(), key) if key else None
    if kept and kept.is_broken:
        return FormChoice("simple", f"{BROKEN} of {OF_TURNS} answers could not be read, {_day(kept.at)}")
    result = f"self-test, {kept.passed.count(True)} of {CHECKS}, {_day(kept.at)}" if kept and kept.is_done else ""
    if listed := known_form(key):
        return FormChoice(listed, "; ".join(filter(None, ["memapp's list", result])))
    if kept and result:
        return FormChoice(kept.form, result)
    return FormChoice(size, "by its size, not tested yet", is_tested=False)


def _day(moment: datetime) -> str:
    day = moment.astimezone()
    return f"{day.day} {day:%B %Y}"


def fall_back(runtime: Runtime, session: Session) -> None:
    """Give the model the simple form from now on if too many of its last answers to call 1 could not be read."""
    key = current_key(runtime)
    if not key or runtime.settings.prompt_form is not FormRule.AUTO:
        return
    kept = get_self_test(session, key)
    if count_broken(session, key, OF_TURNS, kept.at if kept else None) >= BROKEN:
        passed = kept.passed if kept else ()
        save_self_test(session, key, SelfTest(passed, session.now, is_broken=True))
        log.warning("model %s gets the simple form: %d of its last %d answers could not be read", key, BROKEN, OF_TURNS)


def current_form(runtime: Runtime) -> PromptForm:
    """Return the form for the model that is loaded."""
    return prompt_form(runtime, runtime.chat.ready())


def current_key(runtime: Runtime) -> str:
    """Return what the model that is loaded is known by."""
    model = runtime.chat.ready()
    return model.key if model else ""


def expected_after(runtime: Runtime, reply_id: str) -> Prediction | None:
    """Return what is expected after a reply: what call 2 wrote behind it, but in the full form what call 1 said, if it did."""
    sources: Sequence[Source] = ("predictor", "responder") if current_form(runtime) == "full" else ("responder",)
    found = (expectations.prediction_for(runtime.read(), reply_id, source) for source in sources)
    return next((one for one in found if one and one.text), None)


def most_memories(runtime: Runtime) -> int:
    """Return how many memories may stand in a prompt."""
    return min(int(runtime.loaded.number("prompt_memories", current_form(runtime))), runtime.settings.top_k)


def shown_exchanges(runtime: Runtime, persona: Persona) -> int:
    """Return how many exchanges a prompt shows; for an inner voice the specification says so, whatever the model."""
    form = "simple" if persona.is_inner_voice else current_form(runtime)
    return int(runtime.loaded.number("history_exchanges", form))
