"""Whether a message asks for what was told or said before, in whatever form, by its likeness to examples.

The examples in `benchmarks/made_up/asked_of_past.jsonl` ask for what the person told (`told`) or was told (`said`), or for
something else (`no`). Of these `benchmarks.fit_past` makes `assets/language/en/past.npz`: a regression over the vector of a
message and its hashed words, as in `request_kind`. It holds for the vectors of one embedding model only.
"""

import re
from functools import cache
from typing import Literal

import numpy as np

from memapp.language.english import request_kind
from memapp.language.english.life_domains import is_request
from memapp.language.english.memory_question import asks_advice, asks_which_stands_out
from memapp.language.english.recall import asks_what_was_replied
from memapp.language.english.request_kind import Fitted, Floats
from memapp.paths import bundled

PastOf = Literal["told", "said", ""]
SURE, SURER = 0.5, 0.8
"""How likely it must be that a message asks for it, and one without a question mark, or that reads like a request for advice."""
SUREST = 0.9
"""How likely it must be that a message is answered with what is likest before all else, or by no model at all."""
MOST_CHARS = 400
"""A longer message, or one of several lines, is material."""

_I, _YOU = (re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in ("I|me|my|mine|we|us|our", "you|your|yours|u|ur"))


def reads(model_id: str) -> bool:
    """Say whether messages can be read by the vectors of this embedding model."""
    return model_id == str(fitted()["model_id"])


def asked_of_past(text: str, vector: Floats) -> tuple[PastOf, float]:
    """Return whether a message asks for what its writer told, or was told, and how sure that is, given its unit vector."""
    if len(text) > MOST_CHARS or "\n" in text.strip():
        return "", 0.0
    is_advice = (is_request(text) or asks_advice(text)) and not asks_what_was_replied(text)
    sure = request_kind.kinds(text, vector, fitted())
    kind: PastOf = "told" if sure["told"] >= sure["said"] else "said"
    is_of_memapp = kind == "told" and _YOU.search(text) is not None and _I.search(text) is None
    least = SURER if is_advice or asks_which_stands_out(text) or "?" not in text else SURE
    both = sure["told"] + sure["said"]
    return (kind, both) if both >= least and not is_of_memapp else ("", 0.0)


@cache
def fitted() -> Fitted:
    """Return what was fitted, read once."""
    with np.load(bundled("assets", "language", "en", "past.npz"), allow_pickle=False) as file:
        return dict(file)
