"""What do the keywords of call 1 bring? Whole turns over forty facts of one person, with keywords
of four kinds.

The kinds: none; written by hand (perfect); those of another request (wrong); and what a model
itself asks for. Twenty requests need some of the facts, twenty questions ask for one, ten messages
need nothing; all are made up (`made_up/keywords`). Counted is what a turn puts into its prompt,
with the shipped settings and the bundled embedder.

python -m benchmarks.keywords [--model NAME|FILE | --server URL] [--small] [--show]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import MADE_UP, MISSED, bundled_embedder, chat_model_options, open_chat_model
from memapp import bootstrap, paths
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn_events import Found
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.inference.scripted import ScriptedModel, call_kind
from memapp.prompts import predict
from memapp.prompts.context import PromptContext
from memapp.prompts.personas import load_personas
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.embed import embed
from memapp.services.turn import take_turn

RECALL, PRECISION = 0.85, 0.55
FOR_NOTHING = 0.5
"""Facts put to a message that needs none, without keywords or with those of the model."""
OWN = "the model's"


@dataclass(frozen=True)
class Asked:
    """A message, and the facts needed for an answer."""

    kind: str
    text: str
    needs: frozenset[str]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figures:
    recall: float
    some: float
    precision: float
    facts: float
    first: float
    for_nothing: float


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[chat_model_options()],
    )
    parser.add_argument("--small", action="store_true", help="without a language model")
    parser.add_argument("--data", help="not used: everything is made up")
    parser.add_argument("--show", action="store_true", help="print the facts put to each message")
    options = parser.parse_args()
    facts, asked = read()
    wrong = [other.keywords for other in asked if other.keywords]
    ways: dict[str, list[tuple[str, ...]]] = {
        "none": [() for _ in asked],
        "perfect": [other.keywords for other in asked],
        "wrong": [wrong[(place + 7) % len(wrong)] for place, _ in enumerate(asked)],
    }
    if not options.small:
        with closing(open_chat_model(options)) as model:
            ways[OWN] = asked_for_by(model, [other.text for other in asked])
    found = looked_up(facts, asked, ways)
    if options.show:
        for name, keywords in ways.items():
            show(name, asked, keywords, found[name])
    print(
        f"{'keywords':18}{'recall':>8}{'some':>8}{'precision':>11}{'facts':>7}{'first':>8}"
        f"{'for nothing':>13}"
    )
    figures = {name: measured(asked, hits) for name, hits in found.items()}
    for name, item in figures.items():
        print(
            f"{name:18}{item.recall:8.2f}{item.some:8.2f}{item.precision:11.2f}{item.facts:7.2f}{item.first:8.2f}{item.for_nothing:13.2f}"
        )
    return judge(figures)


def read() -> tuple[list[str], list[Asked]]:
    data = json.loads((MADE_UP / "keywords/person.json").read_text("utf-8"))
    asked = [
        Asked("request", item["text"], frozenset(item["facts"]), tuple(item["keywords"]))
        for item in data["requests"]
    ]
    asked += [
        Asked("question", question["text"], frozenset([question["fact"]]))
        for question in data["questions"]
    ]
    asked += [Asked("nothing", text, frozenset()) for text in data["nothing"]]
    return data["facts"], asked


def looked_up(
    facts: Sequence[str], asked: Sequence[Asked], ways: Mapping[str, Sequence[Sequence[str]]]
) -> dict[str, list[list[str]]]:
    """Return for each kind of keywords the facts put to each message."""
    with knowing(facts) as (runtime, model):
        return {
            name: [
                put(runtime, model, keyword.text, words)
                for keyword, words in zip(asked, keywords, strict=True)
            ]
            for name, keywords in ways.items()
        }


@contextmanager
def knowing(facts: Sequence[str]) -> Iterator[tuple[Runtime, ScriptedModel]]:
    """Yield a memapp with these facts, and a model with scripted keywords."""
    with (
        tempfile.TemporaryDirectory() as home,
        closing(bootstrap.start(home=Path(home))) as runtime,
    ):
        model = ScriptedModel()
        runtime.chat.fill(model)
        runtime.embedding.fill(bundled_embedder())
        for text in facts:
            curate.add(runtime, text)
        embed(runtime, Cancel())
        yield runtime, model


def put(runtime: Runtime, model: ScriptedModel, text: str, keywords: Sequence[str]) -> list[str]:
    """Return the facts that a turn puts into its prompt, in a chat of its own."""

    def needs(prompt: Prompt, sampling: Sampling) -> str | None:
        if call_kind(prompt, sampling) != "predict":
            return None
        return json.dumps({"needed_info": list(keywords), "prediction_next": "Thanks."})

    model.script = needs
    thread = chats.new_thread(runtime).id
    hits = [
        hit.text
        for event in take_turn(runtime, thread, text)
        if isinstance(event, Found)
        for hit in event.hits
    ]
    chats.delete_thread(runtime, thread)
    return hits


def asked_for_by(model: ChatModel, texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what call 1 of a model names for each message."""
    companion = load_personas([paths.bundled("assets", "personas")])["companion"]
    asked = []
    for text in texts:
        prompt, sampling = predict.request(PromptContext(companion, (), (), text))
        asked.append(
            predict.parse(whole_reply(model, prompt, sampling, Cancel(), predict.read_enough))
        )
    return asked


