"""Episodes: what was discussed, decided or done in each chat."""

from memapp.domain.memory import Kind
from memapp.ui.learned.pane import KindPane


class EpisodesPane(KindPane):
    """The episodes, one row each."""

    LABEL = "Episodes"
    KIND = Kind.EPISODIC
    NOTHING = (
        "No episodes yet.\n\n"
        "What a chat was about is kept here in a sentence or two, where a\n"
        "model answers that passed its test for it: memapp models test."
    )
