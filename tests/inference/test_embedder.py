"""The embedder's process: with a stand-in for sentence-transformers in the child, and with the
bundled model.
"""

import json
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path

import numpy as np
import psutil
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from memapp.errors import ModelError, ModelLoading
from memapp.inference import Cancel, Stopped
from memapp.inference.embedder import RESTARTS, ChildEmbedder, bundled, in_folder, named
from memapp.inference.gguf_embedder import UNRELATED
from tests.builders import until
from tests.inference import tiny_gguf

LIBRARY = """
import os, sys, time
import numpy as np

class SentenceTransformer:
    def __init__(self, folder, **options):
        assert options["trust_remote_code"] is False and options["model_kwargs"]["use_safetensors"]
        assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"
        print("noise", flush=True)
        print("noise", file=sys.stderr, flush=True)
        os.write(1, b"noise")
        if os.path.exists(os.path.join(folder, "slow")):
            time.sleep(60)
        if os.path.exists(os.path.join(folder, "broken")):
            raise ValueError("weights are missing")

    def encode(self, texts, **options):
        assert options["normalize_embeddings"]
        print("more noise", flush=True)
        for text in texts:
            text.encode()
            if text == "die":
                os._exit(9)
            if text == "hang":
                time.sleep(60)
            if text == "fail":
                raise ValueError("cannot read this")
            if text == "network":
                import socket
                socket.create_connection(("127.0.0.1", 9))
        ours = ("memapp", "textual", "sqlite3")
        loaded = [name for name in sys.modules if name.partition(".")[0] in ours]
        rows = np.zeros((len(texts), 3), dtype=np.float32)
        rows[:, len(loaded)] = 1
        return rows
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A model folder, and a child that loads a stand-in for torch and sentence-transformers."""
    library = tmp_path / "library"
    library.mkdir()
    (library / "sentence_transformers.py").write_text(LIBRARY)
    (library / "torch.py").write_text("def set_num_threads(count): assert count == 1")
    monkeypatch.setenv("PYTHONPATH", str(library))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name)  # the child sets them itself
    folder = tmp_path / "tiny-model"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "modules.json").write_text(
        json.dumps([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Normalize"}])
    )
    (folder / "config.json").write_text('{"hidden_size": 3}')
    (folder / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 3}')
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.fixture
def opened(folder):
    embedder = ChildEmbedder(in_folder(folder))
    yield embedder
    embedder.close()


OTHERS = set()


@pytest.fixture(autouse=True)
def children_of_other_tests():
    # such as the model by which other tests read messages
    OTHERS.update(psutil.Process().children())
    yield
    OTHERS.clear()


def children():
    return [process for process in psutil.Process().children() if process not in OTHERS]


def test_its_vectors_are_multiplied_on_one_thread(folder):
    with threadpool_limits(2, user_api="blas"):
        ChildEmbedder(in_folder(folder)).close()
        assert {
            pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"
        } == {1}


def test_rows_come_back_in_order_from_a_child_that_loads_nothing_of_memapp(opened):
    assert opened.embed([]).shape == (0, 3)
    assert children() == [], "no texts need no process"
    assert opened.embed([f"text {number}" for number in range(70)]).shape == (70, 3)
    assert opened.embed(["a"]).tolist() == [[1, 0, 0]]


def test_a_model_that_takes_too_long_is_reported_as_loading_and_not_started_twice(folder):
    (folder / "slow").touch()
    embedder = ChildEmbedder(in_folder(folder), load_seconds=0.05)
    for _ in range(2):
        with pytest.raises(ModelLoading):
            embedder.embed(["a"])
    until(children)
    assert len(children()) == 1
    embedder.close()
    assert children() == []


def test_a_model_that_cannot_be_loaded_says_why_and_is_given_up_after_some_tries(folder):
    (folder / "broken").touch()
    embedder = ChildEmbedder(in_folder(folder))
    for _ in range(1 + RESTARTS):
        with pytest.raises(ModelError, match="weights are missing"):
            embedder.embed(["a"])
    with pytest.raises(ModelError, match="too often"):
        embedder.embed(["a"])
    embedder.close()


def test_a_dead_child_is_an_error_once_and_a_new_one_the_next_time(opened):
    with pytest.raises(ModelError, match="stopped"):
        opened.embed(["die"])
    assert opened.embed(["a"]).shape == (1, 3)
    children()[0].kill()
    until(lambda: children() == [] or children()[0].status() == psutil.STATUS_ZOMBIE)
    with pytest.raises(ModelError, match="stopped"):
        opened.embed(["a"])
    with pytest.raises(ModelLoading):
        opened.embed(["a"], wait=False)
    assert opened.embed(["a"]).shape == (1, 3)
    assert opened.embed(["a"], wait=False).shape == (1, 3)


def test_it_is_started_again_three_times_at_most_and_that_is_told(opened, monkeypatch):
    told = []
    monkeypatch.setattr(opened, "_set_aside", told.append)
    for _ in range(1 + RESTARTS):
        with pytest.raises(ModelError, match="stopped"):
            opened.embed(["die"])
    assert told == []
    with pytest.raises(ModelError, match="too often"):
        opened.embed(["a"])
    assert told == ["The embedding model stopped too often. Start memapp again."]
    until(lambda: children() == [])


def test_a_child_that_stops_answering_is_replaced(folder):
    embedder = ChildEmbedder(in_folder(folder), answer_seconds=1.0)
    with pytest.raises(ModelError, match="answering"):
        embedder.embed(["hang"])
    assert embedder.embed(["a"]).shape == (1, 3)
    embedder.close()


def test_one_bad_request_does_not_end_the_process(opened):
    opened.embed(["a"])
    (child,) = children()
    with pytest.raises(ModelError, match="cannot read this"):
        opened.embed(["fail"])
    assert opened.embed(["a"]).shape == (1, 3)
    assert children() == [child]


def test_the_child_may_not_use_the_network_and_reads_hostile_texts(opened):
    with pytest.raises(ModelError, match="no business on the network"):
        opened.embed(["network"])
    hostile = ["nul \x00", "half \ud800 a pair", "x" * 200_000, "", "\x1b[31m"]
    assert opened.embed(hostile).shape == (5, 3)


def test_many_threads_get_their_own_rows(opened):
    shapes = []

    def ask(count):
        shapes.append((count, opened.embed(["a"] * count).shape[0]))

    threads = [threading.Thread(target=ask, args=(count,)) for count in range(1, 40, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shapes) == len(threads)
    assert all(asked == got for asked, got in shapes)
    assert len(children()) == 1


def test_a_job_that_is_cancelled_leaves_the_text_that_is_computed_and_others_get_their_rows():
    embedder = ChildEmbedder(bundled(Path(tempfile.gettempdir()) / "memapp-tests"))
    cancel = Cancel()
    expected = embedder.embed(["I keep bees."])
    stopped = []

    def work():
        with embedder.stopped_by(cancel):
            try:
                for _ in range(200):
                    embedder.embed(["bees and hens " * 200] * 4)
            except Stopped:
                stopped.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    until(lambda: embedder._turn.locked())
    for _ in range(3):  # none of the others waits for more than a request
        assert np.array_equal(embedder.embed(["I keep bees."], wait=False), expected)
        assert thread.is_alive()
    cancel.set()
    thread.join(60)
    assert stopped == [True]
    assert np.array_equal(embedder.embed(["I keep bees."]), expected)
    embedder.close()


def test_closing_fails_whoever_waits_and_leaves_no_process(folder):
    embedder = ChildEmbedder(in_folder(folder))
    embedder.embed(["a"])
    problems = []

    def ask():
        try:
            embedder.embed(["hang"])
        except ModelError as error:
            problems.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    embedder.close()
    embedder.close()
    thread.join()
    assert len(problems) == 1
    assert children() == []
    with pytest.raises(ModelError, match="closed"):
        embedder.embed(["a"])


@pytest.mark.slow
def test_the_child_ends_when_its_parent_is_killed_even_while_loading(folder, tmp_path):
    (folder / "slow").touch()
    program = """
        import sys, time
        from contextlib import suppress
        from pathlib import Path
        from memapp.errors import ModelLoading
        from memapp.inference.embedder import ChildEmbedder, in_folder
        embedder = ChildEmbedder(in_folder(Path(sys.argv[1])), load_seconds=0.01)
        with suppress(ModelLoading):
            embedder.embed(["a"])
        while embedder._child._process is None:
            time.sleep(0.01)
        print(embedder._child._process.pid, flush=True)
        time.sleep(60)
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    with parent:
        child = psutil.Process(int(parent.stdout.readline()))
        assert child.status() != psutil.STATUS_ZOMBIE
        parent.kill()
    gone, alive = psutil.wait_procs([child], timeout=30)
    assert (gone, alive) == ([child], [])


def test_a_program_that_forgets_to_close_ends_quietly_and_leaves_nothing_behind(folder):
    program = (
        "import sys; from pathlib import Path; from memapp.inference.embedder import "
        "ChildEmbedder, in_folder\n"
        "e = ChildEmbedder(in_folder(Path(sys.argv[1]))); print(e.embed(['a']).shape)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("(1, 3)\n", "")


def test_modules_in_the_current_folder_are_not_run(folder, tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('hostile')")
    monkeypatch.chdir(tmp_path)
    with_folder = ChildEmbedder(in_folder(folder))
    assert with_folder.embed(["a"]).shape == (1, 3)
    with_folder.close()


def test_another_models_weights_give_another_id(folder):
    before = in_folder(folder)
    (folder / "model.safetensors").write_bytes(b"WEIGHTS")
    assert before.model_id.startswith("tiny-model@")
    assert before.model_id != in_folder(folder).model_id


@pytest.mark.parametrize("damage", ["modules.json", "config.json", "model.safetensors"])
def test_a_folder_that_is_no_model_is_refused_in_words(folder, damage):
    (folder / damage).unlink()
    with pytest.raises(ModelError, match="tiny-model"):
        in_folder(folder)


@pytest.fixture(scope="module")
def minilm():
    embedder = ChildEmbedder(bundled(Path(tempfile.gettempdir()) / "memapp-tests"))
    yield embedder
    embedder.close()


def test_the_bundled_model_knows_what_is_alike(minilm):
    rows = minilm.embed(
        ["I don't eat meat.", "The user is a vegetarian.", "The train to Lisbon leaves at nine."]
    )
    assert rows.dtype == np.float32
    assert rows.shape == (3, minilm.dimension) == (3, 384)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > 0.4 > rows[0] @ rows[2]


def test_the_bundled_model_takes_hostile_texts(minilm):
    texts = [
        "", "\x00", "\ud800", "a" * 200_000, "字" * 200_000, "word " * 40_000, "\x1b]0;title\x07",
        "[CLS] [SEP]",
    ]  # fmt: skip
    rows = minilm.embed(texts)
    assert rows.shape == (len(texts), 384)
    assert np.isfinite(rows).all()
    assert np.allclose(
        np.linalg.norm(rows, axis=1), [text[:1] != "字" for text in texts], atol=1e-5
    )


def test_a_gguf_file_of_the_persons_makes_vectors_that_do_not_lean_aside(tmp_path, minilm):
    decoder = ChildEmbedder(
        named(tiny_gguf.write(tmp_path / "pooled.gguf", tiny_gguf.POOLED), tmp_path)
    )
    texts = [
        "I don't eat meat.",
        "The user is a vegetarian.",
        "The train to Lisbon leaves at nine.",
    ]
    again, rows = decoder.embed(texts[:1]), decoder.embed([*texts, *UNRELATED])
    assert (decoder.model_id[:7], rows.shape[1]) == ("pooled@", tiny_gguf.WIDTH)
    assert again[0] @ rows[0] > 0.999
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert abs((rows @ rows.T).mean()) < 0.2
    decoder.close()
    encoder = ChildEmbedder(named(Path(minilm._source.loading[2]), tmp_path))
    rows = encoder.embed([*texts, "绿茶"])
    assert rows[0] @ rows[1] > 0.4 > rows[0] @ rows[2]
    assert not rows[3].any()
    encoder.close()


def test_what_the_bundled_model_does_not_know_means_nothing(minilm):
    unknown = ["绿茶", "咖啡", "🍕", "🍕!", "ฉันชอบกินข้าวผัด", "我喜欢喝绿茶和红茶"]
    assert not minilm.embed(unknown).any()
    assert np.allclose(
        np.linalg.norm(minilm.embed(["I like 🍕.", "Я люблю чай.", "?!"]), axis=1), 1, atol=1e-5
    )


def test_a_text_has_the_same_vector_alone_and_in_a_batch(minilm):
    texts = ["I have a cat.", *("something much longer " * number for number in range(1, 40))]
    # but for how 16-bit numbers are rounded
    assert minilm.embed(texts)[0] @ minilm.embed(texts[:1])[0] > 0.99999


def test_the_bundled_model_needs_no_torch(minilm):
    minilm.embed(["a"])
    child = psutil.Process(minilm._child._process.pid)
    loaded = {Path(mapping.path).name for mapping in child.memory_maps()}
    assert any("llama" in name for name in loaded)
    assert not any("torch" in name for name in loaded)


def test_a_cache_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match=r"cannot be prepared: .*file"):
        bundled(tmp_path / "file" / "cache")


def test_a_conversion_that_fails_says_why_and_falls_back_on_nothing(tmp_path):
    source = bundled(tmp_path)
    Path(source.loading[-1]).parent.write_text("in the way")
    embedder = ChildEmbedder(source)
    with pytest.raises(ModelError, match="cannot be written to"):
        embedder.embed(["a"])
    embedder.close()


def test_nothing_reaches_the_terminal(tmp_path):
    program = """
        import sys
        from pathlib import Path
        from memapp.inference.embedder import ChildEmbedder, bundled
        embedder = ChildEmbedder(bundled(Path(sys.argv[1])))
        embedder.embed(["a"])
        embedder.close()
    """
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, script, tmp_path / "cache"], capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
