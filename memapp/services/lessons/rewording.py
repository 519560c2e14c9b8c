"""The job `rewording`: in idle time, a model generalises a candidate lesson, once.

An unreadable reply is asked for once more. A rewording is accepted only if it is the two executed
commands without some of their names; else the template stays. The model sees no output of any
command. A model whose manifest entry leaves out the job is not asked.
"""

from collections.abc import Iterator

from memapp.domain.changes import Actor, LessonEdited, LessonMoved
from memapp.domain.jobs import Pace
from memapp.domain.lessons.lesson import GAP, MERGED, Lesson, LessonLevel, level_of, rule
from memapp.domain.lessons.rewording import may_go, reword
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.prompts import rewording as words
from memapp.runtime import Runtime
from memapp.services.models import is_trusted_with
from memapp.store import changes, events
from memapp.store import lessons as store
from memapp.store.session import Session

AT_ONCE = 5
Said = tuple[str, str, LessonLevel]
"""The wrong command, the right one, and where the lesson counts."""


def run_job(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Reword candidates, recurring ones first; yield 1 for each. Raises `ModelError`."""
    model = runtime.chat.ready()
    for lesson in _to_reword(runtime):
        may_ask = model is not None and bool(may_go(lesson.wrong, lesson.correct))
        rewording = _ask_model(model, lesson, cancel) if model and may_ask else None
        if model is None or cancel.is_set():
            return
        new = _accepted(lesson, rewording) if rewording else None
        with runtime.write() as session:
            store.mark_asked(session, lesson.id)
            if may_ask:
                events.add_event(session, "worker", "reword", "ok" if rewording else "error")
            if new and _reword(session, lesson, *new, by=f"model:{model.name}"):
                yield 1


def waiting(runtime: Runtime) -> int:
    """Count the candidates the loaded model would be asked about now."""
    return len(_to_reword(runtime))


def _to_reword(runtime: Runtime) -> list[Lesson]:
    model = runtime.chat.ready()
    return (
        store.unasked(runtime.read(), AT_ONCE)
        if is_trusted_with(runtime, model, "rewording")
        else []
    )


def _ask_model(model: ChatModel, lesson: Lesson, cancel: Cancel) -> Said | None:
    """Return the rewording of a lesson by a model; None if unreadable twice."""
    prompt, sampling = words.request(lesson.wrong, lesson.correct, len(lesson.triggers))
    reply = whole_reply(model, prompt, sampling, cancel)
    rewording = words.parse(reply, len(lesson.triggers))
    if rewording or cancel.is_set():
        return rewording
    return words.parse(
        whole_reply(model, words.again(prompt, reply), sampling, cancel), len(lesson.triggers)
    )


def _accepted(lesson: Lesson, said: Said) -> Said | None:
    """Return the accepted commands with gaps, and their level; None if refused."""
    new = reword(lesson.wrong, lesson.correct, *said[:2])
    if new is None:
        return None
    is_named = level_of(new[1].replace(GAP, "")) == "task"
    return *new, "task" if is_named else said[2]


def _reword(
    session: Session, lesson: Lesson, wrong: str, correct: str, level: LessonLevel, by: str
) -> bool:
    """Replace the commands of a lesson, or merge it into one with the same commands."""
    if store.get_lesson(session, lesson.id) != lesson:
        return False
    actor = Actor(by, step=session.new_id())
    same = store.same_rule(
        session, session.normalise(rule(wrong, correct)), lesson.tool, lesson.scope
    )
    if same is None:
        changes.apply(
            session, LessonEdited(lesson.id, wrong, correct, level, origin="model"), actor
        )
        return True
    changes.apply(session, LessonEdited(same.id, triggers=lesson.triggers), actor)
    changes.apply(session, LessonMoved(lesson.id, "archived", MERGED), actor)
    return True
