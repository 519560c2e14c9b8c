"""Personas: who answers in a chat, with the facts of a case."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class Persona(BaseModel):
    """A persona, as defined by a TOML file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")
    """The file name without .toml."""
    name: Line
    """The persona's name on the screen and in the history: `memapp`, `Tom`."""
    user_name: Line = "User"
    """The person's name in the history: `User`, `Player`."""
    description: Line
    prompt: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)
    ]
    """The beginning of the system text."""
    mode: Literal["plain", "inner_voice"] = "plain"
    trust_level: float = Field(0.5, ge=0, le=1)
    """How frankly an inner voice speaks: 0 teases and withholds, 1 confides."""
    case_facts: tuple[Line, ...] = ()
    evidence: tuple[Line, ...] = ()
    """The first context cards; the person adds more with /evidence."""
    reply_tokens: int | None = Field(None, ge=16, le=8192)
    """The longest reply, if not that of the setting."""

    @property
    def is_inner_voice(self) -> bool:
        """Return True for a voice in a story, which is asked about its case."""
        return self.mode == "inner_voice"
