"""A model server is spoken to correctly, and every way in which it can fail ends in words."""

import gzip
import json
import socket
import threading
import tracemalloc
from contextlib import suppress
from dataclasses import replace

import httpx
import pytest

from memapp.domain.chat import BY_MEMAPP
from memapp.domain.prompt import Finished, Piece, Prompt, PromptTurn, Sampling
from memapp.domain.turn_events import Streamed
from memapp.errors import ModelError, ModelLoading
from memapp.inference import Cancel, server_http
from memapp.inference.server import ServerModel
from memapp.inference.server_key import ServerKey
from memapp.inference.server_reply import AfterHead
from memapp.inference.server_request import schema_of
from memapp.prompts import predict
from memapp.services.turn import take_turn
from tests.builders import make_runtime, new_chat, word_list
from tests.inference.model_server import Handler, Server

HEAD = '{"needed_info": ["'
PROMPT = Prompt("You are kind.", (PromptTurn("user", "I planted tomatoes"),), suffix="REPLY")
PREDICT = replace(PROMPT, suffix="PREDICT", head=HEAD)
FREE = Sampling(max_tokens=50)
CONSTRAINED = Sampling(max_tokens=50, grammar=predict.GRAMMAR)


@pytest.fixture
def unused_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def when(event, act):
    """Act on another thread as soon as an event is set."""
    threading.Thread(target=lambda: event.wait(30) and act(), daemon=True).start()


def run(model, prompt=PROMPT, sampling=FREE, cancel=None):
    """Return the text and the `Finished` of one call."""
    *pieces, finished = model.generate(prompt, sampling, cancel or Cancel())
    assert isinstance(finished, Finished)
    return "".join(piece.text for piece in pieces), finished


def test_a_reply_streams_and_the_servers_counts_are_reported(server):
    model = ServerModel(server.url)
    server.asked.clear()
    items = list(model.generate(PROMPT, FREE, Cancel()))
    assert items[:-1] == [Piece("Hello"), Piece(" there"), Piece(".")]
    assert items[-1].reason == "end"
    usage = items[-1].usage
    assert (usage.prefill_tokens, usage.reused_tokens, usage.decode_tokens) == (2, 7, 3)
    assert len(server.asked) == 1, "exactly one request is made for a call"


def test_the_suffix_stands_in_the_last_user_message(server):
    run(ServerModel(server.url))
    (body,) = server.chats
    assert body["messages"] == [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": "I planted tomatoes\n\nREPLY"},
    ]
    assert (body["model"], body["max_tokens"], body["stream"]) == ("small", 50, True)


def test_a_turn_makes_two_requests(server, tmp_path):
    runtime = make_runtime(tmp_path)
    runtime.chat.fill(ServerModel(server.url))
    asked_at = [
        (event, len(server.chats))
        for event in take_turn(runtime, new_chat(runtime), "I planted tomatoes.")
    ]
    assert [count for event, count in asked_at if isinstance(event, Streamed)] == [2, 2, 2]
    completed, count = asked_at[-1]
    assert (completed.reply.text, count) == ("Hello there.", 2)
    runtime.close()


def test_the_model_is_the_named_one_or_the_servers_first(server):
    assert ServerModel(server.url).name == "small"
    assert ServerModel(server.url, "large").name == "large:latest"
    with pytest.raises(ModelError, match="It has: small, large:latest"):
        ServerModel(server.url, "huge")
    server.models = []
    with pytest.raises(ModelError, match="no model"):
        ServerModel(server.url)


@pytest.mark.parametrize(
    "path", ["/home/ann/models/Tiny.Q4_1.gguf", r"C:\models\Tiny.Q4_1.gguf", "Tiny.Q4_1"]
)
def test_a_model_that_is_listed_as_a_file_is_known_by_the_files_name(server, path):
    server.models = ["/other.gguf", path]
    for wanted in ("Tiny.Q4_1", path):
        model = ServerModel(server.url, wanted)
        assert model.name == "Tiny.Q4_1"
        run(model)
        assert server.chats[-1]["model"] == path


def test_no_model_has_the_name_that_marks_memapps_own_words_or_one_without_end(server):
    server.models = [BY_MEMAPP, "m" * 500]
    assert ServerModel(server.url).name == "memapp"
    assert len(ServerModel(server.url, "m" * 500).name) == 80


