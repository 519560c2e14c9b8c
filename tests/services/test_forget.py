"""Forgotten is gone, from the file, its copies and the models; and what was not meant stays."""

import gc
import json
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import pytest

from memapp import bootstrap
from memapp.domain.changes import Actor, ProfileChanged
from memapp.domain.checkpoint import Checkpoint
from memapp.domain.consent import FORGOTTEN
from memapp.domain.jobs import Pace
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn_events import Failed, Found
from memapp.errors import NotFound, UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel, call_kind
from memapp.language.normal_form import WORDING, normalise
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, forget, global_search, undo, upkeep
from memapp.services.consent import decisions, pending
from memapp.services.recall import RecallRequest, recall
from memapp.services.turn import take_turn
from memapp.store import changes, checkpoints, jobs, snapshots
from memapp.store.connection import add_wording, open_copy
from memapp.store.encoding import new_id, to_text
from memapp.store.file_copies import BACKUPS, new_copy
from memapp.store.forget import erasing, finding, purge_jobs
from memapp.store.forget.purge_jobs import PurgeJob
from tests.builders import (
    Clock,
    ask_the_model,
    chat_of,
    erase,
    fact,
    make_runtime,
    new_chat,
    on,
    only,
    say,
    word_list,
)

FACT = "My sister Zqarla lives in Ghent."


def learn(runtime: Runtime, text: str = "My sister Zqarla lives in Ghent.") -> str:
    """Let memapp learn a fact from a turn; return its id."""
    thread = chat_of(runtime, text)
    (written,) = upkeep.work(runtime, thread, Cancel())
    memory = written.memory
    return memory.id


def files_with(home: Path, word: bytes) -> set[str]:
    return {
        file.name
        for file in home.rglob("*")
        if file.is_file() and word in file.read_bytes().lower()
    }


def ask(runtime: Runtime, sql: str, *values: object) -> list[tuple[object, ...]]:
    return [tuple(row) for row in runtime.database.read().execute(sql, values)]


def back_up(runtime: Runtime) -> Path:
    return runtime.database.backup(
        new_copy(runtime.paths.database, BACKUPS, "schema1", runtime.clock())
    )


def test_a_purged_memory_is_not_found_and_its_history_has_no_words(runtime: Runtime) -> None:
    memory = learn(runtime)
    curate.edit(runtime, memory, "My sister Zqarla lives in Bruges.")
    receipt = erase(runtime, memory)
    assert (receipt.memories, receipt.messages, receipt.settled) == (1, 0, True)
    assert [file for file, _ in receipt.left] == ["memapp.db"], (
        "the message says it in the same words"
    )
    assert curate.list_memories(runtime) == []
    actual = [hit.kind for hit in recall(runtime, RecallRequest("sister Ghent"))]
    assert actual == ["message", "message"]
    assert forget.is_forgotten(runtime, FACT), "each of its wordings"
    assert forget.is_forgotten(runtime, "My sister Zqarla lives in Bruges.")
    assert ask(runtime, "SELECT count(*) FROM versions") == [(0,)]
    assert ask(runtime, "SELECT DISTINCT old_ref, new_ref FROM history") == [(None, None)]
    assert ask(runtime, "SELECT event FROM history ORDER BY number DESC LIMIT 1") == [("PURGE",)]
    with pytest.raises(NotFound):
        curate.get(runtime, memory)


def test_with_its_messages_nothing_is_left_in_any_file(runtime: Runtime, tmp_path: Path) -> None:
    memory = learn(runtime)
    chats.save_draft(runtime, "", "My sister Zqarla lives in Ghent.")
    copy = back_up(runtime)
    by_hand = runtime.database.backup(copy.with_name("before the party.db"))
    older = copy.with_name("much older.db")
    older.write_bytes(b"no database")
    assert {"memapp.db-wal", copy.name} <= files_with(tmp_path, b"zqarla")
    receipt = erase(runtime, memory, messages=True)
    assert receipt.memories == 1
    assert receipt.messages == 2
    assert receipt.backups_cleaned == 2
    assert receipt.left == ()
    assert files_with(tmp_path, b"zqarla") == set()
    assert by_hand.exists() and older.exists()
    assert ask(runtime, "SELECT DISTINCT text FROM messages") == [("[erased]",)]
    assert ask(runtime, "SELECT title FROM threads") == [("[erased]",)]


