"""Trash: what lies there and why, the way back, and the end, which needs a typed word."""

import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from textual.widgets import Checkbox, Input

from memapp.domain.changes import Actor, Created, Merged, Purged, SoftDeleted
from memapp.domain.filters import MemoryFilter
from memapp.domain.forget import Receipt
from memapp.domain.memory import Memory
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget
from memapp.services.consent import decisions, pending
from memapp.store import changes
from memapp.ui.dialogs import ConfirmErase, TextCard
from memapp.ui.memories.card import MemoryCard
from memapp.ui.screens.memories import MemoriesScreen
from memapp.ui.screens.trash import TrashScreen
from memapp.ui.widgets.composer import DRAFT_SECONDS
from memapp.ui.widgets.labels import age, kept, kept_in_full
from memapp.ui.widgets.searchfield import SearchField
from tests.ui.conftest import Seen, World
from tests.ui.test_hostile import ESCAPES, MARKUP, check_no_escapes
from tests.ui.test_screens import check_picture, in_both_sizes

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@asynccontextmanager
async def trash(
    world: World, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Seen, TrashScreen]]:
    """The app in Trash, with one memory for each reason."""
    async with world.opened(size=size) as seen:
        fill(seen.runtime)
        await seen.pilot.press("f5")
        await seen.settle(
            lambda: isinstance(seen.app.screen, TrashScreen) and seen.app.screen.shown_for == ""
        )
        screen = seen.app.screen
        assert isinstance(screen, TrashScreen)
        yield seen, screen


def fill(runtime: Runtime) -> None:
    facts = (
        "Anna has a cat.",
        "Anna owns a cat.",
        "Anna had a dog.",
        "Anna lives in Oslo.",
        "Anna met Tom once.",
        "Anna sings.",
    )
    ids = {text: curate.add(runtime, text).memory_id for text in facts}
    now, worker = runtime.clock(), Actor("rules")
    with runtime.write() as session:
        changes.apply(
            session,
            Merged(ids["Anna owns a cat."], ids["Anna has a cat."], now + timedelta(days=30)),
            worker,
        )
        changes.apply(
            session,
            SoftDeleted(ids["Anna had a dog."], "unused", now + timedelta(hours=20)),
            worker,
        )
        changes.apply(
            session,
            SoftDeleted(ids["Anna lives in Oslo."], "superseded", now + timedelta(days=6, hours=4)),
            worker,
        )
        changes.apply(
            session,
            SoftDeleted(ids["Anna met Tom once."], "overflow", now + timedelta(days=30)),
            worker,
        )
    curate.discard(runtime, ids["Anna sings."])


def in_trash(runtime: Runtime) -> list[str]:
    return [memory.text for memory in curate.list_memories(runtime, MemoryFilter(state=None))]


async def ask_to_erase(seen: Seen, key: str) -> ConfirmErase:
    await seen.press(key, until=ConfirmErase)
    await seen.pilot.pause()
    assert isinstance(seen.app.screen, ConfirmErase)
    return seen.app.screen


def put_cursor(screen: TrashScreen, text: str) -> Memory:
    found = next(memory for memory in screen.rows.items if memory.text == text)
    screen.rows.show(screen.rows.items, at=found.id)
    return found


async def test_what_was_just_put_there_is_where_the_cursor_is(world: World) -> None:
    async with trash(world) as (seen, screen):
        put_cursor(screen, "Anna had a dog.")
        await seen.press("slash", *"dog", "enter", "f3", until=seen.in_mode("memories"))
        await seen.press(
            "d", "f5", until=lambda: getattr(screen.rows.current, "text", "") == "Anna has a cat."
        )
        assert screen.field.value == ""


@in_both_sizes
async def test_the_trash_looks_as_it_should(
    world: World, size: tuple[int, int], update: bool
) -> None:
    async with trash(world, size) as (seen, _):
        reasons = ("not used for 60 days", "too many facts", "out of date", "merged into another")
        assert "put there by you" in seen.text(), "why the current one is there stands below"
        assert {reason in seen.text() for reason in reasons} == {size[0] >= 100}, (
            "a narrow screen is for the words of a memory"
        )
        check_picture(seen, f"trash-{size[0]}x{size[1]}", update)


