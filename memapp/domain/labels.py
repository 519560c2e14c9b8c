"""The labels of codes: what memapp's parts, operations, states and reasons are called where people read them."""

from memapp.lexicon import lexicon

_EN = lexicon("labels")


def called(kind: str, code: str, otherwise: str | None = None) -> str:
    """Return what a code of some kind is called; one without words of its own stands for itself, unless told otherwise."""
    return _EN.table(kind).get(code, code if otherwise is None else otherwise)
