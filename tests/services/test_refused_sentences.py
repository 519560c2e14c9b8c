"""The dropped parts of a message, the reasons, and keeping them; with the real judge."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memapp.domain.provenance import NotKept
from memapp.errors import UsageError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, provenance, undo
from memapp.services.consent import decisions, pending
from memapp.services.learning import reader
from memapp.services.memory_requests import refused_sentences
from memapp.store import chat
from tests.builders import chat_of, learn, make_runtime, new_chat, say

SOUP = "I had soup for lunch."
CELLO = "I play the cello in a small orchestra."
DIABETES = "I have diabetes."


@pytest.fixture
def judging(tmp_path: Path) -> Iterator[Runtime]:
    runtime = make_runtime(tmp_path, ScriptedModel())
    yield runtime
    runtime.database.close()


def tell(runtime: Runtime, *texts: str) -> str:
    """Type messages in a new chat, and let each be learned from; return the id of the last."""
    thread = new_chat(runtime)
    for text in texts:
        say(runtime, thread, text)
        learn(runtime, thread)
    return [
        message.id
        for message in chat.list_messages(runtime.read(), thread)
        if message.role == "user"
    ][-1]


def left_out(runtime: Runtime, message_id: str) -> list[NotKept]:
    message = chat.get_message(runtime.read(), message_id)
    judged = refused_sentences.judge_message(runtime, message)
    assert judged is not None
    taught = provenance.learned_from(runtime, [message_id]).get(message_id, [])
    return list(
        refused_sentences.not_kept(
            runtime, message, judged, [lesson.memory.id for lesson in taught]
        )
    )


def reasons(runtime: Runtime, message_id: str) -> dict[str, str]:
    return {reason.said: reason.why for reason in left_out(runtime, message_id)}


def live(runtime: Runtime) -> list[str]:
    return sorted(memory.text for memory in curate.list_memories(runtime))


def test_what_passes_is_told_beside_what_is_kept_and_what_waits(judging: Runtime) -> None:
    said = tell(judging, f"{CELLO} {SOUP} {DIABETES}")
    assert (live(judging), len(pending.list_pending(judging))) == ([CELLO], 1)
    assert reasons(judging, said) == {SOUP: "passing"}


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ('My boss said "I hate Mondays" again.', {}),
        ("My pin is 4432.", {"My pin is 4432.": "secret"}),
        ("Hello!", {}),
        ("Which bread goes with soup?", {}),
        ("Remember that I hate olives.", {}),
        ("Off the record: I cannot stand Dana.", {}),
    ],
)
def test_only_what_might_be_kept_counts(judging: Runtime, typed: str, why: dict[str, str]) -> None:
    assert reasons(judging, tell(judging, typed)) == why


def test_what_was_known_is_said_to_be(judging: Runtime) -> None:
    assert reasons(judging, tell(judging, CELLO, CELLO)) == {CELLO: "known"}


def test_a_no_and_what_was_taken_back_are_the_reasons_then(judging: Runtime) -> None:
    said = tell(judging, f"{CELLO} {DIABETES}")
    assert reasons(judging, said) == {}
    undo.undo_last(judging)
    decisions.deny(judging, *(request.id for request in pending.list_pending(judging)))
    assert reasons(judging, said) == {CELLO: "undone", DIABETES: "denied"}


def test_after_a_days_worth_the_rest_is_said_to_be_read_tomorrow(
    judging: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MEMORIES_PER_DAY", 0)
    assert reasons(judging, tell(judging, CELLO)) == {CELLO: "tomorrow"}


def test_nothing_is_told_before_it_was_read_or_can_be_judged(judging: Runtime) -> None:
    thread = chat_of(judging, SOUP)
    (message, _) = chat.list_messages(judging.read(), thread)
    assert left_out(judging, message.id) == []
    judging.embedding.loading("")
    assert refused_sentences.judge_message(judging, message) is None


def test_what_was_not_kept_can_be_kept_anyway_and_that_be_undone(judging: Runtime) -> None:
    said = tell(judging, SOUP)
    (soup,) = left_out(judging, said)
    told, step = refused_sentences.keep_anyway(judging, said, soup)
    assert (told, live(judging)) == (f"I remember that: {SOUP}", [SOUP])
    assert reasons(judging, said) == {}
    (kept,) = provenance.learned_from(judging, [said])[said]
    assert kept.step == step
    undo.undo(judging, step)
    assert (live(judging), reasons(judging, said)) == ([], {SOUP: "undone"})


def test_to_keep_what_is_sensitive_is_the_persons_yes(judging: Runtime) -> None:
    said = tell(judging, DIABETES)
    decisions.deny(judging, *(request.id for request in pending.list_pending(judging)))
    (denied,) = left_out(judging, said)
    refused_sentences.keep_anyway(judging, said, denied)
    assert (live(judging), left_out(judging, said)) == ([DIABETES], [])


def test_a_secret_is_kept_in_no_way(judging: Runtime) -> None:
    said = tell(judging, "My pin is 4432.")
    (pin,) = left_out(judging, said)
    assert refused_sentences.keep_anyway(judging, said, pin) == (curate.SECRET, "")
    assert live(judging) == []


def test_what_is_too_long_is_refused_in_words(judging: Runtime) -> None:
    said = tell(judging, SOUP)
    with pytest.raises(UsageError, match="fewer words"):
        refused_sentences.keep_anyway(
            judging, said, NotKept("I had soup " + "and soup " * 60, "passing")
        )
