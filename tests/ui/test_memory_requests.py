"""Requests to the memory, typed in the chat: done at once, shown, and undone with one key."""

from memapp.services import curate
from tests.ui.conftest import Seen, World


def known(seen: Seen) -> list[str]:
    return sorted(memory.text for memory in curate.list_memories(seen.runtime))


async def test_what_is_to_be_remembered_is_said_and_undone_with_one_key(seen: Seen) -> None:
    await seen.send("please remember that I hate olives")
    await seen.until(lambda: "I remember that: I hate olives" in seen.words())
    await seen.until(lambda: "Remembered: I hate olives · edit · undo" in seen.words())
    await seen.settle()
    assert known(seen) == ["I hate olives"]
    assert seen.words().count("undo") == 1, "one undo is enough"
    await seen.pilot.press("ctrl+z")
    await seen.until(lambda: known(seen) == [])
    assert "Undone: Remembered “I hate olives”" in seen.toasts(), (
        "as every list of what was done calls it"
    )


async def test_beside_an_answer_it_stands_in_a_line_of_its_own(seen: Seen) -> None:
    await seen.send("Off the record: I can't stand Dana. How do I survive the offsite?")
    await seen.settle(lambda: "I keep nothing of that" in seen.words())
    assert known(seen) == []


async def test_commands_forget_tell_and_take_back(seen: Seen) -> None:
    curate.add(seen.runtime, "Mijn hond heet Pluis.")
    await seen.send("/know hond", until="Mijn hond heet Pluis.")
    await seen.send("/forget hond", until="Forgotten: Mijn hond heet Pluis.")
    assert known(seen) == []
    await seen.send("/undo", until=lambda: known(seen) == ["Mijn hond heet Pluis."])
    assert seen.chat.composer.text == ""


async def test_a_secret_written_by_hand_is_refused_too(seen: Seen) -> None:
    await seen.send("/remember my pin is 4432", until="I do not keep passwords")
    assert known(seen) == []


async def test_without_a_model_it_is_done_all_the_same(world: World) -> None:
    world.model = None
    async with world.opened() as seen:
        await seen.send("remember that I hate olives", until="I remember that: I hate olives")
        await seen.send(
            "what do you know about me?", until=lambda: seen.words().count("I hate olives") > 2
        )
        await seen.send("hello there", until="No model to answer")
        assert known(seen) == ["I hate olives"]
