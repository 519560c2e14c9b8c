"""Texts like markup, terminal escapes and layout breakers, through every widget with data."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.widgets import TextArea

from memapp.crash import three_lines, write_crash_file
from memapp.domain.persona import Persona
from memapp.domain.provenance import NotKept, Outcome
from memapp.domain.text import clean
from memapp.errors import MemappError
from memapp.services import chats, curate
from memapp.ui.messages import MemoryWanted
from memapp.ui.safe_text import joined, marked, notify, plain, row
from memapp.ui.widgets.bubbles import Note
from memapp.ui.widgets.outcome import OutcomeNote
from tests.ui.conftest import Seen, World

MARKUP = (
    r"""
[/INST]  [INST]  [/]  [  ]  [[  []  [/  [b]  [/b]  [red]x  [@click=app.quit]x[/]
[$primary @click=app.bell]press[/]  [X=1 @click=app.bell]y[/]  list[int]  a[0][1]  \[b]  \\[/]
[link=file:///etc/passwd]l[/link]  [bold  [not a tag]  [#ff0000 on blue]z[/]
[on $error]  {0} {name} %s  $text ${x}  <|im_start|>system
<think>  </think>  <b>x</b><script>
""".replace("\n", "  ")
    .strip()
    .split("  ")
)
ESCAPES = [
    *(
        "\x1b]0;title\x07",
        "\x1b]52;c;aGk=\x07",
        "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
        "\x1b[2J\x1b[H",
    ),
    *(
        "\x9b31mred", "\x9d0;t\x9c", "\u202etxet", "\u2066x\u2069", "a\x00b", "\x07\x08\x0b\x0c",
        "\ud800", "\r\rx", "\x7f",
    ),
    *("\U0001f469\u200d\U0001f467" * 30, "e" + "\u0301" * 80, "\t" * 40, "\n" * 80),
]  # fmt: skip
MARKDOWN = [
    *(
        "![x](file:///etc/passwd)", "[x](javascript:alert(1))", "<img src=x onerror=y>",
        "```\n\x1b[31m", "``` [/]", "**[/]**",
    ),
    *(
        "| a | b |\n|---|---|\n| [/] | ", "# [/INST]", "- [ ] [/b]", "> " * 40, "* " * 40,
        "[a]: http://b\n[a]",
    ),
    *("http://[/INST]", "<details>", "&#27;[31m", "&#x202e;x", "`\x1b[2J`"),
]  # fmt: skip
HOSTILE = [*MARKUP, *ESCAPES, *MARKDOWN, "x" * 100_000, "word " * 20_000]


def check_no_escapes(seen: Seen) -> None:
    """Nothing on the screen may act on a terminal."""
    for line in seen.lines():
        bad = [
            letter
            for letter in line
            if ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 or 0x202A <= ord(letter) <= 0x202E
        ]
        assert not bad, (bad, line)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:20]))
def test_no_text_reaches_a_widget_as_markup_or_control(text: str) -> None:
    for content in (
        plain(text),
        row(text),
        joined((text, "bold"), text),
        marked(text, ["x", "[", "("], "bold"),
    ):
        assert "\x1b" not in content.plain and "\x00" not in content.plain
        assert not any("click" in str(span.style) for span in content.spans)


@pytest.mark.slow
async def test_hostile_messages_stream_and_stay(world: World) -> None:
    async with world.opened(size=(80, 24)) as seen:
        for text in [*MARKUP[:3], *MARKDOWN, *ESCAPES]:
            world.model.script = lambda _, sampling, text=text: None if sampling.grammar else text
            await seen.send(f"{text} and more")
            check_no_escapes(seen)
        assert len(seen.chat.transcript.bubbles) == 2 * len([*MARKUP[:3], *MARKDOWN, *ESCAPES])
        await seen.press("ctrl+t")
        check_no_escapes(seen)


@pytest.mark.slow
async def test_hostile_facts_titles_and_personas_are_shown_as_they_are(world: World) -> None:
    async with world.opened() as seen:
        runtime = seen.runtime
        for number, text in enumerate([*MARKUP, *ESCAPES[:8]]):
            await seen.chat.transcript.actions.add(f"{text} tea {number}"[:280])
            thread = chats.new_thread(runtime)
            chats.rename_thread(runtime, thread.id, f"{text} title")
            seen.app.session.undone.push(f"{text} undone", lambda _: None)
        seen.chat.threads.list()
        await seen.settle()
        check_no_escapes(seen)
        assert "[/INST] title" in seen.text() or "[/] title" in seen.text()
        await seen.pilot.press("ctrl+f")
        await seen.type("tea")
        await seen.until("Memories")
        check_no_escapes(seen)
        await seen.pilot.press("escape", "ctrl+p")
        await seen.type("undo")
        await seen.settle()
        check_no_escapes(seen)
        await seen.pilot.press("escape")
        for memory in curate.list_memories(runtime)[:6]:
            seen.app.post_message(MemoryWanted(memory.id, "[/INST] why"))
            await seen.until("[/INST] why")
            await seen.pilot.pause()
            check_no_escapes(seen)
            await seen.press("e", until=lambda: seen.app.screen.query(TextArea))
            assert "\x1b" not in seen.app.screen.query_one(TextArea).text
            await seen.press("escape", "escape", until=lambda: len(seen.app.screen_stack) == 1)


async def test_a_hostile_persona_name_is_shown_as_it_is(world: World) -> None:
    name = "[@click=app.quit]x[/INST]\x1b]0;t\x07evil"
    async with world.opened() as seen:
        persona = Persona(id="evil", name=name, description=name, prompt="Be kind.")
        seen.runtime.personas = {**seen.runtime.personas, "evil": persona}
        seen.chat.composer.insert("/persona evil")
        await seen.press("enter")
        await seen.send("hello")
        check_no_escapes(seen)
        assert clean(name) in seen.text()
        await seen.pilot.press("ctrl+p")
        await seen.type("new chat")
        await seen.settle()
        check_no_escapes(seen)


async def test_hostile_toasts_and_errors(seen: Seen) -> None:
    for text in [*MARKUP, *ESCAPES]:
        notify(seen.chat, text, title=text)
        seen.chat.conversation.status.say(text, problem=True)
        seen.chat.transcript.add_note(Note(text, step="1"))
        note = OutcomeNote(
            "1", Outcome(not_kept=(NotKept(text, "passing"), NotKept(text, "secret")))
        )
        note.is_open = True
        await seen.chat.transcript.mount(note)
    await seen.pilot.pause()
    check_no_escapes(seen)


async def test_hostile_model_names_and_settings(world: World, tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    for name in ("[INST].gguf", "[b]x.gguf", "[@click=app.quit]x.gguf", "\x1b]0;t\x07.gguf"):
        (models / name).write_bytes(b"no model")
    async with world.opened() as seen:
        seen.runtime.chat.fail("[/INST] \x1b]0;t\x07 broken")
        for key in ("f8", "f9"):
            await seen.press(key)
            check_no_escapes(seen)


async def test_an_error_at_the_start_is_told_in_words(world: World) -> None:
    world.start_error = MemappError("The file [/INST] \x1b]0;t\x07 is odd.", "Do [this].")
    async with world.app() as seen:
        await seen.until("is odd")
        check_no_escapes(seen)
        assert "q quits" in seen.text()
        await seen.press("q", until=lambda: not seen.app.is_running)


async def test_a_huge_message_is_sent_unless_it_is_too_long(seen: Seen, world: World) -> None:
    world.model.enqueue("Long.")
    seen.chat.composer.paste("y" * 100_000)
    await seen.pilot.press("enter")
    await seen.answered()
    assert "98,000 more characters" in seen.words()
    await seen.press("escape", "up", "up", "enter", until=lambda: len(seen.app.screen_stack) > 1)
    await seen.pilot.press("escape")
    seen.chat.composer.paste("z" * 200_001)
    await seen.pilot.press("enter")
    await seen.answered()
    assert "too long" in seen.words()
    assert len(seen.chat.composer.text) == 200_001


def test_a_crash_leaves_the_place_and_no_words(tmp_path: Path) -> None:
    secret = "my secret message"
    try:
        raise ValueError(secret)
    except ValueError as error:
        path = write_crash_file(error, tmp_path / "log", datetime(2026, 3, 1, tzinfo=UTC))
        assert path is not None
        text = path.read_text("utf-8")
        told = three_lines(error, path)
    assert "test_hostile.py" in text and secret not in text
    assert secret not in told and len(told.splitlines()) == 3
    assert path.stat().st_mode & 0o777 == 0o600
