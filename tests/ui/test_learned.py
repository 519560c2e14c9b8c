"""Learned: its tabs, and how-tos as a person writes, reads, runs down and takes them back."""

from memapp.domain.changes import Created, LessonAdded, Merged, SoftDeleted
from memapp.domain.lessons.lesson import Lesson
from memapp.domain.memory import Kind
from memapp.domain.text import clean
from memapp.language.normal_form import WORDING
from memapp.services import activity, curate, howtos, runs
from memapp.services.lessons import browse as lessons
from memapp.store import changes
from memapp.store.encoding import new_id
from memapp.store.opening import open_database
from memapp.tools.scripted import ScriptedTool
from memapp.ui.panels.checklist import ChecklistView
from memapp.ui.screens.learned import PANES, LearnedScreen
from tests.builders import fact
from tests.ui.conftest import Seen, World
from tests.ui.test_hostile import ESCAPES, MARKUP, check_no_escapes
from tests.ui.test_screens import in_both_sizes

TEA = "Make tea: 1. Boil the water. 2. Pour it on the leaves. 3. Wait four minutes."


async def open_learned(seen: Seen, tab: str) -> LearnedScreen:
    await seen.press(
        "f6",
        until=lambda: isinstance(seen.app.screen, LearnedScreen) and seen.app.screen.is_mounted,
    )
    screen = seen.app.screen
    assert isinstance(screen, LearnedScreen)
    while tab != screen.pane.LABEL:
        await seen.pilot.press("tab")
    await seen.settle()
    return screen


async def test_each_empty_tab_says_what_comes_there(seen: Seen) -> None:
    for pane in PANES:
        await open_learned(seen, pane.LABEL)
        assert f"[{pane.LABEL}]" in seen.text() and f"No {pane.LABEL.lower()} yet." in seen.text()
        assert "Provenance" not in seen.text(), "there is nothing to tell of"
        await seen.pilot.press("enter", "e", "d", "p")
        assert len(seen.app.screen_stack) == 1
    await seen.press("escape", until=seen.in_mode("chat"))


@in_both_sizes
async def test_a_how_to_is_written_run_and_taken_back(world: World, size: tuple[int, int]) -> None:
    async with world.opened(size=size) as seen:
        await open_learned(seen, "How-tos")
        await seen.pilot.press("n", *"Tea", "tab", *"I boil water", "enter", *"pour it", "ctrl+s")
        await seen.until(lambda: "2 steps" in seen.text() and "Tea" in seen.text())
        await seen.press("enter", until="▸☐ 1. Boil water")
        await seen.press(
            "space",
            until=lambda: "☑ 1. Boil water" in seen.text() and "▸☐ 2. Pour it" in seen.text(),
        )
        assert "␣ Tick" in seen.lines()[-1] and "a Start over" in seen.lines()[-1]
        await seen.press(
            "escape",
            until=lambda: "1 of 2 done" in seen.text() and "␣ Tick" not in seen.lines()[-1],
        )
        await seen.pilot.press("e", *"Drink, ", "ctrl+s")  # before its first step
        await seen.until(
            lambda: howtos.checklists(seen.runtime)[0].howto.steps[0] == "Drink, Boil water"
        )
        await seen.press("d", until="No how-tos yet.")
        await seen.press("u", until="2 steps")
        await seen.press("f3", "enter", until=lambda: isinstance(seen.app.focused, ChecklistView))
        await seen.press("j", "space", until="☑ 2. Pour it")


async def test_after_an_undo_the_cursor_is_on_what_came_back(seen: Seen) -> None:
    for title in ("Make tea", "Make soup"):
        howtos.add(seen.runtime, f"{title}: 1. Boil the water. 2. Pour it.")
    await open_learned(seen, "How-tos")
    await seen.press(
        "d", until=lambda: "▸   Make tea" in seen.text() and "Make soup   " not in seen.text()
    )
    await seen.press("u", until=lambda: "▸   Make soup" in seen.text())
    assert "Make tea" in seen.text()
    view = ChecklistView(seen.runtime)
    await seen.app.screen.mount(view)
    await view.remove()
    await view.show(howtos.checklists(seen.runtime)[0])
    assert not view.children, "a checklist that closes during its look-up freezes nothing"


async def test_slash_howto_writes_down_what_is_whole_and_asks_for_steps(seen: Seen) -> None:
    await seen.type(f"/howto {TEA}")
    await seen.pilot.press("enter")
    await seen.until(
        lambda: (
            [checklist.howto.text for checklist in howtos.checklists(seen.runtime)] == ["Make tea"]
        )
    )
    await seen.type("/howto Make coffee", "enter", until="one step a line")
    await seen.press(*"grind", "ctrl+s", until=lambda: len(howtos.checklists(seen.runtime)) == 2)
    assert {memory.kind for memory in curate.list_memories(seen.runtime)} == {Kind.PROCEDURAL}


