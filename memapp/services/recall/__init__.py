"""Recall: the memories, messages and limits that bear on a text, without what is withheld."""

from memapp.services.recall.episodes import EPISODE, episodes_of, latest_episodes
from memapp.services.recall.limits import forgotten_limits, reminder, without_reminder
from memapp.services.recall.memory_list import what_is_known
from memapp.services.recall.memory_query import conversation_scope, find, news, query, scope
from memapp.services.recall.named_memories import Named, named, said_of
from memapp.services.recall.ordinary_sentences import (
    may_be_told,
    own_sentences,
    surely_ordinary,
    untouched,
)
from memapp.services.recall.quotations import Quoted, quotation
from memapp.services.recall.redaction import tellable, without_withheld, without_words_of_withheld
from memapp.services.recall.retrieval import (
    Retrieved,
    expectation,
    look_up,
    prefetched,
    shown,
    take_prefetched,
)
from memapp.services.recall.search import RecallRequest, recall
from memapp.services.recall.similar_memories import Near, near, same_as

__all__ = [
    "EPISODE",
    "Named",
    "Near",
    "Quoted",
    "RecallRequest",
    "Retrieved",
    "conversation_scope",
    "episodes_of",
    "expectation",
    "find",
    "forgotten_limits",
    "latest_episodes",
    "look_up",
    "may_be_told",
    "named",
    "near",
    "news",
    "own_sentences",
    "prefetched",
    "query",
    "quotation",
    "recall",
    "reminder",
    "said_of",
    "same_as",
    "scope",
    "shown",
    "surely_ordinary",
    "take_prefetched",
    "tellable",
    "untouched",
    "what_is_known",
    "without_reminder",
    "without_withheld",
    "without_words_of_withheld",
]
