"""What is known of the person's own job, workplace or hobbies, found by what facts are about, whatever their words."""

from collections.abc import Sequence

import numpy as np

from memapp.domain.memory import Recalled
from memapp.language.english.answering_sentence import (
    has_job,
    is_over,
    may_tell_job,
    names_workplace,
    says_kind,
    says_workplace,
)
from memapp.language.english.memory_question import EN, MemoryQuestion, kind_of_life
from memapp.language.english.second_person import answered
from memapp.language.english.statements import in_third_person
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.query import conversation_scope
from memapp.services.quoted import ToldLine
from memapp.store import memories

KINDS = {"job": 1, "hobby": 4}
"""What is known so, and how many facts of it are told."""
AMONG = 300
"""So many facts, the pinned and important ones first, are looked through."""
NEARLY = 0.12
"""So much less like what is asked for than the likest may a fact be."""
OF_KIND = 0.38
"""How like the examples of a kind a fact of that kind is."""
OF_WORKPLACE, NEARLY_OF_KIND = 0.3, 0.1
"""The same of a fact that names where people work; and so much more may it be like examples of another kind."""


def known_of_kind(runtime: Runtime, question: MemoryQuestion) -> tuple[list[ToldLine], bool]:
    """Return what is known of the kind that a question asks for, and whether that is sure; of jobs the last one told."""
    kind = kind_of_life(question)
    if kind not in KINDS:
        return [], False
    facts = memories.in_scope(runtime.read(), conversation_scope(runtime), AMONG)
    facts = [one for one in facts if (may_tell_job(one.text) if kind == "job" else _is_of_self(one.text))]
    rated = of_kind(runtime, kind, [one.text for one in facts])
    found = [(one, like, is_sure) for one, (like, is_sure) in zip(facts, rated, strict=True) if like]
    if question.wants == "place":
        found = [one for one in found if says_workplace(one[0].text)]
    sure = [one for one in found if one[2]]
    if kind != "job" or not sure:  # a job that is over is left out anyhow
        found = [one for one in found if one[1] >= max(like for _, like, _ in found) - NEARLY]
    found = [one for one in found if not sure or one[2]]
    newest = sorted(found, key=lambda one: one[0].updated_at, reverse=True)[: KINDS[kind]]
    hits = [(Recalled.of(one, like, f"about: {kind}", one.updated_at), like) for one, like, _ in newest]
    return [ToldLine(hit, answered(hit.text), like) for hit, like in hits], bool(sure)


def _is_of_self(fact: str) -> bool:
    told = in_third_person(fact)
    return "User " in told and not told.startswith("User's") and not is_over(told)


def of_kind(runtime: Runtime, kind: str, facts: Sequence[str]) -> list[tuple[float, bool]]:
    """Return how near each fact is to what is asked for, a job or a hobby, 0 if not about it; and whether that is sure."""
    examples = [(name, one) for name, listed in EN.table("kinds").items() for one in listed]
    rows = embedded(runtime, [*(one for _, one in examples), *facts]) if facts else None
    if rows is None:
        return [(float(says_kind(kind, one)), True) for one in facts]
    alike = rows[len(examples) :] @ rows[: len(examples)].T  # of the likest two: one alone may share only a word
    kinds = np.array([name for name, _ in examples])
    likest = {name: np.sort(alike[:, kinds == name], axis=1)[:, -2:].mean(axis=1) for name in set(kinds)}
    other = np.max([likest[name] for name in likest if name != kind], axis=0)
    return [_rated(kind, *one) for one in zip(facts, map(float, likest[kind]), map(float, other), strict=True)]


def _rated(kind: str, fact: str, like: float, other: float) -> tuple[float, bool]:
    if says_kind(kind, fact):
        return max(like, OF_KIND), True
    is_in_place = kind == "job" and names_workplace(fact)
    if like < (OF_WORKPLACE if is_in_place else OF_KIND) or like < other - (NEARLY_OF_KIND if is_in_place else 0.0):
        return 0.0, False
    return like, kind != "job" or (like >= other and (is_in_place or has_job(fact)))
