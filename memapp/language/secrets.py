"""What passwords, keys and tokens are recognised by: the forms and names of `secrets.txt`, for
every door into the file.

A hint waits for it, so it is no lexicon: to read TOML takes longer than all that is read.
"""

import re
from functools import cache

from memapp.domain import secrets
from memapp.domain.secrets import MARK, SecretForm, SecretRules
from memapp.language.failures import lines


def without_secrets(text: str, *, in_command: bool = False) -> str:
    """Return a text with every secret replaced by three stars."""
    return secrets.without_secrets(text, secret_rules(), in_command=in_command)


def has_secret(text: str) -> bool:
    """Return True for a text with a secret, also if that was replaced before."""
    return re.search(rf"(?<![\w*]){re.escape(MARK)}(?![\w*])", text) is not None or bool(
        secrets.find_secrets(text, secret_rules())
    )


@cache
def secret_rules() -> SecretRules:
    """Return what secrets are recognised by; `{name}` in a form stands for the definition of that
    name above it.
    """
    defined: dict[str, str] = {}
    forms: list[SecretForm] = []
    for before, behind in lines("secrets"):
        pattern = re.sub(r"\{(\w+)\}", lambda match: defined.get(match[1], match[0]), behind)
        if before.endswith(":") and len(before) > 1:
            defined[before.rstrip(":")] = pattern
        else:
            forms.append(SecretForm(tuple(before.split()), pattern))
    return SecretRules(tuple(forms), defined["name"], frozenset(defined["pairs"].split()))
