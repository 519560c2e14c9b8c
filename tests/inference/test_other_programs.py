"""Models that other programs keep are found in place; nothing else is taken for a model."""

import hashlib
import json
from pathlib import Path

import pytest

from memapp.inference import gguf_file, llama_build, other_programs
from tests.builders import word_list

from . import tiny_gguf


@pytest.fixture
def home(a_person_of_its_own: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in word_list("HF_HOME HF_HUB_CACHE HUGGINGFACE_HUB_CACHE LLAMA_CACHE OLLAMA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    return a_person_of_its_own


def model(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return tiny_gguf.write(path, tiny_gguf.CHATML)


def ollama(
    models: Path, place: str, content: bytes, kind: str = "application/vnd.ollama.image.model"
) -> Path:
    """Keep a model as `ollama pull` does; return its blob."""
    digest = hashlib.sha256(content).hexdigest()
    blob, manifest = models / "blobs" / f"sha256-{digest}", models / "manifests" / place
    blob.parent.mkdir(parents=True, exist_ok=True)
    manifest.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    layers = [
        {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)},
        {
            "mediaType": "application/vnd.ollama.image.license",
            "digest": f"sha256:{'0' * 64}",
            "size": 1,
        },
    ]
    manifest.write_text(json.dumps({"schemaVersion": 2, "config": {}, "layers": layers}), "utf-8")
    return blob


def found() -> set[tuple[str, str]]:
    return {(kept_file.program, kept_file.name) for kept_file in other_programs.find()}


def test_every_program_s_models_are_found_in_place(home: Path) -> None:
    snapshot = home / ".cache/huggingface/hub/models--Qwen--Qwen2.5-GGUF/snapshots/c0ffee"
    blob = model(home / ".cache/huggingface/hub/models--Qwen--Qwen2.5-GGUF/blobs/abc")
    (snapshot / "sub").mkdir(parents=True)
    (snapshot / "sub" / "qwen.gguf").symlink_to(blob)
    model(home / ".cache/llama.cpp/ggml-org_gemma.gguf")
    model(home / ".lmstudio/models/lmstudio-community/Llama/llama.gguf")
    kept = ollama(
        home / ".ollama/models",
        "registry.ollama.ai/library/qwen3/4b",
        model(home / "x.gguf").read_bytes(),
    )
    ollama(home / ".ollama/models", "registry.ollama.ai/me/own/latest", b"another")
    ollama(home / ".ollama/models", "hf.co/owner/name/Q4", b"a third")
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    assert found() == {
        ("Hugging Face", "qwen"),
        ("llama.cpp", "ggml-org_gemma"),
        ("LM Studio", "llama"),
        ("Ollama", "qwen3:4b"),
        ("Ollama", "me/own:latest"),
        ("Ollama", "hf.co/owner/name:Q4"),
    }
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before
    (qwen3,) = [kept_file for kept_file in other_programs.find() if kept_file.name == "qwen3:4b"]
    assert qwen3.path == kept
    assert gguf_file.read(kept).name == "chatml", (
        "a file named after its hash is called what its header says"
    )


def test_moved_folders_count(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, place in (
        ("HF_HOME", "hub/models--o--n/snapshots/1/hf.gguf"),
        ("LLAMA_CACHE", "models--o--n/snapshots/1/llama.gguf"),
    ):
        monkeypatch.setenv(name, str(tmp_path / name))
        model(tmp_path / name / place)
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "ollama"))
    ollama(tmp_path / "ollama", "registry.ollama.ai/library/tiny/latest", b"weights")
    (home / ".lmstudio-home-pointer").write_text(str(tmp_path / "studio"), "utf-8")
    (tmp_path / "studio").mkdir()
    (tmp_path / "studio/settings.json").write_text(
        json.dumps({"downloadsFolder": str(tmp_path / "elsewhere")}), "utf-8"
    )
    model(tmp_path / "elsewhere/o/n/studio.gguf")
    assert {name for _, name in found()} == {"hf", "llama", "tiny:latest", "studio"}


def test_a_file_that_two_programs_share_is_one_model(home: Path) -> None:
    first = model(home / ".lmstudio/models/o/n/one.gguf")
    second = home / ".cache/llama.cpp/one.gguf"
    second.parent.mkdir(parents=True)
    second.symlink_to(first)
    assert found() == {("LM Studio", "one")}


def test_what_is_no_whole_chat_model_is_left_out(home: Path) -> None:
    for name in ("mmproj-model-f16", "big-00001-of-00003", "ggml-vocab-llama"):
        model(home / f".lmstudio/models/o/n/{name}.gguf")
    (home / ".lmstudio/settings.json").write_text("[]", "utf-8")
    models = home / ".ollama/models"
    ollama(
        models,
        "registry.ollama.ai/library/adapter/latest",
        b"x",
        "application/vnd.ollama.image.adapter",
    )
    for name, text in (
        ("broken", "{"),
        ("odd", "[]"),
        ("gone", '{"layers": [{"mediaType": "m", "digest": "../../x"}]}'),
    ):
        place = models / "manifests/registry.ollama.ai/library" / name / "latest"
        place.parent.mkdir(parents=True)
        place.write_text(text, "utf-8")
    evil = models / "manifests/registry.ollama.ai/library/evil/latest"
    evil.parent.mkdir(parents=True)
    layer = {"mediaType": other_programs.OLLAMA_WEIGHTS, "digest": "sha256:../../../secret"}
    evil.write_text(json.dumps({"layers": [layer]}), "utf-8")
    assert found() == set()


def test_the_build_is_told_from_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        llama_build,
        "find_spec",
        lambda _: type("Spec", (), {"submodule_search_locations": [str(tmp_path)]}),
    )
    (tmp_path / "lib").mkdir()
    for names, said in (
        (("libggml-base.so", "libggml-cpu.so.0", "libllama.so"), ""),
        (("libggml-cuda.so", "libggml-cuda.so.0"), "CUDA"),
        (("libggml-vulkan.so",), "CUDA, Vulkan"),
        (("libggml-metal.dylib",), "CUDA, Metal, Vulkan"),
    ):
        for name in names:
            (tmp_path / "lib" / name).touch()
        assert llama_build.graphics() == said
    monkeypatch.setattr(llama_build, "find_spec", lambda _: None)
    assert llama_build.graphics() == ""
