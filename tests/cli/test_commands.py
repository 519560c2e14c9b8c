"""The command line for people and scripts: stdout, stderr and exit code."""

import json
import os
import stat
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import click
import psutil
import pytest
from click.shell_completion import ShellComplete
from rich.cells import cell_len

from memapp import bootstrap, cli
from memapp.cli.output import show_rows
from memapp.inference.bundled import bundled_model_path
from memapp.inference.scripted import ScriptedModel
from memapp.services import chats, curate
from memapp.services.jobs import retention
from tests.cli.conftest import Terminal


def test_add_list_show_and_search(memapp: Terminal) -> None:
    code, out, err = memapp("add", "I prefer oolong in the morning.", "--tag", "tea", "--pin")
    assert (code, err) == (0, "Remembered.\n")
    memory_id = out.strip()
    assert memapp("list")[1].split("\t")[0] == memory_id
    assert memapp("list", "--tag", "coffee")[0:2] == (0, "")
    code, out, _ = memapp("show", memory_id, "--json")
    assert json.loads(out)["text"] == "I prefer oolong in the morning."
    assert json.loads(out)["pinned"] is True
    code, out, _ = memapp("search", "what", "oolong", "--explain")
    assert code == 0
    assert "I prefer oolong in the morning." in out
    assert "words" in out


def test_what_only_looks_like_a_secret_is_stored_by_an_option(memapp: Terminal) -> None:
    number = "My phone has the IMEI 490154203237518."
    memory_id = memapp("add", "I have a phone.")[1].strip()
    for command in (["edit", memory_id], ["add"]):
        code, _, err = memapp(*command, number)
        assert (code, "If it is not, add --no-secret." in err) == (2, True)
        assert memapp(*command, "--no-secret", f"{number} {command[0]}")[0] == 0
    code, _, err = memapp("add", "--no-secret", "my pin is 4321")
    assert (code, "I do not keep passwords" in err) == (2, True)


def test_ask_streams_the_answer_and_continues_the_chat(memapp: Terminal) -> None:
    code, out, _ = memapp("ask", "Which tea do I like?")
    assert code == 0
    assert out.strip()
    code, out, _ = memapp("ask", "-c", "--json", "And with milk?")
    answer = json.loads(out)
    assert set(answer) == {"chat", "reply", "memories", "usage"}
    _, out, _ = memapp("chats", "show", answer["chat"])
    assert "Which tea do I like?" in out
    assert "And with milk?" in out


def test_its_own_question_is_told_with_the_command_that_says_yes(memapp: Terminal) -> None:
    code, out, err = memapp("ask", "My name is Ada.")
    assert code == 0
    assert "Shall I remember your name: Ada?" in err
    assert "Shall I remember" not in out
    command = next(line for line in err.splitlines() if "memapp approve" in line)
    request_id = command.partition("memapp approve ")[2].partition(",")[0]
    assert memapp("approve", request_id)[0] == 0
    assert "Ada" in memapp("profile")[1]


def test_chats_are_removed_and_come_back(memapp: Terminal) -> None:
    memapp("ask", "Which tea?")
    chat_id = memapp("chats")[1].split("\t")[0]
    assert memapp("chats", "rm", chat_id)[0] == 0
    assert memapp("chats", "list")[1] == ""
    id_, since, until, _, title = memapp("chats", "list", "--deleted")[1].strip().split("\t")
    assert (id_, title) == (chat_id, "Which tea?") and since[:10] < until[:10]
    assert memapp("chats", "restore", chat_id)[0] == 0
    assert memapp("chats", "list")[1].split("\t")[0] == chat_id
    assert memapp("chats", "list", "--deleted")[1] == ""


def test_a_chat_is_erased_only_with_a_yes(memapp: Terminal) -> None:
    memapp("ask", "Which tea?")
    chat_id = memapp("chats")[1].split("\t")[0]
    assert memapp("chats", "rm", chat_id)[0] == 0
    code, out, err = memapp("chats", "purge", chat_id, "--json")
    assert (code, json.loads(out)) == (4, {"chats": 1}) and "'Which tea?'" in err and "--yes" in err
    assert "5 items erased" in memapp("chats", "purge", chat_id, "--yes")[1]
    assert memapp("chats", "list", "--deleted")[1] == ""
    assert memapp("chats", "restore", chat_id)[0] == 2


