"""The main job: a message is sent, the answer streams, and both are there after a restart."""

import asyncio
import re
import threading
from dataclasses import replace
from unittest.mock import patch

import pytest

from memapp.domain.chat import MessageStatus, Origin, Role
from memapp.domain.memory import Recalled
from memapp.errors import DiskFull
from memapp.services import chats, curate, preferences
from memapp.services.consent import decisions
from memapp.services.lessons import curate as lessons
from memapp.store import chat
from memapp.store.database import Database
from memapp.ui import read_models
from memapp.ui.app import MemappApp
from memapp.ui.chat import conversation, status
from memapp.ui.chat.threads import ThreadList
from memapp.ui.memories.card import MemoryCard
from memapp.ui.panels.loop_trace import LoopDrawer
from memapp.ui.widgets import composer
from memapp.ui.widgets.bubbles import Answer, Said
from memapp.ui.widgets.statusline import StatusLine
from tests.builders import learn
from tests.ui.conftest import Seen, World


def messages(seen: Seen) -> list[tuple[Role, str, MessageStatus]]:
    assert seen.chat.state.thread is not None
    page = chats.page(seen.runtime, seen.chat.state.thread.id)
    return [(message.role, message.text, message.status) for message in page.messages]


def shown(seen: Seen) -> list[str]:
    return [
        bubble.text if isinstance(bubble, Answer) else bubble.message.text
        for bubble in seen.chat.transcript.bubbles
    ]


class Gate:
    """Lets the scripted model go on token by token."""

    def __init__(self, world: World, *, after: int) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()
        self._left = after
        assert world.model is not None
        world.model.delay_seconds = 0.001
        world.model._sleep = self._sleep

    def _sleep(self, _: float) -> None:
        self._left -= 1
        if self._left < 0:
            self.reached.set()
            self.open.wait(0.01)


def slow_reply(world: World, reply: str, words: int = 3) -> Gate:
    """Script a reply that pauses after a few tokens until the gate opens or the turn is stopped."""
    assert world.model is not None
    world.model.script = lambda prompt, sampling: None if sampling.grammar else reply
    gate = Gate(world, after=10_000)
    seen_reply = world.model._stream

    def stream(prompt, sampling, cancel):  # type: ignore[no-untyped-def]
        gate._left = words if sampling.grammar is None else 10_000
        for part in seen_reply(prompt, sampling, cancel):
            yield part
            while gate.reached.is_set() and not gate.open.is_set() and not cancel.is_set():
                gate.open.wait(0.01)

    world.model._stream = stream
    return gate


async def test_a_new_chat_is_prefilled_before_its_first_message(world: World) -> None:
    assert world.model is not None
    async with world.opened() as seen:
        await seen.until(
            lambda: {prompt.slot for prompt in world.model.warmed} == {"look-up", "chat"}
        )
        assert not world.model.seen
        await seen.type("do ostriches swim")
        await seen.until(lambda: "do ostriches swim" in world.model.warmed[-1].turns[-1].content)


async def test_a_message_and_its_answer_outlive_a_restart_and_so_does_undo(world: World) -> None:
    world.model.enqueue("Oolong, in the morning.")
    async with world.opened() as seen:
        await seen.send("which tea is good in the morning?")
        assert "which tea is good in the morning?" in seen.text()
        assert "Oolong, in the morning." in seen.text()
        await seen.send("I have a dog called Rex.", until="Remembered:")
    async with world.opened() as again:
        assert "Oolong, in the morning." in again.text()
        assert len(chats.list_threads(again.runtime)) == 1
        await again.press("ctrl+z", until=lambda: curate.count(again.runtime) == 0)
        assert "Nothing to undo" not in again.text()


async def test_escape_stops_an_answer_and_keeps_what_there_is(world: World) -> None:
    gate = slow_reply(world, "one two three four five six seven eight nine ten " * 20)
    async with world.opened() as seen:
        seen.chat.composer.focus()
        await seen.type("count", "enter", until=gate.reached.is_set)
        await seen.until("one")
        await seen.pilot.press("escape")
        await seen.answered()
        role, text, status = messages(seen)[-1]
        assert (role, status) == (Role.ASSISTANT, MessageStatus.STOPPED)
        assert text.startswith("one") and len(text) < 200
        await seen.until(lambda: not seen.chat.state.turn.doing)
        assert "stopped" in seen.words() and said(seen) == ""


