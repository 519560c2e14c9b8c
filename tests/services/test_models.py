"""Loading and choosing models: what fails is said, what was chosen stays chosen."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from memapp import settings
from memapp.domain.prompt import Usage
from memapp.errors import ModelError, UsageError
from memapp.inference import gguf_file
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.runtime import Runtime
from memapp.services import models, preferences
from tests.builders import make_runtime, new_chat, say
from tests.inference import tiny_gguf


def test_a_bug_while_a_model_loads_leaves_nobody_waiting(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, embedder=False)

    def bug(*_: object) -> ScriptedModel:
        raise RuntimeError("internal words")

    runtime.open_chat_model, runtime.open_embedder = bug, bug  # type: ignore[assignment]
    for load, slot in ((models.load_chat_model, runtime.chat), (models.load_embedder, runtime.embedding)):
        with pytest.raises(RuntimeError):
            load(runtime)
        assert slot.state == "failed"
        assert "bug in memapp (RuntimeError)" in slot.note
    runtime.close()


DIES = """
import os, sys
from pathlib import Path
from memapp.services import models
from tests.builders import make_runtime
runtime = make_runtime(Path(sys.argv[1]), embedder=False)
runtime.open_chat_model = lambda *_: os.kill(os.getpid(), 9)
models.load_chat_model(runtime)
"""


@pytest.mark.slow
def test_a_model_that_ends_memapp_while_it_loads_is_not_loaded_again_unasked(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], cwd=Path(__file__).parents[2])
    assert died.returncode == -9
    runtime = make_runtime(tmp_path)
    models.load_chat_model(runtime)
    assert (runtime.chat.state, runtime.chat.ready()) == ("failed", None)
    assert "broke off while it loaded bundled" in runtime.chat.note
    models.load_chat_model(runtime)
    assert runtime.chat.state == "ready", "the person asked for it"
    runtime.close()


def test_leaving_while_a_model_loads_is_no_crash_of_it(tmp_path: Path) -> None:
    def leave(runtime: Runtime, _: object) -> ScriptedModel:
        runtime.close()
        raise ModelError("The model was closed.")

    runtime = make_runtime(tmp_path)
    runtime.open_chat_model = leave  # type: ignore[assignment]
    models.load_chat_model(runtime)
    runtime = make_runtime(tmp_path)
    models.load_chat_model(runtime)
    assert runtime.chat.state == "ready"
    runtime.close()


def test_an_embedder_that_cannot_embed_is_closed(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, embedder=False)
    embedder = ScriptedEmbedder()
    embedder.broken = True
    runtime.open_embedder = lambda _: embedder
    models.load_embedder(runtime)
    assert (runtime.embedding.state, embedder.broken) == ("failed", True)
    runtime.close()


def test_a_model_that_is_not_wanted_any_more_is_closed_and_the_slot_goes_on_loading(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    model = ScriptedModel()
    runtime.open_chat_model = lambda *_: model  # type: ignore[assignment]
    models.load_chat_model(runtime, wanted=lambda: False)
    assert runtime.chat.state == "loading"
    assert model._closed.is_set()
    runtime.close()


def test_a_chosen_model_answers_at_the_next_start_too_where_a_server_did(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('# mine\nserver = "http://127.0.0.1:8080/v1"\n', "utf-8")
    runtime = make_runtime(tmp_path)
    file = tiny_gguf.write(tmp_path / "own.gguf", tiny_gguf.CHATML)
    for name, value in (("bundled", ""), (str(file), str(file))):
        preferences.set_preference(runtime, "server", "http://127.0.0.1:8080/v1")
        said = models.use_model(runtime, name)
        for now in (runtime.settings, settings.load(config, environment={}).settings):
            assert (now.server, now.model) == ("", value)
        assert ("did not come with memapp" in said) == (name != "bundled")
    assert runtime.loaded.origin["model"] == "file"
    assert config.read_text("utf-8").startswith("# mine\n")
    runtime.close()


@pytest.mark.parametrize("fixed", [{"model": "other"}, {"server": "http://127.0.0.1:8080/v1"}])
def test_a_model_given_for_this_start_is_not_replaced_by_a_choice(tmp_path: Path, fixed: dict[str, str]) -> None:
    runtime = make_runtime(tmp_path)
    runtime.loaded = settings.load(runtime.paths.config, fixed, environment={})
    with pytest.raises(UsageError, match="was set by the command line"):
        models.use_model(runtime, "bundled")
    assert not runtime.paths.config.exists()
    runtime.close()


def test_a_listed_file_needs_what_loading_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = make_runtime(tmp_path)
    runtime.paths.models.mkdir(parents=True)
    file = tiny_gguf.write(runtime.paths.models / "own.gguf", tiny_gguf.CHATML)
    needed = gguf_file.read(file).needed_bytes(runtime.settings.context_tokens)
    for free, expected in ((needed - 1, "too big"), (needed, "tight"), (2 * needed, "fits")):
        monkeypatch.setattr(gguf_file, "free_memory", lambda free=free: free)
        (own,) = [one for one in models.list_models(runtime) if one.path == file]
        assert own.fit == expected
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
    assert {one.speed for one in models.list_models(runtime)} == {None}
    say(runtime, new_chat(runtime), "Hello!")
    usage = Usage(decode_tokens=30, first_token_seconds=1.0, seconds=3.0)
    with runtime.database.write() as conn:
        conn.execute("UPDATE messages SET usage = ? WHERE role = 'assistant'", (json.dumps(asdict(usage)),))
    bundled, *others = models.list_models(runtime)
    assert bundled.speed == 15.0
    for one in others:
        assert one.speed == pytest.approx(15.0 * bundled.bytes / one.bytes)
    runtime.close()
