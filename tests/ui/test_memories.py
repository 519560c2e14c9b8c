"""Memories: the list, the keys, and updates of other screens."""

import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import pytest
from textual.css.query import NoMatches
from textual.widgets import Input

from memapp.domain.changes import Actor, Created, Linked, SoftDeleted
from memapp.domain.chat import Origin
from memapp.domain.filters import Sort
from memapp.domain.memory import Memory, Recalled
from memapp.domain.text import clean
from memapp.errors import StoreLocked
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, undo
from memapp.store import changes, recalls
from memapp.store.access_counts import count_access
from memapp.ui.dialogs import Choice
from memapp.ui.memories.card import MemoryCard
from memapp.ui.memories.form import MemoryForm, Words
from memapp.ui.messages import MemoryWanted
from memapp.ui.panels.memory_detail import ContentView, MemoryDetail
from memapp.ui.panels.memory_history import VersionRows
from memapp.ui.panels.memory_relations import NOTHING_RELATED, MemoryRelations
from memapp.ui.screens.memories import MemoriesScreen
from memapp.ui.widgets.labels import written
from memapp.ui.widgets.searchfield import SearchField
from memapp.ui.widgets.tabline import TabLine
from tests.builders import damage, word_list
from tests.ui.conftest import Seen, World
from tests.ui.test_hostile import ESCAPES, MARKUP, check_no_escapes
from tests.ui.test_screens import SIZES, check_picture, in_both_sizes

FACTS = (
    "Anna likes oolong tea in the morning.",
    "Anna's sister Mia lives in Oslo and visits every summer.",
    "Anna works on Tuesdays and Thursdays.",
)


@asynccontextmanager
async def memories(
    world: World, texts: Sequence[str] = FACTS, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Seen, MemoriesScreen]]:
    """The app in Memories with some facts."""
    async with world.opened(size=size) as seen:
        for text in texts:
            curate.add(seen.runtime, text)
        await seen.pilot.press("f3")
        await shown(seen)
        screen = seen.app.screen
        assert isinstance(screen, MemoriesScreen)
        yield seen, screen


async def shown(seen: Seen, text: str = "") -> None:
    """Wait until the rows for a search are there, and nothing moves."""
    await seen.settle(
        lambda: isinstance(seen.app.screen, MemoriesScreen) and seen.app.screen.shown_for == text
    )


async def looked_up(seen: Seen) -> None:
    """Wait until the detail shows the current memory."""
    detail = seen.app.screen.query_one(MemoryDetail)
    await seen.settle(
        lambda: (
            detail.memory is not None and detail._looked_up == f"{detail.tab}:{detail.memory.id}"
        )
    )


def texts(screen: MemoriesScreen) -> list[str]:
    return [memory.text for memory in screen.rows.items]


def live(runtime: Runtime) -> list[Memory]:
    return curate.list_memories(runtime)


# What is shown ------------------------------------------------------------------------------------


async def test_an_empty_memory_teaches_one_key_and_no_order_or_search(world: World) -> None:
    async with memories(world, []) as (seen, screen):
        assert "Nothing is remembered yet." in seen.text()
        assert "n writes the first memory by hand" in seen.text()
        assert "Order" not in seen.lines()[-1] and "Search" not in seen.lines()[-1]
        await seen.pilot.press("tab")
        assert isinstance(seen.app.focused, SearchField)
        screen.rows.focus()
        curate.add(seen.runtime, "Anna has a cat.")
        seen.app.session.memories_changed()
        await seen.until(lambda: "Order" in seen.lines()[-1] and "Search" in seen.lines()[-1])
        await seen.pilot.press("t", *"pets", "ctrl+s")
        await seen.until(lambda: curate.list_memories(seen.runtime)[0].tags[-1] == "pets")


async def test_the_newest_memory_stands_first_until_o_orders_anew(world: World) -> None:
    async with memories(world) as (seen, screen):
        await looked_up(seen)
        assert texts(screen) == list(reversed(FACTS))
        assert "3 memories · newest first" in seen.text()
        assert "3 of 5" in seen.words() and "you wrote it" in seen.words()
        curate.pin(seen.runtime, live(seen.runtime)[2].id)
        orders = {}
        for _ in range(5):
            await seen.press("o")
            order = seen.lines()[3].split(" · ")[1].split("  ")[0].split("│")[0].strip()
            orders[order] = texts(screen)[0]
        assert orders["oldest first"] == FACTS[0]
        assert orders["pinned and important first"] == FACTS[0]
        assert orders["newest first"] == FACTS[2]
        assert len(orders) == 5


