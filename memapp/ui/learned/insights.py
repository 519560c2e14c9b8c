"""Insights: what several messages and memories show together, with what each rests on."""

import asyncio
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from memapp.domain.memory import Kind, Memory
from memapp.domain.text import counted, one_line, shorten
from memapp.language.history import who
from memapp.services import insights, undo
from memapp.services.insights import Insight
from memapp.ui.background import background
from memapp.ui.learned.pane import KindPane
from memapp.ui.safe import joined

SHOWN = 8
"""Pieces of evidence that are shown, the newest of each sort."""
QUOTE_CHARS = 120


class InsightsPane(KindPane):
    """What memapp noticed, with why."""

    LABEL = "Insights"
    KIND = Kind.INSIGHT
    HELP = "d dismisses an insight, for good. m makes it a memory of your own. Enter shows its evidence."
    NOTHING = (
        "No insights yet.\n\n"
        "What comes up again and again in your chats is noticed here, with\n"
        "what it rests on. Once a day memapp looks, while nobody waits."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "keep", "Make it a memory", id="insights.keep")
    ]

    def look_up(self) -> list[Memory]:
        found = insights.list_insights(self.runtime)
        self.rows.ends = {
            insight.memory.id: (counted(insight.evidence, "source"), "$text-muted")
            for insight in found
        }
        self.detail.content.reasons = {insight.memory.id: _why(insight) for insight in found}
        return [insight.memory for insight in found]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        return self.read is not None if action == "keep" else True

    @background("memory-action")
    async def action_keep(self) -> None:
        """Make the insight that is read a memory of the person's own."""
        if (one := self.read) is not None:
            await asyncio.to_thread(insights.keep_as_memory, self.runtime, one.id)
            (made,) = await asyncio.to_thread(undo.undoable, self.runtime, 1)
            self.body.leave_detail()
            self.session.did(
                self, f"Kept “{shorten(one_line(one.text), 40)}” as a memory of yours", made.id
            )


def _why(insight: Insight) -> Content:
    counts = [(len(insight.messages), "message", ""), (len(insight.memories), "memory", "memories")]
    rests_on = " and ".join(counted(*count) for count in counts if count[0])
    head = f"Why: {rests_on or 'nothing that is there still'}"
    said = [
        f"“{shorten(one_line(message.text), QUOTE_CHARS)}”" for message in insight.messages[-SHOWN:]
    ]
    known = [memory.text for memory in insight.memories[-SHOWN:]]
    more = insight.evidence - len(said) - len(known)
    lines = [
        joined((f"{head}, noticed by {who(insight.by)}", "$text-muted")),
        *(joined("· ", item) for item in (*known, *said)),
    ]
    return Content("\n").join(
        [*lines, *([joined((f"and {more} more", "$text-muted"))] if more else [])]
    )
