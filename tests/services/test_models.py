"""Loading and choosing models: failures are reported, choices last."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from memapp import settings
from memapp.domain.prompt import Usage
from memapp.errors import UsageError
from memapp.inference import gguf_file
from memapp.inference.cached_copies import KEY_CHARS, content_hash, known_hash
from memapp.inference.minilm import NAME as EMBEDDER
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.services import models, preferences
from memapp.services.models import manifest, model_loading
from tests.builders import chat_of, make_runtime, new_chat, say
from tests.inference import tiny_gguf


def test_a_bug_while_a_model_loads_leaves_nobody_waiting(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, embedder=False)

    def bug(*_: object) -> ScriptedModel:
        raise RuntimeError("internal words")

    runtime.open_chat_model, runtime.open_embedder = bug, bug  # type: ignore[assignment]
    for load, slot in (
        (model_loading.load_chat_model, runtime.chat),
        (model_loading.load_embedder, runtime.embedding),
    ):
        with pytest.raises(RuntimeError):
            load(runtime)
        assert slot.state == "failed"
        assert "bug in memapp (RuntimeError)" in slot.note
    runtime.close()


def test_an_embedder_that_cannot_embed_is_closed(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, embedder=False)
    embedder = ScriptedEmbedder()
    embedder.broken = True
    runtime.open_embedder = lambda _: embedder
    model_loading.load_embedder(runtime)
    assert (runtime.embedding.state, embedder.broken) == ("failed", True)
    runtime.close()


def test_an_unwanted_model_is_closed_and_the_slot_goes_on_loading(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    model = ScriptedModel()
    runtime.open_chat_model = lambda *_: model  # type: ignore[assignment]
    model_loading.load_chat_model(runtime, wanted=lambda: False)
    assert runtime.chat.state == "loading"
    assert model._closed.is_set()
    runtime.close()


def test_a_chosen_model_answers_at_the_next_start_too_where_a_server_did(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('# mine\nserver = "http://127.0.0.1:8080/v1"\n', "utf-8")
    runtime = make_runtime(tmp_path)
    file = tiny_gguf.write(tmp_path / "own.gguf", tiny_gguf.CHATML)
    for name, value in (("bundled", "bundled"), (str(file), str(file))):
        preferences.set_preference(runtime, "server", "http://127.0.0.1:8080/v1")
        said = models.use_model(runtime, name)
        for now in (runtime.settings, settings.load(config, environment={}).settings):
            assert (now.server, now.model) == ("", value)
        assert ("did not come with memapp" in said) == (name != "bundled")
    assert runtime.loaded.origin["model"] == "file"
    assert config.read_text("utf-8").startswith("# mine\n")
    runtime.close()


@pytest.mark.parametrize("fixed", [{"model": "other"}, {"server": "http://127.0.0.1:8080/v1"}])
def test_a_model_given_for_this_start_stays(tmp_path: Path, fixed: dict[str, str]) -> None:
    runtime = make_runtime(tmp_path)
    runtime.loaded = settings.load(runtime.paths.config, fixed, environment={})
    with pytest.raises(UsageError, match="was set by the command line"):
        models.use_model(runtime, "bundled")
    assert not runtime.paths.config.exists()
    runtime.close()


def test_a_listed_file_tells_its_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = make_runtime(tmp_path)
    runtime.paths.models.mkdir(parents=True)
    file = tiny_gguf.write(runtime.paths.models / "own.gguf", tiny_gguf.CHATML)
    needed = gguf_file.read(file).needed_bytes(runtime.settings.context_tokens)
    for free, expected in ((needed - 1, "too big"), (needed, "tight"), (2 * needed, "fits")):
        monkeypatch.setattr(gguf_file, "free_memory", lambda free=free: free)
        (own,) = [choice for choice in models.list_models(runtime) if choice.path == file]
        assert own.fit == expected
    runtime.close()


def test_a_listed_model_names_its_jobs_before_it_was_ever_loaded(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    entry = manifest.default_model()
    assert entry is not None and entry.jobs == ("referee",)
    for folder in (runtime.paths.downloads, runtime.paths.models):
        folder.mkdir(parents=True)
        tiny_gguf.write(folder / entry.file, tiny_gguf.CHATML)
    by_folder = {
        choice.path.parent: choice.jobs for choice in models.list_models(runtime) if choice.path
    }
    assert by_folder[runtime.paths.downloads] == "Trusted with: judging commands."
    assert by_folder[runtime.paths.models].startswith("Not tested yet"), "the file may be another"
    runtime.close()


def test_a_chosen_embedding_model_searches_and_the_bundled_one_again(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    runtime.paths.models.mkdir(parents=True)
    file = tiny_gguf.write(runtime.paths.models / "pooled.gguf", tiny_gguf.POOLED)
    chat_of(runtime, "I like tea.")

    def embedders() -> dict[str, bool]:
        return {
            choice.name: choice.current
            for choice in models.list_models(runtime)
            if choice.embeds and not choice.remote
        }

    answering = [
        choice.name
        for choice in models.list_models(runtime)
        if choice.current and not choice.embeds
    ]
    assert embedders() == {"pooled": False, EMBEDDER: True}
    pooled = models.find_embedder(runtime, "pooled")
    assert pooled
    assert models.find_embedder(runtime, str(file))
    assert models.find_embedder(runtime, "bundled") is None
    assert "The vectors of 1 text are made anew" in models.search_notice(runtime, pooled)
    assert "did not come with memapp" in models.use_model(runtime, "pooled")
    assert runtime.settings.embedding_model == str(file)
    assert embedders() == {"pooled": True, EMBEDDER: False}
    assert [
        choice.name
        for choice in models.list_models(runtime)
        if choice.current and not choice.embeds
    ] == answering
    models.use_model(runtime, EMBEDDER)
    assert runtime.settings.embedding_model == ""
    assert embedders() == {"pooled": False, EMBEDDER: True}
    with pytest.raises(UsageError, match="is not here yet"):
        models.use_model(runtime, "bge-m3")
    with pytest.raises(UsageError, match="makes no embeddings"):
        chatting = tiny_gguf.write(tmp_path / "own.gguf", tiny_gguf.CHATML)
        preferences.set_preference(runtime, "embedding_model", str(chatting))
    runtime.close()


def test_words_to_a_server_leave_this_machine_or_not(tmp_path: Path) -> None:
    for address, where in (
        ("http://127.0.0.2:8080/v1", ""),
        ("http://[::1]:8080", ""),
        ("http://localhost:8080", ""),
        ("http://192.168.1.5:8080/v1", "192.168.1.5"),
        ("https://example.org/v1", "example.org"),
        ("", ""),
        ("no address", ""),
    ):
        runtime = make_runtime(tmp_path, server=address)
        assert models.remote_host(runtime) == where
        runtime.close()


def test_models_are_judged_by_the_speed_of_the_one_that_answers(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, ScriptedModel())
    assert {choice.speed for choice in models.list_models(runtime)} == {None}
    say(runtime, new_chat(runtime), "Hello!")
    usage = Usage(decode_tokens=30, first_token_seconds=1.0, seconds=3.0)
    with runtime.database.write() as conn:
        conn.execute(
            "UPDATE messages SET usage = ? WHERE role = 'assistant'", (json.dumps(asdict(usage)),)
        )
    bundled, *others = models.list_models(runtime)
    assert bundled.speed == 15.0
    assert {choice.speed for choice in others if choice.embeds} == {None}
    for choice in (other for other in others if not other.embeds):
        assert choice.speed == pytest.approx(15.0 * bundled.bytes / choice.bytes)
    runtime.close()


def test_a_model_in_several_files_is_one_row_and_chosen_by_any_of_them(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    runtime.paths.models.mkdir(parents=True)
    files = tiny_gguf.write_in_parts(runtime.paths.models / "big.gguf", tiny_gguf.CHATML)
    size = sum(file.stat().st_size for file in files)
    (big,) = [choice for choice in models.list_models(runtime) if choice.kept_by == models.YOU]
    assert (big.name, big.path, big.bytes, big.fit) == ("big", files[0], size, "fits")
    assert (
        big.needed == gguf_file.read(files[0]).needed_bytes(runtime.settings.context_tokens) > size
    )
    for name in ("big", str(files[1])):
        assert f"big-00001-of-00003.gguf ({size / 1e6:,.0f} MB)" in models.use_model(runtime, name)
        assert runtime.settings.model == str(files[0])
    actual = [choice.name for choice in models.list_models(runtime) if choice.current]
    assert actual == ["big", EMBEDDER]
    files[1].unlink()
    (big,) = [choice for choice in models.list_models(runtime) if choice.kept_by == models.YOU]
    assert big.fit == "unusable" and files[1].name in big.note
    files[0].unlink()
    (big,) = [choice for choice in models.list_models(runtime) if choice.kept_by == models.YOU]
    assert big.fit == "unusable" and files[0].name in big.note and files[1].name in big.note
    with pytest.raises(UsageError, match="are missing"):
        models.use_model(runtime, "big")
    runtime.close()


def odd_files(folder: Path) -> None:
    """Put into a folder what may have the name of a model and is none."""
    folder.mkdir(parents=True)
    (folder / "loop.gguf").symlink_to(folder / "loop.gguf")
    (folder / "other-loop.gguf").symlink_to(folder / "loop.gguf")
    (folder / "dangling.gguf").symlink_to(folder / "gone")
    (folder / "folder.gguf").mkdir()
    os.mkfifo(folder / "pipe.gguf")
    (folder / "locked.gguf").touch(mode=0)
    (folder / "empty.gguf").touch()
    (folder / os.fsdecode(b"caf\xe9.gguf")).touch()


def test_what_is_no_file_never_ends_the_list(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    odd_files(runtime.paths.models)
    odd_files(runtime.paths.downloads)
    found = {
        choice.name: choice
        for choice in models.list_models(runtime)
        if choice.kept_by == models.YOU
    }
    actual = {name.partition(" ")[0] for name in found}
    assert actual >= {"folder", "dangling", "pipe", "empty", "caf\ufffd"}
    assert all(choice.fit == "unusable" and choice.note for choice in found.values())
    json.dumps([asdict(choice) for choice in found.values()], default=str).encode()
    for name in found:
        name.encode()
        with pytest.raises(UsageError):
            models.use_model(runtime, name)
    runtime.close()


def test_a_model_in_several_files_is_known_by_all_of_them(tmp_path: Path) -> None:
    files = tiny_gguf.write_in_parts(tmp_path / "big.gguf", tiny_gguf.CHATML)
    first = content_hash(files[0], tmp_path)
    assert content_hash(files[0], tmp_path) == first
    assert known_hash(files[0], tmp_path) == first
    assert len(first) == KEY_CHARS
    files[2].write_bytes(files[2].read_bytes()[:-1] + b"x")
    assert known_hash(files[0], tmp_path) == ""
    assert content_hash(files[0], tmp_path) != first
