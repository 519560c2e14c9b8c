"""The memories and the chat that `memapp demo` opens with."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memapp.domain.turn_events import Completed
from memapp.inference.bundled import bundled_model_path
from memapp.inference.embedder import ChildEmbedder, bundled
from memapp.inference.llama import LlamaModel
from memapp.inference.quantise import prepare
from memapp.prompts.own_remarks import WAITS
from memapp.runtime import Runtime
from memapp.services import chats, council, curate, samples, trust
from memapp.services.consent import decisions, pending
from memapp.services.jobs import insights, retention
from memapp.services.lessons import browse
from memapp.services.recall.quotations import NOT_TOLD
from tests.builders import learn, make_runtime, new_chat, only, say


def test_the_demo_has_something_to_show_in_every_mode(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    samples.fill(runtime)
    assert len(chats.list_threads(runtime)) == 6
    kinds = Counter(memory.kind for memory in curate.list_memories(runtime))
    assert kinds == {"semantic": 6, "episodic": 1, "insight": 1, "procedural": 1}
    assert len(retention.trash(runtime)) == 2
    (request,) = pending.list_pending(runtime)
    assert (request.field, request.new_value, len(request.evidence)) == ("city", "Bruges", 1)
    assert decisions.profile(runtime) == {}
    opened = chats.get_thread(runtime, str(chats.choice(runtime, "thread")))
    assert opened.id == chats.get_message(runtime, request.evidence[0]).thread_id, (
        "a demo opens where something waits for a word"
    )
    assert [lesson.status for lesson in browse.list_lessons(runtime)] == ["candidate", "promoted"]
    assert [len(insight.messages) for insight in insights.list_insights(runtime)] == [2]
    rounds = {
        thread.title: held
        for thread in chats.list_threads(runtime)
        for held in council.of_messages(
            runtime, [message.id for message in chats.page(runtime, thread.id).messages]
        ).values()
    }
    assert rounds["Clay for the class"].choice == "revision"
    waits = rounds["How hot was it"]
    actual = (waits.choice, sorted(dissent.citations[0] for dissent in waits.dissents))
    assert actual == (None, ["Completeness", "Consistency"])
    counted = {agent.name: agent.counted for agent in trust.list_agents(runtime)}
    assert counted["rules"] == "trust 0.59 (kept 5 of 7)", (
        "what is older was kept, and two were trashed"
    )
    assert counted["reviewer:Accuracy"] == "trust 0.62 (kept 1 of 1)"
    runtime.close()


ASKED = {
    "what do you know about me?": ("oolong", "pottery", "knee"),
    "where did I move to last week?": (WAITS[0],),
    "what's my sister's name?": ("Mira",),
    "when is my sister's birthday?": ("14th of March",),
    "where does Mira live?": ("Ghent",),
    "what do I drink in the morning?": ("oolong",),
    "how often do I run?": ("three times a week",),
    "which injury did I have?": ("knee",),
    "when do I read?": ("evening",),
    "what am I allergic to?": (NOT_TOLD,),
}
"""What somebody asks a demo first, and what its answer must hold."""


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Runtime]:
    """A demo with the models that come with memapp."""
    runtime = make_runtime(tmp_path)
    with (
        closing(
            LlamaModel(prepare(bundled_model_path(), tmp_path / "cache", lambda _: None))
        ) as model,
        closing(ChildEmbedder(bundled(tmp_path / "cache"))) as embedder,
    ):
        runtime.chat.fill(model)
        runtime.embedding.fill(embedder)
        samples.fill(runtime)
        learn(runtime)
        yield runtime
        runtime.close()


@pytest.mark.slow
def test_what_somebody_asks_a_demo_first_is_answered_right(demo: Runtime) -> None:
    wrong = []
    for question, must in ASKED.items():
        for _ in range(2):
            answer = only(Completed, say(demo, new_chat(demo), question)).reply.text
            wrong += [(question, answer)] if not all(text in answer for text in must) else []
    assert wrong == []