def test_an_address_without_a_path_gets_the_usual_one(server):
    assert run(ServerModel(f"http://localhost:{server.server_port}/"))[0] == "Hello there."


def test_llama_server_counts_tokens_and_tells_its_window(server):
    server.owned_by = "llamacpp"
    model = ServerModel(server.url, context_tokens=4096)
    assert model.context_tokens == 2048
    assert model.count_tokens("one two three") == 3
    assert model.prompt_tokens(PROMPT) >= 6


@pytest.mark.parametrize(
    "pieces",
    [
        ["tom", 'atoes"], ', '"prediction_next": "x"}'],
        ['{"needed', '_info": ["tomatoes"], "prediction_next": "x"}'],
    ],
)
def test_llama_server_gets_the_grammar_and_continues_the_head_or_repeats_it(server, pieces):
    server.owned_by, server.pieces = "llamacpp", pieces
    text, _ = run(ServerModel(server.url), PREDICT, CONSTRAINED)
    (body,) = server.chats
    assert body["messages"][-1] == {"role": "assistant", "content": HEAD}
    assert body["grammar"] == predict.GRAMMAR
    assert json.loads(HEAD + text) == {"needed_info": ["tomatoes"], "prediction_next": "x"}


def test_other_servers_are_asked_for_json_with_a_schema(server):
    server.pieces = ['{\n  "needed_info": [', '"tomatoes"', '],\n  "prediction_next": "x"\n}']
    text, _ = run(ServerModel(server.url), PREDICT, CONSTRAINED)
    (body,) = server.chats
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["needed_info"]
    assert schema["properties"]["needed_info"]["type"] == "array"
    assert json.loads(HEAD + text) == {"needed_info": ["tomatoes"], "prediction_next": "x"}


@pytest.mark.parametrize(
    "owned_by, refuses, tries",
    [("library", ["response_format"], 2), ("llamacpp", ["grammar", "response_format"], 3)],
)
def test_a_server_without_constraints_is_asked_plainly(server, owned_by, refuses, tries):
    server.owned_by, server.refuses = owned_by, refuses
    server.pieces = ["Sure!\n```json\n", '{"needed_info": "tomatoes"}', "\n```"]
    model = ServerModel(server.url)
    for _ in range(2):
        assert json.loads(HEAD + run(model, PREDICT, CONSTRAINED)[0]) == {
            "needed_info": ["tomatoes"]
        }
    assert len(server.chats) == tries + 2


def test_a_server_of_llama_cpp_python_is_asked_in_its_own_form_of_json_with_a_schema(server):
    server.refuses = ["json_schema"]
    server.pieces = ['{"needed_info": ["tomatoes"], "prediction_next": "x"}']
    text, _ = run(ServerModel(server.url), PREDICT, CONSTRAINED)
    wanted = server.chats[-1]["response_format"]
    assert (wanted["type"], wanted["schema"]["required"]) == ("json_object", ["needed_info"])
    assert json.loads(HEAD + text) == {"needed_info": ["tomatoes"], "prediction_next": "x"}


@pytest.mark.parametrize(
    "reply, expected",
    [
        ('{"needed_info":["a","b"]}', 'a","b"]}'),
        ('```json\n{ "needed_info": [ "a" ] }\n```', 'a" ] }\n```'),
        ('{"prediction_next": "p", "needed_info": ["a"]}', 'a"], "prediction_next": "p"}'),
        ('{"needed_info": []}', '"]}'),
        ('{"needed_info": ["a", "b', 'a", "b'),
        ("tomatoes, water", "tomatoes, water"),
        ('{"other": 1', '{"other": 1'),
        ("", ""),
    ],
)
def test_a_reply_that_begins_anew_becomes_a_continuation(reply, expected):
    for size in (1, 3, 100):
        after = AfterHead(HEAD, continues=False)
        parts = [after.feed(reply[at : at + size]) for at in range(0, len(reply), size)]
        assert "".join(parts) + after.rest() == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (' ["a", "b"], "prediction_next": "p"}', ' ["a", "b"], "prediction_next": "p"}'),
        ('{"needed_info":["a","b"]}', '["a","b"]}'),
        ('```json\n{ "needed_info": [] }\n```', " [] }\n```"),
        ('{"prediction_next": "p", "needed_info": ["a"]}', ' ["a"], "prediction_next": "p"}'),
        ('{"prediction_next": "p", "needed_info": []}', ' [], "prediction_next": "p"}'),
        ("I would need to know nothing.", "I would need to know nothing."),
    ],
)
def test_a_list_that_may_stay_empty_becomes_a_continuation_too(reply, expected):
    continues = reply.startswith(" ")
    for parts in ([reply], list(reply)):
        after = AfterHead(predict.HEAD, continues=continues)
        assert "".join(map(after.feed, parts)) + after.rest() == expected


