"""Piped bytes that are no text are refused whole."""

import io
import json

import pytest

from tests.cli.conftest import Terminal


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
@pytest.mark.parametrize("piped", [b"bin\x00\xff\xfe", b"bees\xff", b"bees\x00"])
def test_what_is_no_text_is_refused_whole(memapp: Terminal, monkeypatch: pytest.MonkeyPatch, piped: bytes, errors: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped), "utf-8", errors))
    code, _, err = memapp("add", "-")
    assert (code, "What was piped in is no text." in err) == (2, True)
    assert json.loads(memapp("list", "--json")[1]) == []
