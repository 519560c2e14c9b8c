"""Conversations of other programs, plain and in archives, well-meant and not."""

import io
import json
import stat
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.consent import decisions
from memapp.services.imports import archive
from memapp.services.imports.files import READ_IN_ARCHIVES
from memapp.services.imports.import_file import import_file
from memapp.store import chat
from tests.services.imports.builders import dump, waiting
from tests.services.imports.sample_exports import loaded


def node(name: str, parent: str | None, role: str, text: Any, **more: Any) -> dict[str, Any]:
    message = {
        "author": {"role": role},
        "content": {"content_type": "text", "parts": [text]},
        "create_time": 1769847300.5,
        **more,
    }
    return {"id": name, "parent": parent, "children": [], "message": message}


CHATGPT = loaded("chatgpt_branches.json")
CLAUDE = loaded("claude_two.json")


def written(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data), "utf-8")
    return path


def said(runtime: Runtime) -> list[list[tuple[str, str, str]]]:
    session = runtime.read()
    threads = chats.list_threads(runtime)
    return [
        [(m.role, m.text, m.origin) for m in chat.list_messages(session, thread.id)]
        for thread in threads
    ]


def test_of_chatgpt_the_branch_left_standing_comes_in(runtime: Runtime, tmp_path: Path) -> None:
    found = import_file(runtime, written(tmp_path / "conversations.json", CHATGPT))
    assert said(runtime) == [
        [
            ("user", "How many hives?", "import"),
            ("assistant", "Two.\n\nOr three.", "import"),
            ("user", "I live in Oslo.", "import"),
        ]
    ]
    assert chats.list_threads(runtime)[0].title == "Bees"
    assert (found.facts, curate.count(runtime)) == (0, 0), "imported words teach nothing"
    assert waiting(runtime) == set()
    again = import_file(runtime, tmp_path / "conversations.json")
    assert (again.added, again.known) == ({}, 1)


def test_a_conversation_of_claude(runtime: Runtime, tmp_path: Path) -> None:
    found = import_file(runtime, written(tmp_path / "x.json", CLAUDE))
    assert found.added == {"thread": 1, "message": 2}
    assert str(found).endswith("left out: 1 tool call, 1 conversation without words")
    assert said(runtime) == [[("user", "Hello", "import"), ("assistant", "Hi.", "import")]]
    assert chats.list_threads(runtime)[0].title == "Imported chat"


@pytest.mark.parametrize(
    "data", [[{}], [1], {}, {"mapping": []}, {"unknown": {"deep": [1]}}, "text", 7]
)
def test_what_has_no_known_form_is_refused(runtime: Runtime, tmp_path: Path, data: Any) -> None:
    with pytest.raises(
        UsageError,
        match=r"no export that memapp knows\. It begins with “.*”\. .* It knows ChatGPT, Claude",
    ):
        import_file(runtime, written(tmp_path / "x.json", data))
    assert chats.list_threads(runtime) == []


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        ({"mapping": []}, "1 entry of unknown form"),
        (
            {**CHATGPT[0], "mapping": {"e": {"parent": "e"}}},
            "1 entry of ChatGPT that cannot be read",
        ),
        ({**CHATGPT[0], "mapping": {"e": 1}}, "1 message that cannot be read"),
        ({"chat_messages": [1], "uuid": "u"}, "1 message that cannot be read"),
        (
            {"chat_messages": [{"sender": "human", "text": "x"}]},
            "1 entry of Claude that cannot be read",
        ),
    ],
)
def test_a_conversation_that_cannot_be_read_is_counted_and_the_others_come_in(
    runtime: Runtime, tmp_path: Path, damaged: Any, said: str
) -> None:
    found = import_file(runtime, written(tmp_path / "x.json", [damaged, *CHATGPT]))
    assert (found.added["thread"], said in str(found)) == (1, True)


def test_what_was_spoken_is_what_was_said(runtime: Runtime, tmp_path: Path) -> None:
    spoken = {"content_type": "audio_transcription", "direction": "in", "text": "How many hives?"}
    sound = {
        "content_type": "real_time_user_audio_video_asset_pointer",
        "audio_asset_pointer": {"asset_pointer": "sediment://a"},
    }
    message = node("a", None, "user", "")
    message["message"]["content"] = {"content_type": "multimodal_text", "parts": [spoken, sound]}
    data = [{**CHATGPT[0], "mapping": {"a": message}, "current_node": "a"}]
    import_file(runtime, written(tmp_path / "x.json", data))
    assert said(runtime) == [[("user", "How many hives?", "import")]]