def test_an_exported_chat_is_private_and_follows_no_link(memapp: Terminal, tmp_path: Path) -> None:
    memapp("ask", "Which tea?")
    chat_id = memapp("chats")[1].split("\t")[0]
    target = tmp_path / "chat.md"
    assert memapp("chats", "export", chat_id, "-o", str(target))[0] == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert "Which tea?" in target.read_text("utf-8")
    link = tmp_path / "link.md"
    link.symlink_to(target)
    assert memapp("chats", "export", chat_id, "-o", str(link))[0] == 2


def test_chats_search_finds_what_was_said(memapp: Terminal) -> None:
    memapp("ask", "My bicycle has a flat tyre.")
    for number in range(25):
        memapp("add", f"Bicycle number {number}")
    assert "My bicycle has a flat tyre." in memapp("chats", "search", "bicycle")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "nobody"), 2,
         "There is no memory nobody. `memapp list` lists them with their ids."),
        (("chats", "show", "nobody"), 2,
         "There is no chat nobody. `memapp chats` lists them with their ids."),
        (("list", "--since", "yesterday"), 2, "--since wants a date, e.g. 2026-01-31"),
        (("list", '"bees', "--since", "yesterday"), 2, "--since wants a date, e.g. 2026-01-31"),
        (("list", "category:goal"), 2, "category: is one of goals. "),
        (("list", "category:zzz"), 2, " more. The categories are: "),
        (("list", "tags:tea"), 2, "tags: is not known, tag: is"),
        (("profile", "set", "citty", "Oslo"), 2, "Did you mean 'city'?"),
        (("query", "tea", "--agent", "supervisr"), 2, "Did you mean 'supervisor'?"),
        (("query", "tea", "--threshold", "7"), 2, "7.0 is not in the range 0<=x<=2"),
        (("demo",), 2, "The demo needs a terminal."),
        (("add", "x" * 281), 2, "at most 280 characters"),
        (("add", " "), 2, "nothing to remember"),
        (("config", "set", "topk", "3"), 2, "Did you mean 'top_k'"),
        (("models", "use", "nowhere"), 2, "There is no model 'nowhere' here."),
        (("chats", "import", "/nowhere.json"), 2, "Cannot read /nowhere.json"),
        (("serch",), 2, "Did you mean 'search'"),
        (("inbox",), 2, "Did you mean 'consents'"),
        (("Memories",), 2, "Did you mean 'list'"),
        (("erase",), 2, "Did you mean 'forget'"),
        (("help",), 2, "Did you mean '--help'"),
        (("serach", "bees"), 2, "Did you mean 'search'? A question goes in quotes."),
        (("chats", "-n", "0"), 2, "not in the range"),
        (("--db", "/nowhere/memapp.db", "list"), 1,
         "There is no memory file at /nowhere/memapp.db."),
        (("search",), 2, "Missing argument"),
        (("--db", "/dev/null", "list"), 1, ""),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words(
    memapp: Terminal, arguments: tuple[str, ...], code: int, said: str
) -> None:
    memapp("add", "User keeps bees.")
    result, out, err = memapp(*arguments)
    assert result == code
    assert said in err
    assert out == ""
    assert "Traceback" not in err


def test_an_empty_listing_says_why_it_is_empty(memapp: Terminal) -> None:
    for arguments in (
        ("chats",),
        ("chats", "search", "tea"),
        ("list",),
        ("search", "tea"),
        ("trash",),
        ("consents",),
    ):
        code, out, err = memapp(*arguments)
        assert (code, out, err.count("\n")) == (0, "", 1)
        assert memapp(*arguments, "--json") == (0, "[]\n", "")
    assert "memapp add" in memapp("list")[2]
    memapp("add", "I keep bees.")
    assert memapp("list", "tag:tea")[2] == "Nothing found.\n"
    assert memapp("search", "zeppelin")[:2] == (0, "")
    assert "Nothing found." in memapp("search", "zeppelin")[2]


