"""The judge of statements: its training data, and long sentences outside of them."""

from memapp.language.judge import fitted, judge
from memapp.paths import bundled
from memapp.services.learning.reader import SENSITIVE
from tests.builders import Reader

MOST_BYTES = 4_000_000


def test_the_judge_was_fitted_to_the_examples_that_are_there() -> None:
    from benchmarks.fit_judge import examples  # imports scikit-learn, slowly

    rows, by = examples(), fitted()
    names = [str(name) for name in by["topic_names"]]
    assert [names[label] if label < len(names) else None for label in by["labels"]] == [
        row.get("f") for row in rows
    ]
    assert by["weight"].tolist() == [row["weight"] for row in rows]


def test_the_file_of_the_judge_is_small() -> None:
    assert bundled("assets", "language", "en", "judge.npz").stat().st_size <= MOST_BYTES


def test_nothing_is_learned_from_what_the_embedding_model_does_not_know() -> None:
    said = ["我得了糖尿病", "ฉันเป็นโรคเบาหวาน", "I keep bees."]
    unknown, also_unknown, known = (
        judgement.lasts for judgement in judge(said, Reader().embed(said))
    )
    assert unknown == also_unknown == 0 < known


def test_a_long_ordinary_sentence_is_told_from_a_sensitive_one_that_is_like_it() -> None:
    begins = "whenever it snows I take the old wooden sledge down from the loft, "
    said = [
        (
            f"{begins}rub the runners with a candle, and then wait until the kids of the whole "
            "block have gone home"
        ),
        (
            f"{begins}but since they found the shadow on my lung I only stand at the bottom of "
            "the hill and hold the thermos"
        ),
    ]
    ordinary, sensitive = (judgement.sensitive for judgement in judge(said, Reader().embed(said)))
    assert sensitive >= SENSITIVE
    assert sensitive - ordinary >= 0.3
