"""Commands in what a person writes."""

import pytest

from memapp.domain.commands import COMMANDS, Command, beginning, completed, parse, unescaped
from memapp.errors import UsageError


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("hello", None),
        ("//slash", None),
        ("/usr/bin/python", None),
        ("/help", Command("help")),
        ("/remember  tea ", Command("remember", "tea")),
    ],
)
def test_commands_are_told_from_messages(written: str, meant: Command | None) -> None:
    assert parse(written) == meant


@pytest.mark.parametrize("written", ["/", "/nothing", "/remember"])
def test_a_wrong_command_says_what_to_write(written: str) -> None:
    with pytest.raises(UsageError):
        parse(written.strip())


def test_two_slashes_send_one() -> None:
    assert unescaped("//x") == "/x"


@pytest.mark.parametrize(
    ("written", "offered"),
    [
        ("/", tuple(COMMANDS)), ("/re", ("remember", "remark")), ("/remember", ()),
        ("/remember ", ()), ("/nothing", ()), ("/home/anna", ()), ("//", ()), ("see /re", ()),
        ("", ()),
    ],
)  # fmt: skip
def test_the_commands_that_begin_like_a_text(written: str, offered: tuple[str, ...]) -> None:
    assert beginning(written) == offered


def test_a_completed_command_leaves_room_for_the_words_it_takes() -> None:
    actual = [completed(word) for word in ("remember", "persona", "new")]
    assert actual == ["/remember ", "/persona ", "/new"]