@pytest.mark.parametrize("command", ["add", "ask", "query"])
def test_a_command_without_words_does_not_wait_for_a_terminal(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    code, _, err = memapp(command)
    assert code == 2
    assert (
        err == f"That cannot be done: `memapp {command}` needs words. "
        "Write them after it, or pipe them in.\n"
    )


def test_everything_works_beside_an_open_window(memapp: Terminal, tmp_path: Path) -> None:
    window = bootstrap.start(home=memapp.home)
    one = memapp("add", "User keeps bees.")[1].strip()
    for command in (
        ("edit", one, "User keeps hens."),
        ("pin", one),
        ("rm", one),
        ("restore", one),
        ("undo",),
    ):
        assert memapp(*command)[0] == 0, command
    for command in (
        ("ask", "Which birds?"),
        ("query", "hens"),
        ("search", "hens"),
        ("backup", str(tmp_path / "copy.db")),
    ):
        assert memapp(*command)[0] == 0, command
    assert [memory.id for memory in retention.trash(window)] == [one], (
        "the undo undid the restoring"
    )
    assert len(chats.list_threads(window)) == 1
    window.close()


def test_hostile_text_never_reaches_the_terminal_as_an_escape_sequence(memapp: Terminal) -> None:
    memapp("ask", "\x1b]0;owned\x07 I have a \x1b[31mred\x1b[0m car \u202e and [/INST]")
    for arguments in (("chats",), ("chats", "search", "red"), ("list",), ("search", "car")):
        _, out, err = memapp(*arguments)
        assert not set("\x1b\x07\u202e") & set(out + err)


def test_settings_say_whence_they_come(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memapp("config", "set", "top_k", "7")
    monkeypatch.setenv("MEMAPP_MAX_FACTS", "50")
    lines = [line.split("\t") for line in memapp("config", "show")[1].splitlines()]
    rows = {name: more[:2] for name, *more in lines}
    assert rows["speculate"][0] == "true", "as one writes it there"
    assert rows["top_k"] == ["7", "file"]
    assert rows["max_facts"] == ["50", "environment"]
    assert rows["fuzzy_threshold"] == ["60", "default"]
    told = {
        row["name"]: (row["value"], row["from"])
        for row in json.loads(memapp("config", "--json")[1])
    }
    assert (told["top_k"], told["max_facts"]) == ((7, "file"), (50, "environment"))
    assert told["server"] == ("", "default")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_exist(memapp: Terminal, shell: str) -> None:
    code, out, _ = memapp("completion", shell)
    assert code == 0
    assert "_MEMAPP_COMPLETE" in out


@pytest.mark.parametrize("group", ["chats", "models", "config"])
def test_a_group_lists_when_nothing_else_is_asked_of_it(
    memapp: Terminal, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = psutil.virtual_memory()
    # other processes take some between the two
    monkeypatch.setattr(psutil, "virtual_memory", lambda: free)
    first = "show" if group == "config" else "list"
    assert memapp(group) == memapp(group, first)
    code, out, _ = memapp(group, "--json")
    assert (code, out) == (0, memapp(group, first, "--json")[1])
    assert json.loads(out) is not None


def test_help_names_every_command_once_and_whole(memapp: Terminal) -> None:
    _, out, _ = memapp("--help")
    listed = [
        line.split()[0] for line in out.partition("Chat:")[2].splitlines() if line.startswith("  ")
    ]
    modules = [import_module(f"memapp.cli.{module.name}") for module in iter_modules(cli.__path__)]
    commands = {
        var for module in modules for var in vars(module).values() if isinstance(var, click.Command)
    }
    below_others = {
        value
        for group in commands
        if isinstance(group, click.Group)
        for value in group.commands.values()
    }
    assert sorted(listed) == sorted(str(command.name) for command in commands - below_others)
    assert "..." not in out.partition("Chat:")[2]


def test_a_setting_that_cannot_be_written_is_told_in_words(memapp: Terminal) -> None:
    memapp.home.mkdir()
    (memapp.home / f"config.toml.{os.getpid()}.part").mkdir()
    code, out, err = memapp("config", "set", "top_k", "7")
    assert (code, out) == (1, "")
    assert "config.toml cannot be written" in err


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("persona", "nobody", "There is no persona 'nobody'. There are: companion"),
        ("persona", "compannion", "Did you mean 'companion'?"),
        ("theme", "pink", "There is no theme 'pink'. There are: ansi-dark"),
        ("model", "nowhere", "There is no model file nowhere."),
        ("server", "http://192.0.2.1/v1", "your words would leave it"),
        ("server", "here", "cannot be used"),
        (
            "context_tokens",
            "512",
            (
                "context_tokens = 512 leaves no room for a prompt: "
                "an answer may take 320 tokens (reply_tokens)."
            ),
        ),
        ("context_tokens", "600", "Set context_tokens to 2,136 or more, or lower reply_tokens."),
        ("budget_tokens", "300", "budget_tokens = 300 leaves no room"),
        (
            "reply_tokens",
            "3900",
            "budget_tokens = 4,000 leaves no room for a prompt: an answer may take 3,900 tokens",
        ),
    ],
)
def test_a_setting_that_names_what_is_not_there_or_leaves_no_room_is_refused(
    memapp: Terminal, name: str, value: str, said: str
) -> None:
    code, out, err = memapp("config", "set", name, value)
    assert (code, out) == (2, "")
    assert said in err
    assert not (memapp.home / "config.toml").exists()


def test_a_model_in_this_folder_is_set_with_its_whole_path(
    memapp: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tea.gguf").symlink_to(bundled_model_path())
    monkeypatch.chdir(tmp_path)
    code, _, err = memapp("config", "set", "model", "./tea.gguf")
    assert (code, err) == (0, f"model is now {tmp_path}/tea.gguf.\n")


def test_another_machine_may_be_named_once_that_is_allowed(memapp: Terminal) -> None:
    assert memapp("config", "set", "allow_remote", "true")[0] == 0
    actual = memapp("config", "set", "server", "http://192.0.2.1/v1")[0::2]
    assert actual == (0, "server is now http://192.0.2.1/v1.\n")
    assert memapp("config", "set", "server", "")[0::2] == (0, "server is no longer set.\n")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("top_k", "7"),
        ("hints", "false"),
        ("theme", "ansi-dark"),
        ("persona", "tom"),
        ("mismatch_rule", "fuzzy"),
    ],
)
def test_an_empty_value_takes_a_setting_away(memapp: Terminal, name: str, value: str) -> None:
    before = memapp("config", "show", "--json")[1]
    assert memapp("config", "set", name, value)[0] == 0
    assert memapp("config", "show", "--json")[1] != before
    assert memapp("config", "set", name, "")[0::2] == (0, f"{name} is no longer set.\n")
    assert memapp("config", "show", "--json")[1] == before


