"""The delta header: each change once, the most important first, nothing in the trash."""

from memapp.domain.changes import (
    Actor,
    Created,
    Linked,
    Merged,
    Pinned,
    ProfileChanged,
    Purged,
    Restored,
    SoftDeleted,
    Updated,
)
from memapp.domain.consent import ConsentRequest, expiry
from memapp.domain.delta import Delta, summarise
from memapp.store import change_log, changes, chat, consents
from memapp.store.database import Database
from memapp.store.encoding import new_id
from memapp.store.scope import Scope
from tests.builders import fact, on, typed_message
from tests.store.conftest import NOW, USER
from tests.store.test_changes import LATER, apply, undo

PERSON = Actor("person")


def new_thread(database: Database) -> str:
    with database.write() as conn:
        thread = chat.create_thread(on(conn), "Talk", "companion", NOW).id
        change_log.begin(on(conn), thread)
    return thread


def add(database: Database, text: str, importance: int = 2, category: str = "goals") -> str:
    return apply(
        database, Created(fact(text, NOW, importance=importance, category=category))
    ).memory_id


def look(database: Database, thread: str, in_prompt: frozenset[str] = frozenset()) -> Delta:
    conn = database.read()
    return summarise(
        change_log.untold(on(conn), Scope(USER), thread),
        change_log.revision(on(conn), thread),
        in_prompt,
    )


def told(database: Database, thread: str) -> tuple[str, ...]:
    found = look(database, thread)
    with database.write() as conn:
        change_log.settle(on(conn), Scope(USER), thread, found.settled)
    return found.lines


def test_a_new_chat_is_told_nothing_of_what_was_before(database: Database) -> None:
    add(database, "User drinks oolong.")
    assert told(database, new_thread(database)) == ()


def test_each_kind_of_change_is_told_once_to_each_chat(database: Database) -> None:
    one = add(database, "User drinks oolong.")
    two = add(database, "User ships version one.")
    first, second = new_thread(database), new_thread(database)
    steps = [
        (Updated(one, text="User drinks green tea."), "- ↑updated: [Goals] User drinks green tea."),
        (SoftDeleted(one, "person", LATER), "- −soft_deleted: [Goals] a memory went to the trash"),
        (Restored(one), "- ↺restored: [Goals] User drinks green tea."),
        (
            Created(fact("User is Ana.", NOW, category="profile")),
            "- +created: [Profile] User is Ana. (imp=2)",
        ),
        (Purged(two), "- ×deleted: [Goals] a memory was erased"),
    ]
    for revision, (change, line) in enumerate(steps, start=2):
        apply(database, change)
        assert told(database, first) == (f"Memory updates since rev {revision}:", line)
        assert told(database, first) == ()
    assert told(database, second)[0] == "Memory updates since rev 2:", (
        "another chat is told for itself"
    )


def test_a_merge_is_told_by_the_memory_that_stays(database: Database) -> None:
    kept = add(database, "User drinks oolong tea.")
    thread = new_thread(database)
    for absorbed, notes in ((["User drinks oolong."], 2), (["User has oolong.", "Oolong."], 3)):
        for text in absorbed:
            apply(database, Merged(add(database, text), kept, LATER))
        assert told(database, thread)[1:] == (
            f"- ↔merged: [Goals] Combined {notes} notes about: User drinks oolong tea.",
        )


def test_what_took_the_place_of_another_is_told_in_one_line(database: Database) -> None:
    one, thread = add(database, "User has two cats."), new_thread(database)
    with database.write() as conn:
        for text in ("User has three cats.", "User has four cats."):
            actor = Actor("rules", step=text)
            changes.apply(on(conn), SoftDeleted(one, "superseded", LATER), actor)
            one = changes.apply(
                on(conn), Created(fact(text, NOW, category="goals")), actor
            ).memory_id
    assert told(database, thread)[1:] == ("- ↑updated: [Goals] User has four cats.",)
    assert told(database, thread) == ()


