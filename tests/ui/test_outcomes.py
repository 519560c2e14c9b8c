"""The quiet line below an answer tells the outcome of the message, and opens; its keys work."""

from memapp.services import curate, preferences
from memapp.services.consent import decisions, pending
from memapp.ui.memories.form import MemoryForm
from memapp.ui.screens.inbox import InboxScreen
from memapp.ui.widgets.outcome import OutcomeNote
from tests.ui.conftest import Seen, World

DOG = "I have a dog called Rex."
SOUP = "I had soup for lunch."
KEPT = "Remembered: I have a dog called Rex."


def chosen(seen: Seen) -> str:
    """Return the line that is chosen, which is shown in reverse."""
    notes = seen.app.screen.query(OutcomeNote)
    return " ".join(
        line.plain.strip()
        for note in notes
        for line in note.content.split("\n")
        if any("reverse" in str(s.style) for s in line.spans)
    )


async def told(seen: Seen, *texts: str) -> None:
    for text in texts:
        await seen.send(text)
    await seen.settle(
        lambda: any(
            words in seen.text() for words in ("not kept", "Remembered", "Pending in the inbox")
        )
    )


async def test_the_line_sums_up_and_opens_to_deeds_for_each_statement(seen: Seen) -> None:
    await told(seen, f"{DOG} {SOUP}")
    await seen.until(f"▸ {KEPT} · edit · undo · 1 not kept")
    assert "a passing thing" not in seen.text(), "why is said to those who look"
    await seen.press(
        "escape", "up", "w", until="– “I had soup for lunch.” · a passing thing · keep anyway"
    )
    await seen.press(
        "down",
        "down",
        until=lambda: "m keep anyway" in chosen(seen) and "m Remember" in seen.lines()[-1],
    )
    await seen.press("m", until=lambda: seen.known() == [SOUP, DOG])
    await seen.until("▾ Remembered 2 ✓ I have a dog called Rex.")
    await seen.until(lambda: "u Undo" in seen.lines()[-1] and "m Remember" not in seen.lines()[-1])
    await seen.press("u", until=lambda: seen.known() == [DOG])
    await seen.until("– “I had soup for lunch.” · you undid it · m keep anyway")
    await seen.press("up", "enter", until=lambda: "you undid it" not in seen.words())


async def test_one_thing_is_edited_and_taken_back_on_its_line(seen: Seen) -> None:
    await told(seen, DOG)
    await seen.press("escape", "up", "w", until=f"{KEPT} · e edit · u undo")
    await seen.press("e", until=MemoryForm)
    await seen.press("escape", until=lambda: not isinstance(seen.app.screen, MemoryForm))
    seen.chat.composer.focus()
    await seen.pilot.resize_terminal(50, 40)
    await seen.until("Remembered: I have a dog … · edit · undo")
    await seen.click("undo")
    await seen.until(lambda: seen.known() == [] and "1 not kept" in seen.text())
    await seen.type("muwe")
    assert seen.chat.composer.text == "muwe", "letters are letters while one writes"
    assert curate.count(seen.runtime) == 0


async def test_u_on_a_message_undoes_what_was_kept_of_it_and_nothing_else(seen: Seen) -> None:
    curate.add(seen.runtime, "Anna has a cat.")
    await told(seen, DOG)
    await seen.send("well, what a day")
    await seen.settle()
    await seen.press("escape", "up", until=lambda: "u Undo" not in seen.lines()[-1])
    await seen.press("u", until=lambda: "There is nothing to undo here." in " ".join(seen.toasts()))
    assert seen.known() == [DOG, "Anna has a cat."]
    await seen.press("g", until=lambda: "u Undo" in seen.lines()[-1])
    await seen.press("u", until=lambda: seen.known() == ["Anna has a cat."])
    await seen.pilot.press("u")
    await seen.settle()
    assert seen.known() == ["Anna has a cat."], "the last change elsewhere is not this message's"


async def test_u_on_a_message_of_which_more_was_kept_asks_which(seen: Seen) -> None:
    await told(seen, f"{DOG} My sister Mira is a potter.")
    await seen.until(lambda: len(seen.known()) == 2)
    await seen.press("escape", "up", "u", until=lambda: "w shows them" in " ".join(seen.toasts()))
    assert len(seen.known()) == 2


async def test_clicks_open_the_line_keep_and_take_back(seen: Seen) -> None:
    await told(seen, SOUP)
    await seen.until(lambda: "▸ 1 not kept: a passing thing" in seen.words())
    await seen.click("1 not kept")
    await seen.until("keep anyway")
    await seen.click("keep anyway")
    await seen.until(lambda: seen.known() == [SOUP])
    await seen.until(seen.tells(f"Remembered “{SOUP}”"))
    seen.app.clear_notifications()  # what is below them is looked at
    await seen.until(f"Remembered: {SOUP}")
    await seen.click("undo")
    await seen.until(lambda: seen.known() == [])
    assert "keep anyway" not in seen.toasts()


async def test_what_waits_is_said_with_its_key_and_a_no_can_be_kept_anyway(seen: Seen) -> None:
    preferences.set_preference(seen.runtime, "ask_in_chat", "false")
    await told(seen, f"{DOG} I have diabetes.")
    await seen.until(
        lambda: (
            f"{KEPT} · edit · undo ● Pending in the inbox: Health “I have diabetes.” · F4"
            in seen.words()
        )
    )
    await seen.pilot.press("escape", "up", "w", "down", "down", "enter")
    await seen.until(InboxScreen)
    decisions.deny(seen.runtime, *(request.id for request in pending.list_pending(seen.runtime)))
    seen.app.session.memories_changed()
    await seen.press("f2", until="“I have diabetes.” · you said no")
    await seen.press(
        "escape",
        "up",
        "down",
        "down",
        "down",
        "m",
        until=lambda: "I have diabetes." in seen.known(),
    )
    assert pending.list_pending(seen.runtime) == []
    seen.app.clear_notifications()  # what is below them is looked at
    await seen.send("We're moving from Utrecht to Ghent soon.")
    await seen.until("Pending in the inbox: Fact “We're moving from Utrecht to Ghent soon.”")


async def test_the_same_is_said_after_a_restart(world: World) -> None:
    async with world.opened() as seen:
        preferences.set_preference(seen.runtime, "ask_in_chat", "false")
        await told(seen, f"{DOG} {SOUP} I have diabetes.", f"{SOUP} :(")
        before = [str(note.content) for note in seen.app.screen.query(OutcomeNote)]
    async with world.opened() as seen:
        await seen.until(lambda: seen.text().count("1 not kept") == 2)
        assert [str(note.content) for note in seen.app.screen.query(OutcomeNote)] == before
        words = seen.words()
        assert words.index(KEPT) < words.index("Pending in the inbox") < words.index(f"{SOUP} :(")
