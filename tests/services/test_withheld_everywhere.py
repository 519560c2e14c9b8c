"""A pending or denied value is shown in no other chat and predicts nothing, until the yes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memapp.domain.chat import Origin, Role
from memapp.runtime import Runtime
from memapp.services import curate, global_search, undo
from memapp.services.consent import decisions, pending, requests
from memapp.services.recall import (
    RecallRequest,
    conversation_scope,
    drop_withheld,
    recall,
    redact,
    retrieval,
)
from memapp.store import chat, consents, expectations
from tests.builders import chat_of, learn, new_chat
from tests.services.consent.builders import typed
from tests.services.imports.builders import empty_store
from tests.services.test_retention import live_on

VALUES = ["Brontë’s disease", "O’Hara", "Saint Mary’s ward", "type one diabetes"]


def recased(text: str) -> st.SearchStrategy[str]:
    """Return the same words in any case, order and kind of apostrophe."""

    def written(way: tuple[list[str], list[bool], str]) -> str:
        words, upper, apostrophe = way
        joined = " ".join(words).replace("’", apostrophe)
        return "".join(
            text.upper() if up else text.lower()
            for text, up in zip(joined, upper * len(joined), strict=False)
        )

    ways = st.tuples(
        st.permutations(text.split()),
        st.lists(st.booleans(), min_size=3, max_size=7),
        st.sampled_from("’'ʼ‘`´＇"),
    )
    return ways.map(written)


@st.composite
def ways(draw: st.DrawFn) -> tuple[str, str]:
    value = draw(st.sampled_from(VALUES))
    return value, draw(recased(value))


@settings(max_examples=15)
@given(way=ways(), denied=st.booleans())
def test_a_value_is_withheld_in_any_form_until_a_yes(way: tuple[str, str], denied: bool) -> None:
    value, written = way
    with empty_store() as runtime:
        read_in = typed(runtime, new_chat(runtime), f"My {value} came back.")
        said_again = typed(
            runtime, new_chat(runtime), f"The trams were late again. It was {written} once more."
        )
        request = requests.propose(runtime, "health", value, message_id=read_in.id, typed=True)
        assert request
        if denied:
            decisions.deny(runtime, request.id)
            assert requests.propose(runtime, "health", written) is None, "it is not asked again"
        else:
            assert requests.propose(runtime, "health", written) == request, "it is asked once"
        assert read_in.id not in told(runtime, value)
        actual = told(runtime, value).get(said_again.id, "The trams were late again.")
        assert actual == "The trams were late again."
        found = [
            hit.id
            for word in written.split()
            for hit in global_search.find(runtime, word)
            if len(word) > 2
        ]
        assert said_again.id in found, "the person finds their message"
        keywords = [written, *written.split(), "trams"]
        assert drop_withheld(runtime.read(), keywords)[-1:] == ["trams"]
        assert written not in drop_withheld(runtime.read(), keywords)
        decisions.set_field(runtime, "health", value)
        assert told(runtime, value).keys() == {read_in.id, said_again.id}


def told(runtime: Runtime, value: str) -> dict[str, str]:
    """Return what another chat may quote, by message."""
    asked = RecallRequest(
        f"trams late again {value} came back",
        20,
        kinds=("message",),
        scope=conversation_scope(runtime),
    )
    return {hit.id: hit.text for hit in recall(runtime, asked)}


REPLIES = [
    ("preferred_name", "Ottilie Brandt", "The harbour opens at nine. Bring boots."),
    ("health", "Ottilie Brandt", ""),
]


@pytest.mark.parametrize(("field", "value", "left"), REPLIES)
def test_a_reply_that_calls_the_person_by_a_name_that_waits_is_told_without_it(
    runtime: Runtime, field: str, value: str, left: str
) -> None:
    thread = new_chat(runtime)
    asked = typed(runtime, thread, "When can I sail?")
    requests.propose(runtime, field, value)
    named = "Hello, Ottilie Brandt! The harbour opens at nine. Bring boots."
    with runtime.write() as session:
        reply = chat.add_message(
            session,
            thread,
            Role.ASSISTANT,
            named,
            runtime.clock(),
            origin=Origin.MODEL,
            reply_to=asked.id,
        )
    assert [message.text.replace("\n", " ") for message in redact(runtime.read(), [reply])] == [
        left
    ] * bool(left)


FORMS = [
    "She asks about Diabetes diets.",
    "User wonders what to eat with DIABETES",
    "diabetes type one, and sport",
]


@pytest.mark.parametrize("prediction", FORMS)
def test_no_prediction_that_says_what_waits_is_used(runtime: Runtime, prediction: str) -> None:
    thread = chat_of(runtime, "I have type one diabetes.")
    learn(runtime)
    messages = chat.list_messages(runtime.read(), thread)
    with runtime.write() as session:
        expectations.save_prediction(session, thread, messages[1].id, "responder", prediction, ())
    assert retrieval.prediction_after(runtime, messages) is None
    (request,) = pending.list_pending(runtime)
    decisions.approve(runtime, request.id)
    found = retrieval.prediction_after(runtime, messages)
    assert found is not None and found.text == prediction


def test_a_no_outlives_the_request_that_it_was_said_to(runtime: Runtime) -> None:
    read_in = typed(runtime, new_chat(runtime), "I have type one diabetes.")
    request = requests.propose(
        runtime, "health", "type one diabetes", message_id=read_in.id, typed=True
    )
    assert request
    decisions.deny(runtime, request.id)
    live_on(runtime, runtime.clock(), 60, talking=True)
    assert consents.list_requests(runtime.read()) == []
    assert told(runtime, "type one diabetes") == {}


def test_a_yes_that_was_taken_back_withholds_again(runtime: Runtime) -> None:
    read_in = typed(runtime, new_chat(runtime), "I have type one diabetes.")
    request = requests.propose(
        runtime, "health", "type one diabetes", message_id=read_in.id, typed=True
    )
    assert request
    decisions.approve(runtime, request.id)
    assert read_in.id in told(runtime, "type one diabetes")
    undo.undo_last(runtime)
    assert told(runtime, "type one diabetes") == {}


def test_a_keyword_made_of_what_waits_finds_nothing(runtime: Runtime) -> None:
    badge = curate.add(runtime, "User keeps a diabetes badge in the drawer.").memory_id
    lighthouse = new_chat(runtime), "How tall is the lighthouse?", ["diabetes"], []
    assert [hit.id for hit in retrieval.retrieve(runtime, *lighthouse).hits] == [badge]
    requests.propose(runtime, "health", "type one diabetes")
    assert retrieval.retrieve(runtime, *lighthouse).hits == ()
