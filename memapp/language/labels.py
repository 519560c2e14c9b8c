"""The labels of codes: what memapp's parts, operations, states and reasons are called where people
read them.
"""

from memapp.domain.activity import Count
from memapp.domain.memory import Memory, State
from memapp.language.lexicon import lexicon

_EN = lexicon("labels")


def called(kind: str, code: str, otherwise: str | None = None) -> str:
    """Return what a code of some kind is called; one without words of its own stands for itself,
    unless told otherwise.
    """
    return _EN.table(kind).get(code, code if otherwise is None else otherwise)


def part_of(count: Count) -> str:
    """Return what the part of the app that did something is called."""
    return called("nodes", count.node)


def operation_of(count: Count) -> str:
    """Return what that part did."""
    return called("operations", count.op).replace("_", " ")


def why(memory: Memory, ttl_days: int) -> str:
    """Return why a memory is in the trash, in plain words."""
    reason = "merged" if memory.state is State.MERGED else memory.reason
    return called("trash_reasons", reason or "put there").format(ttl_days)