def test_what_cannot_be_stored_goes_and_the_rest_comes_in(runtime: Runtime, tmp_path: Path) -> None:
    mapping = {
        "a": node("a", None, "user", "How many\0 hives\ud800?"),
        "tool": node("tool", "a", "tool", "\0\udc00", metadata={"found": [10**30, float("nan")]}),
        "b": node("b", "tool", "assistant", "Two."),
    }
    data = [
        {"title": "\0", "id": "\ud800c", "create_time": 1, "mapping": mapping, "current_node": "b"}
    ]
    import_file(runtime, written(tmp_path / "x.json", data))
    assert said(runtime) == [
        [("user", "How many hives?", "import"), ("assistant", "Two.", "import")]
    ]


def test_a_message_longer_than_one_can_be_becomes_several(runtime: Runtime, tmp_path: Path) -> None:
    long = [{"sender": "human", "text": "x" * 150_000}] * 2 + [
        {"sender": "assistant", "text": "y" * 200_001}
    ]
    import_file(runtime, written(tmp_path / "x.json", [{"chat_messages": long, "uuid": "u"}]))
    (chat_said,) = said(runtime)
    assert [(role, len(text)) for role, text, _ in chat_said] == [
        *(("user", 200_000), ("user", 100_002), ("assistant", 200_000), ("assistant", 1))
    ]


@pytest.mark.parametrize("seconds", [None, "x", -5, 1e300, 253402300800, True])
def test_odd_times_are_no_trouble(runtime: Runtime, tmp_path: Path, seconds: Any) -> None:
    data = [{**CHATGPT[0], "create_time": seconds, "update_time": seconds}]
    assert import_file(runtime, written(tmp_path / "x.json", data)).added["thread"] == 1


def test_facts_of_others_wait_and_are_kept_with_a_yes(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    lines = [
        {
            "text": "I keep bees.",
            "tags": ["bees", 3],
            "created_at": "2025-01-01T00:00:00Z",
            "more": 1,
        },
        {"memory": "I live in Oslo."},
        {"content": "I play chess."},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = import_file(runtime, file)
    assert (found.added, found.facts, curate.count(runtime)) == ({}, 3, 0)
    assert waiting(runtime) == {
        ("fact", "I keep bees.", "I keep bees."),
        ("city", "Oslo", "I live in Oslo."),
        ("fact", "I play chess.", "I play chess."),
    }
    decisions.approve(runtime, found.file_id)
    kept = {memory.text: memory for memory in curate.list_memories(runtime)}
    assert kept.keys() == {"I keep bees.", "I live in Oslo.", "I play chess."}
    bees = kept["I keep bees."]
    assert (bees.origin, bees.tags, bees.created_at.year) == ("import", ("bees",), 2025)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{}", "entry of unknown form"),
        ("[]", ""),
        ('{"text": 3}', "entry of unknown form"),
        ('{"text": " "}', "fact without words"),
        ('{"text": "%s"}' % ("x" * 281), "sentence longer than 280 characters"),
    ],
)
def test_what_is_no_fact_is_counted(runtime: Runtime, tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text('{"text": "I keep bees."}\n' + line)
    found = import_file(runtime, file)
    assert (found.facts, found.left_out) == (1, {said: 1} if said else {})


def test_a_list_with_a_line_of_another_kind_is_refused(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    curate.add(runtime, "I have a cat.")
    of_memapp = json.dumps(dump(runtime)[-1])
    for line, said in (("nonsense", "not JSON"), (of_memapp, "the first line is missing")):
        file.write_text(f'{{"text": "I keep bees."}}\n{line}')
        with pytest.raises(UsageError, match=f"Line 2: this is .*{said}"):
            import_file(runtime, file)
    assert waiting(runtime) == set()


# Archives -----------------------------------------------------------------------------------------


def zipped(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes], packed: bool = False) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as file:
        for name, data in entries:
            file.writestr(name, data)
    return path


def kind(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (mode | 0o644) << 16
    return entry


def read(path: Path) -> list[tuple[str, bytes]]:
    with path.open("rb") as file:
        return [
            (name, data)
            for name, data in archive.entries(file, READ_IN_ARCHIVES)
            if data is not None
        ]


GOOD = ("conversations.json", json.dumps(CHATGPT).encode())


def test_an_export_archive_is_read_where_it_lies(runtime: Runtime, tmp_path: Path) -> None:
    file = zipped(
        tmp_path / "export.zip", ("user.json", b"{}"), ("folder/", b""), GOOD, packed=True
    )
    assert import_file(runtime, file).added["thread"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export.zip", "home"]


def test_names_and_kinds_of_files_beside_the_conversations_do_no_harm(tmp_path: Path) -> None:
    """Nothing is unpacked, so a file in an archive can be nowhere else."""
    beside = [
        "../evil",
        "/etc/passwd",
        "C:\\evil",
        kind("link", stat.S_IFLNK),
        kind("device", stat.S_IFCHR),
        ".conversations.json",
    ]
    assert read(
        zipped(tmp_path / "evil.zip", GOOD, *((name, b"/etc/passwd") for name in beside))
    ) == [GOOD]
    assert [path.name for path in tmp_path.iterdir()] == ["evil.zip"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="several files"):
        read(zipped(tmp_path / "evil.zip", GOOD, ("conversations.json", b"[]")))


def test_bombs_are_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped(tmp_path / "bomb.zip", ("conversations.json", bytes(20_000_000)), packed=True)
    with pytest.raises(
        UsageError, match=r"compressed more than 50 to 1\. .* Unpack it and import the folder\."
    ):
        read(bomb)
    monkeypatch.setattr(archive, "MAX_DIRECTORY_BYTES", 450)
    many = zipped(tmp_path / "many.zip", *((f"{number}", b"") for number in range(10)))
    with pytest.raises(UsageError, match=r"too many files\. .* Unpack it"):
        read(many)


def test_only_what_is_read_is_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 2000)
    beside = [("chat.html", bytes(3000)), ("at 10:30.png", b""), ("file-plans.zip", b"PK")]
    assert read(zipped(tmp_path / "export.zip", GOOD, *beside, packed=True)) == [GOOD]
    with pytest.raises(
        UsageError, match=r"more than 100 MB in conversations-001\.json\. .* Unpack it"
    ):
        read(zipped(tmp_path / "large.zip", ("conversations-001.json", bytes(3000))))


def test_an_export_in_several_files_is_read_in_order(runtime: Runtime, tmp_path: Path) -> None:
    parts = [
        (
            f"conversations-{at:03}.json",
            json.dumps([{**CHATGPT[0], "id": f"c-{at}", "conversation_id": ""}]),
        )
        for at in (1, 0)
    ]
    file = zipped(
        tmp_path / "export.zip",
        *((name, data.encode()) for name, data in parts),
        ("audio/a.wav", b""),
        packed=True,
    )
    assert [name for name, _ in read(file)] == ["conversations-000.json", "conversations-001.json"]
    assert import_file(runtime, file).added["thread"] == 2
    with pytest.raises(UsageError, match=r"^conversations-001\.json: Entry 2: "):
        import_file(
            runtime,
            zipped(
                tmp_path / "bad.zip",
                ("conversations-001.json", parts[0][1].encode()[:-1] + b', {"a"}]'),
            ),
        )


def patched(file: Path, marker: bytes, offset: int, value: bytes) -> Path:
    data = file.read_bytes()
    at = data.rindex(marker) + offset
    file.write_bytes(data[:at] + value + data[at + len(value) :])
    return file


def with_large_end(file: Path, size: int) -> Path:
    """Write the end record of a large archive, which counts, before the unchanged ordinary one."""
    data = file.read_bytes()
    at = data.rindex(b"PK\x05\x06")
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, size, 0)
    file.write_bytes(data[:at] + end + struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1) + data[at:])
    return file