def test_a_chat_is_erased_whole_and_what_it_taught_stays(runtime: Runtime, tmp_path: Path) -> None:
    memory = learn(runtime, "I keep bees.")
    (thread,) = chats.list_threads(runtime)
    chats.rename_thread(runtime, thread.id, "Zqarla's hives")
    chats.add_context_card(runtime, thread.id, "Zqarla has a hive.")
    chats.save_draft(runtime, thread.id, "zqarla, once more")
    say(runtime, thread.id, "The hives belong to Zqarla.")
    say(runtime, new_chat(runtime), "Whose are the hives?")
    for field in ("city", "pronouns", "language"):
        propose(runtime, field, "", f"of {field}", apply=False)
    with runtime.database.write() as conn:
        conn.execute(
            "INSERT INTO request_evidence SELECT p.id, s.message_id, 1, p.user_id "
            "FROM consent_requests p, memory_sources s"
        )
        conn.execute("""INSERT INTO request_evidence
                        SELECT p.id, m.id, 1, p.user_id FROM consent_requests p, messages m
                        WHERE p.field = 'language' AND m.text = 'Whose are the hives?'""")
    decisions.deny(
        runtime,
        next(
            request.id for request in pending.list_pending(runtime) if request.field == "pronouns"
        ),
    )
    copy = back_up(runtime)
    chats.delete_thread(runtime, thread.id)
    receipt = forget.purge_chats(runtime, [thread.id])
    assert (receipt.memories, receipt.messages, receipt.backups_cleaned) == (0, 4, 1)
    assert {file for file, _ in receipt.left} <= {"memapp.db", copy.name}, (
        "the memory says it in the same words"
    )
    assert (files_with(tmp_path, b"zqarla"), copy.exists()) == (set(), True)
    assert len(chats.list_threads(runtime)) == 1 and chats.list_threads(runtime, deleted=True) == []
    assert curate.get(runtime, memory).sources == ()
    assert ask(runtime, "SELECT field FROM consent_requests") == [("language",)], (
        "another chat says it too; nobody agreed to the others"
    )
    assert ask(runtime, "PRAGMA foreign_key_check") == []


def test_an_erased_message_is_no_draft_in_a_backup(runtime: Runtime, tmp_path: Path) -> None:
    chats.save_draft(runtime, "", "Zqarla called from Ghent.")
    back_up(runtime)
    chats.save_draft(runtime, "", "")
    thread = chat_of(runtime, "Zqarla called from Ghent.")
    receipt = forget.purge_chats(runtime, [thread])
    assert (receipt.backups_cleaned, receipt.left) == (1, ())
    assert files_with(tmp_path, b"zqarla") == set()
    assert not forget.is_forgotten(runtime, "Zqarla called from Ghent.")


def test_a_reply_given_to_others_too_is_not_left(runtime: Runtime, model: ScriptedModel) -> None:
    common = "I'm glad you're here, and I'll be happy to help."
    model.enqueue(common)
    memory = learn(runtime)
    model.enqueue(common)
    say(runtime, new_chat(runtime), "Hello there, who are you?")
    receipt = erase(runtime, memory, messages=True)
    assert (receipt.messages, receipt.left) == (2, ())


def test_what_others_say_stays(runtime: Runtime) -> None:
    memory = learn(runtime)
    other = learn(runtime, "My brother Hugo lives in Ghent.")
    thread = new_chat(runtime)
    chats.save_draft(runtime, thread, "a draft about Ghent")
    erase(runtime, memory, messages=True)
    assert [memory.id for memory in curate.list_memories(runtime)] == [other]
    assert ("My brother Hugo lives in Ghent.",) in ask(runtime, "SELECT text FROM messages")
    assert chats.get_draft(runtime, thread) == "a draft about Ghent"
    assert [hit.text for hit in recall(runtime, RecallRequest("Hugo", kinds=("memory",)))] == [
        "My brother Hugo lives in Ghent."
    ]


def test_the_receipt_is_honest_about_what_is_left(runtime: Runtime, model: ScriptedModel) -> None:
    memory = learn(runtime)
    model.enqueue(f"You told me: {FACT}")
    say(runtime, new_chat(runtime), "Tell me something.")
    receipt = erase(runtime, memory)
    assert receipt.left == (("memapp.db", 5),), (
        "a title, the message, the reply, and both beside the other of their turn"
    )
    assert "5 copies left" in str(receipt)


