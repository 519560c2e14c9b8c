"""Which memories are related to one, for whoever walks from fact to fact."""

from memapp.domain.relation import Related
from memapp.runtime import Runtime
from memapp.store import relations


def related(runtime: Runtime, memory_id: str) -> list[Related]:
    """Return the live memories that one is related to, the strongest relation first."""
    return relations.related(runtime.read(), memory_id)
