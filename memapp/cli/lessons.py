"""Lessons of failed commands from the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import click

from memapp.cli import lesson_files
from memapp.cli.options import ListingGroup, limit_option, reads, writes
from memapp.cli.output import Output, listing, short_ids, when
from memapp.domain.changes import Revision
from memapp.domain.lessons.fingerprint import words
from memapp.domain.lessons.health import LessonHealth
from memapp.domain.lessons.lesson import LESSON, Lesson, LessonLevel, LessonStatus
from memapp.domain.lessons.referee import Calibration
from memapp.domain.text import clean, counted, one_line
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services import id_lookup
from memapp.services.lessons import browse, curate, referee
from memapp.tools.program import here, program
from memapp.tools.shell import Shell

BAR = 40
"""The characters of a full bar."""
lesson_ids_argument = click.argument("lesson_ids", metavar="ID...", nargs=-1, required=True)
where_option = click.option(
    "--everywhere/--here",
    default=None,
    help="Where the lesson counts: wherever the program is used, or here.",
)


@click.group(cls=ListingGroup)
def lessons() -> None:
    """Show and change lessons of failed commands."""


@lessons.command("list")
@click.option(
    "--status", type=click.Choice(get_args(LessonStatus)), help="Only lessons with this status."
)
@limit_option(50)
@reads
def list_(runtime: Runtime, status: LessonStatus | None, limit: int) -> Output:
    """List lessons, newest first."""
    found = browse.list_lessons(runtime, (status,) if status else (), limit=limit + 1)
    return _listed(runtime, found, limit, "There are no lessons yet: memapp run -- COMMAND.")


# Options of other programs are words here.
@lessons.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True)
@limit_option(20)
@reads
def search(runtime: Runtime, words: tuple[str, ...], limit: int) -> Output:
    """Search lessons."""
    return _listed(
        runtime,
        browse.search_lessons(runtime, " ".join(words), limit + 1),
        limit,
        "No lesson has these words.",
    )


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@reads
def show(runtime: Runtime, lesson_id: str) -> Output:
    """Show a lesson, its evidence, and whether it helped."""
    lesson = browse.get_lesson(runtime, id_lookup.lesson(runtime, lesson_id))
    behind = browse.behind(runtime, lesson)
    lines = [f"- {_plain(lesson.wrong)}", f"+ {_plain(lesson.correct)}", "", *_about(lesson)]
    lines += [f"error: {_plain(error)}" for error in behind.errors]
    lines += [
        f"against: {_plain(lesson.correct)} (this one worked {won}, that one {lost})"
        for lesson, won, lost in behind.conflicts
    ]
    for evidence in behind.evidence:
        then = f"  then  {_plain(evidence.solved_by)}" if evidence.solved_by else ""
        lines.append(f"{when(evidence.at)}  {_plain(evidence.action)}{then}")
    return Output(
        {
            "lesson": lesson,
            "errors": behind.errors,
            "evidence": behind.evidence,
            "conflicts": behind.conflicts,
        },
        "\n".join(lines),
    )


@lessons.command()
@click.argument("wrong")
@click.argument("correct")
@where_option
@writes
def add(runtime: Runtime, wrong: str, correct: str, everywhere: bool | None) -> Output:
    """Add a lesson: a failing command and a working one, in quotes."""
    tool = Shell(program([*words(wrong)] or [""]), Path(here()))
    done = curate.add(runtime, tool.name, tool.scope, wrong, correct, _level(everywhere))
    return _changed(runtime, [done.memory_id.removeprefix(LESSON)], "Written down")


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@click.option("--wrong", help="The command that fails.")
@click.option("--correct", help="The command that works.")
@where_option
@writes
def edit(
    runtime: Runtime,
    lesson_id: str,
    wrong: str | None,
    correct: str | None,
    everywhere: bool | None,
) -> Output:
    """Change the commands of a lesson, or where it counts."""
    lesson_id = id_lookup.lesson(runtime, lesson_id)
    curate.edit(runtime, lesson_id, wrong, correct, _level(everywhere))
    return _changed(runtime, [lesson_id], "Changed")


def _level(everywhere: bool | None) -> LessonLevel | None:
    return None if everywhere is None else "domain" if everywhere else "task"


def _offer(deed: Callable[..., Revision], name: str, did: str, about: str) -> None:
    """Add a command that changes lessons in one step."""

    @lessons.command(name, help=about)
    @lesson_ids_argument
    @writes
    def do(runtime: Runtime, lesson_ids: tuple[str, ...]) -> Output:
        return _do(runtime, lesson_ids, deed, did)


_offer(curate.promote, "promote", "Promoted", "Always show these lessons, whatever is measured.")
_offer(curate.suppress, "suppress", "Suppressed", "Never show these lessons, whatever is measured.")
_offer(curate.archive, "archive", "Archived", "Archive lessons; they are not learned again.")
_offer(
    curate.restore,
    "restore",
    "Restored",
    "Restore lessons that are trashed, suppressed or archived.",
)
_offer(
    curate.discard,
    "rm",
    "Trashed",
    "Move lessons to the trash; `lessons restore` brings them back.",
)


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@lesson_ids_argument
@writes
def merge(runtime: Runtime, lesson_id: str, lesson_ids: tuple[str, ...]) -> Output:
    """Merge other lessons into the first, and archive them."""
    into = id_lookup.lesson(runtime, lesson_id)
    return _do(
        runtime, lesson_ids, lambda runtime, *others: curate.merge(runtime, into, *others), "Merged"
    )


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@click.argument("other_id", metavar="OTHER")
@writes
def same(runtime: Runtime, lesson_id: str, other_id: str) -> Output:
    """Treat the failures of two lessons as the same."""
    first, second = (id_lookup.lesson(runtime, part) for part in (lesson_id, other_id))
    curate.take_for_same(runtime, first, second)
    return Output(
        {"same": [first, second]}, aside="From now on both failures bring back both lessons."
    )


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@writes
def part(runtime: Runtime, lesson_id: str) -> Output:
    """Treat the failures of a lesson as different again."""
    lesson_id = id_lookup.lesson(runtime, lesson_id)
    curate.tell_apart(runtime, lesson_id)
    return Output({"parted": lesson_id}, aside="They are different failures again.")


@lessons.command("health")
@click.option("--plot", is_flag=True, help="Draw the share of failed steps, day by day.")
@limit_option(20)
@reads
def health_(runtime: Runtime, plot: bool, limit: int) -> Output:
    """Show whether lessons help: overall, by day and by run."""
    together, days, of_runs = (browse.health(runtime, per, limit) for per in ("all", "day", "run"))
    models = referee.calibrations(runtime)
    unsolved = browse.unsolved(runtime, limit)
    data = {
        "all": next(iter(together), None),
        "days": days,
        "runs": of_runs,
        "unsolved": unsolved,
        "referees": models,
    }
    nothing = () if together else ("Nothing was recorded yet: memapp run -- COMMAND.",)
    if plot:
        return Output(data, rows=[_bar(health) for health in reversed(days)], notes=nothing)
    name = short_ids(runtime, "runs")
    rows = [{"name": "all", **_figures(health)} for health in together] + [
        {"name": health.name, **_figures(health)} for health in days
    ]
    rows += [{"name": name(health.name), **_figures(health)} for health in of_runs]
    rows += [
        {
            "name": "unsolved",
            "runs": counted(failure.times, "time"),
            "steps": _plain(failure.action),
        }
        for failure in unsolved
    ]
    return Output(
        data, rows=rows + [_referee(calibration) for calibration in models], notes=nothing
    )


def _referee(calibration: Calibration) -> dict[str, str]:
    accuracy = calibration.balanced_accuracy
    return {
        "name": "referee",
        "runs": _plain(calibration.name),
        "steps": f"tried on {counted(calibration.known, 'step')}",
        "failed": "" if accuracy is None else f"balanced accuracy {accuracy:.2f}",
        "helped": f"judged {counted(calibration.judged, 'other')}",
        "moved": calibration.standing,
    }


def _figures(health: LessonHealth) -> dict[str, str]:
    score = "" if health.score is None else f", score {health.score:.2f}"
    runs = f"{health.passed} of {counted(health.runs, 'run')} passed{score}"
    if health.about:  # a single run
        runs = f"{_plain(health.about)}, {'passed' if health.passed else 'not passed'}{score}"
    moved = {"promoted": health.promoted, "suppressed": health.suppressed}
    return {
        "runs": runs,
        "steps": counted(health.steps, "step"),
        "failed": f"{health.tool_errors} failed, {health.recurrences} again",
        "helped": f"{health.helped} of {counted(health.activations, 'hint')} helped",
        "moved": ", ".join(f"{count} {status}" for status, count in moved.items() if count),
    }


def _bar(health: LessonHealth) -> dict[str, str]:
    helped = f"{health.helped} of {health.activations} helped" if health.activations else ""
    return {
        "day": health.name,
        "failed": f"{health.failing:.0%} failed",
        "helped": helped,
        "bar": "█" * round(BAR * health.failing),
    }


def _do(
    runtime: Runtime, lesson_ids: tuple[str, ...], deed: Callable[..., Revision], did: str
) -> Output:
    """Change lessons in one step, and list them."""
    found = list(dict.fromkeys(id_lookup.lesson(runtime, part) for part in lesson_ids))
    deed(runtime, *found)
    return _changed(runtime, found, did)


def _changed(runtime: Runtime, lesson_ids: list[str], did: str) -> Output:
    after = [browse.get_lesson(runtime, lesson_id) for lesson_id in lesson_ids]
    return Output(after, aside="\n".join(f"{did}: {_plain(lesson.rule_text)}" for lesson in after))


def _listed(runtime: Runtime, found: list[Lesson], limit: int, nothing: str) -> Output:
    name = short_ids(runtime, "lessons")

    def row(lesson: Lesson) -> dict[str, object]:
        return {
            "id": name(lesson.id),
            "status": lesson.status,
            "worked": lesson.worked,
            "rule": _plain(lesson.rule_text),
        }

    return listing(found, row, nothing, limit)


def _about(lesson: Lesson) -> list[str]:
    """Return the lines about a lesson's status, scope and effect."""
    tags = f"; {', '.join(lesson.tags).replace('_', ' ')}" if lesson.tags else ""
    shown = (
        f"shown {counted(lesson.retrieved, 'time')}, helped {lesson.helped}, "
        f"hurt {lesson.hurt}, withheld {lesson.withheld}"
    )
    measured = ""
    if lesson.utility is not None:
        over = counted(lesson.evidence_runs, "run")
        measured = f"; utility {lesson.utility:.2f}, p {lesson.p:.2f} over {over}"
    return [
        f"{lesson.status}{f', {lesson.reason}' if lesson.reason else ''}",
        f"about {lesson.tool}, {called('levels', lesson.level)}{tags}",
        f"worked {counted(lesson.worked, 'time')}; {shown}{measured}",
    ]


def _plain(text: str) -> str:
    return one_line(clean(text))


lessons.add_command(lesson_files.export)
lessons.add_command(lesson_files.import_)
