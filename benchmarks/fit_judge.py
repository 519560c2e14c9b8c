"""Fits the judge of statements (`memapp.language.judge`) to the labelled examples, and says how
well it judges others.

The examples stand in `benchmarks/made_up/statements/*.jsonl`, written for this project: what
somebody typed (`t`), its mood (`m`: told, unreal, quoted, task, talk), whether a friend would
remember it for months (`k`), whose it is (`w`: me, close, none) and the sensitive topic it touches
(`f`). Where one is not given, the example does not count for that question. Those in `gate_*.jsonl`
tell the sensitive from what only sounds like it; nearly all are meant and last, so only the topics
are fitted to them. Each figure is of a fifth of them that the fit did not see, and of
`sensitive_list.jsonl`, which it never sees.

The same examples make the same file, byte for byte, on the same processor and versions: the vectors
are rounded before anything is fitted to them, the linear algebra runs in one thread, the file holds
no date. Another processor adds up in another order, so a few of its last digits may differ there.

python -m benchmarks.fit_judge [--write | --check]
"""

import argparse
import io
import json
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from benchmarks import MADE_UP, MISSED, bundled_embedder
from memapp.language import judge
from memapp.paths import bundled

EXAMPLES = MADE_UP / "statements"
FITTED = bundled("assets", "language", "en", "judge.npz")
_TALKED = (
    "chat",
    "companion",
    "mocking",
    "on_the_day",
    "passing",
    "plain",
    "quietly",
    "talk2",
    "talked",
    "typed",
)
_COUNTED = {
    "by_the_way": 9,
    "task_talk": 9,
    "gate_clauses": 4,
    "gate_oblique": 4,
    "long_winded": 0,
    "voices": 3,
}
WEIGHTS = _COUNTED | dict.fromkeys(_TALKED, 3)
"""How much an example of a file counts: as people chat more than as one writes sentences for a
list, of which there are more. Those that count nothing tell only the likeness what is sensitive.
"""
LIST = MADE_UP / "sensitive_list.jsonl"
FIELDS = {
    "": "", "name": "preferred_name", "pronouns": "pronouns", "home": "city", "address": "address",
    "origin": "ethnicity", "age": "birth_date",
    "health": "health", "love": "relationship", "faith": "religion", "party": "politics",
    "money": "money", "law": "law",
    "contact": "contact", "secret": "secret",
}  # fmt: skip
"""The field of the profile for each topic of the examples."""
SMOOTHING = 0.03
WORDS_SMOOTHING = 10.0
"""Inverse strength of the regularisation over vector and features, and over words, chosen by the
unseen fifths.
"""
LIKENESS_SMOOTHING = 0.1
"""The same over the likeness to all examples."""
VECTOR_STEPS = 2**14
"""Vectors are rounded to these parts of 1: by more than one run differs from the next, by less than
the judge could tell.
"""
WORD_STEPS, LIKENESS_STEPS = 64, 128
"""What words and likeness count is kept in these parts of 1: finer, the file would be a tenth of a
megabyte larger.
"""
DIRECTIONS = 160
"""Of 384, in which the examples are kept: the nearest are as good in these, and the file is less
than half.
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    done = parser.add_mutually_exclusive_group()
    done.add_argument(
        "--write", action="store_true", help="write assets/language/en/judge.npz, and say nothing"
    )
    done.add_argument(
        "--check", action="store_true", help="say whether that file is what would be written"
    )
    options = parser.parse_args()
    rows = examples()
    listed = read(LIST)
    embedder = bundled_embedder()
    try:
        vectors, of_list = (
            _rounded(embedder.embed([row["t"] for row in some])) for some in (rows, listed)
        )
        model_id = embedder.model_id
    finally:
        embedder.close()
    with threadpool_limits(1):
        if options.write:
            FITTED.write_bytes(packed(fit(rows, vectors, model_id)))
        elif options.check:
            is_same = FITTED.read_bytes() == packed(fit(rows, vectors, model_id))
            print(
                "the file is what the examples make"
                if is_same
                else "the examples make another file"
            )
            return 0 if is_same else MISSED
        else:
            report_unseen(rows, vectors, model_id)
            report("list", listed, judged(fit(rows, vectors, model_id), listed, of_list))
    return 0


def examples() -> list[dict[str, Any]]:
    return [row for path in sorted(EXAMPLES.glob("*.jsonl")) for row in read(path)]


def packed(fitted: judge.Fitted) -> bytes:
    """Return a fit as a reproducible .npz file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(fitted):
            array = io.BytesIO()
            np.lib.format.write_array(array, fitted[name], allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy"), array.getvalue(), zipfile.ZIP_DEFLATED, 9
            )
    return file.getvalue()


