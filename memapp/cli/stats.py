"""Counts and rates from the command line: what memapp did and how well."""

import sys
from dataclasses import asdict
from typing import Any

import click

from memapp.cli.output import opened, say, show_json, show_rows
from memapp.cli.shape import as_json_option
from memapp.domain.text import counted
from memapp.language.labels import operation_of, part_of
from memapp.services import activity, curate, trust
from memapp.services.consent import pending

BAR = 30


@click.command()
@click.option(
    "--days",
    metavar="N",
    type=click.IntRange(1, 3650),
    default=7,
    show_default=True,
    help="The number of days to show.",
)
@as_json_option
@click.pass_obj
def stats(options: dict[str, Any], days: int, as_json: bool) -> None:
    """Show what memapp did, day by day, and how well."""
    with opened(options, read_only=True) as runtime:
        by_day, counts, rates = (
            activity.by_day(runtime, days),
            activity.counts(runtime),
            activity.rates(runtime),
        )
        known, waiting, learning = (
            curate.count(runtime),
            pending.count_pending(runtime),
            activity.learning(runtime),
        )
        trusted = trust.metrics(runtime)
    shares = {
        "guesses as predicted": rates.guesses.as_predicted,
        "guesses on the same topic": rates.guesses.same_topic,
        "turns with on-demand recall": rates.recalled_on_demand,
        **trusted,
    }
    if as_json:
        show_json(
            {
                "memories": known,
                "waiting": waiting,
                "learning": learning,
                "rates": {
                    name: {**asdict(rate), "share": rate.share} for name, rate in shares.items()
                },
                "days": by_day,
                "counts": counts,
            }
        )
        return
    say(f"{counted(known, 'memory', 'memories')}, {waiting:,} waiting for you")
    if learning.set_aside:
        aside = counted(learning.set_aside, "message")
        say(f"{aside} set aside: memapp tried several times and could not read them.")
    show_rows([{"what": name, "rate": str(rate)} for name, rate in shares.items()])
    most = max((day.count for day in by_day), default=0) or 1
    show_rows(
        [
            {"day": day.day, "count": f"{day.count:,}", "bar": "█" * round(BAR * day.count / most)}
            for day in by_day
        ]
    )
    on_terminal = sys.stdout.isatty()
    heads = {
        "part": "",
        "did": "What memapp did",
        "today": "today",
        "week": "7 days",
        "total": "all",
        "failed": "failed",
    }
    show_rows(
        ([heads] if on_terminal and counts else [])
        + [
            {
                "part": part_of(count) if on_terminal else count.node,
                "did": operation_of(count) if on_terminal else count.op,
                **{
                    "today": count.today,
                    "week": count.week,
                    "total": count.total,
                    "failed": count.failed,
                },
            }
            for count in counts
        ]
    )