@pytest.mark.parametrize(
    ("left", "said", "in_full"),
    [
        (timedelta(days=6, hours=4, minutes=9), "kept 6 days or more",
         "kept at least 6 days, and 7 days on which memapp is used"),
        (timedelta(days=1), "kept 1 d 0 h or more",
         "kept at least 1 d 0 h, and 7 days on which memapp is used"),
        (timedelta(hours=23, minutes=59), "kept 23 h 59 m or more",
         "kept at least 23 h 59 m, and 7 days on which memapp is used"),
        (timedelta(minutes=-3), "goes after 5 days of use", "goes after 5 days of use"),
    ],
)  # fmt: skip
def test_the_rest_is_told_in_days_and_hours(left: timedelta, said: str, in_full: str) -> None:
    assert kept(NOW + left, NOW, 5) == said
    assert kept_in_full(NOW + left, NOW, 5) == in_full
    assert kept(NOW - timedelta(days=9), NOW) == "goes SOON"


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (0.01, "now"), (3 / 60, "3 m"), (5, "5 h"), (3 * 24, "3 d"), (20 * 24, "2 w"),
        (99 * 24, "3 mo"), (800 * 24, "2 y"),
    ],
)  # fmt: skip
def test_an_age_is_told_in_few_letters(passed: float, said: str) -> None:
    assert age(NOW - timedelta(hours=passed), NOW) == said


async def test_a_memory_put_here_elsewhere_is_seen_and_its_time_goes_on(world: World) -> None:
    async with trash(world) as (seen, screen):
        curate.discard(seen.runtime, curate.list_memories(seen.runtime)[0].id)
        seen.app.session.memories_changed()
        await seen.until(lambda: len(screen.rows.items) == 6, seconds=2)
        assert "kept 6 days or more" in seen.text()
        world.clock.now += timedelta(days=6)
        screen._tick()
        await seen.until(
            lambda: (
                "kept 3 h 59 m or more" in seen.text() and "goes after 7 days of use" in seen.text()
            )
        )


async def test_r_brings_back_all_but_what_is_known_again_and_undo_takes_that_back(
    world: World,
) -> None:
    async with trash(world) as (seen, screen):
        runtime = seen.runtime
        put_cursor(screen, "Anna had a dog.")
        await seen.press("r", until=lambda: len(screen.rows.items) == 4)
        assert "Anna had a dog." in seen.known()
        await seen.press("ctrl+z", until=lambda: len(screen.rows.items) == 5)
        await seen.press("home", "ctrl+a", "r", until=lambda: not screen.rows.items)
        await seen.press("ctrl+z", until=lambda: len(screen.rows.items) == 5)
        curate.add(runtime, "Anna had a dog.")
        put_cursor(screen, "Anna had a dog.")
        await seen.press("r", until=seen.tells("remembers the same"))
        assert "Anna had a dog." in in_trash(runtime)


async def test_what_says_something_of_the_profile_waits_and_says_so(world: World) -> None:
    async with trash(world) as (seen, screen):
        runtime = seen.runtime
        written = curate.get(runtime, curate.add(runtime, "I live in Bergen.").memory_id)
        with runtime.decide() as session:
            changes.apply(session, Purged(written.id), Actor("person"))
            changes.apply(session, Created(replace(written, origin="said")), Actor("rules"))
        curate.discard(runtime, written.id)
        seen.app.session.memories_changed()
        await seen.settle()
        put_cursor(screen, "I live in Bergen.")
        await seen.pilot.press("r")
        await seen.until(seen.tells("needs your yes first, in the inbox (F4)"))
        await seen.until(lambda: "Inbox ●1" in seen.lines()[0])
        assert "I live in Bergen." in in_trash(runtime)
        assert [request.new_value for request in pending.list_pending(runtime)] == ["Bergen"]


async def test_search_finds_what_was_forgotten(world: World) -> None:
    async with trash(world) as (seen, screen):
        await seen.pilot.press("slash")
        await seen.type("dog category:x")
        await seen.until(lambda: screen.shown_for == "dog category:x")
        assert "! category: is one of" in seen.text()
        await seen.press(
            *["backspace"] * len(" category:x"), until=lambda: screen.shown_for == "dog"
        )
        assert [memory.text for memory in screen.rows.items] == ["Anna had a dog."]
        await seen.press(
            "down", "escape", until=lambda: screen.shown_for == "" and len(screen.rows.items) == 5
        )


