"""Fits which topics of a chat say something by themselves (`memapp.language.english.topics`), and says how well that is known.

The examples are phrases written for this project, `made_up/topics.toml`. The figures are of fifths that the fit did not see.

python -m benchmarks.fit_topics [--write]
"""

import argparse
import sys
import tomllib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from benchmarks import MADE_UP, bundled_embedder
from memapp.language.english.topics import bare
from memapp.paths import bundled

EXAMPLES = MADE_UP / "topics.toml"
SMOOTHING = 3.6
"""Inverse strength of the regularisation, chosen by the unseen fifths."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write assets/language/en/topics.npz")
    options = parser.parse_args()
    texts, wanted = examples()
    embedder = bundled_embedder()
    try:
        vectors, model_id = embedder.embed([bare(one) for one in texts]), embedder.model_id
    finally:
        embedder.close()
    report(vectors, wanted)
    if options.write:
        np.savez_compressed(bundled("assets", "language", "en", "topics.npz"), **fit(vectors, wanted, model_id))
    return 0


def examples() -> tuple[list[str], NDArray[np.bool_]]:
    """Return the topics, and of each whether it says something."""
    with EXAMPLES.open("rb") as file:
        listed = tomllib.load(file)
    told, vague = ([one.strip() for one in listed[name].split(";")] for name in ("recognised", "vague"))
    return [*told, *vague], np.array([True] * len(told) + [False] * len(vague))


def fit(vectors: NDArray[np.float32], wanted: NDArray[np.bool_], model_id: str) -> dict[str, NDArray[Any]]:
    found = _regression().fit(vectors, wanted)
    weights, bias = found.coef_[0].astype(np.float32), found.intercept_[0].astype(np.float32)
    return {"model_id": np.array(model_id), "weights": weights, "bias": bias}


def report(vectors: NDArray[np.float32], wanted: NDArray[np.bool_]) -> None:
    order = np.random.default_rng(0).permutation(len(wanted))
    sure = cross_val_predict(_regression(), vectors[order], wanted[order], cv=5, method="predict_proba")[:, 1]
    kept, passed = np.mean(sure[wanted[order]] > 0.5), np.mean(sure[~wanted[order]] > 0.5)
    print(f"{len(wanted)} topics, unseen: told apart {roc_auc_score(wanted[order], sure):.3f}", end="")
    print(f"; of those that say something {kept:.2f} are kept, of the others {passed:.2f}")


def _regression() -> LogisticRegression:
    return LogisticRegression(C=SMOOTHING, max_iter=2000)


if __name__ == "__main__":
    sys.exit(main())
