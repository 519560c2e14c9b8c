"""The main job: a message is sent, the answer streams, and both are there after a restart."""

from memapp.services import chats
from tests.ui.conftest import World


async def test_a_message_is_answered_and_is_there_after_a_restart(world: World) -> None:
    world.model.enqueue("Oolong, in the morning.")
    async with world.app() as seen:
        await seen.ready()
        await seen.send("what tea do I like?")
        assert "what tea do I like?" in seen.text()
        assert "Oolong, in the morning." in seen.text()
    async with world.app() as again:
        await again.ready()
        assert "Oolong, in the morning." in again.text()
        assert len(chats.list_threads(again.app.runtime)) == 1
