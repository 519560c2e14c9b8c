"""Finding by meaning from a shell: one command waits for the embedding model, which is the real one
here.
"""

import json
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.errors import ModelError
from memapp.inference import Embedder
from memapp.inference.bundled import bundled_embedder_path
from memapp.language.grammar import stems
from memapp.language.query_words import query_words
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
    assert [
        memory["text"] for memory in json.loads(shell("ask", question, "--json")[1])["memories"]
    ] == ["User has two dogs."]


MEANT = {
    "User plays the cello in an orchestra.": "Which instrument did I learn?",
    "User lives in Bruges.": "Where is my home?",
    "User works as a nurse.": "What do I do for a living?",
    "User is afraid of heights.": "Would I enjoy climbing a tower?",
    "User drives an old Volvo.": "Which car have I got?",
    "User's daughter is called Ines.": "How is my little girl named?",
    "User's cat is called Minka.": "What is the name of my pet?",
    "User never drinks coffee after noon.": "Should I have an espresso this evening?",
    "User runs ten kilometres every Sunday.": "How far do I go jogging?",
    "User was born in 1984.": "How old am I?",
    "User's brother is a carpenter.": "Who of my family builds furniture?",
    "User is learning Portuguese.": "Which language am I studying?",
    "User grows tomatoes and beans on the balcony.": "What vegetables do I plant?",
    "User broke an ankle while skiing.": "Which bone did I injure on the slopes?",
    "User loves the films of Miyazaki.": "Which anime movies do I like?",
    "User wakes up at five every day.": "When do I get out of bed in the morning?",
    "User votes in the town council.": "Am I active in local politics?",
    "User repairs clocks in spare time.": "What hobby have I with watches?",
    "User's wedding is in June.": "In which month do I marry?",
}


@pytest.mark.slow
def test_one_shot_asks_find_by_meaning(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "open_embedder", REAL)
    for fact in MEANT:
        memapp("add", fact)
    missed = []
    for fact, question in MEANT.items():
        said = {stem for word in query_words(fact) for stem in stems(word)}
        assert not any(said & stems(word) for word in query_words(question)), question
        found = [memory["text"] for memory in json.loads(memapp("search", question, "--json")[1])]
        missed += [] if fact in found[:5] else [(question, found[:5])]
    assert missed == []


def test_without_an_embedding_model_words_do_and_it_is_said(
    shell: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: object) -> Embedder:
        raise ModelError("It is not here.", "Install memapp again.")

    monkeypatch.setattr(bootstrap, "open_embedder", gone)
    for command in ("search", "query", "ask"):
        code, out, err = shell(command, "How old are my two dogs?")
        assert (code, out != "") == (0, True)
        assert "Searching by words only. It is not here. Install memapp again." in err.splitlines()


def test_a_folder_with_no_embedding_model_is_refused(shell: Terminal, tmp_path: Path) -> None:
    code, _, err = shell("config", "set", "embedding_model", str(tmp_path))
    assert (code, f"There is no embedding model in {tmp_path}." in err) == (2, True)
    (shell.home / "config.toml").write_text(f'embedding_model = "{tmp_path}"\n', "utf-8")
    (problem,) = json.loads(shell("doctor", "--json")[1])["problems"]
    assert problem.startswith(f"embedding_model: There is no embedding model in {tmp_path}.")
    actual = shell("search", "dogs")[2]
    assert f"Searching by words only. There is no embedding model in {tmp_path}." in actual


@pytest.mark.slow
def test_another_embedding_model_runs_in_sentence_transformers(shell: Terminal) -> None:
    folder = str(bundled_embedder_path())
    assert shell("config", "set", "embedding_model", folder)[0] == 0
    report = json.loads(shell("doctor", "--json")[1])
    assert report["embedding model"] == f"{folder}, 384 numbers, in sentence-transformers"
    actual = json.loads(shell("search", "Which pets do I own?", "--json")[1])[0]["text"]
    assert actual == "User has two dogs."