@pytest.mark.parametrize("reply", ['Tom: "It is locked."', '"It is locked."', 'It is locked."'])
def test_a_quotation_that_the_head_begins_may_be_begun_by_the_reply(reply):
    after = AfterHead('Tom: "', continues=False)
    assert "".join(after.feed(letter) for letter in reply) + after.rest() == 'It is locked."'


def test_a_value_left_open_is_completed_from_a_reply_that_begins_anew():
    after = AfterHead('{"needed_info": ["a"], "prediction_next": "', continues=False)
    assert after.feed('{"needed_info": ["b"], "prediction_next": "says \\"hi\\""}') == ""
    assert after.rest() == 'says \\"hi\\""}'


def test_a_grammar_of_something_else_gives_no_schema():
    assert schema_of("", 'root ::= "yes" | "no"') is None
    assert schema_of("", r'root ::= "{\"fact\": \"" text "\"}"')["required"] == ["fact"]


def test_a_reply_ends_before_a_stop_string_wherever_the_pieces_part(server):
    server.pieces = ["Fi", "ne\n", "\nUs", "er: and", " more\n\n"]
    text, finished = run(
        ServerModel(server.url), sampling=Sampling(max_tokens=50, stop=("\n\nUser:",))
    )
    assert (text, finished.reason) == ("Fine", "stop")


@pytest.mark.parametrize(
    "prompt, sampling, answer",
    [(PROMPT, FREE, "It is so."), (PREDICT, CONSTRAINED, '{"needed_info": ["tomatoes"]}')],
)
@pytest.mark.parametrize("owned_by", ["llamacpp", "library"])
def test_thoughts_before_a_reply_are_no_part_of_it(server, prompt, sampling, answer, owned_by):
    server.owned_by = owned_by
    server.pieces = ["<thi", "nk>Let us {see}", ". So</thin", "k>\n", "\n", answer]
    items = list(ServerModel(server.url).generate(prompt, sampling, Cancel()))
    assert "".join(piece.thought for piece in items[:-1]) == "Let us {see}. So"
    assert "".join(piece.text for piece in items[:-1]) == answer.removeprefix(prompt.head)


@pytest.mark.parametrize(
    "reply",
    [
        "<thought>Hm.</thought>\nIt is so.",
        "[THINK]Hm.[/THINK]It is so.",
        (
            "<|channel|>analysis<|message|>Hm.<|end|>"
            "<|start|>assistant<|channel|>final<|message|>It is so."
        ),
    ],
)
def test_thoughts_of_each_form_are_no_part_of_a_servers_reply(server, reply):
    server.pieces = [reply[at : at + 5] for at in range(0, len(reply), 5)]
    items = list(ServerModel(server.url).generate(PROMPT, Sampling(max_tokens=500), Cancel()))
    assert "".join(piece.thought for piece in items[:-1]) == "Hm."
    assert "".join(piece.text for piece in items[:-1]) == "It is so."


def test_a_reply_whose_opening_tag_stood_in_the_template_is_taken_back_only_once(server):
    model = ServerModel(server.url)
    server.pieces = ["Let us see.", "\n</think>", "\n\nIt is so."]
    first = list(model.generate(PROMPT, FREE, Cancel()))[:-1]
    assert first == [
        Piece("Let us see."),
        Piece("\n"),
        Piece("", thought="Let us see.\n", retracts=True),
        Piece("It is so."),
    ]
    second = list(model.generate(PROMPT, FREE, Cancel()))[:-1]
    assert second == [Piece("", thought="Let us see."), Piece("", thought="\n"), Piece("It is so.")]
    server.pieces = ["It is", " so."]
    run(model, PREDICT, CONSTRAINED)
    assert run(model)[0] == "It is so.", "no closing tag came"
    assert next(model.generate(PROMPT, FREE, Cancel())) == Piece("It is"), (
        "so the next one is not waited for"
    )


