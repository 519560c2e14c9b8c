"""The rules by which secrets are recognised: the forms and names of `secrets.txt`.

Every way into the memory file uses them. Not a lexicon: a hint waits for them, and parsing TOML
takes longer than everything else.
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
    """Return True for a text with a secret, replaced or not."""
    return re.search(rf"(?<![\w*]){re.escape(MARK)}(?![\w*])", text) is not None or bool(
        secrets.find_secrets(text, secret_rules())
    )


@cache
def secret_rules() -> SecretRules:
    """Return the rules; `{name}` in a form stands for the definition above with that name."""
    defined: dict[str, str] = {}
    forms: list[SecretForm] = []
    for before, behind in lines("secrets"):
        pattern = re.sub(r"\{(\w+)\}", lambda match: defined.get(match[1], match[0]), behind)
        if before.endswith(":") and len(before) > 1:
            defined[before.rstrip(":")] = pattern
        else:
            forms.append(SecretForm(tuple(before.split()), pattern))
    return SecretRules(tuple(forms), defined["name"], frozenset(defined["pairs"].split()))