def test_a_large_end_is_read_as_it_is(tmp_path: Path) -> None:
    file = with_large_end(zipped(tmp_path / "fine.zip", GOOD), 0)
    data = file.read_bytes()
    begin, end = data.index(b"PK\x01\x02"), data.index(b"PK\x06\x06")
    file.write_bytes(data[: end + 40] + struct.pack("<QQ", end - begin, begin) + data[end + 56 :])
    assert [name for name, _ in read(file)] == [GOOD[0]]


def test_archives_that_lie_about_themselves_are_refused(tmp_path: Path) -> None:
    central = b"PK\x01\x02"
    lies = [
        (
            patched(
                zipped(tmp_path / "small.zip", GOOD, packed=True),
                central,
                24,
                struct.pack("<I", 10),
            ),
            "damaged",
        ),
        (
            patched(
                zipped(tmp_path / "large.zip", GOOD, packed=True),
                central,
                24,
                struct.pack("<I", 2**31),
            ),
            "more than 100 MB",
        ),
        (
            patched(zipped(tmp_path / "secret.zip", GOOD), central, 8, struct.pack("<H", 1)),
            "encrypted",
        ),
        (
            patched(zipped(tmp_path / "method.zip", GOOD), central, 10, struct.pack("<H", 99)),
            "damaged",
        ),
        (patched(zipped(tmp_path / "crc.zip", GOOD), central, 16, struct.pack("<I", 1)), "damaged"),
        (
            patched(
                zipped(tmp_path / "list.zip", GOOD), b"PK\x05\x06", 12, struct.pack("<I", 2**31)
            ),
            "too many files",
        ),
        (with_large_end(zipped(tmp_path / "long.zip", GOOD), 20_000_000), "too many files"),
    ]
    for file, why in lies:
        with pytest.raises(UsageError, match=why):
            read(file)


def test_a_cut_or_empty_archive_is_refused(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "whole.zip", GOOD, packed=True).read_bytes()
    file = tmp_path / "cut.zip"
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        with pytest.raises(UsageError):
            read(file)
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    file.write_bytes(empty.getvalue())
    assert read(file) == []