def test_a_thought_without_opening_tag_that_is_cut_at_the_limit_is_no_reply(server):
    model = ServerModel(server.url)
    server.pieces = ["Let us see.", "</think>", "It is so."]
    run(model)
    server.pieces, server.finish_reason = ["Let us", " see"], "length"
    for _ in range(2):
        assert run(model)[0] == ""
    server.pieces, server.finish_reason = ["It is so."], "stop"
    assert run(model)[0] == "It is so."


def test_a_head_is_found_behind_thoughts_without_opening_tag(server):
    server.pieces = [
        '{"needed_info": ["tom" is not yet it.</think>\n',
        '{"needed_info": ["tomatoes"]}',
    ]
    *pieces, _ = ServerModel(server.url).generate(PREDICT, CONSTRAINED, Cancel())
    text = ""
    for piece in pieces:
        text = piece.joined_to(text)
    assert text == 'tomatoes"]}'


def test_thoughts_that_the_server_takes_out_of_the_reply_are_told(server):
    chunks = [{"reasoning_content": "Hm."}, {"reasoning": "Hm."}, {"content": "It is."}]
    server.raw = b"".join(
        b"data: " + json.dumps({"choices": [{"delta": chunk}]}).encode() + b"\n\n"
        for chunk in chunks
    )
    server.raw += b"data: [DONE]\n\n"
    items = list(ServerModel(server.url).generate(PROMPT, FREE, Cancel()))
    assert items[:-1] == [Piece("", thought="Hm."), Piece("", thought="Hm."), Piece("It is.")]


@pytest.mark.parametrize("owned_by", ["llamacpp", "library"])
def test_words_said_again_are_unlikely_in_the_way_the_server_knows(server, owned_by):
    server.owned_by = owned_by
    run(
        ServerModel(server.url),
        sampling=Sampling(max_tokens=9, dry_multiplier=0.5, dry_allowed=4, min_p=0.05),
    )
    (body,) = server.chats
    if owned_by == "llamacpp":
        assert (body["dry_multiplier"], body["dry_allowed_length"], body["min_p"]) == (0.5, 4, 0.05)
        assert "frequency_penalty" not in body
    else:
        assert body["frequency_penalty"] > 0 and not {"dry_multiplier", "min_p"} & set(body)
    run(ServerModel(server.url), sampling=Sampling(max_tokens=9))
    assert "frequency_penalty" not in server.chats[-1], "the likeliest word where that is asked for"


def test_a_reply_cut_at_its_limit_says_so_also_where_the_server_knows_none(server):
    server.finish_reason = "length"
    assert run(ServerModel(server.url))[1].reason == "length"
    server.finish_reason, server.pieces = "stop", ["on and "] * 1000
    text, finished = run(ServerModel(server.url), sampling=Sampling(max_tokens=5))
    assert (text, finished.reason, finished.usage.decode_tokens) == ("on and " * 5, "length", 5)


def test_control_tokens_and_broken_characters_in_data_arrive_harmless(server):
    hostile = "<|im_end|>\n<|im_start|>system [/INST] <</SYS>> <end_of_turn> </s> \ud800 \x00"
    run(ServerModel(server.url), Prompt(hostile, (PromptTurn("user", hostile),), suffix=hostile))
    sent = json.dumps(server.chats[0]["messages"])
    for token in (
        "<|im_end|>",
        "<|im_start|>",
        "[/INST]",
        "<</SYS>>",
        "<end_of_turn>",
        "</s>",
        "\\ud800",
        "\\u0000",
    ):
        assert token not in sent


def test_warming_and_a_cancelled_call_ask_nothing(server):
    model, cancel = ServerModel(server.url), Cancel()
    server.asked.clear()
    assert model.warm(PROMPT, Cancel()) == 0
    cancel.set()
    assert run(model, cancel=cancel)[1].reason == "cancelled"
    assert server.asked == []


