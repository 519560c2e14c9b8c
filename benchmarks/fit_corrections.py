"""Fits the classifier of `memapp.language.corrections`, measured on unseen pairs.

`made_up/corrections` holds what was said and what corrects it, and look-alikes that do not. Besides
these, what people said in one chat after another thing (`made_up/strangers`) corrects that next to
never, and neither does what somebody else tells of much the same (`parallel`, the likest statements
of `made_up/statements`): it could stand beside it. What a sentence alone tells is fitted first; the
regression over pairs is fitted to what it says of sentences that it did not see. The figures are of
pairs that neither saw.

python -m benchmarks.fit_corrections [--write]
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks import MADE_UP, bundled_embedder
from memapp.language.corrections import Regression, Regressions, likelihoods, pair_numbers
from memapp.language.grammar import sentences
from memapp.language.sentence import corrects, without_mark
from memapp.language.word_file import words
from memapp.paths import bundled

FITTED = {
    True: ("dev", "spoken_dev", "free"),
    False: ("lookalikes_dev", "spoken_lookalikes_dev", "free_lookalikes"),
}
UNSEEN = {
    True: ("test", "spoken_test", "spoken_later", "free_later"),
    False: (
        "lookalikes_test",
        "spoken_lookalikes_test",
        "spoken_lookalikes_later",
        "free_lookalikes_later",
    ),
}
CHATS, UNSEEN_CHATS = range(1, 9), range(9, 11)
EVERY, ANOTHER = 5, 2
"""Every fifth lasting statement may stand beside what was said; others, from the third on, beside
what is not fitted.
"""
MOST_ALIKE, PARALLEL = 0.85, 2
"""So many statements that say something alike but no more than that, for each thing that was said.
"""
SMOOTHING = 3.0
FOLDS = 5
SENTENCE_DIGITS, PAIR_DIGITS = 2, 2
AT = (0.2, 0.3, 0.4, 0.5, 0.8)
Floats = NDArray[np.floating[Any]]


class Pair(NamedTuple):
    """A statement, and the first sentence after it."""

    old: str
    new: str
    corrects: bool
    source: str


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--write", action="store_true", help="write assets/language/corrections.json"
    )
    options = parser.parse_args()
    seen, unseen = [*labelled(FITTED)], [*labelled(UNSEEN)]
    beside, beside_unseen = lasting()[::EVERY], lasting()[ANOTHER::EVERY]
    chats, unseen_chats = [*neighbours(CHATS)], [*neighbours(UNSEEN_CHATS)]
    embedder = bundled_embedder()
    try:
        said = {
            text
            for pair in (*seen, *unseen, *chats, *unseen_chats)
            for text in (pair.old, pair.new)
        }
        texts = sorted(
            {form for text in (*said, *beside, *beside_unseen) for form in (text, bare(text))}
        )
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    finally:
        embedder.close()
    seen += [*chats, *parallel(seen, beside, vectors)]
    unseen += [*unseen_chats, *parallel(unseen, beside_unseen, vectors)]
    found = fit(seen, vectors)
    report(unseen, vectors, found)
    if options.write:
        write(found)
    return 0


def labelled(parts: dict[bool, Sequence[str]]) -> Iterator[Pair]:
    for is_correction, names in parts.items():
        for name in names:
            for line in (MADE_UP / "corrections" / f"{name}.jsonl").open(encoding="utf-8"):
                turns = json.loads(line)["turns"]
                yield Pair(turns[0], sentences(turns[-1])[0], is_correction, name)


def neighbours(people: Sequence[int]) -> Iterator[Pair]:
    """Yield the messages of each chat, each beside the next sentence."""
    for number in people:
        for chat in re.split(
            r"^## .*$",
            (MADE_UP / "strangers" / f"{number:02}.md").read_text("utf-8"),
            flags=re.MULTILINE,
        ):
            said = [sentences(text) for text in re.findall(r"^> (.+)$", chat, re.MULTILINE)]
            for old, new in pairwise(filter(None, said)):
                yield Pair(old[0], new[0], False, "strangers")


def lasting() -> list[str]:
    rows = (
        json.loads(line)
        for path in (MADE_UP / "statements").glob("*.jsonl")
        for line in path.open(encoding="utf-8")
    )
    return sorted({row["t"] for row in rows if row["k"]})


def parallel(
    pairs: Sequence[Pair], statements: Sequence[str], vectors: Mapping[str, Floats]
) -> Iterator[Pair]:
    """Yield statements, each beside the most similar statements of others."""
    rows = np.array([vectors[text] for text in statements])
    for old in sorted({pair.old for pair in pairs}):
        alike = rows @ vectors[old]
        for at in [at for at in np.argsort(-alike, kind="stable") if alike[at] < MOST_ALIKE][
            :PARALLEL
        ]:
            yield Pair(old, statements[at], False, "parallel")


def bare(sentence: str) -> str:
    return without_mark(sentence, words("en"))


def likeness(pair: Pair, vectors: Mapping[str, Floats]) -> float:
    return float(vectors[pair.old] @ vectors[bare(pair.new)])


def fit(pairs: Sequence[Pair], vectors: Mapping[str, Floats]) -> Regressions:
    wanted = np.array([pair.corrects for pair in pairs])
    rows = np.array([vectors[pair.new] for pair in pairs])
    others = np.zeros(len(pairs))
    olds = sorted({pair.old for pair in pairs})
    for seen, unseen in GroupKFold(FOLDS).split(
        rows, wanted, [olds.index(pair.old) for pair in pairs]
    ):
        others[unseen] = _regression(rows[seen], wanted[seen]).decision_function(rows[unseen])
    beside = np.array([
        pair_numbers(pair.new, words("en"), sure, pair.old, likeness(pair, vectors))
        for pair, sure in zip(pairs, others, strict=True)
    ])  # fmt: skip
    sentence, pair_fit = _regression(rows, wanted), _regression(beside, wanted)
    return Regressions(_rounded(sentence, SENTENCE_DIGITS), _rounded(pair_fit, PAIR_DIGITS))


def _regression(rows: Floats, wanted: NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=SMOOTHING, max_iter=1000).fit(rows, wanted)


def _rounded(found: LogisticRegression, digits: int) -> Regression:
    return Regression(
        [round(float(number), digits) for number in found.coef_[0]],
        round(float(found.intercept_[0]), digits),
    )


def write(found: Regressions) -> None:
    text = json.dumps(
        {
            name: {"bias": item.bias, "weights": item.weights}
            for name, item in found.__dict__.items()
        }
    )
    bundled("assets", "language", "corrections.json").write_text(
        re.sub(r"(.{1,110}) ", r"\1\n", text) + "\n", "utf-8"
    )


def report(pairs: Sequence[Pair], vectors: Mapping[str, Floats], found: Regressions) -> None:
    """Print how many of each part are taken for corrections, from how sure on; first by their words
    alone.
    """
    print(f"{'':26}{'pairs':>6}{'marked':>8}" + "".join(f"{f'>= {at}':>8}" for at in AT))
    for source in dict.fromkeys(pair.source for pair in pairs):
        some = [pair for pair in pairs if pair.source == source]
        alike = [(pair, [(pair.old, likeness(pair, vectors))]) for pair in some]
        sure = np.array(
            [
                likelihoods(pair.new, words("en"), vectors[pair.new], known, found)[0]
                for pair, known in alike
            ]
        )
        marked = np.mean([bool(corrects(pair.new, words("en"))) for pair in some])
        print(
            f"{source:26}{len(some):6}{marked:8.2f}"
            + "".join(f"{(sure >= at).mean():8.2f}" for at in AT)
        )


if __name__ == "__main__":
    sys.exit(main())
