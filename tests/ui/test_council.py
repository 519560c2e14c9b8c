"""A council on the screen: its card below the answer, a key for each thing one can take, and the
way back.
"""

from memapp.domain.changes import Actor, Created
from memapp.inference.scripted import ScriptedModel
from memapp.store import changes
from memapp.ui.widgets.council import CouncilCard
from tests.builders import fact
from tests.services.test_council import DRAFT, QUESTION, REVISED, speak
from tests.ui.conftest import Seen, World


def card(seen: Seen) -> CouncilCard:
    return seen.chat.query_one(CouncilCard)


async def test_a_key_asks_for_a_second_opinion_and_others_take_what_it_says(world: World) -> None:
    world.model = ScriptedModel(speak)
    async with world.opened(size=(80, 24)) as seen:
        with seen.runtime.write() as session:
            changes.apply(
                session,
                Created(fact("I live in Ghent.", session.now, category="notes")),
                Actor("rules"),
            )
        await seen.send(QUESTION)
        await seen.press("escape", "up", "s", until="1 keep the answer")
        assert "1 objection · by rules: scripted did not pass the test" in seen.words()
        assert "“I live in Ghent.”" in seen.words()
        assert "-Bruges,-" in seen.text()
        assert "+Ghent,+" in seen.text(), "the revision is told by signs as well as colours"

        await seen.press("down", "2", until=lambda: card(seen).shown.held.choice == "revision")
        await seen.settle()
        assert "Took a council's revision. ctrl+z undoes it." in seen.words()
        assert REVISED in seen.words()
        await seen.press("ctrl+z", until=lambda: bool(card(seen).shown.held.reverted_at))
        await seen.settle()
        assert DRAFT in seen.words() and "You undid that." in seen.words()

        await seen.send(
            f"/council {QUESTION}", until=lambda: len(seen.chat.query(CouncilCard)) == 2
        )
        await seen.settle(lambda: not seen.chat.state.busy)
        await seen.press("escape", "up", "down", "3", until="The answer in your own words")
        await seen.press("ctrl+a", "delete")
        await seen.type("Stay in bed.", "ctrl+s", until="Took words of your own")

    async with world.opened(size=(120, 40)) as seen:
        await seen.settle(lambda: len(seen.chat.query(CouncilCard)) == 2)
        assert "Stay in bed." in seen.text(), "it stands after a restart"
        await seen.press("f7", until=lambda: "Activity" in seen.text())
