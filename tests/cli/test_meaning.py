"""Finding by meaning from a shell: one command waits for the embedding model, which is the real one here."""

import json
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.errors import ModelError
from memapp.inference import Embedder
from memapp.inference.bundled import bundled_embedder_path
from tests.cli.conftest import Terminal

REAL = bootstrap.open_embedder


@pytest.fixture
def shell(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setattr(bootstrap, "open_embedder", REAL)
    memapp("add", "User has two dogs.")
    return memapp


def test_a_question_finds_a_fact_that_shares_no_word_with_it(shell: Terminal) -> None:
    question = "Which pets do I own?"
    assert json.loads(shell("search", question, "--json")[1])[0]["text"] == "User has two dogs."
    assert "User has two dogs." in shell("query", question, "--threshold", "0.3")[1]
    assert [one["text"] for one in json.loads(shell("ask", question, "--json")[1])["memories"]] == ["User has two dogs."]


def test_without_an_embedding_model_words_do_and_it_is_said(shell: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: object) -> Embedder:
        raise ModelError("It is not here.", "Install memapp again.")

    monkeypatch.setattr(bootstrap, "open_embedder", gone)
    for command in ("search", "query", "ask"):
        code, out, err = shell(command, "How old are my two dogs?")
        assert (code, out != "") == (0, True)
        assert "Searching by words only. It is not here. Install memapp again." in err.splitlines()


def test_a_folder_without_an_embedding_model_is_refused_in_words(shell: Terminal, tmp_path: Path) -> None:
    code, _, err = shell("config", "set", "embedding_model", str(tmp_path))
    assert (code, f"There is no embedding model in {tmp_path}." in err) == (2, True)
    (shell.home / "config.toml").write_text(f'embedding_model = "{tmp_path}"\n', "utf-8")
    (problem,) = json.loads(shell("doctor", "--json")[1])["problems"]
    assert problem.startswith(f"embedding_model: There is no embedding model in {tmp_path}.")
    assert f"Searching by words only. There is no embedding model in {tmp_path}." in shell("search", "dogs")[2]


@pytest.mark.slow
def test_another_embedding_model_runs_in_sentence_transformers(shell: Terminal) -> None:
    folder = str(bundled_embedder_path())
    assert shell("config", "set", "embedding_model", folder)[0] == 0
    report = json.loads(shell("doctor", "--json")[1])
    assert report["embedding model"] == f"{folder}, 384 numbers, in sentence-transformers"
    assert json.loads(shell("search", "Which pets do I own?", "--json")[1])[0]["text"] == "User has two dogs."
    assert not list((shell.home / "cache").glob("*/*MiniLM*"))
