"""Learning: the sentences of a message that become memories, and memories that they correct."""

from memapp.services.learning.retraction import (
    ended_by,
    gave_way,
    restore,
    retract_unsaid,
    revert_answers,
    unsay,
)
from memapp.services.learning.sentence_storage import memory_of

__all__ = [
    "ended_by",
    "gave_way",
    "memory_of",
    "restore",
    "retract_unsaid",
    "revert_answers",
    "unsay",
]
