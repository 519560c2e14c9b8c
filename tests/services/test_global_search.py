"""Finding anything by its words, with the reason where the words stand beside it."""

from pathlib import Path

from memapp.inference.scripted import ScriptedModel
from memapp.services import global_search
from tests.builders import make_runtime, new_chat, say


def test_what_holds_the_word_comes_first_and_the_others_say_why(tmp_path: Path) -> None:
    model = ScriptedModel()
    runtime = make_runtime(tmp_path, model)
    chat = new_chat(runtime)
    model.enqueue("A fine name for a dog.")
    say(runtime, chat, "My dog is called Bello.")
    say(runtime, chat, "It rains.")
    found = [hit for hit in global_search.find(runtime, "bello") if hit.kind == "message"]
    assert "Bello" in found[0].snippet and found[0].beside == ""
    assert len(found) > 1
    assert all("Bello" in hit.beside and "Bello" not in hit.snippet for hit in found[1:])
    runtime.close()
