"""Is a regularity in somebody's chats noticed, and none where there is none?

Made histories of six to eight weeks (`made_up/histories`, and ordinary statements of
`made_up/statements`): in half of them two or three messages of a theme come up in seven of ten
chats, or on one day of each week; in the others nothing does. Found is an insight that messages of
the theme make up most of, with the right day where one was planted. Each must rest on at least two
messages.

python -m benchmarks.insights [--small] [--data FOLDER] [--show]
"""

import argparse
import json
import random
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks import MADE_UP, MISSED
from benchmarks.isolation import of
from memapp import bootstrap
from memapp.domain.chat import Origin, Role
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.jobs import insights
from memapp.store import chat

HISTORIES, FOUND, FALSE = 20, 16, 1
SMALL = 10
SEED = 2026
MONDAY = datetime(2026, 1, 5, 18, tzinfo=UTC)


@dataclass(frozen=True)
class History:
    theme: str
    weekday: str
    """On which the theme was planted; empty for any day."""
    chats: tuple[tuple[datetime, tuple[str, ...]], ...]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help=f"{SMALL} histories of each kind")
    parser.add_argument("--data", type=Path, help="not used: all of it is made up")
    parser.add_argument("--show", action="store_true", help="print the insights, to be read")
    options = parser.parse_args()
    count = SMALL if options.small else HISTORIES
    chance = random.Random(SEED)
    themes = json.loads((MADE_UP / "histories/themes.json").read_text("utf-8"))
    files = [MADE_UP / f"statements/{name}.jsonl" for name in ("ordinary", "ordinary2")]
    ordinary = [json.loads(line)["t"] for file in files for line in file.open(encoding="utf-8")]
    make = partial(made, chance, ordinary)
    planted = [
        make(theme, themes[theme], on_day=bool(at % 2))
        for at, theme in enumerate(chance.sample(list(themes), count))
    ]
    plain = [make("", (), on_day=False) for _ in range(count)]
    with (
        tempfile.TemporaryDirectory() as home,
        closing(bootstrap.start(home=Path(home))) as runtime,
    ):
        runtime.embedding.fill(bootstrap.open_embedder(runtime))
        noticed = [
            (history, noticed_in(of(runtime, f"person {at}"), history))
            for at, history in enumerate([*planted, *plain])
        ]
    return report(noticed, themes, show=options.show)


def made(
    chance: random.Random,
    ordinary: list[str],
    theme: str,
    messages: tuple[str, ...],
    *,
    on_day: bool,
) -> History:
    """Make a history: two or three chats a week, of three to six ordinary messages each, and those
    of the theme.
    """
    favourite, chats = chance.randrange(7), []
    for week in range(chance.randint(6, 8)):
        days = {*chance.sample(range(7), 2), *([favourite] if on_day else [])}
        chats += [
            (
                MONDAY + timedelta(weeks=week, days=day),
                chance.sample(ordinary, chance.randint(3, 6)),
            )
            for day in sorted(days)
        ]
    some = chance.sample(range(len(chats)), round(0.7 * len(chats)))
    for at, (day, said) in enumerate(chats):
        if theme and (day.weekday() == favourite if on_day else at in some):
            said += chance.sample(list(messages), chance.randint(2, 3))
            chance.shuffle(said)
    weekday = f"{MONDAY + timedelta(days=favourite):%A}" if on_day else ""
    return History(theme, weekday, tuple((day, tuple(said)) for day, said in chats))


def noticed_in(runtime: Runtime, history: History) -> list[insights.Insight]:
    """Store a history as a person's chats, and return what memapp notices at its end."""
    for day, said in history.chats:
        with runtime.write() as session:
            thread = chat.create_thread(session, "A chat", "companion", day)
            for at, text in enumerate(said):
                chat.add_message(
                    session,
                    thread.id,
                    Role.USER,
                    text,
                    day + timedelta(minutes=at),
                    origin=Origin.TYPED,
                )
    runtime.clock = lambda: history.chats[-1][0] + timedelta(hours=2)
    list(insights.run(runtime, Cancel(), None))
    return insights.list_insights(runtime)


def report(
    noticed: list[tuple[History, list[insights.Insight]]],
    themes: dict[str, list[str]],
    *,
    show: bool,
) -> int:
    planted = [(history, found) for history, found in noticed if history.theme]
    found = [
        any(is_of(insight, history, themes[history.theme]) for insight in some)
        for history, some in planted
    ]
    false = [insight for history, some in noticed if not history.theme for insight in some]
    beside = [
        insight
        for history, some in planted
        for insight in some
        if not is_of(insight, history, themes[history.theme])
    ]
    all_of_them = [insight for _, some in noticed for insight in some]
    sound = sum(len(insight.messages) > 1 for insight in all_of_them)
    if show:
        print(
            "\n".join(
                (
                    f"{history.theme or '-'} {history.weekday}: "
                    f"{[insight.memory.text for insight in some]}"
                )
                for history, some in noticed
            )
        )
    least, most = FOUND * len(planted) // HISTORIES, FALSE
    print(
        f"histories with a regularity in which it is noticed   {sum(found)} of {len(planted)}   "
        f"bound {least}"
    )
    print(
        f"insights where there is none   {len(false)} in {len(noticed) - len(planted)} histories  "
        f" bound {most}"
    )
    print(f"insights beside the planted ones   {len(beside)}")
    print(f"with at least two pieces of evidence   {sound} of {len(all_of_them)}")
    held = sum(found) >= least and len(false) <= most and sound == len(all_of_them)
    print("held" if held else "MISSED")
    return 0 if held else MISSED


def is_of(insight: insights.Insight, history: History, messages: list[str]) -> bool:
    """Say whether an insight is the planted one: most of its messages are of the theme, and it
    names the day.
    """
    of_theme = sum(message.text in messages for message in insight.messages)
    return 2 * of_theme > len(insight.messages) and (
        not history.weekday or f"on {history.weekday}s" in insight.memory.text
    )


if __name__ == "__main__":
    sys.exit(main())
