"""The form of prompt that a model gets, and what follows from it for a turn."""

from collections.abc import Sequence

from memapp.domain.persona import Persona
from memapp.domain.prediction import Prediction, Source
from memapp.domain.prompt import FormRule, PromptForm
from memapp.inference import ChatModel
from memapp.runtime import Runtime
from memapp.store import expectations

SMALL_PARAMETERS = 1_000_000_000


def prompt_form(runtime: Runtime, model: ChatModel | None) -> PromptForm:
    """Return the form of prompt that a model can do with; without a model there is no use for more than the simple one."""
    match runtime.settings.prompt_form:
        case FormRule.SIMPLE:
            return "simple"
        case FormRule.FULL:
            return "full"
    return "simple" if model is None else by_size(model)


def by_size(model: ChatModel) -> PromptForm:
    """Return the form for a model of which nothing else is known; one that does not tell its size is no small one."""
    return "simple" if 0 < model.parameters < SMALL_PARAMETERS else "full"


def current_form(runtime: Runtime) -> PromptForm:
    """Return the form for the model that is loaded."""
    return prompt_form(runtime, runtime.chat.ready())


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
    form = "simple" if persona.mode == "inner_voice" else current_form(runtime)
    return int(runtime.loaded.number("history_exchanges", form))
