from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memapp.domain.prompt import Piece, Sampling
from memapp.inference.native import NativeModel, model_parameters
from memapp.inference.reply import ReplyWriter

from . import tiny_gguf


def writer(native: Any, tokens: Iterator[int]) -> ReplyWriter:
    """Return a writer of a model that samples the given tokens."""
    parts: Any = SimpleNamespace(
        pick=lambda scores: next(tokens), logits=lambda: None, extend=lambda tokens: True
    )
    return ReplyWriter(native, parts, parts, parts, lambda: False)


@pytest.mark.parametrize(
    ("data", "pieces"), [("bé🙂".encode(), ["b", "é", "🙂"]), (b"bc\xf0\x9f", ["b", "c"])]
)
def test_a_character_is_shown_whole_and_never_half(data: bytes, pieces: list[str]) -> None:
    """Of a model whose tokens are single bytes; 256 ends its turn."""
    native = SimpleNamespace(
        ends_turn=lambda token: token == 256, text=lambda token: bytes([token])
    )
    byte_writer = writer(native, iter([*data, 256]))
    assert [piece.text for piece in byte_writer.write(Sampling(max_tokens=99), (), 99)] == pieces
    assert byte_writer.reason == "end"


@pytest.mark.parametrize(
    ("family", "written"),
    [
        (
            tiny_gguf.GPT_OSS,
            (
                "<|channel|>analysis<|message|>the "
                "hello<|end|><|start|>assistant<|channel|>final<|message|>hello the<|return|>"
            ),
        ),
        (tiny_gguf.MAGISTRAL, "[THINK]the hello[/THINK]hello the</s>"),
        (tiny_gguf.CHATML, "<think>the hello</think>\n\nhello the<|im_end|>"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_thoughts_are_told_from_a_reply_also_where_control_tokens_stand_around_them(
    tiny_file: Callable[[tiny_gguf.Family], Path], family: tiny_gguf.Family, written: str
) -> None:
    native = NativeModel(tiny_file(family), model_parameters())
    tokens = native.tokens(written, special=True)
    reply = writer(native, iter(tokens))
    pieces = list(reply.write(Sampling(max_tokens=99), (), 99))
    assert ("".join(piece.thought for piece in pieces), reply.reason) == ("the hello", "end")
    assert "".join(piece.text for piece in pieces) == "hello the"
    assert reply.decoded == len(tokens)
    native.close()


def test_a_model_that_only_thinks_is_silent(
    tiny_file: Callable[[tiny_gguf.Family], Path],
) -> None:
    native = NativeModel(tiny_file(tiny_gguf.GPT_OSS), model_parameters())
    tokens = native.tokens("<|channel|>analysis<|message|>the hello", special=True)
    reply = writer(native, iter(tokens))
    pieces = list(reply.write(Sampling(max_tokens=99), (), len(tokens)))
    assert pieces == [Piece("", thought="the"), Piece("", thought=" "), Piece("", thought="hello")]
    assert reply.reason == "length"
    native.close()


def test_what_follows_the_end_is_not_written(
    tiny_file: Callable[[tiny_gguf.Family], Path],
) -> None:
    native = NativeModel(tiny_file(tiny_gguf.GPT_OSS), model_parameters())
    written = "<|channel|>final<|message|>hello<|end|><|start|>user<|message|>the the"
    reply = writer(native, iter(native.tokens(written, special=True)))
    actual = "".join(piece.text for piece in reply.write(Sampling(max_tokens=99), ("<|end|>",), 99))
    assert actual == "hello"
    assert reply.reason == "stop"
    native.close()
