"""The command palette: chats by title, and everything that can be done now. All of it may hold the person's own words."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.command import DiscoveryHit, Hit, Provider

from memapp.ui.safe import marked, plain, row

if TYPE_CHECKING:
    from memapp.ui.app import MemappApp

MOST = 12
BY_HELP = 0.2
"""How good a hit is of which only the explanation holds the words."""


def offered() -> type[Provider]:
    """Return the provider; Textual asks for it when the palette is first opened."""
    return Offered


class Offered(Provider):
    """Actions, then chats."""

    async def discover(self) -> AsyncIterator[DiscoveryHit]:
        """Offer every action."""
        for name, help_text, callback, *_ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(plain(name), callback, text=plain(name).plain, help=cast(Any, plain(help_text)))

    async def search(self, query: str) -> AsyncIterator[Hit]:
        """Offer what fits what is typed."""
        matcher = self.matcher(query)
        for name, help_text, callback, *_ in self.app.get_system_commands(self.screen):
            shown = plain(name).plain
            helps = all(word in help_text.lower() for word in query.lower().split())
            if (score := matcher.match(shown) or BY_HELP * helps) > 0:
                found = marked(shown, query.split(), "bold underline")
                yield Hit(score, found, callback, text=shown, help=cast(Any, plain(help_text)))
        app = cast("MemappApp", self.app)
        if app.is_open:
            from memapp.services import chats

            threads = await asyncio.to_thread(chats.list_threads, app.runtime, query, limit=MOST)
            for thread in threads:
                title = row(thread.title, 100).plain
                found = marked(title, query.split(), "bold underline")
                open_it = partial(app.open_thread, thread)
                yield Hit(0.3, found, open_it, text=title, help=cast(Any, plain("Open this chat")))