async def test_only_the_typed_word_erases_and_a_receipt_is_shown(world: World) -> None:
    async with trash(world) as (seen, screen):
        put_cursor(screen, "Anna had a dog.")
        asked = await ask_to_erase(seen, "X")
        await seen.pilot.press("enter")
        await seen.type("yes" * 7)
        assert len(asked.query_one(Input).value) == 20, "the field takes only a word"
        await seen.press("enter", "escape", until=lambda: len(seen.app.screen_stack) == 1)
        assert "Anna had a dog." in in_trash(seen.runtime)
        await ask_to_erase(seen, "X")
        await seen.type("eras", "enter", until="Type the whole word: erase")
        await seen.type("e", "enter", until=TextCard)
        await seen.until(lambda: not seen.toasts() and "Receipt" in seen.text())
        assert "1 item erased" in seen.words() and "0 copies left" in seen.words()
        await seen.press("escape", until=lambda: len(screen.rows.items) == 4)
        assert b"Anna had a dog." not in seen.runtime.paths.database.read_bytes()


async def test_marks_stay_on_other_pages_and_go_with_what_leaves_the_trash(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PAGE", "AT_FIRST"):
        monkeypatch.setattr(f"memapp.ui.screens.memory_list.{name}", 3)
    async with trash(world) as (seen, screen):
        runtime = seen.runtime
        await seen.pilot.press("space", "space", "space")
        first, second, _ = (memory.id for memory in screen.rows.items)
        await seen.press("G", "j", "enter", until=lambda: len(screen.rows.items) == 2)
        await seen.pilot.press("space")
        curate.restore(runtime, first)
        seen.app.session.memories_changed()
        await seen.until(lambda: first not in screen.rows.marked)
        await seen.until("3 marked")
        assert second in screen.rows.marked
        await ask_to_erase(seen, "X")
        assert "Erase 3 memories for good?" in seen.words()
        curate.restore(runtime, second)
        await seen.press(*"erase", "enter", until=TextCard)
        await seen.until("Left as they are: 1 memory no longer in the trash.")
        await seen.until(
            lambda: screen.rows.marked == {} and "marked" not in str(screen.counted.render())
        )
        assert {first, second} <= {memory.id for memory in curate.list_memories(runtime)}


async def test_a_card_shows_what_took_a_memory_in_and_a_mode_key_goes(world: World) -> None:
    async with trash(world) as (seen, screen):
        put_cursor(screen, "Anna owns a cat.")
        await ask_to_erase(seen, "X")
        await seen.press("f3", until=lambda: "esc closes this first." in seen.toasts())
        await seen.press("escape", "enter", until=MemoryCard)
        await seen.until("merged into Anna has a cat.")
        await seen.press("f3", until=MemoriesScreen)
        await seen.press("f5", until=TrashScreen)
        assert "Anna owns a cat." in in_trash(seen.runtime)


async def test_the_box_for_messages_shows_its_tick_and_enter_erases_too(world: World) -> None:
    async with world.opened(size=(80, 24)) as seen:
        said: list[bool | None] = []
        seen.app.push_screen(
            ConfirmErase("Erase?", "A memory.", may_take_messages=True), said.append
        )
        await seen.until("[ ] also erase the messages it came from")
        await seen.press(
            *"erase", "shift+tab", "space", until="[✓] also erase the messages it came from"
        )
        assert not said
        await seen.press("enter", until=lambda: said == [True])


async def test_from_the_receipt_one_goes_to_memories_of_the_same_words(world: World) -> None:
    async with trash(world) as (seen, screen):
        decisions.set_field(seen.runtime, "goals_add", "a dog")
        curate.add(seen.runtime, "Anna had a dog. It was old.")
        put_cursor(screen, "Anna had a dog.")
        await ask_to_erase(seen, "X")
        assert "Your profile will still say Goals: a dog. Change that with F4, tab." in seen.words()
        await seen.type("erase", "enter", until=TextCard)
        await seen.pilot.pause()
        assert "Their words also stand in 1 other memory" in seen.words()
        assert "Your profile still says: Goals: a dog. Change that with F4, tab." in seen.words()
        await seen.pilot.press("enter")
        await seen.until(
            lambda: isinstance(seen.app.screen, MemoryCard) and "It was old." in seen.text()
        )


async def test_what_was_typed_just_before_is_not_saved_after_erasing(world: World) -> None:
    async with trash(world) as (seen, screen):
        runtime = seen.runtime

        def erase_slowly() -> Receipt:
            receipt = forget.forget_everywhere(runtime, "zqarla")
            time.sleep(DRAFT_SECONDS + 0.2)  # the pause after the last key is long over
            return receipt

        seen.chat.composer.load_text("Did Anna have zqarla?")
        await seen.settle()
        assert (await seen.app.session.erase(screen, erase_slowly)).others == 1
        assert (chats.get_draft(runtime, ""), seen.chat.composer.text) == ("", "")


async def test_emptying_needs_the_word_too(world: World) -> None:
    async with trash(world) as (seen, screen):
        await ask_to_erase(seen, "E")
        assert (
            "All 5 memories in the trash, with all that repeats the words: "
            "predictions, requests in the inbox"
        ) in seen.words()
        await seen.type("erase", "enter", until=TextCard)
        await seen.press("escape", until=lambda: not screen.rows.items)
        assert "The trash is empty." in seen.text()
        await seen.press("E", "X", "r", "enter")
        assert len(seen.app.screen_stack) == 1, "there is nothing to do it with"
        runtime = seen.runtime
        seen.chat.composer.load_text("Did Anna have zqarla?")
        await seen.press("F", until="Erase words everywhere")
        await seen.press("enter", until="At least 2 characters.")
        await seen.press(*"zqarla", "enter", until=ConfirmErase)
        await seen.until("1 item: 0 memories, 0 messages and 1 other entry")
        assert chats.get_draft(runtime, "") == "Did Anna have zqarla?"
        await seen.press(*"erase", "enter", until=TextCard)
        await seen.until("1 item erased")
        await seen.chat.composer.save()
        assert (chats.get_draft(runtime, ""), seen.chat.composer.text) == ("", "")


async def test_a_learned_memory_may_take_its_messages_along(world: World) -> None:
    async with world.opened() as seen:
        assert world.model is not None
        world.model.enqueue("Fine.")
        await seen.send("What goes with dragonfruit?")
        runtime = seen.runtime
        message = seen.chat.transcript.bubbles[0].message
        revision = curate.add(runtime, "Anna likes dragonfruit.")
        with runtime.database.write() as conn:
            conn.execute(
                "INSERT INTO memory_sources VALUES (?, ?, 'me')", (revision.memory_id, message.id)
            )
        curate.discard(runtime, revision.memory_id)
        await seen.press("f5", until="dragonfruit")
        asked = await ask_to_erase(seen, "X")
        asked.query_one(Checkbox).value = True
        await seen.type("erase", "enter", until=TextCard)
        assert b"ragonfruit" not in runtime.paths.database.read_bytes()


async def test_without_colour_words_tell_what_is_urgent(world: World) -> None:
    with patch.dict(os.environ, {"NO_COLOR": "1"}):
        async with trash(world, (80, 24)) as (seen, _):
            world.clock.now += timedelta(days=1)
            await seen.press("space")
            assert "SOON" in seen.text() and "✓ 1 marked" in seen.words()
            assert any(line.startswith(" ▸") for line in seen.lines())


async def test_hostile_texts_are_shown_as_they_are(world: World) -> None:
    async with world.opened(size=(80, 24)) as seen:
        runtime = seen.runtime
        for number, text in enumerate([*MARKUP, *ESCAPES[:8]]):
            curate.discard(runtime, curate.add(runtime, f"{text} tea {number}"[:280]).memory_id)
        await seen.press("f5", until="memories in the trash")
        for keys in (["j"], ["enter"], ["escape"], ["X"], ["escape"], ["slash"]):
            await seen.press(*keys)
            if keys == ["X"]:  # what is at stake is counted on a thread
                await seen.until(lambda: not isinstance(seen.app.screen, TrashScreen))
            check_no_escapes(seen)
        assert isinstance(seen.app.screen, TrashScreen)
        for text in ("[/INST]", "[b", '"[/'):
            seen.app.screen.query_one(SearchField).value = text
            await seen.until(lambda text=text: seen.app.screen.shown_for == text)
            check_no_escapes(seen)
