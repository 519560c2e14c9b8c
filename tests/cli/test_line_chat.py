"""The chat line by line, at a terminal and in a pipe."""

import io
import os
import signal
from collections.abc import Callable

import pytest

from memapp import bootstrap
from memapp.inference.scripted import ScriptedModel
from tests.cli.conftest import Terminal


class Lines(io.StringIO):
    """Standard input of a person at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> "Callable[[str], None]":
    """Return what takes the place of standard input."""

    def sit_down(text: str) -> None:
        monkeypatch.setattr("sys.stdin", Lines(text))

    return sit_down


def test_a_terminal_is_told_who_speaks(memapp: Terminal, typed: Callable[[str], None]) -> None:
    typed("hello there\n/persona tom\nand you?\n/quit\n")
    code, out, err = memapp("--plain")
    assert code == 0
    assert err.count("You: ") == 4
    assert "\nYou: memapp: " in err and "You: Tom: " in err
    assert "memapp:" not in out and "You:" not in out


def test_in_a_pipe_only_the_outcome_is_said_and_the_end_is_heeded(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.StringIO("/remember I keep bees.\n/new\n/help\n/quit\nnot sent\n")
    )
    code, out, err = memapp("--plain")
    assert (code, out) == (0, "") and "Remembered: I keep bees." in err and "You:" not in err
    assert memapp("chats")[1] == ""


def test_commands_of_the_app_are_understood_and_an_error_ends_nothing(
    memapp: Terminal, typed: Callable[[str], None]
) -> None:
    typed(
        "/remember User keeps bees.\n/remembr x\n/persona\n/evidence a torn ticket\n/multi\none\n"
        "two\n/end\n/new\n"
    )
    code, _, err = memapp("--plain")
    assert code == 0
    assert "Remembered: User keeps bees." in err
    assert "Did you mean /remember?" in err and "There are: " in err
    assert memapp("list")[1].count("bees") == 1
    assert [line.split("\t")[-1] for line in memapp("chats")[1].splitlines()] == ["one two"]


def test_what_memapp_itself_answers_is_shown_where_a_reply_would_stream(
    memapp: Terminal, typed: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("My name is Ana.\nyes\n/quit\n")
    memapp("list")  # so that what is written is read below
    screen = Lines()
    monkeypatch.setattr("sys.stdout", screen)
    assert "memapp asks: " in memapp("--plain")[2]
    assert screen.getvalue().endswith("Noted. It stands in your profile now.\n")


def test_ctrl_c_stops_a_reply_and_not_the_program(
    memapp: Terminal, typed: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    model.script = lambda _, sampling: None if sampling.grammar else "word " * 2000
    model.delay_seconds = 0.001
    pressed = []

    def press(_: float) -> None:
        if not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    model._sleep = press  # type: ignore[method-assign]
    monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_: model)
    typed("tell me all\n/remember User keeps bees.\n")
    code, _, err = memapp("--plain")
    assert code == 0
    assert "[stopped]" in err
    chat_id = memapp("chats")[1].split("\t")[0]
    shown = [
        line for line in memapp("chats", "show", chat_id)[1].splitlines() if line.startswith("**")
    ]
    assert [line.endswith(" UTC · stopped") for line in shown] == [False, True]
    assert "Remembered: User keeps bees." in err


def test_the_memory_is_asked_both_ways(memapp: Terminal, typed: Callable[[str], None]) -> None:
    typed(
        "remember that I keep bees\n/know\n/forget bees\n/undo\n"
        "Remember that I hate olives. Any ideas for dinner?\n/quit\n"
    )
    code, out, err = memapp("--plain")
    assert code == 0
    assert "I remember that: I keep bees\n" in out
    assert "\nI keep bees\n" in out
    assert "Forgotten: I keep bees\n" in out
    assert "Undone: " in err
    assert "To undo: memapp undo." in err
    assert "I remember that: I hate olives" in err
    actual = {line.split("\t")[-1] for line in memapp("list")[1].splitlines()}
    assert actual == {"I keep bees", "I hate olives"}


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("/run ls", "memapp run -- COMMAND"),
        ("/sql notes.db SELECT 1", "memapp sql FILE QUERY"),
        ("/import chats.zip", "memapp import PATH"),
        ("/council", "memapp council"),
    ],
)
def test_a_command_that_needs_the_app_names_the_one_to_use_instead(
    memapp: Terminal, typed: Callable[[str], None], written: str, instead: str
) -> None:
    typed(f"{written}\n/help\n/quit\n")
    code, _, err = memapp("--plain")
    refused, _, helped = err.partition("/remember TEXT")
    assert code == 0
    assert instead in refused
    assert written.split()[0] not in helped and instead in helped


def test_a_pipe_ends_at_a_command_that_needs_the_app(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("/import chats.zip\nhello\n"))
    assert memapp("--plain")[0] == 2
    assert memapp("chats")[1] == ""