@pytest.mark.parametrize("broken", [b"top_k = \n", b"\xff\xfe\x00"])
def test_a_broken_config_file_is_told_in_words(memapp: Terminal, broken: bytes) -> None:
    memapp.home.mkdir()
    (memapp.home / "config.toml").write_bytes(broken)
    for arguments in (("config", "set", "top_k", "4"), ("config",), ("doctor",), ("list",)):
        code, _, err = memapp(*arguments)
        assert code
        assert "config.toml" in err
        assert "Traceback" not in err


def test_names_of_settings_are_completed(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ShellComplete(cli.main, {}, "memapp", "_MEMAPP_COMPLETE")
    assert [
        completion.value for completion in command.get_completions(["config", "set"], "top")
    ] == ["top_k"]


def test_a_file_that_is_no_model_is_not_used(memapp: Terminal, tmp_path: Path) -> None:
    text, cut = tmp_path / "text.gguf", tmp_path / "cut.gguf"
    text.write_text("no model", "utf-8")
    cut.write_bytes(bundled_model_path().read_bytes()[:5_000_000])
    for path, said in ((text, "is not a GGUF model file"), (cut, "is cut short")):
        code, _, err = memapp("models", "use", str(path))
        assert code
        assert said in err
    assert not (memapp.home / "config.toml").exists()
    folder = memapp.home / "models"
    folder.mkdir()
    cut.rename(folder / "cut.gguf")
    (choice,) = (
        model for model in json.loads(memapp("models", "--json")[1]) if model["name"] == "cut"
    )
    assert choice["fit"] == "unusable"
    assert "cut short" in choice["note"]
    assert "Did you mean 'bundled'?" in memapp("models", "use", "bundeld")[2]


def test_a_backup_does_not_replace_a_file_unasked(memapp: Terminal, tmp_path: Path) -> None:
    memapp("add", "User keeps bees.")
    target = tmp_path / "thesis.txt"
    target.write_text("mine", "utf-8")
    code, out, err = memapp("backup", str(target))
    assert (code, out) == (4, "")
    assert "There is a file" in err
    assert target.read_text("utf-8") == "mine"
    code, out, _ = memapp("backup", str(target), "--yes", "--json")
    assert (code, json.loads(out)) == (0, {"path": str(target), "bytes": target.stat().st_size})


def test_what_is_added_and_where_things_are_is_told_to_programs_too(memapp: Terminal) -> None:
    assert json.loads(memapp("add", "User keeps bees.", "--json")[1])["text"] == "User keeps bees."
    assert json.loads(memapp("locate", "models", "--json")[1]) == [
        {"place": "models", "path": str(memapp.home / "models")}
    ]
    assert len(json.loads(memapp("locate", "--json")[1])) > 1


def test_a_question_that_is_too_long_leaves_nothing_behind(memapp: Terminal) -> None:
    code, _, err = memapp("ask", "x" * 250_000)
    assert code == 2
    assert "too long" in err
    assert memapp("chats")[1] == ""


def test_a_reply_that_was_cut_says_so(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memapp("config", "set", "reply_tokens", "16")
    for arguments in (("ask", "Tell me all."), ("--plain", "Tell me all again.")):
        model = ScriptedModel()
        model.enqueue(" ".join(f"word{number}" for number in range(200)))
        monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_, model=model: model)
        code, out, err = memapp(*arguments)
        assert code == 0
        assert "cut at the length limit" in err
        assert "memapp config set reply_tokens 32" in err
        assert "cut at" not in out
    short = ScriptedModel()
    short.enqueue("Oolong.")
    monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_: short)
    assert "cut at" not in memapp("ask", "Which tea?")[2]


