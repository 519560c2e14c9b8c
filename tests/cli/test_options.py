"""Odd arguments and streams of commands: invalid bytes, huge numbers, closed streams."""

import io
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from memapp.cli import main
from memapp.cli.output import has_terminal, show_rows
from tests.cli.conftest import Terminal


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
@pytest.mark.parametrize("piped", [b"bin\x00\xff\xfe", b"bees\xff", b"bees\x00"])
def test_what_is_no_text_is_refused_whole(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch, piped: bytes, errors: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped), "utf-8", errors))
    code, _, err = memapp("add", "-")
    assert (code, "The piped input is not text." in err) == (2, True)
    assert json.loads(memapp("list", "--json")[1]) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "caf\udce9 au lait"),
        ("profile", "set", "name", "Zo\udceb"),
        ("ask", "caf\udce9"),
        ("rm", "\udcff"),
        ("list", "tag:\udcff"),
        ("caf\udce9 there",),
    ],
)
def test_what_is_no_text_is_refused_in_words(memapp: Terminal, arguments: tuple[str, ...]) -> None:
    code, out, err = memapp(*arguments)
    assert (code, out, "memapp speaks UTF-8" in err, err.count("\n")) == (2, "", True, 1)
    assert not memapp.home.exists()


def test_a_line_that_is_no_text_ends_the_chat_by_lines(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9\n"), "utf-8", "surrogateescape")
    )
    code, out, err = memapp("--plain")
    assert (code, out, "memapp speaks UTF-8" in err) == (2, "", True)


def numbers(command: click.Command) -> list[click.Parameter]:
    """Return the options and arguments of a command and its subcommands that take a number."""
    found = [
        param
        for param in command.params
        if isinstance(param.type, click.types.IntParamType | click.types.FloatParamType)
    ]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below
            found += numbers(below)
    return found


def test_every_number_of_the_command_line_is_bounded() -> None:
    found = numbers(main)
    assert len(found) > 15
    for parameter in found:
        for given in ("9223372036854775807", "1e400", "nan"):
            with pytest.raises(click.BadParameter):
                parameter.type.convert(given, parameter, None)


COMMANDS = ("list", "search tea", "export", "stats --json", "--help", "", "add -")


def outside(home: Path, command: str, redirected: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, with its streams redirected by a shell."""
    program = (
        f'exec "{sys.executable}" -m memapp --home "{home}" --server http://127.0.0.1:1/v1 '
        f"{command} {redirected}"
    )
    return subprocess.run(
        ["bash", "-c", program], capture_output=True, text=True, input="", check=False
    )


@pytest.mark.parametrize("redirected", ["<&-", ">&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"])
@pytest.mark.slow
def test_streams_that_are_closed_or_full_end_in_no_trace(memapp: Terminal, redirected: str) -> None:
    memapp("add", "I like black tea.")
    for command in COMMANDS:
        done = outside(memapp.home, command, redirected)
        assert "Traceback" not in done.stderr
        assert "a bug" not in done.stderr
        assert "Exception" not in done.stderr, (command, done)
        assert done.returncode == 0 or command in ("", "add -") or redirected == ">/dev/full", (
            command,
            done,
        )


def test_an_export_that_nobody_reads_to_its_end_says_nothing(memapp: Terminal) -> None:
    memapp("add", "I like black tea.")
    assert outside(memapp.home, "export", "| true").stderr == ""


@pytest.mark.parametrize(("term", "draws"), [("xterm", True), ("dumb", False), ("", False)])
def test_a_terminal_that_cannot_be_drawn_on_gets_line_after_line(
    monkeypatch: pytest.MonkeyPatch, term: str, draws: bool
) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{name}.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", term)
    assert has_terminal() is draws


def test_rows_that_fit_no_terminal_are_written_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    row = {
        str(number): f"{name} and more of the same words again"
        for number, name in enumerate(("one", "two", "three"))
    }
    show_rows([row, row])
    out = capsys.readouterr().out
    assert (
        out.replace("\n    ", " ").replace("  ", " ").splitlines() == [" ".join(row.values())] * 2
    )
    assert max(map(len, out.splitlines())) <= 40
