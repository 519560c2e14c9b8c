"""Replies of model servers are read in every form, wherever the network cuts them."""

import json
from collections.abc import Iterable

import pytest

from memapp.errors import ModelError
from memapp.inference.server_chunks import MOST_TOKENS, Chunk, read_chunks


def chunks(stream: bytes, size: int = 1) -> list[Chunk]:
    return list(read_chunks(stream[at : at + size] for at in range(0, len(stream), size)))


def text(parts: Iterable[Chunk]) -> str:
    return "".join(part.text for part in parts)


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def said(content: object) -> dict[str, object]:
    return {"choices": [{"delta": {"content": content}}]}


DONE = b"data: [DONE]\n\n"
HELLO = event(said("Héllo")) + event(said(" you")) + DONE


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize(
    "stream",
    [
        HELLO,
        HELLO.replace(b"\n", b"\r\n"),
        HELLO.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + HELLO,
        HELLO.replace(b"data: ", b"data:"),
        HELLO.replace(b"data: ", b"event: completion\nid: 7\nretry: 10\ndata: "),
        HELLO.replace(b'"choices": ', b'\ndata: "choices":\ndata: '),
        HELLO.replace(b"\n\n", b"\n"),
        HELLO.replace(b"data: ", b"").replace(b"[DONE]", b""),
        b": ping\n\n" + HELLO.replace(b"\n\n", b"\n\n: ping\n\n"),
        event(None) + b"data:\n\n" + HELLO.replace(b"\n\n", b"\n\ndata: null\n\n"),
        HELLO.replace(DONE, b"data: [DONE]"),
    ],
)
def test_an_event_stream_is_read_as_in_the_standard_and_beyond(stream: bytes, size: int) -> None:
    assert text(chunks(stream, size)) == "Héllo you"


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("behind", [b"", b"\n", b"\n\ndata: [DONE]\n\n", b"data: [DONE]\n"])
def test_one_json_body_is_a_whole_reply(indent: int | None, behind: bytes) -> None:
    body = {
        "id": "7",
        "choices": [{"message": {"role": "assistant", "content": "y"}, "finish_reason": "stop"}],
        "usage": None,
    }
    found = chunks(
        json.dumps(body, indent=indent).encode()
        + (behind if behind[:1] != b"d" else b"\n" + behind)
    )
    assert (text(found), found[0].finish_reason, found[-1].done) == ("y", "stop", True)


def test_each_event_is_there_as_soon_as_its_line_is() -> None:
    seen = []

    def stream() -> Iterable[bytes]:
        for word in ("a", "b"):
            yield json.dumps(said(word)).encode().join([b"data: ", b"\n"])
            seen.append(word)

    parts = read_chunks(stream())
    assert next(iter(parts)).text == "a" and seen == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"choices": None}, Chunk()),
        ({"choices": []}, Chunk()),
        ({"choices": [None]}, Chunk()),
        ({"choices": [{"delta": None, "finish_reason": None}]}, Chunk()),
        ({"choices": [{"delta": {"content": None, "role": "assistant"}, "finish_reason": ""}]},
         Chunk()),
        ({"choices": [{"delta": {"content": 7}, "finish_reason": 7}]}, Chunk()),
        ({"choices": [{"text": "y", "finish_reason": "stop"}]}, Chunk("y", finish_reason="stop")),
        ({"choices": [{"message": {"content": "y"}}]}, Chunk("y")),
        (said([{"type": "text", "text": "y"}, {"type": "text", "text": "z"}]), Chunk("yz")),
        (said([{"type": "thinking", "thinking": [{"type": "text", "text": "x"}]}, {"text": "y"},
         None, 7]), Chunk("y", "x")),
        ({"choices": [{"delta": {"reasoning_content": None, "reasoning": "x"}}]},
         Chunk(thought="x")),
        ({"choices": [{"delta": {"reasoning_content": "x", "reasoning": "x"}}]},
         Chunk(thought="x")),
        ({"error": None, "choices": [{"delta": {"content": "y"}}]}, Chunk("y")),
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 3.0}}, Chunk(counts=(9, 0, 3))),
        ({"timings": {"prompt_n": 12.5, "cache_n": 4, "predicted_n": 3.9}},
         Chunk(counts=(12, 4, 3))),
        ({"usage": "none", "timings": {"prompt_n": "many"}}, Chunk()),
        ({"usage": {"prompt_tokens": 2**63, "completion_tokens": -1}},
         Chunk(counts=(MOST_TOKENS, 0, 0))),
        ({"timings": {"prompt_n": 2**63, "predicted_n": -1}}, Chunk(counts=(MOST_TOKENS, 0, 0))),
        ({"usage": {"prompt_tokens": float("inf")}}, Chunk()),
        ({"timings": {"prompt_n": True}}, Chunk()),
    ],
)  # fmt: skip
def test_an_odd_field_is_left_out_and_the_others_count(value: object, expected: Chunk) -> None:
    assert chunks(event(value)) == [expected]


@pytest.mark.parametrize(
    "stream",
    [
        event({"error": {"message": "no room"}}),
        event({"error": "no room"}),
        event({"object": "error", "message": "no room"}),
        b'event: error\ndata: {"message": "no room"}\n\n',
        b"event: error\ndata: no room\n\n",
        b'error: {"message": "no room"}\n\n',
        b'{"error": {"message": "no room"}}',
        b'{\n"detail": "no room"\n}',
    ],
)
def test_an_error_is_told_in_each_form(stream: bytes) -> None:
    with pytest.raises(ModelError, match=r"The model server reports: .*no room"):
        chunks(event(said("y")) + stream)


@pytest.mark.parametrize(
    "stream",
    [b"data: ping\n\n", b"<html>\n", b"data: [1]\n\n", event({"choices": "none"}), b"[1, 2]"],
)
def test_what_cannot_be_read_is_an_error_and_not_left_out(stream: bytes) -> None:
    with pytest.raises(ModelError, match="no answer"):
        chunks(stream)


def test_a_list_in_lists_without_end_is_no_text() -> None:
    deep = b'data: {"choices": [{"delta": {"content": ' + b"[" * 900 + b"]" * 900 + b"}}]}\n\n"
    assert chunks(deep, 1000) == [Chunk()]
