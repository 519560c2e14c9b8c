"""A council over an answer: independent reviewers, a revision, and the person's choice.

Each criterion of the rubric has one reviewer: the rules of `language.review`, and beside them a
model that passed the test for reviewers. Each step is saved with the checkpoint of the chat, so a
council that was cancelled or killed is resumed.
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
from memapp.domain.turn_events import Accepted, Completed, CouncilSat, TurnEvent
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
from memapp.services.models import is_trusted_to_review
from memapp.services.open_turn import ANSWERED_ELSEWHERE
from memapp.services.recall import (
    RecallRequest,
    conversation_scope,
    format_quotation,
    recall_capped,
)
from memapp.services.rubric import Criterion
from memapp.services.store_reads import reading
from memapp.services.turn import take_turn
from memapp.store import agents, changes, chat, checkpoints, leases
from memapp.store.session import Session

AUTHOR = "council"
"""The author of the revision."""
MOST_NOTES, FROM_CHAT = 12, 20
"""The most notes an answer is held against, and the number of last messages shown with them."""
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
    """Review the answer to a message, or resume the council over that answer.

    Raises `UsageError` where there is no answer.
    """
    session = runtime.read()
    message = chat.get_message(session, message_id)
    variants = chat.variants(session, message_id)
    reply = next((reply for reply in variants if reply.active and reply.text), None)
    if reply is None or message.role is not Role.USER:
        raise UsageError("There is no answer to review.")
    at = checkpoints.load(session, message.thread_id).council
    round_ = agents.latest_rounds(session, [message_id]).get(message_id)
    if at is None or round_ is None or at.round_id != round_.id or round_.draft != reply.text:
        round_, at = _begin(runtime, message, reply, writes_draft=writes_draft)
    with leases.hold(runtime.write, chat.answering(message.thread_id)) as mine:
        if not mine:
            raise UsageError(*ANSWERED_ELSEWHERE)
        yield from _sit(runtime, round_, at, message, cancel or Cancel())


def _begin(
    runtime: Runtime, message: Message, reply: Message, *, writes_draft: bool
) -> tuple[Round, OpenCouncil]:
    """Start a round: choose the reviewers, their order, and the devil's advocate."""
    model = runtime.chat.ready()
    reviewer = model.name if model is not None and is_trusted_to_review(runtime, model) else ""
    with runtime.write() as session:
        weighed = [criterion.name for criterion in rubric.criteria(session) if criterion.weight > 0]
        names = [name for name in weighed if reviewer or name in review.BY_RULES]
        names = [name for name in names if not trust.is_blocked(session, _agent(name))]
        if not names:
            raise UsageError(
                "Nobody can review this answer.", "See `memapp rubric` and `memapp agents`."
            )
        run = f"run_{chat.get_thread(session, message.thread_id).created_at:%Y%m%d_%H%M%S}"
        fields = {
            "thread_id": message.thread_id,
            "message_id": message.id,
            "artifact_type": ARTIFACT,
            "draft": reply.text,
        }
        round_id = agents.add_round(session, run, message.text[:2000], AUTHOR, **fields)
        random = Random(round_id)
        random.shuffle(names)
        candidates = [trust.record(session, _agent(name)) for name in names]
        advocate = devils_advocate(candidates, session.now, random).name if reviewer else ""
        calls = writes_draft + len(names) * bool(reviewer) + (model is not None)
        at = OpenCouncil(round_id, tuple(names), len(names), advocate, reviewer, calls)
        checkpoints.advance(session, message.thread_id, methodcaller("with_council", at))
        return agents.get_round(session, round_id), at


def _sit(
    runtime: Runtime, round_: Round, at: OpenCouncil, message: Message, cancel: Cancel
) -> Iterator[TurnEvent]:
    """Run the reviewers that are left, then revise."""
    shown, notes = material(runtime, message, round_.draft)
    by_rules = review.objections(shown)
    criteria = {criterion.name: criterion for criterion in rubric.list_criteria(runtime)}
    model = runtime.chat.ready()
    yield CouncilSat(round_, at.of - len(at.left), at.of, at.calls)
    for name in at.left:
        objections = [objection for objection in by_rules if objection.criterion == name]
        if at.model and model is not None and name in criteria:
            objections += _reviewed(model, round_, at, criteria[name], notes, cancel)
        if cancel.is_set():
            return
        at, reader = replace(at, left=at.left[1:]), runtime.judge_embedder.ready()
        texts = [objection.text for objection in objections]
        rows = embedded(runtime.judge_embedder, texts) if reader and texts else None
        with runtime.write() as session:
            agents.count_round(session, _agent(name), "reviewer", at.model)
            for objection, row in zip(
                objections, repeat(None) if rows is None else rows, strict=False
            ):
                _note(session, round_.id, objection, row, reader.model_id if reader else "")
            checkpoints.advance(session, round_.thread_id, methodcaller("with_council", at))
            round_ = agents.get_round(session, round_.id)
        yield CouncilSat(round_, at.of - len(at.left), at.of, at.calls)
    revised = _revise(runtime, round_, by_rules, notes, cancel)
    if cancel.is_set():
        return
    remaining = review.objections(material(runtime, message, revised)[0]) if revised else []
    with runtime.write() as session:
        if revised:
            agents.revise(session, round_.id, revised)
            for dissent in round_.dissents:
                incorporated = is_taken_over(dissent, revised, remaining)
                agents.judge_dissent(session, dissent.number, incorporated=incorporated)
        agents.count_round(session, AUTHOR, "curator", model.name if model else "")
        checkpoints.advance(session, round_.thread_id, methodcaller("with_council", None))
        round_ = agents.get_round(session, round_.id)
    yield CouncilSat(round_, at.of, at.of, at.calls)


