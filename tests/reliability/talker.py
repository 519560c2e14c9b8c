"""A process that takes turns until it is killed, and says on stdout which messages were acknowledged.

Run as `python -m tests.reliability.talker HOME`. `A id` is an accepted message, `C id` a completed reply.
"""

import sys
from itertools import count
from pathlib import Path

from memapp.domain.turn import Accepted, Completed
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.services import upkeep
from memapp.services.turn import take_turn
from tests.builders import make_runtime, new_chat

ANIMALS = ("bees", "cats", "dogs", "hens", "goats", "mules", "geese", "sheep")


def main() -> None:
    runtime = make_runtime(Path(sys.argv[1]), ScriptedModel())
    thread = new_chat(runtime)
    print("ready", flush=True)
    for number in count():
        for event in take_turn(runtime, thread, f"I have {number} {ANIMALS[number % len(ANIMALS)]}."):
            match event:
                case Accepted(message=message) if message:
                    print("A", message.id, flush=True)
                case Completed(reply=reply):
                    print("C", reply.id, flush=True)
        list(upkeep.work(runtime, thread, Cancel()))


if __name__ == "__main__":
    main()
