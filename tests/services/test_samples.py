"""What `memapp demo` opens with."""

from pathlib import Path

from memapp.services import chats, curate, lifecycle, samples
from memapp.services.consent import decisions, pending
from tests.builders import make_runtime


def test_the_demo_has_something_to_show_in_every_mode(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    samples.fill(runtime)
    assert len(chats.list_threads(runtime)) == 4
    assert curate.count(runtime) == 8
    assert len(lifecycle.trash(runtime)) == 2
    (request,) = pending.list_pending(runtime)
    assert (request.field, request.new_value, len(request.evidence)) == ("city", "Bruges", 1)
    assert decisions.profile(runtime) == {}
    opened = chats.get_thread(runtime, str(chats.choice(runtime, "thread")))
    assert opened.id == chats.get_message(runtime, request.evidence[0]).thread_id, "a demo opens where something waits for a word"
    runtime.close()
