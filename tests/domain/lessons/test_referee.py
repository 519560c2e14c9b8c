"""The word of a model counts as a referee's only after it proved itself."""

import pytest

from memapp.domain.lessons.referee import Calibration, Standing


@pytest.mark.parametrize(
    ("worked", "failed", "accuracy", "standing"),
    [
        ((8, 10), (5, 10), 0.65, "counts"),
        ((8, 10), (4, 10), 0.60, "does not count"),
        ((16, 25), (16, 25), 0.64, "does not count"),
        ((17, 25), (16, 25), 0.66, "counts"),
        ((12, 15), (2, 4), 0.65, "not tried enough"),
        ((12, 15), (2, 5), 0.60, "does not count"),
        ((16, 16), (4, 4), 1.0, "not tried enough"),
        ((20, 20), (0, 0), None, "not tried enough"),
        ((95, 95), (1, 5), 0.60, "does not count"),
        ((0, 10), (0, 10), 0.0, "does not count"),
    ],
)
def test_it_counts_after_twenty_known_steps_that_were_judged_well(
    worked: tuple[int, int], failed: tuple[int, int], accuracy: float | None, standing: Standing
) -> None:
    found = Calibration("key", "name", worked[1], worked[0], failed[1], failed[0])
    assert found.balanced_accuracy == (
        None if accuracy is None else pytest.approx(accuracy, abs=1e-9)
    )
    assert found.standing == standing
