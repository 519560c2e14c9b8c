"""No password and no key gets into the memory, by whatever door; what may be one is asked about."""

import json
from pathlib import Path

import pytest

from memapp.domain.chat import Role
from memapp.domain.grants import Grant
from memapp.errors import UsageError
from memapp.language.sentence import tells_secret
from memapp.runtime import Runtime
from memapp.services import agents, chats, curate
from memapp.services.agents import Caller
from memapp.services.consent import decisions, pending
from memapp.services.imports.import_file import import_file
from memapp.services.turn import turns
from memapp.store import chat
from tests.builders import chat_of, learn

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def in_file(runtime: Runtime) -> str:
    return " ".join(runtime.database.read().iterdump())


def test_a_message_is_saved_without_its_secret_and_not_remembered(runtime: Runtime) -> None:
    thread = chats.new_thread(runtime)
    chats.save_draft(runtime, thread.id, f"my github token is {TOKEN}")
    list(turns.take_turn(runtime, thread.id, f"my github token is {TOKEN}"))
    list(turns.take_turn(runtime, thread.id, f"remember that my github token is {TOKEN}"))
    said = [
        message.text
        for message in chat.list_messages(runtime.read(), thread.id)
        if message.role is Role.USER
    ]
    assert said == ["my github token is ***", "remember that my github token is ***"]
    assert TOKEN not in in_file(runtime) and not curate.list_memories(runtime)


@pytest.mark.parametrize(
    "text",
    [f"My github token is {TOKEN}", f"I keep {TOKEN} in the drawer", "my github token is ***"],
)
def test_by_hand_a_secret_is_refused(runtime: Runtime, text: str) -> None:
    for write in (
        lambda: curate.add(runtime, text),
        lambda: curate.add(runtime, "I keep bees.", tags=[text]),
        lambda: curate.add(runtime, "Log in", steps=[text]),
        lambda: decisions.set_field(runtime, "contact", text),
    ):
        with pytest.raises(UsageError, match="keep"):
            write()
    assert TOKEN not in in_file(runtime)


def test_what_may_be_a_secret_is_asked_about_once(runtime: Runtime) -> None:
    for text in ("my wifi password is rosebud", "mein passwort lautet rosenknospe"):
        with pytest.raises(UsageError, match="may be a password"):
            curate.add(runtime, text)
        curate.add(runtime, text)
    assert len(curate.list_memories(runtime)) == 2
    curate.add(runtime, "My password manager is older than my dog.")


NUMBERS = (
    "The ISBN of my first novel is 9783161484100.",
    "The tea I drink has the EAN 4006381333931.",
    "My office can be reached at +49 1512 3456789.",
    "My member number at the climbing hall is 9234 5678 9012 3456.",
    "I was born 1972, moved 1990 1995 2001 2013 and 2014.",
)
CARDS = (
    "My card is 4111 1111 1111 1111 12/27 123",
    "4111111111111111 is on my card",
    "I pay with 3782 822463 10005.",
    "I pay with 5555-5555-5555-4444.",
    "my card is 4000 1234 5678 9010 exp 08/29",
    "My phone has the IMEI 490154203237518.",
)


@pytest.mark.parametrize("text", NUMBERS)
def test_a_long_number_that_is_no_card_is_no_secret(runtime: Runtime, text: str) -> None:
    assert curate.get(runtime, curate.add(runtime, text).memory_id).text == text


@pytest.mark.parametrize("text", CARDS)
def test_the_number_of_a_card_is_only_kept_when_written_twice(runtime: Runtime, text: str) -> None:
    assert tells_secret(text)
    thread = chat_of(runtime, text)
    learn(runtime, thread)
    assert curate.list_memories(runtime) == pending.list_pending(runtime) == []
    with pytest.raises(UsageError, match="card number"):
        curate.add(runtime, text)
    curate.add(runtime, text)


def test_an_import_leaves_secrets_out_and_says_so(runtime: Runtime, tmp_path: Path) -> None:
    at = "2026-01-31T08:15:00Z"
    said = [
        {"uuid": by, "sender": by, "text": text, "created_at": at}
        for by, text in (("human", TOKEN), ("assistant", "hi"))
    ]
    talk = {
        "uuid": "c",
        "name": f"about {TOKEN}",
        "created_at": at,
        "updated_at": at,
        "chat_messages": said,
    }
    (tmp_path / "conversations.json").write_text(json.dumps([talk]))
    found = import_file(runtime, tmp_path / "conversations.json")
    assert (found.added["message"], found.hidden) == (2, 2)
    assert "2 entries without the password or key in it" in str(found)
    assert TOKEN not in in_file(runtime)


@pytest.mark.parametrize("text", [f"The token is {TOKEN}.", "The wifi password is rosebud."])
def test_an_agent_proposes_no_secret_and_none_that_may_be_one(runtime: Runtime, text: str) -> None:
    with pytest.raises(UsageError, match="do not keep"):
        agents.propose(runtime, Caller("editor", Grant()), "They like tea.", quote=text)
    with pytest.raises(UsageError, match="do not keep"):
        agents.propose(runtime, Caller("editor", Grant()), text)
