"""The models: those on this machine, those to download, and the jobs each is trusted with."""

from memapp.services.models.selection import (
    MEMAPP,
    YOU,
    ModelChoice,
    chosen_model,
    default_model_file,
    describe_machine,
    find_embedder,
    is_default_choice,
    list_models,
    missing_default_model,
    remote_host,
    resolve_model,
    search_notice,
    template_remark,
    use_model,
)
from memapp.services.models.trusted_jobs import is_trusted_to_review, is_trusted_with, model_key

__all__ = [
    "MEMAPP",
    "YOU",
    "ModelChoice",
    "chosen_model",
    "default_model_file",
    "describe_machine",
    "find_embedder",
    "is_default_choice",
    "is_trusted_to_review",
    "is_trusted_with",
    "list_models",
    "missing_default_model",
    "model_key",
    "remote_host",
    "resolve_model",
    "search_notice",
    "template_remark",
    "use_model",
]
