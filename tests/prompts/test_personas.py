"""Personas from TOML files."""

from pathlib import Path

import pytest

from memapp.domain.persona import Persona
from memapp.errors import ConfigError
from memapp.prompts.personas import EXPECTED, load_personas
from tests.prompts.contexts import bundled_personas

GOOD = 'name = "Ann"\ndescription = "Short."\nprompt = "You are Ann."\n'


def load_one(folder: Path, text: str | bytes, name: str = "ann.toml") -> None:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    load_personas([folder])


def test_two_personas_ship() -> None:
    assert set(bundled_personas()) == {"companion", "tom"}
    tom = bundled_personas()["tom"]
    assert (tom.mode, tom.user_name) == ("inner_voice", "Player")
    assert tom.case_facts and tom.evidence


def test_a_person_s_own_file_replaces_the_bundled_one(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder, name in ((ours, "Ann"), (theirs, "Anna")):
        folder.mkdir()
        (folder / "ann.toml").write_text(GOOD.replace("Ann", name))
    assert load_personas([ours, theirs])["ann"].name == "Anna"


def test_a_missing_folder_has_no_personas(tmp_path: Path) -> None:
    assert load_personas([tmp_path / "nowhere"]) == {}


def test_an_unknown_key_is_named_with_its_line_and_the_nearest_key(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"ann\.toml, line 4: there is no key 'promt'\. Did you mean 'prompt'\?"
    ):
        load_one(tmp_path, GOOD + 'promt = "x"\n')


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("trust_level = 7", "line 4: trust_level is a number from 0 to 1."),
        ("reply_tokens = 9.5", "line 4: reply_tokens is a whole number from 16 to 8,192."),
        ('mode = "loud"', "line 4: mode is plain or inner_voice."),
        ('user_name = " "', "line 4: user_name is a text of 1 to 2,000 characters."),
        ('case_facts = "One."', "line 4: case_facts is a list of texts of 1 to 2,000 characters."),
        (
            'evidence = ["One.", 2]',
            "line 4: evidence is a list of texts of 1 to 2,000 characters; number 2 is none.",
        ),
    ],
)
def test_a_wrong_value_is_named_with_line_and_type(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_one(tmp_path, GOOD + line + "\n")
    assert str(raised.value) == f"{tmp_path / 'ann.toml'}, {said}"


def test_every_key_has_words_for_what_it_takes() -> None:
    assert set(EXPECTED) == set(Persona.model_fields) - {"id"}


def test_a_missing_key_is_named_with_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError,
        match=r"ann\.toml: there is no prompt\. prompt is a text of 1 to 20,000 characters\.$",
    ):
        load_one(tmp_path, 'name = "Ann"\ndescription = "Short."\n')


def test_bytes_that_are_no_text_are_told_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError,
        match=r"ann\.toml cannot be read as text\. Correct it, or move it out of this folder\.$",
    ):
        load_one(tmp_path, b"\xff\xfe\x00")


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe\x00", "name = ", "[[[[", 'id = "x"\n' + GOOD, GOOD + 'evidence = ["", 3]\n',
        GOOD + "[name]\n", "",
    ],
    ids=["not text", "half a line", "brackets", "an id", "a bad card", "a table", "empty"],
)  # fmt: skip
def test_a_broken_file_is_a_configuration_error(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(ConfigError, match=r"ann\.toml"):
        load_one(tmp_path, text)


def test_a_file_name_that_is_no_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="file name"):
        load_one(tmp_path, GOOD, "My Ann.toml")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "ann.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load_personas([tmp_path])["ann"].name == "Ann"
