"""Checking a message against the prediction of the turn before."""

from dataclasses import replace
from typing import Literal

from memapp.domain.chat import Message
from memapp.domain.expectation import Verdict
from memapp.domain.prediction import Prediction
from memapp.language.expectation import mismatch
from memapp.language.sentence import tells_more
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.store import events, expectations, learning_queue


def compare(runtime: Runtime, expected: Prediction | None, message: Message) -> Prediction | None:
    """Record whether a message was expected; one that adds nothing teaches nothing.

    A write of its own: the message is saved before a model compares meanings.
    """
    verdict: Verdict | None = None
    if expected:
        likeness = _similarity(runtime, expected.text, message.text)
        rule, threshold = runtime.settings.mismatch_rule, runtime.settings.fuzzy_threshold
        verdict = mismatch(
            expected.text, message.text, similarity=likeness, rule=rule, fuzzy_threshold=threshold
        )
    with runtime.write() as session:
        if expected and verdict:
            expectations.save_comparison(session, expected.id, message.id, verdict)
            if not (verdict.surprised or _tells_more(expected, message)):
                learning_queue.learn_nothing(session, [message.id])
            expected = replace(
                expected,
                surprised=verdict.surprised,
                similarity=verdict.similarity,
                why=verdict.why,
            )
        status: Literal["ok", "skipped"] = "ok" if verdict else "skipped"
        sim = verdict.similarity if verdict else None
        events.add_event(
            session,
            events.WHILE_CHATTING,
            "classify",
            status,
            thread_id=message.thread_id,
            sim=sim,
        )
    return expected


def _tells_more(expected: Prediction, message: Message) -> bool:
    """Return True for a message that corrects something, or states something unexpected."""
    return tells_more(message.typed_text, expected.text, words_of(message.typed_text))


def _similarity(runtime: Runtime, first: str, second: str) -> float | None:
    """Return how alike two texts are; None without the embedding model."""
    rows = embedded(runtime.judge_embedder, [first, second])
    return None if rows is None else float(rows[0] @ rows[1])
