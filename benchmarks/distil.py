"""What does the one reading write down from real chats, and is it in the person's own words?

Each speaker of `data/synthetic_persona_chat/dev` counts as a person who types. What passes at the first try is counted
against all that was written. What a capable model proposes besides is not measured here: none comes with memapp.

The facts of a chat are checked by a second, simpler reading of the writing rules and of groundedness than the one memapp
uses, and compared by meaning (bundled embedder) and by letters with the persona lines that the speaker was given. Task talk
(`data/sgd/dev`) and statements of which half are about something else (`data/consent/dev`) show how much is written down where
there is little to remember.

python -m benchmarks.distil [--small] [--data ../shared/data] [--sample N] [--seed S]
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz

from benchmarks import MISSED, bundled_embedder
from memapp.domain.utterance import Draft
from memapp.inference.embedder import ChildEmbedder
from memapp.language.english.duplicates import duplicate_of
from memapp.language.english.writing import check_fact, check_tags
from memapp.services.statements import told_by

FIRST_PASS = 0.95
SAME_MEANING = 0.7
SAME_LETTERS = 85
TASK_TALK_LIMIT = 0.03
"""Facts per turn of talk about bookings and searches, where nearly nothing lasts."""
LIES_LIMIT = 0.01
SMALL_CHATS = 25
PRONOUNS = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|you|your|yours|he|him|his|she|her|hers|it|its|they|them|their|theirs|\w+self|\w+selves)\b"
)
SMALL_WORDS = re.compile(
    r"user|an?|the|and|or|but|as|of|in|on|at|by|for|from|to|with|about|into|is|are|was|were|be|been|being|do|does|did|has|have|had|"
    r"not|am|that|who|which|when|where|while|than|up|out|off|over|s"
)
NUMBER_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "ten": "10"}


@dataclass(frozen=True)
class Stored:
    """One fact with what its speaker typed in that message."""

    draft: Draft
    typed: str


@dataclass(frozen=True)
class Speaker:
    persona: list[str]
    messages: list[str]
    facts: list[Stored]


@cache
def reader() -> ChildEmbedder:
    return bundled_embedder()


@cache
def distil(message: str) -> list[Draft]:
    return [draft for draft in told_by(reader(), message) if draft.text]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help=f"the first {SMALL_CHATS} chats only")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sample", type=int, default=0, help="print this many facts with what was typed, to judge them")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chats = options.data / "synthetic_persona_chat/dev/chats.jsonl"
    if not chats.exists():
        print(f"skipped: no data at {options.data}")
        return 0
    speakers = list(read_speakers(chats, SMALL_CHATS if options.small else None))
    stored = [fact for speaker in speakers for fact in speaker.facts]
    if options.sample:
        print_sample(stored, options.sample, options.seed)
        return 0
    failures = measure_facts(speakers, stored)
    failures += measure_lies(stored)
    measure_recovery(speakers)
    failures += measure_other(options.data, 400 if options.small else None)
    for failure in failures:
        print(f"MISSED: {failure}")
    return MISSED if failures else 0


def read_speakers(path: Path, limit: int | None) -> Iterator[Speaker]:
    for line in path.read_text(encoding="utf-8").splitlines()[:limit]:
        chat = json.loads(line)
        for number in (1, 2):
            start = f"User {number}: "
            messages = [message.removeprefix(start) for message in chat["conversation"] if message.startswith(start)]
            yield Speaker(chat[f"persona{number}"], messages, facts_of(messages))


def facts_of(messages: Sequence[str]) -> list[Stored]:
    """Do as the app does: message by message, nothing twice."""
    facts: list[Stored] = []
    for message in messages:
        for draft in distil(message):
            if duplicate_of(draft.text, [fact.draft.text for fact in facts]) is None:
                facts.append(Stored(draft, message))
    return facts


def print_sample(stored: Sequence[Stored], count: int, seed: int) -> None:
    for fact in random.Random(seed).sample(stored, min(count, len(stored))):
        print(f"- {fact.draft.text}  [{', '.join(fact.draft.tags)}] {fact.draft.category}\n    < {fact.typed}")


def measure_facts(speakers: Sequence[Speaker], stored: Sequence[Stored]) -> list[str]:
    messages = sum(len(speaker.messages) for speaker in speakers)
    well_formed = sum(is_well_formed(fact.draft) for fact in stored)
    ungrounded = [fact for fact in stored if not is_grounded(fact)]
    print(f"{len(speakers)} speakers, {messages} messages")
    row("facts stored", len(stored), len(stored) / messages, "per message")
    first_pass = well_formed / len(stored)
    row("pass the writing rules at the first try", well_formed, first_pass, "of facts")
    row("not grounded in the message", len(ungrounded), len(ungrounded) / len(stored), "of facts")
    failures = [f"badly written: {fact.draft.text}" for fact in stored if not is_well_formed(fact.draft)][:10]
    failures += [f"not grounded: {fact.draft.text} < {fact.typed}" for fact in ungrounded]
    if first_pass < FIRST_PASS:
        failures.append(f"only {first_pass:.3f} of what was written passes at the first try")
    return failures


def measure_lies(stored: Sequence[Stored]) -> list[str]:
    """Change facts so that they say something else, as a model may do; the check has to refuse them."""
    lies = [(name, lie, fact.typed) for fact in stored for name, lie in lies_about(fact.draft.text)]
    lies += [("of another message", one.draft.text, other.typed) for one, other in zip(stored, stored[7:], strict=False)]
    lies = [
        (name, lie, typed)
        for name, lie, typed in lies
        if lie.casefold() not in {f.draft.text.casefold() for f in facts_of([typed])}
    ]
    failures = []
    for name in sorted({name for name, _, _ in lies}):
        tried = [(lie, typed) for one, lie, typed in lies if one == name]
        passed = [(lie, typed) for lie, typed in tried if not check_fact(lie, typed)]
        row(f"refused: {name}", len(tried) - len(passed), 1 - len(passed) / len(tried), f"of {len(tried)}")
        if len(passed) > LIES_LIMIT * len(tried):
            failures += [f"passed, though {name}: {lie} < {typed}" for lie, typed in passed[:5]]
    return failures


def lies_about(fact: str) -> Iterator[tuple[str, str]]:
    """Yield false variants of a fact, each with what is wrong."""
    for name, pattern, replacement in (
        ("without its negation", r"\b(?:does|can|did|is)? ?(?:not|never) ", ""),
        ("with a negation", r"^User (?:really )?(is|has|was|can) ", r"User \1 not "),
        ("with a negation", r"^User (love|like|enjoy|live|work|play)s ", r"User does not \1 "),
        ("with another number", r"\b(?:two|three|four|five)\b", "nine"),
        ("as done now", r"\bused to \b", ""),
        ("as done", r"\b(?:wants|plans|has always wanted|is hoping|is planning) to (\w+)", r"\1s"),
        ("about somebody else", r"^User's (?:best )?(?:\w+) (?=is |was |has |works|lives|loves)", "User "),
        ("with a name", r"\.$", " named Bartholomew."),
    ):
        lie = re.sub(pattern, replacement, fact, count=1)
        if lie != fact:
            yield name, lie


def row(name: str, count: int, share: float, of_what: str) -> None:
    print(f"  {name:44}{count:7}{share:8.3f} {of_what}")


def is_well_formed(draft: Draft) -> bool:
    """Read the writing rules once more, by letters: short, a full stop, good tags; but in a quote one sentence, no pronoun."""
    written = re.sub(r"\b(?:IT|US)\b|^User said: .*", "", draft.text)
    text = written.casefold()
    return (
        0 < len(draft.text) <= 280
        and re.search(r"[A-Za-z0-9)'+#]\.$", draft.text) is not None
        and not re.search(r"[!?\n]", draft.text)
        and not re.search(r"[a-z]{3}\. [A-Z]", written)
        and PRONOUNS.search(re.sub(r"\b(?:gold|coal|a|the) mine\b", "", text)) is None
        and "User" in draft.text
        and not check_tags(draft.tags)
    )


def is_grounded(fact: Stored) -> bool:
    """Check that every longer word begins like a typed one, that numbers were typed, and that negations are as many or fewer."""
    if quote := re.fullmatch(r"User said: (.*)\.", fact.draft.text):
        return quote[1] in fact.typed
    typed = re.findall(r"[^\W_]+", fact.typed.casefold())
    heads = {word[: max(3, len(word) - 3)] for word in typed} | {word[:4] for word in typed}
    for word in re.findall(r"[^\W_]+", fact.draft.text.casefold()):
        if SMALL_WORDS.fullmatch(word) or word in typed:
            continue
        if word.isdigit() and word not in {NUMBER_WORDS.get(one, one) for one in typed}:
            return False
        if not any(word.startswith(head) for head in heads if len(head) >= 3) and not bases(word) & set(typed):
            return False
    said_not = len(re.findall(r"n[o']t\b|\bno\b|\bnever\b|\bcannot\b|\bdont\b|\bcant\b", fact.typed.casefold()))
    wrote_not = len(re.findall(r"\bnot\b|\bno\b|\bnever\b", fact.draft.text.casefold()))
    return wrote_not <= said_not


def bases(word: str) -> set[str]:
    """Return the first person of a verb: goes -> go, tries -> try."""
    return {word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word)}


def measure_recovery(speakers: Sequence[Speaker]) -> None:
    """Compare persona lines with facts, and with all sentences typed: no rule can find what was never said."""
    lines = [third_person(line) for speaker in speakers for line in speaker.persona]
    facts = [fact.draft.text for speaker in speakers for fact in speaker.facts]
    said = [third_person(part) for speaker in speakers for part in sentences_of(speaker)]
    vectors = dict(embed_all(reader(), sorted({*lines, *facts, *said})))
    found = sayable = both = 0
    for speaker in speakers:
        stored = [fact.draft.text for fact in speaker.facts]
        typed = [third_person(part) for part in sentences_of(speaker)]
        for line in speaker.persona:
            is_found, is_said = (
                any(is_same(third_person(line), other, vectors) for other in others) for others in (stored, typed)
            )
            found, sayable, both = found + is_found, sayable + is_said, both + (is_found and is_said)
    count = len(lines)
    row("persona lines", count, 1.0, "")
    row("  recovered by a stored fact", found, found / count, "of lines")
    row("  said in some sentence of the speaker", sayable, sayable / count, "of lines")
    row("  recovered, of those said", both, both / max(1, sayable), "of lines said")


def sentences_of(speaker: Speaker) -> list[str]:
    parts = [part for message in speaker.messages for part in re.split(r"(?<=[.!?]) ", message)]
    return [part for part in parts if not part.endswith("?")]


def third_person(line: str) -> str:
    """Put a line into the facts' person roughly, so that `I` against `User` does not count as a difference."""
    for pattern, word in (
        (r"\b[Ii]'?m\b|\bI am\b", "User is"),
        (r"\b[Ii]'ve\b", "User has"),
        (r"\b[Ii]\b", "User"),
        (r"\b[Mm]y\b", "User's"),
    ):
        line = re.sub(pattern, word, line)
    return line


