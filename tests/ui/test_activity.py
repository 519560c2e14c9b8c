"""Activity: the numbers, the log and what can be undone, as a person sees them."""

import os
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import get_args
from unittest.mock import patch

import pytest

from memapp.domain.activity import Count, HitRates, Rate, Rates, Tally
from memapp.domain.changes import Actor, Created, Event
from memapp.domain.grants import Grant
from memapp.domain.history import Step
from memapp.errors import Refused
from memapp.language.history import in_words
from memapp.language.lexicon import lexicon
from memapp.services import activity, agents, chats, curate, forget, undo
from memapp.services.agents import Caller
from memapp.services.consent import decisions, pending, requests
from memapp.store import changes
from memapp.store.events import Node, add_event
from memapp.ui.activity import log_rows, read_models
from memapp.ui.activity.charts import bars, pictures
from memapp.ui.dialogs import TextCard
from memapp.ui.memories.card import MemoryCard
from memapp.ui.screens.activity import ActivityScreen
from memapp.ui.widgets.rowlist import RowList
from tests.builders import fact, new_chat, say
from tests.services.imports.builders import carry, empty_store
from tests.ui.conftest import Seen, World
from tests.ui.test_hostile import ESCAPES, MARKUP, check_no_escapes
from tests.ui.test_screens import check_picture, in_both_sizes

SECRET = "Anna hides the key under the mat."


async def open_activity(seen: Seen, tab: str = "numbers") -> ActivityScreen:
    await seen.press(
        "f7",
        until=lambda: isinstance(seen.app.screen, ActivityScreen) and seen.app.screen.is_mounted,
    )
    screen = seen.app.screen
    assert isinstance(screen, ActivityScreen)
    while screen.tab != tab:
        await seen.pilot.press("tab")
    await seen.settle()
    return screen


@pytest.fixture
async def narrow(world: World) -> AsyncIterator[Seen]:
    async with world.opened(size=(80, 24)) as seen:
        yield seen


# Numbers ------------------------------------------------------------------------------------------


async def test_operations_are_counted_and_called_in_plain_words(seen: Seen) -> None:
    await seen.send("Hello there, how are you?")
    curate.add(seen.runtime, "Anna likes oolong tea.")
    with seen.runtime.write() as session:
        add_event(session, "context", "search", "error")
        add_event(session, "worker", "polish_shoes", "ok")
    await open_activity(seen)
    table = {
        line.strip().split("  ")[0]: line.split()[-4:]
        for line in seen.lines()
        if line.startswith("      ")
    }
    assert table["answered"] == ["1", "1", "1", "-"]
    assert table["remembered something"] == ["1", "1", "1", "-"]
    assert "1 ✗" in next(line for line in seen.lines() if "searched the memory" in line)
    assert "polish shoes" in seen.text(), "what has no words of its own yet is still shown"
    assert not {"respond", "classify", "hotpath"} & set(seen.words().split())
    assert set(lexicon("labels").table("nodes")) == set(get_args(Node))


async def test_rates_are_told_with_numbers_and_goals(seen: Seen) -> None:
    for turns, shown in (
        (Rate(1, 40), "✓ 1 of 40 turns needed a second look 2%, goal below 10%"),
        (Rate(4, 40), "✗ 4 of 40 turns needed a second look 10%, goal below 10%"),
        (Rate(0, 0), "- turns needed a second look: none yet, goal below 10%"),
    ):
        rates = Rates(HitRates(Rate(3, 4), Rate(1, 4)), turns)
        with patch.object(activity, "rates", lambda _, rates=rates: rates):
            await open_activity(seen)
        assert "3 of 4 messages came as predicted 75%" in seen.words()
        assert "1 of 4 were something else on the predicted topic 25%" in seen.words()
        assert shown in seen.words()
        await seen.press("f2", until=seen.in_mode("chat"))


def test_a_bar_is_as_high_as_its_share_and_a_point_is_nothing() -> None:
    assert bars([None, 0.01, 0.5, 1.0]) == ["·▁▄█"]
    assert bars([None, 0.0, 0.5, 0.9, 1.0], 2) == ["   ▇█", "·▁███"]
    assert bars([]) == [""]


TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("tallies", "told"),
    [
        ([], ["Nothing to draw yet."]),
        ([Tally("semantic", TODAY, 3, 3)],
         ["Facts ███ 3 · most 3 a day", "Insights ··· none yet", "today"]),
        ([Tally("recalled", TODAY - timedelta(days=1), 0, 4), Tally("recalled", TODAY, 3, 4)],
         ["▄▄▄ 0 to 100% ▁▁▁███ 3 of 8 · 38%", "since 28 February", "Facts ······ none yet"]),
        ([Tally("done", TODAY - timedelta(days=ago), 1000, 1000) for ago in range(365)],
         ["365,000 · most 11,000 in 11 days", "each column 11 days"]),
    ],
)  # fmt: skip
def test_pictures_are_true_of_small_and_large_files(tallies: list[Tally], told: list[str]) -> None:
    for width, height in ((80, 20), (116, 20)):
        drawn = pictures(tallies, TODAY, width, height).plain
        assert all(len(line) <= width for line in drawn.splitlines())
        if width == 80:
            assert [text for text in told if text not in " ".join(drawn.split())] == []


# The log ------------------------------------------------------------------------------------------


async def test_the_log_says_who_did_what_to_which_memory_and_why(seen: Seen) -> None:
    runtime = seen.runtime
    tea = curate.add(runtime, "Anna likes oolong tea.").memory_id
    curate.pin(runtime, tea)
    undo.undo(runtime, decisions.set_field(runtime, "city", "Oslo"))
    await open_activity(seen, "log")
    shown = [" ".join(line.split()) for line in seen.lines()]
    assert any(line.endswith("you changed your profile Home") for line in shown)
    assert any(line.endswith("you undid Home") for line in shown)
    assert any(line.endswith("you pinned “Anna likes oolong tea.”") for line in shown)
    assert any(line.endswith("you remembered “Anna likes oolong tea.”") for line in shown)
    assert "undid “Anna" not in seen.words()
    await seen.press("u", until=lambda: "undid “Anna likes oolong tea.”" in seen.words())
    assert not curate.get(runtime, tea).pinned, "what is taken back is seen at once"


async def test_a_file_that_was_brought_in_is_told_to_be_one(seen: Seen, tmp_path: Path) -> None:
    with empty_store() as other:
        curate.add(other, "Anna keeps bees.")
        carry(other, seen.runtime, tmp_path)
    screen = await open_activity(seen, "log")
    assert "an import added a file" in seen.words()
    assert screen.lines.current is not None and log_rows.is_file(screen.lines.current)
    await seen.pilot.press("enter")
    await seen.until(seen.tells("The next tab undoes it."))
    await open_activity(seen, "undo")
    assert "Imported a file: 1 fact" in seen.words()
    await seen.press("u", until=lambda: pending.count_pending(seen.runtime) == 0)
    await open_activity(seen, "log")
    await seen.until("undid a file")


@pytest.mark.parametrize("keys", [["f7", "u"], ["escape", "ctrl+z"]])
async def test_chats_go_with_their_file(seen: Seen, tmp_path: Path, keys: list[str]) -> None:
    with empty_store() as other:
        say(other, new_chat(other), "I keep bees.")
        carry(other, seen.runtime, tmp_path)
    (thread,) = chats.list_threads(seen.runtime)
    seen.chat.open_thread(thread)
    await seen.settle()
    assert seen.chat.state.thread == thread and seen.chat.threads.thread(thread.id)
    await seen.pilot.press(*keys)
    await seen.settle(lambda: seen.chat.state.thread is None)
    assert seen.chat.threads.thread(thread.id) is None


async def test_the_log_quotes_nothing_that_is_in_the_trash_or_erased(seen: Seen) -> None:
    runtime = seen.runtime
    memory = curate.add(runtime, SECRET).memory_id
    curate.edit(runtime, memory, f"{SECRET} Or so.")
    curate.discard(runtime, memory)
    await open_activity(seen, "log")
    assert "the key" not in seen.text()
    assert seen.text().count("a memory") == 3
    await seen.press("home", "down", "enter")
    assert len(seen.app.screen_stack) == 1 and "the key" not in seen.text()
    assert any("F5" in toast for toast in seen.toasts())
    forget.purge(runtime, [memory])
    seen.app.session.memories_changed()
    await seen.until("erased for good")
    await seen.press("home", "enter", until=lambda: seen.toasts() == ["It was erased for good."])


