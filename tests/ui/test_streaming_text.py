"""A streaming text is wrapped as if complete, and loses no word in a narrow window."""

import random

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from memapp.paths import bundled
from memapp.ui.widgets.markdown import ReplyMarkdown
from memapp.ui.widgets.streaming_text import LiveText
from tests.builders import word_list

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


WORDS = word_list(
    "vanilla oregano saffron paprika cumin nutmeg turmeric cinnamon cardamom fennel anise"
)


class Replied(App[None]):
    CSS_PATH = bundled("assets", "chat.tcss")

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.rows = WORDS[:columns], ["---"] * columns, WORDS[-columns:]

    def compose(self) -> ComposeResult:
        yield ReplyMarkdown("\n".join(f"| {' | '.join(row)} |" for row in self.rows))


@pytest.mark.parametrize("columns", [2, 5, 11])
@pytest.mark.parametrize("width", [24, 40, 70, 130])
async def test_no_word_of_a_table_is_lost_in_a_narrow_window(columns: int, width: int) -> None:
    app = Replied(columns)
    async with app.run_test(size=(width, 40)) as pilot:
        await pilot.pause()
        seen = "".join(
            segment.text for strip in app.screen._compositor.render_strips() for segment in strip
        ).split()
        assert sorted(word for word in seen if word in WORDS) == sorted(
            [*app.rows[0], *app.rows[2]]
        )