def test_what_came_back_from_the_trash_is_left_out_and_told_of(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, live, brought_back = (
        curate.add(runtime, f"User {does}.").memory_id for does in ("swims", "runs", "rows")
    )
    curate.discard(runtime, gone, brought_back)
    cleaning = forget.text_traces.copies

    def bring_back_meanwhile(*of: Any) -> list[Path]:
        curate.restore(runtime, brought_back)
        return cleaning(*of)

    monkeypatch.setattr(forget.text_traces, "copies", bring_back_meanwhile)
    receipt = forget.purge(runtime, [gone, live, brought_back])
    assert receipt.memories == 1
    assert receipt.left_out == 2
    assert "2 memories no longer in the trash" in str(receipt)
    assert {memory.id for memory in curate.list_memories(runtime)} == {live, brought_back}


def test_memories_that_it_took_in_go_with_it(runtime: Runtime) -> None:
    from memapp.domain.changes import Merged

    kept = curate.add(runtime, "User has a cat.").memory_id
    absorbed = curate.add(runtime, "User owns a cat.").memory_id
    with runtime.write() as session:
        merged = Merged(absorbed, kept, runtime.clock() + timedelta(days=30))
        changes.apply(session, merged, Actor("person"))
    assert erase(runtime, kept).memories == 2


def test_a_fact_that_was_forgotten_is_not_learned_again(runtime: Runtime) -> None:
    assert not forget.is_forgotten(runtime, FACT)
    erase(runtime, learn(runtime), messages=True)
    assert forget.is_forgotten(runtime, FACT)
    assert forget.is_forgotten(runtime, "my sister ZQARLA lives in Ghent")
    assert not forget.is_forgotten(runtime, "My brother Hugo lives in Ghent.")
    thread = chat_of(runtime, "My sister Zqarla lives in Ghent.")
    assert list(upkeep.work(runtime, thread, Cancel())) == []
    assert [request.field for request in pending.list_pending(runtime)] == [FORGOTTEN], (
        "it is asked about, not learned"
    )
    ((mark, secret),) = ask(runtime, "SELECT fingerprint, secret FROM forgotten, forgotten_key")
    assert isinstance(mark, str) and isinstance(secret, bytes)
    assert len(mark) == 64 and len(secret) == 32


def test_each_file_has_a_key_of_its_own(runtime: Runtime, tmp_path: Path) -> None:
    other = make_runtime(tmp_path / "other")
    for item in (runtime, other):
        erase(item, curate.add(item, FACT).memory_id)
    marks = {ask(item, "SELECT fingerprint FROM forgotten")[0] for item in (runtime, other)}
    assert len(marks) == 2
    other.close()


def test_the_models_keep_nothing_of_it(runtime: Runtime, model: ScriptedModel) -> None:
    memory = learn(runtime)
    assert recall(runtime, RecallRequest("sister"))
    chat_of(runtime, "Hello.")
    erase(runtime, memory)
    assert model.warm(model.seen[-1], Cancel()) > 0
    reused = model.warm(model.seen[-1], Cancel())
    assert reused == 0, "and it keeps again what comes after"


def test_a_reply_that_was_being_written_from_it_is_not_saved(
    runtime: Runtime, model: ScriptedModel, tmp_path: Path
) -> None:
    memory = learn(runtime)
    model.enqueue(
        "Your sister Zqarla, of course.", prediction="Zqarla is well.", needed_info=["zqarla"]
    )
    begun = take_turn(runtime, new_chat(runtime), "Where does my sister live?")
    assert list(takewhile(lambda event: not isinstance(event, Found), begun))
    erase(runtime, memory, messages=True)
    failed = only(Failed, begun)
    assert (failed.reply.text, "erased for good" in str(failed.error)) == ("", True)
    assert files_with(tmp_path, b"zqarla") == set()


@pytest.mark.parametrize("text", ["Does my sister like Ghent?", "Write a poem about rain."])
def test_what_was_expected_with_it_goes(runtime: Runtime, model: ScriptedModel, text: str) -> None:
    ask_the_model(runtime)
    thread = new_chat(runtime)  # to which it is news
    memory = learn(runtime)
    model.enqueue("She likes it there.", "You will speak of Zqarla.", ["Zqarla"])
    say(runtime, thread, text)
    assert ask(runtime, "SELECT count(*) FROM recalls WHERE owner_id = ?", memory) == [(1,)]
    erase(runtime, memory)
    assert ask(
        runtime, "SELECT count(*) FROM predictions WHERE text || needed_info LIKE '%zqarla%'"
    ) == [(0,)]
    assert ask(runtime, "SELECT count(*) FROM recalls WHERE owner_id = ?", memory) == [(0,)]
    assert checkpoints.load(runtime.read(), thread) == Checkpoint()


def test_what_idle_work_was_making_of_it_is_lost(runtime: Runtime, model: ScriptedModel) -> None:
    ask_the_model(runtime)
    model.enqueue("She likes it there.", "Does she still sing there?", ["sister"])
    say(runtime, thread := new_chat(runtime), "Does my sister like Ghent?")

    def predict_beside_an_erasure(prompt: Prompt, sampling: Sampling) -> str | None:
        if call_kind(prompt, sampling) != "predict":
            return None
        erase(runtime, curate.add(runtime, FACT).memory_id)
        return json.dumps({"needed_info": ["Zqarla"], "prediction": "You will speak of Zqarla."})

    model.script = predict_beside_an_erasure
    list(upkeep.work(runtime, thread, Cancel()))
    assert ask(runtime, "SELECT count(*) FROM history WHERE event = 'PURGE'") == [(2,)]
    assert ask(
        runtime, "SELECT count(*) FROM predictions WHERE text || needed_info LIKE '%zqarla%'"
    ) == [(0,)]
    assert checkpoints.load(runtime.read(), thread).prefetch is None


def test_a_word_is_gone_everywhere_as_the_preview_said(runtime: Runtime, tmp_path: Path) -> None:
    learn(runtime)
    thread = new_chat(runtime)
    chats.add_context_card(runtime, thread, "Zqarla's cup")
    chats.save_draft(runtime, thread, "ask zqarla")
    chats.rename_thread(runtime, thread, "About ZQARLA")
    back_up(runtime)
    preview = forget.preview(runtime, " zqarla ")
    assert preview.backups == 1
    receipt = forget.forget_everywhere(runtime, "zqarla")
    assert (receipt.memories, receipt.messages, receipt.left) == (1, 1, ())
    assert receipt.others >= 4
    assert preview.memories == receipt.memories
    assert preview.messages == receipt.messages
    assert preview.others == receipt.others
    assert files_with(tmp_path, b"zqarla") == set()
    after = forget.preview(runtime, "zqarla")
    assert (after.memories, after.messages, after.others, after.backups) == (0, 0, 0, 0)
    assert global_search.find(runtime, "zqarla") == []


def test_a_preview_counts_all_and_changes_nothing(runtime: Runtime, model: ScriptedModel) -> None:
    memory = learn(runtime)
    model.enqueue("She likes it there.", "You will speak of Zqarla.", ["Zqarla"])
    say(runtime, new_chat(runtime), "Does my sister like Ghent?")
    before = "\n".join(runtime.database.read().iterdump())
    preview = forget.preview(runtime, "zqarla")
    assert "\n".join(runtime.database.read().iterdump()) == before
    assert memory in {hit.id for hit in recall(runtime, RecallRequest("sister"))}
    receipt = forget.forget_everywhere(runtime, "zqarla")
    assert preview.memories == receipt.memories
    assert preview.messages == receipt.messages
    assert preview.others == receipt.others
    assert preview.others > 0


def test_the_receipt_says_that_what_is_left_stands_inside_longer_words(runtime: Runtime) -> None:
    curate.add(runtime, "User waters gardeners daily.")
    curate.add(runtime, "User loves the garden a lot.")
    receipt = forget.forget_everywhere(runtime, "garden")
    assert (receipt.memories, bool(receipt.left)) == (1, True)
    assert "inside longer words" in str(receipt) and "elsewhere" not in str(receipt)


def test_a_word_glued_to_others_or_hyphenated_is_forgotten_as_seen(runtime: Runtime) -> None:
    chat_of(runtime, "I met Qzx\u00advorb at the pier.")
    for text in (
        "User's friend is Qzx\u200bvorb.",
        "User calls a file x_qzxvorb_y.",
        "User's nick is qzxvorb123.",
    ):
        curate.add(runtime, text)
    receipt = forget.forget_everywhere(runtime, "Qzxvorb")
    assert (receipt.memories, receipt.left) == (3, ())
    assert "qzxvorb" not in "\n".join(runtime.database.read().iterdump()).lower()


def test_a_word_without_spaces_is_forgotten_in_its_run(runtime: Runtime, tmp_path: Path) -> None:
    chat_of(runtime, "昨天我喝绿茶了")
    curate.add(runtime, "我喜欢喝绿茶和红茶")
    curate.add(runtime, "我住在北京")
    back_up(runtime)
    receipt = forget.forget_everywhere(runtime, "绿茶")
    assert (receipt.memories, receipt.backups_cleaned, receipt.left) == (1, 1, ())
    assert [memory.text for memory in curate.list_memories(runtime)] == ["我住在北京"]
    assert files_with(tmp_path, "绿茶".encode()) == set()


def test_a_word_within_other_words_is_left_alone(runtime: Runtime) -> None:
    kept = curate.add(runtime, "User is planning a trip with Hannah.").memory_id
    gone = curate.add(runtime, "User's friend is Ann.").memory_id
    receipt = forget.forget_everywhere(runtime, "ann")
    assert [memory.id for memory in curate.list_memories(runtime)] == [kept]
    assert (receipt.memories, receipt.left) == (1, ())
    assert finding.texts_of(runtime.read(), [kept, gone]) == (
        "User is planning a trip with Hannah.",
    )


def test_what_only_memapp_itself_says_is_not_meant(runtime: Runtime) -> None:
    memory = curate.add(runtime, "User wants to run.", category="goals").memory_id
    curate.edit(runtime, memory, "User wants to run far.")
    say(runtime, new_chat(runtime), "I like soup.")
    propose(runtime, "forgotten", "", "User swims.", "User swims.", apply=False)
    with runtime.write() as session:
        jobs.save_pace(session, "purge", Pace(runtime.clock(), runtime.clock()))
    for word in word_list("goals live row category news stage status seen importance nothing"):
        preview = forget.preview(runtime, word)
        assert (word, preview.memories, preview.messages, preview.others) == (word, 0, 0, 0)
    curate.edit(runtime, memory, "User wants to rest.")
    forget.forget_everywhere(runtime, "far")
    assert ask(runtime, "SELECT count(*) FROM versions WHERE instr(snapshot, 'far')") == [(0,)]
    assert ask(runtime, "SELECT count(*) FROM versions WHERE instr(snapshot, 'to run.')") == [(1,)]


def test_what_is_too_little_to_look_for_is_refused(runtime: Runtime) -> None:
    for words in ("", "  ", "a"):
        with pytest.raises(UsageError):
            forget.forget_everywhere(runtime, words)
        with pytest.raises(UsageError):
            forget.preview(runtime, words)
    with pytest.raises(NotFound):
        forget.purge(runtime, ["nobody", curate.add(runtime, FACT).memory_id])
    assert curate.count(runtime) == 1


def propose(
    runtime: Runtime, field: str, old: str, new: str, memory: str = "", *, apply: bool
) -> None:
    with runtime.decide() as session:
        now = runtime.clock()
        request, draft = new_id(now), snapshots.write_memory(fact(memory, now)) if memory else ""
        session.conn.execute(
            """INSERT INTO consent_requests
               (id, user_id, field, old_value, new_value, memory, proposer, created_at, expires_at)
               VALUES (?, ?, ?, ?, ?, ?, 'rules', ?, ?)""",
            (
                request,
                runtime.user_id,
                field,
                old,
                new,
                draft,
                to_text(now),
                to_text(now + timedelta(days=7)),
            ),
        )
        if apply:
            session.conn.execute(
                (
                    "UPDATE consent_requests SET state = 'approved', decided_at = created_at, "
                    "decided_by = 'person' WHERE id = ?"
                ),
                (request,),
            )
            changes.apply(session, ProfileChanged(request), Actor("person"))


def test_a_word_leaves_the_profile_but_no_later_value(runtime: Runtime, tmp_path: Path) -> None:
    propose(runtime, "city", "", "Zqoslo", apply=True)
    propose(runtime, "city", "Zqoslo", "Ghent", apply=True)
    propose(runtime, "preferred_name", "", "Zqoslo", apply=True)
    propose(runtime, "language", "", "Dutch", "User comes from Zqoslo.", apply=False)
    forget.forget_everywhere(runtime, "zqoslo")
    assert ask(runtime, "SELECT field, value FROM profile") == [("city", "Ghent")]
    assert ask(
        runtime,
        (
            "SELECT old_value, new_value, memory, state FROM consent_requests "
            "WHERE field <> 'preferred_name'"
        ),
    ) == [("", "Ghent", "", "applied")]
    assert files_with(tmp_path, b"zqoslo") == set()


@pytest.mark.parametrize(("by", "draft"), [("person", ""), ("lifecycle", "vegan")])
def test_a_purge_leaves_the_profile_and_drafts_alone_but_one_that_says_the_same(
    runtime: Runtime, by: Literal["person", "lifecycle"], draft: str
) -> None:
    for value in ("asthma", "vegan"):
        propose(runtime, "health", "", value, apply=True)
    thread = new_chat(runtime)
    chats.save_draft(runtime, thread, "Where is there vegan food?")
    chats.save_draft(runtime, "", "vegan")
    memory = overdue(runtime, "Vegan")
    before = ask(runtime, "SELECT id, state, decided_by FROM consent_requests")
    receipt = forget.purge(runtime, [memory], by=by)
    assert ("Your profile still says: Health: vegan." in str(receipt)) is (by == "person")
    actual = ask(runtime, "SELECT field, value FROM profile ORDER BY value")
    assert actual == [("health", "asthma"), ("health", "vegan")]
    assert ask(runtime, "SELECT id, state, decided_by FROM consent_requests") == before
    assert chats.get_draft(runtime, thread) == "Where is there vegan food?"
    assert chats.get_draft(runtime, "") == draft


@pytest.mark.parametrize("by", ["person", "lifecycle"])
def test_a_purge_takes_a_memory_from_the_request_that_brought_it(
    runtime: Runtime, by: Literal["person", "lifecycle"]
) -> None:
    chat_of(runtime, "I live in Zqarlaville.")
    (request,) = pending.list_pending(runtime)
    decisions.approve(runtime, request.id)
    (memory,) = curate.list_memories(runtime)
    undo.undo_last(runtime)
    if by == "lifecycle":
        to_the_end_of_the_trash(runtime)
    receipt = forget.purge(runtime, [memory.id], messages=by == "person", by=by)
    assert (receipt.memories, bool(receipt.left)) == (1, by == "lifecycle"), "the message stays"


def test_with_its_messages_goes_what_memapp_asked_and_was_answered(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for text in ("I live in Zqarlaville.", "Yes.", "What a fine day this is."):
        say(runtime, thread, text)
    (memory,) = curate.list_memories(runtime)
    receipt = erase(runtime, memory.id, messages=True)
    assert (receipt.messages, receipt.left) == (5, ()), "statement, reply, question, answer, reply"
    said = [
        text
        for (text,) in ask(runtime, "SELECT text FROM messages WHERE role = 'user' ORDER BY id")
    ]
    assert said == ["[erased]", "[erased]", "What a fine day this is."]


@pytest.mark.parametrize(
    ("by", "waiting"), [("person", ["language"]), ("lifecycle", ["city", "pronouns", "language"])]
)
def test_a_purge_by_the_person_withdraws_what_waits_and_says_the_same(
    runtime: Runtime, by: Literal["person", "lifecycle"], waiting: list[str]
) -> None:
    memory = overdue(runtime, FACT)
    propose(runtime, "city", "", FACT.upper(), apply=False)
    propose(runtime, "pronouns", "", "they", FACT, apply=False)
    propose(runtime, "language", "", f"{FACT} She moved there.", apply=False)
    forget.purge(runtime, [memory], by=by)
    assert [
        field for (field,) in ask(runtime, "SELECT field FROM consent_requests ORDER BY id")
    ] == waiting


def test_a_word_takes_from_the_profile_only_what_holds_the_word(runtime: Runtime) -> None:
    for value in ("vegan", "zqarlitis"):
        propose(runtime, "health", "", value, apply=True)
    propose(runtime, "health", "", "zqarlitis cough", apply=True)
    propose(runtime, "health", "zqarlitis cough", "cough", apply=True)
    propose(runtime, "health", "", "gout", apply=False)
    propose(runtime, "health", "", "another zqarlitis", apply=False)
    memory = curate.add(runtime, "Vegan").memory_id
    curate.edit(runtime, memory, "User eats with Zqarlitis.")
    preview = forget.preview(runtime, "zqarlitis")
    assert preview.profile == ("Health: zqarlitis",)
    assert "from your profile Health: zqarlitis" in str(preview)
    forget.forget_everywhere(runtime, "zqarlitis")
    actual = ask(runtime, "SELECT field, value FROM profile ORDER BY value")
    assert actual == [("health", "cough"), ("health", "vegan")]
    assert ask(
        runtime, "SELECT old_value, new_value FROM consent_requests WHERE state = 'pending'"
    ) == [("", "gout")]
    assert ask(
        runtime, "SELECT count(*) FROM consent_requests WHERE instr(old_value || new_value, 'zqar')"
    ) == [(0,)]


SECRET = "User has a secret affair with Zqarla."


@pytest.mark.parametrize("wordings", [[SECRET], [SECRET, "User tends a garden."]])
def test_no_change_that_is_taken_back_brings_a_purged_text_back(
    runtime: Runtime, tmp_path: Path, wordings: list[str]
) -> None:
    twin = curate.add(runtime, SECRET).memory_id
    edited = curate.edit(runtime, twin, "User likes gardens.")
    back_up(runtime)
    memory = curate.add(runtime, wordings[0]).memory_id
    for text in wordings[1:]:
        curate.edit(runtime, memory, text)
    receipt = erase(runtime, memory)
    assert (receipt.left, files_with(tmp_path, b"zqarla")) == ((), set())
    with pytest.raises(UsageError):
        undo.undo(runtime, edited.step)
    assert [memory.text for memory in curate.list_memories(runtime)] == ["User likes gardens."]


def test_erasing_it_from_the_trash_leaves_what_says_the_same_as_it_was(runtime: Runtime) -> None:
    trashed = curate.add(runtime, FACT).memory_id
    curate.discard(runtime, trashed)
    live = curate.add(runtime, FACT).memory_id
    curate.pin(runtime, live)
    forget.purge(runtime, [trashed])
    assert [version.pinned for version in activity.versions(runtime, live)] == [False, True]


def overdue(runtime: Runtime, text: str) -> str:
    """Return a memory that is overdue in the trash."""
    memory = curate.add(runtime, text).memory_id
    curate.discard(runtime, memory)
    to_the_end_of_the_trash(runtime)
    return memory


def to_the_end_of_the_trash(runtime: Runtime) -> None:
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(days=runtime.settings.purge_days + 1)


def test_the_end_of_the_trash_leaves_the_versions_of_others(runtime: Runtime) -> None:
    twin = curate.add(runtime, SECRET).memory_id
    edited = curate.edit(runtime, twin, "User likes gardens.")
    forget.purge(runtime, [overdue(runtime, SECRET)], by="lifecycle")
    undo.undo(runtime, edited.step)
    assert [memory.text for memory in curate.list_memories(runtime)] == [SECRET]


def test_the_end_of_the_trash_does_not_go_beyond_what_the_person_planned(runtime: Runtime) -> None:
    memory, planned = overdue(runtime, "User has a cat."), curate.add(runtime, FACT).memory_id
    curate.discard(runtime, planned)
    with runtime.decide() as session:
        purge_jobs.plan(session, PurgeJob((planned,)))
    forget.purge(runtime, [memory], by="lifecycle")
    assert ask(
        runtime, "SELECT memory_id, actor FROM history WHERE event = 'PURGE' ORDER BY number"
    ) == [(planned, "person"), (memory, "lifecycle")]
    assert ask(runtime, "SELECT count(*) FROM purge_jobs") == [(0,)]


def test_a_copy_that_cannot_be_cleaned_is_dropped_only_if_it_holds_it(runtime: Runtime) -> None:
    broken, other = (
        new_copy(runtime.paths.database, BACKUPS, "schema1", runtime.clock()) for _ in range(2)
    )
    broken.write_bytes(b"no database, but: " + FACT.encode())
    other.write_bytes(b"no database, and nothing of it")
    receipt = erase(runtime, curate.add(runtime, FACT).memory_id)
    assert (receipt.backups_cleaned, receipt.backups_dropped) == (0, 1)
    assert list(other.parent.iterdir()) == [other]


def test_copies_of_another_file_in_the_folder_stay_as_is(runtime: Runtime, tmp_path: Path) -> None:
    other = bootstrap.start(home=tmp_path, database=tmp_path / "memapp-old.db")
    curate.add(other, FACT)
    mine = other.database.backup(new_copy(other.paths.database, BACKUPS, "schema1", other.clock()))
    by_hand = other.database.backup(mine.with_name("memapp-mine.db"))
    broken = new_copy(other.paths.database, BACKUPS, "schema1", other.clock())
    broken.write_bytes(b"no database, but: " + FACT.encode())
    before = {path: path.read_bytes() for path in (mine, by_hand, broken)}
    curate.add(runtime, FACT)
    receipt = forget.forget_everywhere(runtime, "Zqarla")
    assert (receipt.memories, receipt.backups_cleaned, receipt.backups_dropped) == (1, 0, 0)
    assert [name for name, _ in receipt.left] == [by_hand.name], (
        "told of, since nobody but the person knows whose it is"
    )
    assert {path: path.read_bytes() for path in before} == before
    other.close()


def test_a_cleaned_copy_is_a_sound_file_that_still_has_everything_else(runtime: Runtime) -> None:
    memory = learn(runtime)
    other = curate.add(runtime, "User plays chess.").memory_id
    copy = back_up(runtime)
    erase(runtime, memory, messages=True)
    home = copy.parent.parent / "restored"
    home.mkdir(mode=0o700)
    copy.rename(home / "memapp.db")
    restored = bootstrap.start(home=home)
    assert [memory.id for memory in curate.list_memories(restored)] == [other]
    assert not list(home.glob("*.partial*"))
    restored.close()


def test_a_backup_that_has_still_to_learn_it_asks_first(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "My sister Zqarla lives in Ghent.")
    copy = back_up(runtime)
    (written,) = upkeep.work(runtime, None, Cancel())
    assert erase(runtime, written.memory.id).backups_cleaned == 0
    with open_copy(copy) as conn:
        add_wording(conn, WORDING)
        assert erasing.is_forgotten(on(conn), FACT)


@pytest.mark.parametrize("way", ["messages", "words", "chat"])
def test_what_was_planned_is_done_at_the_start(runtime: Runtime, tmp_path: Path, way: str) -> None:
    memory = learn(runtime)
    copy = back_up(runtime)
    curate.discard(runtime, memory)
    with runtime.decide() as session:
        messages = finding.said_in(session, [memory])
        (thread,) = chats.list_threads(runtime)
        whole = PurgeJob((memory,), thread_ids=(thread.id,))
        jobs = {
            "messages": PurgeJob((memory,), messages),
            "words": PurgeJob(words=("zqarla",)),
            "chat": whole,
        }
        purge_jobs.plan(session, jobs[way])
    copy.with_name(f"{copy.name}.partial").write_text("half a backup")
    runtime.close()
    again = bootstrap.start(home=tmp_path)
    assert ask(again, "SELECT count(*) FROM purge_jobs") == [(0,)]
    assert curate.list_memories(again) == []
    assert files_with(tmp_path, b"zqarla") == set()
    assert not list(tmp_path.rglob("*.partial*"))
    again.close()


def test_a_reader_in_the_way_is_said(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memapp.store.database.BUSY_MILLISECONDS", 50)
    memory = learn(runtime)
    other = bootstrap.start(home=runtime.paths.database.parent, read_only=True)
    reading = other.database.read()
    reading.execute("BEGIN")
    reading.execute("SELECT count(*) FROM memories").fetchone()
    receipt = erase(runtime, memory, messages=True)
    assert not receipt.settled
    assert "the rest is done at the next start" in str(receipt)
    reading.execute("ROLLBACK")
    other.close()
    forget.finish(runtime)
    assert ask(runtime, "SELECT count(*) FROM purge_jobs") == [(0,)]
    assert files_with(runtime.paths.database.parent, b"zqarla") == set()


def test_the_receipt_names_the_memories_that_still_hold_the_words(runtime: Runtime) -> None:
    erased, longer, edited, other = (
        curate.add(runtime, text).memory_id
        for text in (
            "User has a cat.",
            "User has a cat named Tom.",
            "User has a cat, and a dog.",
            "User keeps bees.",
        )
    )
    curate.edit(runtime, edited, "User has a dog.")
    receipt = erase(runtime, erased)
    assert receipt.also_in == (edited, longer)
    assert (
        "Their words also stand in 2 other memories, now or as they were before: "
        f"{edited} {longer}."
    ) in str(receipt)
    again = erase(runtime, *receipt.also_in)
    assert (again.left, again.also_in) == ((), ())
    assert "other memor" not in str(again)
    assert [memory.id for memory in curate.list_memories(runtime)] == [other]


def test_no_cache_of_a_process_holds_what_it_erased_or_what_another_one_did(
    tmp_path: Path,
) -> None:
    runtime, other = make_runtime(tmp_path), make_runtime(tmp_path)
    forget.hear_others(other)
    learn(runtime)
    say(runtime, new_chat(runtime), "Where does Zqarla live? yes")
    assert "Zqarla" in cached_texts()
    forget.forget_everywhere(runtime, "Zqarla")
    assert "Zqarla" not in cached_texts()
    normalise(FACT)
    assert forget.hear_others(other).erased
    assert "Zqarla" not in cached_texts()
    other.close()
    runtime.close()


def cached_texts() -> str:
    """Return all texts in caches of functions of memapp, in one."""
    caches = [
        cache
        for cache in gc.get_objects()
        if type(cache) is type(normalise) and str(cache.__module__).startswith("memapp.")
    ]
    assert normalise in caches
    held = gc.get_referents(*caches)
    for _ in range(3):
        held += gc.get_referents(*(part for part in held if isinstance(part, dict | tuple)))
    return " ".join(part for part in held if isinstance(part, str))
