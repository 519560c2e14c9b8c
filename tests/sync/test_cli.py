"""`memapp sync` on two machines: begin, join, look, shut out, leave."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from memapp.cli import run
from memapp.services.sync import keyring
from tests.sync.conftest import PASSPHRASE


@dataclass
class Told:
    exit_code: int
    stdout: str
    stderr: str


Memapp = Callable[..., Told]


@pytest.fixture
def memapp(tmp_path: Path) -> Memapp:
    def told(name: str, *arguments: str, typed: str = "") -> Told:
        with CliRunner().isolation(input=typed) as (out, err, _):
            code = run(["--home", str(tmp_path / name), *arguments])
            return Told(code, out.getvalue().decode(), err.getvalue().decode())

    return told


def test_a_memory_is_shared_looked_at_and_left(memapp: Memapp, postgres: str, schema: str) -> None:
    where = (postgres, "--schema", schema)
    memapp("laptop", "add", "I drink oolong")
    begun = memapp(
        "laptop", "sync", "init", *where, "--name", "laptop", typed=f"{PASSPHRASE}\n{PASSPHRASE}\n"
    )
    assert begun.exit_code == 0, begun
    phrase = begun.stderr.partition("Recovery phrase: ")[2].partition("\n")[0]
    wrong = memapp("desktop", "sync", "join", *where, "--name", "desktop", typed="something else\n")
    assert "not the passphrase" in wrong.stderr
    joined = memapp(
        "desktop", "sync", "join", *where, "--name", "desktop", typed=f"{phrase.lower()}\n"
    )
    assert joined.exit_code == 0, joined
    assert "oolong" in memapp("desktop", "list").stdout

    memapp("desktop", "add", "I keep bees")
    assert "1 change" not in memapp("laptop", "sync", "status").stderr
    assert "Sent: 2. Came: 0." in memapp("desktop", "sync").stderr
    assert "Came: 2." in memapp("laptop", "sync").stderr
    assert [
        line.split("\t")[0] for line in memapp("laptop", "sync", "devices").stdout.splitlines()
    ] == ["laptop", "desktop"]

    assert memapp("laptop", "sync", "revoke", "desktop").exit_code == 4
    shut_out = memapp(
        "laptop", "sync", "revoke", "desktop", "--yes", typed="another one\nanother one\n"
    )
    assert shut_out.exit_code == 0, shut_out
    assert "shut out on another one" in memapp("desktop", "sync").stderr
    memapp("laptop", "add", "I paint boats")
    memapp("laptop", "sync")
    phone = memapp("phone", "sync", "join", *where, "--name", "phone", typed="another one\n")
    assert phone.exit_code == 0, phone
    assert memapp("phone", "list").stdout.count("\n") == 3

    assert memapp("phone", "sync", "leave", "--erase", "--yes").exit_code == 0
    assert "no memory" in memapp("laptop", "sync").stderr
    for name in ("laptop", "desktop"):  # the database is empty, and had shut the desktop out
        assert memapp(name, "sync", "leave", "--yes").exit_code == 0
    assert "Nothing is shared" in memapp("phone", "sync").stderr
    assert memapp("phone", "list").stdout.count("\n") == 3


def test_no_password_and_no_unchecked_way_to_another_machine(memapp: Memapp) -> None:
    """No passphrase is asked for before."""
    told = memapp("laptop", "sync", "init", "postgresql://me:secret@db.example/me")
    assert told.exit_code == 2
    assert ".pgpass" in told.stderr and "Passphrase" not in told.stderr
    told = memapp("laptop", "sync", "join", "postgresql://me@db.example/me?sslmode=require")
    assert "checked certificate" in told.stderr and "Passphrase" not in told.stderr
    assert "no address" in memapp("laptop", "sync", "init", "nas").stderr


def test_without_its_packages_it_is_said_how_to_install_them_here(
    memapp: Memapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring, "find_spec", lambda _: None)
    said = memapp("laptop", "sync", "init", "postgresql://me@localhost/me").stderr
    assert f"{sys.executable} -m pip install 'certifi" in said and "pynacl" in said


def test_an_error_of_a_first_try_speaks_of_no_other_machines(memapp: Memapp) -> None:
    said = memapp("laptop", "sync", "init", "postgresql://me@127.0.0.1:9/me").stderr
    assert "is away" in said
    assert "your other machines" not in said and "between your machines" not in said


def test_status_shows_the_error_of_the_last_exchange_of_a_command(
    memapp: Memapp, postgres: str, schema: str, tmp_path: Path
) -> None:
    typed = f"{PASSPHRASE}\n{PASSPHRASE}\n"
    memapp("laptop", "sync", "init", postgres, "--schema", schema, typed=typed)
    keys = next((tmp_path / "laptop").rglob("sync.key"))
    is_there = keys.read_text()
    keys.write_text(is_there.replace("host=/", "host=/nowhere/"))
    assert memapp("laptop", "sync").exit_code == 1
    assert "is away" in memapp("laptop", "sync", "status").stderr
    keys.write_text(is_there)
    assert memapp("laptop", "sync").exit_code == 0
    assert "is away" not in memapp("laptop", "sync", "status").stderr
