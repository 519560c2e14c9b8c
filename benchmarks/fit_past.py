"""Fits the reader of questions for what was said before (`memapp.language.english.past_asked`) to its examples.

Each figure is of a fifth of `made_up/asked_of_past.jsonl` that the fit did not see. Ordinary talk of `made_up/statements`, which
asks for nothing, is fitted as well.

python -m benchmarks.fit_past [--write]
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from benchmarks import MADE_UP, bundled_embedder
from benchmarks.fit_requests import there
from memapp.language.english import request_kind
from memapp.language.english.past_asked import SURE
from memapp.paths import bundled

TALK = 4000
BEHIND = 0.7
"""The share of the examples that are fitted behind a sentence of talk as well."""
SMOOTHING = 0.3
"""Inverse strength of the regularisation, chosen by the unseen fifths."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write assets/language/en/past.npz")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    rows = [json.loads(line) for line in (MADE_UP / "asked_of_past.jsonl").open(encoding="utf-8")]
    folder = MADE_UP / "statements"
    talk = sorted({json.loads(line)["t"] for path in folder.glob("*.jsonl") for line in path.open("r", encoding="utf-8")})
    talk = [text for text in random.permutation(talk)[:TALK].tolist() if not text.rstrip().endswith("?")]
    texts, kinds = [*(row["t"] for row in rows), *talk], [*(row["k"] for row in rows), *["no"] * len(talk)]
    fifths = random.integers(5, size=len(texts))
    behind = random.permutation(len(rows))[: int(len(rows) * BEHIND)]  # what is asked behind something else is asked all the same
    texts += [f"{_ended(talk[at])} {rows[at]['t']}" for at in behind]
    kinds += [rows[at]["k"] for at in behind]
    fifths = np.concatenate([fifths, fifths[behind]])
    embedder = bundled_embedder()
    try:
        vectors, model_id = embedder.embed(texts), embedder.model_id
    finally:
        embedder.close()
    report(texts, kinds, vectors, fifths, len(rows))
    if options.write:
        found = fit(texts, kinds, vectors) | {"model_id": np.array(model_id)}
        np.savez_compressed(bundled("assets", "language", "en", "past.npz"), **found)  # type: ignore[arg-type]
    return 0


def _ended(sentence: str) -> str:
    return sentence if sentence[-1] in ".!?" else f"{sentence}."


def fit(texts: Sequence[str], kinds: Sequence[str], vectors: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    found = LogisticRegression(C=SMOOTHING, max_iter=100, tol=1e-3).fit(inputs(texts, vectors), kinds)
    size = vectors.shape[1]
    return {
        "names": np.array(found.classes_),
        "vector": found.coef_[:, :size].T.astype(np.float32),
        "words": found.coef_[:, size:].T.astype(np.float16),
        "bias": found.intercept_.astype(np.float32),
    }


def inputs(texts: Sequence[str], vectors: NDArray[np.float32]) -> csr_matrix:
    words = normalize(there([request_kind.hashed(request_kind.words_of(text)) for text in texts]))
    return hstack([vectors * request_kind.VECTOR_SCALE, words * request_kind.WORDS_SCALE]).tocsr()


def report(texts: Sequence[str], kinds: Sequence[str], vectors: NDArray[np.float32], fifths: NDArray[np.int64], own: int) -> None:
    """Print how often each kind is known, and how often something else is taken for it."""
    right: dict[str, list[bool]] = {}
    for fifth in range(5):
        seen = fifths != fifth
        by = fit([texts[at] for at in np.flatnonzero(seen)], [kinds[at] for at in np.flatnonzero(seen)], vectors[seen])
        for at in np.flatnonzero(~seen):
            sure = request_kind.kinds(texts[at], vectors[at], by)
            asked = max(("told", "said"), key=sure.__getitem__) if sure["told"] + sure["said"] >= SURE else "no"
            right.setdefault(kinds[at] if at < own else "beside", []).append(asked == kinds[at])
    for kind, ones in sorted(right.items()):
        print(f"{kind:6}{len(ones):6}{sum(ones) / len(ones):8.3f} right")


if __name__ == "__main__":
    sys.exit(main())
