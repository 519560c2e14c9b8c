"""The pictures of the documentation: screens of `memapp demo`, written as SVG to the folder
`pictures`.

`make pictures` makes them anew. The model is scripted and the clock hardly moves, so the same code
makes the same pictures.
"""

import asyncio
import itertools
import os
import re
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from textual.widgets import TextArea

from memapp.domain.prompt import Prompt, Sampling
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, samples
from memapp.ui.messages import ThreadWanted
from memapp.ui.widgets.council import CouncilCard
from tests.ui.conftest import Seen, World

FOLDER = Path(__file__).parent / "pictures"
SIZE = (88, 26)
NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SAID = "My name is Jo. Which biscuit goes with the tea that I switched to?"
REPLY = "With an oolong, a plain shortbread: butter and sugar, and it leaves the tea its taste."


class Demo(World):
    """The demo, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.model = ScriptedModel(speak)

    def start(self) -> Runtime:
        runtime = super().start()
        ticks = itertools.count()
        runtime.clock = lambda: NOW + timedelta(milliseconds=next(ticks))
        samples.fill(runtime)
        return runtime


def speak(_: Prompt, sampling: Sampling) -> str | None:
    return None if sampling.grammar else REPLY


async def open_chat(seen: Seen, title: str) -> None:
    thread = next(
        thread for thread in chats.list_threads(seen.app.runtime) if thread.title == title
    )
    seen.chat.post_message(ThreadWanted(thread))
    await seen.settle(lambda: seen.chat.state.thread_id == thread.id)


async def draw(folder: Path) -> None:
    """Write each picture."""
    async with Demo(folder).opened(size=SIZE, demo=True) as seen:
        seen.chat.query_one(TextArea).cursor_blink = False
        await seen.press("ctrl+n")
        await seen.send(SAID)
        save(seen, "chat")
        # else the card would say that a scripted model passed no test
        seen.app.runtime.chat.empty()
        await open_chat(seen, "How hot was it")
        await seen.settle(lambda: seen.chat.query(CouncilCard))
        save(seen, "council")
        for name, keys in {
            "inbox": ["f4"],
            "trash": ["f5"],
            "agents": ["f7", *["tab"] * 5],
        }.items():
            await seen.press(*keys)
            save(seen, name)


def save(seen: Seen, name: str) -> None:
    """Write the screen as a picture without external resources and with a constant time."""
    picture = re.sub(r"@font-face \{.*?\}\s*", "", seen.app.export_screenshot(), flags=re.DOTALL)
    picture = re.sub(r"first&#160;\d\.\d\d", "first&#160;0.40", picture)
    picture = re.sub(
        r"terminal-\d+", f"terminal-{name}", picture
    )  # else a sum over the time that it took
    (FOLDER / f"{name}.svg").write_text(picture, "utf-8")


def main(_: Sequence[str] = ()) -> None:
    os.environ["TZ"] = "UTC"
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(draw(Path(folder)))
    for picture in sorted(FOLDER.glob("*.svg")):
        print(f"{picture.stat().st_size / 1024:6.0f} kB {picture.name}")


if __name__ == "__main__":
    main()
