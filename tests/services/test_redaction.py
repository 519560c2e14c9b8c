"""The part of messages that may be told where something waits for a yes, was denied or was taken
back.
"""

from memapp.domain.chat import Message, Role
from memapp.domain.profile import Hint
from memapp.inference.scripted import ScriptedModel
from memapp.language import redaction
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.consent import decisions, pending
from memapp.services.recall import redact
from memapp.services.recall.redaction import CUT_AMONG
from memapp.store import chat
from tests.builders import chat_of, learn, new_chat, say


def said(runtime: Runtime, thread: str) -> list[Message]:
    return chat.list_messages(runtime.read(), thread, before=None)


def told(runtime: Runtime, thread: str) -> list[str]:
    return [message.text for message in redact(runtime.read(), said(runtime, thread))]


def test_a_value_is_left_out_everywhere_until_a_yes(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Nice to meet you, Tom!")
    thread = new_chat(runtime)
    for text in ("My name is Tom. I collect maps.", "Are maps fun?"):
        say(runtime, thread, text)
    whole = [message.text for message in said(runtime, thread)]
    assert len([text for text in whole if "Tom" in text]) == 3, (
        "the message, its reply and memapp's question"
    )
    assert told(runtime, thread) == ["I collect maps.", *whole[3:]]
    (request,) = pending.list_pending(runtime)
    decisions.approve(runtime, request.id)
    assert told(runtime, thread) == whole


def test_what_was_denied_is_left_out_of_what_says_it_again(runtime: Runtime) -> None:
    thread = chat_of(runtime, "My name is Tom. I collect maps.")
    (request,) = pending.list_pending(runtime)
    decisions.deny(runtime, request.id)
    say(runtime, thread, "My name is Tom. I play chess.")
    assert not any("Tom" in text for text in told(runtime, thread))
    assert "I play chess." in told(runtime, thread)
    assert pending.list_pending(runtime) == [], "it is not asked again"


def test_what_was_taken_back_is_left_out_whole(runtime: Runtime) -> None:
    thread = chat_of(runtime, "I collect maps. I play chess.")
    source = next(message.id for message in said(runtime, thread) if message.role is Role.USER)
    memory = curate.add(runtime, "I collect maps.", sources=(source,))
    curate.discard(runtime, memory.memory_id)
    assert "I collect maps. I play chess." not in told(runtime, thread)


def test_so_many_are_read_and_the_others_stay_hidden(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for number in range(CUT_AMONG + 2):
        say(runtime, thread, f"My name is Tom. I collect map {number}.")
    assert [text for text in told(runtime, thread) if text.startswith("I collect")] == [
        f"I collect map {number}." for number in range(CUT_AMONG)
    ]
    assert not any("Tom" in text for text in told(runtime, thread))


def test_each_text_and_value_is_read_once_however_much_waits() -> None:
    redaction._stems.cache_clear()
    redaction._telling.cache_clear()
    values = [Hint("health", f"takes drops of kind {number} at night") for number in range(40)]
    texts = [f"in week {number} we glazed the blue bowls" for number in range(60)]
    assert not any(redaction.says_again(text, value) for text in texts for value in values)
    assert redaction._stems.cache_info().misses == len(texts), "each hit is held against each value"
    assert redaction._telling.cache_info().misses == len(values)


def test_what_may_wait_is_left_out_unread(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Depression is hard. Take care.")
    thread = chat_of(runtime, "I have been treated for depression since 2019. I collect maps.")
    assert told(runtime, thread) == ["I collect maps."]
    learn(runtime)
    assert told(runtime, thread) == ["I collect maps."], "it waits"
    decisions.approve(runtime, *[request.id for request in pending.list_pending(runtime)])
    assert "I have been treated for depression since 2019. I collect maps." in told(runtime, thread)


def test_a_yes_to_a_sentence_is_one_to_its_message_until_it_is_taken_back(runtime: Runtime) -> None:
    thread = chat_of(runtime, "Ich nehme Tabletten gegen Angst. Ich sammle alte Karten.")
    learn(runtime)
    whole = "Ich nehme Tabletten gegen Angst. Ich sammle alte Karten."
    rest = "Ich sammle alte Karten."
    assert rest in told(runtime, thread)
    (request,) = pending.list_pending(runtime)
    step = decisions.approve(runtime, request.id)
    learn(runtime)
    assert whole in told(runtime, thread)
    undo.undo(runtime, step)
    assert whole not in told(runtime, thread)
