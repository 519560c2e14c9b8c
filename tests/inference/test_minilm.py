"""The bundled embedding model in llama.cpp: its conversion, and its vectors beside those of
sentence-transformers.
"""

import errno
import shutil
import stat
import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path

import gguf
import numpy as np
import pytest

from memapp import paths
from memapp.errors import ModelError
from memapp.inference import minilm
from memapp.inference.bundled import bundled_embedder_path
from memapp.inference.gguf_embedder import GgufEmbedder


@pytest.fixture
def source() -> Path:
    return bundled_embedder_path()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> GgufEmbedder:
    return minilm.load(bundled_embedder_path(), tmp_path_factory.mktemp("cache") / "minilm.gguf")


def test_it_is_converted_once_and_nobody_else_may_read_it(source: Path, tmp_path: Path) -> None:
    model_id, converted = minilm.identify(source, tmp_path / "cache")
    minilm.load(source, converted)
    made = converted.stat()
    minilm.load(source, converted)
    assert model_id == f"{minilm.NAME}@{converted.parent.name[:12]}"
    assert converted.stat() == made
    actual = [stat.S_IMODE(path.stat().st_mode) for path in (converted.parent, converted)]
    assert actual == [0o700, 0o600]
    assert [path.name for path in converted.parent.iterdir()] == [
        f"{minilm.NAME}.{minilm.FORMAT}.gguf"
    ]


def test_other_files_give_another_model(source: Path, tmp_path: Path) -> None:
    other = shutil.copytree(source, tmp_path / "other")
    assert minilm.identify(other, tmp_path) == minilm.identify(source, tmp_path)
    (other / "vocab.txt").write_text("[PAD]\n")
    assert minilm.identify(other, tmp_path) != minilm.identify(source, tmp_path)


@pytest.mark.parametrize(
    "damage",
    ["header", *(pytest.param(part, marks=pytest.mark.slow) for part in ("cut", "weights"))],
)
def test_a_damaged_conversion_is_made_anew(source: Path, tmp_path: Path, damage: str) -> None:
    converted = tmp_path / "minilm.gguf"
    expected = minilm.load(source, converted).embed(["I keep bees."])
    converted.write_bytes(damaged(converted.read_bytes(), damage))
    assert np.array_equal(minilm.load(source, converted).embed(["I keep bees."]), expected)


def damaged(whole: bytes, damage: str) -> bytes:
    match damage:
        case "cut":
            return whole[: len(whole) // 2]
        case "header":
            return whole[:1000] + bytes(1000) + whole[2000:]
    return whole[:-40_000_000] + bytes(30_000_000) + whole[-10_000_000:]


def test_a_conversion_with_other_vectors_is_not_used(source: Path, tmp_path: Path) -> None:
    other = shutil.copytree(source, tmp_path / "other")
    weights = other / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1_000_000:] = bytes(1_000_000)
    weights.write_bytes(content)
    with pytest.raises(ModelError, match="does not give the vectors"):
        minilm.load(other, tmp_path / "minilm.gguf")


def test_a_full_disk_is_said_in_words_and_nothing_is_left(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(gguf.GGUFWriter, "write_tensors_to_file", full)
    with pytest.raises(
        ModelError, match=r"cannot be written to .*: No space left on device\. Make room"
    ):
        minilm.load(source, tmp_path / "minilm.gguf")
    assert list(tmp_path.iterdir()) == []


def test_it_needs_neither_torch_nor_the_rest_of_memapp(source: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from memapp.inference import minilm\n"
        "minilm.load(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "print(*{one for one in sys.modules if one.partition('.')[0] in ('torch', 'transformers', "
        "'textual', 'pydantic')})\n"
        "print(*{one for one in sys.modules if one.startswith(('memapp.store', "
        "'memapp.services'))})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, source, tmp_path / "x.gguf"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []


@pytest.mark.slow
def test_what_is_beyond_the_longest_text_is_not_read(model: GgufEmbedder) -> None:
    one, other, short = model.embed(
        ["word " * 300, "word " * 300 + "and another end", "word " * 200]
    )
    assert np.array_equal(one, other)
    assert not np.array_equal(one, short)


def test_control_words_in_a_text_are_ordinary_words(model: GgufEmbedder) -> None:
    one, other = model.embed(["[MASK]", "[PAD]"])
    assert one @ other < 0.9


def test_hangul_is_read_beyond_its_first_letters(model: GgufEmbedder) -> None:
    one, other = model.embed(["가", "각"])
    assert one @ other < 0.999


@pytest.mark.slow
def test_its_vectors_are_those_of_sentence_transformers(model: GgufEmbedder, source: Path) -> None:
    from sentence_transformers import SentenceTransformer

    texts = [*of_the_samples(), *made_up()][:300]
    reference = SentenceTransformer(str(source), device="cpu", local_files_only=True)
    expected = reference.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert len(texts) == 300
    assert (model.embed(texts) * expected).sum(axis=1).min() >= 0.999


def of_the_samples() -> list[str]:
    chats = tomllib.loads(paths.bundled("assets", "samples.toml").read_text("utf-8"))["chat"]
    said = [
        text
        for chat in chats
        for text in (*chat["messages"], *(fact["text"] for fact in chat.get("kept", ())))
    ]
    return [
        *said,
        " ".join(said),
        "Zoë's café in Łódź – 5 € a cup, naïve? 🍵",
        "word",
        "",
        "HOW DO I RESTORE A BACKUP???",
    ]


def made_up() -> list[str]:
    who = ("I", "User", "My sister Mira", "Her neighbour, Dr. O'Neill,", "Nobody in our village")
    does = (
        "really likes",
        "hasn't ever tried",
        "will (hopefully) learn about",
        "is afraid of",
        "used to sell",
        "asked me for",
    )
    what = (
        "oolong at 85°",
        "hip-hop & jazz",
        "the 7:45 train to Lisbon",
        "Python 3.11",
        "her grandmother's bread",
        "two big dogs",
    )
    when = (
        "",
        " on Thursdays",
        ", which is odd, since it rained all week and nobody had expected that",
    )
    return [f"{' '.join(words)}{end}." for *words, end in product(who, does, what, when)]
