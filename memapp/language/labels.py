"""The labels of codes: parts, operations, states and reasons, as people read them."""

from memapp.domain.activity import Count
from memapp.domain.memory import Memory, State
from memapp.language.lexicon import lexicon

_EN = lexicon("labels")


def called(kind: str, code: str, otherwise: str | None = None) -> str:
    """Return the label of a code; without one, `otherwise` or the code itself."""
    return _EN.table(kind).get(code, code if otherwise is None else otherwise)


def part_of(count: Count) -> str:
    """Return the label of the part that ran an operation."""
    return called("nodes", count.node)


def operation_of(count: Count) -> str:
    """Return the label of an operation."""
    return called("operations", count.op).replace("_", " ")


def why(memory: Memory, ttl_days: int) -> str:
    """Return the reason why a memory is in the trash, in plain words."""
    reason = "merged" if memory.state is State.MERGED else memory.reason
    return called("trash_reasons", reason or "put there").format(ttl_days)
