"""Each message lists the memories read from it, as first written."""

from memapp.domain.changes import Actor, Updated
from memapp.domain.turn_events import Accepted
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.provenance import learned_from
from memapp.store import changes
from tests.builders import learn, new_chat, only, say


def told(runtime: Runtime, text: str, thread: str = "") -> str:
    message = only(Accepted, say(runtime, thread or new_chat(runtime), text)).message
    learn(runtime)
    return str(message.id)


def test_what_is_new_replaces_adds_or_repeats_is_told_apart(runtime: Runtime) -> None:
    new, same, more = (told(runtime, text) for text in ("I have a dog.", "Yes, a dog.", "Hello!"))
    thread = new_chat(runtime)
    baker, gardener = (
        told(runtime, text, thread)
        for text in ("I work as a baker.", "No wait, I work as a gardener.")
    )
    dog = next(memory for memory in curate.list_memories(runtime) if "dog" in memory.text)
    with runtime.write() as session:
        for change in (
            Updated(dog.id, sources=(same,)),
            Updated(dog.id, text="I have a big dog.", sources=(more,)),
        ):
            changes.apply(session, change, Actor("rules"))
    found = learned_from(runtime, [new, baker, gardener, same, more])
    assert {
        id: [(lesson.memory.text, lesson.was) for lesson in taught] for id, taught in found.items()
    } == {
        new: [("I have a big dog.", "")],
        gardener: [("No wait, I work as a gardener.", "I work as a baker.")],
        more: [("I have a big dog.", "I have a dog.")],
    }
    assert found[new][0].step == "", "it was changed since"
    for taught in (found[more][0], found[gardener][0]):
        undo.undo(runtime, taught.step)
    actual = {memory.text for memory in curate.list_memories(runtime)}
    assert actual == {"I have a dog.", "I work as a baker."}


def test_what_a_fact_said_before_is_what_it_said_last(runtime: Runtime) -> None:
    first, second, third = (
        told(runtime, text) for text in ("I have a dog.", "Hello!", "Good morning!")
    )
    (dog,) = curate.list_memories(runtime)
    with runtime.write() as session:
        for text, said in (("I have a big dog.", second), ("I have a big brown dog.", third)):
            changes.apply(session, Updated(dog.id, text=text, sources=(said,)), Actor("rules"))
    found = learned_from(runtime, [first, second, third])
    actual = [found[said][0].was for said in (first, second, third)]
    assert actual == ["", "I have a dog.", "I have a big dog."]
