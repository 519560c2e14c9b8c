"""Does the model speak of a memory that has nothing to do with the message?

Real requests (`data/clinc150/dev`) and statements (`data/synthetic_persona_chat/dev`) that do not ask about the person are put
to the bundled model after one exchange, five ways in one run: bare; with three changes of the memory beside the message, as a
question about the person gets them; with these told before that exchange, as memapp does; and both ways with three facts of an
always recalled category. Counted are the replies that name a place, a name or a thing of those facts which the message does not
name. Every fact was made up, so that a bare reply hardly names one by chance.

python -m benchmarks.distraction [--small] [--data ../shared/data] [--show]
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import MISSED
from memapp import paths
from memapp.domain.chat import Exchange
from memapp.domain.delta import Logged, summarise
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Piece
from memapp.inference import Cancel
from memapp.inference.bundled import bundled_model_path
from memapp.inference.llama import LlamaModel
from memapp.inference.quantise import prepare
from memapp.prompts import respond
from memapp.prompts.context import PromptContext
from memapp.prompts.personas import load_personas
from memapp.prompts.quotes import asks_about_person, is_small_talk, quote
from memapp.settings import Settings

OF_EACH, SMALL_OF_EACH = 40, 4
LIMIT = 0.10
REPLY_TOKENS = 80
FACTS = (
    ("profile", "User works in a bakery on Hill Street."),
    ("relationships", "User's sister Mara visits in June."),
    ("goals", "User wants to run a marathon in Berlin."),
)
NAMED = re.compile(r"\b(?:bak(?:er\w*|ing)|hill|mara|june|sister\w*|marathons?|berlin)\b", re.IGNORECASE)
LOGGED = [Logged(str(number), number, "created", str(number), fact, kind, 3, ()) for number, (kind, fact) in enumerate(FACTS, 1)]
NEWS = summarise(LOGGED[::-1], 0).lines
HITS = [
    Recalled("memory", str(number), fact, "", "", datetime(2026, 1, 1, tzinfo=UTC), 1.0, "always")
    for number, (_, fact) in enumerate(FACTS)
]
HISTORY = (
    Exchange(
        "What is a good way to spend a rainy afternoon?",
        "You could read a book, watch a film, or play a board game. A short walk with an umbrella is nice too.",
    ),
)
BARE, NEWS_BESIDE, NEWS_BEFORE, FACTS_BESIDE, FACTS_BEFORE = WAYS = (
    "nothing of the memory",
    "changes, beside the message",
    "changes, told an exchange before (memapp's way)",
    "always recalled facts, beside the message",
    "always recalled facts, told an exchange before",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help=f"{SMALL_OF_EACH} messages of each kind")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", action="store_true", help="print every reply that names a fact")
    options = parser.parse_args()
    if not (options.data / "clinc150/dev").exists():
        print(f"skipped: no data at {options.data}")
        return 0
    messages = read(options.data, SMALL_OF_EACH if options.small else OF_EACH)
    named = dict.fromkeys(WAYS, 0)
    with closing(LlamaModel(prepare(bundled_model_path(), paths.locate().cache, lambda _: None))) as model:
        for message in messages:
            for way in WAYS:
                reply = answer(model, message, way)
                strays = {one.casefold() for one in NAMED.findall(reply)} - {one.casefold() for one in NAMED.findall(message)}
                named[way] += bool(strays)
                if strays and options.show:
                    print(f"{way}: {message}\n    {' '.join(reply.split())[:200]}")
    print(f"{'replies that name what the message is not about':50} of {len(messages)}")
    for way, count in named.items():
        print(f"  {way:50} {count:5} {count / len(messages):7.2f}")
    if named[NEWS_BEFORE] > LIMIT * len(messages):
        print(f"MISSED: more than {LIMIT:.0%} of the replies speak of news that nobody asked for")
        return MISSED
    return 0


def read(data: Path, count: int) -> list[str]:
    """Return as many requests and statements; what memapp answers without a look into the memory is none of them."""
    requests = [json.loads(line)["text"] for line in (data / "clinc150/dev/utterances.jsonl").open(encoding="utf-8")]
    chats = [json.loads(line) for line in (data / "synthetic_persona_chat/dev/chats.jsonl").open(encoding="utf-8")]
    said = [message.split(": ", 1)[-1] for chat in chats for message in chat["conversation"]]
    return [*sample(requests, count), *sample([one for one in said if not one.endswith("?")], count)]


def sample(texts: Sequence[str], count: int) -> list[str]:
    fitting = [one for one in texts if not is_small_talk(one) and not asks_about_person(one)]
    return random.Random(0).sample(fitting, count)


def answer(model: LlamaModel, message: str, way: str) -> str:
    persona = load_personas([paths.bundled("assets", "personas")])["companion"]
    injected_updates = {NEWS_BEFORE: NEWS, FACTS_BEFORE: tuple(quote(hit) for hit in HITS)}.get(way, ())
    context = PromptContext(persona, persona.evidence, HISTORY, message, injected_updates=injected_updates, form="simple")
    hits = HITS if way == FACTS_BESIDE else ()
    updates = NEWS if way == NEWS_BESIDE else ()
    prompt, sampling = respond.request(
        context, hits, updates=updates, reply_tokens=REPLY_TOKENS, temperature=Settings().temperature
    )
    with closing(model.generate(prompt, sampling, Cancel())) as stream:
        return "".join(part.text for part in stream if isinstance(part, Piece) and not part.tail)


if __name__ == "__main__":
    sys.exit(main())
