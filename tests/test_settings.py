"""Settings from flags, environment and file, and what is said when one is wrong."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memapp.errors import ConfigError, MemappError, UsageError
from memapp.settings import Settings, load, write


def config(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_specified_defaults() -> None:
    settings = Settings()
    assert (settings.max_facts, settings.fuzzy_threshold, settings.top_k) == (200, 60, 10)
    assert settings.history_exchanges == 8
    assert settings.budget_tokens == 4000
    assert settings.remark_after_minutes == 0
    assert settings.allow_remote is False


def test_a_flag_wins_over_the_environment_over_the_file(tmp_path: Path) -> None:
    path = config(tmp_path, "top_k = 1\nmax_facts = 10\nfuzzy_threshold = 50\n")
    loaded = load(
        path,
        {"top_k": 3, "model": None},
        {"MEMAPP_TOP_K": "2", "MEMAPP_MAX_FACTS": "20", "MEMAPP_HOME": "/x"},
    )
    assert loaded.settings.top_k == 3
    assert loaded.settings.max_facts == 20
    assert loaded.settings.fuzzy_threshold == 50
    assert loaded.origin == {"top_k": "flag", "max_facts": "environment", "fuzzy_threshold": "file"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# mine\n\ntop_kk = 3\n",
            r"config.toml, line 3: there is no setting 'top_kk'. Did you mean 'top_k'\?",
        ),
        (
            "theme = 'x'\ntop_k = 'many'\n",
            r"config.toml, line 2: top_k is a whole number from 0 to 50\.",
        ),
        ("theme = 'x'\ntop_k = -1\n", r"line 2: top_k is a whole number from 0 to 50\."),
        ("top_k = \n", r"config.toml: not valid TOML: .*line 1"),
        ("[top_k]\na = 1\n", r"line 1: top_k is a whole number"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        load(config(tmp_path, text), environment={})


def test_a_path_to_a_model_is_made_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.gguf").touch()
    path = tmp_path / "config.toml"
    for given, stored in {
        "./tea.gguf": f"{tmp_path}/tea.gguf",
        "here.gguf": f"{tmp_path}/here.gguf",
        "~/tea.gguf": f"{Path.home()}/tea.gguf",
        "tea.gguf": "tea.gguf",
        "small/tea.gguf": "small/tea.gguf",
        "bundled": "bundled",
        "none": "bundled",
        "": "",
    }.items():
        write(path, "model", given)
        assert load(path, environment={}).settings.model == stored
        assert load(path, environment={"MEMAPP_MODEL": given}).settings.model == stored
    write(path, "model", "./tea.gguf")
    monkeypatch.chdir("/")
    assert load(path, environment={}).settings.model == f"{tmp_path}/tea.gguf"


def test_a_proxy_for_downloads_is_an_address_that_the_person_wrote_down(tmp_path: Path) -> None:
    for address in (
        "http://proxy.example:3128",
        "https://me:word@10.0.0.1:80/",
        "http://[::1]:3128",
        "",
    ):
        write(tmp_path / "config.toml", "download_proxy", address)
        assert load(tmp_path / "config.toml", environment={}).settings.download_proxy == address
    for wrong in (
        "proxy.example",
        "socks5://proxy.example:1080",
        "http://proxy.example",
        "http://a b:80",
    ):
        with pytest.raises(
            UsageError,
            match=r"download_proxy is a text. The proxy for model downloads, e\.g\. http://",
        ):
            write(tmp_path / "config.toml", "download_proxy", wrong)
    with pytest.raises(
        ConfigError, match=r"MEMAPP_DOWNLOAD_PROXY: download_proxy counts only in config\.toml"
    ):
        load(
            tmp_path / "none.toml",
            environment={"MEMAPP_DOWNLOAD_PROXY": "http://proxy.example:3128"},
        )


def test_bytes_that_are_no_text_are_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"config.toml"):
        load(path, environment={})


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="MEMAPP_TOP_K: top_k is a whole number"):
        load(tmp_path / "none.toml", environment={"MEMAPP_TOP_K": "lots"})
    with pytest.raises(
        ConfigError, match=r"MEMAPP_TOPK: there is no setting 'topk'. Did you mean 'top_k'\?"
    ):
        load(tmp_path / "none.toml", environment={"MEMAPP_TOPK": "1"})


def test_only_the_file_lets_words_leave_this_machine(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="MEMAPP_ALLOW_REMOTE: allow_remote counts only"):
        load(tmp_path / "none.toml", environment={"MEMAPP_ALLOW_REMOTE": "true"})
    assert (
        load(config(tmp_path, "allow_remote = true"), environment={}).settings.allow_remote is True
    )


def test_writing_one_setting_keeps_the_comments(tmp_path: Path) -> None:
    path = config(tmp_path, "# why: small model\ntop_k = 5\n")
    write(path, "top_k", "7")
    write(path, "hints", "false")
    assert path.read_text("utf-8").startswith("# why: small model\ntop_k = 7\n")
    assert load(path, environment={}).settings.hints is False
    with pytest.raises(UsageError, match="top_k"):
        write(path, "top_k", "lots")
    with pytest.raises(UsageError, match="Did you mean 'top_k'"):
        write(path, "topk", "1")
    assert load(path, environment={}).settings.top_k == 7


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("turn_seconds", "0", "turn_seconds is a whole number from 1 to 10,000."),
        ("max_facts", "1.5", "max_facts is a whole number from 1 to 1,000,000."),
        ("temperature", "hot", "temperature is a number from 0 to 2."),
        ("hints", "perhaps", "hints is true or false."),
        ("mismatch_rule", "magic", "mismatch_rule is fuzzy or meaning."),
    ],
)
def test_a_wrong_value_is_told_plainly(tmp_path: Path, name: str, value: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        write(tmp_path / "config.toml", name, value)
    assert str(raised.value) == said
    assert not (tmp_path / "config.toml").exists()


def test_only_what_is_near_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`memapp config show` lists all"):
        write(tmp_path / "config.toml", "zzz", "1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("top_k = " + "1" * 5000, "not valid TOML"),
        ("top_k = " + "[" * 100_000, "not valid TOML"),
        (f'hints = true\nmodel = "{"x" * 100_000}"', "line 2: model is a text. A GGUF file"),
        ('model = "~nobody-of-this-name/x"', "line 1: model is a text. A GGUF file"),
    ],
)
def test_what_no_setting_can_be_is_named_with_file(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"config\.toml.*{said}"):
        load(config(tmp_path, text), environment={})


def test_a_setting_follows_its_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, link = tmp_path / "dotfiles.toml", tmp_path / "config.toml"
    target.write_text("# mine\ntop_k = 5\n", "utf-8")
    link.symlink_to(target)
    synced: list[str] = []
    monkeypatch.setattr("os.fsync", lambda _: synced.append(target.read_text("utf-8")))
    write(link, "top_k", "7")
    assert link.is_symlink() and target.read_text("utf-8") == "# mine\ntop_k = 7\n"
    assert synced == ["# mine\ntop_k = 5\n"]
    monkeypatch.setattr(
        "os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(
        MemappError, match=r"cannot be written: No space left on device\. Nothing was changed"
    ):
        write(link, "top_k", "8")
    assert sorted(tmp_path.iterdir()) == [link, target]


@pytest.mark.parametrize(
    "broken", [b"top_k = \n", b"\xff\xfe\x00", b"topk = 3\n", b"temperature = 'hot'\n", b"[top_k\n"]
)
def test_nothing_is_written_into_a_file_that_is_not_valid(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(broken)
    with pytest.raises(ConfigError, match=r"config\.toml"):
        write(path, "max_facts", "4")
    assert path.read_bytes() == broken


def test_of_several_writers_none_loses_what_another_wrote(tmp_path: Path) -> None:
    path = config(tmp_path, "# mine\n")
    given = {
        "top_k": 3,
        "max_facts": 40,
        "ttl_days": 5,
        "purge_days": 6,
        "reply_tokens": 70,
        "hints": False,
    }
    with ThreadPoolExecutor(len(given)) as others:
        list(others.map(lambda name: write(path, name, str(given[name]).lower()), given))
    assert {name: getattr(load(path, environment={}).settings, name) for name in given} == given
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


def test_a_wrong_value_in_the_file_can_be_set_right(tmp_path: Path) -> None:
    path = config(tmp_path, "top_k = 'many'\n")
    write(path, "top_k", "4")
    assert load(path, environment={}).settings.top_k == 4


def test_every_setting_has_a_short_label_of_its_own() -> None:
    labels = [field.title or "" for field in Settings.model_fields.values()]
    assert all(labels) and len(set(labels)) == len(labels)
    assert max(map(len, labels)) <= 24
