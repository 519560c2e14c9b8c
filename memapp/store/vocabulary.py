"""The small tables of allowed values, each with the type that has the same values in the code."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, get_args

from memapp.domain.changes import ActorKind, ChangeEvent, Event
from memapp.domain.chat import MessageStatus, Origin, Role
from memapp.domain.consent import Decider, RequestState
from memapp.domain.learning_queue import QueueState
from memapp.domain.lessons.feedback import Channel
from memapp.domain.lessons.lesson import (
    ActivationPoint,
    LessonLevel,
    LessonOrigin,
    LessonStatus,
    RefereeKind,
    RunClient,
)
from memapp.domain.memory import Kind, MemoryOrigin, OwnerKind, State, TrashReason
from memapp.domain.prediction import Source
from memapp.domain.relation import RelationType
from memapp.domain.trust import Choice
from memapp.domain.trust import Role as AgentRole
from memapp.store.events import EventStatus, Node
from memapp.store.forget.purge_jobs import PurgeKind

VOCABULARY: Mapping[str, Any] = {
    "activation_points": ActivationPoint,
    "actors": ActorKind,
    "agent_roles": AgentRole,
    "change_events": ChangeEvent,
    "deciders": Decider,
    "error_channels": Channel,
    "event_nodes": Node,
    "event_statuses": EventStatus,
    "history_events": Event,
    "lesson_levels": LessonLevel,
    "lesson_origins": LessonOrigin,
    "lesson_statuses": LessonStatus,
    "memory_kinds": Kind,
    "memory_origins": MemoryOrigin,
    "memory_states": State,
    "message_origins": Origin,
    "message_roles": Role,
    "message_statuses": MessageStatus,
    "owner_kinds": OwnerKind,
    "request_states": RequestState,
    "prediction_sources": Source,
    "purge_kinds": PurgeKind,
    "referees": RefereeKind,
    "relation_types": RelationType,
    "round_choices": Choice,
    "run_clients": RunClient,
    "surprise_states": QueueState,
    "trash_reasons": TrashReason,
}
"""A new value is a line in its type and an INSERT in the next migration; a test compares the two.
"""


def words_of(kind: Any) -> set[str]:
    """Return the values of an enumeration or a `Literal`."""
    return (
        {str(member) for member in kind}
        if isinstance(kind, type) and issubclass(kind, StrEnum)
        else set(get_args(kind))
    )
