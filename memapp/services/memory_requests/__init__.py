"""Requests to the memory, such as “remember ...” and “forget ...”, carried out without a model."""

from memapp.services.memory_requests.refused_sentences import Refusals

__all__ = ["Refusals"]
