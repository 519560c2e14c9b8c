"""Dates in place of times as seen from a day: `next Friday`, said on 23 November 2026, is `on Friday 4 December 2026`.

What is coarse stays so (`in the week of 30 November 2026`), and what may come again stays in its words (`on Fridays`, `in May`).
These are rules of our own because the libraries for dates take `every Friday`, `I may` and `2 days a week` for dates, do not say
how coarse one is, and know no seasons; nor do they agree about `next Friday`, which here is the one of next week.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import dropwhile

from memapp.domain.chat import Message
from memapp.language.english.grammar import expand, is_verb
from memapp.language.lexicon import lexicon

EN = lexicon("dates")
AROUND = 200
"""Characters on either side in which the clause of a time is looked for."""
FARTHEST = 800
"""Days in which one of a month or season is looked for."""


def typed_on_its_day(message: Message) -> str:
    """Return what the person typed in a message, as `dated` by its day where they are."""
    return dated(message.typed_text, local_day(message))


def typed_ahead_of_its_day(message: Message) -> str:
    """Return what the person typed in a message with dates for the days that lie ahead: what is on a day can be remembered."""
    return dated(message.typed_text, local_day(message), is_ahead=True)


def local_day(message: Message) -> date:
    return message.created_at.astimezone().date()


def dated(text: str, today: date, *, is_ahead: bool = False) -> str:
    """Return a text that is told on a day, with dates in place of its times as far as it is clear which are meant.

    `is_ahead`: only of days after that one.
    """
    for kind in EN.entry("times").values():
        time = rf"\b(?!{{titled}})(?:(?P<before>{{before}}) )?(?:{kind})\b(?!['’]|{{year_behind}})"
        text = EN.regex(time).sub(partial(_put, today=today, is_ahead=is_ahead), text)
    return text


def lasting(fact: str, today: date) -> str:
    """Return a fact told on a day as it reads on any other: with dates, without `lately`; empty where it is of that day alone."""
    text = EN.regex("{of_telling}").sub("", dated(fact, today))
    text = f"{text[0].upper()}{text[1:]}" if fact[:1].isupper() else text
    return "" if EN.regex("{as_seen}").search(text) else text


def days_meant(text: str, today: date) -> list[str]:
    """Return the days that a text, told on a day, names without their dates."""
    return [one for one in EN.regex("{day}").findall(dated(text, today)) if one not in text]


def is_date(text: str) -> bool:
    return EN.regex("{day}").fullmatch(text) is not None


def other_day(told: str, meant: str) -> str:
    """Return another day in place of a date: a date, a weekday of the same week, or a day of the same month."""
    day = datetime.strptime(told, "%A %d %B %Y").replace(tzinfo=UTC).date()
    if is_date(meant):
        return meant
    number = re.match(r"\d{1,2}", meant)
    days = (_ahead(day, "month" if number else "week", 0) + timedelta(ahead) for ahead in range(31))
    fits = (one for one in days if (one.day == int(number[0]) if number else f"{one:%A}".lower() == meant.lower()))
    return next((_written("day", one)[3:] for one in fits), told)


def _put(found: re.Match[str], today: date, *, is_ahead: bool) -> str:
    named = {name: words.lower() for name, words in found.groupdict("").items()}
    before, after = found.string[max(0, found.start() - AROUND) : found.start()], found.string[found.end() :][:AROUND]
    leading = named["before"] or " ".join(re.findall(r"\w+", before.lower())[-1:])
    led = EN.regex("{clause_end}").split(before)[-1]
    has_verb = any(is_verb(word.casefold()) for word in re.findall(r"\w+", led))
    ends = "{clause_end}|{next_clause}" if has_verb else "{clause_end}"
    clause = expand(f"{led} {EN.regex(ends).split(after)[0]}")
    told = "" if leading in EN.no_single else _date(named, leading, clause, today)
    if not told or (is_ahead and not _is_ahead(told, today)):
        return found[0]
    if named.get("part"):
        told = f"on the {named['part']} of {told.removeprefix('on ')}"
    if named["before"] not in ("", "on", "in", "at") and not told.startswith("since "):
        told = f"{named['before']} {told.partition(' ')[2]}"
    elif not named["before"] and re.match(r" (?:is|was|will)\b", after):
        told = told[3:]
    return told[0].upper() + told[1:] if found[0][0].isupper() else told


def _is_ahead(told: str, today: date) -> bool:
    day = EN.regex("{day}").search(told)
    return day is not None and datetime.strptime(day[0], "%A %d %B %Y").replace(tzinfo=UTC).date() > today


def _date(named: Mapping[str, str], leading: str, clause: str, today: date) -> str:
    """Return the date that the groups of a pattern name, with `on` or `in`; empty where it may come again."""
    kinds = ("again", "yearly", "counted", "over", "is", "once", "lasting")
    tells = {name for name in kinds if EN.regex(rf"\b{{{name}}}\b").search(clause)}
    is_over = leading == "since" or ("over" in tells and "is" not in tells)
    turn = "last" if named.get("turn") == "this past" else named.get("turn", "")
    if near := named.get("near"):
        return _written("day", today + timedelta(EN.entry("near_days").get(near, 0)))
    if named.get("past"):
        return f"since {_counted(named, today, -1).partition(' ')[2]}" if named["over"] or leading in EN.within else ""
    if number := named.get("number"):
        if leading == "for" and not named["side"] and "lasting" in tells:
            return f"since {_counted(named, today, -1).removeprefix('in ').removeprefix('on ')}"
        is_rate = "again" in tells or ("once" not in tells and ("counted" in tells or number in EN.articles))
        if not named["side"] and (leading != "in" or is_over or is_rate):
            return ""  # so long something takes
        return _counted(named, today, -1 if named["side"] == " ago" else 1)
    if unit := named.get("unit"):
        return _written(unit, _ahead(today, unit, EN.entry("steps").get(turn, 1)))
    is_single = is_over or "once" in tells or ("last" in named and leading in EN.spanning)
    if turn == "this" and "month" in named and not is_single:
        ways = [_comes(named, today, turn, is_over=is_over) for is_over in (False, True)]
        return next((one for one in ways if str(today.year) in one), ways[0])  # `has been there this summer` may be over
    is_clear = is_single and leading in EN.placing and "again" not in tells and not ("month" in named and "yearly" in tells)
    if named.get("nth") and not named.get("month") and EN.regex(r"\b(?:for|of|in) {month_numbers}\b").search(clause):
        return ""  # of which month it is, stands elsewhere in the sentence
    return _comes(named, today, turn, is_over=is_over) if turn or is_clear or named.get("week") or named.get("of_week") else ""


def _counted(named: Mapping[str, str], today: date, side: int) -> str:
    """Return the date so many days, weeks, months or years off; where the number is not exact, about that time."""
    number, unit = named["number"] or "a", named["unit"]
    is_vague = EN.regex("{vague}").fullmatch(number) is not None
    exact = EN.forms("numbers").get(number, "1" if number in EN.articles else number)
    count = side * ((2 if "couple" in number else 3) if is_vague else int(exact)) * (10 if unit == "decade" else 1)
    if unit == "day" and is_vague:
        return _written("week", _ahead(today + timedelta(count), "week", 0))
    unit = "year" if unit == "decade" else unit
    told = _written(unit, _ahead(today, unit, count))
    return f"around {told[3:]}" if is_vague or named.get("nearly") else told


def _comes(named: Mapping[str, str], today: date, turn: str, *, is_over: bool) -> str:
    """Return the next or last one of a weekday, a month, a season or a day of a month."""
    weekday, month, nth = (named.get(name, "") for name in ("weekday", "month", "nth"))
    nth = nth or named.get("behind", "")
    months = EN.entry("season_months").get(month) or [int(EN.forms("month_numbers").get(month, 0))]

    def fits(day: date, nth: str = nth) -> bool:
        is_day = day.day == int(nth or day.day) and f"{day:%A}".lower().startswith(weekday[:3])
        return is_day and (not month or day.month in months)

    week = named.get("week") or named.get("of_week") or (turn if weekday and turn == "next" else "")
    start = _ahead(today, "week", EN.entry("steps")[week]) if week else today
    side = -1 if not week and (turn == "last" or (is_over and turn != "next")) else 1
    days = (start + timedelta(side * ahead) for ahead in range(FARTHEST))
    first = next(filter(fits, days if week or turn == "this" or not (weekday or turn) else dropwhile(fits, days)), None)
    if first is None:
        return ""
    if last := named.get("last"):
        end = next((day for ahead in range(1, FARTHEST) if fits(day := first + timedelta(ahead), last)), None)
        return f"{_written('day', first)} to {_written('day', end)[3:]}" if end else ""
    if month in EN.season_months:
        return _written(month, first.replace(year=first.year - (first.month < months[0]), day=1))
    return _written("month" if month and not nth else "day", first)


def _ahead(today: date, unit: str, count: int) -> date:
    """Return the first day of the week, month or year, or the day, that is so many ahead."""
    if unit in ("week", "weekend"):
        return today + timedelta(7 * count - today.weekday() + (5 if unit == "weekend" else 0))
    if unit == "day":
        return today + timedelta(count)
    years, month = divmod(today.month - 1 + count, 12) if unit == "month" else (count, 0)
    return date(today.year + years, month + 1, 1)


def _written(grain: str, first: date) -> str:
    match grain:
        case "day":
            return f"on {first:%A} {first.day} {first:%B %Y}"
        case "week" | "weekend":
            return f"{'in' if grain == 'week' else 'on'} the {grain} of {first.day} {first:%B %Y}"
        case "month":
            return f"in {first:%B %Y}"
        case "year":
            return f"in {first.year}"
        case _:
            return f"in {grain} {first.year}" + (f"/{(first.year + 1) % 100:02}" if grain == "winter" else "")