async def test_no_category_is_given_without_a_word_on_who_reads_it(seen: Seen) -> None:
    runtime = seen.runtime
    for name in curate.categories(runtime):
        assert ("No chat" in curate.readers(runtime, name)) is (
            name not in runtime.categories.allowlists["supervisor"]
        )
    await seen.press("f3", "n", *"I keep hens", "tab", "tab", "tab", until="Chats see it.")
    await seen.press(
        *["backspace"] * 5, *"interests", until="No chat sees it, only agents: researcher."
    )
    await seen.press("enter", until=lambda: curate.list_memories(runtime) != [])
    await seen.press("c", until="interests · No chat sees it, only agents: researcher.")


async def test_upkeep_is_told_once_at_the_start_and_each_of_it_taken_back(world: World) -> None:
    world.database = open_database(world.folder / "memapp.db", WORDING)
    runtime = world.start()
    kept, gone, moved = (
        curate.add(runtime, text).memory_id
        for text in ("I keep two hens.", "I keep hens.", "I ski.")
    )
    assert activity.upkeep_since(runtime) == {}, (
        "what the person does is none, nor what was before the first start"
    )
    end = runtime.purge_at()
    for change, by in (
        (Merged(gone, kept, end), "merge"),
        (SoftDeleted(moved, "unused", end), "lifecycle"),
    ):
        with runtime.write() as session:
            changes.apply(session, change, runtime.actor(name=by))
    runtime.close()
    async with world.opened(size=(80, 24)) as seen:
        told = "Since last time (F7): 1 memory merged, 1 unused memory moved to the trash"
        await seen.until(lambda: told in seen.words())
        await seen.pilot.press("f7", "tab", "tab", "tab", "tab")
        await seen.until(lambda: "Nothing runs now." in seen.text() and "↶" in seen.text())
        await seen.pilot.press("down", "u")  # not the last one
        await seen.until(lambda: len(curate.list_memories(seen.runtime)) == 2)
        assert moved not in [memory.id for memory in curate.list_memories(seen.runtime)]
        await seen.press(
            "space", until=lambda: "Paused." in seen.text() and "␣ Continue" in seen.lines()[-1]
        )
        assert seen.app.session.talk.paused
        await seen.press("space", until=lambda: "Paused." not in seen.text())
        assert activity.upkeep_since(seen.runtime) == {}, "it is told once"


async def test_an_insight_says_what_it_rests_on_and_becomes_a_memory_of_own(seen: Seen) -> None:
    runtime = seen.runtime
    facts = [
        curate.add(runtime, text).memory_id for text in ("I run on Sundays.", "I ran to the lake.")
    ]
    insight = fact(
        "User talked about running.", runtime.clock(), kind=Kind.INSIGHT, origin="reflected"
    )
    with runtime.write() as session:
        changes.apply(session, Created(insight, tuple(facts)), runtime.actor(name="rules"))
    await open_learned(seen, "Insights")
    await seen.until(lambda: "2 sources" in seen.text() and "· I ran to the lake." in seen.words())
    await seen.press("enter", "p", until="★ User talked")
    await seen.press("m", until="No insights yet.")
    kinds = {memory.text: memory.kind for memory in curate.list_memories(runtime)}
    assert kinds[insight.text] is Kind.SEMANTIC
    await seen.press("u", until="2 sources")


async def test_a_lesson_is_found_promoted_edited_and_taken_back(seen: Seen) -> None:
    runtime = seen.runtime
    kiln = ScriptedTool(
        "kiln",
        "studio",
        {
            "kiln frie": "kiln: 'frie' is not a kiln command",
            "kiln wam": "kiln: 'wam' is no command",
        },
    )
    for action in ("kiln frie", "kiln fire 900", "kiln wam", "kiln warm"):
        runs.attempt(runtime, kiln, action, runs.Client())
    await open_learned(seen, "Lessons")
    await seen.until(
        lambda: (
            "kiln wam -> kiln warm" in seen.text() and "kiln frie -> kiln fire 900" in seen.text()
        )
    )
    await seen.pilot.press("slash", *"fire", "down")
    await seen.until(lambda: "kiln warm" not in seen.text() and "+ kiln fire 900" in seen.text())
    assert "P Promote" in seen.lines()[-1] and "Restore" not in seen.lines()[-1]
    await seen.pilot.press("P")
    await seen.until(
        lambda: (
            [lesson.status for lesson in lessons.list_lessons(runtime, ("promoted",))]
            == ["promoted"]
        )
    )
    await seen.until(lambda: "P Promote" not in seen.lines()[-1])
    await seen.pilot.press("e", *"kiln fire", "enter")
    await seen.until(
        lambda: "+ kiln fire\n" in "\n".join(line.rstrip(" │") + "\n" for line in seen.lines())
    )
    await seen.press("S", until=lambda: "r Restore" in seen.lines()[-1])
    await seen.pilot.press("u", "u", "u")
    await seen.until(
        lambda: {lesson.status for lesson in lessons.list_lessons(runtime)} == {"candidate"}
    )
    await seen.press("escape", "d", until=lambda: len(lessons.list_lessons(runtime)) == 1)
    await seen.press("u", until=lambda: len(lessons.list_lessons(runtime)) == 2)


