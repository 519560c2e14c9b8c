"""The scripted model keeps the contract of a real one, and misbehaves exactly as told."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from memapp.domain.prompt import Finished, Piece, Prompt, PromptTurn, Sampling
from memapp.errors import ModelError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel

HEAD = '{"needed_info": ["'
PROMPT = Prompt(
    "You are kind.", (PromptTurn("user", "I planted tomatoes on the balcony"),), suffix="REPLY"
)
PREDICT = replace(PROMPT, suffix="PREDICT", head=HEAD)
CONSTRAINED = Sampling(max_tokens=64, grammar="root ::= needed_info")
FREE = Sampling(max_tokens=200)


def run(model, prompt=PROMPT, sampling=FREE, cancel=None):
    """Return the text and the `Finished` of one call."""
    *pieces, finished = model.generate(prompt, sampling, cancel or Cancel())
    assert isinstance(finished, Finished)
    return "".join(piece.text for piece in pieces), finished


def test_an_enqueued_turn_answers_both_calls():
    model = ScriptedModel()
    model.enqueue(
        "They need sun.", prediction="Asks about water", needed_info=["balcony", "plants"]
    )
    json_text, _ = run(model, PREDICT, CONSTRAINED)
    actual = json.loads(HEAD + json_text)
    assert actual == {"needed_info": ["balcony", "plants"], "prediction_next": "Asks about water"}
    assert run(model)[0] == "They need sun."


def test_calls_for_a_prediction_do_not_use_a_turn_up():
    model = ScriptedModel()
    model.enqueue("One.", needed_info=["first"])
    model.enqueue("Two.", needed_info=["second"])
    for _ in range(2):
        assert "first" in run(model, PREDICT, CONSTRAINED)[0]
    assert run(model)[0] == "One."
    assert "second" in run(model, PREDICT, CONSTRAINED)[0]


def test_a_prediction_left_open_is_completed_after_the_turn():
    model = ScriptedModel()
    model.enqueue("One.", prediction='Says "thanks"')
    run(model)
    opened = replace(PREDICT, head='{"needed_info": ["a"], "prediction_next": "')
    text, _ = run(model, opened, CONSTRAINED)
    assert json.loads(opened.head + text)["prediction_next"] == 'Says "thanks"'


def test_other_constrained_calls_neither_answer_nor_use_a_turn_up():
    model = ScriptedModel()
    model.enqueue("One.")
    assert run(model, PROMPT, Sampling(max_tokens=20, grammar="root ::= fact"))[0] == ""
    assert run(model, replace(PROMPT, head="User "), Sampling(max_tokens=20))[0] == ""
    assert run(model)[0] == "One."


def test_without_a_script_it_predicts_valid_json_and_names_the_memories():
    model = ScriptedModel()
    actual = json.loads(HEAD + run(model, PREDICT, CONSTRAINED)[0])["needed_info"]
    assert actual == ["planted", "tomatoes", "balcony"]
    text, _ = run(
        model, replace(PROMPT, suffix="Facts:\n- User is vegetarian.\n- User has a cat.\nREPLY")
    )
    assert "User is vegetarian; User has a cat." in text


def test_a_conversation_inside_one_turn_gives_keywords_of_the_last_words_and_no_reply_twice():
    said = "RECENT CONVERSATION:\nSam: hello"
    replies = []
    for _ in range(4):
        prompt = Prompt(
            "You are kind.", (PromptTurn("user", f"{said}\n\nSam: My sister plays chess"),)
        )
        replies.append(run(ScriptedModel(), prompt)[0])
        said += f"\n{replies[-1]}"
    assert len(set(replies)) == 4
    assert "chess" in replies[0]


def test_a_script_may_compute_the_reply():
    model = ScriptedModel(lambda prompt, sampling: f"Echo: {prompt.turns[-1].content}")
    text, _ = run(model)
    assert text == "Echo: I planted tomatoes on the balcony"


def test_the_reply_streams_in_several_pieces_and_ends_before_a_stop_string():
    model = ScriptedModel()
    model.enqueue("First line goes on.\n\nUser: and I say")
    items = list(model.generate(PROMPT, Sampling(max_tokens=99, stop=("\n\nUser:",)), Cancel()))
    assert len(items) > 3
    assert (
        "".join(event.text for event in items if isinstance(event, Piece)) == "First line goes on."
    )
    assert items[-1].reason == "stop"


def test_usage_counts_what_the_previous_prompt_left_in_the_cache():
    model = ScriptedModel()
    first = run(model, PREDICT, CONSTRAINED)[1].usage
    second = run(model)[1].usage
    assert (first.prefill_tokens, first.reused_tokens) == (model.prompt_tokens(PREDICT), 0)
    assert second.reused_tokens + second.prefill_tokens == model.prompt_tokens(PROMPT)
    assert second.prefill_tokens <= model.count_tokens("REPLY") + 1


def test_warming_computes_only_what_is_new():
    model = ScriptedModel()
    assert model.warm(PROMPT, Cancel(), open_end=True) > 0
    assert model.warm(PROMPT, Cancel()) == 2
    assert model.warm(PROMPT, Cancel()) == 0
    assert run(model)[1].usage.prefill_tokens == model.count_tokens("REPLY") + 1


def test_a_crash_comes_after_as_many_tokens_as_asked_for_and_only_once():
    model = ScriptedModel()
    model.misbehave("crash", "reply", after_tokens=3)
    run(model, PREDICT, CONSTRAINED)
    stream = model.generate(PROMPT, FREE, Cancel())
    assert [type(next(stream)) for _ in range(3)] == [Piece] * 3
    with pytest.raises(ModelError):
        next(stream)
    assert run(model)[0]


def test_a_hanging_reply_ends_when_cancelled():
    model, cancel = ScriptedModel(), Cancel()
    model.misbehave("hang", after_tokens=2)
    pieces = []
    for item in model.generate(PROMPT, FREE, cancel):
        pieces.append(item)
        if len(pieces) == 2:
            threading.Timer(0.05, cancel.set).start()
    assert pieces[-1].reason == "cancelled"
    assert len(pieces) == 3


def test_closing_the_model_ends_a_hanging_reply_with_an_error():
    model = ScriptedModel()
    model.misbehave("hang")
    threading.Timer(0.05, model.close).start()
    with pytest.raises(ModelError):
        run(model)
    with pytest.raises(ModelError):
        model.generate(PROMPT, FREE, Cancel())


def test_an_endless_reply_ends_at_its_limit():
    model = ScriptedModel()
    model.misbehave("endless")
    _, finished = run(model, sampling=Sampling(max_tokens=50))
    assert (finished.reason, finished.usage.decode_tokens) == ("length", 50)


def test_a_cancelled_call_stops_at_once_and_says_so():
    cancel = Cancel()
    cancel.set()
    assert run(ScriptedModel(), cancel=cancel)[0] == ""
    assert run(ScriptedModel(), cancel=cancel)[1].reason == "cancelled"


def test_a_prompt_beyond_the_window_is_refused():
    model = ScriptedModel(context_tokens=8)
    with pytest.raises(ModelError, match="too long"):
        run(model)


def test_alike_texts_have_alike_vectors():
    rows = ScriptedEmbedder().embed(
        ["User has a grey cat", "a grey cat sat there", "trains to Lisbon", "", "\ud800\x00"]
    )
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert rows[0] @ rows[1] > 0.4 > rows[0] @ rows[2]