def embed_all(embedder: ChildEmbedder, texts: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
    for start in range(0, len(texts), 64):
        part = texts[start : start + 64]
        yield from zip(part, embedder.embed(part), strict=True)


def is_same(line: str, other: str, vectors: dict[str, np.ndarray]) -> bool:
    return float(vectors[line] @ vectors[other]) >= SAME_MEANING or fuzz.token_sort_ratio(line, other) >= SAME_LETTERS


def measure_other(data: Path, limit: int | None) -> list[str]:
    failures = []
    dialogs = data / "sgd/dev/dialogs.jsonl"
    if dialogs.exists():
        chats = [json.loads(line) for line in dialogs.read_text(encoding="utf-8").splitlines()]
        turns = [turn["text"] for chat in chats for turn in chat["turns"] if turn["speaker"] == "USER"][:limit]
        drafts = [draft for turn in turns for draft in distil(turn)]
        count = sum(not draft.topic for draft in drafts)
        row("task talk: facts", count, count / len(turns), f"per turn of {len(turns)}")
        asked = len(drafts) - count
        row("task talk: questions", asked, asked / len(turns), f"per turn of {len(turns)}")
        if count > TASK_TALK_LIMIT * len(turns):
            failures.append(f"{count} facts in {len(turns)} turns of task talk")
    statements = data / "consent/dev/statements.jsonl"
    if statements.exists():
        by_field: dict[str, list[str]] = {}
        for line in statements.read_text(encoding="utf-8").splitlines()[:limit]:
            item = json.loads(line)
            is_task = item["field"] == "none" and item["source"] == "clinc150"
            by_field.setdefault("task talk" if is_task else item["field"], []).append(item["text"])
        for name, texts in sorted(by_field.items()):
            hits = sum(bool(distil(text)) for text in texts)
            row(f"statements, {name}: give a fact", hits, hits / len(texts), f"of {len(texts)}")
    return failures


if __name__ == "__main__":
    sys.exit(main())
