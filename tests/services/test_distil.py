"""A trusted model says a memory again in a plain sentence: an edit that is grounded, made once, and
undone in one step.
"""

import pytest

from memapp.domain.changes import Actor, Created
from memapp.domain.memory import Memory
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn_events import Accepted
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, exports, undo
from memapp.services.jobs import distil
from memapp.store import changes, history
from tests.builders import fact, new_chat, only, say, trust

TYPED = "She starts at the observatory on 4 June."
GOOD = "User's daughter Runa starts at the observatory on 4 June."


@pytest.fixture
def memory(runtime: Runtime) -> Memory:
    """What the person said of their daughter, in their own words."""
    thread = new_chat(runtime)
    say(runtime, thread, "My daughter Runa found a job.")
    said = only(Accepted, say(runtime, thread, TYPED)).message
    with runtime.write() as session:
        made = fact(TYPED, session.now, origin="said", sources=(said.id,), run_id=thread)
        changes.apply(session, Created(made), Actor("rules"))
    return made


def answer(model: ScriptedModel, sentence: str) -> None:
    def script(prompt: Prompt, _: Sampling) -> str | None:
        return sentence.removeprefix("User") if prompt.head == "User" else None

    model.script = script


def test_the_sentence_is_an_edit_by_the_model_and_one_undo_brings_the_words_back(
    runtime: Runtime, model: ScriptedModel, memory: Memory
) -> None:
    answer(model, GOOD)
    assert list(distil.run(runtime, Cancel(), None)) == [], "nobody tested it"
    trust(runtime, "distil")
    assert distil.waiting(runtime) == 1
    assert list(distil.run(runtime, Cancel(), None)) == [1]
    now = curate.get(runtime, memory.id)
    assert (now.text, now.origin, now.sources) == (GOOD, "distilled", memory.sources)
    assert GOOD in "".join(exports.as_lines(runtime))
    assert "User said" not in "".join(exports.as_lines(runtime))
    (last, *_) = history.list_entries(runtime.read(), memory.id)
    assert last.actor == f"model:{model.name}"
    undo.undo_last(runtime)
    now = curate.get(runtime, memory.id)
    assert (now.text, now.origin) == (TYPED, "said")
    assert distil.waiting(runtime) == 0
    assert list(distil.run(runtime, Cancel(), None)) == [], "and it is not asked about again"


@pytest.mark.parametrize(
    "sentence",
    [
        "User's daughter Runa starts at the observatory on 5 June.",
        "User's daughter Runa starts at the observatory in Leiden on 4 June.",
        "User's daughter Runa starts at the observatory.",
        "User's daughter Runa does not start at the observatory on 4 June.",
        "User looks forward to long evenings with tea, 4 June.",
        "User says: I start on 4 June, at the observatory.",
        "",
    ],
)
def test_what_says_more_less_or_something_else_changes_nothing(
    runtime: Runtime, model: ScriptedModel, memory: Memory, sentence: str
) -> None:
    trust(runtime, "distil")
    answer(model, sentence)
    assert list(distil.run(runtime, Cancel(), None)) == []
    assert curate.get(runtime, memory.id).text == TYPED
    assert distil.waiting(runtime) == 0


def test_what_changes_while_the_model_writes_is_left_as_it_is(
    runtime: Runtime, model: ScriptedModel, memory: Memory
) -> None:
    trust(runtime, "distil")

    def edit_meanwhile(_: Prompt, __: Sampling) -> str:
        curate.edit(runtime, memory.id, "She starts at the lighthouse.")
        return GOOD.removeprefix("User")

    model.script = edit_meanwhile
    assert list(distil.run(runtime, Cancel(), None)) == []
    assert curate.get(runtime, memory.id).text == "She starts at the lighthouse."
