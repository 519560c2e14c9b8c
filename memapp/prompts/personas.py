"""Personas, read from TOML files."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from memapp.domain.persona import Persona
from memapp.domain.text import did_you_mean
from memapp.errors import ConfigError
from memapp.toml_file import line_of, read_toml

EXPECTED = {
    **dict.fromkeys(("name", "user_name", "description"), "a text of 1 to 2,000 characters"),
    "prompt": "a text of 1 to 20,000 characters",
    "mode": "plain or inner_voice",
    "trust_level": "a number from 0 to 1",
    **dict.fromkeys(("case_facts", "evidence"), "a list of texts of 1 to 2,000 characters"),
    "reply_tokens": "a whole number from 16 to 8,192",
}
"""The expected value of each key of a persona."""


def load_personas(folders: Sequence[Path]) -> dict[str, Persona]:
    """Return every persona by id; later folders override earlier ones.

    Raises `ConfigError` for a bad file.
    """
    personas: dict[str, Persona] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            personas[path.stem] = _read(path)
    return personas


def _read(path: Path) -> Persona:
    text, values = read_toml(path)
    for key in values:
        if key not in EXPECTED:
            advice = did_you_mean(key, EXPECTED, f"Known keys: {', '.join(EXPECTED)}.")
            raise ConfigError(
                f"{path}, line {line_of(key, text)}: there is no key {key!r}.", advice
            )
    try:
        return Persona.model_validate({**values, "id": path.stem})
    except ValidationError as error:
        raise _explained(path, text, error) from None


def _explained(path: Path, text: str, error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    key = str(first["loc"][0])
    if key == "id":
        return ConfigError(
            f"{path}: a persona's file name is small letters, digits, - and _, "
            "beginning with a letter."
        )
    if first["type"] == "missing":
        return ConfigError(f"{path}: there is no {key}.", f"{key} is {EXPECTED[key]}.")
    item = next(
        (f"; number {at + 1} is none" for at in first["loc"][1:2] if isinstance(at, int)), ""
    )
    return ConfigError(f"{path}, line {line_of(key, text)}: {key} is {EXPECTED[key]}{item}.")
