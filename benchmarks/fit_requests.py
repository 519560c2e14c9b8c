"""Fits the reader of requests (`memapp.language.english.request_kind`) to its examples, and says how well it reads others.

`made_up/requests/train.jsonl` and `dev.jsonl` hold requests and what only sounds like one: the text (`t`), the kind (`i`), what
it is about (`c`), and what else is said (`o`). Ordinary talk is that of `made_up/statements`. Each request is also fitted with
other words in place of what it is about, beside another sentence, and as somebody else's words, which makes it none. Each figure
is of a fifth that the fit did not see.

python -m benchmarks.fit_requests [--write]
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from benchmarks import MADE_UP, bundled_embedder
from benchmarks.requests import outcome
from memapp.language.english import request_kind
from memapp.language.english.memory_request import by_likeness, read_request
from memapp.paths import bundled

Row = dict[str, Any]
TALK = 8000
JOINED = 4000
"""So many texts of ordinary talk, and of several in a row."""
OTHERWISE = 3
"""So often a request is said again of something else."""
STATED = ("remember", "off", "mend")
"""Kinds that are about a statement; the others are about a thing."""
OF_OTHERS = ("my sister said: {}", "translate: {}", "he told me \"{}\"", "rewrite this: {}", "make this polite: {}",
    "a story in which somebody says {}", "my boss says {}", "what does \"{}\" mean", "in the film she says: {}")  # fmt: skip
FRAMING = 4
SMOOTHING, PLACES_SMOOTHING = 1.0, 0.3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write assets/language/en/requests.npz")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    rows = examples(random)
    embedder = bundled_embedder()
    try:
        vectors, model_id = embedder.embed([row["t"] for row in rows]), embedder.model_id
    finally:
        embedder.close()
    report(rows, vectors, model_id)
    if options.write:
        np.savez_compressed(bundled("assets", "language", "en", "requests.npz"), **fit(rows, vectors, model_id))
    return 0


def examples(random: np.random.Generator) -> list[Row]:
    """Return the examples and their variants, each with the fifth (`fold`) that it shares with these."""
    folder = MADE_UP / "requests"
    rows = [json.loads(line) for name in ("train", "dev") for line in (folder / f"{name}.jsonl").open(encoding="utf-8")]
    talk = sorted(
        {json.loads(line)["t"] for path in (MADE_UP / "statements").glob("*.jsonl") for line in path.open("r", encoding="utf-8")}
    )
    talk = [talk[at] for at in random.permutation(len(talk)) if not any(one in talk[at] for one in ("record", "keep", "note"))]
    rows = [row | {"fold": int(random.integers(5)), "own": True} for row in rows]
    more = [{"t": text, "i": "none", "c": "", "fold": int(random.integers(5)), "own": False} for text in talk[:TALK]]
    others = [row["t"] for row in rows if row["i"] == "none"]
    for _ in range(JOINED):  # who says much asks for no more than who says little
        said = [str(random.choice(others if random.random() < 0.5 else talk)) for _ in range(random.integers(2, 4))]
        more.append({"t": _joined(said), "i": "none", "c": "", "fold": int(random.integers(5)), "own": False})
    statements = [text.rstrip(".!") for text in talk if 3 <= len(text.split()) <= 14 and not set('?":') & set(text)]
    things = [row["c"] for row in rows if row["c"] and row["i"] not in STATED]
    for row in rows:
        if row["i"] == "none":
            continue
        for _ in range(OTHERWISE if row["c"] else 0):
            said = str(random.choice(statements if row["i"] in STATED else things))
            more.append(row | {"t": row["t"].replace(row["c"], said, 1), "c": said, "own": False})
        if random.random() < 0.4 and not row.get("o"):
            beside = str(random.choice(others if random.random() < 0.5 else statements))
            pair = [row["t"], beside] if random.random() < 0.5 else [beside, row["t"]]
            more.append(row | {"t": _joined(pair), "own": False})
        if random.random() < 0.3:
            more.append(row | {"t": str(random.choice(OF_OTHERS)).format(row["t"]), "i": "none", "c": "", "own": False})
    return rows + more


def _joined(texts: Sequence[str]) -> str:
    return " ".join(one if one[-1] in ".!?" else f"{one}." for one in texts)


def fit(rows: Sequence[Row], vectors: NDArray[np.float32], model_id: str) -> dict[str, NDArray[Any]]:
    words = normalize(there([request_kind.hashed(request_kind.words_of(row["t"])) for row in rows]))
    known = hstack([vectors * request_kind.VECTOR_SCALE, words * request_kind.WORDS_SCALE]).tocsr()
    found = LogisticRegression(C=SMOOTHING, max_iter=60, tol=1e-3).fit(known, [row["i"] for row in rows])
    size = vectors.shape[1]
    framing = framing_words(rows)
    places, wanted = _of_words([row for row in rows if row["i"] != "none"], framing)
    edges = [LogisticRegression(C=PLACES_SMOOTHING, max_iter=60, tol=1e-2).fit(places, one) for one in wanted.T]
    return {
        "model_id": np.array(model_id),
        "names": np.array(found.classes_),
        "vector": found.coef_[:, :size].T.astype(np.float32),
        "words": found.coef_[:, size:].T.astype(np.float16),
        "bias": found.intercept_.astype(np.float32),
        "framing": np.array(sorted(framing)),
        "places": np.vstack([one.coef_[0] for one in edges]).T.astype(np.float16),
        "places_bias": np.array([one.intercept_[0] for one in edges], dtype=np.float32),
    }


def framing_words(rows: Sequence[Row]) -> frozenset[str]:
    """Return the words that are said of several requests, and not only of what they are about."""
    counts: Counter[str] = Counter()
    for row in rows:
        if row["own"] and row["i"] != "none":
            text = row["t"].replace(row["c"], " ", 1) if row["c"] else row["t"]
            counts.update({text[slice(*one)].casefold() for one in request_kind.pieces(text)})
    return frozenset(word for word, times in counts.items() if times >= FRAMING)


def _of_words(rows: Sequence[Row], framing: frozenset[str]) -> tuple[csr_matrix, NDArray[np.bool_]]:
    """Return the surroundings of each word, and whether it is of what the request is about, begins it, ends it."""
    places, wanted = [], []
    for row in rows:
        said, start = request_kind.pieces(row["t"]), row["t"].find(row["c"])
        end = start + len(row["c"])
        inside = [bool(row["c"]) and start <= one[0] < end for one in said]
        places += request_kind.around([row["t"][slice(*one)] for one in said], row["i"], framing)
        wanted += [
            (here, here and not (at and inside[at - 1]), here and not any(inside[at + 1 : at + 2]))
            for at, here in enumerate(inside)
        ]
    return there(places), np.array(wanted)


def there(places: Sequence[Sequence[int]]) -> csr_matrix:
    """Return a row for each of some texts, with a 1 where its features stand among those that are fitted."""
    ends = np.cumsum([0, *map(len, places)])
    return csr_matrix((np.ones(ends[-1]), np.concatenate(places), ends), shape=(len(places), request_kind.PLACES))


def report(rows: Sequence[Row], vectors: NDArray[np.float32], model_id: str) -> None:
    """Read each fifth by a fit to the others; the forms were written for some of these, so they do better here than elsewhere."""
    folds = np.array([row["fold"] for row in rows])
    read = ("forms alone", "forms and likeness")
    counts: dict[str, Counter[str]] = {name: Counter() for name in read}
    for fold in range(5):
        others = np.flatnonzero(folds != fold)
        fitted = fit([rows[at] for at in others], vectors[others], model_id)
        for at in np.flatnonzero(folds == fold):
            row = rows[at]
            if row["own"] or row["i"] == "none":
                plain = read_request(row["t"])
                for name, found in zip(read, (plain, plain or by_likeness(row["t"], vectors[at], fitted)), strict=True):
                    counts[name][f"{outcome(row, found)}{'' if row['own'] else ', talk'}"] += 1
    for name, of_name in counts.items():
        print(name, dict(sorted(of_name.items())))


if __name__ == "__main__":
    sys.exit(main())
