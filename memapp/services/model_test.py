"""The test of a model: cases of each job, judged as the job judges its replies."""

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
from memapp.language.grounding import unsaid
from memapp.language.word_file import words_of
from memapp.paths import bundled
from memapp.prompts import council, respond, same_fact
from memapp.prompts import episodes as episode_words
from memapp.prompts import insights as insight_words
from memapp.prompts import third_person as distil_words
from memapp.prompts.context import PromptContext
from memapp.runtime import Runtime
from memapp.services.jobs import distil, episodes, insights
from memapp.services.models import model_key
from memapp.store import model_jobs as store

DAY = datetime(2026, 3, 3, 12, tzinfo=UTC)
REPLY_TOKENS = 80
TESTED: tuple[ModelJob, ...] = ("distil", "same fact", "insights", "episodes", "answers", *REVIEWS)


@dataclass(frozen=True, slots=True)
class Tested:
    """A case, with the reply of the model."""

    job: ModelJob
    asked: str
    said: str
    passed: bool


def test(
    runtime: Runtime, model: ChatModel, cancel: Cancel, jobs: Sequence[ModelJob] = TESTED
) -> Iterator[Tested]:
    """Put the cases of jobs to a model; store the results of each job that was completed.

    Raises `ModelError`.
    """
    for job in jobs:
        results: list[Tested] = []
        for case in _cases()[job.replace(" ", "_")]:
            tested = _test_case(runtime, model, job, case, cancel)
            if cancel.is_set():
                return
            results.append(tested)
            yield tested
        with runtime.write() as session:
            result = JobTest(sum(result.passed for result in results), len(results))
            store.save_tests(session, model_key(model), {job: result})


def _test_case(
    runtime: Runtime, model: ChatModel, job: ModelJob, case: dict[str, Any], cancel: Cancel
) -> Tested:
    reply = partial(whole_reply, model, cancel=cancel)
    match job:
        case "distil":
            text = distil_words.parse(
                reply(*distil_words.request(case["memory"], case.get("before", ())))
            )
            holds = distil.is_grounded(text, case["memory"], case.get("before", ())) and _has_words(
                text, case
            )
            return Tested(job, case["memory"], text, holds)
        case "same fact":
            (relation,) = same_fact.parse(reply(*same_fact.request([(case["a"], case["b"])])), 1)
            return Tested(job, f"{case['a']} | {case['b']}", relation or "", relation in case["is"])
        case "insights":
            lines, expected_lines = case["lines"], set(case["of"])
            conclusions = insight_words.parse(reply(*insight_words.request(lines)), len(lines))
            is_right = all(
                set(conclusion.evidence) <= expected_lines for conclusion in conclusions
            ) and bool(conclusions) == bool(expected_lines)
            cited_conclusions = [
                (conclusion.text, [lines[at - 1] for at in conclusion.evidence])
                for conclusion in conclusions
            ]
            holds = is_right and all(
                insights.is_grounded(text, cited) for text, cited in cited_conclusions
            )
            return Tested(
                job, " | ".join(lines), " | ".join(text for text, _ in cited_conclusions), holds
            )
        case "episodes":
            text = episode_words.parse(reply(*episode_words.request(case["said"], DAY.date())))
            holds = episodes.is_grounded(text, case["said"], DAY.date()) and _has_words(text, case)
            return Tested(job, " | ".join(case["said"]), text, holds)
        case "finds flaws" | "lets sound pass":
            message, answer = case["message"], case["answer"]
            text = reply(
                *council.review(
                    case["asks"], message, [f'- "{note}"' for note in case.get("notes", ())], answer
                )
            )
            is_flawed = council.parse(text, "", message, answer) is not None
            return Tested(job, answer, text, is_flawed == (job == "finds flaws"))
        case _:
            question, words = case["question"], words_of(case["question"])
            text = reply(*_answer_request(runtime, question, case["quotes"]))
            is_unknown = words.finds("questions", "unknown", text) is not None
            one_of = {**case, "says": ["|".join(case.get("says", ()))]}
            is_right = is_unknown == case.get("unknown", False) and _has_words(text, one_of)
            return Tested(
                job,
                question,
                text,
                is_right and not unsaid(text, [question, *case["quotes"]], words),
            )


def _answer_request(runtime: Runtime, question: str, quotes: Sequence[str]) -> Any:
    """Return the request for an answer about the person, as in a turn but without chance."""
    hits = [
        Recalled("memory", str(at), text, "", "", DAY, 1.0, "") for at, text in enumerate(quotes)
    ]
    context = PromptContext(runtime.persona("companion"), (), (), question)
    return respond.request(context, hits, reply_tokens=REPLY_TOKENS, temperature=0.0)


def _has_words(text: str, case: dict[str, Any]) -> bool:
    """Return True for a text with an alternative of each wanted word, and no forbidden word."""
    wanted, never = case.get("says", case.get("most", [])), case.get("never", [])
    plain = text.replace("’", "'")
    return all(re.search(rf"(?:{word})", plain, re.IGNORECASE) for word in wanted) and not any(
        re.search(rf"\b{word}\b", plain, re.IGNORECASE) for word in never
    )


@cache
def _cases() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(bundled("models", "test.toml").read_text("utf-8"))
