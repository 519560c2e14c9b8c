"""Whether a message asks for what was told or said before, in whatever form, by its likeness to examples.

The examples in `benchmarks/made_up/asked_of_past.jsonl` ask for what the person told (`told`) or was told (`said`), or for
something else (`no`). Of these `benchmarks.fit_past` makes `assets/language/en/past.npz`: a regression over the vector of a
message and its hashed words, as in `request_kind`. It holds for the vectors of one embedding model only.
"""

import re
from functools import cache

import numpy as np

from memapp.language.english import request_kind
from memapp.language.english.life_domains import is_request
from memapp.language.english.memory_question import asks_advice
from memapp.language.english.recall import asks_what_was_replied
from memapp.language.english.request_kind import Fitted, Floats
from memapp.paths import bundled

SURE, SURER = 0.5, 0.8
"""How likely it must be that a message asks for it, and one without a question mark, or that reads like a request for advice."""
MOST_CHARS = 400
"""A longer message is material."""

_I, _YOU = (re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in ("I|me|my|mine|we|us|our", "you|your|yours|u|ur"))


def reads(model_id: str) -> bool:
    """Say whether messages can be read by the vectors of this embedding model."""
    return model_id == str(fitted()["model_id"])


def asked_of_past(text: str, vector: Floats) -> str:
    """Return `told` or `said` where a message asks for what its writer told, or was told, given its unit vector; else nothing."""
    if len(text) > MOST_CHARS:
        return ""
    is_advice = (is_request(text) or asks_advice(text)) and not asks_what_was_replied(text)
    sure = request_kind.kinds(text, vector, fitted())
    kind = max(("told", "said"), key=sure.__getitem__)
    is_of_memapp = kind == "told" and _YOU.search(text) is not None and _I.search(text) is None
    least = SURER if is_advice or "?" not in text else SURE
    return kind if sure["told"] + sure["said"] >= least and not is_of_memapp else ""


@cache
def fitted() -> Fitted:
    """Return what was fitted, read once."""
    with np.load(bundled("assets", "language", "en", "past.npz"), allow_pickle=False) as file:
        return dict(file)