async def test_a_lessons_runs_are_read_and_lessons_that_say_the_same_merged(seen: Seen) -> None:
    runtime = seen.runtime
    kiln = ScriptedTool(
        "kiln",
        "studio",
        {f"kiln {word}": f"kiln: '{word}' is no command" for word in ("frie", "fier")},
    )
    for action in ("kiln frie", "kiln fire --slow", "kiln fier", "kiln fire"):
        runs.attempt(runtime, kiln, action, runs.Client())
    await open_learned(seen, "Lessons")
    await seen.until(lambda: "error  kiln: * is no command" in seen.text())
    await seen.pilot.press("enter", "enter")
    await seen.until(
        lambda: "✗ kiln frie" in seen.text() and "kiln: 'frie' is no command" in seen.text()
    )
    assert "✓ kiln fire --slow" in seen.text() and "4 steps, 2 failed" in seen.text()
    await seen.pilot.press("y")
    await seen.until(lambda: "✗ kiln frie" in seen.app.clipboard)
    await seen.pilot.press("escape")
    assert "m Merge" not in seen.lines()[-1]
    await seen.pilot.press("down", "space")
    await seen.pilot.press("up")
    await seen.until(lambda: "m Merge" in seen.lines()[-1])
    await seen.pilot.press("m")
    await seen.until(
        lambda: (
            {lesson.status for lesson in lessons.list_lessons(runtime)} == {"candidate", "archived"}
        )
    )
    kept = next(lesson for lesson in lessons.list_lessons(runtime) if lesson.status == "candidate")
    assert (kept.rule_text, len(kept.triggers)) == ("kiln fier -> kiln fire", 2)
    await seen.pilot.press("u")
    await seen.until(
        lambda: {lesson.status for lesson in lessons.list_lessons(runtime)} == {"candidate"}
    )


async def test_hostile_words_are_shown_plain_in_every_tab_with_its_keys(world: World) -> None:
    async with world.opened(size=(80, 24)) as seen:
        runtime = seen.runtime
        texts = [
            clean(f"{text} {number}").replace("\x00", "")
            for number, text in enumerate([*MARKUP, *ESCAPES, "word " * 2000])
        ]
        with runtime.write() as session:
            for text in texts:
                said = text[:280].strip()
                for kind, words in (
                    (Kind.INSIGHT, said),
                    (Kind.EPISODIC, f"e {said}"[:280]),
                    (Kind.PROCEDURAL, f"h {said}"[:280]),
                ):
                    steps = (said, said) if kind is Kind.PROCEDURAL else ()
                    changes.apply(
                        session,
                        Created(fact(words, session.now, kind=kind, steps=steps)),
                        runtime.actor(),
                    )
                of = {
                    "level": "task",
                    "tool": "kiln",
                    "scope": "studio",
                    "origin": "person",
                    "task": said,
                }
                times = {
                    "created_at": session.now,
                    "updated_at": session.now,
                    "evidence_at": session.now,
                }
                lesson = Lesson(
                    id=new_id(session.now),
                    rule_text=f"{said} -> x",
                    wrong=said,
                    correct=text[:400],
                    **of,
                    **times,
                )
                changes.apply(session, LessonAdded(lesson), runtime.actor())
        offered = {
            "Insights": "Make it a memory",
            "Episodes": "Pin",
            "How-tos": "New",
            "Lessons": "Suppress",
        }
        for pane in PANES:
            await open_learned(seen, pane.LABEL)
            for key in ("home", "down", "down", "end", "enter", "pagedown", "escape"):
                await seen.press(key)
                check_no_escapes(seen)
            await seen.pilot.press("ctrl+p")
            await seen.type(offered[pane.LABEL])
            await seen.until(lambda here=pane: offered[here.LABEL] in seen.text())
            check_no_escapes(seen)
            await seen.press("escape", until=lambda: len(seen.app.screen_stack) == 1)
