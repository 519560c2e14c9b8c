"""Agents and the rubric from the command line."""

import re
from pathlib import Path
from typing import Any

import click

from memapp.cli.options import FILE, FOLDER, Fraction, ListingGroup, reads, writes
from memapp.cli.output import Output, listing, opened, refuse_own, say, show_json, when
from memapp.domain import strict_json
from memapp.domain.text import counted
from memapp.domain.trust import DEEPEST, Agent, formula, kept_share
from memapp.language.history import called_agent
from memapp.runtime import Runtime
from memapp.services import agent_files
from memapp.services import rubric as service_rubric
from memapp.services import trust as service
from memapp.services.exports import write_private

MAY = {"write": "", "ask": "asks first", "nothing": "blocked"}
name_argument = click.argument("name", metavar="NAME")


@click.group(cls=ListingGroup)
def agents() -> None:
    """Show agents and how far to trust them; block an agent."""


@agents.command("list")
@reads
def list_(runtime: Runtime) -> Output:
    """List the agents, those with the longest record first."""
    found = service.list_agents(runtime)
    output = listing(found, _row, "Nobody did anything yet: chat, and correct what is remembered.")
    return Output([_data(agent) for agent in found], rows=output.rows, notes=output.notes)


def _row(agent: Agent) -> dict[str, str]:
    last = when(agent.last_at) if agent.last_at else ""
    return {"name": agent.name, "trust": agent.counted, "may": MAY[agent.leave], "last": last}


def _data(agent: Agent) -> dict[str, Any]:
    return {
        "name": agent.name,
        "called": called_agent(agent.name),
        "model": agent.model,
        "role": agent.primary_role,
        "rounds": agent.rounds,
        "trust": agent.trust,
        "formula": formula(agent.total),
        "kept_share": kept_share(agent.total),
        "may": agent.leave,
        "program": agent.program,
        "imported": bool(agent.imported),
        "undecided": len(agent.undecided),
        "sums": agent.total,
    }


@agents.command("show")
@name_argument
@reads
def show_agent(runtime: Runtime, name: str) -> Output:
    """Show an agent, and the events and the sum behind its trust."""
    agent = service.get_agent(runtime, name)
    history = service.history(runtime, agent)
    rows = [{"at": when(at), "trust": f"{score:.2f}", "why": why} for at, score, why in history]
    bits, narrows = service.diversity(runtime, agent)
    narrow = f"It cites fewer and fewer criteria ({bits:.1f} bits), though trusted: look at it."
    notes = [
        f"{called_agent(agent.name)}, {agent.primary_role}: {agent.counted}",
        *agent.remarks,
        narrow if narrows else "",
        *_sums(agent),
    ]
    return Output(
        {**_data(agent), "events": agent.events, "history": history, "diversity": bits},
        rows=rows,
        notes=notes,
    )


def _sums(agent: Agent) -> list[str]:
    """Return the sums behind the trust in an agent."""
    total, score = agent.total, formula(agent.total)
    depth = total.depth / total.dissents / DEEPEST if total.dissents else 0.0
    return [
        f"formula {score:.2f} = .4 x {total.impactful}/{total.judged} kept "
        f"+ .3 x {depth:.2f} depth of its objections "
        f"+ .3 x (1 - {total.reversed}/{total.favours} undone after a yes or a week); 0/0 is 0",
        f"trust {agent.trust:.2f} = ({total.events} x {score:.2f} + 5 x .60) / {total.events + 5}, "
        "so that few events say little",
        f"kept share {kept_share(total):.2f} = ({total.impactful} + 3) / ({total.judged} + 5); "
        "at .35 it asks first, above .45 it writes",
    ]


agents.add_command(show_agent, "trust")


@agents.command()
@name_argument
@writes
def block(runtime: Runtime, name: str) -> Output:
    """Block an agent: it may no longer do anything."""
    return _blocked(runtime, name, blocked=True)


@agents.command()
@name_argument
@writes
def unblock(runtime: Runtime, name: str) -> Output:
    """Unblock an agent."""
    return _blocked(runtime, name, blocked=False)


def _blocked(runtime: Runtime, name: str, *, blocked: bool) -> Output:
    service.set_blocked(runtime, name, blocked=blocked)
    agent = service.get_agent(runtime, name)
    done = f"{'Blocked' if blocked else 'Unblocked'} {called_agent(agent.name)}"
    return Output(_data(agent), aside=f"{done}. To undo: memapp undo.")


@agents.command()
@click.argument("name", required=False)
@click.option(
    "-o", "--output", type=FOLDER, help="The folder to write to; otherwise standard output."
)
@click.pass_obj
def export(options: dict[str, Any], name: str | None, output: Path | None) -> None:
    """Export an agent, or all agents, as memory/<agent>.json."""
    with opened(options, read_only=True) as runtime:
        found = [service.get_agent(runtime, name)] if name else service.list_agents(runtime)
        data = {agent.name: agent_files.export_agent(runtime, agent) for agent in found}
        if output is None:
            show_json(data[found[0].name] if name else list(data.values()))
            return
        folder = output / "memory"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for agent_name, record in data.items():
            target = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', agent_name)}.json"
            refuse_own(options, target)
            write_private(runtime, target, [strict_json.write(record, indent=2), "\n"])
    say(f"Written: {counted(len(data), 'agent')}, in {folder}.")


@agents.command("import")
@click.argument("file", type=FILE)
@writes
def import_(runtime: Runtime, file: Path) -> Output:
    """Import the memory/<agent>.json of an agent that is new here.

    `memapp undo` undoes the import.
    """
    name = agent_files.import_agent(runtime, file).memory_id.partition(":")[2]
    agent = service.get_agent(runtime, name)
    return Output(_data(agent), f"Imported: {called_agent(agent.name)}, {agent.counted}.")


@click.group(cls=ListingGroup)
def rubric() -> None:
    """Show and change the criteria of reviews."""


@rubric.command("list")
@reads
def list_rubric(runtime: Runtime) -> Output:
    """List the criteria and their weights."""
    found = service_rubric.list_criteria(runtime)
    return listing(
        found,
        lambda criterion: {
            "name": criterion.name,
            "weight": f"{criterion.weight:.2f}",
            "asks": criterion.asks,
        },
    )


@rubric.command("set")
@click.argument("criterion")
@click.argument("weight", type=Fraction(0, 1))
@writes
def set_weight(runtime: Runtime, criterion: str, weight: float) -> Output:
    """Set the weight of a criterion, 0 to 1; a new name adds one."""
    service_rubric.set_weight(runtime, criterion, weight)
    return Output(
        service_rubric.list_criteria(runtime),
        aside=f"{criterion}: {weight:.2f}. To undo: memapp undo.",
    )