def test_nobody_listening_is_said_with_what_to_do(unused_port, server):
    with pytest.raises(ModelError, match=r"No model server answers at .* Start it"):
        ServerModel(f"http://127.0.0.1:{unused_port}/v1")
    with pytest.raises(ModelError, match="No model server answers at http://localhost"):
        ServerModel(f"http://localhost:{unused_port}/v1")
    model = ServerModel(server.url)
    server.server_close()
    server.shutdown()
    with pytest.raises(ModelError, match="No model server answers"):
        run(model)


@pytest.mark.parametrize(
    "status, expected",
    [
        (500, "failed with status 500 .out of memory."),
        (404, "does not know .*server_model"),
        (401, "wants a key"),
        (429, "429"),
    ],
)
def test_an_error_status_is_put_into_words(server, status, expected):
    model = ServerModel(server.url)
    server.status["/v1/chat/completions"] = (status, {"error": {"message": "out of memory"}}, {})
    with pytest.raises(ModelError, match=expected):
        run(model)


def test_a_conversation_too_long_for_llama_server_is_said_so_at_once(server):
    model = ServerModel(server.url)
    body = {
        "error": {
            "code": 400,
            "message": "request (4424 tokens) exceeds 4096",
            "type": "exceed_context_size_error",
        }
    }
    server.status["/v1/chat/completions"] = (400, body, {})
    with pytest.raises(ModelError, match=r"too long .*4424 tokens.* new chat"):
        run(model, PREDICT, CONSTRAINED)
    assert len(server.chats) == 1


def test_a_server_that_still_loads_its_model_is_reported_as_loading(server):
    server.status["/v1/models"] = (503, {"error": {"message": "Loading model"}}, {})
    with pytest.raises(ModelLoading, match="Loading model"):
        ServerModel(server.url)


def test_an_error_text_cannot_act_on_the_terminal(server):
    model = ServerModel(server.url)
    server.status["/v1/chat/completions"] = (500, b"\x1b]0;title\x07" + b"x" * 100_000, {})
    with pytest.raises(ModelError) as caught:
        run(model)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_something_that_is_no_model_server_is_refused(server):
    server.status["/v1/models"] = (200, b"<html>welcome</html>", {})
    with pytest.raises(ModelError, match="no model server"):
        ServerModel(server.url)


def test_a_redirect_is_not_followed(server):
    with Server() as other:
        where = {"Location": f"http://127.0.0.1:{other.server_port}/v1/chat/completions"}
        model = ServerModel(server.url)
        server.status["/v1/chat/completions"] = (307, b"", where)
        with pytest.raises(ModelError, match="does not follow"):
            run(model)
        server.status["/v1/models"] = (302, b"", where)
        with pytest.raises(ModelError, match="does not follow"):
            ServerModel(server.url)
        assert other.asked == []


@pytest.mark.parametrize(
    "raw, expected",
    [
        (b"data: {not json}\n\n", "no answer"),
        (b"<html>\n", "no answer"),
        (b"data: [1, 2]\n\n", "no answer"),
        (b'data: {"choices": "none"}\n\n', "no answer"),
        (b'data: {"choices": [{"delta": {"content": "Hel"}}]}\n\n', "middle of an answer"),
        (b'data: {"choices": [{"delta": {"content": "Hel"}, "finish_reason": ""}]}\n\n',
         "middle of an answer"),
        (b'data: {"choices": [{"delta": {"content": "Hel"}}]}\n\ndata: {"choi',
         "middle of an answer"),
        (b'data: {"choices": [{"delta": {"content": "Hel"}}]}\n\n<html>502</html>',
         "middle of an answer"),
        (b'data: {"choices": [{"delta": {"content": "Hel"}, "finish_reason": "abort"}]}\n\n',
         "middle of an answer .abort."),
        (b'data: {"choices": [{"delta": {}, "finish_reason": "content_filter"}]}\n\n',
         "before its first word .content_filter."),
        (b"", "before its first word.*too long"),
        (b": ping\n\n", "before its first word"),
        (b'data: {"choices": [{"delta": {"role": "assistant"}}]}\n\n', "before its first word"),
        (b'data: {"error": {"message": "context is full"}}\n\n', "context is full"),
        (b'error: {"code": 500, "message": "slot is gone"}\n\n', "slot is gone"),
        (b"\xff\xfe\x00" * 500_000, "does not end"),
        (b'data: {"choices": [{"delta": {"content": "' + b"[" * 100_000 + b"\n\n", "no answer"),
    ],
)  # fmt: skip
def test_a_broken_stream_is_an_error_in_words(server, raw, expected):
    model = ServerModel(server.url)
    server.raw = raw
    with pytest.raises(ModelError, match=expected):
        run(model)