def test_three_are_told_important_and_new_first_and_the_rest_later(database: Database) -> None:
    thread = new_thread(database)
    for number, importance in enumerate((2, 5, 2, 3, 2)):
        add(database, f"User has goal {number}.", importance)
    actual = [line.split("goal ")[1] for line in told(database, thread)[1:]]
    assert actual == ["1. (imp=5)", "3. (imp=3)", "4. (imp=2)"]
    actual = [line.split("goal ")[1] for line in told(database, thread)[1:]]
    assert actual == ["2. (imp=2)", "0. (imp=2)"]
    assert told(database, thread) == ()


def test_what_came_and_went_unseen_is_not_told_nor_the_trash_shown(database: Database) -> None:
    thread = new_thread(database)
    one = add(database, "User drinks oolong.")
    apply(database, Updated(one, text="User drinks coffee."))
    apply(database, SoftDeleted(one, "person", LATER))
    assert told(database, thread) == ()
    assert change_log.revision(on(database.read()), thread) == change_log.revision(
        on(database.read())
    )


def test_several_changes_of_a_memory_become_one_line(database: Database) -> None:
    thread = new_thread(database)
    one = add(database, "User drinks oolong.")
    apply(database, Updated(one, text="User drinks\ncoffee."))
    assert told(database, thread)[1:] == ("- +created: [Goals] User drinks coffee. (imp=2)",)


def test_all_that_went_to_the_trash_is_one_line_and_its_end_there_none(database: Database) -> None:
    gone = [add(database, f"User has goal {number}.") for number in range(20)]
    thread = new_thread(database)
    for text in gone:
        apply(database, SoftDeleted(text, "person", LATER))
    assert told(database, thread)[1:] == ("- −soft_deleted: [Goals] 20 memories went to the trash",)
    for text in gone:
        apply(database, Purged(text))
    assert told(database, thread) == ()


def write_profile(
    database: Database, field: str, value: str, said: str = "", *, old: str = ""
) -> None:
    """Change the profile as a yes of the person does."""
    with database.decide() as conn:
        request = ConsentRequest(
            new_id(NOW), USER, field, old, value, (), "rules", "pending", NOW, expiry(NOW)
        )
        consents.add_request(on(conn), request)
        if said:
            consents.add_evidence(on(conn), request.id, said, typed=True)
        consents.decide(on(conn), request.id, "approved", "person")
        changes.apply(on(conn), ProfileChanged(request.id), PERSON)


def test_a_change_of_the_profile_is_told(database: Database) -> None:
    thread, late = new_thread(database), new_thread(database)
    write_profile(database, "preferred_name", "Ana")
    assert told(database, thread)[1:] == ("- +created: [Profile] Name is Ana (imp=2)",)
    write_profile(database, "preferred_name", "Anna")
    assert told(database, thread)[1:] == ("- ↑updated: [Profile] Name is Anna",)
    assert look(database, late).lines[1:] == ("- +created: [Profile] Name is Anna (imp=2)",), (
        "as it is now"
    )
    write_profile(database, "preferred_name", "", old="Anna")
    assert told(database, thread)[1:] == ("- ×deleted: [Profile] Name",)
    assert told(database, thread) == told(database, late) == ()


def test_one_value_more_or_less_is_told_with_what_stands_beside_it(database: Database) -> None:
    thread = new_thread(database)
    write_profile(database, "health", "gout")
    assert told(database, thread)[1:] == ("- +created: [Profile] Health is gout (imp=2)",)
    write_profile(database, "health", "asthma")
    assert told(database, thread)[1:] == ("- ↑updated: [Profile] Health is asthma; gout",)
    write_profile(database, "health", "cough")
    for value in ("asthma", "cough", "gout"):
        write_profile(database, "health", "", old=value)
    assert told(database, thread)[1:] == ("- ×deleted: [Profile] Health",)


