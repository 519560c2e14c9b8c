"""Timing of garbage collection: a full collection after the imports blocks the screen for .3 s."""

import gc

OFTEN, YOUNG, FULL = 700, 4, 2500
"""The thresholds of `gc`: a full collection is rare enough to wait for the quiet after an answer.
"""


def wait() -> None:
    """Collect nothing until `spare` is called."""
    gc.disable()
    gc.set_threshold(OFTEN, YOUNG, FULL)


def spare() -> None:
    """Exclude all present objects from later collections: they stay anyway."""
    gc.freeze()
    gc.enable()


def collect() -> None:
    """Collect everything while nobody waits for the screen."""
    gc.collect()


def as_before() -> None:
    """Include all objects again."""
    gc.unfreeze()
    gc.enable()