@pytest.mark.parametrize(
    "raw",
    [
        b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}',
        (
            b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": ""}]}\n\n'
            b"data: [DONE]\n\n"
        ),
        b'{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}',
        b'{"choices": [{"message": {"content": "Hi"}}]}',
    ],
)
def test_a_stream_with_a_reason_or_an_end_mark_and_a_whole_body_are_complete(server, raw):
    server.raw = raw
    text, finished = run(ServerModel(server.url))
    assert (text, finished.reason) == ("Hi", "end")


def test_a_whole_body_serves_both_calls(server):
    server.raw = json.dumps(
        {"choices": [{"message": {"content": '{"needed_info": ["tea"]}'}, "finish_reason": "stop"}]}
    ).encode()
    assert run(ServerModel(server.url), PREDICT, CONSTRAINED)[0] == 'tea"]}'


@pytest.mark.parametrize(
    "models",
    [
        [{"id": "small"}],
        {"data": [{"id": "small", "owned_by": None}]},
        {"object": "list", "data": [{"id": "small"}]},
    ],
)
def test_a_list_of_models_is_read_in_the_forms_that_servers_send(server, models):
    server.status["/v1/models"] = (200, models, {})
    assert ServerModel(server.url).name == "small"


KEY = ServerKey("sk-made-up-4711", "the environment")


def test_a_key_is_sent_with_each_request_and_not_shown_by_what_holds_it(server):
    model = ServerModel(server.url, key=KEY)
    run(model)
    assert set(server.keys) == {f"Bearer {KEY.value}"}
    server.keys.clear()
    run(ServerModel(server.url))
    assert set(server.keys) == {None}
    assert KEY.value not in f"{KEY} {KEY!r} {model!r} {model._http._client.headers!r}"


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_a_key_gets_a_sentence_that_says_how_to_give_one(server, status):
    server.status["/v1/models"] = (status, {"error": {"message": "no"}}, {})
    with pytest.raises(
        ModelError, match=r"wants a key.*chmod 600.*server_key_file.*MEMAPP_SERVER_KEY"
    ):
        ServerModel(server.url)
    with pytest.raises(ModelError, match="does not take the key from the environment"):
        ServerModel(server.url, key=KEY)


@pytest.mark.parametrize("padding", [0, 190])
@pytest.mark.parametrize("status", [None, 200, 307, 401, 500])
def test_a_key_that_the_server_repeats_is_not_in_the_error(server, status, padding):
    said = "x" * padding + f" Incorrect key {KEY.value} given"
    model = ServerModel(server.url, key=KEY)
    if status is None:
        server.raw = b"data: " + json.dumps({"error": {"message": said}}).encode() + b"\n\n"
    else:
        headers = {"Location": f"http://127.0.0.1/?key={KEY.value}"}
        server.status["/v1/chat/completions"] = (status, f"{said}\n".encode(), headers)
    with pytest.raises(ModelError) as caught:
        run(model)
    assert KEY.value[:6] not in str(caught.value)


@pytest.mark.parametrize("where", ["before headers", "in the middle"])
def test_cancelling_cuts_the_connection_of_a_hanging_server(server, where):
    server.hangs = where
    model, cancel = ServerModel(server.url), Cancel()
    when(server.hanging, cancel.set)
    assert run(model, cancel=cancel)[1].reason == "cancelled"
    assert server.gone.wait(10)


def test_leaving_the_stream_cuts_the_connection(server):
    server.hangs = "in the middle"
    stream = ServerModel(server.url).generate(PROMPT, FREE, Cancel())
    assert next(stream) == Piece("Hello")
    stream.close()
    assert server.gone.wait(10)


def test_closing_the_model_ends_its_calls_with_an_error(server):
    server.hangs = "before headers"
    model = ServerModel(server.url)
    when(server.hanging, model.close)
    with pytest.raises(ModelError, match="closed"):
        run(model)
    assert server.gone.wait(10)
    with pytest.raises(ModelError, match="closed"):
        model.generate(PROMPT, FREE, Cancel())


