"""Getting a model and removing it from the command line: nothing connects without a yes."""

import json
from pathlib import Path

import pytest

from memapp import bootstrap, paths
from memapp.domain.model_jobs import REVIEWS
from memapp.inference.scripted import ScriptedModel
from memapp.services.models import downloads
from tests.cli.conftest import Terminal
from tests.inference import tiny_gguf
from tests.inference.hub import list_of_models, serving


def test_a_model_is_got_with_a_yes_used_and_removed_with_another(
    memapp: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = tiny_gguf.write(tmp_path / "made.gguf", tiny_gguf.CHATML).read_bytes()
    terms = "This connects memapp to 127.0.0.1 and fetches tiny.gguf"
    with serving(content) as site:
        list_of_models(tmp_path / "list", site, monkeypatch)
        out, err = memapp("models")[1:]
        assert "Tiny\t0 MB\tneeds 0.3 GB\tnot here yet · MIT · Good.\n" in out
        assert "GB of memory free · models run on the processor" in err
        code, _, err = memapp("models", "get", "Tiny")
        assert (code, site.asked) == (4, [])
        assert terms in err and "Add --yes" in err
        assert memapp("models", "get", "Tyni")[0] == 2
        site.status = 404
        code, _, err = memapp("models", "get", "Tiny", "--yes")
        assert code == 1 and "127.0.0.1 has no file tiny.gguf any more." in err
        site.status = 0
        code, out, err = memapp("models", "get", "Tiny", "--yes")
        assert (code, out) == (0, "")
        assert terms in err and "Use it: memapp models use Tiny" in err
    assert memapp("models", "use", "Tiny")[0] == 0
    code, _, err = memapp("models", "rm", "Tiny", "--yes")
    assert code == 2 and "Choose another first." in err
    memapp("models", "use", "bundled")
    file = memapp.home / "cache" / "models" / "tiny.gguf"
    code, _, err = memapp("models", "rm", "Tiny")
    assert code == 4 and str(file) in err and file.is_file()
    assert memapp("models", "rm", "Tiny", "--yes")[0] == 0
    assert not file.exists()


def test_what_another_embedding_model_changes_is_said_before_it_is_used(memapp: Terminal) -> None:
    file = paths.locate(memapp.home).models / "pooled.gguf"
    file.parent.mkdir(parents=True)
    tiny_gguf.write(file, tiny_gguf.POOLED)
    code, _, err = memapp("models", "use", "pooled")
    assert code == 4 and "pooled searches by meaning from then on" in err and "Add --yes" in err
    assert memapp("models", "use", "pooled", "--yes")[0] == 0
    assert f"{file}, 32 numbers, in llama.cpp" in memapp("doctor")[1]
    assert memapp("models", "use", "bundled")[0] == 0, "the one that chats"


def test_the_default_is_got_as_make_run_does(
    memapp: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = tiny_gguf.write(tmp_path / "made.gguf", tiny_gguf.CHATML).read_bytes()
    monkeypatch.setattr(downloads, "LEAST_MEMORY", 0)
    monkeypatch.setattr(downloads, "LEAST_DISK", 0)
    with serving(content) as site:
        list_of_models(tmp_path / "list", site, monkeypatch, "default = true\n")
        assert memapp("models", "get")[0] == memapp("models", "get", "Tiny", "--default")[0] == 2
        monkeypatch.setenv("MEMAPP_MODEL", "none")
        code, _, err = memapp("models", "get", "--default", "--yes")
        assert code == 0 and err.startswith("Tiny is not fetched, since MEMAPP_MODEL")
        monkeypatch.delenv("MEMAPP_MODEL")
        assert memapp("models", "get", "--default")[0] == 4 and site.asked == []
        site.status = 500
        code, _, err = memapp("models", "get", "--default", "--yes")
        assert code == 1
        assert err.endswith("Until it is here the small model that comes with memapp answers.\n")
        site.status = 0
        code, out, err = memapp("models", "get", "--default", "--yes")
        assert (code, out) == (0, "")
        assert "Fetching Tiny, once: 0 MB, licence MIT. ctrl+c goes on without it.\n" in err
        assert "\n100 %\nTiny is here and whole. It answers.\n" in err
        assert memapp("models", "get", "--default", "--yes") == (0, "", "")


def test_a_model_is_tested_by_its_cases(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_: ScriptedModel(key="capable"))
    code, out, err = memapp("models", "test", "--json")
    told = json.loads(out)
    assert code == 0 and len(told["cases"]) >= 100
    assert set(told["jobs"]) == {"distil", "same fact", "insights", "episodes", "answers", *REVIEWS}
    assert all(item["of"] >= (12 if job in REVIEWS else 20) for job, item in told["jobs"].items())
    assert "✗ merging memories: " in err


@pytest.mark.parametrize(
    "family",
    [tiny_gguf.BROKEN_TEMPLATE, tiny_gguf.NO_TEMPLATE, tiny_gguf.CHATML],
    ids=lambda one: one.name,
)
def test_a_template_that_gives_way_is_told_of(memapp: Terminal, family: tiny_gguf.Family) -> None:
    folder = paths.locate(memapp.home).models
    folder.mkdir(parents=True)
    tiny_gguf.write(folder / "own.gguf", family)
    told = {
        "broken-template": "template in this file cannot be rendered",
        "no-template": "This file has no chat template",
    }
    expected = told.get(family.name, "common form")
    said = [
        memapp("models")[1],
        memapp("models", "use", "own")[2],
        memapp("ask", "Hello?")[2],
        memapp("models")[1],
    ]
    assert [expected in text for text in said] == [family.name in told] * 4
