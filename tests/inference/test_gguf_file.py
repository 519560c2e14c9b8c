import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.errors import ModelError
from memapp.inference import gguf_file
from memapp.inference.bundled import bundled_embedder_path, bundled_model_path

from . import tiny_gguf
from .conftest import OpenFile, reply

TinyFile = Callable[[tiny_gguf.Family], Path]


def test_the_header_of_the_bundled_model_is_read() -> None:
    header = gguf_file.read(bundled_model_path())
    assert header.architecture == "llama"
    assert header.number("context_length") == 8192
    assert header.main_type == gguf_file.Q4_1
    assert header.cache_bytes(4096) == 2 * 4096 * 30 * 3 * (64 + 64)
    assert sum(header.type_bytes.values()) < header.size
    assert "tokenizer.ggml.tokens" not in header.metadata, "the vocabulary is skipped"


def test_the_bundled_embedding_model_is_found() -> None:
    assert (bundled_embedder_path() / "model.safetensors").is_file()


def test_a_number_that_differs_between_layers_counts_at_its_largest(tiny_file: TinyFile) -> None:
    actual = gguf_file.read(tiny_file(tiny_gguf.HYBRID)).number("attention.head_count_kv")
    assert actual == tiny_gguf.HEADS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no model file"),
        (b"", "not a GGUF model file. Download it again"),
        (b"PK\x03\x04 a zip file", "not a GGUF"),
        (b"GGUF", "cut short or damaged"),
        (b"GGUF\x01\x00\x00\x00" + b"\0" * 40, "version 1"),
        (b"GGUF\x03\x00\x00\x00" + b"\xff" * 40, "cut short or damaged"),
    ],
    ids=str,
)
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        gguf_file.read(path)


def test_what_is_no_file_is_refused_in_words(tmp_path: Path) -> None:
    loop, dangling = tmp_path / "loop.gguf", tmp_path / "dangling.gguf"
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "gone.gguf")
    for path, message in (
        (tmp_path, "is a folder"),
        (loop, "leads to no file"),
        (dangling, "leads to no file"),
    ):
        with pytest.raises(ModelError, match=message):
            gguf_file.read(path)


def test_a_name_in_the_header_may_be_no_utf_8(tmp_path: Path, open_file: OpenFile) -> None:
    path = tiny_gguf.write(tmp_path / "own.gguf", replace(tiny_gguf.CHATML, name="cafe model"))
    path.write_bytes(path.read_bytes().replace(b"cafe model", b"caf\xe9 model"))
    assert gguf_file.read(path).metadata["general.name"] == "caf\ufffd model"
    assert open_file(path).count_tokens("hello") > 0


def test_a_file_name_that_is_not_utf_8_is_refused_as_no_setting_can_hold_it(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.gguf"))
    path.write_bytes(tiny_gguf.write(tmp_path / "own.gguf", tiny_gguf.CHATML).read_bytes())
    with pytest.raises(ModelError, match=r"caf\ufffd\.gguf is not UTF-8.*Rename it") as caught:
        gguf_file.read(path)
    str(caught.value).encode()


def test_a_model_in_parts_has_the_size_and_need_of_all(tmp_path: Path, open_file: OpenFile) -> None:
    whole = gguf_file.read(tiny_gguf.write(tmp_path / "whole.gguf", tiny_gguf.CHATML))
    files = tiny_gguf.write_in_parts(tmp_path / "big.gguf", tiny_gguf.CHATML)
    assert [file.name for file in files] == [
        f"big-0000{number}-of-00003.gguf" for number in (1, 2, 3)
    ]
    for file in files:
        header = gguf_file.read(gguf_file.first_part(file))
        assert (header.path, header.name) == (files[0], "big")
        assert header.type_bytes == whole.type_bytes
        assert header.size == sum(path.stat().st_size for path in files)
        assert header.needed_bytes(2048) - whole.needed_bytes(2048) == header.size - whole.size
    assert gguf_file.find(tmp_path, "big") == gguf_file.find(tmp_path, files[2].name) == files[0]
    model = open_file(files[0])
    assert model.name == "big"
    assert reply(model, Prompt("", (PromptTurn("user", "hello"),)), Sampling(max_tokens=3))[
        1
    ].reason


@pytest.mark.parametrize("gone", [0, 1])
def test_a_missing_file_of_several_is_named(tmp_path: Path, gone: int) -> None:
    files = tiny_gguf.write_in_parts(tmp_path / "big.gguf", tiny_gguf.CHATML)
    files[gone].unlink()
    with pytest.raises(
        ModelError,
        match=rf"big is one model in 3 files, and {files[gone].name} is missing\. Download it into",
    ):
        gguf_file.read(files[0])
    files[2].unlink()
    with pytest.raises(
        ModelError, match=rf"{files[gone].name}, {files[2].name} are missing\. Download them"
    ):
        gguf_file.read(files[0])


def test_one_of_several_files_that_is_cut_short_or_renamed_is_named(tmp_path: Path) -> None:
    files = tiny_gguf.write_in_parts(tmp_path / "big.gguf", tiny_gguf.CHATML)
    files[1].write_bytes(files[1].read_bytes()[:-64])
    with pytest.raises(ModelError, match=r"big-00002-of-00003\.gguf is cut short"):
        gguf_file.read(files[0])
    with pytest.raises(
        ModelError, match=r"one of 3 files .* under another name\. .*NAME-00001-of-00003\.gguf"
    ):
        gguf_file.read(files[0].rename(tmp_path / "mine.gguf"))


def test_files_that_only_look_like_parts_are_files(tmp_path: Path) -> None:
    for name in (
        "a-00000-of-00003.gguf",
        "a-00004-of-00003.gguf",
        "a-00001-of-00001.gguf",
        "a-1-of-3.gguf",
    ):
        assert gguf_file.parts(tmp_path / name) == [tmp_path / name]
    path = tiny_gguf.write(tmp_path / "alone.gguf", tiny_gguf.CHATML).rename(
        tmp_path / "a-00001-of-00001.gguf"
    )
    assert gguf_file.read(path).name == "a"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(at=st.integers(0, 3000), new=st.binary(min_size=1, max_size=8))
def test_damage_anywhere_in_the_header_is_at_most_a_model_error(
    tiny_file: TinyFile, tmp_path: Path, at: int, new: bytes
) -> None:
    whole = tiny_file(tiny_gguf.MISTRAL).read_bytes()
    path = tmp_path / "damaged.gguf"
    path.write_bytes(whole[:at] + new + whole[at + len(new) :])
    try:
        gguf_file.read(path).cache_bytes(4096)
    except ModelError as error:
        assert "damaged.gguf" in error.message
