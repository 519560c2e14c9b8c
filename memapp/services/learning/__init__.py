"""Learning: the sentences of a message that become memories, and memories that they correct.

`learn` reads one message of the queue in idle time, `propose_profile` its profile values at once;
`judged_sentences` tells why a sentence was kept or not.
"""

from memapp.services.learning.reader import (
    is_enough_for_today,
    judged_sentences,
    learn,
    propose_profile,
)
from memapp.services.learning.retraction import (
    memories_ended_by,
    restore_memories,
    retract_withdrawn,
    revert_answers,
    superseded_by,
    withdraw_messages,
)
from memapp.services.learning.sentence_storage import memory_from_message

__all__ = [
    "is_enough_for_today",
    "judged_sentences",
    "learn",
    "memories_ended_by",
    "memory_from_message",
    "propose_profile",
    "restore_memories",
    "retract_withdrawn",
    "revert_answers",
    "superseded_by",
    "withdraw_messages",
]
