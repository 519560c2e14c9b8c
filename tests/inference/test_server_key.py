"""A server's key is taken from where only its owner can read it, and is told to nobody."""

import os
from pathlib import Path

import pytest

from memapp.errors import ModelError
from memapp.inference import server_key


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text("\ufeffsk-made-up-4711\r\n", "utf-8")
    path.chmod(0o600)
    return path


def test_the_environment_has_precedence_over_the_file(key_file: Path) -> None:
    found = server_key.find(str(key_file), {server_key.VARIABLE: " sk-other "})
    assert found and (found.value, found.origin) == ("sk-other", "MEMAPP_SERVER_KEY")
    found = server_key.find(str(key_file), {server_key.VARIABLE: ""})
    assert found and (found.value, found.origin) == ("sk-made-up-4711", str(key_file))
    assert server_key.find("", {}) is None


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o644, 0o620, 0o601])
def test_a_file_that_others_can_open_is_refused_with_what_to_do(key_file: Path, mode: int) -> None:
    key_file.chmod(mode)
    with pytest.raises(ModelError, match=r"Others on this machine may read.*chmod 600"):
        server_key.read(key_file)


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_file_that_only_its_owner_can_open_is_read(key_file: Path, mode: int) -> None:
    key_file.chmod(mode)
    assert server_key.read(key_file).value == "sk-made-up-4711"


def test_what_is_no_file_with_a_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        server_key.read(tmp_path / "none")
    with pytest.raises(ModelError, match="Is a directory"):
        server_key.read(tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(ModelError, match="no file with a key"):
        server_key.read(tmp_path / "pipe")


@pytest.mark.parametrize(
    "content", ["", "\n", "two words", "ümlaut", "a\nb", "k" * 20_000, "a\x00b"]
)
def test_what_is_no_key_is_refused_without_being_shown(key_file: Path, content: str) -> None:
    key_file.write_text(content, "utf-8")
    with pytest.raises(ModelError, match=r"no key") as caught:
        server_key.read(key_file)
    assert not content.strip() or content not in str(caught.value)
    if content.strip():
        with pytest.raises(ModelError, match="MEMAPP_SERVER_KEY is no key"):
            server_key.find("", {server_key.VARIABLE: content})
