"""A second opinion from the command line."""

import json

from memapp import bootstrap
from memapp.domain.changes import Actor, Created
from memapp.store import changes
from tests.builders import fact
from tests.cli.conftest import Terminal


def test_the_last_answer_is_reviewed_and_what_stands_is_decided(memapp: Terminal) -> None:
    assert memapp("council")[0] == 2, "there is no answer yet"
    runtime = bootstrap.start(home=memapp.home)
    with runtime.write() as session:
        changes.apply(
            session,
            Created(fact("I live in Ghent.", session.now, category="notes")),
            Actor("rules"),
        )
    runtime.close()
    code, out, err = memapp("council", "Any", "ideas?")
    assert code == 0 and ("Nobody objects" in out or "To take it" in err)
    told = json.loads(memapp("council", "--json", "Any", "ideas?")[1])
    assert set(told) >= {"draft", "dissents", "choice"}, (
        "all of stdout is JSON, also with a question"
    )
    held = json.loads(memapp("council", "--json")[1])
    assert held["task"] == "Any ideas?" and held["draft"]
    assert memapp("council", "--take", "revision")[0] == (0 if held["revision"] else 2)
    assert memapp("council", "--take", "none")[:2] == (0, "Neither stands any more.\n")
    assert memapp("undo")[0] == 0 and memapp("council")[0] == 0
    code, out, err = memapp("council", "--edit", "Stay in bed.")
    assert (code, out) == (0, "Stay in bed.\n") and "memapp undo" in err
    assert memapp("undo")[0] == 0