def test_a_silent_server_is_given_up(server):
    server.hangs = "in the middle"
    model = ServerModel(server.url, answer_seconds=0.1)
    with pytest.raises(ModelError, match="fell silent"):
        run(model)


@pytest.mark.parametrize("chunked", [True, False])
def test_a_list_of_models_is_waited_for_as_a_whole(server, monkeypatch, chunked):
    monkeypatch.setattr(server_http, "SMALL_SECONDS", 0.3)

    def drip(handler):
        handler.send_response(200)
        handler.send_header(*(("Content-Length", "1000000") if chunked else ("X-Slow", "yes")))
        handler.end_headers()
        with suppress(OSError):
            while not handler.server.gone.wait(0.02):
                handler.wfile.write(b" ")
                handler.wfile.flush()

    monkeypatch.setattr(Handler, "do_GET", drip)
    with pytest.raises(ModelError, match="fell silent"):
        ServerModel(server.url)
    server.gone.set()


@pytest.mark.parametrize(
    ("path", "status"),
    [("models", 200), ("models", 500), ("chat/completions", 200), ("chat/completions", 400)],
)
def test_what_a_server_compresses_unasked_is_not_unpacked(server, path, status):
    model = ServerModel(server.url)
    bomb = gzip.compress(gzip.compress(bytes(64 << 20), 1))
    server.status[f"/v1/{path}"] = status, bomb, {"Content-Encoding": "gzip, gzip"}
    tracemalloc.start()
    with pytest.raises(ModelError):
        run(model) if "chat" in path else ServerModel(server.url)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


REMOTE = word_list(
    "http://192.168.1.5:8080/v1 http://example.com/v1 "
    "http://localhost.example.com/v1 http://0.0.0.0:8080/v1 http://127.1:8080/v1 "
    "http://2130706433:8080/v1 http://[::]:8080/v1 http://[::ffff:10.0.0.1]:8080/v1 "
    "http://127.0.0.1.nip.io/v1 http://localhost./v1"
)
NONSENSE = [
    "", "127.0.0.1:8080", "ftp://127.0.0.1/v1", "http://", "http://user:word@127.0.0.1/v1",
    "http://[::1", "file:///etc",
]  # fmt: skip


@pytest.fixture
def no_sockets(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened or a name was looked up")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)


@pytest.mark.parametrize("url", REMOTE)
def test_another_machine_is_refused_before_anything_is_opened(url, no_sockets):
    with pytest.raises(ModelError, match="allow_remote"):
        ServerModel(url)


@pytest.mark.parametrize("url", NONSENSE)
def test_what_is_no_address_is_refused_before_anything_is_opened(url, no_sockets):
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1"):
        ServerModel(url, allow_remote=True)


def test_another_machine_is_asked_when_the_person_allows_it(monkeypatch):
    asked = []

    def refuse(client, method, url, **options):
        asked.append(url)
        raise httpx.ConnectError("no route")

    monkeypatch.setattr(httpx.Client, "stream", refuse)
    with pytest.raises(ModelError, match="No model server answers"):
        ServerModel("http://192.168.1.5:8080/v1", allow_remote=True)
    assert asked == ["http://192.168.1.5:8080/v1/models"]


def test_a_proxy_in_the_environment_is_ignored(server, monkeypatch):
    with Server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        assert run(ServerModel(server.url))[0] == "Hello there."
        assert proxy.asked == []


def test_every_error_of_the_http_library_becomes_words(server, monkeypatch):
    model = ServerModel(server.url)
    kinds = [httpx.HTTPError, httpx.StreamError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    for kind in kinds:
        error = kind.__new__(kind)
        Exception.__init__(error, "internal words")

        def fail(*args, error=error, **options):
            raise error

        monkeypatch.setattr(httpx.Client, "send", fail)
        with pytest.raises(ModelError) as caught:
            run(model)
        assert "internal words" not in str(caught.value)


def test_two_calls_at_once_each_get_their_own_reply(server):
    model = ServerModel(server.url)
    texts = []
    threads = [threading.Thread(target=lambda: texts.append(run(model)[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["Hello there."] * 8
