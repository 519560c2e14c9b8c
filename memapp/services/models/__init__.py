"""The models: those on this machine, those to download, and the jobs each is trusted with."""

from memapp.services.models.selection import (
    MEMAPP,
    YOU,
    ModelChoice,
    chosen_name,
    default_file,
    is_default_choice,
    list_models,
    machine,
    missing_default,
    named,
    named_embedder,
    remote_host,
    search_terms,
    template_remark,
    use_model,
)
from memapp.services.models.trusted_jobs import key_of, may_do, may_review

__all__ = [
    "MEMAPP",
    "YOU",
    "ModelChoice",
    "chosen_name",
    "default_file",
    "is_default_choice",
    "key_of",
    "list_models",
    "machine",
    "may_do",
    "may_review",
    "missing_default",
    "named",
    "named_embedder",
    "remote_host",
    "search_terms",
    "template_remark",
    "use_model",
]
