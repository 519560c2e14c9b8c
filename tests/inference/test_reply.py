from types import SimpleNamespace
from typing import Any

import pytest

from memapp.domain.prompt import Sampling
from memapp.inference.reply import ReplyWriter


@pytest.mark.parametrize(("data", "pieces"), [("aé🙂".encode(), ["a", "é", "🙂"]), (b"ab\xf0\x9f", ["a", "b"])])
def test_a_character_is_shown_when_it_is_whole_and_half_a_one_never(data: bytes, pieces: list[str]) -> None:
    """Of a model whose tokens are single bytes; 256 ends its turn."""
    tokens = iter([*data, 256])
    native = SimpleNamespace(ends_turn=lambda token: token == 256, text=lambda token: bytes([token]))
    parts: Any = SimpleNamespace(pick=lambda scores, neutral: next(tokens), logits=lambda: None, extend=lambda tokens: True)
    parts.neutral_scores, parts.end_contrast = lambda: None, lambda: 0
    writer = ReplyWriter(native, parts, parts, parts, lambda: False)  # type: ignore[arg-type]
    assert [piece.text for piece in writer.write(Sampling(max_tokens=99), (), 99, [])] == pieces
    assert writer.reason == "end"
