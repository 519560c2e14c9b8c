"""The command palette: actions of the screen and the app, chats by title, lessons by words.

All entries may hold the person's own words.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Any, cast

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Provider
from textual.screen import Screen

from memapp.services import chats, global_search
from memapp.ui.messages import ModeWanted, ThreadWanted
from memapp.ui.safe_text import marked, plain, row

MOST = 12
BY_HELP = 0.2
"""The score of a hit that matches only the explanation."""


class Offered(Provider):
    """Actions, then chats and lessons."""

    async def discover(self) -> AsyncIterator[DiscoveryHit]:
        for name, help_text, callback, *_ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(
                plain(name), callback, text=plain(name).plain, help=cast(Any, plain(help_text))
            )

    async def search(self, query: str) -> AsyncIterator[Hit]:
        matcher = self.matcher(query)
        for name, help_text, callback, *_ in self.app.get_system_commands(self.screen):
            shown = plain(name).plain
            helps = all(word in help_text.lower() for word in query.lower().split())
            if (score := matcher.match(shown) or BY_HELP * helps) > 0:
                title_marked = marked(shown, query.split(), "bold underline")
                yield Hit(
                    score, title_marked, callback, text=shown, help=cast(Any, plain(help_text))
                )
        # The opening screen has no such entries.
        if session := getattr(self.screen, "session", None):
            threads = await asyncio.to_thread(
                chats.list_threads, session.runtime, query, limit=MOST
            )
            lessons = await asyncio.to_thread(
                global_search.find, session.runtime, query, MOST, kinds=("lesson",)
            )
            wanted: list[tuple[str, ThreadWanted | ModeWanted, str]] = [
                (thread.title, ThreadWanted(thread), "Open this chat") for thread in threads
            ]
            wanted += [
                (lesson.snippet, ModeWanted("learned", lesson.id), "Open this lesson")
                for lesson in lessons
            ]
            for title, wish, about in wanted:
                shown = row(title, 100).plain
                title_marked = marked(shown, query.split(), "bold underline")
                open_it = partial(self.app.post_message, wish)
                yield Hit(0.3, title_marked, open_it, text=shown, help=cast(Any, plain(about)))


def key_commands(screen: Screen[Any]) -> Iterable[SystemCommand]:
    """Return the keys of a screen and its open tab, each action once, without those of Textual."""
    # Keys of lists and fields are not actions to search for.
    others = (screen.app, screen.focused)
    active_keys = [
        active
        for active in screen.active_bindings.values()
        if active.node not in others and active.enabled and active.binding.id
    ]
    for active in {key.binding.action: key for key in reversed(active_keys)}.values():
        about = f"Here, with the key {screen.app.get_key_display(active.binding)}"
        yield SystemCommand(
            active.binding.description,
            about,
            partial(screen.app.run_action, active.binding.action, active.node),
        )