def _rounded(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.round(vectors * VECTOR_STEPS) / VECTOR_STEPS, dtype=np.float32)


def _in_steps(weights: NDArray[np.float64], steps: int) -> NDArray[np.float16]:
    return np.asarray(
        np.round(weights.astype(np.float16).astype(np.float32) * steps) / steps, dtype=np.float16
    )


def read(path: Path) -> list[dict[str, Any]]:
    """Return labelled examples; kept ones are meant, others touch no topic.

    Those of the gate are not as people talk.
    """
    of_file = {"gate": path.stem.startswith("gate"), "weight": WEIGHTS.get(path.stem, 1)}
    return [_completed(json.loads(line)) | of_file for line in path.read_text("utf-8").splitlines()]


def _completed(row: dict[str, Any]) -> dict[str, Any]:
    mood = row.get("m", "told" if row.get("k") else "")
    is_told = mood in ("told", "")
    return (
        row
        | ({"m": mood} if mood else {})
        | ({"f": FIELDS[row["f"]] if is_told else ""} if "f" in row else {})
    )


def fit(
    rows: Sequence[dict[str, Any]], vectors: NDArray[np.float32], model_id: str
) -> dict[str, NDArray[Any]]:
    named = np.array([judge.features(row["t"]) for row in rows], dtype=np.float32)
    mean, deviation = named.mean(0), named.std(0) + 1e-6
    known = judge.inputs([row["t"] for row in rows], vectors, mean, deviation)
    lasting = np.array([0 if row["gate"] else 1 if row["k"] else -1 for row in rows], dtype=np.int8)
    weight = np.array([row["weight"] for row in rows])
    full = np.array(["f" in row for row in rows])
    talk, whose = (np.array([key in row and not row["gate"] for row in rows]) for key in "mw")
    labelled, talked, owned = (
        [row for row, item in zip(rows, there, strict=True) if item]
        for there in (full, talk, whose)
    )
    questions = [
        _regression().fit(known[lasting != 0], lasting[lasting != 0] == 1, weight[lasting != 0]),
        _regression().fit(known[talk], [row["m"] == "told" for row in talked], weight[talk]),
        _regression().fit(known[whose], [row["w"] == "close" for row in owned], weight[whose]),
    ]
    topics = _regression().fit(known[full], [row["f"] for row in labelled], weight[full])
    names = list(topics.classes_)
    worded, rarity = words_of(rows)
    words = [
        _over_words(worded[lasting != 0], lasting[lasting != 0] == 1, weight[lasting != 0]),
        _over_words(worded[talk], np.array([row["m"] == "told" for row in talked]), weight[talk]),
        _over_words(worded[full], np.array([bool(row["f"]) for row in labelled]), weight[full]),
    ]
    projection = np.linalg.svd(vectors, full_matrices=False)[2][:DIRECTIONS].T.astype(np.float16)
    kept = np.round(judge.projected(vectors, projection) * 127).astype(np.int8)
    sensitive = np.zeros(len(rows))
    sensitive[full], sensitive_bias = _over_likeness(
        kept[full], np.array([bool(row["f"]) for row in labelled])
    )
    return {
        "model_id": np.array(model_id),
        "mean": mean,
        "deviation": deviation,
        "questions": np.hstack([question.coef_.T for question in questions]).astype(np.float32),
        "questions_bias": np.hstack([question.intercept_ for question in questions]).astype(
            np.float32
        ),
        "topics": topics.coef_.T.astype(np.float32),
        "topics_bias": topics.intercept_.astype(np.float32),
        "topic_names": np.array(names),
        "words": _in_steps(np.vstack([weights for weights, _ in words]).T, WORD_STEPS),
        "words_bias": np.array([bias for _, bias in words], dtype=np.float32),
        "rarity": rarity.astype(np.float16),
        "projection": projection,
        "examples": kept,
        "sensitive": _in_steps(sensitive, LIKENESS_STEPS),
        "sensitive_bias": np.array(sensitive_bias, dtype=np.float32),
        "weight": weight.astype(np.float32),
        "lasting": lasting,
        "labels": np.array(
            [names.index(row["f"]) if "f" in row else len(names) for row in rows], dtype=np.uint8
        ),
    }