def measured(asked: Sequence[Asked], hits: Sequence[Sequence[str]]) -> Figures:
    pairs = list(zip(asked, hits, strict=True))
    of_kind = {
        kind: [pair for pair in pairs if pair[0].kind == kind]
        for kind in ("request", "question", "nothing")
    }
    requests = [
        (len(asked.needs.intersection(put)), len(asked.needs), len(put))
        for asked, put in of_kind["request"]
    ]
    return Figures(
        recall=_mean([found / needed for found, needed, _ in requests]),
        some=_mean([found > 0 for found, _, _ in requests]),
        precision=sum(found for found, _, _ in requests)
        / max(1, sum(count for _, _, count in requests)),
        facts=_mean([count for _, _, count in requests]),
        first=_mean([put[:1] == [*asked.needs] for asked, put in of_kind["question"]]),
        for_nothing=_mean([len(put) for _, put in of_kind["nothing"]]),
    )


def judge(figures: dict[str, Figures]) -> int:
    none, perfect, wrong, own = (figures.get(name) for name in ("none", "perfect", "wrong", OWN))
    assert none and perfect and wrong
    failures = []
    if perfect.recall < RECALL:
        failures.append(f"perfect keywords: recall {perfect.recall:.2f}, not {RECALL}")
    if perfect.precision < PRECISION:
        failures.append(f"perfect keywords: precision {perfect.precision:.2f}, not {PRECISION}")
    if wrong.first < none.first:
        failures.append(
            f"wrong keywords: the fact of a question stands first in {wrong.first:.2f}, "
            f"without them in {none.first:.2f}"
        )
    if own and (own.recall < none.recall or own.first < none.first):
        failures.append("the model's keywords lose something")
    if max(figures.for_nothing for figures in (none, own) if figures) > FOR_NOTHING:
        failures.append(f"messages that need nothing get more than {FOR_NOTHING} facts")
    for failure in failures:
        print(f"MISSED: {failure}")
    return MISSED if failures else 0


def show(
    name: str,
    asked: Sequence[Asked],
    keywords: Sequence[Sequence[str]],
    found: Sequence[Sequence[str]],
) -> None:
    print(f"\n{name}")
    for keyword, words, hits in zip(asked, keywords, found, strict=True):
        print(f"  {keyword.text}  ({', '.join(words)})")
        for hit in hits:
            print(f"    {'+' if hit in keyword.needs else '-'} {hit}")
        for missed in keyword.needs.difference(hits):
            print(f"      missed: {missed}")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    sys.exit(main())