async def test_typing_searches_and_points_out_what_matched(world: World) -> None:
    async with memories(world) as (seen, screen):
        await seen.pilot.press("slash")
        await seen.type("oolo")
        await shown(seen, "oolo")
        assert texts(screen) == [FACTS[0]]
        at = next(n for n, line in enumerate(seen.lines()) if line.startswith(" ▸"))
        strip = seen.app.screen._compositor.render_strips()[at]
        assert any("oolo" in part.text and part.style and part.style.underline for part in strip)
        await seen.type("zzz")
        await shown(seen, "oolozzz")
        assert "No memory has these words." in seen.text()
        await seen.pilot.press("escape")
        await shown(seen)
        assert len(texts(screen)) == 3


async def test_a_word_that_no_memory_has_is_found_as_it_is_spelt_there(world: World) -> None:
    async with memories(world, ["User's sister loves pottery.", "User loves hiking."]) as (
        seen,
        screen,
    ):
        await seen.pilot.press("slash")
        await seen.type("siter potery")
        await seen.until(lambda: texts(screen) == ["User's sister loves pottery."])
        await seen.until(lambda: "1 memory ! read as: sister pottery" in seen.words())
        await seen.type(" zzz")
        await shown(seen, "siter potery zzz")
        assert "No memory has these words." in seen.text()
        await seen.pilot.press("ctrl+f")
        await seen.type("hikng")
        await seen.until(lambda: "User loves hiking." in seen.text())


async def test_without_a_hit_nothing_of_the_memory_before_is_seen(world: World) -> None:
    text = "Anna's sister Mia lives in Oslo and visits us in summer."
    async with memories(world, [text]) as (seen, screen):
        assert any(text in line.partition("│")[0] for line in seen.lines()), (
            "a text of average length is shown whole"
        )
        for turns, tab in enumerate(("content", "history", "relations", "provenance")):
            await seen.pilot.press("enter", *["tab"] * min(turns, 1))
            await looked_up(seen)
            assert screen.detail.tab == tab
            assert tab != "relations" or NOTHING_RELATED in seen.text(), (
                "what is said when there are none is not cut"
            )
            await seen.pilot.press("escape", "slash")
            await seen.type("zzz")
            await shown(seen, "zzz")
            assert "No memory has these words." in seen.text()
            beside = " ".join(line[line.index("│") :] for line in seen.lines() if "│" in line)
            assert set(beside) <= set("│ "), beside
            await seen.pilot.press("escape")
            await shown(seen)
            await looked_up(seen)
            assert "Relations" in seen.text()


async def test_conditions_narrow_the_list_and_wrong_ones_are_named(world: World) -> None:
    async with memories(world) as (seen, screen):
        curate.pin(seen.runtime, live(seen.runtime)[0].id)
        await seen.pilot.press("slash")
        for typed, found in (
            ("pinned:yes", [FACTS[2]]),
            ('"sister Mia"', [FACTS[1]]),
            ("before:2020", []),
            ("tag:oolong", []),
        ):
            screen.query_one(SearchField).value = typed
            await shown(seen, typed)
            assert texts(screen) == found
        screen.query_one(SearchField).value = "pinned:perhaps category:nonsense"
        await shown(seen, "pinned:perhaps category:nonsense")
        assert "! pinned: is yes or no" in seen.text() and "category: is one of" in seen.text()
        assert len(texts(screen)) == 3


