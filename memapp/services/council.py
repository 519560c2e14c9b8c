"""A council over an answer, on demand: reviewers apart from each other, a revision, and the person,
who takes what they want.

One reviewer for each criterion of the rubric: the rules of `language.review`, and beside them a
model that passed the test for it. Each step is saved with the checkpoint of the chat, so a council
that was stopped or killed goes on where it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from operator import methodcaller
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memapp.domain.changes import CouncilDecided, Revision
from memapp.domain.chat import Message, Role
from memapp.domain.council import Dissent, Objection, OpenCouncil, Round, corrected, is_taken_over
from memapp.domain.memory import Recalled
from memapp.domain.trust import Choice, devils_advocate, dissent_depth, novelty
from memapp.domain.turn import Accepted, Completed, CouncilSat, TurnEvent
from memapp.errors import UsageError
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language import review
from memapp.language.review import Material
from memapp.language.word_file import words_of
from memapp.prompts import council as prompts
from memapp.prompts import respond
from memapp.runtime import Runtime
from memapp.services import rubric, trust
from memapp.services.embed import embedded
from memapp.services.model_jobs import may_review
from memapp.services.open_turn import ANSWERED_ELSEWHERE
from memapp.services.query import conversation_scope, find
from memapp.services.quotations import quotation
from memapp.services.reads import reading
from memapp.services.recall import RecallRequest
from memapp.services.rubric import Criterion
from memapp.services.turn import take_turn
from memapp.store import agents, changes, chat, checkpoints, leases
from memapp.store.session import Session

AUTHOR = "council"
"""Who writes the revision."""
MOST_NOTES, FROM_CHAT = 12, 20
"""So many notes an answer is held against, and so many of the last messages of its chat."""
ARTIFACT = "answer"


def ask(
    runtime: Runtime, thread_id: str, text: str, *, cancel: Cancel | None = None
) -> Iterator[TurnEvent]:
    """Send a message, and hold a council over the answer."""
    cancel, sent, is_answered = cancel or Cancel(), "", False
    for event in take_turn(runtime, thread_id, text, cancel=cancel):
        if isinstance(event, Accepted) and event.message is not None:
            sent = event.message.id
        is_answered |= isinstance(event, Completed) and not cancel.is_set()
        yield event
    if is_answered:
        yield from hold(runtime, sent, cancel=cancel, writes_draft=True)


def hold(
    runtime: Runtime, message_id: str, *, cancel: Cancel | None = None, writes_draft: bool = False
) -> Iterator[TurnEvent]:
    """Review the answer to a message; go on with the council over it that was stopped. Raises
    `UsageError` for no answer.
    """
    session = runtime.read()
    message = chat.get_message(session, message_id)
    reply = next(
        (
            message
            for message in chat.variants(session, message_id)
            if message.active and message.text
        ),
        None,
    )
    if reply is None or message.role is not Role.USER:
        raise UsageError("There is no answer to review.")
    at, held = (
        checkpoints.load(session, message.thread_id).council,
        agents.latest_rounds(session, [message_id]).get(message_id),
    )
    if at is None or held is None or at.round_id != held.id or held.draft != reply.text:
        held, at = _begin(runtime, message, reply, writes_draft=writes_draft)
    with leases.hold(runtime.write, chat.answering(message.thread_id)) as mine:
        if not mine:
            raise UsageError(*ANSWERED_ELSEWHERE)
        yield from _sit(runtime, held, at, message, cancel or Cancel())


def _begin(
    runtime: Runtime, message: Message, reply: Message, *, writes_draft: bool
) -> tuple[Round, OpenCouncil]:
    """Say who reviews, in which order, and which of them speaks against the answer."""
    model = runtime.chat.ready()
    reviewer = model.name if model is not None and may_review(runtime, model) else ""
    with runtime.write() as session:
        weighed = [criterion.name for criterion in rubric.criteria(session) if criterion.weight > 0]
        names = [name for name in weighed if reviewer or name in review.BY_RULES]
        names = [name for name in names if not trust.is_blocked(session, _agent(name))]
        if not names:
            raise UsageError(
                "There is nobody to review it.", "`memapp rubric` and `memapp agents` say who may."
            )
        run = f"run_{chat.get_thread(session, message.thread_id).created_at:%Y%m%d_%H%M%S}"
        given = {
            "thread_id": message.thread_id,
            "message_id": message.id,
            "artifact_type": ARTIFACT,
            "draft": reply.text,
        }
        round_id = agents.add_round(session, run, message.text[:2000], AUTHOR, **given)
        random = Random(round_id)
        random.shuffle(names)
        candidates = [trust.record(session, _agent(name)) for name in names]
        advocate = devils_advocate(candidates, session.now, random).name if reviewer else ""
        calls = writes_draft + len(names) * bool(reviewer) + (model is not None)
        at = OpenCouncil(round_id, tuple(names), len(names), advocate, reviewer, calls)
        checkpoints.advance(session, message.thread_id, methodcaller("with_council", at))
        return agents.get_round(session, round_id), at


def _sit(
    runtime: Runtime, held: Round, at: OpenCouncil, message: Message, cancel: Cancel
) -> Iterator[TurnEvent]:
    """Let those speak who have not, then revise."""
    seen, notes = material(runtime, message, held.draft)
    by_rules, criteria = (
        review.objections(seen),
        {criterion.name: criterion for criterion in rubric.list_criteria(runtime)},
    )
    model = runtime.chat.ready()
    yield CouncilSat(held, at.of - len(at.left), at.of, at.calls)
    for name in at.left:
        found = [objection for objection in by_rules if objection.criterion == name]
        if at.model and model is not None and name in criteria:
            found += _reviewed(model, held, at, criteria[name], notes, cancel)
        if cancel.is_set():
            return
        at, reader = replace(at, left=at.left[1:]), runtime.reading.ready()
        rows = (
            embedded(runtime.reading, [objection.text for objection in found])
            if reader and found
            else None
        )
        with runtime.write() as session:
            agents.count_round(session, _agent(name), "reviewer", at.model)
            for objection, row in zip(found, repeat(None) if rows is None else rows, strict=False):
                _note(session, held.id, objection, row, reader.model_id if reader else "")
            checkpoints.advance(session, held.thread_id, methodcaller("with_council", at))
            held = agents.get_round(session, held.id)
        yield CouncilSat(held, at.of - len(at.left), at.of, at.calls)
    revised = _revise(runtime, held, by_rules, notes, cancel)
    if cancel.is_set():
        return
    again = review.objections(material(runtime, message, revised)[0]) if revised else []
    with runtime.write() as session:
        if revised:
            agents.revise(session, held.id, revised)
            for dissent in held.dissents:
                agents.judge_dissent(
                    session, dissent.number, incorporated=is_taken_over(dissent, revised, again)
                )
        agents.count_round(session, AUTHOR, "curator", model.name if model else "")
        checkpoints.advance(session, held.thread_id, methodcaller("with_council", None))
        held = agents.get_round(session, held.id)
    yield CouncilSat(held, at.of, at.of, at.calls)


def _reviewed(
    model: ChatModel,
    held: Round,
    at: OpenCouncil,
    criterion: Criterion,
    notes: Sequence[str],
    cancel: Cancel,
) -> list[Objection]:
    """Ask a model for its view by one criterion; it gets the notes in an order of its own."""
    shuffled = Random(f"{held.id} {criterion.name}").sample(notes, len(notes))
    asks = criterion.asks or f"Is it right by this: {criterion.name}?"
    asked = prompts.review(
        asks, held.task, shuffled, held.draft, speaks_against=at.advocate == _agent(criterion.name)
    )
    found = prompts.parse(whole_reply(model, *asked, cancel), criterion.name, held.task, held.draft)
    return [found] if found else []


def _note(
    session: Session,
    round_id: str,
    one: Objection,
    vector: NDArray[np.float32] | None,
    model_id: str,
) -> None:
    """Keep an objection, with its depth: how new it is among those of its agent."""
    agent, new = _agent(one.criterion), 0.0
    more: dict[str, Any] = {"quote": one.quote}
    if vector is not None:
        new = novelty(
            float(vector @ past) for past in agents.past_vectors(session, agent, model_id)
        )
        more |= {"vector": vector.astype(np.float32).tobytes(), "model_id": model_id}
    depth = dissent_depth(one.text, [one.criterion], new)
    agents.add_dissent(session, round_id, agent, one.text, [one.criterion], depth, **more)


def _revise(
    runtime: Runtime,
    held: Round,
    by_rules: Sequence[Objection],
    notes: Sequence[str],
    cancel: Cancel,
) -> str:
    """Return the answer as the objections want it; empty where there are none. What a model leaves
    wrong the rules take out.
    """
    text, model = held.draft, runtime.chat.ready()
    if model is not None and held.dissents:
        objections = [
            Objection(dissent.citations[0], dissent.text, dissent.quote)
            for dissent in held.dissents
        ]
        asked = prompts.revision(
            held.task, notes, held.draft, objections, runtime.settings.reply_tokens
        )
        text = whole_reply(model, *asked, cancel).strip() or text
    return (corrected(text, by_rules) or held.draft) if held.dissents else ""


def material(runtime: Runtime, message: Message, answer: str) -> tuple[Material, list[str]]:
    """Return what an answer is held against, and the notes in it as models read them."""
    session, scope = runtime.read(), conversation_scope(runtime)
    earlier = chat.list_messages(session, message.thread_id, before=message.seq, limit=FROM_CHAT)
    without = frozenset([message.id, *(message.id for message in earlier)])
    found: dict[str, Recalled] = {}
    for text in (message.text, *review.claims(answer, words_of(answer))):
        hits = find(runtime, RecallRequest(text, 4, without, scope=scope))
        told = [hit for hit in hits if hit.said_by != "assistant" and respond.stated(hit)]
        found |= {hit.id: hit for hit in told if len(found) < MOST_NOTES}
    said = [message.text for message in earlier if message.role is Role.USER]
    replies = [
        message.text for message in earlier if message.role is Role.ASSISTANT and message.text
    ]
    quotes = {respond.words(hit): quotation(runtime, hit) for hit in found.values()}
    return Material(message.text, answer, quotes, said, replies), [
        respond.note(hit) for hit in found.values()
    ]


# What the person takes ----------------------------------------------------------------------------


def decide(runtime: Runtime, round_id: str, choice: Choice, text: str = "") -> Revision:
    """Take the draft, the revision, words of one's own, or nothing; it stands in the chat from then
    on.
    """
    held = agents.get_round(runtime.read(), round_id)
    taken = {"draft": held.draft, "revision": held.revision, "edit": text.strip(), "none": ""}[
        choice
    ]
    if choice != "none" and not taken:
        raise UsageError(
            "There is no revision." if choice == "revision" else "There is nothing to take."
        )
    message = chat.get_message(runtime.read(), held.message_id)
    again = (
        review.objections(material(runtime, message, taken)[0])
        if choice in ("revision", "edit")
        else []
    )
    with runtime.write() as session:
        for dissent in held.dissents:
            agents.judge_dissent(
                session,
                dissent.number,
                impact=choice != "draft" and is_taken_over(dissent, taken, again),
            )
        return changes.apply(
            session, CouncilDecided(held.id, choice, taken), runtime.actor(held.thread_id)
        )


of_messages = reading(agents.latest_rounds)


def ranked(runtime: Runtime, held: Round) -> list[Dissent]:
    """Return the objections, those first that weigh most: by their criterion, and by the trust in
    who objects.
    """
    session = runtime.read()
    weights = {criterion.name: criterion.weight for criterion in rubric.criteria(session)}
    trusts = {
        agent: trust.record(session, agent).trust
        for agent in {dissent.agent for dissent in held.dissents}
    }
    return sorted(
        held.dissents, key=lambda one: -weights.get(one.citations[0], 0.0) * trusts[one.agent]
    )


def who(runtime: Runtime) -> str:
    """Say who reviews answers now."""
    if (model := runtime.chat.ready()) is None:
        return "by rules"
    return (
        f"by rules and {model.name}"
        if may_review(runtime, model)
        else f"by rules: {model.name} passed no test as a reviewer"
    )


def is_open(runtime: Runtime, held: Round) -> bool:
    """Return True for a council that was stopped before its end."""
    at = checkpoints.load(runtime.read(), held.thread_id).council
    return at is not None and at.round_id == held.id


def _agent(criterion: str) -> str:
    return f"reviewer:{criterion}"
