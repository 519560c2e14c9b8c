from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memapp.errors import ModelError
from memapp.inference import gguf_file
from memapp.inference.bundled import bundled_embedder_path, bundled_model_path

from . import tiny_gguf

TinyFile = Callable[[tiny_gguf.Family], Path]


def test_the_header_of_the_bundled_model_is_read() -> None:
    header = gguf_file.read(bundled_model_path())
    assert (header.architecture, header.number("context_length"), header.main_type) == ("llama", 8192, gguf_file.Q4_1)
    assert header.cache_bytes(4096) == 2 * 4096 * 30 * 3 * (64 + 64)
    assert sum(header.type_bytes.values()) < header.size
    assert "tokenizer.ggml.tokens" not in header.metadata, "the vocabulary is skipped"


def test_the_bundled_embedding_model_is_found() -> None:
    assert (bundled_embedder_path() / "model.safetensors").is_file()


def test_a_number_that_differs_between_layers_counts_at_its_largest(tiny_file: TinyFile) -> None:
    assert gguf_file.read(tiny_file(tiny_gguf.HYBRID)).number("attention.head_count_kv") == tiny_gguf.HEADS


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
def test_a_file_that_is_no_model_is_refused_in_words(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        gguf_file.read(path)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model file"):
        gguf_file.read(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(at=st.integers(0, 3000), new=st.binary(min_size=1, max_size=8))
def test_damage_anywhere_in_the_header_is_at_most_a_model_error(tiny_file: TinyFile, tmp_path: Path, at: int, new: bytes) -> None:
    whole = tiny_file(tiny_gguf.MISTRAL).read_bytes()
    path = tmp_path / "damaged.gguf"
    path.write_bytes(whole[:at] + new + whole[at + len(new) :])
    try:
        gguf_file.read(path).cache_bytes(4096)
    except ModelError as error:
        assert "damaged.gguf" in error.message