def test_a_bug_ends_in_words_and_a_file(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memapp("add", "User keeps bees.")
    monkeypatch.setattr(curate, "list_memories", lambda *_, **__: 1 // 0)
    code, out, err = memapp("list")
    assert (code, out) == (1, "")
    assert "a bug (ZeroDivisionError)" in err and "bees" not in err
    (written,) = (memapp.home / "log").glob("crash-*.txt")
    assert str(written) in err and "test_commands.py" in written.read_text("utf-8")


def test_a_listing_fits_the_terminal_and_names_short_ids_that_work(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        memapp(
            "add",
            (
                f"The neighbour at number {number} keeps bees, paints 木の絵 and sings in the "
                "of the old town."
            ),
        )
    whole = memapp("list")[1].splitlines()
    assert all(len(line) > 100 for line in whole)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    lines = memapp("list")[1].splitlines()
    assert [cell_len(line) for line in lines] == [60] * 3
    assert all(line.endswith("…") for line in lines)
    short = [line.split()[0] for line in lines]
    assert [len(text) for text in short] == [4] * 3
    assert "number 2" in memapp("show", short[0])[1]


def test_where_the_widest_column_cannot_give_way_enough_the_next_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "72")
    show_rows([{str(width): "x" * width for width in (4, 30, 24, 22)}])
    assert [len(cell) for cell in capsys.readouterr().out.split()] == [4, 20, 20, 22]


def test_a_word_that_no_memory_has_is_read_as_the_nearest_one(memapp: Terminal) -> None:
    memapp("add", "My sister loves pottery.")
    assert memapp("list", "potery")[1:] == (memapp("list", "pottery")[1], "read as: pottery\n")
    assert memapp("list", "zzzzzz")[1:] == ("", "Nothing found.\n")