def words_of(rows: Sequence[dict[str, Any]]) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Return the words of each row by their rarity, of unit length, and the rarity of all words."""
    places = [judge.worded(row["t"]) for row in rows]
    ends = np.cumsum([0, *map(len, places)])
    there = csr_matrix(
        (np.ones(ends[-1]), np.concatenate(places), ends), shape=(len(rows), judge.BUCKETS)
    )
    rarity = np.log((1 + len(rows)) / (1 + there.sum(0).A1)) + 1
    return normalize(there.multiply(rarity).tocsr()), rarity


def _over_words(
    worded: csr_matrix, wanted: NDArray[np.bool_], weight: NDArray[np.int_]
) -> tuple[NDArray[np.float64], float]:
    """Return the weight of each word, and the bias beyond the share that is wanted, which the other
    regressions know too.
    """
    often = np.flatnonzero(
        worded.getnnz(0) > 1
    )  # what stands there once is of no other, and would double the file
    found = LogisticRegression(C=WORDS_SMOOTHING, max_iter=200).fit(
        worded[:, often], wanted, weight
    )
    weights = np.zeros(judge.BUCKETS)
    weights[often] = found.coef_[0]
    share = float(np.average(wanted, weights=weight))
    return weights, float(found.intercept_[0] - np.log(share / (1 - share)))


def _over_likeness(
    kept: NDArray[np.int8], wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], float]:
    """Return each example's weight for similar ones: the regression over similarities."""
    vectors = kept.astype(np.float32) / 127
    alike = judge.likeness(vectors @ vectors.T)
    alike[np.diag_indices_from(alike)] += LIKENESS_SMOOTHING
    target = np.where(wanted, 1, -1).astype(np.float32)
    bias = float(target.mean())
    return solve(alike, target - bias, assume_a="pos", overwrite_a=True, check_finite=False), bias


def _regression() -> LogisticRegression:
    return LogisticRegression(C=SMOOTHING, max_iter=400)


def judged(
    fitted: dict[str, NDArray[Any]], rows: Sequence[dict[str, Any]], vectors: NDArray[np.float32]
) -> list[judge.Judgement]:
    return judge.judge([row["t"] for row in rows], vectors, fitted)


def report_unseen(
    rows: Sequence[dict[str, Any]], vectors: NDArray[np.float32], model_id: str
) -> None:
    """Judge each fifth by a fit to the others."""
    fifth = np.random.default_rng(0).permutation(len(rows)) % 5
    found: list[Any] = [None] * len(rows)
    for part in range(5):
        unseen = np.flatnonzero(fifth == part)
        others = np.flatnonzero(fifth != part)
        fitted = fit([rows[at] for at in others], vectors[others], model_id)
        for at, judgement in zip(
            unseen, judged(fitted, [rows[at] for at in unseen], vectors[unseen]), strict=True
        ):
            found[at] = judgement
    report("unseen", rows, found)


def report(name: str, rows: Sequence[dict[str, Any]], found: Sequence[judge.Judgement]) -> None:
    if "k" in rows[0]:
        _line(
            f"{name}: lasts",
            np.array([row["k"] == 1 for row in rows]),
            np.array([judgement.lasts for judgement in found]),
        )
    full = [(row, judgement) for row, judgement in zip(rows, found, strict=True) if "f" in row]
    sensitive = np.array([bool(row["f"]) for row, _ in full])
    _line(f"{name}: sensitive", sensitive, np.array([judgement.sensitive for _, judgement in full]))
    _line(
        f"{name}: sensitive by topics",
        sensitive,
        np.array([judgement.all_topics for _, judgement in full]),
    )
    right = np.mean([judgement.topic == row["f"] for row, judgement in full if row["f"]])
    print(f"{name + ': its topic is right':32} {right:5.2f}")
    if "m" in rows[0]:
        meant, of_others = ([pair for pair in full if key in pair[0]] for key in "mw")
        _line(
            f"{name}: is meant",
            np.array([row["m"] == "told" for row, _ in meant]),
            np.array([judgement.is_meant for _, judgement in meant]),
        )
        is_close = np.array([row["w"] == "close" for row, _ in of_others])
        _line(
            f"{name}: is of others",
            is_close,
            np.array([judgement.is_of_others for _, judgement in of_others]),
        )


def _line(name: str, wanted: NDArray[np.bool_], sure: NDArray[np.float32]) -> None:
    shares = "  ".join(
        f">={least}: {np.mean(sure[wanted] >= least):.2f}/{np.mean(sure[~wanted] >= least):.2f}"
        for least in (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
    )
    print(f"{name:32} AUC {roc_auc_score(wanted, sure):.3f}   right/wrong at {shares}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