async def test_enter_shows_what_a_change_made_of_a_memory_then_opens_it(seen: Seen) -> None:
    runtime = seen.runtime
    memory = curate.add(runtime, "Anna likes green tea.").memory_id
    curate.edit(runtime, memory, "Anna likes oolong tea.")
    await open_activity(seen, "log")
    await seen.press("home", "enter", until=TextCard)
    await seen.pilot.pause()
    assert "Anna likes -green- +oolong+ tea." in seen.words()
    await seen.pilot.press("enter")
    await seen.until(
        lambda: isinstance(seen.app.screen, MemoryCard) and "Anna likes oolong tea." in seen.text()
    )


async def test_the_log_is_read_page_by_page(seen: Seen) -> None:
    for number in range(7):
        curate.add(seen.runtime, f"Fact number {number}.")
    with patch.object(read_models, "PAGE", 3):
        screen = await open_activity(seen, "log")
        pages = [[log_line.said for log_line in screen.lines.items]]
        for _ in range(2):
            await seen.press("end", "down", "enter")
            pages.append([log_line.said for log_line in screen.lines.items])
            assert screen.lines.current == screen.lines.items[0]
        assert [text for page in pages for text in page] == [
            f"Fact number {number}." for number in reversed(range(7))
        ]
        assert "↓ older" not in seen.text()
        await seen.press("home", "up", "enter")
        assert [log_line.said for log_line in screen.lines.items] == pages[1]
        for _ in range(3):  # before the rows are there
            screen.lines.post_message(RowList.PageWanted(screen.lines, -1))
        await seen.settle()
        assert [log_line.said for log_line in screen.lines.items] == pages[0]


# Taking back --------------------------------------------------------------------------------------


async def test_the_last_change_is_taken_back_again_and_again(seen: Seen) -> None:
    """With the key of this panel, and with the one that undoes everywhere."""
    runtime = seen.runtime
    memory = curate.add(runtime, "Anna likes oolong tea.").memory_id
    curate.edit(runtime, memory, "Anna likes green tea.")
    decisions.set_field(runtime, "city", "Oslo")
    screen = await open_activity(seen, "undo")
    assert [undoable.said for undoable in screen.steps.items] == [
        "Set Home to “Oslo”",
        "Changed “Anna likes green tea.”",
        "Remembered “Anna likes green tea.”",
    ]
    await seen.pilot.press("u")
    await seen.settle(lambda: decisions.profile(runtime) == {})
    assert any("Undone: Set Home to “Oslo”" in toast for toast in seen.toasts())
    await seen.pilot.press("ctrl+z")
    await seen.settle(lambda: curate.get(runtime, memory).text == "Anna likes oolong tea.")
    await seen.pilot.press("u")
    await seen.settle(lambda: curate.count(runtime) == 0)
    assert "There is nothing to undo." in seen.text()
    for key in ("u", "ctrl+z"):
        seen.app.clear_notifications()
        await seen.press(key, until=seen.tells("There is nothing to undo."))


async def test_what_is_taken_back_here_is_not_taken_back_elsewhere_too(seen: Seen) -> None:
    await seen.chat.transcript.actions.add("Anna likes oolong tea.")
    await seen.chat.transcript.actions.add("Anna has a cat.")
    await open_activity(seen, "undo")
    await seen.pilot.press("u")
    await seen.settle(lambda: curate.count(seen.runtime) == 1)
    await seen.press("f4", "ctrl+z", until=lambda: curate.count(seen.runtime) == 0)
    assert undo.undoable(seen.runtime) == []


async def test_an_answer_in_the_inbox_is_called_by_its_name(seen: Seen) -> None:
    runtime = seen.runtime
    for action, field in ((decisions.deny, "city"), (decisions.snooze, "pronouns")):
        found = requests.propose(runtime, field, "x")
        assert found is not None
        action(runtime, found.id)
    screen = await open_activity(seen, "undo")
    actual = [undoable.said for undoable in screen.steps.items]
    assert actual == ["Put off Pronouns “x” until tomorrow", "Denied Home “x”"]


