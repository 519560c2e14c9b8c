"""Secrets go before anything is written; what only looks a little like one stays."""

import random
import shlex
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import MADE_UP
from benchmarks.secrets import told as told_in
from memapp.domain.secrets import MARK, SecretForm
from memapp.language.secrets import secret_rules, without_secrets

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
FORMS = (MADE_UP / "lessons" / "secrets.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_taken_out_whatever_it_is(form: str) -> None:
    chance = random.Random(form)
    for _ in range(5):
        parts = {
            "word": "".join(chance.choices(LETTERS, k=chance.randint(8, 20))),
            "long": "".join(chance.choices(LETTERS, k=36)),
            "upper": "".join(chance.choices(string.ascii_uppercase + string.digits, k=16)),
        }
        command = form.format(**parts)
        for told in (command, shlex.join(shlex.split(command)), shlex.join(["sh", "-c", command])):
            found = without_secrets(told)
            assert MARK in found
            assert not [part for part in parts.values() if part in found], found


@pytest.mark.parametrize("name", ["forms.txt", "fresh.txt"])
def test_what_a_password_manager_makes_is_taken_out_wherever_it_stands(name: str) -> None:
    assert not [
        text
        for text, secrets in told_in(name, 1, 16)
        if any(secret in without_secrets(text) for secret in secrets)
    ]


@pytest.mark.parametrize("name", ["ordinary_commands.txt", "ordinary_messages.txt"])
def test_what_is_ordinary_stays_as_it_is(name: str) -> None:
    assert not [
        text
        for text in (MADE_UP / "secrets" / name).read_text("utf-8").splitlines()
        if without_secrets(text) != text
    ]


def test_a_number_of_an_order_or_a_part_stays_but_not_in_a_command_nor_beside_a_name() -> None:
    sentences = (MADE_UP / "secrets" / "identifiers.txt").read_text("utf-8").splitlines()
    altered = [text for text in sentences if without_secrets(text) != text]
    assert len(altered) <= 0.01 * len(sentences), altered
    for named in (
        "use TV8TLKC86X for the wifi",
        "my recovery code is TV8TLKC86X",
        "password TV8TLKC86X",
    ):
        assert MARK in without_secrets(named)
    assert without_secrets("rclone obscure TV8TLKC86X", in_command=True) == f"rclone obscure {MARK}"


@pytest.mark.parametrize(
    "unit",
    ["key=", "a.", "a_", "-u a ", "password ", "mysql -u ", "Aa1+/", "secret for ", "xpasswd a "],
)
def test_a_long_text_does_not_take_for_ever_and_is_done_at_once(unit: str) -> None:
    found = without_secrets(unit * 10_000)  # minutes, if it grew with the square of the length
    assert without_secrets(found) == found


def test_a_private_key_goes_as_a_whole() -> None:
    key = (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\nQyNTUxOQAAACD\n"
        "-----END OPENSSH PRIVATE KEY-----"
    )
    assert without_secrets(f"cat id\n{key}\ndone") == f"cat id\n{MARK}\ndone"


@pytest.mark.parametrize(
    "plain",
    [
        "git push -u origin main",
        "mkdir -p vase/bowl",
        "cp -p vase bowl",
        "git commit -m 'Add the token bucket'",
        "git show 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "ssh -p 2222 me@host",
        "python -m pytest tests/test_password.py -k secret",
        "pip install keyring==25.0.0",
        "curl -fsSL https://example.org/install.sh",
        "docker run -p 8080:80 nginx",
        "git add -patch",
        "ssh -p2222 me@host",
        "mysql -P 3306 vases",
        "git rebase --onto v4.19-rc7-142-g8f5d1b3",
        "session 01KG9HX8W86WQ3AHQ39XZ0KDWY ended",
        "see https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "docker run -u 1000:1000 -p 8080:80 -e PASSWORD=$PW x86_64-pc-linux-gnu",
        "the token is expired, and my password manager is older",
        "def token(x): return secrets.token_hex(16) if token == None else token",
        "error: unknown option --passwords",
        "src/some/very/long/path/with/Many0/Parts1/and2/Numbers3/in4/it/x.py",
    ],
)
def test_ordinary_commands_stay_as_they_are(plain: str) -> None:
    assert without_secrets(plain) == plain


@pytest.mark.parametrize(
    "form", [secret_form for secret_form in secret_rules().forms if secret_form.signs]
)
def test_whatever_a_form_finds_has_one_of_its_signs(form: SecretForm) -> None:
    @settings(max_examples=8, deadline=None)
    @given(st.from_regex(form.pattern))
    def check(found: str) -> None:
        assert any(sign in found.casefold() for sign in form.signs)

    check()