def test_a_change_of_the_profile_is_told_to_who_may_read_the_profile(database: Database) -> None:
    thread = new_thread(database)
    write_profile(database, "city", "Ghent")
    assert change_log.untold(on(database.read()), Scope(USER, frozenset({"goals"})), thread) == []
    assert (
        len(change_log.untold(on(database.read()), Scope(USER, frozenset({"profile"})), thread))
        == 1
    )


def test_a_profile_value_whose_message_stands_in_the_prompt_is_not_told(database: Database) -> None:
    thread = new_thread(database)
    with database.write() as conn:
        said = typed_message(on(conn), thread, "I live in Ghent").id
    write_profile(database, "city", "Ghent", said)
    assert look(database, thread, frozenset({said})).lines == ()
    assert look(database, thread).lines[1:] == ("- +created: [Profile] Home is Ghent (imp=2)",)


def test_pins_links_and_other_tags_are_no_news(database: Database) -> None:
    one, two = add(database, "User drinks oolong."), add(database, "User likes tea.")
    thread = new_thread(database)
    apply(database, Pinned(one, True))
    apply(database, Linked(one, ((two, 0.6),)))
    undo(database, apply(database, Pinned(one, False)))
    apply(database, Updated(one, tags=("tea",), importance=4))
    assert told(database, thread) == ()


def test_a_fact_whose_message_stands_in_the_prompt_is_not_told(database: Database) -> None:
    thread = new_thread(database)
    with database.write() as conn:
        said = typed_message(on(conn), thread, "I drink oolong")
        changes.apply(
            on(conn), Created(fact("User drinks oolong.", NOW, sources=(said.id,))), PERSON
        )
    assert look(database, thread, frozenset({said.id})).lines == ()
    assert len(look(database, thread).lines) == 2


def test_an_import_of_hundreds_is_told_as_far_as_it_is_news(database: Database) -> None:
    thread = new_thread(database)
    for number in range(change_log.WINDOW + 40):
        add(database, f"User has goal {number}.")
    turns = 0
    while told(database, thread):
        turns += 1
    assert turns == change_log.WINDOW // 3
    assert change_log.revision(on(database.read()), thread) == change_log.WINDOW + 40


def test_the_log_is_cut_and_the_history_is_not(database: Database) -> None:
    first = add(database, "User drinks oolong.")
    with database.write() as conn:
        conn.execute(
            "UPDATE thread_revision SET rev = ? WHERE thread_id = ''",
            (change_log.KEPT + change_log.CUT_EVERY - 1,),
        )
    assert [
        row["memory_id"] for row in database.read().execute("SELECT memory_id FROM change_log")
    ] == [first]
    second = add(database, "User likes tea.")
    assert [
        row["memory_id"] for row in database.read().execute("SELECT memory_id FROM change_log")
    ] == [second]
    assert database.read().execute("SELECT count(*) FROM history").fetchone()[0] == 2


def test_what_a_chat_may_not_see_is_not_told_to_it(database: Database) -> None:
    thread = new_thread(database)
    one = add(database, "User studies knots.", category="knowledge")
    scope = Scope(USER, frozenset({"goals"}))
    assert change_log.untold(on(database.read()), scope, thread) == []
    apply(database, SoftDeleted(one, "person", LATER))
    apply(database, Purged(one))
    apply(database, Purged(add(database, "User ties knots.", category="knowledge")))
    assert change_log.untold(on(database.read()), scope, thread) == []
    add(database, "User learns the cello.")
    assert [change.text for change in change_log.untold(on(database.read()), scope, thread)] == [
        "User learns the cello."
    ]


def test_pins_and_links_push_no_news_away(database: Database) -> None:
    thread = new_thread(database)
    one = add(database, "User is allergic to peanuts.")
    for number in range(change_log.WINDOW + 5):
        apply(database, Pinned(one, bool(number % 2)))
    assert len(told(database, thread)) == 2
