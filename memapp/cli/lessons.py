"""Lessons and runs from the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import click

from memapp import light_run
from memapp.cli import lesson_files
from memapp.cli.output import Output, listing, short_ids, when
from memapp.cli.shape import Fraction, ListingGroup, limit_option, reads, writes, yes_option
from memapp.domain.changes import Revision
from memapp.domain.lessons.fingerprint import words
from memapp.domain.lessons.health import LessonHealth
from memapp.domain.lessons.lesson import LESSON, Lesson, LessonLevel, LessonStatus
from memapp.domain.lessons.referee import Calibration
from memapp.domain.lessons.run import Run, RunStep
from memapp.domain.text import clean, counted, one_line
from memapp.errors import NeedsYes, UsageError
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services import ids
from memapp.services import runs as service
from memapp.services.lessons import browse, curate, referee
from memapp.tools.program import program
from memapp.tools.shell import Shell

_JUDGED = {None: "", True: ", worked for a model", False: ", failed for a model"}
BAR = 40
"""Characters that stand for all steps."""
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


@lessons.command(
    context_settings={"ignore_unknown_options": True}
)  # options of other programs are words here
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
    lesson = browse.get_lesson(runtime, ids.lesson(runtime, lesson_id))
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
    """Add a lesson: a command that fails and one that works, in quotes."""
    tool = Shell(program([*words(wrong)] or [""]), Path(light_run.here()))
    done = curate.add(runtime, tool.name, tool.scope, wrong, correct, _level(everywhere))
    return _told(runtime, [done.memory_id.removeprefix(LESSON)], "Written down")


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
    found = ids.lesson(runtime, lesson_id)
    curate.edit(runtime, found, wrong, correct, _level(everywhere))
    return _told(runtime, [found], "Changed")


def _level(everywhere: bool | None) -> LessonLevel | None:
    return None if everywhere is None else "domain" if everywhere else "task"


def _offer(deed: Callable[..., Revision], name: str, did: str, about: str) -> None:
    """Add a command that does something to lessons in one step."""

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
    into = ids.lesson(runtime, lesson_id)
    return _do(
        runtime, lesson_ids, lambda runtime, *others: curate.merge(runtime, into, *others), "Merged"
    )


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@click.argument("other_id", metavar="OTHER")
@writes
def same(runtime: Runtime, lesson_id: str, other_id: str) -> Output:
    """Treat the failures of two lessons as the same."""
    one, other = (ids.lesson(runtime, each) for each in (lesson_id, other_id))
    curate.take_for_same(runtime, one, other)
    return Output(
        {"same": [one, other]}, aside="From now on both failures bring back both lessons."
    )


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@writes
def part(runtime: Runtime, lesson_id: str) -> Output:
    """Treat the failures of a lesson as different again."""
    found = ids.lesson(runtime, lesson_id)
    curate.tell_apart(runtime, found)
    return Output({"parted": found}, aside="They are different failures again.")


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


def _referee(one: Calibration) -> dict[str, str]:
    right = (
        "" if one.balanced_accuracy is None else f"balanced accuracy {one.balanced_accuracy:.2f}"
    )
    judged = f"judged {counted(one.judged, 'other')}"
    tried = f"tried on {counted(one.known, 'step')}"
    return {
        "name": "referee",
        "runs": _plain(one.name),
        "steps": tried,
        "failed": right,
        "helped": judged,
        "moved": one.standing,
    }


def _figures(one: LessonHealth) -> dict[str, str]:
    score = "" if one.score is None else f", score {one.score:.2f}"
    of_one = f"{_plain(one.about)}, {'passed' if one.passed else 'not passed'}{score}"
    return {
        "runs": of_one
        if one.about
        else f"{one.passed} of {counted(one.runs, 'run')} passed{score}",
        "steps": counted(one.steps, "step"),
        "failed": f"{one.tool_errors} failed, {one.recurrences} again",
        "helped": f"{one.helped} of {counted(one.activations, 'hint')} helped",
        "moved": ", ".join(
            f"{n} {moved}" for moved in ("promoted", "suppressed") if (n := getattr(one, moved))
        ),
    }


def _bar(one: LessonHealth) -> dict[str, str]:
    helped = f"{one.helped} of {one.activations} helped" if one.activations else ""
    return {
        "day": one.name,
        "failed": f"{one.failing:.0%} failed",
        "helped": helped,
        "bar": "█" * round(BAR * one.failing),
    }


def _do(
    runtime: Runtime, parts: tuple[str, ...], deed: Callable[..., Revision], did: str
) -> Output:
    """Do something to lessons in one step, and say what was done to which."""
    found = list(dict.fromkeys(ids.lesson(runtime, part) for part in parts))
    deed(runtime, *found)
    return _told(runtime, found, did)


def _told(runtime: Runtime, lesson_ids: list[str], did: str) -> Output:
    after = [browse.get_lesson(runtime, memory_id) for memory_id in lesson_ids]
    return Output(after, aside="\n".join(f"{did}: {_plain(lesson.rule_text)}" for lesson in after))


def _listed(runtime: Runtime, found: list[Lesson], limit: int, nothing: str) -> Output:
    name = short_ids(runtime, "lessons")

    def row(one: Lesson) -> dict[str, object]:
        return {
            "id": name(one.id),
            "status": one.status,
            "worked": one.worked,
            "rule": _plain(one.rule_text),
        }

    return listing(found, row, nothing, limit)


def _about(lesson: Lesson) -> list[str]:
    """Return where a lesson counts, and whether it helped."""
    tags = f"; {', '.join(lesson.tags).replace('_', ' ')}" if lesson.tags else ""
    shown = f"shown {counted(lesson.retrieved, 'time')}, helped {lesson.helped}, hurt {lesson.hurt}, withheld {lesson.withheld}"
    measured = ""
    if lesson.utility is not None:
        measured = f"; utility {lesson.utility:.2f}, p {lesson.p:.2f} over {counted(lesson.evidence_runs, 'run')}"
    return [
        f"{lesson.status}{f', {lesson.reason}' if lesson.reason else ''}",
        f"about {lesson.tool}, {called('levels', lesson.level)}{tags}",
        f"worked {counted(lesson.worked, 'time')}; {shown}{measured}",
    ]


def _plain(text: str) -> str:
    return one_line(clean(text))


@click.group(cls=ListingGroup)
def runs() -> None:
    """List and change what `memapp run` recorded."""


@runs.command("list")
@limit_option(50)
@reads
def list_runs(runtime: Runtime, limit: int) -> Output:
    """List runs, newest first."""
    name = short_ids(runtime, "runs")

    def row(one: Run) -> dict[str, object]:
        counts = {"steps": counted(one.steps, "step"), "failed": f"{one.tool_errors} failed"}
        what = {"what": _plain(one.task or one.tool), "went": _went(one)}
        return {"id": name(one.id), "when": when(one.last_at), **counts, **what}

    return listing(
        service.list_runs(runtime, limit + 1),
        row,
        "Nothing was recorded yet: memapp run -- COMMAND.",
        limit,
    )


@runs.command("show")
@click.argument("run_id", metavar="ID")
@reads
def show_run(runtime: Runtime, run_id: str) -> Output:
    """Show the steps of a run and their errors."""
    run = service.get_run(runtime, ids.run(runtime, run_id))

    def row(one: RunStep) -> dict[str, object]:
        ended = "worked" if one.known else f"not known{_JUDGED[one.judged]}"
        if one.channel is not None:
            ended = f"exit {one.exit_code}" if one.exit_code else one.channel.replace("_", " ")
        return {
            "step": one.seq,
            "how": ended,
            "seconds": f"{one.seconds:.1f}",
            "what": _plain(one.action),
            "said": _plain(one.excerpt),
        }

    steps = service.steps_of(runtime, run.id)
    found = listing(steps, row)
    return Output({"run": run, "steps": steps}, rows=found.rows)


@runs.command("finish")
@click.argument("run_id", metavar="ID")
@click.option("--passed/--failed", default=None, help="The result.")
@click.option("--score", type=Fraction(0, 1), metavar="N", help="The score, 0 to 1.")
@writes
def finish_run(runtime: Runtime, run_id: str, passed: bool | None, score: float | None) -> Output:
    """Record the result of a run, and end it.

    Results decide which lessons are promoted. With only a score, the run passed if its last step
    worked.
    """
    if passed is None and score is None:
        raise UsageError("Say how the run went: --passed, --failed, or --score N.")
    done = service.finish(runtime, ids.run(runtime, run_id), passed=passed, score=score)
    return Output(done, aside=f"The run {_went(done)}.")


def _went(run: Run) -> str:
    passed = "" if run.passed is None else "passed" if run.passed else "failed"
    return passed if run.score is None else f"{passed}, score {run.score:.2f}"


@runs.command("rm")
@click.argument("run_ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@writes
def remove(runtime: Runtime, run_ids: tuple[str, ...], yes: bool) -> Output:
    """Erase runs and their steps for good; the lessons stay."""
    found = [
        service.get_run(runtime, memory_id)
        for memory_id in dict.fromkeys(ids.run(runtime, part) for part in run_ids)
    ]
    what = f"{counted(len(found), 'run')} with {counted(sum(run.steps for run in found), 'step')}"
    if not yes:
        raise NeedsYes(
            f"This would erase for good: {what}. What memapp learned there stays.",
            "Add --yes to do it.",
        )
    service.remove(runtime, [run.id for run in found])
    return Output(found, aside=f"Erased: {what}.")


lessons.add_command(lesson_files.export)
lessons.add_command(lesson_files.import_)
