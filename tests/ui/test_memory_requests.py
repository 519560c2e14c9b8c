"""Requests to the memory, typed in the chat: done at once, shown, and undone with one key."""

from memapp.services import curate
from tests.ui.conftest import Seen, World


async def test_what_is_to_be_remembered_is_said_and_undone_with_one_key(seen: Seen) -> None:
    await seen.send("please remember that I hate olives")
    await seen.until(lambda: "I remember that: I hate olives" in seen.words())
    await seen.until(lambda: "Remembered: I hate olives · edit · undo" in seen.words())
    await seen.settle()
    assert seen.known() == ["I hate olives"]
    assert seen.words().count("undo") == 1, "one undo is enough"
    await seen.pilot.press("ctrl+z")
    await seen.until(lambda: seen.known() == [])
    assert "Undone: Remembered “I hate olives”" in seen.toasts(), (
        "as every list of what was done calls it"
    )


async def test_what_is_not_to_be_kept_is_not(seen: Seen) -> None:
    await seen.send(
        "Off the record: I can't stand Dana. How do I survive the offsite?",
        until="I keep nothing of that",
    )
    await seen.send("/remember my pin is 4432", until="I do not keep passwords")
    assert seen.known() == []


async def test_commands_forget_tell_and_take_back(seen: Seen) -> None:
    curate.add(seen.runtime, "Mijn hond heet Pluis.")
    await seen.send("/know hond", until="Mijn hond heet Pluis.")
    await seen.send("/forget hond", until="Forgotten: Mijn hond heet Pluis.")
    assert seen.known() == []
    await seen.send("/undo", until=lambda: seen.known() == ["Mijn hond heet Pluis."])
    assert seen.chat.composer.text == ""


async def test_without_a_model_it_is_done_all_the_same(world: World) -> None:
    world.model = None
    async with world.opened() as seen:
        await seen.send("remember that I hate olives", until="I remember that: I hate olives")
        await seen.send(
            "what do you know about me?", until=lambda: seen.words().count("I hate olives") > 2
        )
        await seen.send("hello there", until="No model to answer")
        assert seen.known() == ["I hate olives"]
