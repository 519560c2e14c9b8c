"""A model's thoughts stand folded under its reply until memapp closes."""

import pytest

from memapp.services import chats
from memapp.ui.chat import state
from memapp.ui.widgets.bubbles import Answer
from tests.ui.conftest import Seen, World
from tests.ui.test_chat import slow_reply

THOUGHT = "They want [b]tea[/b]."
FOLDED = "▸ Thought first · 3 words · z unfolds"


def last(seen: Seen) -> Answer:
    answer = seen.chat.transcript.last_answer
    assert answer is not None
    return answer


@pytest.mark.parametrize(
    "reply", [f"<think>{THOUGHT}</think>\n\nOolong, then.", f"{THOUGHT}\n</think>\n\nOolong, then."]
)
async def test_thoughts_stand_folded_under_a_reply_until_opened(world: World, reply: str) -> None:
    async with world.opened() as seen:
        world.model.enqueue(reply)
        await seen.send("which tea?")
        assert FOLDED in seen.text() and "They want" not in seen.text()
        assert last(seen).text == "Oolong, then."
        lines = seen.lines()
        at = [
            next(n for n, line in enumerate(lines) if words in line)
            for words in ("Oolong, then.", "Thought first")
        ]
        assert at[1] == at[0] + 1
        await seen.press("escape", "up", "z")
        assert THOUGHT in seen.text() and "▾ Thought first · 3 words · z folds" in seen.text()
        await seen.press("z")
        assert FOLDED in seen.text() and "They want" not in seen.text()
        await seen.click("Thought first")
        await seen.settle()
        assert THOUGHT in seen.text()
        assert "They want" not in str(chats.page(seen.runtime, seen.chat.state.thread_id))
    async with world.opened() as again:
        assert "Oolong, then." in again.text() and "Thought first" not in again.text()
        await again.press("escape", "up")
        assert again.chat.transcript.check_action("thoughts", ()) is False


async def test_thoughts_come_again_with_their_chat_unless_it_was_erased(world: World) -> None:
    async with world.opened() as seen:
        world.model.enqueue(f"<think>{THOUGHT}</think>Oolong, then.")
        await seen.send("which tea?")
        thread = seen.chat.state.thread
        await seen.press("ctrl+n")
        assert "Thought first" not in seen.text()
        seen.chat.open_thread(thread)
        await seen.settle()
        assert FOLDED in seen.text()
        await seen.chat._show_again()
        await seen.settle()
        assert "Oolong, then." in seen.text() and "Thought first" not in seen.text()


async def test_thoughts_can_be_read_while_the_model_thinks(world: World) -> None:
    gate = slow_reply(
        world, "<think>one two three four five six seven eight nine ten</think>Fine.", words=8
    )
    async with world.opened() as seen:
        seen.chat.composer.focus()
        await seen.type("count", "enter", until=gate.reached.is_set)
        await seen.until("Thought first")
        assert "thinking…" in seen.text()
        await seen.click("Thought first")
        await seen.until("one two three")
        gate.open.set()
        await seen.answered()
        assert "one two three four five six seven eight nine ten" in seen.text()
        assert last(seen).text == "Fine."


def test_only_so_many_thoughts_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MOST_THOUGHTS", 2)
    monkeypatch.setattr(state, "MOST_THOUGHT_CHARS", 5)
    kept = state.ThoughtStore()
    assert [kept.add("a", "x" * 3), kept.add("a", "y" * 3), kept.add("a", "z")] == ["xxx", "yy", ""]
    kept.add("b", "b")
    kept.add("c", "c")
    assert [kept.of(text) for text in "abc"] == ["", "b", "c"]
