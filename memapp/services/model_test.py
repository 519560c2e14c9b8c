"""The test of a model: cases of each job that it may be trusted with, put to it and judged as the
job does.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from memapp.domain.memory import Recalled
from memapp.domain.model_jobs import REVIEWS, JobTest, ModelJob
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.held import unsaid
from memapp.language.word_file import words_of
from memapp.paths import bundled
from memapp.prompts import council, respond, same_fact
from memapp.prompts import distil as distil_words
from memapp.prompts import episodes as episode_words
from memapp.prompts import insights as insight_words
from memapp.prompts.context import PromptContext
from memapp.runtime import Runtime
from memapp.services import distil, episodes, insights
from memapp.services.model_jobs import key_of
from memapp.store import model_jobs as store

DAY = datetime(2026, 3, 3, 12, tzinfo=UTC)
REPLY_TOKENS = 80
TESTED: tuple[ModelJob, ...] = ("distil", "same fact", "insights", "episodes", "answers", *REVIEWS)


@dataclass(frozen=True, slots=True)
class Tested:
    """One case, with what the model said to it."""

    job: ModelJob
    asked: str
    said: str
    passed: bool


def test(
    runtime: Runtime, model: ChatModel, cancel: Cancel, jobs: Sequence[ModelJob] = TESTED
) -> Iterator[Tested]:
    """Put the cases of some jobs to a model, and keep the results of each job that came to its end.
    Raises `ModelError`.
    """
    for job in jobs:
        made: list[Tested] = []
        for case in _cases()[job.replace(" ", "_")]:
            one = _put(runtime, model, job, case, cancel)
            if cancel.is_set():
                return
            made.append(one)
            yield one
        with runtime.write() as session:
            result = JobTest(sum(result.passed for result in made), len(made))
            store.save_tests(session, key_of(model), {job: result})


def _put(
    runtime: Runtime, model: ChatModel, job: ModelJob, case: dict[str, Any], cancel: Cancel
) -> Tested:
    said = partial(whole_reply, model, cancel=cancel)
    match job:
        case "distil":
            text = distil_words.parse(
                said(*distil_words.request(case["memory"], case.get("before", ())))
            )
            holds = distil.is_grounded(text, case["memory"], case.get("before", ())) and _says(
                text, case
            )
            return Tested(job, case["memory"], text, holds)
        case "same fact":
            (relation,) = same_fact.parse(said(*same_fact.request([(case["a"], case["b"])])), 1)
            return Tested(job, f"{case['a']} | {case['b']}", relation or "", relation in case["is"])
        case "insights":
            lines, of = case["lines"], set(case["of"])
            found = insight_words.parse(said(*insight_words.request(lines)), len(lines))
            is_right = all(set(conclusion.evidence) <= of for conclusion in found) and bool(
                found
            ) == bool(of)
            told = [
                (conclusion.text, [lines[at - 1] for at in conclusion.evidence])
                for conclusion in found
            ]
            holds = is_right and all(insights.is_grounded(text, cited) for text, cited in told)
            return Tested(job, " | ".join(lines), " | ".join(text for text, _ in told), holds)
        case "episodes":
            text = episode_words.parse(said(*episode_words.request(case["said"], DAY.date())))
            holds = episodes.is_grounded(text, case["said"], DAY.date()) and _says(text, case)
            return Tested(job, " | ".join(case["said"]), text, holds)
        case "finds flaws" | "lets sound pass":
            message, answer = case["message"], case["answer"]
            text = said(
                *council.review(
                    case["asks"], message, [f'- "{item}"' for item in case.get("notes", ())], answer
                )
            )
            is_flawed = council.parse(text, "", message, answer) is not None
            return Tested(job, answer, text, is_flawed == (job == "finds flaws"))
        case _:
            question, words = case["question"], words_of(case["question"])
            text = said(*_answer_request(runtime, question, case["quotes"]))
            is_unknown = words.finds("questions", "unknown", text) is not None
            one_of = {**case, "says": ["|".join(case.get("says", ()))]}
            is_right = is_unknown == case.get("unknown", False) and _says(text, one_of)
            return Tested(
                job,
                question,
                text,
                is_right and not unsaid(text, [question, *case["quotes"]], words),
            )


def _answer_request(runtime: Runtime, question: str, quotes: Sequence[str]) -> Any:
    """Ask as a turn asks for an answer to a question about the person, but always for the likeliest
    word.
    """
    hits = [
        Recalled("memory", str(at), text, "", "", DAY, 1.0, "") for at, text in enumerate(quotes)
    ]
    context = PromptContext(runtime.persona("companion"), (), (), question)
    return respond.request(context, hits, reply_tokens=REPLY_TOKENS, temperature=0.0)


def _says(text: str, case: dict[str, Any]) -> bool:
    """Return True for a text with one alternative of each of the words that it must have, and none
    of those it must not.
    """
    wanted, never = case.get("says", case.get("most", [])), case.get("never", [])
    plain = text.replace("’", "'")
    return all(re.search(rf"(?:{item})", plain, re.IGNORECASE) for item in wanted) and not any(
        re.search(rf"\b{item}\b", plain, re.IGNORECASE) for item in never
    )


@cache
def _cases() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(bundled("models", "test.toml").read_text("utf-8"))
