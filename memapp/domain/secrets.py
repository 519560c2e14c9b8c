"""Secrets in a text: passwords, keys and tokens, found by names, by forms and by randomness."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

MARK = "***"
_RUN = re.compile(
    r"(?<!\d\.)(?<![\w/@%\\*+~-])[A-Za-z0-9][\w+~-]{7,}=*(?![\w/\\*]|\.(?:\d|[a-z]{1,4}\b))",
    re.ASCII,
)
"""A run of letters and digits, outside of paths, addresses and file names, that may be a secret."""
_HASH = re.compile(
    r"(?:0x|[A-Za-z]{1,9}[-_=])?[0-9a-fA-F-]*|[0-7][0-9A-HJKMNP-TV-Z]{25}|(?:sha|md)\d+[-=:]?.*"
)
"""A number, commit, UUID, ULID or checksum, perhaps behind a word: random, but only secret beside a
name.
"""
_NICKNAME = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)\d+")
"""A word followed by a number."""
_LABEL = re.compile(r"[A-Z0-9+~_-]{0,24}")
"""A short run without lower-case letters, as of orders, parcels and devices: only secret beside a
name.
"""
_OPTION = re.compile(r"\s-[A-Za-z]{1,3}[\s=]*['\"]?$")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_LONG, _NAMED_LONG = 10, 32
"""The length from which a random run is secret anywhere, and a hexadecimal one beside a name."""
_LEAST_PIECE = 6
"""The shortest piece without a sign of a secret; `x86_64-pc-linux-gnu` is a name."""
_BEFORE, _BEHIND = 48, 24
"""How near a name must be, in characters of the same line."""
_FEW, _NAMED_FEW = 0.42, 0.55
"""The share of common letter pairs below which a run is random; .95 of random runs are below .42.
"""


class SecretForm(NamedTuple):
    """A form that secrets have."""

    signs: tuple[str, ...]
    """One of these, in lower case, is in a text with such a secret; empty if nothing is."""
    pattern: str
    """A regular expression. Only the group `secret`, or `odd` if no plain word, is secret; else
    all.
    """


class SecretRules(NamedTuple):
    """The rules by which secrets are recognised."""

    forms: tuple[SecretForm, ...]
    name: str
    """A regular expression for a name that makes the text beside it secret."""
    pairs: frozenset[str]
    """Letter pairs that are common in words."""


def without_secrets(text: str, rules: SecretRules, *, in_command: bool = False) -> str:
    """Return a text with every secret replaced by three stars."""
    parts, at = [], 0
    for start, end in find_secrets(text, rules, in_command=in_command):
        parts += [text[at:start], MARK]
        at = end
    return "".join([*parts, text[at:]])


def find_secrets(
    text: str, rules: SecretRules, *, in_command: bool = False
) -> list[tuple[int, int]]:
    """Return the spans of the secrets in a text, in order, without overlaps.

    In a command, a run like the number of an order or a part is secret too: many programs take a
    secret as the last word.
    """
    apart: list[tuple[int, int]] = []
    for start, end in sorted(
        {*_of_forms(text, rules), *_random_runs(text, rules, in_command=in_command)}
    ):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def _of_forms(text: str, rules: SecretRules) -> Iterator[tuple[int, int]]:
    folded = text.casefold()
    for signs, pattern in rules.forms:
        if signs and not any(sign in folded for sign in signs):
            continue
        for match in re.finditer(pattern, text):
            groups = match.re.groupindex
            if "odd" not in groups or _is_odd(match["odd"], rules):
                yield match.span(
                    "odd" if "odd" in groups else "secret" if "secret" in groups else 0
                )


def _is_odd(value: str, rules: SecretRules) -> bool:
    """Return True for a value with a digit, a sign or inner capitals, or that looks random."""
    bare = value.strip("'\"")
    if len(bare) < _LEAST_PIECE:
        return False
    has_both = re.search(r"[^\W\d_]", bare) and re.search(r"[\d!@#$%^&*?+~]", bare)
    return _share_of_pairs(bare, rules) < _NAMED_FEW or bool(
        has_both and not _ATTRIBUTE.fullmatch(bare)
    )


def _random_runs(text: str, rules: SecretRules, *, in_command: bool) -> Iterator[tuple[int, int]]:
    for match in _RUN.finditer(text):
        run, (start, end) = match[0], match.span()
        is_hash = _HASH.fullmatch(run)
        if is_hash and (len(run) < _NAMED_LONG or run.isdigit() or "-" in run):
            continue
        share = 0.0 if is_hash else _share_of_pairs(run, rules)
        if share >= _NAMED_FEW:
            continue
        before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
        behind = text[end : end + _BEHIND].partition("\n")[0]
        is_named = re.search(rules.name, before) or re.search(rules.name, behind)
        is_link = re.search(r"(?:://|\w\.[a-z]{2,}/)\S*$", before)
        by_chance = share < _FEW and len(run) >= _LONG and (in_command or not _LABEL.fullmatch(run))
        if is_named or (not (is_hash or is_link) and (_OPTION.search(before) or by_chance)):
            yield start, end


def _share_of_pairs(run: str, rules: SecretRules) -> float:
    """Return the share of common letter pairs in a run; 1 for a plain word or small pieces.

    Hexadecimal pieces do not count: programs use them in names.
    """
    pieces = [piece for piece in re.split("[-_+~=]", run) if not _HASH.fullmatch(piece)]
    run = "-".join(pieces)
    is_mixed = (re.search(r"\d", run) and re.search("[A-Za-z]", run)) or re.search(
        "[a-z][A-Z]", run
    )
    if not is_mixed or _NICKNAME.fullmatch(run) or max(map(len, pieces), default=0) < _LEAST_PIECE:
        return 1.0
    beside = [a + b for a, b in pairwise(run) if a.isalnum() and b.isalnum()]
    common = sum(
        pair.isdigit()
        or (pair.lower() in rules.pairs and not (pair[0].islower() and pair[1].isupper()))
        for pair in beside
    )
    return common / len(beside)
