"""The command palette: what can be done here, going elsewhere, what works everywhere, chats by
title, and lessons by words.

All of it may hold the person's own words.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Any, cast

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Provider
from textual.screen import Screen

from memapp.services import browse, chats
from memapp.ui.messages import ModeWanted, ThreadWanted
from memapp.ui.safe import marked, plain, row

MOST = 12
BY_HELP = 0.2
"""How good a hit is of which only the explanation holds the words."""


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
                found = marked(shown, query.split(), "bold underline")
                yield Hit(score, found, callback, text=shown, help=cast(Any, plain(help_text)))
        if session := getattr(self.screen, "session", None):  # the opening screen has none
            threads = await asyncio.to_thread(
                chats.list_threads, session.runtime, query, limit=MOST
            )
            lessons = await asyncio.to_thread(
                browse.find, session.runtime, query, MOST, kinds=("lesson",)
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
                found = marked(shown, query.split(), "bold underline")
                open_it = partial(self.app.post_message, wish)
                yield Hit(0.3, found, open_it, text=shown, help=cast(Any, plain(about)))


def key_commands(screen: Screen[Any]) -> Iterable[SystemCommand]:
    """Return what the keys of a screen and of its open tab do, each action once; those that Textual
    gives have no id.
    """
    others = (
        screen.app,
        screen.focused,
    )  # what a list or a field does with keys is no action to look for
    active = [
        value
        for value in screen.active_bindings.values()
        if value.node not in others and value.enabled and value.binding.id
    ]
    for value in {item.binding.action: item for item in reversed(active)}.values():
        about = f"Here, with the key {screen.app.get_key_display(value.binding)}"
        yield SystemCommand(
            value.binding.description,
            about,
            partial(screen.app.run_action, value.binding.action, value.node),
        )
