"""The default model, where present (`memapp models get --default`), loads and answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memapp import bootstrap, paths
from memapp.domain.turn_events import Completed, Predicted
from memapp.inference.child_model import ChildModel
from memapp.runtime import Runtime
from memapp.services import models
from memapp.services.models import model_loading
from memapp.services.models.manifest import default_model
from tests.builders import new_chat, only, say

FILE = models.default_model_file(paths.locate())
"""Looked for before tests get a home of their own."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        FILE is None, reason="the default model is not here: memapp models get --default"
    ),
]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    home: Path = tmp_path_factory.mktemp("home")
    opened = bootstrap.start(home=home, flags={"model": str(FILE)})
    model_loading.load_chat_model(opened)
    model_loading.load_embedder(opened)
    yield opened
    opened.close()


def test_it_is_the_file_of_the_manifest_in_a_process_of_its_own(runtime: Runtime) -> None:
    model, entry = runtime.chat.ready(), default_model()
    assert isinstance(model, ChildModel), runtime.chat.note
    assert entry and entry.sha256.startswith(model.key)


def test_it_holds_a_conversation(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    greeting = (
        "hi! i'm Tomas, i repair church organs and i live in Ghent with my daughter Noor who's 7"
    )
    replies = [
        only(Completed, say(runtime, thread, text)).reply.text
        for text in (greeting, "what is 17*23?", "thank you!")
    ]
    assert "391" in replies[1]
    assert all(replies) and len(set(replies)) == 3
    assert greeting not in replies[0]


def test_call_1_names_what_is_needed_and_nothing_where_the_answer_is_the_same_for_everybody(
    runtime: Runtime,
) -> None:
    """Both calls can be read: what cannot falls back to the message's own words."""
    for text in ("What could I cook for dinner tonight?", "Why is the sky blue?"):
        predicted = only(Predicted, say(runtime, new_chat(runtime), text))
        assert predicted.source == "model", text