@pytest.mark.parametrize(
    ("event", "actor", "memories", "reason", "said"),
    [
        (Event.DELETE, "person", 1, "person", "Trashed “Tea”"),
        (Event.DELETE, "lifecycle", 3, "overflow", "Trashed “Tea” and 2 more"),
        (Event.DELETE, "merge", 1, "superseded", "Replaced “Tea” by something newer"),
        (Event.TTL, "lifecycle", 2, "unused", "Trashed “Tea” and 1 more"),
        (Event.RESTORE, "person", 1, "", "Restored “Tea”"),
        (Event.RESTORE, "import", 2, "", "Imported a file: “Tea”"),
        (Event.ADD, "import", 4, "", "Imported a file: “Tea” and 2 more"),
    ],
)
def test_a_step_is_told_in_plain_words(
    event: Event, actor: str, memories: int, reason: str, said: str
) -> None:
    assert (
        in_words(
            Step("1", event, "m", "Tea", memories, actor, datetime(2026, 3, 1, tzinfo=UTC), reason)
        )
        == said
    )


# Safety of the screen, and its looks --------------------------------------------------------------


async def test_hostile_memories_are_shown_as_they_are(narrow: Seen) -> None:
    for number, text in enumerate([*MARKUP, *ESCAPES]):
        curate.add(narrow.app.runtime, f"{text} {number}"[:280].replace("\ud800", ""))
    for tab in ("log", "undo"):
        await open_activity(narrow, tab)
        for _ in range(4):
            check_no_escapes(narrow)
            await narrow.pilot.press("pagedown")
            await narrow.pilot.pause()
    assert "[/INST]" in narrow.text()


def _counts(_: object) -> list[Count]:
    return [Count("hotpath", "respond", 12, 40, 1234, 2), Count("worker", "distil", 10, 30, 900, 0)]


def _over_time(_: object) -> list[Tally]:
    days = [TODAY - timedelta(days=29 - number) for number in range(30)]
    found = [
        Tally("semantic", day, number * number % 7, number * number % 7)
        for number, day in enumerate(days)
        if number % 7
    ]
    found += [Tally("episodic", day, 1, 1) for day in days[::4]]
    found += [
        Tally("recalled", day, number % 5, 4 + number % 5) for number, day in enumerate(days[3:])
    ]
    found += [Tally("expected", day, number % 3, 9) for number, day in enumerate(days[10:])]
    return [
        *found,
        *(
            Tally("done", day, number * 7 % 41 + 1, number * 7 % 41 + 1)
            for number, day in enumerate(days)
        ),
    ]


@in_both_sizes
async def test_activity_looks_as_it_must(world: World, size: tuple[int, int], update: bool) -> None:
    name = f"{size[0]}x{size[1]}"
    rates = Rates(HitRates(Rate(3, 40), Rate(9, 40)), Rate(5, 40))
    async with world.opened(size=size) as seen:
        runtime = seen.runtime
        memory = curate.add(
            runtime, "Anna likes oolong tea in the morning, and without sugar."
        ).memory_id
        curate.pin(runtime, memory)
        curate.discard(runtime, curate.add(runtime, SECRET).memory_id)
        decisions.set_field(runtime, "city", "Oslo")
        with (
            patch.object(activity, "counts", _counts),
            patch.object(activity, "over_time", _over_time),
            patch.object(activity, "rates", lambda _: rates),
        ):
            await open_activity(seen)
            check_picture(seen, f"activity-{name}", update)
            await open_activity(seen, "pictures")
            check_picture(seen, f"pictures-{name}", update)
        await open_activity(seen, "log")
        await seen.press("home")
        check_picture(seen, f"log-{name}", update)
        await open_activity(seen, "undo")
        await seen.press("home")
        check_picture(seen, f"undo-{name}", update)


