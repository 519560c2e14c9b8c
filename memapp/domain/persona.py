"""Personas: who memapp is in a chat, and what it knows of the case at hand."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class Persona(BaseModel):
    """One persona, as its TOML file says it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")
    """The file's name without .toml."""
    name: Line
    """How it is called on the screen and in the history: `memapp`, `Tom`."""
    user_name: Line = "User"
    """How the person is called in the history: `User`, `Player`."""
    description: Line
    prompt: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)
    ]
    """Who it is and how it talks: the beginning of the system text."""
    mode: Literal["plain", "inner_voice"] = "plain"
    trust_level: float = Field(0.5, ge=0, le=1)
    """How frankly an inner voice speaks: 0 teases and withholds, 1 confides."""
    case_facts: tuple[Line, ...] = ()
    evidence: tuple[Line, ...] = ()
    """Cards it starts with; the person adds more in a chat with /evidence."""
    reply_tokens: int | None = Field(None, ge=16, le=8192)
    """Longest reply, where it differs from the setting."""

    @property
    def is_inner_voice(self) -> bool:
        """Say whether one speaks to it of its case, and not to memapp."""
        return self.mode == "inner_voice"
