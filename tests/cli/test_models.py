"""Getting a model and removing it from the command line: nothing connects without a yes."""

import json
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.bootstrap import open_chat_model, open_embedder
from memapp.inference.scripted import ScriptedModel
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


def test_a_self_test_is_told_check_by_check_with_the_form_that_follows(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_: ScriptedModel(key="capable"))
    code, out, _ = memapp("models", "test", "--json")
    told = json.loads(out)
    assert code == 0 and [one["check"] for one in told["checks"]].count("lookup") == 4
    assert told["form"].startswith("simple form (self-test, ") and told["self_test"].startswith("simple form, ")
    assert "✗" in memapp("models", "test")[1]


@pytest.mark.slow
def test_the_bundled_model_fails_the_self_test_and_doctor_says_which_form_it_gets(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "open_chat_model", open_chat_model)
    monkeypatch.setattr(bootstrap, "open_embedder", open_embedder)
    told = json.loads(memapp("models", "test", "--json")[1])
    assert len(told["checks"]) == 10 and told["self_test"].startswith("simple form, ")
    assert told["form"].startswith("simple form (memapp's list; self-test, ")
    assert told["form"] in memapp("doctor")[1]
    assert f"often wrong. · {told['form']}" in memapp("models")[1]
