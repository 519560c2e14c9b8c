"""A turn of a chat: the message, the two model calls, and the saved reply."""

from memapp.services.turn.prompt import prompt_context, reply_request
from memapp.services.turn.turns import confirm_answer, remark, resend_turn, retry_turn, take_turn

__all__ = [
    "confirm_answer",
    "prompt_context",
    "remark",
    "reply_request",
    "resend_turn",
    "retry_turn",
    "take_turn",
]
