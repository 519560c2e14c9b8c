"""Insights: patterns over several messages and memories, with their evidence."""

import asyncio
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from memapp.domain.memory import Kind, Memory
from memapp.domain.text import counted, one_line, shorten
from memapp.language.history import who
from memapp.services import undo
from memapp.services.jobs import Insight, insights
from memapp.ui.background import background
from memapp.ui.learned.pane import KindPane
from memapp.ui.safe_text import joined

SHOWN = 8
"""The newest pieces of evidence of each sort that are shown."""
QUOTE_CHARS = 120


class InsightsPane(KindPane):
    """The insights, with the evidence of the current one."""

    LABEL = "Insights"
    KIND = Kind.INSIGHT
    HELP = (
        "d dismisses an insight, for good. m makes it a memory of your own. "
        "Enter shows its evidence."
    )
    NOTHING = (
        "No insights yet.\n\n"
        "What comes up again and again in your chats is noticed here, with\n"
        "what it rests on. Once a day memapp looks, while nobody waits."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "keep", "Make it a memory", id="insights.keep")
    ]

    def look_up(self) -> list[Memory]:
        listed = insights.list_insights(self.runtime)
        self.rows.ends = {
            insight.memory.id: (counted(insight.evidence, "source"), "$text-muted")
            for insight in listed
        }
        self.detail.content.reasons = {insight.memory.id: _why(insight) for insight in listed}
        return [insight.memory for insight in listed]

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        return self.read is not None if action == "keep" else True

    @background("memory-action")
    async def action_keep(self) -> None:
        """Turn the open insight into a memory."""
        if (insight := self.read) is not None:
            await asyncio.to_thread(insights.keep_as_memory, self.runtime, insight.id)
            (change,) = await asyncio.to_thread(undo.undoable, self.runtime, 1)
            self.body.leave_detail()
            words = shorten(one_line(insight.text), 40)
            self.session.did(self, f"Kept “{words}” as a memory of yours", change.id)


def _why(insight: Insight) -> Content:
    counts = [(len(insight.messages), "message", ""), (len(insight.memories), "memory", "memories")]
    rests_on = " and ".join(counted(*count) for count in counts if count[0])
    head = f"Why: {rests_on or 'nothing that still exists'}"
    quotes = [
        f"“{shorten(one_line(message.text), QUOTE_CHARS)}”" for message in insight.messages[-SHOWN:]
    ]
    memories = [memory.text for memory in insight.memories[-SHOWN:]]
    more = insight.evidence - len(quotes) - len(memories)
    lines = [
        joined((f"{head}, noticed by {who(insight.by)}", "$text-muted")),
        *(joined("· ", evidence) for evidence in (*memories, *quotes)),
    ]
    return Content("\n").join(
        [*lines, *([joined((f"and {more} more", "$text-muted"))] if more else [])]
    )