async def test_without_colour_signs_and_words_tell_the_state(world: World) -> None:
    with patch.dict(os.environ, {"NO_COLOR": "1"}):
        async with world.opened(size=(120, 40)) as seen:
            curate.add(seen.runtime, "Anna likes oolong tea.")
            with patch.object(
                activity, "rates", lambda _: Rates(HitRates(Rate(1, 2), Rate(1, 2)), Rate(0, 2))
            ):
                await open_activity(seen)
            assert "✓ 0 of 2 turns" in seen.words() and "[Numbers]" in seen.text()
            await open_activity(seen, "undo")
            assert "↶ Remembered" in seen.text()


async def test_the_log_says_who_did_it_and_counts_what_messages_got(world: World) -> None:
    async with world.app(size=(80, 24)) as seen:
        await seen.ready()
        curate.add(seen.runtime, "User plays the piano.")
        for text in ("The piano again!", "How old is a piano?", "/forget piano"):
            await seen.send(text)
        await open_activity(seen, "log")
        await seen.pilot.press("home")
        await seen.settle()
        rows = [line for line in seen.lines() if "today" in line]
        done = [line.partition("you")[2] for line in rows]
        actual = [text.split("  ")[-1].strip() for text in done]
        assert actual == ["4 messages of yours", "a memory", "a memory"]
        assert {len(text) - len(text.lstrip()) for text in done} == {8}, (
            "what was done begins in one column"
        )


# Agents -------------------------------------------------------------------------------------------


def correct(seen: Seen, trashed: int, kept: int) -> None:
    """Let a model remember things, of which the person trashes the first."""
    runtime = seen.runtime
    for number in range(trashed + kept):
        with runtime.write() as session:
            memory = fact(f"I like thing number {number}", session.now)
            changes.apply(session, Created(memory), Actor(f"model:{MARKUP[0]}"))
        if number < trashed:
            curate.discard(runtime, memory.id)


async def test_agents_stand_with_trust_and_count_tell_why_and_can_be_blocked(narrow: Seen) -> None:
    await open_activity(narrow, "agents")
    assert "Nobody did anything yet that could be judged." in narrow.text()
    await narrow.press("f2", until=narrow.in_mode("chat"))
    correct(narrow, 7, 1)
    screen = await open_activity(narrow, "agents")
    (line,) = [line for line in narrow.lines() if "trust 0.42 (kept 0 of 7)" in line]
    assert "! asks first" in line
    await narrow.press("enter", until=lambda: isinstance(narrow.app.screen, TextCard))
    told = "\n".join(narrow.lines())
    assert told.count("you trashed it") == 7
    assert "you undid 7 of its last 7" in told
    check_no_escapes(narrow)
    await narrow.press("escape", until=lambda: narrow.app.screen is screen)

    await narrow.press("b", until=lambda: any("✗ blocked" in line for line in narrow.lines()))
    await narrow.press(
        "ctrl+z", until=lambda: any("! asks first" in line for line in narrow.lines())
    )
    await narrow.press("b", until=lambda: any("✗ blocked" in line for line in narrow.lines()))
    await narrow.press("b", until=lambda: any("! asks first" in line for line in narrow.lines()))


async def test_another_program_stands_with_its_asking_and_refusals(narrow: Seen) -> None:
    runtime = narrow.app.runtime
    curate.add(runtime, "I keep bees.")
    editor = Caller("editor", Grant(), "Edit [b]or 2.1")
    with agents.called(runtime, editor, "search_memories") as ids:
        ids += [quotation.id for quotation in agents.search(runtime, editor, "bees").memories]
    with pytest.raises(Refused), agents.called(runtime, editor, "recent_memories"):
        agents.recent(runtime, editor, category="profile")
    screen = await open_activity(narrow, "agents")
    assert any("editor" in line for line in narrow.lines())
    await narrow.press("enter", until=lambda: isinstance(narrow.app.screen, TextCard))
    told = "\n".join(narrow.lines())
    assert "Asked 2 times, refused 1" in told
    assert "calls itself “Edit [b]or 2.1”, which nobody checked" in told
    assert "search_memories: 1 memory" in told and "recent_memories: refused" in told
    await narrow.press("escape", until=lambda: narrow.app.screen is screen)
    await narrow.press("b", until=lambda: any("✗ blocked" in line for line in narrow.lines()))
    with pytest.raises(Refused, match="blocked"), agents.called(runtime, editor, "search_memories"):
        pass
