"""The garbage collector, out of the way: a collection over all that was imported stops the screen
for a third of a second.
"""

import gc

OFTEN, YOUNG, FULL = 700, 4, 2500
"""Objects that bring a first collection, first ones before a second, and second ones before a full
one.

Few before a second one, so that it has little to look at; so many before a full one that the quiet
after an answer comes first.
"""


def wait() -> None:
    """Collect nothing until `spare` is called."""
    gc.disable()
    gc.set_threshold(OFTEN, YOUNG, FULL)


def spare() -> None:
    """Leave out what is there now from here on: it stays anyway."""
    gc.freeze()
    gc.enable()


def collect() -> None:
    """Collect all there is, while nobody waits for the screen."""
    gc.collect()


def as_before() -> None:
    """Leave nothing out any more."""
    gc.unfreeze()
    gc.enable()
