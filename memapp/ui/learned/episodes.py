"""Episodes: what was discussed, decided or done in each chat."""

from memapp.domain.memory import Kind
from memapp.ui.learned.pane import KindPane


class EpisodesPane(KindPane):
    """A line for each."""

    LABEL = "Episodes"
    KIND = Kind.EPISODIC
    NOTHING = (
        "No episodes yet.\n\n"
        "What happened, and what a chat was about, is kept here in a\n"
        "sentence or two. Ask for it in a chat (F2):\n"
        "“What did we talk about last week?”"
    )
