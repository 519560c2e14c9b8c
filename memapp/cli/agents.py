"""Agents and the rubric from the command line: whom to believe, and why."""

import re
from pathlib import Path
from typing import Any

import click

from memapp.cli.output import Output, listing, opened, refuse_own, say, show_json, when
from memapp.cli.shape import FILE, FOLDER, Fraction, ListingGroup, reads, writes
from memapp.domain import strict_json
from memapp.domain.text import counted
from memapp.domain.trust import Agent, formula, kept_share
from memapp.language.history import called_agent
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services import agent_files
from memapp.services import rubric as service_rubric
from memapp.services import trust as service
from memapp.services.exports import write_private

MAY = {"write": "", "ask": "asks first", "nothing": "blocked"}
name_argument = click.argument("name", metavar="NAME")


@click.group(cls=ListingGroup)
def agents() -> None:
    """Show whom to believe, and why; block an agent."""


@agents.command("list")
@reads
def list_(runtime: Runtime) -> Output:
    """List the agents, those with the most to go by first."""
    found = service.list_agents(runtime)
    output = listing(found, _row, "Nobody did anything yet: chat, and correct what is remembered.")
    return Output([_data(one) for one in found], rows=output.rows, notes=output.notes)


def _row(one: Agent) -> dict[str, str]:
    last = when(one.last_at) if one.last_at else ""
    return {"name": one.name, "trust": one.counted, "may": MAY[one.leave], "last": last}


def _data(one: Agent) -> dict[str, Any]:
    return {
        **{
            "name": one.name,
            "called": called_agent(one.name),
            "model": one.model,
            "role": one.primary_role,
            "rounds": one.rounds,
        },
        **{"trust": one.trust, "formula": formula(one.total), "kept_share": kept_share(one.total), "may": one.leave},
        **{"imported": bool(one.imported), "undecided": len(one.undecided), "sums": one.total},
    }


@agents.command("show")
@name_argument
@reads
def show_agent(runtime: Runtime, name: str) -> Output:
    """Show an agent, and each event that it is judged by."""
    one = service.get_agent(runtime, name)
    rows = [{"at": when(event.at), "why": called("trust_reasons", event.reason)} for event in reversed(one.events)]
    bits, narrows = service.diversity(runtime, one)
    notes = [
        f"{called_agent(one.name)}, {one.primary_role}: {one.counted}",
        f"It asks first: {one.corrected}." if one.leave == "ask" else "You blocked it." if one.blocked else "",
        f"{counted(len(one.undecided), 'thing')} it did lately, not corrected and not a week old." if one.undecided else "",
        "Its record was brought in from a file, whose overrides count as the file says." if one.imported else "",
        f"It cites fewer and fewer criteria ({bits:.1f} bits), though trust in it is high: look at it." if narrows else "",
    ]
    return Output({**_data(one), "events": one.events, "diversity": bits}, rows=rows, notes=notes)


@agents.command()
@name_argument
@reads
def trust(runtime: Runtime, name: str) -> Output:
    """Show how the trust in an agent came about."""
    one = service.get_agent(runtime, name)
    of, history = one.total, service.scores(runtime, one.name)
    lines = [
        one.counted,
        f"{formula(of):.2f} by the formula: .4 x {of.impactful} of {of.judged} that were right"
        f" + .3 x depth of {of.dissents} dissents + .3 x (1 - {of.reversed} of {of.favours} decisions for it taken back)",
        f"drawn towards .60, as if there were 5 more events; of its kept share ({kept_share(of):.2f}) the same",
    ]
    rows = [{"at": when(at), "trust": f"{score:.2f}", "why": called("trust_reasons", reason)} for at, score, _, reason in history]
    return Output({**_data(one), "history": history}, "\n".join(lines), rows=rows)


@agents.command()
@name_argument
@writes
def block(runtime: Runtime, name: str) -> Output:
    """Let an agent do nothing any more."""
    return _blocked(runtime, name, blocked=True)


@agents.command()
@name_argument
@writes
def unblock(runtime: Runtime, name: str) -> Output:
    """Let a blocked agent act again."""
    return _blocked(runtime, name, blocked=False)


def _blocked(runtime: Runtime, name: str, *, blocked: bool) -> Output:
    service.set_blocked(runtime, name, blocked=blocked)
    one = service.get_agent(runtime, name)
    return Output(_data(one), aside=f"{'Blocked' if blocked else 'Unblocked'} {called_agent(one.name)}. To undo: memapp undo.")


@agents.command()
@click.argument("name", required=False)
@click.option("-o", "--output", type=FOLDER, help="A folder; else standard output.")
@click.pass_obj
def export(options: dict[str, Any], name: str | None, output: Path | None) -> None:
    """Write an agent, or all of them, as memory/<agent>.json."""
    with opened(options, read_only=True) as runtime:
        found = [service.get_agent(runtime, name)] if name else service.list_agents(runtime)
        data = {one.name: agent_files.export_agent(runtime, one) for one in found}
        if output is None:
            show_json(data[found[0].name] if name else list(data.values()))
            return
        folder = output / "memory"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for one, record in data.items():
            target = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', one)}.json"
            refuse_own(options, target)
            write_private(runtime, target, [strict_json.write(record, indent=2), "\n"])
    say(f"Written: {counted(len(data), 'agent')}, in {folder}.")


@agents.command("import")
@click.argument("file", type=FILE)
@writes
def import_(runtime: Runtime, file: Path) -> Output:
    """Bring in the memory/<agent>.json of an agent that is not known here; `memapp undo` takes it back."""
    name = agent_files.import_agent(runtime, file).memory_id.partition(":")[2]
    one = service.get_agent(runtime, name)
    return Output(_data(one), f"Brought in: {called_agent(one.name)}, {one.counted}.")


@click.group(cls=ListingGroup)
def rubric() -> None:
    """See and change what answers are reviewed by."""


@rubric.command("list")
@reads
def list_rubric(runtime: Runtime) -> Output:
    """List the criteria with their weights."""
    found = service_rubric.list_criteria(runtime)
    return listing(found, lambda one: {"name": one.name, "weight": f"{one.weight:.2f}", "asks": one.asks})


@rubric.command("set")
@click.argument("criterion")
@click.argument("weight", type=Fraction(0, 1))
@writes
def set_weight(runtime: Runtime, criterion: str, weight: float) -> Output:
    """Give a criterion another weight, 0 to 1; one that is not there begins."""
    service_rubric.set_weight(runtime, criterion, weight)
    return Output(service_rubric.list_criteria(runtime), aside=f"{criterion}: {weight:.2f}. To undo: memapp undo.")