async def test_a_long_list_comes_in_pages(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAGE", "AT_FIRST"):
        monkeypatch.setattr(f"memapp.ui.screens.memory_list.{name}", 20)
    many = [f"Anna wrote note number {number}." for number in range(50)]
    async with memories(world, many) as (seen, screen):
        assert len(texts(screen)) == 20
        assert "50 memories · 1 to 20" in seen.words()
        await seen.pilot.press("G", "j", "enter")
        await seen.settle(lambda: texts(screen)[0] == many[29])
        assert len(texts(screen)) == 20 and "21 to 40" in seen.words()
        await seen.press("g", "k", "enter", until=lambda: texts(screen)[0] == many[49])


@in_both_sizes
async def test_memories_look_as_they_should(
    world: World, size: tuple[int, int], update: bool
) -> None:
    name = f"{size[0]}x{size[1]}"
    async with memories(world, FACTS, size) as (seen, _):
        runtime = seen.runtime
        curate.pin(runtime, live(runtime)[0].id)
        curate.rate(runtime, live(runtime)[1].id, importance=5)
        curate.edit(
            runtime, live(runtime)[1].id, "Anna's sister Mia lives in Bergen and visits at Easter."
        )
        world.clock.now += timedelta(days=3)
        seen.app.session.memories_changed()
        await seen.settle()
        await seen.pilot.press("space")
        await looked_up(seen)
        check_picture(seen, f"memories-{name}", update)
        await seen.pilot.press("enter", "tab")
        await looked_up(seen)
        check_picture(seen, f"memory-history-{name}", update)


async def test_without_colour_signs_tell_the_state(world: World) -> None:
    with patch.dict(os.environ, {"NO_COLOR": "1"}):
        async with memories(world, FACTS, (80, 24)) as (seen, _):
            await seen.press("p", "space")
            assert any("✓★" in line for line in seen.lines())
            assert any(line.startswith(" ▸") for line in seen.lines())
            curate.edit(
                seen.runtime, live(seen.runtime)[1].id, "Anna's sister Mia lives in Bergen."
            )
            seen.app.session.memories_changed()
            await seen.settle()
            await seen.pilot.press("enter", "tab")
            await looked_up(seen)
            assert "-Oslo and visits every summer.- +Bergen.+" in seen.words()


# Keys ---------------------------------------------------------------------------------------------


async def test_pinning_forgetting_and_undo(world: World) -> None:
    async with memories(world) as (seen, screen):
        await seen.pilot.press("p")
        await seen.until(lambda: screen.rows.items[0].pinned)
        await seen.pilot.press("d")
        await seen.until(lambda: len(texts(screen)) == 2)
        assert any("Trashed “" in toast and "ctrl+z" in toast for toast in seen.toasts())
        seen.app.session.undone.push("Learned something since", lambda _: None)
        # undoes what the toast is about, not what was done last
        await seen.click("undo (ctrl+z)")
        await seen.until(lambda: len(texts(screen)) == 3)
        told = next(toast for toast in seen.toasts() if "Undone: " in toast)
        assert screen.rows.items[0].pinned and told.startswith("Undone: Trashed “")
        await seen.pilot.press("ctrl+z")
        await seen.press("u", until=lambda: not any(memory.pinned for memory in screen.rows.items))


async def test_what_is_undone_fast_or_in_a_busy_file_is_taken_back_in_turn(world: World) -> None:
    async with memories(world) as (seen, screen):
        await seen.pilot.press("down", "d")
        await seen.until(lambda: len(texts(screen)) == 2)
        await seen.pilot.press("up", "up", "u")
        await seen.until(
            lambda: len(texts(screen)) == 3 and screen.rows.current is screen.rows.items[1]
        )
        taken_back: list[str] = []

        def slow(_: Runtime) -> None:
            time.sleep(0.3)
            taken_back.append("done last")

        seen.app.session.undone.push("Done first", lambda _: taken_back.append("done first"))
        seen.app.session.undone.push("Done last", slow)
        seen.app.action_undo()
        seen.app.action_undo()
        await seen.until(lambda: len(taken_back) == 2)
        assert taken_back == ["done last", "done first"]
        busy = iter([True, False])

        def back(_: Runtime) -> None:
            if next(busy):
                raise StoreLocked("The file is busy.")

        seen.app.session.undone.push("Deleted a chat", back)
        for said in ("The file is busy.", "Undone: Deleted a chat"):
            await seen.press(
                "u", until=lambda said=said: any(said in toast for toast in seen.toasts())
            )


async def test_marks_make_a_key_act_on_many_but_editing_is_at_the_cursor(world: World) -> None:
    async with memories(world) as (seen, screen):
        runtime = seen.runtime
        await seen.pilot.press("space", "space")
        assert "✓ 2 marked" in seen.words()
        await seen.press("e", until=MemoryForm)
        assert seen.app.screen.query_one(Words).text == texts(screen)[2]
        await seen.pilot.press("escape")
        await seen.press("t", until=lambda: len(seen.app.screen_stack) > 1)
        await seen.press(
            "comma",
            "enter",
            until=lambda: "A tag needs a name." in seen.text() and not seen.toasts(),
        )
        await seen.type(
            "people",
            "enter",
            until=lambda: sum("people" in memory.tags for memory in live(runtime)) == 2,
        )
        await seen.press("t", *"a,b,c,d,e,f", "enter", until="At most 5 tags.")
        await seen.pilot.resize_terminal(80, 24)
        await seen.pilot.press("escape", "i")
        await seen.until(Choice)
        await seen.pilot.press("5")
        await seen.until(lambda: sum(memory.importance == 5 for memory in live(runtime)) == 2)
        await seen.pilot.press("c")
        await seen.until(Choice)
        assert "⏎ choose ↑↓ move esc cancel" in seen.words(), "a long list leaves room for the keys"
        wanted = curate.categories(runtime).index("goals")
        await seen.pilot.press("home", *["down"] * wanted)
        await seen.press(
            "enter", until=lambda: sum(memory.category == "goals" for memory in live(runtime)) == 2
        )
        await seen.pilot.resize_terminal(120, 40)
        await seen.pilot.press("escape", "space", "slash", "x", "escape")
        await shown(seen)
        assert screen.rows.has_focus
        assert len(screen.rows.marked) == 1, "leaving the search keeps the marks"
        await seen.press("escape", "ctrl+a", "d", until=lambda: not texts(screen))
        await seen.press("ctrl+z", until=lambda: len(texts(screen)) == 3)


async def test_writing_by_hand_puts_the_cursor_on_the_new_memory(world: World) -> None:
    async with memories(world) as (seen, screen):
        await seen.press("n", until=MemoryForm)
        await seen.until("⏎ save")
        assert "esc cancel" in seen.words() and "esc close" not in seen.words()
        await seen.press(*"tea", "escape", until=lambda: len(seen.app.screen_stack) == 1)
        assert len(live(seen.runtime)) == 3, "escape saves nothing"
        await seen.press("n", until=MemoryForm)
        await seen.press("ctrl+s", until="There is nothing to remember.")
        await seen.type("Anna sings in a choir.")
        await seen.pilot.press("tab")
        await seen.type("music, friends")
        await seen.press(
            "ctrl+s", until=lambda: len(seen.app.screen_stack) == 1 and len(texts(screen)) == 4
        )
        assert screen.rows.current is not None
        assert screen.rows.current.text == "Anna sings in a choir."
        assert screen.rows.current.tags == ("music", "friends")


async def test_the_same_keys_save_in_every_field_of_the_form(world: World) -> None:
    async with memories(world) as (seen, screen):
        for field in ("form-text", "form-tags", "form-importance", "form-category"):
            for key in ("enter", "ctrl+s"):
                await seen.press("e", until=MemoryForm)
                written = f"Anna saves {field} with {key}."
                seen.app.screen.query_one(Words).text = written
                seen.app.screen.query_one(f"#{field}").focus()
                await seen.pilot.press(key)
                await seen.settle(lambda written=written: texts(screen)[0] == written)
        assert len(texts(screen)) == 3, "none was added"


async def test_editing_keeps_words_that_were_refused_and_shows_a_change_elsewhere_first(
    world: World,
) -> None:
    async with memories(world) as (seen, screen):
        await seen.press("e", until=MemoryForm)
        await seen.press("ctrl+s", until=lambda: len(seen.app.screen_stack) == 1)
        assert seen.toasts() == [], "what was not changed is left as it is"
        await seen.press("e", until=MemoryForm)
        seen.app.screen.query_one(Words).text = "Anna works on Mondays."
        seen.app.screen.query_one("#form-category", Input).value = "nonsense"
        await seen.press("ctrl+s", until="There is no category 'nonsense'.")
        await seen.pilot.resize_terminal(80, 24)
        assert "⏎ save tab next field" in seen.words(), (
            "a reason of two lines leaves room for the keys"
        )
        seen.app.screen.query_one("#form-category", Input).value = "activity"
        await seen.press("ctrl+s", until=lambda: texts(screen)[0] == "Anna works on Mondays.")
        assert screen.rows.items[0].category == "activity"
        await seen.press("e", until=MemoryForm)
        curate.edit(seen.runtime, live(seen.runtime)[0].id, "Anna works on Fridays.")
        seen.app.screen.query_one(Words).text = "Anna works on Sundays."
        await seen.press("ctrl+s", until="Anna works on Fridays.")
        assert live(seen.runtime)[0].text == "Anna works on Fridays."
        await seen.press("ctrl+s", until=lambda: texts(screen)[0] == "Anna works on Sundays.")


async def test_y_copies_the_words_and_a_mouse_reaches_rows_and_tabs(world: World) -> None:
    async with memories(world) as (seen, screen):
        await seen.pilot.press("y")
        assert seen.app.clipboard == FACTS[2]
        await seen.pilot.click("#memories", offset=(10, 2))
        assert screen.rows.current is not None and screen.rows.current.text == FACTS[0]
        await seen.pilot.click(TabLine, offset=(12, 0))
        await looked_up(seen)
        assert screen.detail.tab == "history"


# The detail ---------------------------------------------------------------------------------------


async def test_enter_opens_the_memory_over_the_list_where_it_is_narrow(world: World) -> None:
    async with memories(world, FACTS, (80, 24)) as (seen, screen):
        assert not screen.detail.display or screen.detail.region.width == 0
        await seen.pilot.press("j", "enter")
        await looked_up(seen)
        assert screen.detail.region.width == 80 and "Oslo" in seen.text()
        assert "Mark" not in seen.lines()[-1]
        read = screen.detail.memory
        await seen.pilot.press("space", "ctrl+a", "o")
        assert screen.rows.marked == {}, (
            "a row that is not the memory that is read may be the current one"
        )
        await seen.press("escape")
        assert screen.sort is Sort.NEWEST
        assert screen.rows.current == read, "a list that is not seen keeps its order"
        assert screen.rows.has_focus and screen.rows.region.width > 70


async def test_history_shows_the_words_between_any_two_versions(world: World) -> None:
    async with memories(world, ["Anna likes green tea."]) as (seen, _):
        runtime = seen.runtime
        memory_id = live(runtime)[0].id
        await seen.pilot.press("enter", "tab")
        await looked_up(seen)
        assert "Older" not in seen.text()
        assert "Compare" not in seen.text(), "one version is compared with nothing"
        await seen.pilot.press("tab")
        await looked_up(seen)
        assert NOTHING_RELATED in seen.text() and "Go there" not in seen.text()
        await seen.pilot.press("escape")
        curate.edit(runtime, memory_id, "Anna likes oolong tea.")
        curate.pin(runtime, memory_id)
        curate.edit(runtime, memory_id, "Anna likes oolong tea at night.")
        seen.app.session.memories_changed()
        await seen.settle()
        await seen.pilot.press("enter", "shift+tab")
        await looked_up(seen)
        assert "Older" in seen.text() and "Compare with" in seen.text()
        assert "v3 → v4" in seen.words() and "-tea.- +tea at night.+" in seen.words()
        await seen.press("left", until="pinned: -no- +yes+")
        await seen.press("left", until="-green- +oolong+")
        await seen.pilot.press("G", "space", "g")
        await seen.until(
            lambda: (
                "v1 → v4" in seen.words() and "-green tea.- +oolong tea at night.+" in seen.words()
            )
        )
        await seen.pilot.press("j")
        curate.rate(runtime, memory_id, importance=5)
        seen.app.session.memories_changed()
        await seen.until(lambda: len(seen.app.screen.query_one(VersionRows).items) == 5)
        await seen.until("v1 → v3")
        assert activity.timeline(runtime, memory_id)[0].version.text == "Anna likes green tea."


async def test_history_says_what_a_newer_memory_replaced(world: World) -> None:
    async with memories(world, ["User lives in Oslo."]) as (seen, _):
        runtime = seen.runtime
        (oslo,) = live(runtime)
        bergen = replace(oslo, id="01KG9HXJMRVST5QEZ1A4EGR62M", text="User lives in Bergen.")
        actor = Actor("rules", step="moved")
        with runtime.write() as session:
            for change in (SoftDeleted(oslo.id, "superseded", runtime.purge_at()), Created(bergen)):
                changes.apply(session, change, actor)
        seen.app.session.memories_changed()
        await seen.settle()
        await seen.pilot.press("enter", "tab")
        await looked_up(seen)
        await seen.until("replaced “User lives in Oslo.”")
        assert [memory.text for memory in live(runtime)] == ["User lives in Bergen."]


async def test_relations_are_walked_and_walked_back(world: World) -> None:
    async with memories(world) as (seen, screen):
        runtime = seen.runtime
        newest, middle, oldest = live(runtime)
        with runtime.write() as session:
            for memory, other in ((newest, middle), (middle, oldest)):
                changes.apply(session, Linked(memory.id, ((other.id, 0.7),)), Actor("rules"))
        await seen.pilot.press("enter", "tab", "tab")
        await looked_up(seen)
        await seen.until(lambda: "▆ Anna's sister" in seen.text())
        assert "Go there" in seen.text()
        await seen.pilot.press("down", "right")
        await seen.until(lambda: "▆ Anna likes" in seen.text())
        seen.app.session.memories_changed()
        await looked_up(seen)
        assert "▆ Anna likes" in seen.text()
        with runtime.write() as session:
            changes.apply(session, Linked(newest.id, ((oldest.id, 0.95),)), Actor("rules"))
        seen.app.session.memories_changed()
        await seen.until(lambda: "█ Anna likes" in seen.text())
        await seen.settle()
        await seen.pilot.press("enter")
        await seen.until(
            lambda: screen.detail.memory is not None and screen.detail.memory.id == middle.id
        )
        await seen.pilot.press("escape")
        await seen.until(
            lambda: screen.detail.memory is not None and screen.detail.memory.id == newest.id
        )


async def test_a_relation_that_does_not_fit_says_that_it_is_cut(world: World) -> None:
    long = (
        "Anna keeps a very long list of the plants in her garden and of the days on which each of "
        "them was watered."
    )
    async with memories(world, [long, "Anna gardens."]) as (seen, screen):
        runtime = seen.runtime
        newest, oldest = live(runtime)
        with runtime.write() as session:
            change = Linked(newest.id, ((oldest.id, 0.7),))
            changes.apply(session, change, Actor("rules"))
        await seen.pilot.press("enter", "tab", "tab")
        await looked_up(seen)
        await seen.until(lambda: "▆ Anna keeps" in seen.text())
        line = next(line for line in seen.lines() if "▆ Anna keeps" in line)
        assert line.endswith("…") and screen.query_one(MemoryRelations).max_scroll_x == 0


async def test_what_is_done_at_the_end_of_a_walk_leaves_the_person_there(world: World) -> None:
    async with memories(world) as (seen, screen):
        runtime = seen.runtime
        newest, _, oldest = live(runtime)
        with runtime.write() as session:
            changes.apply(session, Linked(newest.id, ((oldest.id, 0.7),)), Actor("rules"))
        await seen.pilot.press("enter", "tab", "tab")
        await looked_up(seen)
        await seen.until(lambda: "▆ Anna likes" in seen.text())
        await seen.pilot.press("down", "enter")
        await seen.until(
            lambda: screen.detail.memory is not None and screen.detail.memory.id == oldest.id
        )
        await seen.press("p", until=lambda: curate.get(runtime, oldest.id).pinned)
        await seen.settle(lambda: screen.rows.items[2].pinned)
        await seen.until(lambda: screen.detail.memory is not None and screen.detail.memory.pinned)
        assert screen.detail.memory is not None and screen.detail.memory.id == oldest.id


async def test_provenance_leads_to_the_message_and_tells_why_it_was_recalled(world: World) -> None:
    async with world.opened() as seen:
        assert world.model is not None
        world.model.enqueue("Good to know.")
        await seen.send("I moved to Oslo in March.")
        runtime = seen.runtime
        thread = chats.list_threads(runtime)[0]
        said, reply = chats.page(runtime, thread.id).messages[:2]
        await seen.pilot.press("escape", "home", "m", "enter")
        await seen.until(
            lambda: any(memory.origin == "person" for memory in curate.list_memories(runtime))
        )
        memory = next(
            memory for memory in curate.list_memories(runtime) if memory.origin == "person"
        )
        with runtime.write() as session:
            count_access(session, [memory.id])
            hit = Recalled(
                "memory", memory.id, "", "", "", runtime.clock(), 0.83, "words 0.71 + meaning 0.40"
            )
            session.conn.execute("DELETE FROM recalls")
            recalls.save_recalls(session, reply.id, [hit])
        seen.app.clear_notifications()
        await seen.pilot.press("f3")
        await shown(seen)
        await seen.pilot.press("enter", "shift+tab")
        await looked_up(seen)
        assert f"You wrote it at {memory.created_at:%H:%M}." in seen.words()
        assert "Stood in 1 prompt on 1 day" in seen.words()
        await seen.until("you typed: I moved to Oslo in March.")
        others = replace(said, pasted=((0, 5),)), replace(said, origin=Origin.IMPORT), reply
        actual = [written(message) for message in others]
        assert actual == ["you typed and pasted", "imported", "an answer"]
        await seen.pilot.press("j")
        await seen.pilot.pause()
        assert "0.83" in seen.text() and "words 0.71 + meaning 0.40" in seen.words()
        seen.app.session.memories_changed()
        await looked_up(seen)
        assert "0.83" in seen.text() and "words 0.71 + meaning 0.40" in seen.words()
        await seen.press("k", "enter", until=seen.in_mode("chat"))
        await seen.until(
            lambda: (
                seen.chat.transcript.cursor is not None
                and seen.chat.transcript.cursor.message.id == said.id
            )
        )


async def test_a_memory_reads_the_same_wherever_it_is_shown(world: World) -> None:
    async with memories(world, ["My cat is called Minka.", "I live in Bruges."]) as (seen, screen):
        runtime = seen.runtime
        await looked_up(seen)
        assert seen.words().count("I live in Bruges.") == 2
        assert "My cat is called Minka." in seen.words()
        await seen.pilot.press("y", "e")
        assert seen.app.clipboard == "I live in Bruges."
        await seen.until(MemoryForm)
        assert seen.app.screen.query_one(Words).text == "I live in Bruges."
        await seen.pilot.press("backspace", *", in a flat.", "enter")
        await seen.until(lambda: live(runtime)[0].text == "I live in Bruges, in a flat.")
        await seen.pilot.press("u")
        await seen.until(lambda: live(runtime)[0].text == "I live in Bruges.")
        await looked_up(seen)
        await seen.pilot.press("d")
        await seen.until(lambda: len(texts(screen)) == 1)
        assert any("Trashed “I live in Bruges.”" in toast for toast in seen.toasts())
        await seen.pilot.press("f5")
        await seen.until(
            lambda: "put there by you" in seen.text() and "I live in Bruges." in seen.words()
        )
        await seen.pilot.press("f7", "tab", "tab")
        await seen.until(lambda: "“My cat is called Minka.”" in seen.words())
        await seen.pilot.press("tab")
        await seen.until(lambda: "Trashed “I live in Bruges.”" in seen.words())
        await seen.pilot.press("ctrl+f")
        await seen.until(
            lambda: "Latest memories" in seen.text() and "My cat is called Minka." in seen.words()
        )


async def test_the_card_of_a_memory_follows_its_changes_and_relations(world: World) -> None:
    async with memories(world, FACTS[:2]) as (seen, _):
        runtime = seen.runtime
        one, other = live(runtime)
        with runtime.write() as session:
            changes.apply(session, Linked(one.id, ((other.id, 0.5),)), Actor("rules"))
        await seen.pilot.press("f2")
        seen.app.post_message(MemoryWanted(one.id, "Used for this answer."))
        await seen.until(
            lambda: (
                isinstance(seen.app.screen, MemoryCard) and "Used for this answer." in seen.text()
            )
        )
        await seen.pilot.press("p")
        await seen.until(lambda: "always kept" in seen.text() and "p Pin" in seen.text())
        await seen.pilot.press("tab", "tab")
        await seen.until(lambda: "▂ Anna" in seen.words())
        await seen.pilot.press("down", "enter", "shift+tab", "shift+tab")
        await seen.until(
            lambda: other.text in seen.words() and "Used for this answer." not in seen.text()
        )
        await seen.press(
            "escape", until=lambda: one.text in seen.words() and other.text not in seen.words()
        )
        await seen.press("d", until=lambda: seen.app.screen is seen.chat)
        assert [memory.id for memory in live(runtime)] == [other.id]


async def test_a_card_that_closes_while_it_looks_a_memory_up_breaks_nothing(world: World) -> None:
    async with memories(world, FACTS[:1]) as (seen, _):
        one = live(seen.runtime)[0]
        await seen.pilot.press("f2")
        seen.app.post_message(MemoryWanted(one.id))
        await seen.until(
            lambda: isinstance(seen.app.screen, MemoryCard) and one.text in seen.words()
        )
        card = seen.app.screen
        assert isinstance(card, MemoryCard)
        closing = seen.app.pop_screen()  # its widgets go from the innermost to the outermost
        with patch.object(ContentView, "look_up", side_effect=NoMatches("gone")) as looked_up:
            card.detail.show(one, at_once=True)
            await closing
        assert looked_up.called


# Together with the rest ---------------------------------------------------------------------------


async def test_a_change_elsewhere_is_seen_at_once_and_f3_opens_at_it(world: World) -> None:
    async with memories(world) as (seen, screen):
        await seen.chat.transcript.actions.add("Anna plays the flute.")
        await seen.until(lambda: "Anna plays the flute." in texts(screen), seconds=2)
        assert undo.undoable(seen.runtime)[0].text == "Anna plays the flute."
        await seen.pilot.press("G", "slash")
        await seen.type("oolong")
        await shown(seen, "oolong")
        await seen.pilot.press("f2")
        await seen.chat.transcript.actions.add("Anna plays the piano.")
        await seen.pilot.press("f3")
        await seen.until(
            lambda: (
                screen.rows.current is not None
                and screen.rows.current.text == "Anna plays the piano."
            )
        )


async def test_the_palette_offers_what_keys_do_here(world: World) -> None:
    async with memories(world) as (seen, screen):
        names = [command.title for command in seen.app.get_system_commands(screen)]
        assert [
            item
            for item in ("New", "Pin", "Tag", "Importance", "Mark all shown", "Trash", "Search")
            if item not in names
        ] == []
        assert names.index("Tag") < names.index("Find anything"), "what is done here comes first"
        await seen.pilot.press("ctrl+p")
        await seen.type("importance")
        await seen.until("with the key i")
        await seen.settle()  # the list is made anew for each letter
        await seen.press("enter", until=Choice)


@pytest.mark.slow
async def test_hostile_texts_are_shown_as_they_are(world: World) -> None:
    hostile = [f"{text} tea {number}"[:280] for number, text in enumerate([*MARKUP, *ESCAPES[:8]])]
    for size in SIZES:
        async with memories(world, [], size) as (seen, screen):
            runtime = seen.runtime
            if not live(runtime):
                for text in hostile:
                    revision = curate.add(runtime, text, tags=[text[:30]])
                    curate.edit(runtime, revision.memory_id, f"{text}!"[:280])
                ids = [memory.id for memory in live(runtime)]
                with runtime.write() as session:
                    edges = tuple((other, 0.5) for other in ids[1:20])
                    changes.apply(session, Linked(ids[0], edges), Actor("rules"))
            seen.app.session.memories_changed()
            await seen.settle()
            check_no_escapes(seen)
            for key in word_list("enter tab tab right down tab escape e escape t escape i"):
                await seen.press(key)
                check_no_escapes(seen)
            await seen.pilot.press("escape", "ctrl+a", "p", "slash")
            for text in ("[/INST]", "[b", '"[/', "tag:[", "tea\x1b]0;t\x07"):
                screen.query_one(SearchField).value = text
                await shown(seen, clean(text))
                check_no_escapes(seen)


@pytest.mark.slow
async def test_any_size_is_survived(world: World) -> None:
    async with memories(world) as (seen, screen):
        for size in ((20, 6), (200, 60), (40, 10), (99, 24), (101, 24), (80, 24)):
            await seen.pilot.resize_terminal(*size)
            await seen.press("j", "enter", "tab", "escape")
        assert len(texts(screen)) == 3


async def test_a_damaged_page_is_told_and_the_app_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memories(world):
        pass
    damage(world.folder / "memapp.db", "memories")
    # else it is read through before anything is shown
    monkeypatch.setattr("memapp.store.opening.LARGE_BYTES", 0)
    monkeypatch.setattr("memapp.store.database.Database.check", lambda _: None)
    async with world.opened() as seen:
        seen.app.clear_notifications()
        await seen.press("f3", until=seen.tells("is damaged"))
        await seen.press("f2", until=seen.in_mode("chat"))
        assert seen.chat.composer.has_focus
