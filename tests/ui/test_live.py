"""A streaming text looks as if it had been wrapped at once, however it came in."""

import random

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from memapp.ui.widgets.live import LiveText

TEXTS = (
    "Plain words that go on for more than one line, and then for some more.",
    "a\n\nb\n   indented\n\ttabbed\tagain\n",
    "word " * 40,
    "averyveryverylongwordthatfitsonnolineatallandgoesonandon " * 3,
    "日本語の文章は二セルずつ取り、行の終わりで折り返されます。" * 3,
    "exactly twenty cells  and spaces   after   them    " * 4,
)


class Shown(App[None]):
    CSS = "LiveText { width: 1fr; height: auto; }"

    def __init__(self) -> None:
        super().__init__()
        self.live = LiveText()

    def compose(self) -> ComposeResult:
        yield self.live


@pytest.mark.parametrize("text", TEXTS)
async def test_its_lines_do_not_depend_on_how_the_text_came_in(text: str) -> None:
    chance = random.Random(1)
    app = Shown()
    async with app.run_test(size=(20, 40)) as pilot:
        await pilot.pause()
        at = 0
        while at < len(text):
            step = chance.randint(1, 7)
            app.live.add(text[at : at + step])
            at += step
            await pilot.pause()
        shown = [app.live.render_line(y).text.rstrip() for y in range(app.live.size.height)]
        wanted = [line.plain.rstrip() for line in Content(text).wrap(20)]
        assert shown[: len(wanted)] == wanted
        assert not any(shown[len(wanted) :])
        app.live.clear()
        app.live.add("new")
        await pilot.pause()
        assert app.live.render_line(0).text.rstrip() == "new"


async def test_it_is_wrapped_anew_for_another_width() -> None:
    app = Shown()
    async with app.run_test(size=(20, 40)) as pilot:
        app.live.add("some words that need a few lines at first")
        await pilot.pause()
        await pilot.resize_terminal(60, 40)
        await pilot.pause()
        assert app.live.render_line(0).text.rstrip() == "some words that need a few lines at first"


async def test_its_text_can_be_selected() -> None:
    app = Shown()
    async with app.run_test(size=(20, 10)) as pilot:
        app.live.add("first line of it\nsecond")
        await pilot.pause()
        app.screen.text_select_all()
        assert app.screen.get_selected_text() == "first line of it\nsecond"
        assert app.live.render_line(0).text.rstrip() == "first line of it"
