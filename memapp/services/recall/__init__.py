"""Recall: the memories, messages and limits that bear on a text, without withheld ones.

`recall` searches, `retrieve` chooses for a reply, `quotations` quotes in place of a model, and
`answer_query` serves agents. `redact` removes pending, denied and withdrawn text.
"""

from memapp.services.recall.episodes import EPISODE, episodes_of, latest_episodes
from memapp.services.recall.limits import forgotten_limits, reminder, without_reminder
from memapp.services.recall.memory_list import known_about
from memapp.services.recall.memory_query import (
    agent_scope,
    answer_query,
    conversation_scope,
    recall_capped,
    take_news,
)
from memapp.services.recall.named_memories import SubjectMatch, match_subject, message_ids_about
from memapp.services.recall.ordinary_sentences import (
    is_tellable,
    own_sentences,
    surely_ordinary,
    unredacted,
)
from memapp.services.recall.quotations import QuotedAnswer, format_quotation
from memapp.services.recall.redaction import drop_withheld, redact, redact_withheld
from memapp.services.recall.retrieval import (
    Retrieved,
    idle_prefetch,
    memories_in_prompt,
    prediction_after,
    retrieve,
    take_typing_prefetch,
)
from memapp.services.recall.search import RecallRequest, recall
from memapp.services.recall.similar_memories import Neighbours, nearest_memories, same_memory_id

__all__ = [
    "EPISODE",
    "Neighbours",
    "QuotedAnswer",
    "RecallRequest",
    "Retrieved",
    "SubjectMatch",
    "agent_scope",
    "answer_query",
    "conversation_scope",
    "drop_withheld",
    "episodes_of",
    "forgotten_limits",
    "format_quotation",
    "idle_prefetch",
    "is_tellable",
    "known_about",
    "latest_episodes",
    "match_subject",
    "memories_in_prompt",
    "message_ids_about",
    "nearest_memories",
    "own_sentences",
    "prediction_after",
    "recall",
    "recall_capped",
    "redact",
    "redact_withheld",
    "reminder",
    "retrieve",
    "same_memory_id",
    "surely_ordinary",
    "take_news",
    "take_typing_prefetch",
    "unredacted",
    "without_reminder",
]
