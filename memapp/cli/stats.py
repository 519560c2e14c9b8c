"""`memapp stats`: counts and rates of what memapp did."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from memapp.cli.options import as_json_option
from memapp.cli.output import opened, say, show_json, show_rows
from memapp.domain.activity import Count, Day
from memapp.domain.text import counted
from memapp.language.labels import operation_of, part_of
from memapp.services import activity, curate, trust
from memapp.services.consent import pending

BAR = 30
HEADS = {"today": "today", "week": "7 days", "total": "all", "failed": "failed"}


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
        by_day, counts = activity.by_day(runtime, days), activity.counts(runtime)
        rates, trusted = activity.rates(runtime), trust.metrics(runtime)
        memories, waiting = curate.count(runtime), pending.count_pending(runtime)
        learning = activity.learning(runtime)
    shares = {
        "messages as predicted": rates.guesses.as_predicted,
        "messages on the predicted topic": rates.guesses.same_topic,
        "turns with on-demand recall": rates.recalled_on_demand,
        **trusted,
    }
    if as_json:
        figures = {name: {**asdict(rate), "share": rate.share} for name, rate in shares.items()}
        show_json(
            {
                "memories": memories,
                "waiting": waiting,
                "learning": learning,
                "rates": figures,
                "days": by_day,
                "counts": counts,
            }
        )
        return
    say(f"{counted(memories, 'memory', 'memories')}, {counted(waiting, 'pending request')}")
    if learning.set_aside:
        aside = counted(learning.set_aside, "message")
        say(f"{aside} set aside: memapp tried several times and could not read them.")
    show_rows([{"what": name, "rate": str(rate)} for name, rate in shares.items()])
    show_rows(_day_rows(by_day))
    show_rows(_count_rows(counts))


def _day_rows(days: Sequence[Day]) -> list[dict[str, Any]]:
    most = max((day.count for day in days), default=0) or 1
    return [
        {"day": day.day, "count": f"{day.count:,}", "bar": "█" * round(BAR * day.count / most)}
        for day in days
    ]


def _count_rows(counts: Sequence[Count]) -> list[dict[str, Any]]:
    """Return a row for each operation: named and under a heading for people, by key in a pipe."""
    on_terminal = sys.stdout.isatty()
    rows: list[dict[str, Any]] = []
    if on_terminal and counts:
        rows.append({"part": "", "did": "What memapp did", **HEADS})
    for count in counts:
        rows.append(
            {
                "part": part_of(count) if on_terminal else count.node,
                "did": operation_of(count) if on_terminal else count.op,
                "today": count.today,
                "week": count.week,
                "total": count.total,
                "failed": count.failed,
            }
        )
    return rows
