"""Writing: lines, history, what was pasted, drafts, and commands."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from textual import events

from memapp.domain import commands
from memapp.domain.chat import MAX_MESSAGE_CHARS, Role
from memapp.domain.commands import COMMANDS
from memapp.services import chats, curate
from memapp.services.memory_requests import requests
from tests.ui.conftest import Seen, World
from tests.ui.test_window import burst


async def paste(seen: Seen, text: str) -> None:
    seen.chat.composer.post_message(events.Paste(text))
    await seen.pilot.pause()


async def test_several_lines_are_one_message(seen: Seen) -> None:
    await seen.type("one")
    await seen.pilot.press("ctrl+j")
    await seen.type("two")
    await seen.pilot.press("alt+enter")
    await seen.type("three")
    assert seen.chat.composer.text == "one\ntwo\nthree"
    await seen.pilot.press("enter")
    await seen.answered()
    assert seen.chat.transcript.bubbles[0].message.text == "one\ntwo\nthree"


async def test_a_bug_in_what_reads_a_message_is_harmless(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as planted:
        planted.setattr(commands, "parse", lambda _: [].pop())
        await seen.send(
            "hello there", until="A bug in memapp (IndexError) kept this from being sent."
        )
        assert seen.chat.composer.text == "hello there"
    with monkeypatch.context() as planted:
        planted.setattr(requests, "parse", lambda *_: [].pop())
        await seen.pilot.press("enter")
        await seen.answered()
    await seen.send("and again")
    said = [bubble.message.text for bubble in seen.chat.transcript.bubbles]
    assert (said[0], said[2], all(said)) == ("hello there", "and again", True)


async def test_up_brings_back_what_was_written_before_but_not_as_typed(seen: Seen) -> None:
    composer = seen.chat.composer
    await seen.send("first")
    await seen.send("second")
    await seen.type("half")
    await seen.pilot.press("up")
    assert (composer.text, composer.pasted) == ("second", ((0, 6),))
    await seen.pilot.press("up")
    assert composer.text == "first"
    await seen.pilot.press("down", "down")
    assert composer.text == "half"


async def test_pasted_words_are_told_from_typed_ones(seen: Seen) -> None:
    await seen.type("look ")
    await paste(seen, "My name is Eve. ")
    await seen.type("ok")
    composer = seen.chat.composer
    assert composer.pasted == ((5, 21),)
    await seen.pilot.press("enter")
    await seen.answered()
    sent = seen.chat.transcript.bubbles[0].message
    assert sent.pasted == ((5, 21),)
    assert sent.typed_text == "look  ok"
    assert curate.count(seen.runtime) == 0


async def test_what_is_pasted_is_cleaned_and_after_undo_all_counts_as_pasted(seen: Seen) -> None:
    composer = seen.chat.composer
    await paste(seen, "a\x1b]0;t\x07b\x00c\r\nd")
    assert (composer.text, composer.pasted) == ("abc\nd", ((0, 5),))
    await seen.type(" typed")
    await seen.pilot.press("ctrl+z")
    assert composer.pasted in (((0, len(composer.text)),), ())


@pytest.mark.slow
@pytest.mark.parametrize("words", ["a draft", "an earlier prompt", "a refused message"])
async def test_undo_in_the_composer_takes_back_nothing_else(seen: Seen, words: str) -> None:
    composer = seen.chat.composer
    await seen.send("hello")
    await seen.type("/remember User sails.")
    await seen.pilot.press("enter")
    await seen.settle(lambda: curate.count(seen.runtime) == 1)
    match words:
        case "a draft":
            thread = seen.chat.state.thread
            await seen.type("short")
            await seen.press("ctrl+n")
            seen.chat.open_thread(thread)
            await seen.until(lambda: composer.text == "short")
            await seen.press("ctrl+z", until="Nothing to undo in these words")
            assert composer.text == "short"
        case "an earlier prompt":
            await seen.type("half")
            await seen.pilot.press("up", "ctrl+z")
            assert composer.text == "half"
        case "a refused message":
            await paste(seen, "x" * (MAX_MESSAGE_CHARS + 100))
            await seen.press("enter", until="too long")
            await seen.pilot.press("ctrl+z")
            assert composer.text == ""
    await seen.settle()
    assert curate.count(seen.runtime) == 1


async def test_a_draft_survives_without_a_proper_end(world: World) -> None:
    async with world.opened() as seen:
        await seen.send("hello")
        thread = seen.chat.state.thread
        assert thread is not None
        await seen.type("my name")
        await paste(seen, " is Eve")
        await seen.until(lambda: chats.get_draft(seen.runtime, thread.id) == "my name is Eve")
        seen.chat.composer.clear_text()  # what a kill would lose: nothing more is saved
        seen.chat.state.held_in = seen.chat.state.thread_id
    async with world.opened() as again:
        assert again.chat.composer.text == "my name is Eve"
        assert again.chat.composer.pasted == ((7, 14),)


async def test_a_chat_that_is_opened_as_a_message_is_sent_is_another_one(seen: Seen) -> None:
    await seen.type("alpha", until=lambda: chats.get_draft(seen.runtime, "") == "alpha")
    burst(seen, "enter", "ctrl+n", *"beta")
    await seen.until(lambda: seen.chat.composer.text == "beta" and not seen.chat.state.busy)
    await seen.settle(lambda: chats.get_draft(seen.runtime, "") == "beta")
    assert seen.chat.state.thread is None and not seen.chat.transcript.bubbles
    (thread,) = chats.list_threads(seen.runtime)
    said = chats.page(seen.runtime, thread.id).messages
    assert [message.text for message in said if message.role is Role.USER] == ["alpha"]


async def test_each_chat_has_its_own_draft(seen: Seen) -> None:
    await seen.type("short lived")
    await seen.until(lambda: chats.get_draft(seen.runtime, "") == "short lived")
    await seen.pilot.press("enter")
    await seen.answered()
    first = seen.chat.state.thread
    assert first is not None
    assert [chats.get_draft(seen.runtime, id) for id in ("", first.id)] == ["", ""], "it was sent"
    await seen.type("for the first")
    burst(seen, "ctrl+n", *"new")
    await seen.settle(lambda: seen.chat.composer.text == "new")
    assert seen.chat.state.thread is None
    assert chats.get_draft(seen.runtime, first.id) == "for the first"
    await seen.type(" one")
    seen.chat.open_thread(first)
    await seen.settle()
    assert seen.chat.composer.text == "for the first"
    await seen.press("ctrl+n")
    assert seen.chat.composer.text == "new one"


async def test_commands_of_the_composer(seen: Seen) -> None:
    composer = seen.chat.composer
    composer.insert("/remember Anna likes oolong.")
    await seen.press("enter", until=lambda: curate.count(seen.runtime) == 1)
    composer.insert("/remembr x")
    await seen.press("enter", until="There is no command /remembr. Did you mean /remember?")
    assert composer.text == "/remembr x"
    composer.clear_text()
    composer.insert("/help")
    await seen.press("enter", until="/persona NAME")
    await seen.pilot.press("escape")
    composer.insert("/persona")
    await seen.press(
        "enter", until=f"Write /persona and a name: {', '.join(seen.runtime.personas)}."
    )
    composer.insert(" Tom")
    await seen.press("enter", until=lambda: seen.chat.state.persona_name == "Tom")
    composer.insert("/evidence a torn ticket")
    await seen.press("enter", until="Evidence added: a torn ticket")
    assert seen.chat.state.thread is not None and seen.chat.state.thread.persona == "tom"
    composer.insert("/new")
    await seen.press("enter", until=lambda: seen.chat.state.thread is None and not composer.text)
    composer.insert("/quit")
    await seen.press("enter", until=lambda: not seen.app.is_running)


def editor(folder: Path, script: str) -> str:
    """Make an editor that runs a script on the file, and return its command."""
    path = folder / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o700)
    return str(path)


async def test_a_message_is_written_in_another_editor(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    script = (
        f'stat -c "%a %n" "$1" > {kept}; cat "$1" >> {kept}; echo "two lines" > "$1"; '
        'echo "of text" >> "$1"'
    )
    monkeypatch.setenv("VISUAL", editor(tmp_path, script))
    monkeypatch.setattr(seen.app, "suspend", nullcontext)
    await seen.type("a begin")
    await seen.press("ctrl+g")
    assert seen.chat.composer.text == "two lines\nof text"
    assert seen.chat.composer.pasted == ((0, 17),)
    seen.chat.composer.paused()
    await seen.until("Words from an editor count as pasted")
    about, text = kept.read_text("utf-8").splitlines()
    rights, _, path = about.partition(" ")
    assert (rights, text) == ("600", "a begin")
    assert not Path(path).exists()


async def test_an_editor_that_fails_leaves_the_message(
    seen: Seen, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await seen.type("a begin")
    await seen.press("ctrl+g", until="Another editor cannot be opened from here.")
    monkeypatch.setattr(seen.app, "suspend", nullcontext)
    for command, words in (
        (editor(tmp_path, "exit 3"), "ended with an error"),
        ("/no/such/editor", "cannot be started"),
    ):
        monkeypatch.setenv("VISUAL", command)
        await seen.press("ctrl+g", until=lambda words=words: words in seen.text())
        seen.chat.composer.paused()  # of what was typed before
        await seen.pilot.pause()
        assert words in seen.text()
        assert seen.chat.composer.text == "a begin"


async def test_right_after_escape_letters_are_words_until_a_message_is_chosen(seen: Seen) -> None:
    await seen.send("Hello there.")
    said = [bubble.message.id for bubble in seen.chat.transcript.bubbles]
    await seen.pilot.press("escape")
    assert "Choose" in seen.lines()[-1] and "Remember" not in seen.lines()[-1]
    await seen.pilot.press(*"really", "question_mark")
    assert seen.chat.composer.text == "really?" and seen.chat.composer.has_focus
    assert [bubble.message.id for bubble in seen.chat.transcript.bubbles] == said
    await seen.pilot.press("escape", "up")
    assert "Remember" in seen.lines()[-1] and "Choose" not in seen.lines()[-1]
    await seen.pilot.press("y")
    assert seen.chat.composer.text == "really?"
    assert any("clipboard" in toast for toast in seen.toasts())
    seen.chat.composer.clear_text()
    await seen.press("t", "v", until=lambda: seen.chat.composer.text == "tv")
    await seen.pilot.press("ctrl+n", "escape")
    await seen.until(lambda: seen.chat.state.thread is None and seen.chat.transcript.has_focus)
    await seen.until(lambda: "Copy" not in seen.lines()[-1] and "Remember" not in seen.lines()[-1])
    await seen.press("e", "m", until=lambda: seen.chat.composer.text == "em")


@pytest.mark.parametrize("way", ["tab", "click"])
async def test_who_goes_to_the_messages_finds_their_keys_there(seen: Seen, way: str) -> None:
    await seen.send("Hello there.")
    if way == "tab":
        await seen.pilot.press("shift+tab")
    else:
        await seen.click("You  09")
    await seen.pilot.press("e")
    assert seen.chat.state.editing is not None and seen.chat.composer.text == "Hello there."


async def test_after_a_key_on_a_message_the_keys_go_on_with_the_new_answer(seen: Seen) -> None:
    await seen.send("Hello there.")
    await seen.pilot.press("escape", "up", "r")
    await seen.answered()
    await seen.press("left_square_bracket")
    await seen.until("answer 1 of 2")
    await seen.press("right_square_bracket", until="answer 2 of 2")
    assert seen.chat.composer.text == ""


def lists_commands(seen: Seen) -> bool:
    return all(
        f"{form} " in seen.text() and what in seen.text() for form, what in COMMANDS.values()
    )


async def test_a_slash_lists_commands_to_choose_from(world: World) -> None:
    async with world.opened((80, 24)) as seen:
        await seen.pilot.press("slash")
        assert lists_commands(seen)
        await seen.pilot.press("r", "e")
        assert "/remark" in seen.text()
        assert "/remember TEXT" in seen.text()
        assert "/new" not in seen.text()
        await seen.pilot.press("down", "up", "down", "tab")
        assert seen.chat.composer.text == "/remark" and "adds a context card" not in seen.text()


async def test_the_list_of_commands_follows_the_palette_and_leaves_room(world: World) -> None:
    async with world.opened((120, 40)) as seen:
        await seen.pilot.press("ctrl+p")  # Textual's palette has a list and a style for it, too
        await seen.pilot.press("escape", "slash")
        assert lists_commands(seen)
        await seen.pilot.press("backspace")
        await seen.pilot.resize_terminal(80, 24)
        await seen.pilot.press("slash")
        assert "/remember TEXT" in seen.text() and "/quit" in seen.text()
        await seen.pilot.press("ctrl+t")
        assert "/remember TEXT" in seen.text() and seen.chat.composer.region.bottom == 23


async def test_enter_takes_a_command_and_carries_it_out_if_it_needs_no_words(seen: Seen) -> None:
    await seen.pilot.press("slash")
    await seen.click("/persona NAME")
    await seen.pilot.pause()
    assert seen.chat.composer.text == "/persona " and seen.chat.composer.has_focus
    seen.chat.composer.clear_text()
    await seen.pilot.press("slash", "r", "e", "enter")
    assert seen.chat.composer.text == "/remember "
    await seen.type("User sails.", "enter", until=lambda: curate.count(seen.runtime) == 1)
    await seen.press("slash", "h", "e", "enter", until="Commands")


async def test_escape_closes_the_list_of_commands_which_paths_and_prompts_do_not_open(
    seen: Seen,
) -> None:
    composer = seen.chat.composer
    await seen.pilot.press("slash", "n", "escape")
    assert (composer.text, composer.has_focus) == ("/n", True)
    assert "/new" not in seen.text()
    await seen.pilot.press("e")
    assert "/new" in seen.text()
    await seen.pilot.press("o")
    assert "/new" not in seen.text()  # there is no such command: it is told when it is sent
    composer.clear_text()
    await seen.type("/home/anna")
    assert not seen.chat.query_one("#commands").display
    composer.clear_text()
    composer.prompts = ["/help", "earlier"]
    await seen.pilot.press("up", "up")
    assert composer.text == "earlier"
