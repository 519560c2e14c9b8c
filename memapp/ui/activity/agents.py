"""The rows of the agents in Activity, and the text about a single agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from textual.content import Content

from memapp.domain.changes import CLIENT
from memapp.domain.text import counted, one_line, shorten
from memapp.domain.trust import Agent
from memapp.language.history import called_agent
from memapp.runtime import Runtime
from memapp.services import agents, trust
from memapp.services.agents import Call
from memapp.ui.activity.charts import bars
from memapp.ui.safe_text import joined
from memapp.ui.widgets.labels import ago
from memapp.ui.widgets.rowlist import TimedRows

NAME, COUNTED, LINE, TOLD = 24, 28, 6, 200
WIDE = 96
NOBODY = (
    "Nobody did anything yet that could be judged.\n\n"
    "Whoever remembers, changes or proposes something for memapp stands here,\n"
    "with how much of it you kept."
)


@dataclass(frozen=True, slots=True)
class ShownAgent:
    agent: Agent
    calls: tuple[Call, ...]
    """Requests of another program, newest first."""
    scores: tuple[float, ...]
    """The trust after each of the last events, and now."""


def shown_agents(runtime: Runtime) -> tuple[ShownAgent, ...]:
    return tuple(
        ShownAgent(
            agent,
            _calls(runtime, agent),
            (*(score for _, score in agent.history(LINE - 1)), agent.trust),
        )
        for agent in trust.list_agents(runtime)
    )


def _calls(runtime: Runtime, agent: Agent) -> tuple[Call, ...]:
    return (
        tuple(agents.list_calls(runtime, agent.name, TOLD)) if agent.name.startswith(CLIENT) else ()
    )


class AgentRows(TimedRows[ShownAgent]):
    """The agents: name, trust, trend, permissions and last action."""

    def key(self, item: ShownAgent) -> str:
        return item.agent.name

    def draw(self, item: ShownAgent, width: int) -> Content:
        agent = item.agent
        style = {"write": "", "ask": "bold $text-warning", "nothing": "bold $text-error"}[
            agent.leave
        ]
        may = {"write": "", "ask": "! asks first", "nothing": "✗ blocked"}[agent.leave]
        line = "".join(bars(item.scores[-LINE:]))
        head = joined(
            (f"{shorten(called_agent(agent.name), NAME - 1):{NAME}}", "bold"),
            f"{agent.counted:{COUNTED}}",
            (f"{line:>{LINE}}  ", "$accent"),
        )
        if width < WIDE:
            return joined(head, (may, style))
        last_at = item.calls[0].ts if item.calls else agent.last_at
        last = ago(last_at, self.clock()) if last_at else ""
        return joined(
            head, (f"{may:14}", style), (f"{_right_after_all(agent):20}{last}", "$text-muted")
        )


def agent_report(runtime: Runtime, shown: ShownAgent) -> str:
    """Return everything known of an agent, its events newest first."""
    agent = shown.agent
    wrong = agent.total.judged - agent.total.impactful
    lines = [
        ", ".join(
            filter(
                None,
                (agent.counted, f"corrected {wrong:,}" if wrong else "", _right_after_all(agent)),
            )
        ),
        *agent.remarks,
        *(
            f"{_at(at)} {score:.2f} {one_line(why)}"
            for at, score, why in trust.history(runtime, agent)
        ),
        *_requests(shown.calls),
    ]
    return "\n".join(filter(None, lines))


def _right_after_all(agent: Agent) -> str:
    return f"{agent.total.regretted:,} right after all" if agent.total.regretted else ""


def _at(at: datetime) -> str:
    return f"{at.astimezone():%d %b %Y %H:%M}"


def _requests(calls: Sequence[Call]) -> list[str]:
    """Return the requests of another program and their results."""
    refused = sum(bool(call.refused) for call in calls)
    times = f"{len(calls):,} times{', or more' if len(calls) == TOLD else ''}"
    head = f"\nAsked {times}, refused {refused:,}. The latest first:"
    lines = [f"{_at(call.ts)} {call.tool}: {_result(call)}" for call in calls]
    return [head, *lines] if calls else []


def _result(call: Call) -> str:
    if call.refused:
        return f"refused. {call.refused}"
    if call.tool in ("remember", "correct", "withdraw"):
        return f"proposal {', '.join(call.ids)}"
    return counted(len(call.ids), "memory", "memories")
