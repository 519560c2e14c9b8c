"""Secrets go before anything is written; what only looks a little like one stays."""

import random
import shlex
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import MADE_UP
from memapp.domain.lessons.secrets import MARK, SecretForm, without_secrets
from memapp.language.failures import secret_forms

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
            found = without_secrets(told, secret_forms())
            assert MARK in found
            assert not [part for part in parts.values() if part in found], found


def test_a_private_key_goes_as_a_whole() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\nQyNTUxOQAAACD\n-----END OPENSSH PRIVATE KEY-----"
    assert without_secrets(f"cat id\n{key}\ndone", secret_forms()) == f"cat id\n{MARK}\ndone"


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
        "error: unknown option --passwords",
        "src/some/very/long/path/with/Many0/Parts1/and2/Numbers3/in4/it/x.py",
    ],
)
def test_ordinary_commands_stay_as_they_are(plain: str) -> None:
    assert without_secrets(plain, secret_forms()) == plain


@pytest.mark.parametrize("form", [one for one in secret_forms() if one.signs])
def test_whatever_a_form_finds_has_one_of_its_signs(form: SecretForm) -> None:
    @settings(max_examples=30, deadline=None)
    @given(st.from_regex(form.pattern))
    def check(found: str) -> None:
        assert any(sign in found.casefold() for sign in form.signs)

    check()
