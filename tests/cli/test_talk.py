"""What is said when no reply comes."""

import pytest

from memapp import bootstrap
from memapp.errors import ModelError
from memapp.inference import ChatModel
from tests.cli.conftest import Terminal


@pytest.mark.parametrize(("server", "advice"), [("http://127.0.0.1:1/v1", "config set server"), ("", "`memapp models use NAME`")])
def test_a_failure_ends_with_what_helps_against_it(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch, server: str, advice: str
) -> None:
    def gone(*_: object) -> ChatModel:
        raise ModelError("Nothing answers.")

    monkeypatch.setattr(bootstrap, "open_chat_model", gone)
    memapp("config", "set", "server", server)
    code, _, err = memapp("ask", "Hello?")
    last = err.splitlines()[-1]
    assert (code, "Nothing answers." in last, advice in last) == (1, True, True)
    assert ("memapp models" in last) == (not server)


def test_an_address_that_cannot_be_used_is_shown_as_it_was_written_but_for_a_password(memapp: Terminal) -> None:
    assert "ftp://x." in memapp("config", "set", "server", "ftp://x")[2]
    err = memapp("config", "set", "server", "http://me:secret@here/v1")[2]
    assert "cannot be used: here." in err and "secret" not in err