def _reviewed(
    model: ChatModel,
    round_: Round,
    at: OpenCouncil,
    criterion: Criterion,
    notes: Sequence[str],
    cancel: Cancel,
) -> list[Objection]:
    """Ask a model for its view by one criterion, with the notes in a shuffled order."""
    shuffled = Random(f"{round_.id} {criterion.name}").sample(notes, len(notes))
    question = criterion.asks or f"Is it right by this: {criterion.name}?"
    request = prompts.review(
        question,
        round_.task,
        shuffled,
        round_.draft,
        speaks_against=at.advocate == _agent(criterion.name),
    )
    objection = prompts.parse(
        whole_reply(model, *request, cancel), criterion.name, round_.task, round_.draft
    )
    return [objection] if objection else []


def _note(
    session: Session,
    round_id: str,
    objection: Objection,
    vector: NDArray[np.float32] | None,
    model_id: str,
) -> None:
    """Save an objection with its depth: how new the objection is among its agent's."""
    agent, newness = _agent(objection.criterion), 0.0
    fields: dict[str, Any] = {"quote": objection.quote}
    if vector is not None:
        newness = novelty(
            float(vector @ past) for past in agents.past_vectors(session, agent, model_id)
        )
        fields |= {"vector": vector.astype(np.float32).tobytes(), "model_id": model_id}
    depth = dissent_depth(objection.text, [objection.criterion], newness)
    agents.add_dissent(
        session, round_id, agent, objection.text, [objection.criterion], depth, **fields
    )


def _revise(
    runtime: Runtime,
    round_: Round,
    by_rules: Sequence[Objection],
    notes: Sequence[str],
    cancel: Cancel,
) -> str:
    """Return the answer revised by the objections; empty without any.

    The rules remove errors that the model leaves.
    """
    text, model = round_.draft, runtime.chat.ready()
    if model is not None and round_.dissents:
        objections = [
            Objection(dissent.citations[0], dissent.text, dissent.quote)
            for dissent in round_.dissents
        ]
        request = prompts.revision(
            round_.task, notes, round_.draft, objections, runtime.settings.reply_tokens
        )
        text = whole_reply(model, *request, cancel).strip() or text
    return (corrected(text, by_rules) or round_.draft) if round_.dissents else ""


def material(runtime: Runtime, message: Message, answer: str) -> tuple[Material, list[str]]:
    """Return the material an answer is held against, and its notes as models read them."""
    session, scope = runtime.read(), conversation_scope(runtime)
    earlier = chat.list_messages(session, message.thread_id, before=message.seq, limit=FROM_CHAT)
    excluded = frozenset([message.id, *(message.id for message in earlier)])
    by_id: dict[str, Recalled] = {}
    for text in (message.text, *review.claims(answer, words_of(answer))):
        hits = recall_capped(runtime, RecallRequest(text, 4, excluded, scope=scope))
        stated = [hit for hit in hits if hit.said_by != "assistant" and respond.stated(hit)]
        by_id |= {hit.id: hit for hit in stated if len(by_id) < MOST_NOTES}
    typed = [message.text for message in earlier if message.role is Role.USER]
    replies = [
        message.text for message in earlier if message.role is Role.ASSISTANT and message.text
    ]
    quotes = {respond.words(hit): format_quotation(runtime, hit) for hit in by_id.values()}
    notes = [respond.note(hit) for hit in by_id.values()]
    return Material(message.text, answer, quotes, typed, replies), notes


# What the person takes ----------------------------------------------------------------------------


def decide(runtime: Runtime, round_id: str, choice: Choice, text: str = "") -> Revision:
    """Apply the person's choice to the chat: draft, revision, an edit, or nothing."""
    round_ = agents.get_round(runtime.read(), round_id)
    texts = {"draft": round_.draft, "revision": round_.revision, "edit": text.strip(), "none": ""}
    taken = texts[choice]
    if choice != "none" and not taken:
        raise UsageError(
            "There is no revision." if choice == "revision" else "There is nothing to take."
        )
    message = chat.get_message(runtime.read(), round_.message_id)
    remaining = []
    if choice in ("revision", "edit"):
        remaining = review.objections(material(runtime, message, taken)[0])
    with runtime.write() as session:
        for dissent in round_.dissents:
            impact = choice != "draft" and is_taken_over(dissent, taken, remaining)
            agents.judge_dissent(session, dissent.number, impact=impact)
        return changes.apply(
            session, CouncilDecided(round_.id, choice, taken), runtime.actor(round_.thread_id)
        )


of_messages = reading(agents.latest_rounds)


def ranked(runtime: Runtime, round_: Round) -> list[Dissent]:
    """Return the objections, ranked by the weight of the criterion and the trust in the agent."""
    session = runtime.read()
    weights = {criterion.name: criterion.weight for criterion in rubric.criteria(session)}
    trusts = {
        agent: trust.record(session, agent).trust
        for agent in {dissent.agent for dissent in round_.dissents}
    }
    return sorted(
        round_.dissents,
        key=lambda dissent: -weights.get(dissent.citations[0], 0.0) * trusts[dissent.agent],
    )


def who(runtime: Runtime) -> str:
    """Return in words the present reviewers of answers."""
    if (model := runtime.chat.ready()) is None:
        return "by rules"
    return (
        f"by rules and {model.name}"
        if is_trusted_to_review(runtime, model)
        else f"by rules: {model.name} did not pass the test for reviewers"
    )


def is_open(runtime: Runtime, round_: Round) -> bool:
    """Return True if a council was stopped before its end."""
    at = checkpoints.load(runtime.read(), round_.thread_id).council
    return at is not None and at.round_id == round_.id


def _agent(criterion: str) -> str:
    return f"reviewer:{criterion}"
