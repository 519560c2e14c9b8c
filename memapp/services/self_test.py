"""The self-test of a model: whether it can do with the full form of prompt. A job of idle time, or at once when asked for."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from memapp.domain.jobs import Pace
from memapp.domain.self_test import CHECKS, SelfTest
from memapp.errors import ModelError
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.prompts import predict, self_test
from memapp.prompts.self_test import Check
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.prompt_form import form_of, is_untested
from memapp.store.self_tests import get_self_test, save_self_test

log = logging.getLogger(__name__)

NEAREST = 3


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None = None) -> Iterator[int]:
    """Make the checks that are left of the model that is loaded; yield 1 for each."""
    model = runtime.chat.ready()
    if model is None or not waiting(runtime):
        return
    try:
        for _ in check(runtime, model, cancel):
            yield 1
    except ModelError as error:  # it goes on where it was the next time, and nothing waits for it
        log.warning("the self-test stopped: %s", type(error).__name__)


def waiting(runtime: Runtime) -> int:
    """Count the checks that are left; none where the form is known without, and none while nothing can tell what is near."""
    model = runtime.chat.ready()
    if model is None or runtime.embedding.ready() is None or not is_untested(runtime, model):
        return 0
    kept = get_self_test(runtime.read(), model.key)
    return CHECKS - len(kept.passed if kept else ())


def begin_again(runtime: Runtime, model: ChatModel) -> None:
    """Forget what is known of a model."""
    with runtime.write() as session:
        save_self_test(session, model.key, SelfTest((), session.now))


def check(runtime: Runtime, model: ChatModel, cancel: Cancel) -> Iterator[tuple[Check, bool]]:
    """Make the checks that are left, and keep how each came out. Raises `ModelError`."""
    kept = get_self_test(runtime.read(), model.key) or SelfTest((), runtime.clock())
    for one in self_test.checks()[len(kept.passed) :]:
        said = _said(model, one, runtime, cancel)
        nearest = _nearest(runtime, predict.parse(said, "full")) if one.kind == "lookup" else []
        if cancel.is_set() or nearest is None:
            return
        kept = kept.with_check(self_test.holds(one, said, nearest), runtime.clock())
        with runtime.write() as session:
            save_self_test(session, model.key, kept)
        yield one, kept.passed[-1]
    log.info("self-test of %s: %s; it gets the %s", model.name, result(runtime, model), form_of(runtime, model))


def result(runtime: Runtime, model: ChatModel) -> str:
    """Say how the last test came out; nothing while it is not done."""
    kept = get_self_test(runtime.read(), model.key)
    return f"{kept.form} form, {kept.passed.count(True)} of {CHECKS}" if kept and kept.is_done else ""


def _said(model: ChatModel, one: Check, runtime: Runtime, cancel: Cancel) -> str:
    prompt, sampling = self_test.request(one, runtime.persona("companion"))
    is_enough = partial(predict.read_enough, form="full") if one.is_call_1 else lambda _: False
    return whole_reply(model, replace(prompt, aside=True), sampling, cancel, is_enough)


def _nearest(runtime: Runtime, needed_info: tuple[str, ...]) -> list[str] | None:
    """Return the facts of the test that are nearest to a keyword; None while there is no embedding model."""
    facts = self_test.facts()
    rows = embedded(runtime, [*facts, *needed_info], wait=True)
    if rows is None:
        return None
    if not needed_info:
        return []
    likeness = (rows[: len(facts)] @ rows[len(facts) :].T).max(axis=1)
    return [facts[place] for place in (-likeness).argsort(kind="stable")[:NEAREST]]
