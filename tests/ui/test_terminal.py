"""Keys and mouse are read as Textual reads them, and every paste comes whole, cleaned, and never as
keys.
"""

import asyncio
import os
import pty
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

from memapp.ui import terminal
from memapp.ui.app import MemappApp
from memapp.ui.terminal import Outlet, PasteParser, Terminal

START, END = "\x1b[200~", "\x1b[201~"
KEYS = (
    "a", "\r", "\x1b[A", "\x1bOP", "\x1b[<0;3;4M", "\x1b[<0;3;4m", "\x1b[I", "\x1b[O", "\x1b[3;5R",
    "\x11", "é", "\x1b[1;5C",
)  # fmt: skip


def seen(messages: Iterable[Message]) -> list[str]:
    """Return the received messages in comparable words."""
    return [
        f"{type(message).__name__} {getattr(message, 'key', '')}{getattr(message, 'text', '')}"
        for message in messages
    ]


def fed(parser: XTermParser, parts: Iterable[str]) -> list[str]:
    return [word for part in parts for word in seen(parser.feed(part))]


def parts(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("two\rlines", "two\nlines"),
        (
            "Look: \x1bI play the cello. \x1bI live in Paris.\x1b\r",
            "Look:  play the cello.  live in Paris.\n",
        ),
        ("\x1b", ""),
        ("bell \x07 and \x11 quit \x03", "bell  and  quit "),
        ("\x1b\x1b\x1b[A up", " up"),
        ("a\x1b[<0;3;4Mb", "ab"),
        (f"a {START}nested", "a nested"),
        ("ends in an escape \x1b", "ends in an escape "),
        ("\x1b[20", "[20"),
        ("\x1b[201", "[201"),
        ("\x1b[I\x1b[O\x1b[48;40;100;1;1t", ""),
        ("日本 \U0001f600", "日本 \U0001f600"),
        ("", ""),
    ],
)
def test_a_paste_is_one_event_whatever_is_in_it(inside: str, text: str, size: int) -> None:
    actual = fed(PasteParser(), parts(f"x{START}{inside}{END}\r", size))
    assert actual == ["Key x", f"Paste {text}", "Key enter"]


@given(st.text(st.sampled_from("\x1b[]O20~1;m<MIaé\r\x07\x11\x9b")), st.integers(1, 9))
def test_no_key_ever_comes_from_a_paste(inside: str, size: int) -> None:
    assume(END not in inside)
    came = fed(PasteParser(), parts(f"{START}{inside}|{END}", size))
    assert [text for text in came if not text.startswith("Paste")] == []
    assert not any(control in came[0] for control in "\x1b\x07\x11\x9b")


@given(st.lists(st.sampled_from(KEYS)), st.integers(1, 6))
def test_keys_mouse_and_reports_are_read_as_before(typed: list[str], size: int) -> None:
    text = "".join(typed)
    assert fed(PasteParser(), parts(text, size)) == fed(XTermParser(), parts(text, size))


@given(st.lists(st.sampled_from(KEYS)), st.sampled_from(KEYS), st.integers(1, 6))
def test_a_paste_changes_nothing_before_and_after_it(typed: list[str], key: str, size: int) -> None:
    text = "".join(typed)
    expected = [*fed(XTermParser(), [text]), "Paste words", *fed(XTermParser(), [key])]
    assert fed(PasteParser(), parts(f"{text}{START}words{END}{key}", size)) == expected


def test_an_escape_pressed_just_before_a_paste_counts() -> None:
    assert fed(PasteParser(), ["\x1b", f"{START}a{END}"]) == ["Key escape", "Paste a"]


@pytest.mark.parametrize("size", [1, 2, 9])
def test_alt_and_enter_are_one_key_where_they_come_as_two_characters(size: int) -> None:
    typed = {
        "\x1b\r": ["alt+enter"],
        "\x1b\ra": ["alt+enter", "a"],
        "a\x1b\rb": ["a", "alt+enter", "b"],
    }
    typed |= {"\r": ["enter"], "\x1b": ["escape"], "\x1ba": ["alt+a"]}
    typed |= {f"\x1b\r{START}x\x1b\ry{END}\r": ["alt+enter", "", "enter"]}
    for text, keys in typed.items():
        parser = PasteParser()
        came = [event for part in [*parts(text, size), ""] for event in parser.feed(part)]
        assert [getattr(event, "key", "") for event in came] == keys


def test_two_pastes_at_once_are_two() -> None:
    assert fed(PasteParser(), [f"{START}a{END}{START}b{END}"]) == ["Paste a", "Paste b"]


def test_an_end_that_was_pasted_does_not_end_the_paste() -> None:
    assert fed(PasteParser(), [f"{START}a{END}\rquit{END}b"]) == ["Paste a\nquit", "Key b"]


def test_an_end_without_a_begin_is_nothing() -> None:
    assert fed(PasteParser(), [f"{END}a"]) == ["Key a"]


@pytest.mark.parametrize("size", [4096, 65536])
def test_a_large_paste_arrives_whole(size: int) -> None:
    text = "0123456789abcde\n" * 65536
    assert fed(PasteParser(), parts(f"{START}{text}{END}", size)) == [f"Paste {text}"]


def test_a_paste_that_never_ends_is_taken_after_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: now))
    parser = PasteParser()
    assert fed(parser, [f"{START}half \x1b\r"]) == []
    now += terminal.SILENCE_SECONDS / 2
    assert seen(parser.tick()) == []
    assert fed(parser, ["more"]) == []
    now += terminal.SILENCE_SECONDS / 2
    assert seen(parser.tick()) == []
    now += terminal.SILENCE_SECONDS
    assert seen(parser.tick()) == ["Paste half \nmore"]
    assert fed(parser, ["\r"]) == ["Key enter"]


async def test_the_driver_reads_pastes_and_survives_bytes_that_are_no_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours, theirs = pty.openpty()
    os.set_blocking(ours, True)
    came: list[Message] = []
    with os.fdopen(theirs) as terminal_file:
        monkeypatch.setattr("sys.__stdin__", terminal_file)
        driver = Terminal(MemappApp(lambda: pytest.fail("not opened"), tmp_path))
        monkeypatch.setattr(driver, "process_message", came.append)
        os.system(f"stty raw -echo <{os.ttyname(theirs)}")
        os.write(ours, f"a{START}b\x1b\r".encode() + b"\xff\xc3" + f"c{END}".encode() + b"\xffd")
        reading = asyncio.create_task(asyncio.to_thread(driver.run_input_thread))
        for _ in range(500):
            if any(isinstance(event, events.Key) and event.key == "d" for event in came):
                break
            await asyncio.sleep(0.01)
        driver.exit_event.set()
        await reading
    os.close(ours)
    actual = [text for text in seen(came) if text != "Key replacement_character"]
    assert actual == ["Key a", "Paste b\n\ufffd\ufffdc", "Key d"]


def test_the_app_reads_its_terminal_with_it() -> None:
    assert MemappApp(lambda: pytest.fail("not opened"), Path()).driver_class is Terminal


def test_a_terminal_that_is_gone_takes_what_is_written_without_an_error() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream:
        os.close(ours)
        outlet = Outlet(stream)
        outlet.write("Nobody reads this.")
        with pytest.raises(OSError, match="Input/output"):
            stream.flush()
        outlet.flush()
        # as leaving does; what is left in the stream goes there
        os.dup2(os.open(os.devnull, os.O_WRONLY), theirs)