async def test_retry_keeps_the_old_answer_as_a_variant(seen: Seen, world: World) -> None:
    world.model.enqueue("The first answer.")
    await seen.send("hello there")
    world.model.enqueue("Another answer.")
    await seen.pilot.press("ctrl+r")
    await seen.answered()
    assert shown(seen) == ["hello there", "Another answer."]
    assert "answer 2 of 2" in seen.text()
    await seen.press("escape", "up", "left_square_bracket")
    assert shown(seen) == ["hello there", "The first answer."]
    assert [text for _, text, _ in messages(seen)] == ["hello there", "The first answer."]


async def test_an_earlier_message_is_sent_in_other_words(seen: Seen, world: World) -> None:
    world.model.enqueue("About cats.")
    await seen.send("cats")
    world.model.enqueue("More cats.")
    await seen.send("more")
    await seen.type("half a draft")
    await seen.pilot.press("escape", "home", "e")
    assert seen.chat.composer.text == "cats"
    seen.chat.composer.clear_text()
    world.model.enqueue("About dogs.")
    await seen.send("dogs")
    assert shown(seen) == ["dogs", "About dogs."]
    assert seen.chat.composer.text == "half a draft"


async def test_a_message_goes_back_into_the_composer_when_the_disk_is_full(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    await seen.send("first")
    monkeypatch.setattr(Database, "write", _disk_full)
    await seen.send("precious words")
    assert seen.chat.composer.text == "precious words"
    assert "disk is full" in seen.text()
    monkeypatch.undo()
    await seen.pilot.press("enter")
    await seen.answered()
    assert "precious words" in shown(seen)
    assert seen.chat.composer.text == ""


def _disk_full(_: Database) -> None:
    raise DiskFull("Nothing was saved.", "Free some space, then try again.")


async def test_a_failing_model_leaves_the_message_and_a_way_on(seen: Seen, world: World) -> None:
    world.model.misbehave("crash", "reply", after_tokens=2)
    await seen.send("hello")
    assert "✗ failed" in seen.words() and "ctrl+r retries" in seen.words()
    await seen.pilot.press("ctrl+r")
    await seen.answered()
    assert messages(seen)[-1][2] is MessageStatus.COMPLETE


async def test_a_message_waits_for_a_model_that_is_loading(world: World) -> None:
    gate = threading.Event()
    world.hold_model = lambda: gate.wait(20)
    async with world.app() as seen:
        await seen.settle(
            lambda: seen.app.is_open and seen.app.current_mode == "chat" and seen.chat.is_mounted
        )
        seen.runtime.chat.loading("Loading the model: 40 %")
        await seen.until("40 %")
        await seen.type("are you there?")
        await seen.pilot.press("enter")
        await seen.until(
            lambda: "waits for the model" in seen.text() and shown(seen)[:1] == ["are you there?"]
        )
        seen.app.app_focus = False
        with patch.object(seen.app, "bell") as bell:
            gate.set()
            await seen.answered()
        bell.assert_called_once()
        assert messages(seen)[-1][2] is MessageStatus.COMPLETE


async def test_without_a_model_enter_offers_to_remember(world: World) -> None:
    world.model = None
    async with world.opened() as seen:
        assert "No model yet" in seen.text()
        await seen.type("Anna likes oolong", "enter", until="Save what you wrote")
        await seen.pilot.press("enter")
        await seen.settle(lambda: curate.count(seen.runtime) == 1)
        assert seen.chat.composer.text == ""


async def test_what_is_typed_before_the_file_is_open_is_not_lost(world: World) -> None:
    gate = threading.Event()
    start = world.start

    def slow_start():  # type: ignore[no-untyped-def]
        gate.wait(20)
        return start()

    world.start = slow_start  # type: ignore[method-assign]
    async with world.app() as seen:
        await seen.type("early bird")
        gate.set()
        await seen.ready()
        assert seen.chat.composer.text == "early bird"


async def test_a_question_on_the_command_line_is_sent_in_a_new_chat(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the machine is slow, so that the chat is there well before the model is looked
    for.
    """
    real = MemappApp.switch_mode

    async def slow(self: MemappApp, mode: str) -> None:
        await real(self, mode)
        await asyncio.sleep(0.2)

    monkeypatch.setattr(MemappApp, "switch_mode", slow)
    world.model.enqueue("Forty-two.")
    async with world.opened(question="what is it?") as seen:
        await seen.until("Forty-two.")
        await seen.answered()
        done = MessageStatus.COMPLETE
        actual = messages(seen)
        assert actual == [(Role.USER, "what is it?", done), (Role.ASSISTANT, "Forty-two.", done)]


async def test_the_first_message_of_a_chat_is_shown_while_the_screen_is_busy(seen: Seen) -> None:
    free = asyncio.Event()
    seen.chat.call_later(free.wait)
    seen.app.session.talk.send(None, "Hello there", ())
    seen.chat.state.begun_by = seen.app.session.talk.turns
    try:
        await seen.until(
            lambda: (
                [bubble.message.text for bubble in seen.chat.transcript.bubbles][:1]
                == ["Hello there"]
            )
        )
    finally:
        free.set()
    await seen.answered()
    assert shown(seen)[0] == "Hello there"


async def test_answers_show_the_memories_they_used_and_a_chip_opens_one(world: World) -> None:
    async with world.opened() as seen:
        curate.add(seen.runtime, "Anna likes oolong tea.", pinned=True)
        await seen.send("which tea does Anna like?")
        assert "[1] ★ Anna likes oolong tea." in seen.text()
        await seen.click("[1] ★ Anna")
        await seen.until("d Trash")
        await seen.press("escape", until=lambda: len(seen.app.screen_stack) == 1)
        await seen.click("Models")
        await seen.until("Search by meaning: on, with")
        assert seen.app.current_mode == "models"
        await seen.press("f2", until=seen.in_mode("chat"))
        await seen.pilot.press("escape", "right")
        assert "enter opens it" in seen.text()
        await seen.press("enter", until="d Trash")
        await seen.pilot.press("d")
        await seen.settle(lambda: curate.count(seen.runtime) == 0)
        await seen.until(lambda: "[1]" not in seen.text())
        await seen.press("ctrl+z", until=lambda: curate.count(seen.runtime) == 1)


async def test_a_chip_says_when_it_was_kept_of_what_an_answer_says(world: World) -> None:
    async with world.opened() as seen:
        curate.add(seen.runtime, "My sister is called Mira.")
        learn(seen.runtime)
        await seen.send("what is my sister called?")
        assert seen.text().count("My sister is called Mira.") == 1
        assert re.search(r"\[1\] kept at \d\d:\d\d", seen.text())


async def test_a_remark_is_said_unasked_and_not_answered_again(seen: Seen, world: World) -> None:
    await seen.type("/persona tom")
    await seen.pilot.press("enter")
    await seen.settle(lambda: seen.chat.state.persona_id == "tom")
    assert chats.list_threads(seen.runtime) == []
    await seen.type("/remark", "enter", until=lambda: len(shown(seen)) == 1)
    await seen.answered()
    assert "unasked" in seen.text()
    await seen.press("ctrl+r", until="cannot be answered again")
    await seen.send("I sail at dawn")
    (thread,) = chats.list_threads(seen.runtime)
    assert (thread.title, thread.persona) == ("I sail at dawn", "tom")


async def test_a_learned_fact_and_what_it_replaces_are_told_and_taken_back(seen: Seen) -> None:
    await seen.send("I work as a baker.", until="Remembered:")
    assert curate.count(seen.runtime) == 1
    await seen.until("memapp keeps sentences")
    await seen.send("No wait, I bake.")
    line = "Updated: No wait, I bake. (was: I work as a baker.)"
    await seen.until(f"{line} · edit · undo")
    seen.chat.open_thread(seen.chat.state.thread)
    await seen.until(
        lambda: (
            f"{line} · edit · undo" in seen.words() and "memapp keeps sentences" not in seen.words()
        )
    )
    await seen.press("ctrl+z", until=lambda: seen.known() == ["I work as a baker."])
    await seen.press("ctrl+z", until=lambda: seen.known() == [])


async def test_a_click_opens_a_line_or_takes_it_back_and_letters_are_written(seen: Seen) -> None:
    for said in ("I have a dog called Rex.", "I have a bike."):
        await seen.send(said)
        await seen.settle(lambda: "Remembered:" in seen.text())
    await seen.until(lambda: curate.count(seen.runtime) == 2)
    row = next(
        number for number, line in enumerate(seen.lines()) if "Remembered: I have a dog" in line
    )
    await seen.pilot.click(offset=(seen.lines()[row].index("have"), row))
    await seen.until("d Trash")
    await seen.press("escape", until=lambda: "d Trash" not in seen.text())
    assert curate.count(seen.runtime) == 2
    await seen.pilot.click(offset=(seen.lines()[row].index("undo") + 1, row))
    await seen.until(lambda: seen.known() == ["I have a bike."])
    await seen.until("1 not kept")
    await seen.pilot.press("e", "h")
    assert seen.chat.composer.text == "eh"
    seen.chat.composer.clear_text()
    await seen.pilot.press("escape", "home")
    await seen.press("f3", until=seen.in_mode("memories"))
    await seen.press("f2", "e", "r", until=lambda: seen.chat.composer.text == "er")


async def test_what_replaced_words_taught_is_taken_back_and_said(seen: Seen) -> None:
    await seen.send("I have a dog called Rex. I live in Ghent.", until="Remembered:")
    await seen.send("yes", until="Noted.")
    await seen.pilot.press("escape", "home", "e")
    seen.chat.composer.clear_text()
    seen.chat.composer.insert("I have a bike.")
    await seen.press("enter", until="Undone: Approved Home “Ghent”")
    await seen.until("No longer remembered: I have a dog called Rex.")
    await seen.until("Remembered: I have a bike.")
    assert decisions.profile(seen.runtime) == {}
    await seen.press("ctrl+z", "ctrl+z", until=lambda: seen.known() == ["I have a dog called Rex."])


async def test_what_the_person_ends_or_what_holds_again_is_told_quietly(seen: Seen) -> None:
    await seen.send("I play tennis.", until="Remembered:")
    await seen.send("not anymore", until="Updated: not anymore (was: I play tennis.) · edit · undo")
    await seen.press("ctrl+z", until=lambda: seen.known() == ["I play tennis."])
    await seen.send("I work at the harbour office.", until="Remembered: I work")
    await seen.send(
        "No wait, I work at the town hall.", until="Updated: No wait, I work at the town hall."
    )
    await seen.send("that's not true", until="Remembered again: I work at the harbour office.")
    assert set(seen.known()) == {"I play tennis.", "I work at the harbour office."}


async def test_the_drawer_shows_the_loop_at_work(seen: Seen, world: World) -> None:
    world.model.enqueue("Nice.", prediction="Do you have green tea?", needed_info=["tea", "taste"])
    await seen.send("I drink tea")
    await seen.press("ctrl+t")
    text = seen.text()
    assert "It expects next" in text and "Do you have green tea?" in text
    assert "tea · taste" in text


async def test_a_second_message_waits_while_an_answer_is_written(world: World) -> None:
    gate = slow_reply(world, "one two three four five six seven")
    async with world.opened() as seen:
        await seen.type("first", "enter", until=gate.reached.is_set)
        await seen.type("second")
        await seen.pilot.press("enter")
        await seen.pilot.pause()
        assert seen.chat.composer.text == "second"
        assert "Still answering" in seen.text()
        gate.open.set()
        await seen.answered()
        await seen.until(lambda: "Still answering" not in seen.text())
        assert seen.chat.composer.text == "second"


async def test_earlier_messages_are_loaded_above_and_find_jumps_to_one(seen: Seen) -> None:
    thread = chats.new_thread(seen.runtime)
    _fill(seen, thread.id, 150)
    seen.chat.open_thread(thread)
    await seen.settle()
    assert len(seen.chat.transcript.bubbles) == chats.PAGE
    await seen.press("escape", "home", "up")
    assert len(seen.chat.transcript.bubbles) == 2 * chats.PAGE
    assert isinstance(seen.chat.transcript.bubbles[0], Said)
    await seen.pilot.press("ctrl+f")
    await seen.type("number 77")
    await seen.until("message number 77")
    await seen.press("enter")
    await seen.settle(lambda: seen.chat.transcript.cursor is not None)
    assert seen.chat.transcript.cursor.message.text.startswith("message number 77 ")
    assert not seen.chat.transcript.complete
    await seen.press("G")
    assert seen.chat.transcript.complete


async def test_find_jumps_to_a_fact_from_anywhere_and_escape_leads_back(seen: Seen) -> None:
    curate.add(seen.runtime, "User keeps bees in Ghent.")
    await seen.press("f5", "ctrl+f", "ctrl+f", "escape")
    assert (seen.app.current_mode, len(seen.app.screen_stack)) == ("trash", 1)
    await seen.pilot.press("ctrl+f")
    await seen.type("bees")
    await seen.until("keeps bees")
    await seen.pilot.press("enter")
    await seen.until(
        lambda: (
            isinstance(seen.app.screen, MemoryCard) and "User keeps bees in Ghent." in seen.words()
        )
    )


async def test_find_and_the_palette_open_a_lesson(seen: Seen) -> None:
    lessons.add(seen.runtime, "git", "here", "git psuh origin", "git push origin")
    for key in ("ctrl+f", "ctrl+p"):
        await seen.pilot.press(key)
        await seen.type("psuh")
        await seen.until("git psuh origin")
        await seen.pilot.press("enter")
        await seen.until(
            lambda: seen.app.current_mode == "learned" and "git push origin" in seen.words()
        )
        await seen.press("escape", "escape")
        await seen.until(seen.in_mode("chat"))
        assert "git push origin" not in seen.words()


def _fill(seen: Seen, thread_id: str, count: int) -> None:
    with seen.runtime.write() as session:
        asked = None
        for number in range(count):
            role, reply_to = ((Role.USER, None), (Role.ASSISTANT, asked))[number % 2]
            text, now = f"message number {number} ends", seen.runtime.clock()
            asked = chat.add_message(
                session, thread_id, role, text, now, origin=Origin.IMPORT, reply_to=reply_to
            ).id


async def test_quitting_while_an_answer_is_written_keeps_it_and_does_not_wait(world: World) -> None:
    gate = slow_reply(world, "one two three four five six seven eight nine ten " * 20)
    async with world.opened() as seen:
        await seen.type("count", "enter", until=gate.reached.is_set)
        await seen.type("next thought", "ctrl+q", until=lambda: not seen.app.is_running)
    async with world.opened() as again:
        assert messages(again)[-1][2] is MessageStatus.STOPPED
        assert again.chat.composer.text == "next thought"


async def test_ctrl_c_asks_once_before_it_quits(seen: Seen) -> None:
    await seen.pilot.press("ctrl+c")
    assert "Press ctrl+c again to quit." in seen.toasts()
    await seen.press("ctrl+c", until=lambda: not seen.app.is_running)


async def test_after_a_silence_the_persona_says_one_thing_unasked(seen: Seen, world: World) -> None:
    await seen.send("Hello there")
    assert seen.chat.conversation._silence is None  # off unless the person sets it
    preferences.set_preference(seen.runtime, "remark_after_minutes", "2")
    with patch.object(conversation, "MINUTE_SECONDS", 0.05):
        seen.chat.conversation.begin_silence()
        await seen.until(lambda: len(list(seen.chat.transcript.bubbles)) == 3)
    await seen.answered()
    actual = [bubble.message.unprompted for bubble in seen.chat.transcript.bubbles]
    assert actual == [False, False, True]
    seen.chat.conversation.end_silence()
    await seen.answered()
    await seen.send("And hello again")
    seen.chat.composer.insert("half a sentence")
    seen.chat.conversation.end_silence()  # the next remark is due, but something is being written
    await seen.answered()
    assert len(list(seen.chat.transcript.bubbles)) == 5


async def test_an_answer_at_its_length_limit_says_so_and_goes_on(world: World) -> None:
    async with world.opened() as seen:
        limit = seen.runtime.settings.reply_tokens
        world.model.enqueue("word " * (limit + 50))
        await seen.send("tell me a long story")
        assert "ended at its length limit" in seen.words()
    async with world.opened(size=(80, 24)) as again:
        assert "ended at its length limit" in again.words()
        await again.type("half a draft")
        world.model.enqueue("And so it ended.")
        await again.pilot.press("escape", "up", "o")
        await again.answered()
        assert shown(again)[-2:] == ["Please go on.", "And so it ended."]
        assert again.chat.composer.text == "half a draft"
        assert again.chat.transcript.bubbles[-2].message.typed_text == ""
        await again.pilot.press("escape", "up", "o")
        assert not again.chat.state.busy


def said(seen: Seen) -> str:
    """Return the line above the composer."""
    return seen.chat.query_one(StatusLine).words


async def test_nothing_is_said_to_go_on_once_a_model_failed(
    seen: Seen, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "SAID_SECONDS", 0.0)
    await seen.send("hello")
    seen.chat.conversation.status.say("something that was said before")
    failed = threading.Event()

    def slow(*_: object) -> dict[str, object]:
        failed.wait(15)
        return {}

    monkeypatch.setattr(read_models, "explanations", slow)
    world.model.misbehave("crash", "reply", after_tokens=2)
    await seen.type("again", "enter", until="✗ failed")
    await seen.pilot.pause()
    assert said(seen) == ""
    failed.set()


async def test_what_is_wrong_with_a_command_stays_until_something_is_written(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composer, "DRAFT_SECONDS", 0.1)
    await seen.type("/nope")
    await seen.pilot.press("enter")
    await seen.pilot.pause()
    later = asyncio.Event()
    # after any timer that the typing left behind
    seen.chat.composer.set_timer(composer.DRAFT_SECONDS, later.set)
    await later.wait()
    await seen.pilot.pause()
    assert "no command /nope" in said(seen)
    await seen.type("x")
    await seen.until(lambda: said(seen) == "")


async def test_an_answer_is_retried_above_memapps_own_question(seen: Seen, world: World) -> None:
    world.model.enqueue("Hello Ada.")
    await seen.send("Hello, my name is Ada.")
    await seen.settle(lambda: any("Shall I remember" in text for text in shown(seen)))
    world.model.enqueue("Good morning, Ada.")
    await seen.pilot.press("ctrl+r")
    await seen.answered()
    after_retry = shown(seen)
    assert after_retry[1] == "Good morning, Ada."
    assert "Shall I remember" in after_retry[2]
    assert [text for _, text, _ in messages(seen)] == after_retry
    await seen.press("escape", "up", "left_square_bracket")
    assert [text for _, text, _ in messages(seen)] == shown(seen)
    assert "Hello Ada." in shown(seen)
    await seen.send("yes")
    assert decisions.profile(seen.runtime) == {"preferred_name": ("Ada",)}
    assert seen.words().count("memapp asks") == 1, "its answer to the yes asks nothing"


async def test_an_answer_that_ended_at_its_limit_goes_on_before_a_question(world: World) -> None:
    (world.folder / "config.toml").write_text("reply_tokens = 16\n", "utf-8")
    async with world.opened() as seen:
        world.model.enqueue("Hello Ada. " + "More words follow. " * 20)
        await seen.send("Hello, my name is Ada.")
        await seen.settle(lambda: any("Shall I remember" in text for text in shown(seen)))
        assert "esc, ↑, then o goes on" in seen.words()
        assert "memapp asks" in seen.words() and "unasked" not in seen.words()
        await seen.press("escape", "up", "o", until=lambda: "Please go on." in shown(seen))
        await seen.answered()


def keys(seen: Seen) -> str:
    return seen.lines()[-1]


async def test_the_list_of_chats_offers_only_keys_that_do_something(seen: Seen) -> None:
    await seen.press("ctrl+b")
    assert "no chats yet" in seen.text()
    assert "Open" not in keys(seen) and "Rename" not in keys(seen) and "Search" in keys(seen)
    await seen.send("hello there")
    await seen.press("ctrl+n", "ctrl+b")
    assert "Open" in keys(seen) and "Rename" in keys(seen)
    await seen.press("slash", "z", "enter", until="no title has these words")
    assert "Open" not in keys(seen) and "Delete" not in keys(seen)
    await seen.press("escape", "ctrl+b")
    await seen.press("enter", until=lambda: seen.chat.state.thread is not None)


async def test_the_list_of_chats_says_who_answers_where_it_is_not_the_usual_one(seen: Seen) -> None:
    await seen.send("hello there")
    seen.chat.open_thread(None, persona="tom")
    await seen.settle(lambda: seen.chat.state.persona_id == "tom")
    await seen.send("Good morning")
    titles = [str(option.prompt) for option in seen.chat.query_one(ThreadList).options]
    assert titles[0].split()[:4] == ["●", "Tom:", "Good", "morning"]
    assert titles[1].split()[:2] == ["hello", "there"]


async def test_the_list_of_chats_keeps_the_focus_when_one_is_deleted(world: World) -> None:
    async with world.app((80, 24)) as seen:
        await seen.ready()
        await seen.send("hello there")
        await seen.pilot.press("ctrl+n")
        await seen.send("something else")
        await seen.pilot.press("ctrl+b", "d")
        await seen.until(lambda: seen.chat.state.thread is None)
        await seen.settle()
        rows = seen.chat.query_one(ThreadList)
        assert rows.has_focus
        assert "hello there" in seen.text(), "the next key works where the one before did"
        await seen.pilot.press("u")
        await seen.until(lambda: seen.chat.state.thread is not None)
        await seen.settle()
        assert rows.has_focus and rows.option_count == 2 and seen.chat.composer.text == ""
        assert "something else" in shown(seen)


async def test_a_chat_deleted_before_its_first_answer_is_called_by_its_words(world: World) -> None:
    gate = slow_reply(world, "one two three four five six seven eight nine ten " * 20)
    async with world.opened() as seen:
        await seen.type("count to ten", "enter", until=gate.reached.is_set)
        await seen.press("ctrl+b", "d", until=seen.tells("Deleted “count to ten”"))
        await seen.answered()
        assert chats.list_threads(seen.runtime) == []


async def test_why_an_answer_used_something_is_told_in_words(seen: Seen, world: World) -> None:
    world.model.enqueue("Hello.")
    await seen.send("hello there")
    hit = Recalled(
        "memory", "m", "Anna lives in Oslo.", "", "", seen.runtime.clock(), 0.0, "always"
    )
    answer = seen.chat.transcript.last_answer
    assert answer is not None
    answer.explain([hit, replace(hit, score=0.5, why="words 0.40 + pinned 0.04")])
    await seen.settle()
    told = "a memory · has the same words · enter opens it"
    await seen.press("escape", "right", "right", until=told)
    assert not re.search(r"\d\.\d\d(?! s)", seen.text()), "sums are for the drawer"


async def test_the_drawer_is_scrolled_with_keys_where_it_is_small(world: World) -> None:
    async with world.opened((80, 24)) as seen:
        await seen.send("hello " * 60)
        await seen.send("What goes well with tea?")
        await seen.pilot.press("ctrl+t", "tab")
        await seen.settle()
        drawer = seen.chat.query_one(LoopDrawer)
        assert drawer.has_focus
        assert not re.search(
            r"of 100|\d\.\d\d(?! s)", drawer.query_one("#loop-text").render().plain
        ), "sums are details"
        await seen.pilot.press("enter")
        await seen.until(
            lambda: "Its last predictions" in drawer.query_one("#loop-text").render().plain
        )
        await seen.pilot.press("end")
        await seen.until(lambda: "It expects next" in seen.text())
        await seen.pilot.press("ctrl+t")
        assert seen.chat.composer.has_focus
